//! Does a call do its work again, or does it notice that its result is still there?
//!
//! Inside a timed batch each slot is called many times with the same operands, and its outputs then already hold the right
//! answer. A candidate that looks at them can leave without working, and every check passes. So calls whose outputs were
//! destroyed just before are timed beside the same calls again; where these cost less, and the baseline shows no such difference, the
//! measurement says nothing. In the same way calls on inputs that were never there before are timed beside the same calls again.
//! Invariant: nothing here becomes a sample.

use super::pairs::{Differences, Told};
use super::plan::nonce;
use crate::clock::Clock;
use crate::draw::Entropy;
use crate::runner::{Batch, Launching, Operand, Runner, RunnerFault};

/// Calls on outputs that were just destroyed, and the same calls again while their results are there, the caches swept before both, so that
/// nothing but the results differs.
///
/// Both are runs of one round each, so that what a run costs beside its calls (a launch of a graph, say) is in both.
#[derive(Clone, Debug)]
pub(super) struct FirstWrite {
    /// How much longer all calls of a pair took without their results, ns.
    pairs: Differences,
    /// The quickest round without its results, ns.
    round_ns: f64,
}

/// What share of its calls' time a side may save where its results are still there.
const ALLOWED_WITH_RESULTS: f64 = 0.15;

/// How caches are made the same before two runs that are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caches {
    /// Bytes that push everything out of them.
    pub(super) sweep: u64,
    /// What a run may differ by all the same, ns: what the clock cannot tell, and what a processor remembers beside its caches.
    pub(super) slack_ns: f64,
}

/// Bytes to sweep where the size of the last-level cache is not known: no device on record has caches of half as much.
const SWEEP_OF_UNKNOWN: u64 = 512 << 20;

impl Caches {
    /// Of a device with this last-level cache, where calls are queued or made at once, and whose clock tells this much, ns.
    pub(super) fn of(last_level: Option<u64>, queues: bool, least_ns: u64) -> Self {
        let sweep = last_level.map_or(SWEEP_OF_UNKNOWN, |bytes| bytes.saturating_mul(2));
        let slack_ns = if queues { least_ns as f64 } else { FORESEEN_NS.max(least_ns as f64) };
        Self { sweep, slack_ns }
    }
}

impl FirstWrite {
    /// How many pairs are timed before anybody is told anything.
    const TRIES: u32 = 7;

    /// Before anything was timed.
    pub(super) const NEVER: Self = Self { pairs: Differences(Vec::new()), round_ns: f64::INFINITY };

    /// Times some more pairs of one side. `timed` is the batch as it is measured.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn once_more(
        &mut self,
        runner: &mut dyn Runner,
        timed: &Batch,
        caches: Caches,
        entropy: &mut dyn Entropy,
    ) -> Result<(), RunnerFault> {
        let once = Batch { passes: 1, batches: 1, poison: None, flush: caches.sweep, ..timed.clone() };
        runner.resume()?;
        if once.launch == Launching::Graph {
            // Recording replays it once: the first try would meet its own results.
            runner.run(&once)?;
        }
        for _ in 0..Self::TRIES {
            runner.poison(nonce(entropy))?;
            let fresh = quickest(&runner.run(&once)?.samples) as f64;
            let again = quickest(&runner.run(&once)?.samples) as f64;
            self.pairs.0.push(fresh - again);
            self.round_ns = self.round_ns.min(fresh);
        }
        runner.pause()
    }

    /// Whether the candidate leaves work out where its result is still there.
    pub(super) fn skips(&self, baseline: &Self, calls: usize, caches: Caches) -> Told {
        let allowed = caches.slack_ns.max(ALLOWED_WITH_RESULTS * self.round_ns);
        self.pairs.told(&baseline.pairs, allowed, |saved| {
            format!(
                "{calls} calls take {saved:.0} ns more once their outputs were destroyed, of {:.0} ns: it leaves work out where its result is still there",
                self.round_ns
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
    pub(super) const TRIES: u32 = Differences::FEWEST as u32;
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

    /// Whether the candidate keeps results, or works before it is timed.
    pub(super) fn remembers(&self, baseline: &Self, calls: usize, least_ns: u64) -> Told {
        let (mine, usual) = (self.calls, baseline.calls);
        if mine.departs(usual, calls, least_ns, ALLOWED_AT_FIRST_SIGHT) {
            return Told::Surely(format!(
                "a call takes {:.0} ns on inputs that it never met and {:.0} ns on the same ones again ({:.1} times; the baseline {:.1}): it keeps results, and a timed batch meets the same inputs again and again",
                mine.new_ns,
                mine.again_ns,
                mine.ratio(),
                usual.ratio()
            ));
        }
        let all = mine.new_ns * calls as f64;
        let kept = if all.is_finite() {
            self.pairs.told(&baseline.pairs, FORESEEN_NS.max(ALLOWED_IN_PAIRS * all), |saved| {
                format!(
                    "{calls} calls take {saved:.0} ns more on inputs that it never met than on the same ones again, of {all:.0} ns: it keeps results, and a timed batch meets the same inputs again and again"
                )
            })
        } else {
            Told::Nothing
        };
        let work = usual.again_ns * calls as f64;
        if !work.is_finite() || work < least_ns as f64 {
            return kept;
        }
        kept.or(self.outside.told(&baseline.outside, UNSEEN_OUTSIDE_NS.max(ALLOWED_OUTSIDE * work), |more| {
            format!(
                "{calls} calls and what comes before them take {more:.0} ns more from outside on inputs that it never met than on the same ones again, where the baseline's calls take {work:.0} ns: it works before it is timed"
            )
        }))
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

    /// Whether the samples leave work out; `calls_ns` is what the calls before the reading took.
    pub(super) fn owes(&self, baseline: &Self, calls_ns: f64) -> Told {
        self.0.told(&baseline.0, UNSEEN_OUTSIDE_NS.max(ALLOWED_TO_BE_OWED * calls_ns), |more| {
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

    /// Of rounds of 100 µs.
    fn write(pairs: [f64; 7]) -> FirstWrite {
        FirstWrite { pairs: Differences(pairs.to_vec()), round_ns: 100_000.0 }
    }

    const DEVICE: Caches = Caches { sweep: 0, slack_ns: 1_600.0 };

    #[test]
    fn a_third_of_the_work_left_out_is_seen_and_honest_work_is_not() {
        let honest = write([900.0, -700.0, 12_000.0, -15_000.0, 300.0, 0.0, 2_000.0]);
        let skipping = write([33_000.0, 34_000.0, -9_000.0, 31_000.0, 40_000.0, 33_500.0, 32_000.0]);
        assert!(skipping.skips(&honest, 3, DEVICE).sure().unwrap().contains("30700 ns more"));
        assert_eq!(honest.skips(&honest, 3, DEVICE), Told::Nothing);
        assert_eq!(FirstWrite::NEVER.skips(&FirstWrite::NEVER, 3, DEVICE), Told::Nothing);
    }

    #[test]
    fn on_a_noisy_machine_there_is_a_doubt_instead_of_an_accusation() {
        let honest = write([0.0; 7]);
        let noisy = write([33_000.0, 34_000.0, -9_000.0, -31_000.0, 40_000.0, 33_500.0, 32_000.0]);
        assert!(matches!(noisy.skips(&honest, 3, DEVICE), Told::Perhaps(_)));
    }

    #[test]
    fn what_a_processor_remembers_beside_its_caches_is_no_result() {
        let caches = Caches::of(Some(32 << 20), false, 2_000);
        assert_eq!(caches.sweep, 64 << 20);
        assert_eq!(write([18_000.0; 7]).skips(&write([0.0; 7]), 3, caches), Told::Nothing);
        assert_eq!(Caches::of(None, true, 1_600).sweep, 512 << 20);
    }

    #[test]
    fn keeping_results_is_seen_beside_a_baseline_that_does_not() {
        let sight = |calls| FirstSight { calls, ..FirstSight::NEVER };
        let slow = Pair { new_ns: 21_000.0, again_ns: 4_000.0 };
        let (keeps, honest) = (sight(slow), sight(HONEST));
        assert!(keeps.remembers(&honest, 3, 1_000).sure().unwrap().contains("keeps results"));
        assert_eq!(honest.remembers(&honest, 3, 1_000), Told::Nothing);
        assert_eq!(keeps.remembers(&keeps, 3, 1_000), Told::Nothing);
        assert_eq!(FirstSight::NEVER.remembers(&FirstSight::NEVER, 3, 1_000), Told::Nothing);
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
        assert!(before.remembers(&level, 3, 1_000).sure().unwrap().contains("before it is timed"));
        assert_eq!(level.remembers(&level, 3, 1_000), Told::Nothing);
        assert_eq!(before.remembers(&before, 3, 1_000), Told::Nothing);
        let noise = sight(&[80_000.0, 75_000.0, -300_000.0, 90_000.0, -70_000.0]);
        assert!(matches!(noise.remembers(&level, 3, 1_000), Told::Perhaps(_)));
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
        assert!(keeps.remembers(&usual, 3, 1_000).sure().unwrap().contains("keeps results"));
        assert_eq!(usual.remembers(&usual, 3, 1_000), Told::Nothing);
        assert_eq!(keeps.remembers(&keeps, 3, 1_000), Told::Nothing);
        let noise = sight([174_000.0, 160_000.0, -90_000.0, 300_000.0, -181_000.0]);
        assert!(matches!(noise.remembers(&usual, 3, 1_000), Told::Perhaps(_)));
    }

    #[test]
    fn branches_that_a_processor_foresees_the_second_time_are_no_results() {
        let calls = Pair { new_ns: 7_000.0, again_ns: 5_000.0 };
        let sight = |saved: f64| FirstSight {
            calls,
            pairs: Differences(vec![saved; 5]),
            outside: Differences(vec![0.0; 5]),
        };
        assert_eq!(sight(6_000.0).remembers(&sight(0.0), 3, 1_000), Told::Nothing);
    }

    #[test]
    fn outputs_that_cost_more_to_read_after_the_calls_are_owed_something() {
        let read = |times: [f64; 5]| PutOff(Differences(times.to_vec()));
        let (usual, owes) = (read([20_000.0; 5]), read([400_000.0; 5]));
        assert!(owes.owes(&usual, 2_000_000.0).sure().unwrap().contains("put off"));
        assert_eq!(usual.owes(&usual, 2_000_000.0), Told::Nothing);
        assert_eq!(owes.owes(&owes, 2_000_000.0), Told::Nothing);
        assert_eq!(PutOff::default().owes(&PutOff::default(), 1.0), Told::Nothing);
    }

    #[test]
    fn a_baseline_that_shows_the_same_is_the_measure() {
        assert_eq!(write([40_000.0; 7]).skips(&write([40_000.0; 7]), 4, DEVICE), Told::Nothing);
    }

    #[test]
    fn what_the_clock_cannot_tell_is_not_held_against_it() {
        let short = FirstWrite { pairs: Differences(vec![1_500.0; 7]), round_ns: 3_000.0 };
        assert_eq!(short.skips(&write([0.0; 7]), 3, DEVICE), Told::Nothing);
    }
}
