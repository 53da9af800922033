//! Decimal microseconds in text to integer nanoseconds, without a float.
//!
//! Profilers write times as decimal microseconds near 6.5e12, where one step of a 64-bit float is about a nanosecond;
//! so the digits themselves are read. What lies below a nanosecond is rounded half to even.

use crate::Nanos;

/// Why a text is not a usable time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// The text is not a decimal number.
    #[error("not a decimal number")]
    NotANumber,
    /// The number is a NaN or an infinity, which some profilers write bare.
    #[error("not a finite number")]
    NotFinite,
    /// The number does not fit 64-bit nanoseconds (about ± 292 years).
    #[error("outside the range of 64-bit nanoseconds")]
    OutOfRange,
}

/// Reads a decimal number of microseconds (`12`, `-3.25`, `6.5e12`) as nanoseconds, rounded half to even.
///
/// # Errors
/// [`DecimalError`] where the text is no number, not finite, or too large for 64 bits.
pub fn nanos_from_micros(text: &[u8]) -> Result<Nanos, DecimalError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let magnitude = match plain(digits) {
        Some(value) => value,
        None => scaled(digits)?,
    };
    let signed = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    i64::try_from(signed).map(Nanos).map_err(|_| DecimalError::OutOfRange)
}

/// The common case: at most 15 whole digits, at most 3 decimals, no exponent. `None` sends the text to the full reader.
fn plain(digits: &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    let mut index = 0;
    while index < digits.len() && digits[index].is_ascii_digit() {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digits[index] - b'0'));
        index += 1;
    }
    if index == 0 || index > 15 {
        return None;
    }
    if index == digits.len() {
        return Some(value * 1000);
    }
    let decimals = digits.get(index + 1..)?;
    if digits[index] != b'.' || decimals.is_empty() || decimals.len() > 3 {
        return None;
    }
    let mut scale = 1000;
    for digit in decimals {
        if !digit.is_ascii_digit() {
            return None;
        }
        scale /= 10;
        value = value * 10 + u64::from(digit - b'0');
    }
    Some(value * scale)
}

/// Any decimal: collects the digits, applies the exponent, and rounds at the nanosecond.
fn scaled(text: &[u8]) -> Result<u64, DecimalError> {
    if is_not_finite(text) {
        return Err(DecimalError::NotFinite);
    }
    let mut digits = Vec::with_capacity(text.len());
    let mut point: Option<usize> = None;
    let mut exponent: i64 = 0;
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        match first {
            b'0'..=b'9' => digits.push(first - b'0'),
            b'.' if point.is_none() => point = Some(digits.len()),
            b'e' | b'E' if !digits.is_empty() => {
                exponent = exponent_of(tail)?;
                break;
            }
            _ => return Err(DecimalError::NotANumber),
        }
        rest = tail;
    }
    if digits.is_empty() {
        return Err(DecimalError::NotANumber);
    }
    // Microseconds to nanoseconds is three more decimal places.
    let whole = point.unwrap_or(digits.len()) as i64 + exponent + 3;
    round_at(&digits, whole)
}

fn is_not_finite(text: &[u8]) -> bool {
    [&b"nan"[..], b"inf", b"infinity"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The exponent, as far as it can matter; of how many digits it is says nothing about whether it is a number.
fn exponent_of(text: &[u8]) -> Result<i64, DecimalError> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(DecimalError::NotANumber);
    }
    let value =
        digits.iter().fold(0, |value: i64, digit| (value * 10 + i64::from(digit - b'0')).min(100_000));
    Ok(sign * value)
}

/// The first `whole` digits as a number, rounded half to even by the digits that follow.
fn round_at(digits: &[u8], whole: i64) -> Result<u64, DecimalError> {
    let mut value: u64 = 0;
    let grow = |value: u64, digit: u8| {
        value
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(digit)))
            .ok_or(DecimalError::OutOfRange)
    };
    for place in 0..whole.max(0) {
        let digit = digits.get(place as usize).copied().unwrap_or(0);
        if value == 0 && digit == 0 && place as usize >= digits.len() {
            break;
        }
        value = grow(value, digit)?;
    }
    let below: &[u8] = match whole {
        ..0 => return Ok(0),
        _ => digits.get(whole as usize..).unwrap_or(&[]),
    };
    let up = match below {
        [] => false,
        [first, tail @ ..] => match first.cmp(&5) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => tail.iter().any(|digit| *digit != 0) || value % 2 == 1,
        },
    };
    if up { value.checked_add(1).ok_or(DecimalError::OutOfRange) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<i64, DecimalError> {
        nanos_from_micros(text.as_bytes()).map(Nanos::get)
    }

    #[test]
    fn reads_the_three_forms_that_profilers_write() {
        assert_eq!(read("1623143093496523"), Ok(1_623_143_093_496_523_000));
        assert_eq!(read("5171982847258.344"), Ok(5_171_982_847_258_344));
        assert_eq!(read("0.8"), Ok(800));
    }

    #[test]
    fn rounds_half_to_even_below_a_nanosecond() {
        // Hand values: IEEE's "round half to even" on the digit after the nanosecond.
        assert_eq!(read("0.0005"), Ok(0));
        assert_eq!(read("0.0015"), Ok(2));
        assert_eq!(read("0.0025"), Ok(2));
        assert_eq!(read("0.00250001"), Ok(3));
        assert_eq!(read("-0.0015"), Ok(-2));
    }

    #[test]
    fn reads_exponents_without_a_float() {
        assert_eq!(read("6.5e12"), Ok(6_500_000_000_000_000));
        assert_eq!(read("1E-3"), Ok(1));
        assert_eq!(read("5e-5"), Ok(0));
        assert_eq!(read("0e99999"), Ok(0));
        assert_eq!(read("0e99999999999999999999"), Ok(0));
        assert_eq!(read("1e-99999999999999999999"), Ok(0));
        assert_eq!(read("1e99999999999999999999"), Err(DecimalError::OutOfRange));
        assert_eq!(read("1e"), Err(DecimalError::NotANumber));
        assert_eq!(read("1e+-1"), Err(DecimalError::NotANumber));
    }

    #[test]
    fn refuses_what_is_no_time() {
        assert_eq!(read("inf"), Err(DecimalError::NotFinite));
        assert_eq!(read("-NaN"), Err(DecimalError::NotFinite));
        assert_eq!(read("12a"), Err(DecimalError::NotANumber));
        assert_eq!(read(""), Err(DecimalError::NotANumber));
        assert_eq!(read("1e30"), Err(DecimalError::OutOfRange));
        assert_eq!(read("9223372036854775.808"), Err(DecimalError::OutOfRange));
        assert_eq!(read("-9223372036854775.808"), Ok(i64::MIN));
    }

    proptest! {
        #[test]
        fn whole_and_three_decimals_are_exact(whole in 0_u64..9_000_000_000_000, decimals in 0_u64..1000) {
            prop_assert_eq!(read(&format!("{whole}.{decimals:03}")), Ok((whole * 1000 + decimals) as i64));
        }

        #[test]
        fn the_short_reader_agrees_with_the_full_one(whole in 0_u64..999_999_999_999_999, decimals in "[0-9]{1,3}") {
            let text = format!("{whole}.{decimals}");
            prop_assert_eq!(plain(text.as_bytes()), scaled(text.as_bytes()).ok());
        }

        #[test]
        fn never_panics(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = nanos_from_micros(&text);
        }
    }
}
