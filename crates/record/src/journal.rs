//! The journal: every validate is written down before it times anything, so that a loss cannot be forgotten.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The schema of one line of the journal.
pub const JOURNAL_SCHEMA: &str = "kforge.journal/1";

/// What happened to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalEvent {
    /// Written and synced before the first sample.
    Started,
    /// A verdict was reached and its evidence stored.
    Finished,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    /// `JOURNAL_SCHEMA`.
    pub schema: String,
    /// Started or finished.
    pub event: JournalEvent,
    /// RFC 3339, UTC, whole seconds.
    pub at: String,
    /// The run's id.
    pub run: Digest,
    /// The op.
    pub op: String,
    /// The candidate's name.
    pub candidate: String,
    /// The pair of subjects.
    pub pair: Digest,
    /// The baseline's subject: candidates measured against one baseline are counted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Digest>,
    /// The kind of the verdict; absent on `started`.
    pub verdict: Option<String>,
    /// The evidence; absent on `started`.
    pub evidence: Option<Digest>,
}
