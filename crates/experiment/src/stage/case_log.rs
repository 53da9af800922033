//! Everything that was seen of one case's runs beside their samples, over all launches: both clocks, and what ran on afterwards.

use super::outside_clock::{ClockLog, Seen};
use super::plan::Plan;
use super::timed_run::Timed;
use super::timing::{BASELINE, CANDIDATE};
use super::unfinished::{Batched, ran_on};
use kforge_record::{ClockCheck, VoidCause, VoidFinding};

/// The log of one case, for the baseline and the candidate.
#[derive(Default)]
pub(super) struct CaseLog {
    clocks: [ClockLog; 2],
    batches: [Vec<Batched>; 2],
}

impl CaseLog {
    /// Adds the runs of one launch, a list for each of its processes.
    pub(super) fn launch(&mut self, runs: &[Vec<Timed>; 3]) {
        for (side, who) in [BASELINE, CANDIDATE].into_iter().enumerate() {
            let seen: Vec<Seen> = runs[who].iter().map(|run| run.seen).collect();
            self.clocks[side].launch(&seen);
            self.batches[side].extend(runs[who].iter().map(|run| run.batched));
        }
    }

    /// What the record keeps of the clocks, and what voids the measurement.
    pub(super) fn conclude(
        &self,
        case: &str,
        candidate: &str,
        plan: Plan,
        allowed: f64,
    ) -> (Vec<ClockCheck>, Vec<VoidFinding>) {
        let (mut checks, mut voids) = (Vec::new(), Vec::new());
        let [baseline, mine] = &self.clocks;
        for (name, log) in [("baseline", baseline), (candidate, &mine.as_usual(baseline))] {
            match log.check(case, name, plan.calls() * plan.short, allowed) {
                Some(Ok(check)) => checks.push(check),
                Some(Err(detail)) => voids.push(VoidFinding { cause: VoidCause::Environment, detail }),
                // A win would rest on the runner's clock alone.
                None => voids.push(VoidFinding {
                    cause: VoidCause::Environment,
                    detail: format!("case {case}, {name}: the clock was not compared with the one outside"),
                }),
            }
        }
        let mut samples: Vec<u64> = self.batches[0].iter().map(|batch| batch.sample_ns).collect();
        samples.sort_unstable();
        let usual = samples.get(samples.len() / 2).copied().unwrap_or(0);
        if let Some(why) = mine.as_usual(baseline).leaves_out(baseline, allowed * usual as f64) {
            voids.push(VoidFinding {
                cause: VoidCause::Clock,
                detail: format!("case {case}, {candidate}: {why}"),
            });
        }
        let [baseline, mine] = &self.batches;
        if let Some(why) = ran_on(mine, baseline) {
            let detail = format!("case {case}, {candidate}: {why}");
            voids.push(VoidFinding { cause: VoidCause::Unfinished, detail });
        }
        (checks, voids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::Launching;

    #[test]
    fn a_case_whose_clock_was_not_compared_on_a_side_voids_the_measurement() {
        let plan = Plan {
            slots: 1,
            round: 1,
            passes: 1,
            short: 2,
            sample: 1,
            launch: Launching::default(),
            flush: 0,
            fresh: false,
        };
        let (checks, voids) = CaseLog::default().conclude("decode", "vec", plan, 0.1);
        assert!(checks.is_empty());
        let told: Vec<&str> = voids.iter().map(|void| void.detail.as_str()).collect();
        assert!(told.len() == 2 && told.iter().all(|detail| detail.contains("was not compared")), "{told:?}");
    }
}
