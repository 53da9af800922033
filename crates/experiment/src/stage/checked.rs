//! The fourth stage: results are known. Only what passed every check can be timed.

use super::checking::{Expectation, passed_everywhere};
use super::engine::Engine;
use super::facts::{Measured, RunContext, seal_evidence};
use super::sealed::SealedSide;
use super::trial::Trial;
use crate::error::Error;
use kforge_record::{Check, Sealed as SealedEvidence};
use std::collections::BTreeMap;

/// Sides whose results were compared with the reference's.
pub struct Checked<'a> {
    pub(super) engine: Engine<'a>,
    pub(super) trials: Vec<Trial>,
    pub(super) sides: Vec<SealedSide>,
    pub(super) tick_ns: u64,
    pub(super) checks: Vec<Check>,
    pub(super) expectations: BTreeMap<String, Expectation>,
}

/// A candidate that is right on every case, beside a baseline that is too.
pub struct Correct<'c, 'a> {
    pub(super) checked: &'c Checked<'a>,
    pub(super) candidate: String,
}

/// A candidate that cannot be timed: it, or the baseline, is wrong or gave no answer.
pub struct Refuted<'c, 'a> {
    checked: &'c Checked<'a>,
    candidate: String,
}

impl<'a> Checked<'a> {
    pub(super) fn side(&self, name: &str) -> Result<&SealedSide, Error> {
        self.sides
            .iter()
            .find(|side| side.name == name)
            .ok_or_else(|| Error::Bug(format!("`{name}` was never sealed")))
    }

    fn is_right(&self, name: &str) -> bool {
        // What is void already is not worth timing.
        let built = self.sides.iter().any(|side| {
            let whole = side.side.build.is_some() && side.side.failure.is_none();
            side.name == name && whole && side.findings.is_empty()
        });
        built && passed_everywhere(&self.checks, name, &self.trials)
    }

    /// Why a side is not worth timing, where it is not.
    pub(super) fn wrong(&self, name: &str) -> Option<String> {
        let side = self.sides.iter().find(|side| side.name == name)?;
        if let Some(failure) = &side.side.failure {
            return Some(format!("{}: {}", failure.stage, failure.what));
        }
        if let Some(found) = side.findings.first() {
            return Some(format!("{}: {}", found.cause.word(), found.detail));
        }
        let failed = self.checks.iter().find(|check| check.side == name && !check.passed);
        failed
            .map(Check::complaint)
            .or_else(|| (!self.is_right(name)).then(|| "it was not checked on every case".to_owned()))
    }

    /// A candidate's way on: to timing where it is right, else to its answer.
    pub fn candidate<'c>(&'c self, name: &str) -> Result<Correct<'c, 'a>, Refuted<'c, 'a>> {
        let candidate = name.to_owned();
        if self.is_right("baseline") && self.is_right(name) {
            Ok(Correct { checked: self, candidate })
        } else {
            Err(Refuted { checked: self, candidate })
        }
    }

    /// Cases that were drawn and on which this side is wrong, as text for experiment.toml.
    pub fn suggested_cases(&self, side: &str) -> Vec<String> {
        let failed = |trial: &&Trial| {
            trial.origin == kforge_record::CaseOrigin::Drawn
                && self
                    .checks
                    .iter()
                    .any(|check| check.side == side && check.case == trial.case.name && !check.passed)
        };
        let suggestion = |trial: &Trial| {
            let params: Vec<String> =
                trial.case.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            format!("[[case]]\nparams = {{ {} }}", params.join(", "))
        };
        self.trials.iter().filter(failed).map(suggestion).collect()
    }

    /// True where this side was built and warmed, whatever became of it afterwards.
    pub fn was_sealed(&self, name: &str) -> bool {
        self.sides.iter().any(|side| side.name == name && side.side.build.is_some())
    }

    /// The end of a side's log where its runner gave no answer.
    pub fn log(&self, side: &str) -> &str {
        self.sides.iter().find(|sealed| sealed.name == side).map_or("", |sealed| &sealed.log)
    }
}

impl Refuted<'_, '_> {
    /// The evidence: no samples, and why.
    ///
    /// # Errors
    /// Where the record refuses the facts, which is a bug.
    pub fn evidence(self, context: &RunContext) -> Result<SealedEvidence, Error> {
        seal_evidence(self.checked, &self.candidate, context, Measured::nothing(self.checked))
    }
}
