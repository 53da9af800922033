//! One side without a rival: how long does a call take, with the caches warm and cold?
//!
//! It is the same harness, the same plans and the same blocks as where candidates are judged, in fresh processes again and again, and only what
//! passed every check is timed. Nothing is judged here: times of different runs are not compared, since the machine changes between them.
//! Invariant: every sample is kept; nothing is averaged.

use super::built::runner_error;
use super::calibration::{Pace, SidePace};
use super::checked::Checked;
use super::checking::{Comparison, Expectation};
use super::engine::Event;
use super::facts::limit;
use super::outside_clock::ClockLog;
use super::plan::{Plan, lengths, nonce};
use super::timed_run::{hold, timed_run};
use super::trial::Trial;
use super::unfinished::{Batched, ran_on};
use crate::draw::Entropy;
use crate::error::Error;
use crate::philox::Stream;
use crate::runner::{Launching, Operand, Runner, RunnerFault};
use crate::spec::CacheMode;
use kforge_record::{CaseOrigin, Check, FloorStatus};

/// What was seen of one side alone.
#[derive(Clone, Debug)]
pub struct Benched {
    /// Every declared case in every cache mode that was asked for.
    pub cases: Vec<CaseTimes>,
    /// Why the times may not be what they seem: a clock that disagrees, outputs of timed runs that are wrong, something rebuilt.
    pub doubts: Vec<String>,
}

/// The samples of one case in one cache mode.
#[derive(Clone, Debug)]
pub struct CaseTimes {
    /// The case's name.
    pub case: String,
    /// Whether caches held the operands.
    pub cache: CacheMode,
    /// How calls reached the device.
    pub launching: Launching,
    /// Calls in one sample.
    pub calls: u64,
    /// Whole samples in ns, in the order in which they were taken, launch by launch.
    pub launches: Vec<Vec<u64>>,
    /// What one call must move, where the experiment says it.
    pub bytes: Option<u64>,
    /// What one call must compute.
    pub flops: Option<u64>,
    /// The physical limit, or why it is not known.
    pub limit: FloorStatus,
}

/// A case in a mode, while it is timed.
struct Timed<'c> {
    trial: &'c Trial,
    expectation: &'c Expectation,
    cache: CacheMode,
    plan: Option<Plan>,
    clock: ClockLog,
    batches: Vec<Batched>,
    launches: Vec<Vec<u64>>,
}

/// One side that is right on every case.
pub struct Alone<'c, 'a> {
    checked: &'c Checked<'a>,
    side: String,
    stream: Stream,
    checks: Vec<Check>,
}

impl<'a> Checked<'a> {
    /// A side by itself, or why it is not worth timing.
    pub fn alone<'c>(&'c self, side: &str, entropy: &mut dyn Entropy) -> Result<Alone<'c, 'a>, String> {
        match self.wrong(side) {
            Some(why) => Err(why),
            None => Ok(Alone {
                checked: self,
                side: side.to_owned(),
                stream: Stream::new(entropy.seed(), 2),
                checks: Vec::new(),
            }),
        }
    }
}

impl<'c, 'a> Alone<'c, 'a> {
    /// Times every declared case in these modes, so many launches.
    ///
    /// # Errors
    /// A runner that gives no usable answer, an interrupt.
    pub fn measure(
        mut self,
        modes: &[CacheMode],
        launches: u32,
        entropy: &mut dyn Entropy,
    ) -> Result<Benched, Error> {
        let checked = self.checked;
        let engine = checked.engine;
        let declared = checked.trials.iter().filter(|trial| trial.origin == CaseOrigin::Declared);
        let mut cases: Vec<Timed<'c>> = declared
            .filter_map(|trial| Some((trial, checked.expectations.get(&trial.case.name)?)))
            .flat_map(|(trial, expectation)| {
                modes.iter().map(move |cache| Timed {
                    trial,
                    expectation,
                    cache: *cache,
                    plan: None,
                    clock: ClockLog::default(),
                    batches: Vec::new(),
                    launches: Vec::new(),
                })
            })
            .collect();
        let mut doubts = Vec::new();
        (engine.report)(Event::Stage(format!("timing {}", self.side)));
        for launch in 0..launches {
            engine.go_on()?;
            (engine.report)(Event::Step(u64::from(launch), u64::from(launches)));
            let last = launch + 1 == launches;
            self.launch(&mut cases, last, entropy, &mut doubts)
                .map_err(|fault| runner_error(&self.side, &fault))?;
        }
        let allowed = engine.experiment.tuning.policy.measure.clock_agreement;
        let wrong = self.checks.iter().filter(|check| !check.passed);
        doubts.extend(wrong.map(|check| format!("outputs of timed runs are wrong: {}", check.complaint())));
        for case in &cases {
            doubts.extend(case.doubt(&self.side, allowed));
        }
        Ok(Benched { cases: cases.into_iter().filter_map(|case| case.times(checked)).collect(), doubts })
    }

    /// All cases in a fresh process.
    fn launch(
        &mut self,
        cases: &mut [Timed<'c>],
        last: bool,
        entropy: &mut dyn Entropy,
        doubts: &mut Vec<String>,
    ) -> Result<(), RunnerFault> {
        let engine = self.checked.engine;
        let (mut runner, _) = engine.greet(&self.side)?;
        runner.pause()?;
        for case in cases {
            self.blocks(case, runner.as_mut(), entropy)?;
        }
        if last {
            runner.resume()?;
            let loaded = runner.loaded()?;
            let found = engine.workshop.recheck(&self.side, &loaded);
            doubts.extend(found.into_iter().map(|found| format!("{}: {}", found.cause.word(), found.detail)));
        }
        runner.quit();
        Ok(())
    }

    fn blocks(
        &mut self,
        case: &mut Timed<'c>,
        runner: &mut (dyn Runner + 'a),
        entropy: &mut dyn Entropy,
    ) -> Result<(), RunnerFault> {
        let engine = self.checked.engine;
        let (trial, expectation) = (case.trial, case.expectation);
        let fill = &expectation.fills[self.stream.below(2) as usize];
        let operands = engine.contestant_operands(&trial.case, fill.seed, expectation.slots)?;
        let plan = if let Some(plan) = case.plan {
            plan
        } else {
            hold(runner, trial, &operands, expectation.slots, &fill.inputs)?;
            *case.plan.insert(self.calibrate(runner, &operands, expectation.slots, case.cache)?)
        };
        hold(runner, trial, &operands, plan.slots, &fill.inputs)?;
        let lengths = lengths(&engine.experiment.tuning, &mut self.stream);
        let looked_at = self.stream.below(lengths.len() as u64) as usize;
        let (mut samples, mut seen) = (Vec::new(), Vec::new());
        for (block, long) in lengths.into_iter().enumerate() {
            let batch = plan.batch(long, case.cache, &mut self.stream, entropy);
            let nonce = (block == looked_at).then(|| batch.poison.unwrap_or_else(|| nonce(entropy)));
            let run = timed_run(&engine, runner, &batch, plan, long, nonce)?;
            samples.push(run.batched.sample_ns);
            case.batches.push(run.batched);
            seen.push(run.seen);
            if let Some(nonce) = nonce {
                let slot = batch.order.first().copied().unwrap_or(0);
                let dump = runner.dump(&[slot])?;
                let experiment = engine.experiment;
                let comparison = Comparison { experiment, trial, fill, operands: &operands, nonce };
                let build = self.checked.sides.iter().find(|side| side.name == self.side);
                if let Some(build) = build.and_then(|side| side.side.build.as_ref()) {
                    self.checks.push(comparison.check(&self.side, "timed", build.id, &dump));
                }
            }
        }
        runner.pause()?;
        case.clock.launch(&seen);
        case.launches.push(samples);
        Ok(())
    }

    fn calibrate(
        &self,
        runner: &mut dyn Runner,
        operands: &[Operand],
        slots: u32,
        mode: CacheMode,
    ) -> Result<Plan, RunnerFault> {
        let engine = self.checked.engine;
        let pace = SidePace::of(runner, slots, engine.device.queues())?;
        Ok(Pace::of(&[pace]).plan(self.checked, operands, slots, mode))
    }
}

impl Timed<'_> {
    /// Why the runner's own times may be wrong. Without a rival there is no other side to measure against: what a run takes beside its calls is
    /// not held against it.
    fn doubt(&self, side: &str, allowed: f64) -> Option<String> {
        let plan = self.plan?;
        let (case, cache) = (&self.trial.case.name, self.cache.word());
        let nothing: Vec<Batched> = self.batches.iter().map(|run| Batched { after_ns: 0, ..*run }).collect();
        if let Some(why) = ran_on(&self.batches, &nothing) {
            return Some(format!("case {case}, {cache}: {why}"));
        }
        if self.cache == CacheMode::Swept {
            // A batch is one call, and what a batch takes beside it is as long: no clock outside can tell them apart.
            return None;
        }
        match self.clock.check(case, side, plan.calls() * plan.short, allowed) {
            Some(Ok(check)) if check.agrees => None,
            Some(Ok(_)) => {
                Some(format!("case {case}, {cache}: the clock outside disagrees with the reported times"))
            }
            Some(Err(why)) => Some(format!("case {case}, {cache}: {why}")),
            None => Some(format!("case {case}, {cache}: the clock was not compared with the one outside")),
        }
    }

    fn times(self, checked: &Checked<'_>) -> Option<CaseTimes> {
        let plan = self.plan?;
        let ((bytes, flops), limit) = limit(checked, self.trial, self.cache);
        Some(CaseTimes {
            case: self.trial.case.name.clone(),
            cache: self.cache,
            launching: plan.launch,
            calls: plan.calls(),
            launches: self.launches,
            bytes,
            flops,
            limit,
        })
    }
}
