//! How long one call takes, and how calls reach the device so that what is timed is the kernel and not its launches. Nothing here is a sample.

use super::checked::Checked;
use super::plan::{MOST_PASSES, MOST_QUEUED, Need, Plan};
use crate::runner::{Batch, FaultKind, Launching, Operand, Role, Runner, RunnerFault};
use crate::spec::CacheMode;

/// Calls shorter than this, in ns, are recorded or held back on a device: the host needs a few microseconds for each launch.
const SHORT_CALL_NS: u64 = 20_000;
/// Up to here a call may look as long as its launches: Python needs tens of microseconds for each, and an operation may be dozens of kernels.
const MAY_BE_ITS_LAUNCH_NS: u64 = 1_000_000;
/// A run this long tells the time of a call.
const LONG_ENOUGH_NS: u64 = 200_000;

/// The time of one call of one side, ns, by each way of launching that it can take.
#[derive(Clone, Copy, Debug)]
pub(super) struct SidePace {
    stream: u64,
    graph: Option<u64>,
    held: Option<u64>,
}

impl SidePace {
    /// Times calls of a held case.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn of(runner: &mut dyn Runner, slots: u32, queues: bool) -> Result<Self, RunnerFault> {
        let stream = call_ns(runner, slots, Launching::Stream)?;
        let mut by = |launch| {
            if !queues || stream >= MAY_BE_ITS_LAUNCH_NS || !can(runner, launch)? {
                return Ok(None);
            }
            match call_ns(runner, slots, launch) {
                // So many calls at once are more than the device takes; that says nothing against the side.
                Err(fault) if fault.kind == FaultKind::Refused => runner.pause().map(|()| None),
                time => time.map(Some),
            }
        };
        Ok(Self { stream, graph: by(Launching::Graph)?, held: by(Launching::Held)? })
    }

    const fn by(&self, launch: Launching) -> Option<u64> {
        match launch {
            Launching::Stream => Some(self.stream),
            Launching::Graph => self.graph,
            Launching::Held => self.held,
        }
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
    /// The first way of launching that all sides can take and that tells more than their launches do; one by one where there is none.
    pub(super) fn of(sides: &[SidePace]) -> Self {
        let by = |launch: Launching| {
            let times: Option<Vec<u64>> = sides.iter().map(|side| side.by(launch)).collect();
            let times = times?;
            let (fastest, slowest) = (times.iter().copied().min()?, times.iter().copied().max()?);
            Some(Self { fastest, slowest, launch })
        };
        let plain =
            by(Launching::Stream).unwrap_or(Self { fastest: 1, slowest: 1, launch: Launching::Stream });
        let queued = [Launching::Graph, Launching::Held].into_iter().find_map(by);
        match queued {
            // A fifth less for either side: what was taken for the call was its launch.
            Some(queued)
                if queued.fastest < SHORT_CALL_NS
                    || queued.fastest < plain.fastest / 5 * 4
                    || queued.slowest < plain.slowest / 5 * 4 =>
            {
                queued
            }
            _ => plain,
        }
    }

    /// How many slots, rounds and batches a sample of this case needs.
    pub(super) fn plan(
        self,
        checked: &Checked<'_>,
        operands: &[Operand],
        slots: u32,
        mode: CacheMode,
    ) -> Plan {
        let (engine, tuning) = (checked.engine, &checked.engine.experiment.tuning);
        let ticks =
            u64::from(tuning.policy.judge.min_ticks).saturating_mul(checked.tick_ns).saturating_mul(2);
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

/// The time of one call, from a run long enough to tell.
///
/// # Errors
/// Where the runner gives no usable answer.
fn call_ns(runner: &mut dyn Runner, slots: u32, launch: Launching) -> Result<u64, RunnerFault> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const fn side(stream: u64, graph: Option<u64>, held: Option<u64>) -> SidePace {
        SidePace { stream, graph, held }
    }

    #[test]
    fn a_call_that_looks_as_long_as_its_launch_is_measured_without_it() {
        // A kernel of 7 µs that Python needs 25 µs to launch, beside one of 6 µs.
        let pace = Pace::of(&[side(25_000, Some(7_000), None), side(26_000, Some(6_000), None)]);
        assert_eq!((pace.launch, pace.fastest, pace.slowest), (Launching::Graph, 6_000, 7_000));
        // One side is host-bound at 30 µs, the other is not.
        let pace = Pace::of(&[side(60_000, Some(59_000), None), side(60_000, Some(30_000), None)]);
        assert_eq!(pace.launch, Launching::Graph);
    }

    #[test]
    fn a_long_call_is_launched_as_it_is() {
        let pace = Pace::of(&[side(60_000, Some(59_000), None), side(58_000, Some(57_000), None)]);
        assert_eq!((pace.launch, pace.fastest), (Launching::Stream, 58_000));
        assert_eq!(Pace::of(&[side(500_000, None, None)]).launch, Launching::Stream);
    }

    #[test]
    fn both_sides_are_launched_in_one_way() {
        let pace = Pace::of(&[side(9_000, Some(8_000), Some(8_500)), side(9_000, None, Some(7_000))]);
        assert_eq!((pace.launch, pace.fastest, pace.slowest), (Launching::Held, 7_000, 8_500));
        let pace = Pace::of(&[side(9_000, Some(8_000), None), side(9_000, None, Some(7_000))]);
        assert_eq!(pace.launch, Launching::Stream);
    }
}
