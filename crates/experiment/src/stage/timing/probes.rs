//! Calls that are timed to see whether samples mean what they should. Nothing here becomes a sample.

use super::super::calibration::can;
use super::super::checking::preparation;
use super::super::first_write::{Caches, FirstSight, FirstWrite, Look, PutOff};
use super::super::pairs::Told;
use super::super::plan::nonce;
use super::{BASELINE, CANDIDATE, Plan, Runners, SideFault, Timing, Trial};
use crate::clock::Clock;
use crate::draw::Entropy;
use crate::runner::{Batch, Launching, Runner, RunnerFault};
use kforge_record::{VoidCause, VoidFinding};

impl<'a> Timing<'_, 'a, '_> {
    /// Compares calls whose outputs were just destroyed with calls of a timed batch, once a case.
    pub(super) fn first_write(
        &mut self,
        trial: &Trial,
        plan: Plan,
        runners: &mut Runners<'a>,
    ) -> Result<(), SideFault> {
        let batch = self.batch(plan, false);
        let (device, least_ns) = (self.engine.device, self.checked.tick_ns.saturating_mul(50));
        let caches = Caches::of(device.last_level_cache(), device.queues(), least_ns);
        let mut seen = [FirstWrite::NEVER, FirstWrite::NEVER];
        let mut told = Told::Nothing;
        for _ in 0..FirstSight::ROUNDS {
            for (seen, who) in seen.iter_mut().zip([BASELINE, CANDIDATE]) {
                seen.once_more(runners[who].as_mut(), &batch, caches, self.entropy)
                    .map_err(|fault| SideFault { who, fault })?;
            }
            let [baseline, candidate] = &seen;
            told = candidate.skips(baseline, batch.order.len(), caches);
            if told == Told::Nothing {
                break;
            }
        }
        self.tell(trial, told);
        Ok(())
    }

    /// Keeps what a probe has told: what is sure voids the measurement, a doubt spoils a win.
    fn tell(&mut self, trial: &Trial, told: Told) {
        let detail = |why: &str| format!("case {}, {}: {why}", trial.case.name, self.candidate);
        match told {
            Told::Nothing => {}
            Told::Perhaps(why) => self.doubts.push((trial.case.name.clone(), detail(&why))),
            Told::Surely(why) => {
                let finding = VoidFinding { cause: VoidCause::Skipped, detail: detail(&why) };
                self.voids.push(finding);
            }
        }
    }

    /// Compares calls on inputs that were never there before with the same calls again, once a case.
    pub(super) fn first_sight(
        &mut self,
        trial: &Trial,
        plan: Plan,
        slots: u32,
        runners: &mut Runners<'a>,
    ) -> Result<(), SideFault> {
        let mut once = Batch { batches: 1, passes: 1, ..self.batch(plan, false) };
        once.order = (0..slots).collect();
        unrecorded(&mut once, runners)?;
        let mut seen = [FirstSight::NEVER, FirstSight::NEVER];
        let least_ns = self.checked.tick_ns.saturating_mul(50);
        let mut told = Told::Nothing;
        // As many slots as there are contents: to refill all that a sample has would take longer than all else.
        let first = self.operands(trial, trial.seed, slots)?;
        for who in [BASELINE, CANDIDATE] {
            let runner = runners[who].as_mut();
            runner
                .resume()
                .and_then(|()| runner.prepare(&preparation(trial, slots, first.clone())))
                .and_then(|_| runner.pause())
                .map_err(|fault| SideFault { who, fault })?;
        }
        for _ in 0..FirstSight::ROUNDS {
            for _ in 0..FirstSight::TRIES {
                let fresh = self.entropy.seed();
                let operands = self.operands(trial, fresh, slots)?;
                self.stream.shuffle(&mut once.order);
                // The candidate first: results that somebody else computed before could be read from the other's memory.
                let mut times = [[Look::default(); 2]; 2];
                for round in 0..2 {
                    for (times, who) in times.iter_mut().zip([BASELINE, CANDIDATE]).rev() {
                        let (runner, clock) = (runners[who].as_mut(), self.engine.clock);
                        let time = FirstSight::look(runner, &operands, &once, self.entropy, clock);
                        times[round] = time.map_err(|fault| SideFault { who, fault })?;
                    }
                }
                for (seen, [new, again]) in seen.iter_mut().zip(times) {
                    seen.add(new, again);
                }
            }
            let [baseline, candidate] = &seen;
            told = candidate.remembers(baseline, once.order.len(), least_ns);
            if told == Told::Nothing {
                break;
            }
        }
        self.tell(trial, told);
        Ok(())
    }

    /// Whether a call writes the outputs of its own slot alone, and has written them when it is done; once a case. Asks the candidate, and for the
    /// second the baseline beside it.
    pub(super) fn own_work(
        &mut self,
        trial: &Trial,
        plan: Plan,
        slot_bytes: u64,
        runners: &mut Runners<'a>,
    ) -> Result<(), SideFault> {
        let mut once = Batch { batches: 1, passes: 1, poison: None, ..self.batch(plan, false) };
        unrecorded(&mut once, runners)?;
        let fit = usize::try_from(super::LOOKED_AT_BYTES / slot_bytes.max(1)).unwrap_or(usize::MAX).max(2);
        once.order = (0..plan.slots).collect();
        self.stream.shuffle(&mut once.order);
        once.order.truncate(fit);
        let fault = |who: usize| move |fault: RunnerFault| SideFault { who, fault };
        let (called, left) = once.order.split_at(once.order.len() / 2);
        if !called.is_empty() {
            let half = Batch { order: called.to_vec(), ..once.clone() };
            let mut left = left.to_vec();
            left.sort_unstable();
            let same = untouched(runners[CANDIDATE].as_mut(), &once, &half, &left, self.entropy);
            if !same.map_err(fault(CANDIDATE))? {
                let why = "outputs of a slot changed that no call was asked for: slots share their work";
                self.tell(trial, Told::Surely(why.to_owned()));
            }
        }
        let (mut put_off, mut calls_ns) = ([PutOff::default(), PutOff::default()], f64::INFINITY);
        let mut slots = once.order.clone();
        slots.sort_unstable();
        for _ in 0..FirstSight::ROUNDS {
            for _ in 0..FirstSight::TRIES {
                for (put_off, who) in put_off.iter_mut().zip([BASELINE, CANDIDATE]) {
                    let (runner, clock) = (runners[who].as_mut(), self.engine.clock);
                    let [ran, first, second] =
                        read_twice(runner, &once, &slots, self.entropy, clock).map_err(fault(who))?;
                    put_off.add(first, second);
                    if who == CANDIDATE {
                        calls_ns = calls_ns.min(ran);
                    }
                }
            }
        }
        // All rounds, whatever the first ones show: reading outputs is quick, and on a busy machine few pairs tell nothing.
        let [baseline, candidate] = &put_off;
        self.tell(trial, candidate.owes(baseline, calls_ns));
        Ok(())
    }
}

/// Makes a batch one that can be run once: a graph is replayed before it is timed. Calls are held back where both sides can do that.
fn unrecorded(once: &mut Batch, runners: &mut Runners<'_>) -> Result<(), SideFault> {
    if once.launch != Launching::Graph {
        return Ok(());
    }
    once.launch = Launching::Held;
    for who in [BASELINE, CANDIDATE] {
        if !can(runners[who].as_mut(), Launching::Held).map_err(|fault| SideFault { who, fault })? {
            once.launch = Launching::Stream;
        }
    }
    Ok(())
}

/// Whether outputs of slots that no call is made for stay as they are while others are written; all were called before.
fn untouched(
    runner: &mut dyn Runner,
    all: &Batch,
    half: &Batch,
    left: &[u32],
    entropy: &mut dyn Entropy,
) -> Result<bool, RunnerFault> {
    runner.resume()?;
    // Slots that share their work may do so from their first call on.
    runner.run(all)?;
    runner.poison(nonce(entropy))?;
    let before = runner.dump(left)?;
    runner.run(half)?;
    let after = runner.dump(left)?;
    runner.pause()?;
    Ok(before.outputs == after.outputs)
}

/// Runs, and reads the outputs twice: what the calls, the first and the second reading took, ns.
fn read_twice(
    runner: &mut dyn Runner,
    once: &Batch,
    slots: &[u32],
    entropy: &mut dyn Entropy,
    clock: &dyn Clock,
) -> Result<[f64; 3], RunnerFault> {
    runner.resume()?;
    runner.poison(nonce(entropy))?;
    let ran = runner.run(once)?.samples.into_iter().min().unwrap_or(u64::MAX) as f64;
    let mut read = || {
        let start = clock.now();
        runner.dump(slots)?;
        Ok::<f64, RunnerFault>(clock.now().since(start).0.unsigned_abs() as f64)
    };
    let times = [ran, read()?, read()?];
    runner.pause()?;
    Ok(times)
}
