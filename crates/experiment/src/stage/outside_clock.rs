//! The runner's clock against the clock outside: start-up costs cancel between short and long runs, and what is left must agree.

use kforge_record::{ClockCheck, Real};

/// One run seen from both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) long: bool,
    /// From outside.
    pub(super) wall_ns: u64,
    /// The sum of what the runner reported.
    pub(super) reported_ns: u64,
}

/// The clock's evidence of one case and side, a launch an entry.
#[derive(Default)]
pub(super) struct ClockLog {
    /// Short wall, long wall, difference reported.
    launches: Vec<(u64, u64, u64)>,
}

impl ClockLog {
    /// Adds the runs of one launch; without a short and a long run there is nothing to compare.
    pub(super) fn launch(&mut self, seen: &[Seen]) {
        self.launches.extend(short_and_long(seen));
    }

    /// The launch whose agreement is the median one, as the record keeps it.
    pub(super) fn check(&self, case: &str, side: &str, runs: u64, allowed: f64) -> Option<ClockCheck> {
        let ratio = |(short, long, reported): &(u64, u64, u64)| {
            *reported as f64 / (long.saturating_sub(*short).max(1)) as f64
        };
        let mut sorted: Vec<&(u64, u64, u64)> = self.launches.iter().collect();
        sorted.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let (short, long, reported) = **sorted.get(sorted.len() / 2)?;
        let mut check = ClockCheck {
            case: case.to_owned(),
            side: side.to_owned(),
            runs: u32::try_from(runs).unwrap_or(u32::MAX),
            wall_short_ns: short,
            wall_long_ns: long,
            reported_delta_ns: reported,
            allowed: Real::new(allowed),
            agrees: false,
        };
        check.agrees = check.computed_agrees();
        Some(check)
    }
}

/// Median walls of short and long runs, and the difference of what was reported.
fn short_and_long(seen: &[Seen]) -> Option<(u64, u64, u64)> {
    let median = |long: bool, value: &dyn Fn(&Seen) -> u64| {
        let mut values: Vec<u64> = seen.iter().filter(|run| run.long == long).map(value).collect();
        values.sort_unstable();
        values.get(values.len().saturating_sub(1) / 2).copied()
    };
    let wall = |run: &Seen| run.wall_ns;
    let reported = |run: &Seen| run.reported_ns;
    Some((
        median(false, &wall)?,
        median(true, &wall)?,
        median(true, &reported)?.saturating_sub(median(false, &reported)?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of `batch` ns a batch that cost `start` ns more outside and are reported `scale` times as long as they are.
    fn log(batch: u64, start: u64, scale: f64) -> ClockLog {
        let mut log = ClockLog::default();
        let run = |batches: u64| Seen {
            long: batches > 2,
            wall_ns: start + batches * batch,
            reported_ns: (batches as f64 * batch as f64 * scale) as u64,
        };
        log.launch(&[run(2), run(8), run(2), run(8)]);
        log
    }

    #[test]
    fn an_honest_clock_agrees_whatever_a_run_costs_to_start() {
        assert!(log(1_000_000, 30_000_000, 1.0).check("c", "b", 6, 0.1).unwrap().agrees);
    }

    #[test]
    fn a_clock_that_reports_half_or_twice_the_time_does_not_agree() {
        assert!(!log(1_000_000, 100_000, 0.5).check("c", "b", 6, 0.1).unwrap().agrees);
        assert!(!log(1_000_000, 100_000, 2.0).check("c", "b", 6, 0.1).unwrap().agrees);
    }

    #[test]
    fn without_long_runs_there_is_no_answer() {
        let mut log = ClockLog::default();
        log.launch(&[Seen { long: false, wall_ns: 5, reported_ns: 4 }]);
        assert!(log.check("c", "b", 6, 0.1).is_none());
    }
}
