//! One run of a held case with both clocks around it.

use super::checking::{preparation, same_inputs};
use super::engine::Engine;
use super::outside_clock::Seen;
use super::plan::Plan;
use super::trial::Trial;
use super::unfinished::Batched;
use crate::runner::{Batch, FaultKind, InputDigests, Operand, Preparation, Runner, RunnerFault};

/// What one run gave: its sample, and what was seen around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub(super) batched: Batched,
    pub(super) seen: Seen,
}

/// Runs a batch. Where there is a nonce, outputs are destroyed first.
///
/// # Errors
/// Where the runner gives no usable answer; a sample of nothing is none.
pub(super) fn timed_run(
    engine: &Engine<'_>,
    runner: &mut dyn Runner,
    batch: &Batch,
    plan: Plan,
    long: bool,
    nonce: Option<u64>,
) -> Result<Timed, RunnerFault> {
    runner.resume()?;
    if let Some(nonce) = nonce.filter(|_| batch.poison.is_none()) {
        runner.poison(nonce)?;
    }
    let start = engine.clock.now();
    let ran = runner.run(batch)?;
    let wall_ns = engine.clock.now().since(start).0.unsigned_abs();
    let of = |figures: &[u64]| figures.get(plan.sample).copied().unwrap_or(0);
    let sample_ns = of(&ran.samples);
    if sample_ns == 0 {
        return Err(RunnerFault::new(FaultKind::Garbage, "reported a sample of 0 ns"));
    }
    let sum = |figures: &[u64]| figures.iter().fold(0_u64, |sum, figure| sum.saturating_add(*figure));
    let seen = Seen {
        long,
        wall_ns,
        // What lay beside the calls is no batch's time; work that ran on is, wherever it was put.
        aside_ns: sum(&ran.aside),
        reported_ns: sum(&ran.samples).saturating_add(sum(&ran.after)),
    };
    Ok(Timed { batched: Batched { sample_ns, after_ns: of(&ran.after) }, seen })
}

/// Prepares a case and leaves the process standing still.
///
/// # Errors
/// Where the runner gives no usable answer, or holds other inputs than the checked ones.
pub(super) fn hold(
    runner: &mut dyn Runner,
    trial: &Trial,
    operands: &[Operand],
    slots: u32,
    known: &[InputDigests],
) -> Result<(), RunnerFault> {
    runner.resume()?;
    let distinct = known.len() as u32;
    let held = runner.prepare(&Preparation { distinct, ..preparation(trial, slots, operands.to_vec()) })?;
    // Slots beyond the checked ones hold the same data again.
    let expected: Vec<InputDigests> = known.iter().cycle().take(slots as usize).cloned().collect();
    same_inputs(&expected, &held)?;
    runner.pause()
}
