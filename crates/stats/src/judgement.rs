//! A verdict with everything that led to it, in a form that is stored and compared byte by byte.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::verdict::Verdict;

/// The judge's whole answer about one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Version of the rules that gave this answer.
    pub judge_version: u32,
    /// The operation's verdict.
    pub verdict: Verdict,
    /// The look that decided; absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<LookTaken>,
    /// The weighted geometric mean over the cases; absent where it could not be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<Measured>,
    /// Every case, in the order of the samples.
    pub cases: Vec<CaseJudgement>,
    /// What a reader should know beside the verdict.
    pub notes: Vec<Note>,
}

/// Which look it was and how strict it had to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookTaken {
    /// From 1.
    pub number: u32,
    /// Launches used.
    pub launches: u32,
    /// Nominal one-sided error at this look (Pocock); the intervals have a coverage of `1 - 2 × level`.
    pub level: f64,
}

/// What was measured, for one case or for the mean of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Baseline ÷ candidate.
    pub speedup: Interval,
    /// Baseline ÷ second process of the baseline: 1 on a sound machine.
    pub noise: Interval,
    /// The noise floor as a ratio above 1: the far end of `noise`. Smaller claims are refused.
    pub floor: f64,
    /// Launches used.
    pub launches: u32,
    /// One-sided sign-flip p against the boundary of the minimum effect; computed only where the t interval shows a difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_flip_p: Option<f64>,
    /// Hierarchical bootstrap interval; computed only where the t interval shows a difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Interval>,
}

/// One case's part of the judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseJudgement {
    /// The case.
    pub case: String,
    /// Its verdict as if it were alone.
    pub verdict: Verdict,
    /// Median baseline time of the blocks used, nanoseconds a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_ns: Option<i64>,
    /// Median candidate time of the blocks used, nanoseconds a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_ns: Option<i64>,
    /// Blocks recorded in the launches looked at.
    pub blocks: u32,
    /// Of these, dropped as disturbed.
    pub dropped: u32,
    /// Intervals; absent where they could not be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// A remark that does not change the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// Disturbed blocks were left out.
    DroppedDisturbed {
        /// The case.
        case: String,
        /// Blocks left out.
        dropped: u32,
        /// Blocks recorded.
        of: u32,
    },
    /// Launches after the deciding look, or between looks, were not used.
    UnusedLaunches {
        /// How many.
        count: u32,
    },
    /// A′/A differs from 1 by less than half the minimum effect; the claim had to exceed the boundary by that much more.
    SmallBias {
        /// The case, or `all cases` for the mean.
        of: String,
        /// A ÷ A′.
        ratio: f64,
    },
    /// A case of a faster operation that was neither shown slower nor shown not to be slower.
    CaseOpen {
        /// The case.
        case: String,
        /// Its lower end.
        low: f64,
    },
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::DroppedDisturbed { case, dropped, of } => {
                write!(f, "case '{case}': {dropped} of {of} blocks left out as disturbed")
            }
            Self::UnusedLaunches { count } => {
                write!(f, "{count} launches beyond the deciding look were not used")
            }
            Self::SmallBias { of, ratio } => {
                write!(
                    f,
                    "{of}: the baseline differs from itself by a factor of {ratio:.4}; the boundary was moved by as much"
                )
            }
            Self::CaseOpen { case, low } => {
                write!(f, "case '{case}' may be slower: its speedup reaches down to {low:.4}")
            }
        }
    }
}
