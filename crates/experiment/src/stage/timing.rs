//! Launch after launch: fresh processes of A, A′ and B, blocks in random order, one side at work at a time.
//!
//! A block's run is short or long at random, and the runner cannot tell a run that is only timed from one whose outputs are checked
//! afterwards. From short and long runs together the clock outside gives the time of a batch without any start-up cost, which must
//! agree with what the runner reported. Invariant: every sample is one batch as the runner reported it; nothing is averaged here.

use super::built::runner_error;
use super::calibration::{Pace, SidePace};
use super::case_log::{CaseLog, Terms};
use super::checked::Checked;
use super::checking::{Comparison, Fill};
use super::engine::{Engine, Event, SideTrouble};
use super::facts::Measured;
use super::plan::{Plan, lengths, nonce};
use super::timed_run::{Timed, hold, timed_run};
use super::trial::Trial;
use super::watched::{Beside, Watched};
use crate::draw::Entropy;
use crate::error::Error;
use crate::philox::Stream;
use crate::runner::{Batch, FaultKind, Leftover, Operand, Role, Runner, RunnerFault};
use kforge_record::{BlockOrder, CaseOrigin, Check, Digest, Failure, Launch, Series, VoidCause, VoidFinding};
use kforge_stats::{Block, CaseSamples, Decision, Judge, OpSamples};
use ranked::Ranked;
use std::collections::BTreeSet;

mod probes;
mod ranked;

/// Outputs of slots that were just timed are looked at up to so many bytes, and a slot at least.
const LOOKED_AT_BYTES: u64 = 4 << 20;

/// In so many blocks of a case a side may still start helpers outside of its process group, which stand still with it from then on.
const SETTLING: usize = 2;

// The three processes of a launch, in the order in which they stand in arrays.
pub(super) const BASELINE: usize = 0;
const SECOND: usize = 1;
pub(super) const CANDIDATE: usize = 2;

/// A side whose process gave no usable answer.
pub(super) struct SideFault {
    pub(super) who: usize,
    pub(super) fault: RunnerFault,
}

/// A candidate being timed.
pub(super) struct Timing<'c, 'a, 'e> {
    checked: &'c Checked<'a>,
    engine: Engine<'a>,
    candidate: String,
    entropy: &'e mut dyn Entropy,
    stream: Stream,
    trials: Vec<&'c Trial>,
    plans: Vec<Option<Plan>>,
    builds: [Digest; 2],
    logs: Vec<CaseLog>,
    checks: Vec<Check>,
    voids: Vec<VoidFinding>,
    /// What probes could not tell for sure, with the name of its case: it spoils a win and nothing else.
    doubts: Vec<(String, String)>,
    beside: [Beside; 3],
    ranked: Ranked,
    /// Of the harnesses of baseline and candidate.
    languages: BTreeSet<String>,
}

pub(super) type Runners<'a> = [Box<dyn Runner + 'a>; 3];

impl<'c, 'a, 'e> Timing<'c, 'a, 'e> {
    pub(super) fn new(
        checked: &'c Checked<'a>,
        candidate: &str,
        entropy: &'e mut dyn Entropy,
    ) -> Result<Self, Error> {
        let build = |name: &str| {
            let side = checked.side(name)?;
            side.side
                .build
                .as_ref()
                .map(|build| build.id)
                .ok_or_else(|| Error::Bug(format!("`{name}` was never built")))
        };
        let trials: Vec<&Trial> =
            checked.trials.iter().filter(|trial| trial.origin == CaseOrigin::Declared).collect();
        let stream = Stream::new(entropy.seed(), 2);
        Ok(Self {
            checked,
            engine: checked.engine,
            candidate: candidate.to_owned(),
            builds: [build("baseline")?, build(candidate)?],
            plans: vec![None; trials.len()],
            logs: trials.iter().map(|_| CaseLog::default()).collect(),
            trials,
            entropy,
            stream,
            checks: Vec::new(),
            voids: Vec::new(),
            doubts: Vec::new(),
            beside: Default::default(),
            ranked: Ranked::default(),
            languages: BTreeSet::new(),
        })
    }

    /// Launches until a look decides or the last look is past.
    pub(super) fn measure(mut self) -> Result<Measured, Error> {
        let before = self.engine.device.observe();
        let judge = Judge::new(self.engine.experiment.tuning.policy.judge.clone())?;
        let (mut launches, mut tick_ns, mut failure) = (Vec::new(), self.checked.tick_ns, None);
        let mut until = judge.policy().looks.first().copied().unwrap_or(1);
        (self.engine.report)(Event::Stage(format!("timing {}", self.candidate)));
        loop {
            self.engine.go_on()?;
            (self.engine.report)(Event::Step(launches.len() as u64, u64::from(until)));
            let last = launches.len() as u32 + 1 == until;
            match self.launch(launches.len() as u32, &mut tick_ns, last) {
                Ok(launch) => launches.push(launch),
                Err(SideFault { who: CANDIDATE, fault }) if fault.kind != FaultKind::Interrupted => {
                    failure = Some(SideTrouble::of_runner("time", &fault).failure());
                    break;
                }
                Err(SideFault { fault, .. }) => return Err(runner_error("baseline", &fault)),
            }
            match judge.look(&self.samples(&launches, tick_ns))? {
                Decision::Continue { until_launches } => until = until_launches,
                Decision::Stop { .. } => break,
            }
            if !self.voids.is_empty() || self.checks.iter().any(|check| !check.passed) {
                break;
            }
        }
        self.ranks()?;
        Ok(self.measured(launches, failure, before))
    }

    fn measured(
        mut self,
        launches: Vec<Launch>,
        failure: Option<Failure>,
        before: crate::device::Observation,
    ) -> Measured {
        let allowed = self.engine.experiment.tuning.policy.measure.clock_agreement;
        let (mut clock, queues, alike) = (Vec::new(), self.engine.device.queues(), self.languages.len() < 2);
        let terms = Terms { allowed, queues, alike };
        for ((trial, plan), log) in self.trials.iter().zip(&self.plans).zip(&self.logs) {
            let Some(plan) = plan else { continue };
            let (checks, voids) = log.conclude(&trial.case.name, &self.candidate, *plan, terms);
            clock.extend(checks);
            self.voids.extend(voids);
            let doubts =
                self.doubts.iter().filter(|(case, _)| *case == trial.case.name && log.looks_quicker());
            let cause = VoidCause::Environment;
            self.voids.extend(doubts.map(|(_, why)| VoidFinding {
                cause,
                detail: format!(
                    "{why}, as far as a machine this busy can tell; measure on one that is less busy"
                ),
            }));
        }
        Measured {
            launches,
            checks: self.checks,
            clock,
            voids: self.voids,
            disturbances: Vec::new(),
            failure,
            before,
            after: self.engine.device.observe(),
        }
    }

    fn samples(&self, launches: &[Launch], tick_ns: u64) -> OpSamples {
        let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        let cases = self.trials.iter().enumerate().map(|(index, trial)| {
            let blocks = launches.iter().map(|launch| {
                let series = launch.series.get(index);
                series
                    .into_iter()
                    .flat_map(Series::kept)
                    .map(|(_, a, a2, b)| Block::new(signed(a), signed(a2), signed(b)))
                    .collect()
            });
            CaseSamples::new(trial.case.name.clone(), trial.case.weight, signed(tick_ns), blocks.collect())
        });
        OpSamples { cases: cases.collect() }
    }

    /// One launch of all cases.
    fn launch(&mut self, index: u32, tick_ns: &mut u64, last: bool) -> Result<Launch, SideFault> {
        let mut runners = self.start(tick_ns)?;
        self.ranked.look(&mut runners);
        let (mut series, watched) = (Vec::new(), Watched::begin(&mut runners, self.engine.clock));
        for number in 0..self.trials.len() {
            series.push(self.case(number, &mut runners)?);
        }
        watched.end(&mut runners, self.engine.clock, &mut self.beside);
        self.ranked.look(&mut runners);
        if last {
            for (who, side) in [(BASELINE, "baseline".to_owned()), (CANDIDATE, self.candidate.clone())] {
                let _ = runners[who].resume();
                let loaded = runners[who].loaded().map_err(|fault| SideFault { who, fault })?;
                self.voids.extend(self.engine.workshop.recheck(&side, &loaded));
            }
        }
        // The candidate first: what has removed its mark is looked for among the processes of whoever ends.
        for who in [CANDIDATE, SECOND, BASELINE] {
            let left = runners[who].quit();
            let name = if who == CANDIDATE { self.candidate.as_str() } else { "baseline" };
            let left =
                Leftover::clause(name, &left).map(|what| format!("{what}, alive while others were timed"));
            let worked = self.beside[who].worked().map(|what| format!("{name} {what}"));
            let detail = left.or(worked).map(|detail| format!("launch {index}: {detail}"));
            self.voids.extend(detail.map(|detail| VoidFinding { cause: VoidCause::LeftProcess, detail }));
        }
        Ok(Launch {
            index,
            builds: self.builds,
            tick_ns: i64::try_from(*tick_ns).unwrap_or(i64::MAX),
            series,
        })
    }

    /// Fresh processes, all started in random order before the first is waited for, since loading a framework takes seconds; each stands
    /// still once it has said hello.
    fn start(&mut self, tick_ns: &mut u64) -> Result<Runners<'a>, SideFault> {
        let mut order = [BASELINE, SECOND, CANDIDATE];
        self.stream.shuffle(&mut order);
        let name = |who: usize| if who == CANDIDATE { self.candidate.as_str() } else { "baseline" };
        let mut started: [Option<Box<dyn Runner + 'a>>; 3] = [None, None, None];
        for who in order {
            let runner = self.engine.workshop.launch(name(who)).map_err(|fault| SideFault { who, fault })?;
            started[who] = Some(runner);
        }
        for who in order {
            let Some(runner) = started[who].as_mut() else { continue };
            let hello = self.engine.welcome(runner.as_mut(), name(who)).and_then(|hello| {
                runner.pause()?;
                Ok(hello)
            });
            let hello = hello.map_err(|fault| SideFault { who, fault })?;
            *tick_ns = (*tick_ns).max(hello.tick_ns);
            self.languages.insert(hello.language);
        }
        match started {
            [Some(a), Some(a2), Some(b)] => Ok([a, a2, b]),
            _ => Err(SideFault {
                who: BASELINE,
                fault: RunnerFault::new(FaultKind::NotStarted, "was not started"),
            }),
        }
    }

    /// One case in one launch: hold it, calibrate the first time, then the blocks.
    fn case(&mut self, number: usize, runners: &mut Runners<'a>) -> Result<Series, SideFault> {
        let trial = self.trials[number];
        let checked = self.checked;
        let Some(expectation) = checked.expectations.get(&trial.case.name) else {
            return Err(SideFault {
                who: BASELINE,
                fault: RunnerFault::new(FaultKind::Refused, "was never checked on this case"),
            });
        };
        // Which of the two fills a launch uses is drawn, so that neither can be counted on.
        let fill = &expectation.fills[self.stream.below(2) as usize];
        let known = self.plans[number];
        let plan = if let Some(plan) = known {
            plan
        } else {
            let plan = self.calibrate(trial, fill, expectation.slots, runners)?;
            self.plans[number] = Some(plan);
            plan
        };
        let operands = self.operands(trial, fill.seed, expectation.slots)?;
        for (who, runner) in runners.iter_mut().enumerate() {
            hold(runner.as_mut(), trial, &operands, plan.slots, &fill.inputs)
                .map_err(|fault| SideFault { who, fault })?;
        }
        if known.is_none() && operands.iter().all(|operand| operand.role != Role::InOut) {
            if !plan.fresh {
                self.first_write(trial, plan, runners)?;
            }
            let bytes =
                operands.iter().filter(|operand| operand.role != Role::Input).map(Operand::bytes).sum();
            self.own_work(trial, plan, bytes, runners)?;
        }
        if known.is_none() {
            self.first_sight(trial, plan, expectation.slots, runners)?;
            for (who, runner) in runners.iter_mut().enumerate() {
                hold(runner.as_mut(), trial, &operands, plan.slots, &fill.inputs)
                    .map_err(|fault| SideFault { who, fault })?;
            }
        }
        self.blocks(number, plan, fill, &operands, runners)
    }

    fn operands(&self, trial: &Trial, seed: u64, slots: u32) -> Result<Vec<Operand>, SideFault> {
        let operands = self.engine.contestant_operands(&trial.case, seed, slots);
        operands.map_err(|fault| SideFault { who: BASELINE, fault })
    }

    /// How many slots, rounds and batches a sample needs, by the faster of baseline and candidate.
    fn calibrate(
        &mut self,
        trial: &Trial,
        fill: &Fill,
        slots: u32,
        runners: &mut Runners<'a>,
    ) -> Result<Plan, SideFault> {
        let operands = self.operands(trial, fill.seed, slots)?;
        let queues = self.engine.device.queues();
        let mut paces = Vec::new();
        for who in [BASELINE, CANDIDATE] {
            let runner = runners[who].as_mut();
            let pace = hold(runner, trial, &operands, slots, &fill.inputs)
                .and_then(|()| SidePace::of(runner, slots, queues));
            paces.push(pace.map_err(|fault| SideFault { who, fault })?);
        }
        let cache = self.engine.experiment.tuning.cache;
        Ok(Pace::of(&paces).plan(self.checked, &operands, slots, cache))
    }

    /// The blocks of one case in one launch.
    fn blocks(
        &mut self,
        number: usize,
        plan: Plan,
        fill: &Fill,
        operands: &[Operand],
        runners: &mut Runners<'a>,
    ) -> Result<Series, SideFault> {
        let trial = self.trials[number];
        let tuning = &self.engine.experiment.tuning;
        let lengths = lengths(tuning, &mut self.stream);
        let looked_at = self.stream.below(lengths.len() as u64) as usize;
        let mut series = Series {
            case: trial.case.name.clone(),
            runs: u32::try_from(plan.calls()).unwrap_or(u32::MAX),
            order: Vec::new(),
            a: Vec::new(),
            a_prime: Vec::new(),
            b: Vec::new(),
            dropped: Vec::new(),
        };
        let mut runs: [Vec<Timed>; 3] = Default::default();
        for (block, long) in lengths.into_iter().enumerate() {
            let mut order = [BASELINE, SECOND, CANDIDATE];
            self.stream.shuffle(&mut order);
            let batch = self.batch(plan, long);
            let mut samples = [0_u64; 3];
            for who in order {
                let nonce = (block == looked_at).then(|| batch.poison.unwrap_or_else(|| nonce(self.entropy)));
                let runner = runners[who].as_mut();
                let run = timed_run(&self.engine, runner, &batch, plan, long, nonce)
                    .map_err(|fault| SideFault { who, fault })?;
                samples[who] = run.batched.sample_ns;
                runs[who].push(run);
                if let (Some(nonce), BASELINE | CANDIDATE) = (nonce, who) {
                    self.look_at(who, trial, fill, operands, &batch, nonce, runner)
                        .map_err(|fault| SideFault { who, fault })?;
                }
                runner.pause().map_err(|fault| SideFault { who, fault })?;
            }
            if block < SETTLING {
                for runner in runners.iter_mut() {
                    runner.enclose();
                }
            }
            series.order.push(block_order(order));
            series.a.push(samples[BASELINE]);
            series.a_prime.push(samples[SECOND]);
            series.b.push(samples[CANDIDATE]);
        }
        self.logs[number].launch(&runs);
        Ok(series)
    }

    fn batch(&mut self, plan: Plan, long: bool) -> Batch {
        plan.batch(long, self.engine.experiment.tuning.cache, &mut self.stream, self.entropy)
    }

    /// Compares outputs of slots that were just timed; which, is drawn now.
    #[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
    fn look_at(
        &mut self,
        who: usize,
        trial: &Trial,
        fill: &Fill,
        operands: &[Operand],
        batch: &Batch,
        nonce: u64,
        runner: &mut (dyn Runner + 'a),
    ) -> Result<(), RunnerFault> {
        let mut slots: Vec<u32> = batch.order.clone();
        self.stream.shuffle(&mut slots);
        let bytes: u64 =
            operands.iter().filter(|operand| operand.role != Role::Input).map(Operand::bytes).sum();
        let fit = usize::try_from(LOOKED_AT_BYTES / bytes.max(1)).unwrap_or(usize::MAX);
        let least = self.engine.experiment.tuning.policy.measure.checked_slots.max(1) as usize;
        slots.truncate(least.max(fit));
        if slots.is_empty() {
            return Ok(());
        }
        slots.sort_unstable();
        let dump = runner.dump(&slots)?;
        let name = if who == CANDIDATE { self.candidate.clone() } else { "baseline".to_owned() };
        let comparison = Comparison { experiment: self.engine.experiment, trial, fill, operands, nonce };
        let check = comparison.check(&name, "timed", self.builds[usize::from(who == CANDIDATE)], &dump);
        // One passed check a case and side is kept, and every failed one.
        let kept =
            self.checks.iter().position(|old| old.passed && old.case == check.case && old.side == check.side);
        match kept {
            Some(at) if check.passed => self.checks[at] = check,
            _ => self.checks.push(check),
        }
        Ok(())
    }
}

/// The record's name of an order of sides.
const fn block_order(order: [usize; 3]) -> BlockOrder {
    match order {
        [BASELINE, SECOND, _] => BlockOrder::Apb,
        [BASELINE, _, _] => BlockOrder::Abp,
        [SECOND, BASELINE, _] => BlockOrder::Pab,
        [SECOND, _, _] => BlockOrder::Pba,
        [_, BASELINE, _] => BlockOrder::Bap,
        _ => BlockOrder::Bpa,
    }
}
