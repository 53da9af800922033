//! Work that a side does out of reach while another side is timed.
//!
//! A side that is not timed stands still because its process group was stopped. A process that left the group goes on, and what it does then
//! makes the others slow. So its processor time is read before and after a launch. One that idles (a compile server, a pool of workers) cannot
//! bias anything and is left alone. Invariant: nothing here runs between two samples.

use super::timing::Runners;
use crate::clock::Clock;
use kforge_units::Instant;

/// A process outside may use this share of a launch before the launch says nothing.
const ALLOWED: f64 = 0.05;
/// What the system's own count of processor time cannot tell from nothing, ns: three of its ticks.
const UNSEEN_NS: u64 = 30_000_000;

/// The three sides of a launch, as they were before it.
pub(super) struct Watched {
    start: Instant,
    before: [Vec<(String, u64)>; 3],
}

impl Watched {
    /// Before the first block.
    pub(super) fn begin(runners: &mut Runners<'_>, clock: &dyn Clock) -> Self {
        let before = std::array::from_fn(|who| runners[who].beside());
        Self { start: clock.now(), before }
    }

    /// After the last block: of each side what worked outside of its reach, in words, where that was enough to matter.
    pub(super) fn end(self, runners: &mut Runners<'_>, clock: &dyn Clock) -> [Option<String>; 3] {
        let wall_ns = clock.now().since(self.start).0.unsigned_abs();
        std::array::from_fn(|who| busy(&self.before[who], &runners[who].beside(), wall_ns))
    }
}

/// Who worked between two looks, where all of them together worked too much.
fn busy(before: &[(String, u64)], after: &[(String, u64)], wall_ns: u64) -> Option<String> {
    let used = |name: &str, now: u64| {
        let then = before.iter().find(|(old, _)| old == name).map_or(0, |(_, used)| *used);
        now.saturating_sub(then)
    };
    let all: u64 = after.iter().map(|(name, now)| used(name, *now)).sum();
    if all < UNSEEN_NS || (all as f64) < ALLOWED * wall_ns as f64 {
        return None;
    }
    let (name, _) = after.iter().max_by_key(|(name, now)| used(name, *now))?;
    Some(format!(
        "kept {name} at work outside of its process group, which stands still while another side is timed ({} ms in {} ms)",
        all / 1_000_000,
        wall_ns / 1_000_000
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(used_ms: &[u64]) -> Vec<(String, u64)> {
        used_ms.iter().enumerate().map(|(pid, ms)| (format!("process {pid}"), ms * 1_000_000)).collect()
    }

    #[test]
    fn who_works_while_others_are_timed_is_named_with_its_share() {
        let told = busy(&seen(&[500, 10]), &seen(&[520, 310]), 1_000_000_000).unwrap();
        assert!(told.starts_with("kept process 1 at work") && told.contains("320 ms in 1000 ms"), "{told}");
        // One that was not there before counts as a whole.
        assert!(busy(&[], &seen(&[60]), 1_000_000_000).is_some());
    }

    #[test]
    fn what_was_busy_before_and_idles_now_is_left_alone() {
        assert_eq!(busy(&seen(&[9000]), &seen(&[9010]), 1_000_000_000), None);
        assert_eq!(busy(&seen(&[0]), &seen(&[100]), 60_000_000_000), None);
        assert_eq!(busy(&[], &[], 1_000_000_000), None);
    }
}
