//! Foreign text as a terminal or a Markdown page can show it: names of a capture, logs of a candidate, paths.
//!
//! Invariant: no text that a rendering puts on a page can move the cursor, recolour, retitle, reverse what stands around
//! it, begin a line of the page's own or become markup.

use std::borrow::Cow;
use std::fmt::Write as _;

/// True for what a terminal obeys and for what reverses or breaks the text around it.
fn obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// A text in one line; what a terminal obeys is shown as an escape, a line break too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, obeyed)
}

/// A text of several lines; line breaks and tabs stay, everything else that a terminal obeys is shown as an escape.
pub fn lines(text: &str) -> Cow<'_, str> {
    let kept = |letter: char| matches!(letter, '\n' | '\t');
    if text.contains("\r\n") {
        let text = text.replace("\r\n", "\n");
        return Cow::Owned(escaped(&text, |letter| obeyed(letter) && !kept(letter)).into_owned());
    }
    escaped(text, |letter| obeyed(letter) && !kept(letter))
}

fn escaped(text: &str, obeyed: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if obeyed(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// A text in which nothing is markup: a backslash before ASCII punctuation takes its meaning away (`CommonMark` 0.31, 2.4).
pub(crate) fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '<' | '[' | '`' | '\\') {
            shown.push('\\');
        }
        shown.push(letter);
    }
    shown
}

/// One line of a Markdown paragraph: no markup, and nothing at its beginning that would make it a heading, a quote or a list.
pub(crate) fn markdown_line(text: &str) -> String {
    let shown = markdown(text.trim_start());
    if shown.starts_with(['#', '>', '-', '+', '*', '=', '~']) { format!("\\{shown}") } else { shown }
}

/// A JSON document in which such characters are escapes; it holds them in strings only, so it says the same.
pub(crate) fn json(document: String) -> String {
    let kept = |letter: char| letter == '\n';
    if !document.contains(|letter| obeyed(letter) && !kept(letter)) {
        return document;
    }
    let mut shown = String::with_capacity(document.len() + 8);
    for letter in document.chars() {
        if obeyed(letter) && !kept(letter) {
            let _ = write!(shown, "\\u{:04x}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_such_characters_is_not_copied() {
        assert!(matches!(one_line("größer µs"), Cow::Borrowed(_)));
        assert!(matches!(lines("a\n\tb"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_log_keeps_its_lines_and_loses_its_power() {
        assert_eq!(lines("a\r\n\u{1b}[9Ab\u{9b}2K\rc"), "a\n\\u{1b}[9Ab\\u{9b}2K\\u{d}c");
        assert_eq!(one_line("a\nb"), "a\\u{a}b");
    }

    #[test]
    fn a_line_begins_no_heading_quote_or_list() {
        assert_eq!(markdown_line("# faster"), "\\# faster");
        assert_eq!(markdown_line("    > <b>"), "\\> \\<b>");
        assert_eq!(markdown_line("a # b"), "a # b");
    }

    #[test]
    fn a_json_document_says_the_same_without_them() {
        let text = "\u{202e}\u{9b}2J\u{7f}";
        let document = json(serde_json::to_string_pretty(&[text]).unwrap_or_default());
        assert!(!document.contains(|letter| obeyed(letter) && letter != '\n'), "{document:?}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&document).ok(), Some([text.to_owned()]));
    }
}
