//! Numbers as people read them: a unit and a sane count of digits, the same bytes under every locale.

use crate::Nanos;

/// A whole number with a comma between groups of three digits: `1,234,567`.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count of things: grouped digits.
pub fn count(value: usize) -> String {
    grouped(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A count with its noun in the right number: `1 kernel`, `2 kernels`, `0 kernels`.
pub fn counted(value: impl TryInto<i64>, one: &str, many: &str) -> String {
    let value = value.try_into().unwrap_or(i64::MAX);
    format!("{} {}", grouped(value), if value == 1 { one } else { many })
}

/// A length of time with the unit that keeps four digits: `812 ns`, `3.420 µs`, `12.35 ms`, `999.9 s`.
pub fn duration(length: Nanos) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")];
    let magnitude = length.get().unsigned_abs();
    let sign = if length.get() < 0 { "-" } else { "" };
    if magnitude < 1_000 {
        return format!("{sign}{magnitude} ns");
    }
    // Rounded first: what rounds up to the next unit, or to a digit more, is shown there.
    let shown = UNITS.iter().flat_map(|(unit, name)| [3, 2, 1].map(|decimals| (*unit, *name, decimals)));
    for (unit, name, decimals) in shown {
        let scale = 10_u64.pow(decimals);
        let step = unit / scale;
        let rounded = (magnitude + step / 2) / step;
        if rounded < 10_000 || (name == "s" && decimals == 1) {
            let whole = grouped(i64::try_from(rounded / scale).unwrap_or(i64::MAX));
            return format!("{sign}{whole}.{:0width$} {name}", rounded % scale, width = decimals as usize);
        }
    }
    String::new()
}

/// A length of time in microseconds with three decimals, exact: `1,373.218`.
pub fn microseconds(length: Nanos) -> String {
    let ns = length.get();
    let sign = if ns < 0 { "-" } else { "" };
    let magnitude = ns.unsigned_abs();
    let whole = grouped(i64::try_from(magnitude / 1000).unwrap_or(i64::MAX));
    format!("{sign}{whole}.{:03}", magnitude % 1000)
}

/// A part of a whole in percent with one decimal: `43.7%`. A whole of zero has no share: `-`.
pub fn share(part: Nanos, whole: Nanos) -> String {
    if whole.get() == 0 {
        return "-".to_owned();
    }
    format!("{:.1}%", part.get() as f64 * 100.0 / whole.get() as f64)
}

/// A part of one in percent with one decimal: `43.7%`.
pub fn percent(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}

/// A length of time that was averaged: below ten microseconds a tenth of a nanosecond is shown, since whole ones hide the spread.
pub fn fine_duration(ns: f64) -> String {
    if ns < 10_000.0 { format!("{ns:.1} ns") } else { duration(Nanos(ns.round() as i64)) }
}

/// How much of something a second, in billions: `412.35 GB/s`.
pub fn rate(per_second: f64, unit: &str) -> String {
    format!("{:.2} G{unit}/s", per_second / 1e9)
}

/// A speedup (baseline ÷ candidate) as a factor: `1.234x`.
pub fn speedup(ratio: f64) -> String {
    format!("{ratio:.3}x")
}

/// A size in bytes with a binary unit: `512 B`, `3.4 KiB`, `271.6 MiB`.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut unit = 0;
    // Rounded first: what rounds up to 1024 is one of the next unit.
    let tenths = loop {
        let step = 1_u128 << (10 * (unit + 1));
        let tenths = (u128::from(size) * 10 + step / 2) / step;
        if tenths < 10_240 || unit + 1 == UNITS.len() {
            break tenths;
        }
        unit += 1;
    };
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// At most `width` characters of a name: the middle gives way to `…`, since kernel names differ at both ends.
pub fn middle_short(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    if width <= 1 {
        return "…".chars().take(width).collect();
    }
    let tail = (width - 1) / 3;
    let head = width - 1 - tail;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_a_unit_and_few_digits() {
        assert_eq!(duration(Nanos(812)), "812 ns");
        assert_eq!(duration(Nanos(3_420)), "3.420 µs");
        assert_eq!(duration(Nanos(1_373_218)), "1.373 ms");
        assert_eq!(duration(Nanos(-12_345_678_901)), "-12.35 s");
    }

    #[test]
    fn what_rounds_up_to_the_next_unit_is_shown_in_it() {
        assert_eq!(duration(Nanos(999_949)), "999.9 µs");
        assert_eq!(duration(Nanos(999_950)), "1.000 ms");
        assert_eq!(duration(Nanos(9_999_600)), "10.00 ms");
        assert_eq!(duration(Nanos(99_995_000)), "100.0 ms");
        assert_eq!(duration(Nanos(999_999_999)), "1.000 s");
        assert_eq!(duration(Nanos(i64::MIN)), "-9,223,372,036.9 s");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1_048_575), "1.0 MiB");
        assert_eq!(bytes(3_482), "3.4 KiB");
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(microseconds(Nanos(1_373_218)), "1,373.218");
        assert_eq!(microseconds(Nanos(-5)), "-0.005");
    }

    #[test]
    fn rates_and_means_keep_few_digits() {
        assert_eq!(rate(412_345_678_901.0, "B"), "412.35 GB/s");
        assert_eq!(fine_duration(812.26), "812.3 ns");
        assert_eq!(fine_duration(1_373_218.4), "1.373 ms");
        assert_eq!(percent(0.4372), "43.7%");
    }

    #[test]
    fn a_share_of_nothing_is_not_zero() {
        assert_eq!(share(Nanos(0), Nanos(0)), "-");
        assert_eq!(share(Nanos(1), Nanos(3)), "33.3%");
    }

    #[test]
    fn long_names_lose_their_middle_and_keep_both_ends() {
        let short = middle_short("void at::native::vectorized_elementwise_kernel<4>", 20);
        assert_eq!(short.chars().count(), 20);
        assert!(short.starts_with("void at::") && short.ends_with("l<4>"));
        assert_eq!(middle_short("ab", 2), "ab");
        assert_eq!(middle_short("abc", 1), "…");
    }

    #[test]
    fn a_noun_follows_its_count() {
        assert_eq!(counted(1, "copy", "copies"), "1 copy");
        assert_eq!(counted(0, "copy", "copies"), "0 copies");
        assert_eq!(counted(1_234, "copy", "copies"), "1,234 copies");
    }

    #[test]
    fn grouped_handles_the_extremes() {
        assert_eq!(grouped(i64::MIN), "-9,223,372,036,854,775,808");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
    }
}
