//! How an error reads: two lines for a person, one document for a program.

use crate::harmless;
use kforge_workbench::Error;
use serde::Serialize;
use std::fmt::Write as _;

/// `error: FACT`, the causes, then `hint: CURE`, for stderr.
///
/// A fact may name what a capture or a tool said; it is shown harmless, its further lines indented.
pub fn failure_text(error: &Error) -> String {
    let shown = |text: &str| harmless::lines(text.trim_end()).replace('\n', "\n    ");
    let mut text = format!("error: {}\n", shown(&error.to_string()));
    for cause in causes(error) {
        let _ = writeln!(text, "  because: {}", shown(&cause));
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(text, "hint: {}", shown(&hint));
    }
    text
}

/// `{"schema":"kforge.error/1","ok":false,"error":{…}}`, for stdout where JSON was asked for.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn failure_json(error: &Error) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Body {
        code: &'static str,
        message: String,
        hint: Option<String>,
        causes: Vec<String>,
    }
    #[derive(Serialize)]
    struct Document {
        schema: &'static str,
        ok: bool,
        error: Body,
    }
    let body =
        Body { code: error.code(), message: error.to_string(), hint: error.hint(), causes: causes(error) };
    serde_json::to_string_pretty(&Document { schema: "kforge.error/1", ok: false, error: body })
        .map(harmless::json)
}

/// The chain of sources whose text the message does not already hold.
fn causes(error: &Error) -> Vec<String> {
    let message = error.to_string();
    let mut found = Vec::new();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        let text = cause.to_string();
        if !message.contains(&text) {
            found.push(text);
        }
        next = cause.source();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_quotes_a_capture_moves_no_cursor() {
        let message = "its keys: \u{1b}[2J\u{202e}x\nerror: all is well".to_owned();
        let text = failure_text(&Error::Usage { message: message.clone(), hint: Some(message) });
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        assert_eq!(text.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{text}");
    }
}
