//! Calls that are timed to see whether samples mean what they should. Nothing here becomes a sample.

use super::super::checking::preparation;
use super::super::first_write::{FirstSight, FirstWrite};
use super::{BASELINE, CANDIDATE, Plan, Runners, SideFault, Timing, Trial};
use crate::draw::Entropy;
use crate::runner::{Batch, Launching};
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
        let mut side = |who: usize, entropy: &mut dyn Entropy| {
            FirstWrite::of(runners[who].as_mut(), &batch, entropy).map_err(|fault| SideFault { who, fault })
        };
        let baseline = side(BASELINE, self.entropy)?;
        let candidate = side(CANDIDATE, self.entropy)?;
        let least_ns = self.checked.tick_ns.saturating_mul(50);
        if let Some(why) = candidate.skips(baseline, batch.order.len(), least_ns) {
            let detail = format!("case {}, {}: {why}", trial.case.name, self.candidate);
            self.voids.push(VoidFinding { cause: VoidCause::Skipped, detail });
        }
        Ok(())
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
        if once.launch == Launching::Graph {
            // A graph is replayed once before it is timed.
            once.launch = Launching::Held;
        }
        let mut seen = [FirstSight::NEVER; 2];
        let least_ns = self.checked.tick_ns.saturating_mul(50);
        let mut why = None;
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
                for (seen, who) in seen.iter_mut().zip([BASELINE, CANDIDATE]) {
                    let runner = runners[who].as_mut();
                    let mut look = || {
                        runner.resume()?;
                        *seen = seen.look(runner, &operands, &once, self.entropy)?;
                        runner.pause()
                    };
                    look().map_err(|fault| SideFault { who, fault })?;
                }
            }
            let [baseline, candidate] = seen;
            why = candidate.remembers(baseline, once.order.len(), least_ns);
            if why.is_none() {
                break;
            }
        }
        if let Some(why) = why {
            let detail = format!("case {}, {}: {why}", trial.case.name, self.candidate);
            self.voids.push(VoidFinding { cause: VoidCause::Skipped, detail });
        }
        Ok(())
    }
}
