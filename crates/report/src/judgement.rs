//! Words about a judgement that several verbs share.

use kforge_record::LoosenedValue;
use kforge_stats::{Interval, Measured, Verdict};
use kforge_units::{rate, speedup};

/// `1.234x [1.200x, 1.270x]`.
pub(crate) fn interval(interval: &Interval) -> String {
    format!("{} [{}, {}]", speedup(interval.estimate), speedup(interval.low), speedup(interval.high))
}

/// `min_effect = 1.01 (default 1.02): REASON`.
pub(crate) fn loosened(loose: &LoosenedValue) -> String {
    format!("{} = {} (default {}): {}", loose.name, loose.value, loose.default, loose.reason)
}

/// A rate, where it is known.
pub(crate) fn rate_or_none(per_second: Option<f64>, unit: &str) -> String {
    per_second.map_or_else(|| "-".to_owned(), |per_second| rate(per_second, unit))
}

/// The word, and the speedup behind it where the verdict is about one: `WORD  1.234x [1.200x, 1.270x]`.
pub(crate) fn headline(word: &str, verdict: &Verdict, measured: Option<&Measured>) -> String {
    let silent = matches!(verdict, Verdict::Incorrect { .. } | Verdict::Void { .. });
    match measured.filter(|_| !silent) {
        Some(measured) => format!("{word}  {}", interval(&measured.speedup)),
        None => word.to_owned(),
    }
}
