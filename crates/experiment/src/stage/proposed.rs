//! The first stage: what is to be compared, before anything was built.

use super::built::{Built, BuiltSide};
use super::engine::{Engine, Event, SideBuild};
use crate::error::Error;

/// An experiment and the sides that were asked for.
pub struct Proposed<'a> {
    engine: Engine<'a>,
    /// All that are built beside the reference.
    contestants: Vec<String>,
}

impl<'a> Proposed<'a> {
    /// Proposes candidates by name; none named means all.
    ///
    /// # Errors
    /// [`Error::NoCandidate`] where a name is not in the experiment, or there is none at all.
    pub fn new(engine: Engine<'a>, wanted: &[String]) -> Result<Self, Error> {
        let known: Vec<String> = engine.experiment.candidates.iter().map(|side| side.name.clone()).collect();
        let unknown = wanted
            .iter()
            .find(|name| !known.contains(name))
            .cloned()
            .or_else(|| known.is_empty().then(String::new));
        if let Some(name) = unknown {
            return Err(Error::NoCandidate { path: engine.experiment.path.clone(), name, known });
        }
        let candidates = known.into_iter().filter(|name| wanted.is_empty() || wanted.contains(name));
        Ok(Self { engine, contestants: std::iter::once("baseline".to_owned()).chain(candidates).collect() })
    }

    /// Proposes one side without a rival: the baseline or a candidate.
    ///
    /// # Errors
    /// [`Error::NoCandidate`] where it is neither.
    pub fn alone(engine: Engine<'a>, side: &str) -> Result<Self, Error> {
        let known: Vec<String> = engine.experiment.candidates.iter().map(|side| side.name.clone()).collect();
        if side != "baseline" && !known.iter().any(|name| name == side) {
            let path = engine.experiment.path.clone();
            return Err(Error::NoCandidate { path, name: side.to_owned(), known });
        }
        Ok(Self { engine, contestants: vec![side.to_owned()] })
    }

    /// Materialises and builds the reference and the sides.
    ///
    /// # Errors
    /// Trouble of the reference or the baseline; a candidate's trouble stays with it.
    pub fn build(self) -> Result<Built<'a>, Error> {
        let mut sides = Vec::new();
        let names = std::iter::once("reference".to_owned()).chain(self.contestants.iter().cloned());
        for name in names {
            self.engine.go_on()?;
            (self.engine.report)(Event::Stage(format!("building {name}")));
            let SideBuild { subject, outcome, remarks } = self.engine.workshop.build(&name)?;
            for remark in remarks {
                self.engine.remark(Some(remark));
            }
            let (build_ns, trouble) = match outcome {
                Ok(ns) => (ns, None),
                Err(trouble) => (None, Some(trouble)),
            };
            if let (Some(trouble), "reference" | "baseline") = (&trouble, name.as_str()) {
                let spec = if name == "baseline" {
                    &self.engine.experiment.baseline
                } else {
                    &self.engine.experiment.reference
                };
                return Err(Error::Build {
                    side: name,
                    command: spec.build.clone().unwrap_or_default(),
                    what: trouble.what.clone(),
                    log: trouble.log.clone(),
                });
            }
            sides.push(BuiltSide { name, subject, build_ns, trouble });
        }
        Ok(Built { engine: self.engine, sides })
    }
}
