//! The third stage: sides are bound by content and nothing may change any more. From here results are checked.

use super::checked::Checked;
use super::checking::{Checking, Expectation};
use super::engine::{Engine, Event};
use super::trial::Trial;
use crate::draw::Entropy;
use crate::error::Error;
use kforge_record::{CaseOrigin, Digest, Failure, Run, Side, VoidFinding};
use std::collections::BTreeMap;

/// One side after sealing: built, or with the reason why not.
pub(super) struct SealedSide {
    pub(super) name: String,
    pub(super) side: Side,
    pub(super) findings: Vec<VoidFinding>,
    pub(super) log: String,
}

/// Sides that are sealed, and the cases they will be tried on.
pub struct Sealed<'a> {
    pub(super) engine: Engine<'a>,
    pub(super) trials: Vec<Trial>,
    pub(super) sides: Vec<SealedSide>,
    pub(super) tick_ns: u64,
}

impl<'a> Sealed<'a> {
    fn side(&self, name: &str) -> Option<&SealedSide> {
        self.sides.iter().find(|side| side.name == name)
    }

    /// True where what should run this side is not there.
    pub fn never_ran(&self, name: &str) -> bool {
        self.side(name).is_some_and(|side| side.side.never_ran())
    }

    /// The candidates, in the order of the experiment.
    pub fn candidates(&self) -> Vec<String> {
        let known = self.engine.experiment.candidates.iter().map(|side| side.name.clone());
        known.filter(|name| self.side(name).is_some()).collect()
    }

    /// The subject of the baseline: what the candidates of many runs are compared with.
    ///
    /// # Errors
    /// Never in practice: an experiment has a baseline.
    pub fn baseline(&self) -> Result<Digest, Error> {
        let side = self.side("baseline").ok_or_else(|| Error::Bug("no baseline was sealed".to_owned()))?;
        Ok(side.side.subject.id)
    }

    /// The digest that names a candidate's pair with the baseline.
    ///
    /// # Errors
    /// Where the candidate is not one of this experiment's.
    pub fn pair(&self, candidate: &str) -> Result<Digest, Error> {
        match (self.side("baseline"), self.side(candidate)) {
            (Some(baseline), Some(other)) => {
                Ok(Run::pair_of(&baseline.side.subject.id, &other.side.subject.id)?)
            }
            _ => Err(Error::Bug(format!("`{candidate}` was never sealed"))),
        }
    }

    /// Files that differ between the baseline and a candidate, or that only one of them has; sorted.
    pub fn differing(&self, candidate: &str) -> Vec<String> {
        let entries = |name: &str| self.side(name).map_or(&[][..], |side| &side.side.subject.entries);
        let (before, after) = (entries("baseline"), entries(candidate));
        let gone = before.iter().filter(|entry| !after.contains(entry));
        let come = after.iter().filter(|entry| !before.contains(entry));
        let mut paths: Vec<String> = gone.chain(come).map(|entry| entry.path.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// The cases, declared ones first.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Checks baseline and candidates against the reference on every case.
    ///
    /// # Errors
    /// A reference that does not answer, an interrupt; a baseline or candidate that is wrong is an answer.
    pub fn check(mut self, entropy: &mut dyn Entropy) -> Result<Checked<'a>, Error> {
        let engine = self.engine;
        let contestants: Vec<String> = self
            .sides
            .iter()
            .filter(|side| side.side.failure.is_none() && side.name != "reference")
            .map(|side| side.name.clone())
            .collect();
        let mut checking = Checking::start(engine, &contestants, entropy)?;
        let mut expectations: BTreeMap<String, Expectation> = BTreeMap::new();
        for (number, trial) in self.trials.iter().enumerate() {
            engine.go_on()?;
            (engine.report)(Event::Stage(format!("checking {}", trial.case.name)));
            (engine.report)(Event::Step(number as u64, self.trials.len() as u64));
            let expectation = checking.expect(trial)?;
            for name in &contestants {
                let Some(build) = self.side(name).and_then(|side| side.side.build.as_ref()) else { continue };
                let build = build.id;
                checking.check(name, trial, &expectation, build)?;
            }
            // Timed outputs are compared with the same expectations.
            if trial.origin == CaseOrigin::Declared {
                expectations.insert(trial.case.name.clone(), expectation);
            }
        }
        let results = checking.finish();
        for side in &mut self.sides {
            if let Some(trouble) = results.troubles.get(&side.name) {
                side.side.failure = Some(trouble.failure());
                side.log.clone_from(&trouble.log);
            } else if let Some(named) = results.named.get(&side.name) {
                side.side.failure = Some(Failure { stage: "check".to_owned(), what: named.clone() });
            }
        }
        Ok(Checked {
            engine,
            trials: self.trials,
            sides: self.sides,
            tick_ns: self.tick_ns,
            checks: results.checks,
            expectations,
        })
    }
}
