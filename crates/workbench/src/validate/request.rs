//! What is asked of `validate`: which experiment, which candidates, where commands run, and what is expected.

use std::path::PathBuf;

/// Which experiment, which candidates, where, and under what expectation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// An operation's name, an experiment.toml, or a folder that holds one.
    pub target: String,
    /// The folder from which an operation's name is looked up.
    pub folder: PathBuf,
    /// Candidates by name; none means all.
    pub candidates: Vec<String>,
    /// A command prefix, or the NAME of an `[env.NAME]` in kforge.toml; absent: commands run here.
    pub place: Option<String>,
    /// Path maps `HOST:INSIDE` for a prefix given in words.
    pub maps: Vec<String>,
    /// Which GPU: a PCI address, a unique id or the vendor tool's number; absent: any free one.
    pub device: Option<String>,
    /// How long to wait for a free GPU.
    pub patience: std::time::Duration,
    /// What is expected of the candidate, as `1.4x` or `1.4x on CASE`, said before measuring.
    pub claim: Option<String>,
    /// This run confirms an earlier result of the same pair.
    pub confirm: bool,
    /// Compare the working tree with this revision instead of the experiment's baseline.
    pub base: Option<String>,
}
