//! The judge: replays the looks in order and stops at the first that decides.
//!
//! Invariant: the answer depends on the samples, the policy and [`JUDGE_VERSION`] only, and a record of all launches is judged as it
//! was while it grew: launches made after the deciding look change nothing.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::judgement::{Judgement, Note};
use crate::operation::{Look, judge_at};
use crate::pocock::pocock_level;
use crate::policy::JudgePolicy;
use crate::samples::OpSamples;
use crate::verdict::{Verdict, Why};

/// Version of the rules in this crate; any change that can change an answer raises it.
pub const JUDGE_VERSION: u32 = 1;

/// A checked policy with the levels that follow from it.
#[derive(Clone, Debug)]
pub struct Judge {
    policy: JudgePolicy,
    level: f64,
    bias_level: f64,
}

/// What to do after the launches made so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Make launches until there are this many, then look again.
    Continue {
        /// Launches in all.
        until_launches: u32,
    },
    /// The answer is final.
    Stop {
        /// The answer.
        judgement: Box<Judgement>,
    },
}

impl Judge {
    /// Checks the policy and computes the level of its looks.
    ///
    /// # Errors
    /// [`Error::Policy`] for a value outside its range.
    pub fn new(policy: JudgePolicy) -> Result<Self, Error> {
        policy.check()?;
        let level = pocock_level(&policy.looks, policy.alpha);
        let bias_level = pocock_level(&policy.looks, policy.bias_alpha);
        Ok(Self { policy, level, bias_level })
    }

    /// The policy in force.
    pub fn policy(&self) -> &JudgePolicy {
        &self.policy
    }

    /// The nominal one-sided level of every look.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Decides after each launch; between the policy's looks the answer is always to continue, whatever the samples say.
    ///
    /// # Errors
    /// Samples that are no record of times; see [`OpSamples::check`].
    pub fn look(&self, samples: &OpSamples) -> Result<Decision, Error> {
        let (judgement, settled) = self.replay(samples)?;
        let made = samples.launches() as u64;
        let next = self.policy.looks.iter().copied().find(|look| u64::from(*look) > made);
        match (settled, next) {
            (false, Some(until_launches)) => Ok(Decision::Continue { until_launches }),
            _ => Ok(Decision::Stop { judgement: Box::new(judgement) }),
        }
    }

    /// Judges what there is, as a final answer: with too few launches it is inconclusive.
    ///
    /// # Errors
    /// Samples that are no record of times; see [`OpSamples::check`].
    pub fn judge(&self, samples: &OpSamples) -> Result<Judgement, Error> {
        Ok(self.replay(samples)?.0)
    }

    /// The first look that settles the matter, or the last one taken.
    fn replay(&self, samples: &OpSamples) -> Result<(Judgement, bool), Error> {
        samples.check()?;
        let made = samples.launches();
        let taken = self.policy.looks.iter().zip(1_u32..).take_while(|(look, _)| **look as usize <= made);
        let mut last = None;
        for (launches, number) in taken {
            let look = Look { number, launches: *launches, level: self.level, bias_level: self.bias_level };
            let mut judgement = judge_at(samples, &self.policy, look, JUDGE_VERSION);
            let unused = made.saturating_sub(*launches as usize) as u32;
            if unused > 0 {
                judgement.notes.push(Note::UnusedLaunches { count: unused });
            }
            let settled = settles(&judgement);
            last = Some(judgement);
            if settled {
                break;
            }
        }
        let judgement = last.unwrap_or_else(|| self.before_first_look(samples));
        let settled = settles(&judgement);
        Ok((judgement, settled))
    }

    fn before_first_look(&self, samples: &OpSamples) -> Judgement {
        let need = self.policy.looks.first().copied().unwrap_or(0);
        let have = samples.launches() as u32;
        let verdict = Verdict::Inconclusive { why: Why::TooFewLaunches { have, need }, interval: None };
        Judgement {
            judge_version: JUDGE_VERSION,
            verdict,
            look: None,
            overall: None,
            cases: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Whether the answer is final before the last look.
///
/// A faster mean waits for its cases: stopping at the first clear mean would hide a slower case that needs a few launches more.
fn settles(judgement: &Judgement) -> bool {
    let open_case = || judgement.notes.iter().any(|note| matches!(note, Note::CaseOpen { .. }));
    match &judgement.verdict {
        Verdict::Inconclusive { why, .. } => matches!(why, Why::BelowClock { .. } | Why::TooFewBlocks { .. }),
        Verdict::Faster { .. } => !open_case(),
        _ => true,
    }
}
