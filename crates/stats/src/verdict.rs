//! The answers that an experiment may have. A verdict is never rounded up: what was not shown is `inconclusive`.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// The answer about one candidate, or about one case of it. Speedup = baseline ÷ candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case", deny_unknown_fields)]
pub enum Verdict {
    /// The interval's lower end exceeds `1 + min_effect`.
    Faster {
        /// Speedup.
        interval: Interval,
    },
    /// The interval's upper end is below `1 / (1 + min_effect)`: the same distance as for `faster`, on the scale of ratios.
    Slower {
        /// Speedup.
        interval: Interval,
    },
    /// The whole interval lies between `1 / (1 + min_effect)` and `1 + min_effect`.
    Same {
        /// Speedup.
        interval: Interval,
    },
    /// Cases that contradict each other or the mean.
    Mixed {
        /// The cases that are faster or slower after Holm's correction.
        cases: Vec<CaseOutcome>,
    },
    /// Not shown either way.
    Inconclusive {
        /// The first reason.
        why: Why,
        /// Speedup, where it could be computed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval: Option<Interval>,
    },
    /// Wrong results; supplied by the checker, never by the judge.
    Incorrect {
        /// The first mismatch, in words.
        mismatch: String,
    },
    /// The measurement is broken. The judge itself only says `biased`; others say `rebuilt`, `shadowed`, `clock` and the like.
    Void {
        /// One word for scripts.
        cause: String,
        /// What was seen.
        detail: String,
    },
}

impl Verdict {
    /// The verdict's word, the same as its tag in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Faster { .. } => "faster",
            Self::Slower { .. } => "slower",
            Self::Same { .. } => "same",
            Self::Mixed { .. } => "mixed",
            Self::Inconclusive { .. } => "inconclusive",
            Self::Incorrect { .. } => "incorrect",
            Self::Void { .. } => "void",
        }
    }

    /// The only answer that may be called a win.
    pub fn is_faster(&self) -> bool {
        matches!(self, Self::Faster { .. })
    }

    /// The speedup's interval, where the verdict has one.
    pub fn interval(&self) -> Option<Interval> {
        match self {
            Self::Faster { interval } | Self::Slower { interval } | Self::Same { interval } => {
                Some(*interval)
            }
            Self::Inconclusive { interval, .. } => *interval,
            Self::Mixed { .. } | Self::Incorrect { .. } | Self::Void { .. } => None,
        }
    }
}

/// One case's part in a mixed verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// The case.
    pub case: String,
    /// `faster` or `slower`, after Holm's correction.
    pub outcome: String,
    /// Its speedup, at the level of a single case.
    pub interval: Interval,
}

/// Why nothing was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Why {
    /// Fewer launches than the judge needs.
    TooFewLaunches {
        /// Usable launches.
        have: u32,
        /// The next count at which the judge looks.
        need: u32,
    },
    /// A launch with fewer blocks than the policy asks for.
    TooFewBlocks {
        /// The case.
        case: String,
        /// Launch, from 0.
        launch: u32,
        /// Blocks it has.
        have: u32,
        /// Blocks it should have.
        need: u32,
    },
    /// The interval contains a boundary of the minimum effect.
    Straddles {
        /// `1 + min_effect`.
        boundary: f64,
    },
    /// The difference is not larger than what the baseline shows against itself.
    BelowFloor {
        /// The estimated speedup.
        claim: f64,
        /// What the claim would have to exceed (or, below 1, fall short of).
        floor: f64,
    },
    /// A sample spans too few ticks of its clock.
    BelowClock {
        /// The case.
        case: String,
        /// The shortest sample.
        shortest_ns: i64,
        /// The shortest that the policy accepts with this clock.
        need_ns: i64,
    },
    /// More blocks were disturbed than may be dropped.
    Disturbed {
        /// The case.
        case: String,
        /// Blocks dropped.
        dropped: u32,
        /// Blocks recorded.
        of: u32,
    },
    /// The t interval shows a difference and a cross-check does not.
    MethodsDisagree {
        /// `sign_flip` or `bootstrap`.
        check: String,
    },
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooFewLaunches { have, need } => write!(f, "{have} usable launches, {need} needed"),
            Self::TooFewBlocks { case, launch, have, need } => {
                write!(f, "case '{case}', launch {launch}: {have} blocks, {need} needed")
            }
            Self::Straddles { boundary } => {
                write!(f, "the interval contains the boundary of the minimum effect ({boundary:.4})")
            }
            Self::BelowFloor { claim, floor } => {
                write!(
                    f,
                    "the claim {claim:.4} does not pass the noise floor of the baseline against itself ({floor:.4})"
                )
            }
            Self::BelowClock { case, shortest_ns, need_ns } => {
                write!(
                    f,
                    "case '{case}': a sample of {shortest_ns} ns is too short for its clock, {need_ns} ns needed"
                )
            }
            Self::Disturbed { case, dropped, of } => {
                write!(f, "case '{case}': {dropped} of {of} blocks were disturbed")
            }
            Self::MethodsDisagree { check } => {
                write!(f, "the t interval shows a difference, the {check} cross-check does not")
            }
        }
    }
}
