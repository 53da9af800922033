//! The runner's clock against the clock outside.
//!
//! What a run costs beside its batches (waking up, reading the message) does not depend on how many batches it has. So the overhead of
//! long runs must be that of short runs; what it is more, the runner did not report. Overheads are compared at their lower quartile: on a
//! busy machine some runs wake up late, and a runner that lies would have to be honest in a quarter of its runs to hide there.

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

impl Seen {
    fn overhead(&self) -> i64 {
        self.wall_ns as i64 - self.reported_ns as i64
    }
}

/// The runs of one case and side, over all launches.
#[derive(Default)]
pub(super) struct ClockLog {
    runs: Vec<Seen>,
}

/// One kind of runs, short or long.
struct Kind {
    /// Median of what was reported, ns.
    reported: i64,
    /// Lower quartile of the overhead, ns.
    overhead: i64,
    /// What that quartile may be off by, from the spread of the lower half, ns.
    error: f64,
}

impl ClockLog {
    /// Adds the runs of one launch.
    pub(super) fn launch(&mut self, seen: &[Seen]) {
        self.runs.extend(seen);
    }

    fn kind(&self, long: bool) -> Option<Kind> {
        let mine = || self.runs.iter().filter(move |run| run.long == long);
        let mut reported: Vec<i64> = mine().map(|run| run.reported_ns as i64).collect();
        let mut overhead: Vec<i64> = mine().map(Seen::overhead).collect();
        reported.sort_unstable();
        overhead.sort_unstable();
        let at =
            |values: &[i64], quarter: usize| values.get(values.len().checked_sub(1)? * quarter / 4).copied();
        let spread = at(&overhead, 2)? - at(&overhead, 0)?;
        Some(Kind {
            reported: at(&reported, 2)?,
            overhead: at(&overhead, 1)?,
            error: spread as f64 / (overhead.len() as f64).sqrt(),
        })
    }

    /// What the record keeps, or, where the clocks disagree and the machine is too noisy to blame the runner, why that is so.
    pub(super) fn check(
        &self,
        case: &str,
        side: &str,
        runs: u64,
        allowed: f64,
    ) -> Option<Result<ClockCheck, String>> {
        let (short, long) = (self.kind(false)?, self.kind(true)?);
        let unsigned = |ns: i64| u64::try_from(ns).unwrap_or(0);
        let mut check = ClockCheck {
            case: case.to_owned(),
            side: side.to_owned(),
            runs: u32::try_from(runs).unwrap_or(u32::MAX),
            wall_short_ns: unsigned(short.reported + short.overhead),
            wall_long_ns: unsigned(long.reported + long.overhead),
            reported_delta_ns: unsigned(long.reported - short.reported),
            allowed: Real::new(allowed),
            agrees: false,
        };
        check.agrees = check.computed_agrees();
        let hidden = (long.overhead - short.overhead) as f64;
        let error = short.error + long.error;
        if !check.agrees && hidden.abs() < 3.0 * error {
            return Some(Err(format!(
                "case {case}, {side}: runs wake up so irregularly that the clock outside cannot be compared ({hidden:.0} ± {error:.0} ns)"
            )));
        }
        Some(Ok(check))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox::Stream;

    /// Launches of six short and two long runs, 1 ms a batch, reported `scale` times as long as they are; waking up takes
    /// `start` ns and, for one run in `late`, ten times as long.
    fn log(start: u64, late: u64, scale: f64) -> ClockLog {
        let mut log = ClockLog::default();
        let mut stream = Stream::new(4, 4);
        for _ in 0..8 {
            let mut run = |batches: u64| {
                let delay =
                    if stream.below(late) == 0 { 10 * start } else { start + stream.below(start / 4) };
                let took = batches * 1_000_000;
                Seen { long: batches > 2, wall_ns: delay + took, reported_ns: (took as f64 * scale) as u64 }
            };
            let runs = [2, 2, 8, 2, 2, 8, 2, 2].map(&mut run);
            log.launch(&runs);
        }
        log
    }

    fn agrees(log: &ClockLog) -> Option<bool> {
        log.check("c", "b", 6, 0.1).unwrap().ok().map(|check| check.agrees)
    }

    #[test]
    fn an_honest_clock_agrees_whatever_a_run_costs_to_start() {
        assert_eq!(agrees(&log(100_000, 1000, 1.0)), Some(true));
        assert_eq!(agrees(&log(1_000_000, 3, 1.0)), Some(true));
    }

    #[test]
    fn a_clock_that_reports_another_time_does_not_agree_even_on_a_busy_machine() {
        for scale in [0.5, 0.8, 1.25, 2.0] {
            assert_eq!(agrees(&log(100_000, 1000, scale)), Some(false), "{scale}");
            assert_eq!(agrees(&log(500_000, 3, scale)), Some(false), "{scale}");
        }
    }

    #[test]
    fn where_waking_up_is_all_noise_the_machine_is_blamed_and_not_the_runner() {
        let mut noisy = ClockLog::default();
        for run in 0..16_u64 {
            let long = run % 4 == 0;
            let took = if long { 8 } else { 2 } * 100_000;
            noisy.launch(&[Seen { long, wall_ns: took + (run * 7 % 16) * 2_000_000, reported_ns: took }]);
        }
        assert!(noisy.check("c", "b", 6, 0.1).unwrap().is_err());
    }

    #[test]
    fn without_long_runs_there_is_no_answer() {
        let mut log = ClockLog::default();
        log.launch(&[Seen { long: false, wall_ns: 5, reported_ns: 4 }]);
        assert!(log.check("c", "b", 6, 0.1).is_none());
    }
}
