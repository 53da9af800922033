//! Why an experiment could not be carried out. What a candidate does wrong is an answer, never one of these.

use crate::runner::FaultKind;
use std::path::PathBuf;

/// The errors of this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// experiment.toml is malformed or contradicts itself.
    #[error("{path}:{line}: {message}", path = path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
        /// What to write instead.
        cure: Option<String>,
    },
    /// experiment.toml asks for something that the device at hand has no support for.
    #[error("{path}:{line}: {what} is not supported on this device", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was asked for.
        what: String,
        /// What works instead.
        cure: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A tree could not be materialised.
    #[error("{side}: tree `{tree}` cannot be materialised: {message}")]
    Tree {
        /// Which side.
        side: String,
        /// The tree as experiment.toml names it.
        tree: String,
        /// What went wrong.
        message: String,
        /// What to do.
        cure: Option<String>,
    },
    /// The reference's or the baseline's build failed.
    #[error("{side}: the build `{command}` {what}\n{log}")]
    Build {
        /// Which side.
        side: String,
        /// The command.
        command: String,
        /// How it ended.
        what: String,
        /// The end of its output.
        log: String,
    },
    /// The reference's or the baseline's runner did not answer.
    #[error("{side}: the runner {what}{log}")]
    Runner {
        /// Which side.
        side: String,
        /// What happened.
        what: String,
        /// The end of its log, with a leading line feed; empty where there is none.
        log: String,
        /// In which way it gave no answer.
        kind: FaultKind,
    },
    /// The baseline does not compute what the reference computes.
    #[error("the baseline is wrong on case `{case}`: {mismatch}")]
    Baseline {
        /// The case.
        case: String,
        /// The first mismatch.
        mismatch: String,
    },
    /// The command prefix does not run commands.
    #[error("the command prefix `{prefix}` does not run `{probe}`: {message}")]
    Prefix {
        /// The prefix.
        prefix: String,
        /// The command that was tried.
        probe: String,
        /// What happened.
        message: String,
    },
    /// The place where commands shall run is not described usably.
    #[error("{message}")]
    Place {
        /// What is wrong.
        message: String,
        /// What to write instead.
        cure: String,
    },
    /// No case fits the domain.
    #[error("{path}: no case was found in the domain after {tries} tries", path = path.display())]
    Domain {
        /// The file.
        path: PathBuf,
        /// How many were drawn and refused by the constraints.
        tries: u32,
    },
    /// A tool that kforge needs is missing or failed.
    #[error("`{tool}` {message}")]
    Tool {
        /// The command.
        tool: String,
        /// What happened.
        message: String,
    },
    /// The candidate that was asked for is not in the experiment.
    #[error("{path}: there is no candidate `{name}`", path = path.display())]
    NoCandidate {
        /// The file.
        path: PathBuf,
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The samples or the policy cannot be judged.
    #[error(transparent)]
    Stats(#[from] kforge_stats::Error),
    /// A durable value could not be made.
    #[error(transparent)]
    Record(#[from] kforge_record::Error),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// kforge contradicted itself.
    #[error("internal contradiction: {0}")]
    Bug(String),
}

impl Error {
    /// An input or output error of this file.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    /// A stable dotted code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Spec { .. } => "experiment.spec",
            Self::Unsupported { .. } => "experiment.unsupported",
            Self::Io { .. } => "experiment.io",
            Self::Tree { .. } => "experiment.tree",
            Self::Build { .. } => "experiment.build",
            Self::Runner { .. } => "experiment.runner",
            Self::Baseline { .. } => "experiment.baseline",
            Self::Prefix { .. } => "experiment.prefix",
            Self::Place { .. } => "experiment.place",
            Self::Domain { .. } => "experiment.domain",
            Self::Tool { .. } => "experiment.tool",
            Self::NoCandidate { .. } => "experiment.candidate",
            Self::Stats(error) => error.code(),
            Self::Record(error) => error.code(),
            Self::Interrupted => "experiment.interrupted",
            Self::Bug(_) => "experiment.bug",
        }
    }

    /// The cure, where one is known.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Spec { cure, .. } | Self::Tree { cure, .. } => return cure.clone(),
            Self::Unsupported { cure, .. } | Self::Place { cure, .. } => cure.clone(),
            Self::Build { side, .. } => format!("run the build of `{side}` by hand in a clean checkout; its tree and environment are its own here"),
            Self::Runner { side, kind: FaultKind::Hung, .. } => format!("raise `deadline_s` of `{side}` in experiment.toml (60 is the default), or find out why it takes so long"),
            Self::Runner { side, kind: FaultKind::Absent | FaultKind::NotStarted, .. } => format!("install what the runner of `{side}` starts with, or name it as it is called where commands run"),
            Self::Runner { side, kind: FaultKind::Died | FaultKind::Refused, .. } => format!("the lines above are the end of its log; run the runner of `{side}` by hand to see more"),
            Self::Runner { side, .. } => format!("run the runner of `{side}` by hand: it must answer {{\"id\":1,\"verb\":\"hello\",\"protocol\":1}} on its standard output (docs/runner-protocol.md)"),
            Self::Baseline { .. } => "a candidate is only compared with a baseline that is right; correct the baseline, the reference or the tolerance".to_owned(),
            Self::Prefix { .. } => "the prefix must run `sh FILE` where the files are, and pass standard input through (for docker: `docker exec -i NAME`); map paths with `[env.NAME] map`".to_owned(),
            Self::Domain { .. } => "loosen [domain] constraints, or give ranges that satisfy them more often".to_owned(),
            Self::Tool { tool, .. } => format!("install `{tool}` or put it on PATH"),
            Self::NoCandidate { known, .. } if known.is_empty() => "add a [candidate.NAME] section".to_owned(),
            Self::NoCandidate { known, .. } => format!("the candidates are {}", known.join(", ")),
            Self::Stats(error) => return error.hint(),
            Self::Record(error) => return error.hint(),
            Self::Bug(_) => "please report it with the command line and experiment.toml".to_owned(),
            Self::Io { .. } | Self::Interrupted => return None,
        };
        Some(text)
    }
}
