//! What a reader or an analysis must tell beside its numbers.

use serde::Serialize;

/// Something the user should know about the answer: what was lost, repaired or could not be trusted, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// A stable dotted code, such as `capture.truncated`.
    pub code: String,
    /// A lowercase fact with its numbers.
    pub message: String,
    /// The file it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The byte in the (decompressed) text where it first happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// How many events it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// How many bytes of text were lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How much device time it concerns, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<i64>,
}

impl Note {
    /// A note with a code and a message and no position.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            file: None,
            byte: None,
            events: None,
            bytes: None,
            ns: None,
        }
    }
}
