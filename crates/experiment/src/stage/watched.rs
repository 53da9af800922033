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
        for runner in runners.iter_mut() {
            runner.enclose();
        }
        let before = std::array::from_fn(|who| runners[who].beside());
        Self { start: clock.now(), before }
    }

    /// After the last block: what each side's processes did out of its reach, added to what they did in earlier launches.
    pub(super) fn end(self, runners: &mut Runners<'_>, clock: &dyn Clock, sums: &mut [Beside; 3]) {
        let wall_ns = clock.now().since(self.start).0.unsigned_abs();
        for (who, sum) in sums.iter_mut().enumerate() {
            sum.appeared |= runners[who].enclose();
            sum.add(&self.before[who], &runners[who].beside(), wall_ns);
        }
    }
}

/// What the processes of one side did out of its reach in all launches so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    used_ns: u64,
    wall_ns: u64,
    /// One came to be outside while sides were timed, later than a pause could reach it.
    appeared: bool,
    /// The one that worked most in the last launch in which one did.
    name: String,
}

impl Beside {
    fn add(&mut self, before: &[(String, u64)], after: &[(String, u64)], wall_ns: u64) {
        let used = |name: &str, now: u64| {
            let then = before.iter().find(|(old, _)| old == name).map_or(0, |(_, used)| *used);
            now.saturating_sub(then)
        };
        self.wall_ns += wall_ns;
        self.used_ns += after.iter().map(|(name, now)| used(name, *now)).sum::<u64>();
        if let Some((name, now)) = after.iter().max_by_key(|(name, now)| used(name, *now))
            && used(name, *now) > 0
        {
            self.name.clone_from(name);
        }
    }

    /// Who worked, where all of them together worked too much for the samples to say anything.
    pub(super) fn worked(&self) -> Option<String> {
        if self.appeared {
            return Some("started a process outside of its process group while sides were timed".to_owned());
        }
        let much = self.used_ns >= UNSEEN_NS && self.used_ns as f64 >= ALLOWED * self.wall_ns as f64;
        much.then(|| {
            format!(
                "kept {} at work outside of its process group, which stands still while another side is timed ({} ms in {} ms)",
                self.name,
                self.used_ns / 1_000_000,
                self.wall_ns / 1_000_000
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(used_ms: &[u64]) -> Vec<(String, u64)> {
        used_ms.iter().enumerate().map(|(pid, ms)| (format!("process {pid}"), ms * 1_000_000)).collect()
    }

    fn busy(launches: &[(&[u64], &[u64], u64)]) -> Option<String> {
        let mut sum = Beside::default();
        for (before, after, wall_ms) in launches {
            sum.add(&seen(before), &seen(after), wall_ms * 1_000_000);
        }
        sum.worked()
    }

    #[test]
    fn who_works_while_others_are_timed_is_named_with_its_share() {
        let told = busy(&[(&[500, 10], &[520, 310], 1000)]).unwrap();
        assert!(told.starts_with("kept process 1 at work") && told.contains("320 ms in 1000 ms"), "{told}");
        // One that was not there before counts as a whole, and short launches add up.
        assert!(busy(&[(&[], &[20], 100)]).is_none());
        assert!(busy(&[(&[], &[20], 100), (&[], &[20], 100)]).is_some());
    }

    #[test]
    fn what_was_busy_before_and_idles_now_is_left_alone() {
        assert_eq!(busy(&[(&[9000], &[9010], 1000)]), None);
        assert_eq!(busy(&[(&[0], &[100], 60_000)]), None);
        assert_eq!(busy(&[(&[], &[], 1000)]), None);
    }
}
