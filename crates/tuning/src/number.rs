//! Numbers of cells, exactly: no float stands between the text and a comparison.

/// What a cell that should hold a number holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// Nothing.
    Absent,
    /// `nan`.
    Nan,
    /// `inf` or `-inf`.
    Infinite,
    /// A number, in millionths; more digits are cut.
    Millionths(i128),
    /// Something else.
    Text,
}

/// Largest decimal exponent that is taken: more is no time or ratio of a kernel.
const EXPONENT: i32 = 15;

/// Reads a cell: a decimal number with an optional exponent, or `%` for hundredths.
pub(crate) fn number(text: &str) -> Number {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    match lower.trim_start_matches(['+', '-']) {
        "" if text.is_empty() => return Number::Absent,
        "nan" => return Number::Nan,
        "inf" | "infinity" => return Number::Infinite,
        _ => {}
    }
    let (digits, shift) = match lower.strip_suffix('%') {
        Some(digits) => (digits, 4),
        None => (lower.as_str(), 6),
    };
    decimal(digits, shift).map_or(Number::Text, Number::Millionths)
}

/// A whole number; a float's text such as `304.0` counts where nothing follows the point but zeros.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, rest) = text.split_once('.').unwrap_or((text, ""));
    if !rest.chars().all(|c| c == '0') {
        return None;
    }
    digits.parse().ok()
}

fn decimal(text: &str, shift: i32) -> Option<i128> {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    if exponent > EXPONENT {
        return None;
    }
    let (negative, plain) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (before, after) = plain.split_once('.').unwrap_or((plain, ""));
    let all = before.chars().chain(after.chars());
    if before.len() + after.len() == 0 || before.len() > 20 || !all.clone().all(|c| c.is_ascii_digit()) {
        return None;
    }
    // The digits left of the point once it is moved to the right by `shift + exponent`.
    let wanted = i64::try_from(before.len()).ok()? + i64::from(shift) + i64::from(exponent);
    let wanted = usize::try_from(wanted.max(0)).ok()?;
    let mut value: i128 = 0;
    for digit in all.map(|c| c.to_digit(10).unwrap_or(0)).chain(std::iter::repeat(0)).take(wanted) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_without_a_float() {
        // Moved by hand.
        for (text, millionths) in [
            ("12.3456", 12_345_600),
            ("0.0000019", 1),
            ("-1", -1_000_000),
            ("5%", 50_000),
            ("1.5e-3", 1_500),
            ("2e2", 200_000_000),
            (".5", 500_000),
        ] {
            assert_eq!(number(text), Number::Millionths(millionths), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_says_what_it_is() {
        assert_eq!(number(" "), Number::Absent);
        assert_eq!(number("-inf"), Number::Infinite);
        assert_eq!(number("NaN"), Number::Nan);
        for text in ["-", "us", "1.2.3", "1e99", "e", "."] {
            assert_eq!(number(text), Number::Text, "{text}");
        }
        assert_eq!((whole("304.0"), whole("304.5"), whole("x")), (Some(304), None, None));
    }
}
