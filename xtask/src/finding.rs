//! What a step can say: a finding (the tree breaks a rule) or a stop (the step could not look).
//!
//! Refuses to mix the two: a missing tool is never reported as a clean tree.

use std::fmt;
use std::path::PathBuf;

/// One place where the tree breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// `path`, `path:line`, or the name of a package.
    pub(crate) place: String,
    /// A lowercase fact.
    pub(crate) fact: String,
    /// What to do about it.
    pub(crate) cure: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, fact: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { place: place.into(), fact: fact.into(), cure: cure.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    hint: {}", self.place, self.fact, self.cure)
    }
}

/// What a step returns: its findings, with a line that says how much it looked at.
#[derive(Debug, Default)]
pub(crate) struct Examined {
    /// For example `41 modules`.
    pub(crate) looked_at: String,
    pub(crate) findings: Vec<Finding>,
}

/// Why a step could not look.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path} is not the data this step expects: {what}")]
    Data { path: PathBuf, what: String },
    #[error("cannot run `{command}`: {what}")]
    Tool { command: String, what: String },
    #[error("no step is called `{name}`")]
    UnknownStep { name: String },
    #[error("step {step} found nothing to look at")]
    Vacuous { step: &'static str },
}

impl Stop {
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::Write { .. } => "run it from a complete checkout that you may write to",
            Self::Data { .. } => "compare the file with its last committed state",
            Self::Tool { .. } => ".ci/run installs what the checks need",
            Self::UnknownStep { .. } => "`cargo xtask steps` lists the steps",
            Self::Vacuous { .. } => {
                "a step that sees nothing proves nothing; its search pattern or the tree is wrong"
            }
        }
    }
}
