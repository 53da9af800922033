//! Does a call do its work again, or does it notice that its result is still there?
//!
//! Inside a timed batch each slot is called many times with the same operands, and its outputs then already hold the right
//! answer. A candidate that looks at them can leave without working, and every check passes. So calls whose outputs were
//! destroyed just before are timed beside calls of a batch as it is measured; where the batch costs far less a call, and the baseline
//! shows no such difference, the measurement says nothing. In the same way calls on inputs that were never there before are timed beside the
//! same calls again. Invariant: nothing here becomes a sample.

use crate::draw::Entropy;
use crate::runner::{Batch, Operand, Runner, RunnerFault};

/// How often each kind of run is tried; the quickest of each counts, since other work only adds time.
const TRIES: u32 = 7;

/// What an honest kernel may show: caches and clocks are in another state after outputs were written from outside. Twice as much
/// beyond the baseline's own ratio has not been seen from any; a skipped call is many times quicker.
const ALLOWED: f64 = 2.0;

/// A call after its outputs were destroyed, and a call of a batch as it is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FirstWrite {
    /// Nanoseconds of a call whose outputs were destroyed before it.
    pub(super) fresh_ns: f64,
    /// Nanoseconds of a call in a timed batch.
    pub(super) repeated_ns: f64,
}

impl FirstWrite {
    /// Times both kinds of call of one side. `timed` is the batch as it is measured.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn of(
        runner: &mut dyn Runner,
        timed: &Batch,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, RunnerFault> {
        let once = Batch { passes: 1, batches: 1, ..timed.clone() };
        let many = Batch { batches: 1, ..timed.clone() };
        let (mut fresh, mut repeated) = (u64::MAX, u64::MAX);
        runner.resume()?;
        for _ in 0..TRIES {
            runner.poison(entropy.seed())?;
            fresh = fresh.min(quickest(&runner.run(&once)?.samples));
            repeated = repeated.min(quickest(&runner.run(&many)?.samples));
        }
        runner.pause()?;
        let calls = timed.order.len().max(1) as f64;
        Ok(Self {
            fresh_ns: fresh as f64 / calls,
            repeated_ns: repeated as f64 / (calls * timed.passes.max(1) as f64),
        })
    }

    /// How many times longer a call takes once its outputs are gone.
    fn ratio(self) -> f64 {
        self.fresh_ns / self.repeated_ns.max(f64::MIN_POSITIVE)
    }

    /// Whether the two kinds of call differ so many times more than the baseline's. Below `least_ns` a whole round is too short for the
    /// clock to tell.
    fn departs(self, baseline: Self, calls: usize, least_ns: u64, allowed: f64) -> bool {
        let told = self.fresh_ns * calls as f64 >= least_ns as f64;
        told && self.ratio() > baseline.ratio().max(1.0) * allowed
    }

    /// Why the candidate's times say nothing, where they do.
    pub(super) fn skips(self, baseline: Self, calls: usize, least_ns: u64) -> Option<String> {
        self.departs(baseline, calls, least_ns, ALLOWED).then(|| {
            format!(
                "a call takes {:.0} ns once its outputs were destroyed and {:.0} ns in a timed batch ({:.1} times; the baseline {:.1}): it leaves work out where its result is still there",
                self.fresh_ns,
                self.repeated_ns,
                self.ratio(),
                baseline.ratio()
            )
        })
    }
}

/// Calls on inputs that the process never met, and calls on the same inputs after they were put there once more: a candidate that keeps
/// results under what it read of its inputs answers the second time without working, and inside a timed batch always. Both kinds of call come
/// first after the same preparation, so that nothing but the novelty differs.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstSight(FirstWrite);

/// What an honest kernel may show: branches that depend on the data are foreseen the second time.
const ALLOWED_AT_FIRST_SIGHT: f64 = 1.5;

impl FirstSight {
    /// How often new inputs are made; the quickest of each kind of call counts.
    pub(super) const TRIES: u32 = 5;
    /// So many times so often before anybody is accused: other work on the machine only adds time.
    pub(super) const ROUNDS: u32 = 3;

    /// Before anything was timed.
    pub(super) const NEVER: Self = Self(FirstWrite { fresh_ns: f64::INFINITY, repeated_ns: f64::INFINITY });

    /// Times one batch on inputs that were never there, and on the same inputs put there again. Outputs are destroyed before each.
    ///
    /// # Errors
    /// Where the runner gives no usable answer.
    pub(super) fn look(
        self,
        runner: &mut dyn Runner,
        operands: &[Operand],
        once: &Batch,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, RunnerFault> {
        let calls = once.order.len().max(1) as f64;
        let mut time = || {
            runner.refill(operands)?;
            runner.poison(entropy.seed())?;
            Ok(quickest(&runner.run(once)?.samples) as f64 / calls)
        };
        let (new, again) = (time()?, time()?);
        let Self(before) = self;
        Ok(Self(FirstWrite {
            fresh_ns: before.fresh_ns.min(new),
            repeated_ns: before.repeated_ns.min(again),
        }))
    }

    /// Why the candidate's times say nothing, where they do.
    pub(super) fn remembers(self, baseline: Self, calls: usize, least_ns: u64) -> Option<String> {
        let (Self(mine), Self(usual)) = (self, baseline);
        mine.departs(usual, calls, least_ns, ALLOWED_AT_FIRST_SIGHT).then(|| {
            format!(
                "a call takes {:.0} ns on inputs that it never met and {:.0} ns on the same ones again ({:.1} times; the baseline {:.1}): it keeps results, and a timed batch meets the same inputs again and again",
                mine.fresh_ns,
                mine.repeated_ns,
                mine.ratio(),
                usual.ratio()
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

    const HONEST: FirstWrite = FirstWrite { fresh_ns: 21_000.0, repeated_ns: 20_000.0 };

    #[test]
    fn leaving_early_is_seen_and_honest_work_is_not() {
        let skipping = FirstWrite { fresh_ns: 20_500.0, repeated_ns: 900.0 };
        assert!(skipping.skips(HONEST, 4, 1_000).unwrap().contains("22.8 times"));
        assert_eq!(HONEST.skips(HONEST, 4, 1_000), None);
        let quick = FirstWrite { fresh_ns: 7_500.0, repeated_ns: 6_600.0 };
        assert_eq!(quick.skips(HONEST, 4, 1_000), None);
    }

    #[test]
    fn keeping_results_is_seen_beside_a_baseline_that_does_not() {
        let keeps = FirstSight(FirstWrite { fresh_ns: 21_000.0, repeated_ns: 4_000.0 });
        let honest = FirstSight(HONEST);
        assert!(keeps.remembers(honest, 3, 1_000).unwrap().contains("keeps results"));
        assert_eq!(honest.remembers(honest, 3, 1_000), None);
        assert_eq!(keeps.remembers(keeps, 3, 1_000), None);
        assert_eq!(FirstSight::NEVER.remembers(FirstSight::NEVER, 3, 1_000), None);
    }

    #[test]
    fn what_the_clock_cannot_tell_is_not_held_against_it() {
        let tiny = FirstWrite { fresh_ns: 90.0, repeated_ns: 20.0 };
        assert_eq!(tiny.skips(HONEST, 4, 10_000), None);
    }

    #[test]
    fn a_baseline_that_shows_the_same_is_the_measure() {
        let cold = FirstWrite { fresh_ns: 60_000.0, repeated_ns: 20_000.0 };
        assert_eq!(FirstWrite { fresh_ns: 50_000.0, repeated_ns: 10_000.0 }.skips(cold, 4, 1_000), None);
    }
}
