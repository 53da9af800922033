//! What verify says: the level where everything holds, otherwise every broken link, first met first.
//!
//! Invariant: `level` is present only where `holds` is true.

use kforge_record::Digest;
use serde::Serialize;

use crate::{BrokenLink, Note};

/// The answer.
#[derive(Debug, Serialize)]
pub struct Response {
    /// What was asked about, resolved: an evidence id, a commit, a range, or the index.
    pub target: String,
    /// Whether everything that was found holds, and something was found where something is needed.
    pub holds: bool,
    /// The weakest level of what holds: `consistent, unsigned`, `consistent, signed by …` or `reproduced`.
    pub level: Option<String>,
    /// Every piece of evidence that was checked.
    pub checked: Vec<Checked>,
    /// Why it does not hold, first broken link first.
    pub broken: Vec<BrokenLink>,
    /// Fields that nothing recomputes; only where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<UnboundField>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// One piece of evidence.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The commit it was checked against; absent where only the file was.
    pub commit: Option<String>,
    /// The op.
    pub op: String,
    /// The candidate.
    pub candidate: String,
    /// The evidence.
    pub evidence: Digest,
    /// The verdict with its number.
    pub answer: String,
    /// How it was found: `evidence`, `note`, `trailer` or `blobs`.
    pub found_by: &'static str,
    /// What can be said.
    pub level: String,
}

/// A field that only a digest covers.
#[derive(Clone, Debug, Serialize)]
pub struct UnboundField {
    /// Its path; `*` stands for any one part.
    pub path: &'static str,
    /// What it states, and why nothing confirms it.
    pub why: &'static str,
}
