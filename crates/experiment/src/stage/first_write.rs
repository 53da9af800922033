//! Does a call do its work again, or does it notice that its result is still there?
//!
//! Inside a timed batch each slot is called many times with the same operands, and its outputs then already hold the right
//! answer. A candidate that looks at them can leave without working, and every check passes. So calls whose outputs were
//! destroyed just before are timed beside the same calls again; where these cost far less than what a call costs in a batch, and the baseline
//! shows no such difference, the measurement says nothing. In the same way calls on inputs that were never there before are timed beside the
//! same calls again. Invariant: nothing here becomes a sample.

use super::plan::nonce;
use crate::clock::Clock;
use crate::draw::Entropy;
use crate::runner::{Batch, Launching, Operand, Runner, RunnerFault};

/// How often each kind of run is tried; the quickest of each counts, since other work only adds time.
const TRIES: u32 = 7;

/// What an honest kernel may show: caches and clocks are in another state after outputs were written from outside. Twice as much
/// beyond the baseline's own ratio has not been seen from any; a skipped call is many times quicker.
const ALLOWED: f64 = 2.0;

/// A call after its outputs were destroyed, the same call again, and a call of a batch as it is timed, ns.
///
/// The first two are runs of one round each, so that what a run costs beside its calls (a launch of a graph, say) is in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FirstWrite {
    fresh: f64,
    again: f64,
    repeated: f64,
}

impl FirstWrite {
    /// Before anything was timed.
    pub(super) const NEVER: Self =
        Self { fresh: f64::INFINITY, again: f64::INFINITY, repeated: f64::INFINITY };

    /// Times all kinds of call of one side. `timed` is the batch as it is measured. The quickest of each kind count, with those of before.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn once_more(
        self,
        runner: &mut dyn Runner,
        timed: &Batch,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, RunnerFault> {
        let once = Batch { passes: 1, batches: 1, poison: None, ..timed.clone() };
        let many = Batch { batches: 1, ..timed.clone() };
        let (mut fresh, mut again, mut repeated) = (u64::MAX, u64::MAX, u64::MAX);
        runner.resume()?;
        if once.launch == Launching::Graph {
            // Recording replays it once: the first try would meet its own results.
            runner.run(&once)?;
        }
        for _ in 0..TRIES {
            runner.poison(nonce(entropy))?;
            fresh = fresh.min(quickest(&runner.run(&once)?.samples));
            again = again.min(quickest(&runner.run(&once)?.samples));
            repeated = repeated.min(quickest(&runner.run(&many)?.samples));
        }
        runner.pause()?;
        let calls = timed.order.len().max(1) as f64;
        let all = calls * timed.passes.max(1) as f64;
        Ok(Self {
            fresh: self.fresh.min(fresh as f64 / calls),
            again: self.again.min(again as f64 / calls),
            repeated: self.repeated.min(repeated as f64 / all),
        })
    }

    /// What a call takes more once its outputs are gone.
    fn more(self) -> f64 {
        self.fresh - self.again
    }

    /// Why the candidate's times say nothing, where they do. Below `least_ns` a whole round is too short for the clock to tell.
    pub(super) fn skips(self, baseline: Self, calls: usize, least_ns: u64) -> Option<String> {
        let more = self.more() - baseline.more().max(0.0);
        let told = more * calls as f64 >= least_ns as f64;
        (told && more > (ALLOWED - 1.0) * self.repeated).then(|| {
            format!(
                "a call takes {:.0} ns more once its outputs were destroyed (the baseline {:.0} ns), and {:.0} ns in a timed batch: it leaves work out where its result is still there",
                self.more(),
                baseline.more(),
                self.repeated,
            )
        })
    }
}

/// A call on inputs that were never there, and a call on the same ones again, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    new_ns: f64,
    again_ns: f64,
}

impl Pair {
    /// Before anything was timed.
    const NEVER: Self = Self { new_ns: f64::INFINITY, again_ns: f64::INFINITY };

    /// With one more time of each kind; the quickest count.
    fn with(self, new_ns: f64, again_ns: f64) -> Self {
        Self { new_ns: self.new_ns.min(new_ns), again_ns: self.again_ns.min(again_ns) }
    }

    /// How many times longer a call takes on new inputs.
    fn ratio(self) -> f64 {
        self.new_ns / self.again_ns.max(f64::MIN_POSITIVE)
    }

    /// Whether the two kinds of call differ so many times more than the baseline's. Below `least_ns` a whole round is too short for the
    /// clock to tell.
    fn departs(self, baseline: Self, calls: usize, least_ns: u64, allowed: f64) -> bool {
        let told = self.new_ns * calls as f64 >= least_ns as f64;
        told && self.ratio() > baseline.ratio().max(1.0) * allowed
    }
}

/// Calls on inputs that the process never met, and calls on the same inputs after they were put there once more: a candidate that keeps
/// results under what it read of its inputs answers the second time without working, and inside a timed batch always. Both kinds of call come
/// first after the same preparation, so that nothing but the novelty differs. The clock outside sees what is done while inputs are put there.
#[derive(Clone, Debug)]
pub(super) struct FirstSight {
    /// By the runner's clock, a call.
    calls: Pair,
    /// By the runner's clock, all calls of a pair.
    pairs: Differences,
    /// By the clock outside, from the new inputs to the last call.
    outside: Differences,
}

/// How much longer one thing took than another, pair by pair, ns.
///
/// A machine that is busy makes any single pair differ by anything, in either direction; what is really there shows in all of them.
#[derive(Clone, Debug, Default)]
struct Differences(Vec<f64>);

impl Differences {
    /// What all pairs but one exceed beyond what the other side usually shows; absent with too few pairs to tell.
    fn beyond(&self, usual: &Self) -> Option<f64> {
        if self.0.len() < FirstSight::TRIES as usize {
            return None;
        }
        let sorted = |of: &Self| {
            let mut values = of.0.clone();
            values.sort_by(f64::total_cmp);
            values
        };
        let usual = sorted(usual);
        let middle = usual.get(usual.len() / 2).copied().unwrap_or(0.0).max(0.0);
        sorted(self).get(1).map(|second| second - middle)
    }
}

/// What an honest kernel may show: branches that depend on the data are foreseen the second time.
const ALLOWED_AT_FIRST_SIGHT: f64 = 1.5;
/// What share of its calls' time on new inputs a side may save on the same ones again, in all pairs but one.
const ALLOWED_IN_PAIRS: f64 = 0.15;
/// What a processor's own memory of branches saves the second time, ns a run: a sort of 256 numbers was a quarter quicker then, 2 µs; one of
/// 4,000 was not.
const FORESEEN_NS: f64 = 20_000.0;
/// What share of the baseline's work new inputs may cost more, seen from outside, than the same ones again.
const ALLOWED_OUTSIDE: f64 = 0.5;
/// What the clock outside cannot tell, ns: how differently two answers of a process are woken up for.
const UNSEEN_OUTSIDE_NS: f64 = 50_000.0;

/// The time of one look, ns: of all calls and of one by the runner's clock, of everything by the one outside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    calls: f64,
    call: f64,
    outside: f64,
}

impl FirstSight {
    /// How often new inputs are made; the quickest of each kind of call counts.
    pub(super) const TRIES: u32 = 5;
    /// So many times so often before anybody is accused: other work on the machine only adds time.
    pub(super) const ROUNDS: u32 = 3;

    /// Before anything was timed.
    pub(super) const NEVER: Self =
        Self { calls: Pair::NEVER, pairs: Differences(Vec::new()), outside: Differences(Vec::new()) };

    /// Times one batch after these inputs were put there and outputs destroyed.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn look(
        runner: &mut dyn Runner,
        operands: &[Operand],
        once: &Batch,
        entropy: &mut dyn Entropy,
        clock: &dyn Clock,
    ) -> Result<Look, RunnerFault> {
        runner.resume()?;
        let start = clock.now();
        runner.refill(operands)?;
        runner.poison(nonce(entropy))?;
        let calls = quickest(&runner.run(once)?.samples) as f64;
        let outside = clock.now().since(start).0.unsigned_abs() as f64;
        runner.pause()?;
        Ok(Look { calls, call: calls / once.order.len().max(1) as f64, outside })
    }

    /// Adds a look at new inputs, and one at the same inputs again.
    pub(super) fn add(&mut self, new: Look, again: Look) {
        self.calls = self.calls.with(new.call, again.call);
        self.pairs.0.push(new.calls - again.calls);
        self.outside.0.push(new.outside - again.outside);
    }

    /// Why the candidate's times say nothing, where they do.
    pub(super) fn remembers(&self, baseline: &Self, calls: usize, least_ns: u64) -> Option<String> {
        let (mine, usual) = (self.calls, baseline.calls);
        if mine.departs(usual, calls, least_ns, ALLOWED_AT_FIRST_SIGHT) {
            return Some(format!(
                "a call takes {:.0} ns on inputs that it never met and {:.0} ns on the same ones again ({:.1} times; the baseline {:.1}): it keeps results, and a timed batch meets the same inputs again and again",
                mine.new_ns,
                mine.again_ns,
                mine.ratio(),
                usual.ratio()
            ));
        }
        let (all, saved) = (mine.new_ns * calls as f64, self.pairs.beyond(&baseline.pairs)?);
        if all.is_finite() && saved > FORESEEN_NS && saved > ALLOWED_IN_PAIRS * all {
            return Some(format!(
                "{calls} calls take {saved:.0} ns more on inputs that it never met than on the same ones again, of {all:.0} ns: it keeps results, and a timed batch meets the same inputs again and again"
            ));
        }
        let work = usual.again_ns * calls as f64;
        let more = self.outside.beyond(&baseline.outside)?;
        let told = work.is_finite() && work >= least_ns as f64 && more > UNSEEN_OUTSIDE_NS;
        (told && more > ALLOWED_OUTSIDE * work).then(|| {
            format!(
                "{calls} calls and what comes before them take {more:.0} ns more from outside on inputs that it never met than on the same ones again, where the baseline's calls take {work:.0} ns: it works before it is timed"
            )
        })
    }
}

/// Work that is put off until somebody reads the outputs: reading them costs more right after the calls than once more.
#[derive(Clone, Debug, Default)]
pub(super) struct PutOff(Differences);

/// What share of its own calls' time the first reading may take longer than the second.
const ALLOWED_TO_BE_OWED: f64 = 0.15;

impl PutOff {
    /// Adds the times of both readings, ns.
    pub(super) fn add(&mut self, first: f64, second: f64) {
        self.0.0.push(first - second);
    }

    /// Why the samples leave work out, where they do; `calls_ns` is what the calls before the reading took.
    pub(super) fn owes(&self, baseline: &Self, calls_ns: f64) -> Option<String> {
        let more = self.0.beyond(&baseline.0)?;
        (more > UNSEEN_OUTSIDE_NS && more > ALLOWED_TO_BE_OWED * calls_ns).then(|| {
            format!(
                "reading outputs takes {more:.0} ns more right after calls of {calls_ns:.0} ns than once more: work is put off until somebody looks"
            )
        })
    }
}

fn quickest(samples: &[u64]) -> u64 {
    samples.iter().copied().min().unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HONEST: Pair = Pair { new_ns: 21_000.0, again_ns: 20_000.0 };

    fn write(fresh: f64, again: f64, repeated: f64) -> FirstWrite {
        FirstWrite { fresh, again, repeated }
    }

    #[test]
    fn leaving_early_is_seen_and_honest_work_is_not() {
        let honest = write(21_000.0, 20_500.0, 20_000.0);
        let skipping = write(20_500.0, 1_400.0, 900.0);
        assert!(skipping.skips(honest, 4, 1_000).unwrap().contains("19100 ns more"));
        assert_eq!(honest.skips(honest, 4, 1_000), None);
        assert_eq!(write(7_500.0, 7_000.0, 6_600.0).skips(honest, 4, 1_000), None);
    }

    #[test]
    fn what_a_run_costs_beside_its_calls_is_no_work_that_was_left_out() {
        // A Triton kernel of 1.5 µs in graphs of 3 calls and of 660, beside a baseline of 15 µs, as an H200 showed it.
        let short = write(3_477.0, 3_400.0, 1_495.0);
        let baseline = write(16_500.0, 16_400.0, 15_000.0);
        assert_eq!(short.skips(baseline, 3, 1_600), None);
        // One of that length that leaves early is still seen.
        assert!(write(3_477.0, 2_100.0, 150.0).skips(baseline, 3, 1_600).is_some());
    }

    #[test]
    fn keeping_results_is_seen_beside_a_baseline_that_does_not() {
        let sight = |calls| FirstSight { calls, ..FirstSight::NEVER };
        let slow = Pair { new_ns: 21_000.0, again_ns: 4_000.0 };
        let (keeps, honest) = (sight(slow), sight(HONEST));
        assert!(keeps.remembers(&honest, 3, 1_000).unwrap().contains("keeps results"));
        assert_eq!(honest.remembers(&honest, 3, 1_000), None);
        assert_eq!(keeps.remembers(&keeps, 3, 1_000), None);
        assert_eq!(FirstSight::NEVER.remembers(&FirstSight::NEVER, 3, 1_000), None);
    }

    #[test]
    fn work_that_is_done_while_inputs_are_put_there_is_seen_from_outside_in_all_pairs_but_one() {
        let calls = Pair { new_ns: 21_000.0, again_ns: 20_500.0 };
        let sight = |outside: &[f64]| FirstSight {
            calls,
            pairs: Differences(vec![0.0; outside.len()]),
            outside: Differences(outside.to_vec()),
        };
        let level = sight(&[10_000.0, -5_000.0, 400_000.0, 0.0, 2_000.0]);
        let before = sight(&[80_000.0, 75_000.0, -300_000.0, 90_000.0, 70_000.0]);
        // Three calls of the baseline are 61,500 ns; half of that and more than the clock cannot tell.
        assert!(before.remembers(&level, 3, 1_000).unwrap().contains("before it is timed"));
        assert_eq!(level.remembers(&level, 3, 1_000), None);
        assert_eq!(before.remembers(&before, 3, 1_000), None);
        let noise = sight(&[80_000.0, 75_000.0, -300_000.0, 90_000.0, -70_000.0]);
        assert_eq!(noise.remembers(&level, 3, 1_000), None);
    }

    #[test]
    fn keeping_a_few_tenths_of_the_results_is_seen_in_all_pairs_but_one() {
        // Too little for the ratio of the quickest calls: 1.4 times.
        let calls = Pair { new_ns: 200_000.0, again_ns: 142_000.0 };
        let sight = |pairs: [f64; 5]| FirstSight {
            calls,
            pairs: Differences(pairs.to_vec()),
            outside: Differences(vec![0.0; 5]),
        };
        let usual = sight([4_000.0, -3_000.0, 90_000.0, -80_000.0, 1_000.0]);
        let keeps = sight([174_000.0, 160_000.0, -90_000.0, 300_000.0, 181_000.0]);
        assert!(keeps.remembers(&usual, 3, 1_000).unwrap().contains("keeps results"));
        assert_eq!(usual.remembers(&usual, 3, 1_000), None);
        assert_eq!(keeps.remembers(&keeps, 3, 1_000), None);
        let noise = sight([174_000.0, 160_000.0, -90_000.0, 300_000.0, -181_000.0]);
        assert_eq!(noise.remembers(&usual, 3, 1_000), None);
    }

    #[test]
    fn branches_that_a_processor_foresees_the_second_time_are_no_results() {
        let calls = Pair { new_ns: 7_000.0, again_ns: 5_000.0 };
        let sight = |saved: f64| FirstSight {
            calls,
            pairs: Differences(vec![saved; 5]),
            outside: Differences(vec![0.0; 5]),
        };
        assert_eq!(sight(6_000.0).remembers(&sight(0.0), 3, 1_000), None);
    }

    #[test]
    fn outputs_that_cost_more_to_read_after_the_calls_are_owed_something() {
        let read = |times: [f64; 5]| PutOff(Differences(times.to_vec()));
        let (usual, owes) = (read([20_000.0; 5]), read([400_000.0; 5]));
        assert!(owes.owes(&usual, 2_000_000.0).unwrap().contains("put off"));
        assert_eq!(usual.owes(&usual, 2_000_000.0), None);
        assert_eq!(owes.owes(&owes, 2_000_000.0), None);
        assert_eq!(PutOff::default().owes(&PutOff::default(), 1.0), None);
    }

    #[test]
    fn what_the_clock_cannot_tell_is_not_held_against_it() {
        assert_eq!(write(90.0, 25.0, 20.0).skips(write(21_000.0, 20_000.0, 20_000.0), 4, 10_000), None);
    }

    #[test]
    fn a_baseline_that_shows_the_same_is_the_measure() {
        let cold = write(60_000.0, 20_000.0, 20_000.0);
        assert_eq!(write(50_000.0, 10_000.0, 10_000.0).skips(cold, 4, 1_000), None);
    }
}
