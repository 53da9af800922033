//! What a pair of commands answers: the verdict, marked as self-timed, and every number that was printed.

use crate::{ExitClass, Note};
use kforge_record::LoosenedValue;
use kforge_stats::{Measured, Verdict};
use serde::Serialize;

/// The whole answer. Invariant: nothing of it is stored as evidence, because the commands took their own times.
#[derive(Debug, Serialize)]
pub struct Response {
    /// Always `self-timed`: the commands printed the numbers, and kforge only compared them.
    pub timing: &'static str,
    /// Always false: there is no evidence, and no commit can rest on it.
    pub recorded: bool,
    /// What is in use.
    pub a: CommandAnswer,
    /// What shall replace it.
    pub b: CommandAnswer,
    /// How the output was read.
    pub metric: MetricAnswer,
    /// The command that checked both sides; absent where nothing was checked.
    pub check: Option<String>,
    /// The command prefix, where one was used.
    pub prefix: Option<String>,
    /// Is B better than A?
    pub verdict: Verdict,
    /// In one line, why.
    pub reason: String,
    /// A ÷ B in time, or B ÷ A where more is better, and the noise of A against itself.
    pub measured: Option<Measured>,
    /// Every block in the order it was run.
    pub blocks: Vec<PairBlock>,
    /// Thresholds looser than their defaults.
    pub loosened: Vec<LoosenedValue>,
    /// The end of B's or the check's output, where B gave no number.
    pub log: String,
    /// What the user should know beside the verdict.
    pub notes: Vec<Note>,
}

/// One command.
#[derive(Clone, Debug, Serialize)]
pub struct CommandAnswer {
    /// As it was given.
    pub command: String,
    /// The median of the numbers it printed in the blocks: ns for times, else as printed. A's is over both of its runs.
    pub median: Option<f64>,
    /// The median time of its whole runs from outside, ns; it decides nothing.
    pub wall_ns: Option<i64>,
}

/// How the output was read.
#[derive(Clone, Debug, Serialize)]
pub struct MetricAnswer {
    /// The regular expression.
    pub regex: String,
    /// `ns` where a unit of time was printed, else `as printed`; absent where no number was seen.
    pub unit: Option<&'static str>,
    /// `lower` or `higher`.
    pub better: &'static str,
}

/// One run of A, another of A, one of B.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairBlock {
    /// In which order they ran: `a a2 b` in any order.
    pub order: String,
    /// What A printed.
    pub a: String,
    /// What A printed in its second run.
    pub a2: String,
    /// What B printed.
    pub b: String,
}

impl Response {
    /// Yes where B is better; the environment's class where A differs from itself.
    pub fn class(&self) -> ExitClass {
        match &self.verdict {
            Verdict::Faster { .. } => ExitClass::Yes,
            Verdict::Void { .. } => ExitClass::Environment,
            _ => ExitClass::No,
        }
    }
}
