//! How an error reads: two lines for a person, one document for a program.

use kforge_workbench::Error;
use serde::Serialize;
use std::fmt::Write as _;

/// `error: FACT`, the causes, then `hint: CURE`, for stderr.
pub fn failure_text(error: &Error) -> String {
    let mut text = format!("error: {error}\n");
    for cause in causes(error) {
        let _ = writeln!(text, "  because: {cause}");
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(text, "hint: {hint}");
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
