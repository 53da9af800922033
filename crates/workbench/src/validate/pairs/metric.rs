//! The number in a command's output: found by a regular expression, read exactly, refused where it is none.
//!
//! Invariant: a reading is finite and positive, and it knows to how many digits it was printed: what rounding may hide is no result.

use crate::Error;
use regex::Regex;

/// Units of time and their length in nanoseconds; longer spellings first, because `s` ends all of them.
const UNITS: [(&str, f64); 6] = [
    ("ns", 1.0),
    ("us", 1e3),
    // Both code points that are printed as a micro sign.
    ("\u{b5}s", 1e3),
    ("\u{3bc}s", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
];

/// How a metric is found.
pub(super) struct Metric(Regex);

/// One number as it was printed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// The captured text.
    pub(super) text: String,
    /// Its value: ns where it has a unit, else as printed.
    pub(super) value: f64,
    /// One unit of the last printed digit, on the same scale.
    pub(super) step: f64,
    /// It has a unit of time.
    pub(super) is_time: bool,
}

impl Metric {
    /// Compiles the expression.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is none, or has no group.
    pub(super) fn new(text: &str) -> Result<Self, Error> {
        let usage = |message: String| Error::Usage {
            message,
            hint: Some("put the number in a group, as --metric 'time: ([0-9.]+ ?us)'".to_owned()),
        };
        let regex = Regex::new(text).map_err(|error| {
            // The last line says what is wrong; those before point at it with spaces.
            let said = error.to_string();
            let last = said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            usage(format!("--metric `{text}` is no regular expression: {last}"))
        })?;
        if regex.captures_len() < 2 {
            return Err(usage(format!("--metric `{text}` has no group that holds the number")));
        }
        Ok(Self(regex))
    }

    /// The reading in an output.
    ///
    /// # Errors
    /// A clause about the output: nothing matches, or what matches is no positive number.
    pub(super) fn read(&self, output: &str) -> Result<Reading, String> {
        let Some(group) = self.0.captures(output).and_then(|found| found.get(1)) else {
            return Err(format!("printed nothing that matches `{}`", self.0.as_str()));
        };
        reading(group.as_str().trim())
    }
}

fn reading(text: &str) -> Result<Reading, String> {
    let (number, unit) = UNITS
        .iter()
        .find_map(|(unit, length)| Some((text.strip_suffix(unit)?.trim_end(), Some(*length))))
        .unwrap_or((text, None));
    let plain = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || ".+-eE".contains(c));
    let value = number.parse::<f64>().ok().filter(|value| plain && value.is_finite());
    let Some(value) = value else {
        return Err(format!("printed `{}` where a number is wanted", shortened(text)));
    };
    if value <= 0.0 {
        return Err(format!("printed {text}, which is not positive"));
    }
    let length = unit.unwrap_or(1.0);
    let (value, step) = (value * length, last_digit(number) * length);
    if !(value.is_normal() && step.is_normal()) {
        return Err(format!("printed {text}, which is beyond what is compared"));
    }
    Ok(Reading { text: text.to_owned(), value, step, is_time: unit.is_some() })
}

/// One unit of the last digit of a number that parses: 0.01 for `3.25`, 100 for `1.5e3`.
fn last_digit(number: &str) -> f64 {
    let lower = number.to_ascii_lowercase();
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
    let exponent = exponent.parse::<i32>().unwrap_or(0);
    10_f64.powi(exponent.saturating_sub(i32::try_from(decimals).unwrap_or(i32::MAX)))
}

fn shortened(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    if text.chars().count() > 60 { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<(f64, f64, bool)> {
        reading(text).ok().map(|reading| (reading.value, reading.step, reading.is_time))
    }

    #[test]
    fn a_number_is_read_with_its_unit_and_its_last_digit() {
        assert_eq!(value("12"), Some((12.0, 1.0, false)));
        assert_eq!(value("3 ns"), Some((3.0, 1.0, true)));
        assert_eq!(value("2s"), Some((2e9, 1e9, true)));
        let (us, step, _) = value("1.25 us").unwrap();
        assert!((us - 1250.0).abs() < 1e-9 && (step - 10.0).abs() < 1e-9);
        assert_eq!(value("1.25 \u{b5}s"), value("1.25us"));
        let (ms, step, _) = value("1.5e1ms").unwrap();
        assert!((ms - 15e6).abs() < 1e-3 && (step - 1e6).abs() < 1e-3);
    }

    #[test]
    fn what_is_no_positive_number_is_refused_in_words() {
        for text in ["", "ms", "nan", "inf", "1,000", "0x10", "--1", "1e999", "1.2.3", "fast"] {
            assert!(value(text).is_none(), "{text}");
        }
        assert_eq!(reading("-3 ms").unwrap_err(), "printed -3 ms, which is not positive");
        assert_eq!(reading("0").unwrap_err(), "printed 0, which is not positive");
        assert_eq!(reading("nan us").unwrap_err(), "printed `nan us` where a number is wanted");
        assert_eq!(reading("1e-320").unwrap_err(), "printed 1e-320, which is beyond what is compared");
    }

    #[test]
    fn the_first_group_of_the_first_match_counts_and_an_expression_without_a_group_is_refused() {
        let metric = Metric::new(r"(?m)^(?:time|latency): ([0-9.]+ ?[a-z]*)$").unwrap();
        assert_eq!(metric.read("warm\ntime: 7 us\ntime: 9 us\n").unwrap().text, "7 us");
        assert!(metric.read("nothing").is_err());
        assert!(matches!(Metric::new("time"), Err(Error::Usage { .. })));
        assert!(matches!(Metric::new("(time"), Err(Error::Usage { .. })));
        // A group that took no part in the match holds no number.
        assert!(Metric::new("x|(1)").unwrap().read("x").is_err());
    }
}
