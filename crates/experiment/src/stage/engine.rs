//! What every stage needs of the world, as traits: the engine's own tests put a model behind them and measure nothing real.

use crate::clock::Clock;
use crate::device::Device;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::operands::{Audience, InputSource, Operands};
use crate::runner::{FaultKind, Hello, Launcher, Leftover, Operand, Runner, RunnerFault};
use crate::spec::{CaseSpec, Experiment};
use crate::wording::last_line;
use kforge_record::{Build, Failure, Subject, VoidFinding};

/// The stage of a trouble that says nothing about the side: what should run it is not there.
pub(crate) const ENVIRONMENT: &str = "environment";

/// A side that could not be made ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideTrouble {
    /// `build`, `warm`, `check`, `time`, or `environment` where nothing of the side ever ran.
    pub stage: &'static str,
    /// One line.
    pub what: String,
    /// The end of the log; empty where there is none.
    pub log: String,
}

impl SideTrouble {
    /// A runner's fault at a stage.
    pub fn of_runner(stage: &'static str, fault: &RunnerFault) -> Self {
        let stage = if fault.is_environment() { ENVIRONMENT } else { stage };
        Self { stage, what: format!("the runner {}", fault.what), log: fault.log.clone() }
    }

    /// The durable form: the last line of the log is part of it.
    pub fn failure(&self) -> Failure {
        // What cannot be run was named by the shell in the same words already.
        let last = last_line(&self.log).filter(|_| self.stage != ENVIRONMENT);
        let what = match last {
            Some(line) => format!("{} (log: {line})", self.what),
            None => self.what.clone(),
        };
        Failure { stage: self.stage.to_owned(), what }
    }
}

/// A side bound by content.
#[derive(Clone, Debug)]
pub struct SideSeal {
    /// Its files.
    pub subject: Subject,
    /// Its build.
    pub build: Build,
    /// What contradicts the rules of sealing already.
    pub findings: Vec<VoidFinding>,
    /// What is worth knowing about it.
    pub remarks: Vec<Remark>,
}

/// A side after its build.
#[derive(Clone, Debug)]
pub struct SideBuild {
    /// Its declared files, as the build left them.
    pub subject: Subject,
    /// Wall time of the build in ns, where something was built; else the side's own trouble.
    pub outcome: Result<Option<u64>, SideTrouble>,
    /// What the build did beside building.
    pub remarks: Vec<Remark>,
}

/// Builds sides, starts their runners, and binds them by content.
pub trait Workshop: Launcher + InputSource {
    /// Materialises and builds a side.
    ///
    /// # Errors
    /// The experiment's or the environment's; the side's own trouble is part of the answer.
    fn build(&self, side: &str) -> Result<SideBuild, Error>;
    /// Binds a warmed side: `loaded` is what its process has loaded.
    ///
    /// # Errors
    /// Where a file cannot be read.
    fn seal(
        &self,
        side: &str,
        hello: &Hello,
        loaded: &[String],
        startup_ns: u64,
        warm_ns: u64,
    ) -> Result<SideSeal, Error>;
    /// What no longer holds of a sealed side.
    fn recheck(&self, side: &str, loaded: &[String]) -> Vec<VoidFinding>;
}

/// One step of the work, for progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stage began: a short present-tense phrase.
    Stage(String),
    /// So many of so many steps of the stage are done.
    Step(u64, u64),
    /// A line for the log.
    Line(String),
    /// Something that the user should know beside the verdict.
    Remark(Remark),
}

/// A fact beside the verdict, under a stable word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// `left-process`, `source-changed`, `subject-incomplete`.
    pub code: &'static str,
    /// One line.
    pub message: String,
}

impl Remark {
    /// Processes that a side left while it was not timed: they were killed, and no sample can have met them.
    pub(crate) fn left(side: &str, when: &str, left: &[Leftover]) -> Option<Self> {
        let clause = Leftover::clause(side, left)?;
        Some(Self { code: "left-process", message: format!("{clause} {when}; killed") })
    }
}

/// A runner that has said hello.
pub(super) struct Greeted<'r> {
    pub(super) runner: Box<dyn Runner + 'r>,
    pub(super) hello: Hello,
    /// From starting it, ns; other sides may have started meanwhile.
    pub(super) startup_ns: u64,
}

/// The world of an experiment.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// What is to be done.
    pub experiment: &'a Experiment,
    /// Who builds and starts sides.
    pub workshop: &'a dyn Workshop,
    /// What they compute on.
    pub device: &'a dyn Device,
    /// The clock outside the runners.
    pub clock: &'a dyn Clock,
    /// Whether the user wants to stop.
    pub interrupt: &'a dyn Interrupt,
    /// Who is told of progress.
    pub report: &'a dyn Fn(Event),
}

impl<'a> Engine<'a> {
    pub(super) fn operands(&self) -> Operands<'a> {
        Operands { experiment: self.experiment, source: self.workshop }
    }

    /// The operands of a case, for a contestant. What cannot be made of them is nobody's fault; a wish to stop stays one.
    ///
    /// # Errors
    /// [`FaultKind::Interrupted`] or [`FaultKind::Refused`].
    pub(super) fn contestant_operands(
        &self,
        case: &CaseSpec,
        seed: u64,
        slots: u32,
    ) -> Result<Vec<Operand>, RunnerFault> {
        self.operands().of(case, seed, slots, Audience::Contestant).map_err(|error| match error {
            Error::Interrupted => RunnerFault::new(FaultKind::Interrupted, "was interrupted"),
            error => RunnerFault::new(FaultKind::Refused, format!("cannot be given its operands: {error}")),
        })
    }

    pub(super) fn remark(&self, remarks: impl IntoIterator<Item = Remark>) {
        for remark in remarks {
            (self.report)(Event::Remark(remark));
        }
    }

    /// Starts all these sides' runners before the first is waited for, since loading a framework takes seconds; an answer a side, in their order.
    pub(super) fn greet_all(&self, sides: &[&str]) -> Vec<Result<Greeted<'a>, RunnerFault>> {
        let begun: Vec<_> =
            sides.iter().map(|side| (*side, self.clock.now(), self.workshop.launch(side))).collect();
        begun
            .into_iter()
            .map(|(side, start, launched)| {
                let mut runner = launched?;
                let hello = self.welcome(runner.as_mut(), side)?;
                Ok(Greeted { runner, hello, startup_ns: self.clock.now().since(start).0.unsigned_abs() })
            })
            .collect()
    }

    /// Starts a side's runner and lets it say who it is: it must compute on the device under test. The reference may compute anywhere.
    pub(super) fn greet(&self, side: &str) -> Result<(Box<dyn Runner + 'a>, Hello), RunnerFault> {
        let mut runner = self.workshop.launch(side)?;
        let hello = self.welcome(runner.as_mut(), side)?;
        Ok((runner, hello))
    }

    /// The second half of [`Engine::greet`], for a runner that was started already.
    pub(super) fn welcome(&self, runner: &mut dyn Runner, side: &str) -> Result<Hello, RunnerFault> {
        let hello = runner.hello()?;
        match self.device.contradicts(&hello).filter(|_| side != "reference") {
            Some(what) => Err(RunnerFault::new(FaultKind::Refused, what)),
            None => Ok(hello),
        }
    }

    /// # Errors
    /// [`Error::Interrupted`] once the user has asked to stop.
    pub(super) fn go_on(&self) -> Result<(), Error> {
        if self.interrupt.is_set() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
