//! The second stage: every side is built, or it is known why not. From here sides are warmed on every case and then sealed.

use super::engine::{Engine, Event, Remark, SideTrouble};
use super::sealed::{Sealed, SealedSide};
use super::trial::Trial;
use crate::draw::{Entropy, draw_cases};
use crate::error::Error;
use crate::operands::Audience;
use crate::runner::{Batch, FaultKind, Preparation, Runner, RunnerFault};
use kforge_record::{CaseOrigin, Side, Subject};

/// One side after its build.
pub(super) struct BuiltSide {
    pub(super) name: String,
    pub(super) subject: Subject,
    pub(super) build_ns: Option<u64>,
    pub(super) trouble: Option<SideTrouble>,
}

/// Sides that are built.
pub struct Built<'a> {
    pub(super) engine: Engine<'a>,
    pub(super) sides: Vec<BuiltSide>,
}

/// Trouble of a side that has no answer of its own: the reference's and the baseline's stop the experiment.
pub(super) fn runner_error(side: &str, fault: &RunnerFault) -> Error {
    if fault.kind == FaultKind::Interrupted {
        return Error::Interrupted;
    }
    let log = if fault.log.is_empty() { String::new() } else { format!("\n{}", fault.log) };
    Error::Runner { side: side.to_owned(), what: fault.what.clone(), log, kind: fault.kind }
}

pub(super) fn is_candidate(side: &str) -> bool {
    !matches!(side, "reference" | "baseline")
}

impl<'a> Built<'a> {
    /// Greets every side, then draws cases and seeds (which therefore nobody could know), warms every case, and seals.
    ///
    /// # Errors
    /// A runner of the reference or the baseline that does not answer, an empty domain, an interrupt.
    pub fn seal(mut self, entropy: &mut dyn Entropy) -> Result<Sealed<'a>, Error> {
        let engine = self.engine;
        engine.go_on()?;
        let sound: Vec<usize> =
            (0..self.sides.len()).filter(|index| self.sides[*index].trouble.is_none()).collect();
        let names: Vec<&str> = sound.iter().map(|index| self.sides[*index].name.as_str()).collect();
        let answers = engine.greet_all(&names);
        let mut greeted = Vec::new();
        for (index, answer) in sound.into_iter().zip(answers) {
            match answer {
                Ok(one) => greeted.push((index, one)),
                Err(fault) => self.fail(index, &fault)?,
            }
        }
        let trials = draw(&engine, entropy)?;
        let mut tick_ns = 1;
        let mut sealed: Vec<SealedSide> = Vec::new();
        for (index, mut one) in greeted {
            engine.go_on()?;
            let name = self.sides[index].name.clone();
            (engine.report)(Event::Stage(format!("warming {name}")));
            let start = engine.clock.now();
            let warmed = warm(&engine, one.runner.as_mut(), &name, &trials)?;
            let loaded = match warmed.and_then(|()| one.runner.loaded()) {
                Ok(loaded) => loaded,
                Err(fault) => {
                    self.fail(index, &fault)?;
                    continue;
                }
            };
            let warm_ns = engine.clock.now().since(start).0.unsigned_abs();
            engine.remark(Remark::left(&name, "while it was warmed", &one.runner.quit()));
            let mut seal = engine.workshop.seal(&name, &one.hello, &loaded, one.startup_ns, warm_ns)?;
            engine.remark(std::mem::take(&mut seal.remarks));
            seal.build.build_ns = self.sides[index].build_ns;
            tick_ns = tick_ns.max(one.hello.tick_ns);
            let side = Side { subject: seal.subject, build: Some(seal.build), failure: None };
            sealed.push(SealedSide { name, side, findings: seal.findings, log: String::new() });
        }
        let missing = self.sides.into_iter().filter_map(|side| {
            let trouble = side.trouble?;
            let failed = Side { subject: side.subject, build: None, failure: Some(trouble.failure()) };
            Some(SealedSide { name: side.name, side: failed, findings: Vec::new(), log: trouble.log })
        });
        sealed.extend(missing);
        Ok(Sealed { engine, trials, sides: sealed, tick_ns })
    }

    /// Keeps a candidate's fault with it; any other stops.
    fn fail(&mut self, index: usize, fault: &RunnerFault) -> Result<(), Error> {
        let side = &mut self.sides[index];
        if !is_candidate(&side.name) || fault.kind == FaultKind::Interrupted {
            return Err(runner_error(&side.name, fault));
        }
        side.trouble = Some(SideTrouble::of_runner("warm", fault));
        Ok(())
    }
}

fn draw(engine: &Engine<'_>, entropy: &mut dyn Entropy) -> Result<Vec<Trial>, Error> {
    let experiment = engine.experiment;
    let drawn = draw_cases(experiment, experiment.tuning.policy.measure.drawn_cases, entropy.seed())?;
    let declared = experiment.cases.iter().map(|case| (case.clone(), CaseOrigin::Declared));
    let drawn = drawn.into_iter().map(|case| (case, CaseOrigin::Drawn));
    let trials = declared.chain(drawn).map(|(case, origin)| Trial {
        case,
        origin,
        seed: entropy.seed(),
        refill_seed: entropy.seed(),
    });
    Ok(trials.collect())
}

/// Runs every verb on every case once, so that whatever is loaded or compiled on demand is there before sealing.
fn warm(
    engine: &Engine<'_>,
    runner: &mut dyn Runner,
    name: &str,
    trials: &[Trial],
) -> Result<Result<(), RunnerFault>, Error> {
    let audience = if name == "reference" { Audience::Reference } else { Audience::Contestant };
    for (number, trial) in trials.iter().enumerate() {
        engine.go_on()?;
        (engine.report)(Event::Step(number as u64, trials.len() as u64));
        let operands = engine.operands().of(&trial.case, trial.seed, 1, audience)?;
        let preparation = Preparation {
            case: trial.case.name.clone(),
            params: trial.case.params.clone(),
            slots: 1,
            distinct: 1,
            operands,
        };
        if let Err(fault) = warm_one(runner, &preparation) {
            return Ok(Err(RunnerFault {
                what: format!("{} (case {})", fault.what, trial.case.name),
                ..fault
            }));
        }
    }
    Ok(Ok(()))
}

fn warm_one(runner: &mut dyn Runner, preparation: &Preparation) -> Result<(), RunnerFault> {
    runner.prepare(preparation)?;
    runner.poison(0)?;
    runner.run(&Batch::plain(vec![0], 1, 1))?;
    runner.dump(&[0])?;
    runner.refill(&preparation.operands)?;
    Ok(())
}
