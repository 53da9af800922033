//! Why a figure is not there. Invariant: absence is never a zero.

use std::fmt;

use serde::Serialize;

/// Why a cell holds no figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// The device has one, but no source that was found gives it.
    Unknown(String),
    /// The device has nothing of the kind.
    None(String),
}

impl Absent {
    /// The reason, as the data file words it.
    pub fn why(&self) -> &str {
        match self {
            Self::Unknown(why) | Self::None(why) => why,
        }
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(why) => write!(out, "unknown: {why}"),
            Self::None(why) => write!(out, "none: {why}"),
        }
    }
}
