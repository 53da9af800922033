//! How long one call takes, and how calls reach the device so that what is timed is the kernel and not its launches. Nothing here is a sample.

use super::checked::Checked;
use super::plan::{MOST_PASSES, MOST_QUEUED, Need, Plan};
use crate::runner::{Batch, FaultKind, Launching, Operand, Role, Runner, RunnerFault};
use crate::spec::CacheMode;

/// Calls shorter than this, in ns, are recorded or held back on a device: the host needs a few microseconds for each launch.
pub(super) const SHORT_CALL_NS: u64 = 20_000;
/// A run this long tells the time of a call.
const LONG_ENOUGH_NS: u64 = 200_000;

/// The time of one call, from a run long enough to tell.
///
/// # Errors
/// Where the runner gives no usable answer.
pub(super) fn call_ns(runner: &mut dyn Runner, slots: u32, launch: Launching) -> Result<u64, RunnerFault> {
    runner.resume()?;
    let most = match launch {
        Launching::Stream => MOST_PASSES,
        Launching::Graph | Launching::Held => (MOST_QUEUED / u64::from(slots.max(1))).max(1),
    };
    let mut passes = 1;
    loop {
        let batch = Batch { launch, ..Batch::plain((0..slots).collect(), passes, 2) };
        let best = runner.run(&batch)?.samples.into_iter().min().unwrap_or(0);
        if best >= LONG_ENOUGH_NS || passes >= most {
            runner.pause()?;
            return Ok((best / (passes * u64::from(slots.max(1)))).max(1));
        }
        passes = (passes * 8).min(most);
    }
}

/// Whether a runner can launch this way; that it cannot is an answer and not a fault.
///
/// # Errors
/// Where the runner gives no usable answer.
pub(super) fn can(runner: &mut dyn Runner, launch: Launching) -> Result<bool, RunnerFault> {
    runner.resume()?;
    let tried = runner.run(&Batch { launch, ..Batch::plain(vec![0], 2, 1) });
    runner.pause()?;
    match tried {
        Ok(_) => Ok(true),
        Err(fault) if fault.kind == FaultKind::Refused => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// What calibration saw of a case: one call of its faster and its slower side, ns, and how calls are launched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) fastest: u64,
    pub(super) slowest: u64,
    pub(super) launch: Launching,
}

impl Pace {
    /// How many slots, rounds and batches a sample of this case needs.
    pub(super) fn plan(
        self,
        checked: &Checked<'_>,
        operands: &[Operand],
        slots: u32,
        mode: CacheMode,
    ) -> Plan {
        let (engine, tuning) = (checked.engine, &checked.engine.experiment.tuning);
        let ticks = u64::from(tuning.policy.judge.min_ticks) * checked.tick_ns * 2;
        Plan::of(&Need {
            slots,
            fastest: self.fastest,
            slowest: self.slowest,
            span: tuning.sample_ns.max(ticks),
            slot_bytes: operands.iter().map(Operand::bytes).sum(),
            in_place: operands.iter().any(|operand| operand.role == Role::InOut),
            mode,
            cache: engine.device.last_level_cache(),
            launch: self.launch,
            queues: engine.device.queues(),
        })
    }
}
