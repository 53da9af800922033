//! How one case is timed: how many slots, rounds and batches make a sample. Pure; decided once, the same for all sides and launches.

use crate::spec::CacheMode;

/// A call at least this long needs no warm-up batch and no second slot in a round.
const LONG_CALL_NS: u64 = 5_000_000;
/// Most rounds in one sample.
pub(super) const MOST_PASSES: u64 = 1 << 20;
/// In-place and cold slots may take this much memory a process.
const SLOT_MEMORY: u64 = 1 << 30;
/// A last-level cache of unknown size is taken to be this large.
const USUAL_CACHE: u64 = 32 << 20;

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
    /// Bytes of the last-level cache, where known.
    pub(super) cache: Option<u64>,
}

impl Plan {
    pub(super) fn of(need: &Need) -> Self {
        let mut plan = Self { slots: need.slots, round: need.slots, passes: 1, short: 2, sample: 1 };
        let bytes = need.slot_bytes.max(1);
        let most =
            u32::try_from(SLOT_MEMORY / bytes).unwrap_or(u32::MAX).clamp(need.slots, 4096.max(need.slots));
        if need.mode == CacheMode::Cold {
            let enough = 2 * need.cache.unwrap_or(USUAL_CACHE) / bytes + 1;
            plan.slots = u32::try_from(enough).unwrap_or(u32::MAX).clamp(need.slots, most);
            plan.round = plan.slots;
        } else if need.slowest >= LONG_CALL_NS {
            plan = Self { round: 1, short: 1, sample: 0, ..plan };
        }
        let round_ns = need.fastest.max(1).saturating_mul(u64::from(plan.round));
        let rounds = need.span.div_ceil(round_ns).clamp(1, MOST_PASSES);
        if need.in_place && plan.round > 1 {
            let wanted = u64::from(plan.slots).saturating_mul(rounds);
            plan.slots = u32::try_from(wanted).unwrap_or(u32::MAX).clamp(plan.slots, most);
            plan.round = plan.slots;
        } else if !need.in_place {
            plan.passes = rounds;
        }
        plan
    }

    /// Calls in one sample.
    pub(super) fn calls(&self) -> u64 {
        u64::from(self.round) * self.passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEED: Need = Need {
        slots: 3,
        fastest: 20_000,
        slowest: 40_000,
        span: 1_000_000,
        slot_bytes: 1 << 20,
        in_place: false,
        mode: CacheMode::Warm,
        cache: Some(8 << 20),
    };

    #[test]
    fn the_faster_side_still_fills_a_sample() {
        let plan = Plan::of(&NEED);
        assert!(plan.calls() * NEED.fastest >= NEED.span);
        assert_eq!((plan.slots, plan.short, plan.sample), (3, 2, 1));
    }

    #[test]
    fn an_in_place_sample_is_one_pass_over_more_slots() {
        let plan = Plan::of(&Need { in_place: true, ..NEED });
        assert_eq!(plan.passes, 1);
        assert!(plan.calls() * NEED.fastest >= NEED.span);
    }

    #[test]
    fn cold_slots_exceed_twice_the_last_level_cache() {
        let plan = Plan::of(&Need { mode: CacheMode::Cold, ..NEED });
        assert!(u64::from(plan.slots) * NEED.slot_bytes > 2 * (8 << 20));
        assert_eq!(plan.round, plan.slots);
    }

    #[test]
    fn a_long_call_is_a_sample_by_itself() {
        let plan = Plan::of(&Need { fastest: 50_000_000, slowest: 60_000_000, ..NEED });
        assert_eq!((plan.calls(), plan.short, plan.sample), (1, 1, 0));
    }
}
