//! Foreign text and extreme numbers inside a one-line message.
//!
//! What a runner or a tool writes may have line ends, terminal control codes and marks that turn the direction of text. Invariant: what
//! leaves here is one line of printable characters, short enough for a report's row.

/// More characters than this of foreign text are cut.
const LONGEST: usize = 240;

/// Foreign text as one line: its first line that is not blank, control characters escaped, and a word where more lines follow.
pub(crate) fn one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let more = lines.count();
    let mut shown = String::new();
    for (position, sign) in first.chars().enumerate() {
        if position == LONGEST {
            shown.push('…');
            break;
        }
        if sign.is_control() || turns_direction(sign) {
            shown.extend(sign.escape_default());
        } else {
            shown.push(sign);
        }
    }
    match more {
        0 => shown,
        1 => format!("{shown} (1 more line)"),
        more => format!("{shown} ({more} more lines)"),
    }
}

/// The last line of a log that says something, as one line.
pub(crate) fn last_line(log: &str) -> Option<String> {
    log.lines().rev().find(|line| !line.trim().is_empty()).map(one_line)
}

/// Marks by which text is shown in another order than it has (Unicode TR 9).
fn turns_direction(sign: char) -> bool {
    matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number as a person writes it: digits where they are few, else a power of ten.
pub(crate) fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_becomes_one_printable_line() {
        assert_eq!(
            one_line("ValueError: boom \u{1b}[31m\nsecond"),
            "ValueError: boom \\u{1b}[31m (1 more line)"
        );
        assert_eq!(one_line("\n\n  a\tb\u{202e}c\r\n\nd\ne"), "a\\tb\\u{202e}c (2 more lines)");
        assert_eq!(one_line(""), "");
        assert_eq!(one_line(&"ä".repeat(1000)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn the_end_of_a_log_is_its_last_line_with_words() {
        assert_eq!(last_line("a\nb \u{7}\n \n").as_deref(), Some("b \\u{7}"));
        assert_eq!(last_line(" \n"), None);
    }

    #[test]
    fn numbers_with_hundreds_of_digits_are_powers_of_ten() {
        assert_eq!(number(f64::MAX), "1.7976931348623157e308");
        assert_eq!((number(0.5), number(-3.0), number(0.0)), ("0.5".into(), "-3".into(), "0".into()));
        assert_eq!(number(f64::NEG_INFINITY), "-inf");
    }
}
