//! How one case is timed: how many slots, rounds and batches make a sample. Pure; decided once, the same for all sides and launches. What is
//! drawn anew for every block comes from streams that are handed in.

use crate::draw::Entropy;
use crate::philox::Stream;
use crate::runner::{Batch, Launching};
use crate::spec::{CacheMode, Tuning};

/// A call at least this long needs no warm-up batch and no second slot in a round.
const LONG_CALL_NS: u64 = 5_000_000;
/// Most rounds in one sample.
pub(super) const MOST_PASSES: u64 = 1 << 20;
/// In-place and cold slots may take this much memory a process.
const SLOT_MEMORY: u64 = 1 << 30;
/// A sample of the slower side may span so many times what a sample has to. A candidate that is quicker than its baseline by more than this is
/// measured in shorter samples; one that only says so does not make the baseline work for ever.
const LONGEST: u64 = 32;
/// What is swept where every call is a sample behind a sweep, in bytes: as much as Triton's own bench clears.
const SWEEP: u64 = 256 << 20;
/// Batches of a short run there, since each is a call.
const SWEPT_BATCHES: u64 = 4;
/// Most calls in a graph or behind a holding kernel: what devices record and queue without trouble.
pub(super) const MOST_QUEUED: u64 = 1000;

/// The plan of one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) slots: u32,
    /// Slots of one round; fewer than there are where one call is long.
    pub(super) round: u32,
    pub(super) passes: u64,
    /// Batches of a short run; a long one has four times as many.
    pub(super) short: u64,
    /// Which batch of a run is the sample: the first one warms, unless calls are long.
    pub(super) sample: usize,
    /// How calls reach the device.
    pub(super) launch: Launching,
    /// Bytes swept through the caches before every sample, where slots cannot do it.
    pub(super) flush: u64,
    /// Every call of a sample meets outputs that were destroyed: nothing can be left out because its result is still there.
    pub(super) fresh: bool,
}

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Slots that were checked; a plan has at least as many.
    pub(super) slots: u32,
    /// One call of the faster side, and of the slower one, ns.
    pub(super) fastest: u64,
    pub(super) slowest: u64,
    /// What a sample must span, ns.
    pub(super) span: u64,
    /// Bytes of one slot.
    pub(super) slot_bytes: u64,
    /// A second pass over a slot would work on what the first one left.
    pub(super) in_place: bool,
    pub(super) mode: CacheMode,
    /// Bytes of the last-level cache; without it nothing can be said to be cold.
    pub(super) cache: Option<u64>,
    /// How calls reach the device.
    pub(super) launch: Launching,
    /// Calls are queued to a device, whose outputs only the host can destroy, slowly.
    pub(super) queues: bool,
}

impl Plan {
    pub(super) fn of(need: &Need) -> Self {
        let mut plan = Self {
            slots: need.slots,
            round: need.slots,
            passes: 1,
            short: 2,
            sample: 1,
            launch: need.launch,
            flush: 0,
            fresh: false,
        };
        let bytes = need.slot_bytes.max(1);
        let most =
            u32::try_from(SLOT_MEMORY / bytes).unwrap_or(u32::MAX).clamp(need.slots, 4096.max(need.slots));
        let cache = need.cache.unwrap_or(0);
        if need.mode == CacheMode::Swept {
            // Calls wait behind the sweep, which takes longer than a launch.
            let flush = SWEEP.max(2 * cache);
            return Self {
                round: 1,
                short: SWEPT_BATCHES,
                sample: 1,
                launch: Launching::Stream,
                flush,
                ..plan
            };
        }
        if need.mode == CacheMode::Cold {
            let enough = 2 * cache / bytes + 1;
            plan.slots = u32::try_from(enough).unwrap_or(u32::MAX).clamp(need.slots, most);
            plan.round = plan.slots;
            let queued = need.launch == Launching::Stream || u64::from(plan.round) <= MOST_QUEUED;
            if enough > u64::from(most) || !queued {
                // Too small to fill the caches in turn: every call is a sample of its own, after the caches were swept.
                let launch = Launching::Stream;
                return Self { slots: need.slots, round: 1, flush: 2 * cache, launch, ..plan };
            }
        } else if need.slowest >= LONG_CALL_NS {
            plan = Self { round: 1, short: 1, sample: 0, ..plan };
        } else if !need.in_place
            && bytes <= cache / 2
            && bytes.saturating_mul(u64::from(plan.round)) > cache / 2
        {
            // In turn the slots would push each other out; one alone stays.
            plan.round = 1;
        }
        let round_ns = need.fastest.max(1).saturating_mul(u64::from(plan.round));
        let most_rounds = match need.launch {
            Launching::Stream => MOST_PASSES,
            Launching::Graph | Launching::Held => (MOST_QUEUED / u64::from(plan.round)).max(1),
        };
        let slow_ns = need.slowest.max(1).saturating_mul(u64::from(plan.round));
        let most_rounds = most_rounds.min((need.span.saturating_mul(LONGEST) / slow_ns).max(1));
        let rounds = need.span.div_ceil(round_ns).clamp(1, most_rounds);
        if need.in_place && plan.round > 1 {
            let wanted = u64::from(plan.slots).saturating_mul(rounds);
            plan.slots = u32::try_from(wanted).unwrap_or(u32::MAX).clamp(plan.slots, most);
            plan.round = plan.slots;
        } else if !need.in_place {
            plan.passes = rounds;
        }
        if need.mode == CacheMode::Warm && !need.in_place && !need.queues {
            // Each call of a sample has a slot of its own, as far as they stay in the caches together.
            let wanted = u64::from(plan.round).saturating_mul(plan.passes);
            if wanted <= u64::from(most) && wanted.saturating_mul(bytes) <= (cache / 2).max(bytes) {
                plan.round = u32::try_from(wanted).unwrap_or(plan.round);
                plan.slots = plan.slots.max(plan.round);
                plan.passes = 1;
            }
            plan.fresh = plan.passes == 1;
        }
        plan
    }

    /// One round over slots in random order, in a short or a long run.
    pub(super) fn batch(
        self,
        long: bool,
        mode: CacheMode,
        stream: &mut Stream,
        entropy: &mut dyn Entropy,
    ) -> Batch {
        let mut order: Vec<u32> = (0..self.slots).collect();
        stream.shuffle(&mut order);
        order.truncate(self.round as usize);
        Batch {
            order,
            passes: self.passes,
            batches: if long { 4 * self.short } else { self.short },
            mode: mode.word(),
            launch: self.launch,
            flush: self.flush,
            poison: self.fresh.then(|| nonce(entropy)),
        }
    }

    /// Calls in one sample.
    pub(super) fn calls(&self) -> u64 {
        u64::from(self.round) * self.passes
    }
}

/// A nonce whose poison is no NaN that arithmetic makes: those have only zeros or only ones where the narrowest payload, of 6 bits, has the nonce.
pub(super) fn nonce(entropy: &mut dyn Entropy) -> u64 {
    let drawn = entropy.seed();
    match drawn & 0x3F {
        0 | 0x3F => drawn ^ 1,
        _ => drawn,
    }
}

/// Which blocks of a launch are long runs: a quarter of them, one at least and never all, in random order.
pub(super) fn lengths(tuning: &Tuning, stream: &mut Stream) -> Vec<bool> {
    let count = tuning.blocks.max(tuning.policy.judge.min_blocks) as usize;
    let long = count.div_ceil(4).min(count.saturating_sub(1)).max(1);
    let mut lengths: Vec<bool> = (0..count).map(|block| block < long).collect();
    stream.shuffle(&mut lengths);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Dtype;

    const NEED: Need = Need {
        slots: 3,
        fastest: 20_000,
        slowest: 40_000,
        span: 1_000_000,
        slot_bytes: 1 << 20,
        in_place: false,
        mode: CacheMode::Warm,
        cache: Some(8 << 20),
        launch: Launching::Stream,
        queues: true,
    };

    #[test]
    fn the_faster_side_still_fills_a_sample() {
        let plan = Plan::of(&NEED);
        assert!(plan.calls() * NEED.fastest >= NEED.span);
        assert_eq!((plan.slots, plan.short, plan.sample), (3, 2, 1));
    }

    #[test]
    fn a_candidate_that_says_it_takes_no_time_does_not_make_the_baseline_work_for_ever() {
        let need = Need { fastest: 1, ..NEED };
        let plan = Plan::of(&need);
        assert!(plan.calls() * need.slowest <= 32 * need.span, "{plan:?}");
        assert!(plan.calls() * need.slowest >= 16 * need.span, "{plan:?}");
    }

    #[test]
    fn an_in_place_sample_is_one_pass_over_more_slots() {
        let plan = Plan::of(&Need { in_place: true, ..NEED });
        assert_eq!(plan.passes, 1);
        assert!(plan.calls() * NEED.fastest >= NEED.span);
    }

    #[test]
    fn an_in_place_sample_is_long_enough_where_slots_do_not_fit_the_caches_together() {
        let plan = Plan::of(&Need { in_place: true, slot_bytes: 3 << 20, ..NEED });
        assert!(plan.calls() * NEED.fastest >= NEED.span, "{plan:?}");
    }

    #[test]
    fn no_nonce_makes_a_poison_that_arithmetic_gives() {
        struct Fixed(u64);
        impl Entropy for Fixed {
            fn seed(&mut self) -> u64 {
                self.0
            }
        }
        // x86's and numpy's NaN, and CUDA's.
        for seed in [0, 0x3F, 0xFFC0, u64::MAX] {
            let poison = Dtype::Bf16.poison(nonce(&mut Fixed(seed)));
            assert!(poison != 0x7FC0 && poison != 0x7FFF, "{seed:x}");
            assert_ne!(Dtype::F32.poison(nonce(&mut Fixed(seed))), 0x7FC0_0000);
        }
    }

    #[test]
    fn cold_slots_exceed_twice_the_last_level_cache() {
        let plan = Plan::of(&Need { mode: CacheMode::Cold, ..NEED });
        assert!(u64::from(plan.slots) * NEED.slot_bytes > 2 * (8 << 20));
        assert_eq!(plan.round, plan.slots);
    }

    #[test]
    fn cold_slots_too_small_to_fill_the_caches_are_swept_out_before_every_call() {
        let plan = Plan::of(&Need { mode: CacheMode::Cold, slot_bytes: 512, ..NEED });
        assert_eq!((plan.calls(), plan.flush), (1, 2 * (8 << 20)));
    }

    #[test]
    fn warm_slots_that_would_push_each_other_out_are_used_alone() {
        let plan = Plan::of(&Need { slot_bytes: 3 << 20, ..NEED });
        assert_eq!(plan.round, 1);
        assert!(plan.calls() * NEED.fastest >= NEED.span);
        // What does not fit at all is not warm either way.
        assert_eq!(Plan::of(&Need { slot_bytes: 30 << 20, ..NEED }).round, 3);
    }

    #[test]
    fn on_a_processor_every_call_of_a_warm_sample_has_a_slot_of_its_own_where_caches_hold_them() {
        let need = Need { queues: false, slot_bytes: 4096, ..NEED };
        let plan = Plan::of(&need);
        assert!(plan.fresh && plan.passes == 1 && plan.slots == plan.round, "{plan:?}");
        assert!(plan.calls() * need.fastest >= need.span);
        let large = Plan::of(&Need { slot_bytes: 1 << 20, ..need });
        assert!(!large.fresh && large.passes > 1, "{large:?}");
        assert!(!Plan::of(&Need { queues: true, ..need }).fresh);
    }

    #[test]
    fn a_graph_holds_no_more_calls_than_devices_take() {
        let plan = Plan::of(&Need { fastest: 100, launch: Launching::Graph, ..NEED });
        assert!(plan.calls() <= MOST_QUEUED, "{plan:?}");
    }

    #[test]
    fn a_long_call_is_a_sample_by_itself() {
        let plan = Plan::of(&Need { fastest: 50_000_000, slowest: 60_000_000, ..NEED });
        assert_eq!((plan.calls(), plan.short, plan.sample), (1, 1, 0));
    }
}
