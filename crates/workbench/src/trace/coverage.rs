//! How much of the device work has an answer to each question.

use serde::Serialize;

/// Activities and time that have an answer.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Covered {
    /// Activities with an answer.
    pub count: u64,
    /// Their time.
    pub ns: i64,
}

/// What each question covers of all activities.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Coverage {
    /// Which host call launched it?
    pub launch: Covered,
    /// In which op?
    pub op: Covered,
    /// In which module?
    pub module: Covered,
    /// From which source line?
    pub source: Covered,
    /// In which step?
    pub step: Covered,
    /// Of which kernel family (of kernels only)?
    pub family: Covered,
}
