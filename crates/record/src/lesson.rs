//! What was learnt from one piece of evidence, in the words of whoever recorded it.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The schema of `ID.lesson.json`.
pub const LESSON_SCHEMA: &str = "kforge.lesson/1";

/// At which layer a change works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Algorithm, fusion, dispatch.
    Structural,
    /// Barriers, atomics, launches.
    Sync,
    /// Instruction choice and order.
    Instruction,
    /// Registers, LDS, occupancy, tile sizes.
    Resource,
}

impl Layer {
    /// The word used in notes and JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Sync => "sync",
            Self::Instruction => "instruction",
            Self::Resource => "resource",
        }
    }
}

/// Something that failed on the way, or was left out, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// What.
    pub what: String,
    /// Why it failed, or why it was not tried.
    pub reason: String,
}

/// What was learnt from one piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// `LESSON_SCHEMA`.
    pub schema: String,
    /// The evidence that it is about.
    pub evidence: Digest,
    /// A short tag: lowercase letters, digits, `-` and `_`; it becomes part of file names.
    pub tag: String,
    /// At which layer the change works; absent where nobody said.
    pub layer: Option<Layer>,
    /// One paragraph of what changed; absent where nobody said.
    pub what: Option<String>,
    /// What failed on the way.
    pub failed: Vec<Attempt>,
    /// What was left out.
    pub not_tried: Vec<Attempt>,
    /// The extension of the kept source file, where the change is one file.
    pub source_ext: Option<String>,
}
