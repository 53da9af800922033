//! The first stage: what is to be compared, before anything was built.

use super::built::{Built, BuiltSide};
use super::engine::{Engine, Event, SideBuild};
use crate::error::Error;

/// An experiment and the candidates that were asked for.
pub struct Proposed<'a> {
    engine: Engine<'a>,
    candidates: Vec<String>,
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
        let candidates = if wanted.is_empty() {
            known
        } else {
            known.into_iter().filter(|name| wanted.contains(name)).collect()
        };
        Ok(Self { engine, candidates })
    }

    /// Materialises and builds reference, baseline and candidates.
    ///
    /// # Errors
    /// Trouble of the reference or the baseline; a candidate's trouble stays with it.
    pub fn build(self) -> Result<Built<'a>, Error> {
        let mut sides = Vec::new();
        let names =
            ["reference", "baseline"].into_iter().map(str::to_owned).chain(self.candidates.iter().cloned());
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
