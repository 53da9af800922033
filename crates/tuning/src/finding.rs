//! What is wrong with a table, and what to do about it.

use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The library loads the wrong thing, or nothing.
    Error,
    /// The row is of no use, or cannot be trusted.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word of the answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One fault with its place and cure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A stable word: `duplicate-key`, `glued-row`.
    pub code: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, with the value.
    pub cause: String,
    /// What to do.
    pub cure: &'static str,
}
