//! Everything that was seen of one case's runs beside their samples, over all launches: both clocks, and what ran on afterwards.

use super::outside_clock::{ClockLog, Seen};
use super::plan::Plan;
use super::timed_run::Timed;
use super::timing::{BASELINE, CANDIDATE};
use super::unfinished::{Batched, ran_on};
use kforge_record::{ClockCheck, VoidCause, VoidFinding};

/// What the baseline has beside its calls in the middle of its runs, and in one of four, in quarters.
const USUALLY: usize = 2;
const OFTEN: usize = 3;
/// Why a clock cannot be compared where only the first of these says that it is wrong.
const PAUSES: &str = "runs are interrupted beside their calls so often that the clock outside cannot be compared; measure on a machine that is less busy";

/// What harnesses of different languages differ by between two batches, ns; and where calls are queued to a device that is waited for.
const BETWEEN_NS: i64 = 20_000;
const BETWEEN_QUEUED_NS: i64 = 100_000;

/// Less than this share of the baseline's time is a win by the usual minimum effect.
const NO_WIN: f64 = 0.99;

fn too_small(lost: f64) -> String {
    format!(
        "the machine is too busy to compare its clock with the one outside closer than to {:.0} %, and the candidate is not quicker by more than that; measure on a machine that is less busy",
        100.0 * lost
    )
}

fn middle_ns(batches: &[Batched]) -> f64 {
    let mut samples: Vec<u64> = batches.iter().map(|batch| batch.sample_ns).collect();
    samples.sort_unstable();
    samples.get(samples.len() / 2).copied().unwrap_or(0) as f64
}

/// The same where the sides have harnesses of different languages, which restore and destroy operands at different prices.
const LANGUAGES: &str = "it is written in another language than the baseline, and what its harness does beside the calls takes too much of a sample to be told from them; make samples longer (sample_us) or write both in one language";

/// On which terms clocks are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The relative disagreement that the policy allows.
    pub(super) allowed: f64,
    /// Calls are queued to a device.
    pub(super) queues: bool,
    /// Both sides have a harness of one language.
    pub(super) alike: bool,
}

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
        terms: Terms,
    ) -> (Vec<ClockCheck>, Vec<VoidFinding>) {
        let Terms { allowed, queues, alike } = terms;
        let (mut checks, mut voids) = (Vec::new(), Vec::new());
        let [baseline, mine] = &self.clocks;
        let [usual, often] = [USUALLY, OFTEN].map(|quarters| mine.as_usual(baseline, quarters));
        let runs = plan.calls() * plan.short;
        let mut void = |cause: VoidCause, side: &str, why: &str| {
            voids.push(VoidFinding { cause, detail: format!("case {case}, {side}: {why}") });
        };
        for (side, log) in [("baseline", baseline), (candidate, &usual)] {
            match log.check(case, side, runs, allowed) {
                Some(Ok(check))
                    if !check.agrees && side == candidate && self.may_be_pauses(runs, allowed) =>
                {
                    void(VoidCause::Environment, side, PAUSES);
                }
                Some(Ok(check))
                    if !check.agrees && side == candidate && !alike && self.agrees(runs, allowed) =>
                {
                    void(VoidCause::Environment, side, LANGUAGES);
                }
                Some(Ok(check)) => checks.push(check),
                Some(Err(why)) => void(VoidCause::Environment, side, &why),
                // A win would rest on the runner's clock alone.
                None => void(VoidCause::Environment, side, "the clock was not compared with the one outside"),
            }
        }
        let allowed_ns = allowed * self.usual_sample_ns();
        if let Some(why) = usual.leaves_out(baseline, allowed_ns) {
            match often.leaves_out(baseline, allowed_ns) {
                Some(_) if !alike && mine.leaves_out(baseline, allowed_ns).is_none() => {
                    void(VoidCause::Environment, candidate, LANGUAGES);
                }
                Some(_) => void(VoidCause::Clock, candidate, &why),
                None => void(VoidCause::Environment, candidate, PAUSES),
            }
        }
        // Long runs have three more batches for each of a short one.
        let between = if queues { BETWEEN_QUEUED_NS } else { BETWEEN_NS };
        let slack_ns = between.saturating_mul(3).saturating_mul(i64::try_from(plan.short).unwrap_or(1));
        if let Some(why) = mine.runs_slow(baseline, slack_ns) {
            void(VoidCause::Clock, candidate, &why);
        } else if often.runs_slow(baseline, slack_ns).is_some() {
            // Only what it says to have done beside its calls speaks for it, and pauses look the same.
            void(VoidCause::Environment, candidate, PAUSES);
        } else if let Some(lost) = often.may_have_lost(baseline, slack_ns)
            && self.is_win_within(lost)
        {
            void(VoidCause::Environment, candidate, &too_small(lost));
        }
        let [baseline, mine] = &self.batches;
        if let Some(why) = ran_on(mine, baseline) {
            void(VoidCause::Unfinished, candidate, &why);
        }
        (checks, voids)
    }

    /// The middle sample of the baseline, ns.
    fn usual_sample_ns(&self) -> f64 {
        self.middles_ns()[0]
    }

    /// Whether the candidate looks quicker.
    pub(super) fn looks_quicker(&self) -> bool {
        let [baseline, mine] = self.middles_ns();
        mine < NO_WIN * baseline
    }

    /// Whether the candidate looks quicker, and would not if its clock had lost this share.
    fn is_win_within(&self, lost: f64) -> bool {
        let [baseline, mine] = self.middles_ns();
        self.looks_quicker() && mine * (1.0 + lost) >= NO_WIN * baseline
    }

    /// The middle samples of baseline and candidate, ns.
    fn middles_ns(&self) -> [f64; 2] {
        self.batches.each_ref().map(|batches| middle_ns(batches))
    }

    /// Whether the candidate's clock agrees where what it says to have done beside its calls is believed.
    fn agrees(&self, runs: u64, allowed: f64) -> bool {
        matches!(self.clocks[1].check("", "", runs, allowed), Some(Ok(check)) if check.agrees)
    }

    /// Whether the candidate's clock agrees once it is granted what one of four runs of the baseline has beside its calls: then a busy
    /// machine is as likely as a side that puts time there.
    fn may_be_pauses(&self, runs: u64, allowed: f64) -> bool {
        let [baseline, mine] = &self.clocks;
        let answer = mine.as_usual(baseline, OFTEN).check("", "", runs, allowed);
        !matches!(answer, Some(Ok(check)) if !check.agrees)
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
        let (checks, voids) = CaseLog::default().conclude(
            "decode",
            "vec",
            plan,
            Terms { allowed: 0.1, queues: false, alike: true },
        );
        assert!(checks.is_empty());
        let told: Vec<&str> = voids.iter().map(|void| void.detail.as_str()).collect();
        assert!(told.len() == 2 && told.iter().all(|detail| detail.contains("was not compared")), "{told:?}");
    }
}
