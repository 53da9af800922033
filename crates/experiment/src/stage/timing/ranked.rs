//! Whether baseline and candidate were scheduled alike.
//!
//! A candidate may bind the baseline to one processor, or take a better priority than it was given. How every runner is scheduled is read around
//! each launch. A baseline that stands otherwise than kforge itself is started once more when the candidate is gone: what it does alone, it
//! does by itself. Invariant: nothing here runs between two samples.

use super::super::timed_run::hold;
use super::super::trial::Trial;
use super::{BASELINE, CANDIDATE, Runners, SideFault, Timing, runner_error};
use crate::error::Error;
use crate::process::standing_of;
use crate::runner::{Runner, RunnerFault, Standing};
use kforge_record::{VoidCause, VoidFinding};
use std::collections::BTreeSet;

/// How the runners of all launches so far were scheduled.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    baseline: BTreeSet<Standing>,
    candidate: BTreeSet<Standing>,
}

impl Ranked {
    pub(super) fn look(&mut self, runners: &mut Runners<'_>) {
        for (who, runner) in runners.iter_mut().enumerate() {
            let seen = if who == CANDIDATE { &mut self.candidate } else { &mut self.baseline };
            seen.extend(runner.standing());
        }
    }

    /// True where nobody stands otherwise than kforge itself.
    fn is_usual(&self, own: &BTreeSet<Standing>) -> bool {
        self.baseline.is_subset(own) && self.favoured(own).is_none()
    }

    /// What the baseline had while the candidate was there and has not alone.
    fn changed<'s>(&'s self, alone: &BTreeSet<Standing>) -> Option<&'s Standing> {
        self.baseline.iter().find(|standing| !alone.contains(standing))
    }

    /// A priority of the candidate's that the baseline does not have. Where its threads run is its own affair.
    fn favoured<'s>(&'s self, usual: &BTreeSet<Standing>) -> Option<&'s Standing> {
        let same = |one: &Standing, other: &Standing| (one.nice, one.policy) == (other.nice, other.policy);
        self.candidate.iter().find(|standing| !usual.iter().any(|other| same(standing, other)))
    }
}

impl<'a> Timing<'_, 'a, '_> {
    /// Voids where one side was scheduled otherwise than by its own doing.
    ///
    /// # Errors
    /// Where the baseline cannot be started once more.
    pub(super) fn ranks(&mut self) -> Result<(), Error> {
        let own = standing_of(std::process::id().cast_signed());
        if self.ranked.is_usual(&own) {
            return Ok(());
        }
        let alone = self.baseline_alone().map_err(|fault| runner_error("baseline", &fault.fault))?;
        let usual = alone.union(&own).cloned().collect();
        let text = |standing: &Standing| standing.to_string();
        let listed = || alone.iter().map(text).collect::<Vec<_>>().join("; ");
        let detail = if let Some(changed) = self.ranked.changed(&alone) {
            Some(format!(
                "the baseline ran with {changed} while {} was there, and alone with {}",
                self.candidate,
                listed()
            ))
        } else {
            let favoured = self.ranked.favoured(&usual);
            favoured.map(|favoured| {
                format!("{} ran with {favoured}, the baseline with {}", self.candidate, listed())
            })
        };
        self.voids.extend(detail.map(|detail| VoidFinding { cause: VoidCause::Priority, detail }));
        Ok(())
    }

    /// How a baseline is scheduled that nobody else runs beside, after its first call.
    fn baseline_alone(&mut self) -> Result<BTreeSet<Standing>, SideFault> {
        let fault = |fault: RunnerFault| SideFault { who: BASELINE, fault };
        let first = self.trials.first().copied().zip(self.plans.first().copied().flatten());
        let mut runner = self.engine.workshop.launch("baseline").map_err(fault)?;
        self.engine.welcome(runner.as_mut(), "baseline").map_err(fault)?;
        if let Some((trial, plan)) = first {
            self.call_once(trial, plan.slots, runner.as_mut())?;
        }
        let standing = runner.standing();
        runner.quit();
        Ok(standing)
    }

    fn call_once(
        &mut self,
        trial: &Trial,
        slots: u32,
        runner: &mut (dyn Runner + 'a),
    ) -> Result<(), SideFault> {
        let checked = self.checked;
        let Some(expectation) = checked.expectations.get(&trial.case.name) else { return Ok(()) };
        let [fill, ..] = &expectation.fills;
        let operands = self.operands(trial, fill.seed, expectation.slots)?;
        hold(runner, trial, &operands, slots, &fill.inputs)
            .map_err(|fault| SideFault { who: BASELINE, fault })
    }
}
