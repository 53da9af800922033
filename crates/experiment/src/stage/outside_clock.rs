//! The runner's clock against the clock outside.
//!
//! What a run costs beside its batches (waking up, reading the message) does not depend on how many batches it has. So the overhead of
//! long runs must be that of short runs; what it is more, the runner did not report, and what it is less, the runner invented. On a busy
//! machine most overhead is waiting for a processor, a few milliseconds here and none there, and a quantile of a few runs can then differ
//! by more than the batches last, in either direction, although the clock is right. Which run is long was drawn, so that for an honest
//! clock long and short runs could change their names: a disagreement counts only where hardly any other naming shows one as large (a
//! randomisation test, which holds whatever the noise is). Invariant: noise alone is never called a wrong clock.

use crate::philox::Stream;
use kforge_record::{ClockCheck, Real};

/// One run seen from both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) long: bool,
    /// From outside.
    pub(super) wall_ns: u64,
    /// What the runner says it did beside the calls: restored operands, emptied caches.
    pub(super) aside_ns: u64,
    /// The sum of what the runner reported.
    pub(super) reported_ns: u64,
}

impl Seen {
    fn overhead(&self) -> i64 {
        self.wall_ns as i64 - self.aside_ns as i64 - self.reported_ns as i64
    }
}

/// The runs of one case and side, over all launches.
#[derive(Default)]
pub(super) struct ClockLog {
    runs: Vec<Seen>,
}

/// Quantiles at which overheads are compared, in quarters. The quickest runs met the least noise; the middle is what samples are judged by.
const QUARTERS: [usize; 3] = [0, 1, 2];
/// Other namings of the runs that are tried; none may show as large a difference.
const NAMINGS: u32 = 20_000;

/// What languages differ by in a run's work beside the calls, ns: reading two clocks a batch, walking over slots.
const SLACK_NS: u64 = 20_000;

/// What a run of an honest side may take longer than the baseline's beside its batches, ns: one with threads of its own wakes up later (47 µs
/// were seen, in Python).
const LEAST_LEFT_OUT_NS: f64 = 100_000.0;

/// What share of its batches' time a side's clock may lose beyond the baseline's. The bound of the policy holds for one side alone, whatever it is
/// written in; two sides of one harness on one machine differ by less.
const LOST_AT_MOST: f64 = 0.02;

impl ClockLog {
    /// Adds the runs of one launch.
    pub(super) fn launch(&mut self, seen: &[Seen]) {
        self.runs.extend(seen);
    }

    /// The same runs, with no more beside their calls than the baseline's runs have, up to so many quarters of those.
    ///
    /// A candidate that puts its calls' time there would hide it from both clocks; restoring the same bytes takes the baseline as long.
    pub(super) fn as_usual(&self, baseline: &Self, quarters: usize) -> Self {
        let most = |long: bool| {
            let usual = quantile(&baseline.of(long, |run| run.aside_ns as i64), quarters).unwrap_or(0);
            usual.unsigned_abs().saturating_mul(21) / 20 + SLACK_NS
        };
        let (short, long) = (most(false), most(true));
        let runs = self.runs.iter();
        let capped =
            runs.map(|run| Seen { aside_ns: run.aside_ns.min(if run.long { long } else { short }), ..*run });
        Self { runs: capped.collect() }
    }

    /// Why the candidate leaves time out of every run, where it does: as much in short ones as in long ones, so that these agree.
    ///
    /// Both sides run the same harness; what a run takes beside what it reports is then the same for both.
    pub(super) fn leaves_out(&self, baseline: &Self, allowed_ns: f64) -> Option<String> {
        let more = |long: bool, quarter: usize| {
            let of = |log: &Self| quantile(&log.of(long, Seen::overhead), quarter);
            Some(of(self)? - of(baseline)?)
        };
        let all = [false, true].into_iter().flat_map(|long| [0, 1].map(|quarter| more(long, quarter)));
        let least = all.collect::<Option<Vec<i64>>>()?.into_iter().min()?;
        (least as f64 > allowed_ns.max(LEAST_LEFT_OUT_NS)).then(|| {
            format!("each run takes {least} ns more from outside than the baseline's, beside what it reports: time is left out of its samples")
        })
    }

    /// Why the candidate's clock runs slower than the baseline's, where it does by more than noise and `slack_ns` explain: what harnesses differ
    /// by between the batches that a long run has and a short one has not.
    pub(super) fn runs_slow(&self, baseline: &Self, slack_ns: i64) -> Option<String> {
        let delta_ns = self.reported_delta_ns()?;
        let sides = [self, baseline].map(|log| [false, true].map(|long| log.of(long, Seen::overhead)));
        let [[short, long], [usual_short, usual_long]] = &sides;
        QUARTERS.into_iter().find_map(|quarter| {
            let lost = quantile(long, quarter)? - quantile(short, quarter)?;
            let usual = (quantile(usual_long, quarter)? - quantile(usual_short, quarter)?).max(0);
            let band = (LOST_AT_MOST * delta_ns as f64) as i64 + slack_ns + usual;
            (lost > band && is_no_accident(short, long, band, quarter)).then(|| {
                format!("its clock runs slow: {lost} ns of {delta_ns} ns more of batches are seen from outside and not reported (the baseline: {usual} ns)")
            })
        })
    }

    /// What share of its batches' time the side's clock may have lost, by the quickest runs of both sides: other work only adds time, so that
    /// it is rather less. Absent where it is no more than `runs_slow` allows.
    pub(super) fn may_have_lost(&self, baseline: &Self, slack_ns: i64) -> Option<f64> {
        let delta_ns = self.reported_delta_ns()?;
        let quickest = |log: &Self, long: bool| log.of(long, Seen::overhead).first().copied();
        let lost = quickest(self, true)? - quickest(self, false)?;
        let usual = (quickest(baseline, true)? - quickest(baseline, false)?).max(0);
        let share = (lost - usual - slack_ns) as f64 / delta_ns.max(1) as f64;
        (share > LOST_AT_MOST).then_some(share)
    }

    /// How much more the middle long run reports than the middle short one, ns.
    fn reported_delta_ns(&self) -> Option<i64> {
        let reported = |long: bool| quantile(&self.of(long, |run| run.reported_ns as i64), 2);
        Some(reported(true)? - reported(false)?)
    }

    fn of(&self, long: bool, value: fn(&Seen) -> i64) -> Vec<i64> {
        let mut values: Vec<i64> = self.runs.iter().filter(|run| run.long == long).map(value).collect();
        values.sort_unstable();
        values
    }

    /// What the record keeps, or, where the clocks disagree and noise may be why, that they cannot be compared.
    pub(super) fn check(
        &self,
        case: &str,
        side: &str,
        runs: u64,
        allowed: f64,
    ) -> Option<Result<ClockCheck, String>> {
        let reported = |long: bool| quantile(&self.of(long, |run| run.reported_ns as i64), 2);
        let (short, long) = (self.of(false, Seen::overhead), self.of(true, Seen::overhead));
        let (short_ns, long_ns) = (reported(false)?, reported(true)?);
        let unsigned = |ns: i64| u64::try_from(ns).unwrap_or(0);
        let at = |quarter: usize| {
            let mut check = ClockCheck {
                case: case.to_owned(),
                side: side.to_owned(),
                runs: u32::try_from(runs).unwrap_or(u32::MAX),
                wall_short_ns: unsigned(short_ns + quantile(&short, quarter)?),
                wall_long_ns: unsigned(long_ns + quantile(&long, quarter)?),
                reported_delta_ns: unsigned(long_ns - short_ns),
                allowed: Real::new(allowed),
                agrees: false,
            };
            check.agrees = check.computed_agrees();
            Some(check)
        };
        let checks: Vec<(usize, ClockCheck)> =
            QUARTERS.into_iter().filter_map(|quarter| Some((quarter, at(quarter)?))).collect();
        let wrong = checks.iter().filter(|(_, check)| !check.agrees);
        // What may be hidden: a share of the batches' time as the runner has it.
        let band = (allowed * (long_ns - short_ns) as f64) as i64;
        if let Some((_, check)) =
            wrong.into_iter().find(|(quarter, _)| is_no_accident(&short, &long, band, *quarter))
        {
            return Some(Ok(check.clone()));
        }
        // Noise can make up for a wrong clock at every quantile but the first: a run that met none is the quickest of its kind.
        let agreeing = checks.first().filter(|(_, check)| check.agrees);
        if let Some((_, check)) = agreeing {
            return Some(Ok(check.clone()));
        }
        let hidden = quantile(&long, 1)? - quantile(&short, 1)?;
        Some(Err(format!(
            "runs wake up so irregularly that the clock outside cannot be compared (overhead of long runs {hidden} ns beside that of short ones)"
        )))
    }
}

/// The value below which so many quarters of a sorted list lie.
fn quantile(sorted: &[i64], quarters: usize) -> Option<i64> {
    sorted.get(sorted.len().checked_sub(1)? * quarters / 4).copied()
}

/// Whether overheads differ by more than `band` in a way that no other naming of the same runs does.
///
/// Long runs are moved by the band towards the short ones first; what remains of the difference is compared with that of drawn namings.
fn is_no_accident(short: &[i64], long: &[i64], band: i64, quarter: usize) -> bool {
    let difference = |short: &[i64], long: &[i64]| Some(quantile(long, quarter)? - quantile(short, quarter)?);
    let Some(seen) = difference(short, long) else { return false };
    if seen.abs() <= band {
        return false;
    }
    let towards = if seen > 0 { -band } else { band };
    let rest = (seen + towards).abs();
    let mut all: Vec<i64> = short.iter().copied().chain(long.iter().map(|ns| ns + towards)).collect();
    let mut stream = Stream::new(NAMINGS.into(), all.len() as u32);
    (0..NAMINGS).all(|_| {
        stream.shuffle(&mut all);
        let (mut one, mut other) = (all[..short.len()].to_vec(), all[short.len()..].to_vec());
        one.sort_unstable();
        other.sort_unstable();
        // Two runs may have the same overhead to the nanosecond; then a naming as good as the real one is one more.
        difference(&one, &other).is_none_or(|other| other.abs() < rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
                Seen {
                    long: batches > 2,
                    wall_ns: delay + took,
                    aside_ns: 0,
                    reported_ns: (took as f64 * scale) as u64,
                }
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
            noisy.launch(&[Seen {
                long,
                wall_ns: took + (run * 7 % 16) * 2_000_000,
                aside_ns: 0,
                reported_ns: took,
            }]);
        }
        assert!(noisy.check("c", "b", 6, 0.1).unwrap().is_err());
    }

    /// So many runs of a launch's kind on a machine with more work than processors: three runs of four wait, up to 16 ms.
    fn busy(seed: u64, launches: u32, batch_ns: u64, scale: f64) -> ClockLog {
        let mut log = ClockLog::default();
        let mut stream = Stream::new(seed, 5);
        for _ in 0..launches {
            let mut kinds: Vec<bool> = (0..16).map(|block| block < 4).collect();
            stream.shuffle(&mut kinds);
            for long in kinds {
                let waits = (0..2).map(|_| if stream.below(2) == 0 { 0 } else { stream.below(8_000_000) });
                let waits: u64 = waits.sum();
                let delay = 60_000 + stream.below(30_000) + waits;
                let took = if long { 8 } else { 2 } * batch_ns;
                log.launch(&[Seen {
                    long,
                    wall_ns: delay + took,
                    aside_ns: 0,
                    reported_ns: (took as f64 * scale) as u64,
                }]);
            }
        }
        log
    }

    #[test]
    fn an_honest_clock_is_never_wrong_on_a_busy_machine_and_hardly_ever_in_doubt() {
        let mut doubts = 0;
        for seed in 0..40 {
            for batch_ns in [100_000, 500_000, 2_000_000] {
                match busy(seed, 8, batch_ns, 1.0).check("c", "b", 6, 0.1).unwrap() {
                    Ok(check) => assert!(check.agrees, "{seed} {check:?}"),
                    Err(_) => doubts += 1,
                }
            }
        }
        assert!(doubts <= 2, "{doubts} of 120");
    }

    #[test]
    fn a_halved_and_a_doubled_clock_never_agree_on_a_busy_machine() {
        for seed in 0..8 {
            for scale in [0.5, 2.0] {
                let answer = busy(seed, 8, 2_000_000, scale).check("c", "b", 6, 0.1).unwrap();
                assert!(answer.as_ref().is_ok_and(|check| !check.agrees), "{seed} {scale} {answer:?}");
                let short = busy(seed, 8, 500_000, scale).check("c", "b", 6, 0.1).unwrap();
                assert!(short.as_ref().map_or(true, |check| !check.agrees), "{seed} {scale} {short:?}");
            }
        }
    }

    #[test]
    fn a_clock_that_is_wrong_in_two_runs_of_three_is_found_out_in_the_middle() {
        let mut log = log(100_000, 1000, 1.0);
        for (number, run) in log.runs.iter_mut().enumerate() {
            if number % 3 != 0 {
                run.reported_ns /= 2;
            }
        }
        assert_eq!(agrees(&log), Some(false));
    }

    #[test]
    fn time_that_a_candidate_puts_beside_its_calls_is_not_taken_from_it_beyond_the_baseline_s() {
        let moved = |aside: u64| {
            let mut log = log(100_000, 1000, 1.0);
            for run in &mut log.runs {
                run.aside_ns = if run.long { 4 } else { 1 } * aside;
                run.reported_ns -= run.aside_ns;
            }
            log
        };
        // Half of the calls' time, said to be something else: the sum is right.
        let hidden = moved(1_000_000);
        assert_eq!(agrees(&hidden), Some(true));
        assert_eq!(agrees(&hidden.as_usual(&log(100_000, 1000, 1.0), 2)), Some(false));
        // Where the baseline has as much beside its calls, it is what it says.
        assert_eq!(agrees(&hidden.as_usual(&moved(1_000_000), 2)), Some(true));
        assert_eq!(agrees(&moved(1_000).as_usual(&log(100_000, 1000, 1.0), 2)), Some(true));
    }

    /// Runs of a process that shares its processor: it works for some milliseconds, then waits for some, wherever it is just then. Each
    /// batch is `aside` ns of work beside the calls and 1.8 ms of calls.
    fn sharing(seed: u64, aside: u64) -> ClockLog {
        let (mut log, mut stream) = (ClockLog::default(), Stream::new(seed, 6));
        let mut left = 0_u64;
        for _ in 0..8 {
            let mut kinds: Vec<bool> = (0..16).map(|block| block < 4).collect();
            stream.shuffle(&mut kinds);
            for long in kinds {
                let mut passes = |work: u64| {
                    let (mut todo, mut wall) = (work, work);
                    while todo > left {
                        todo -= left;
                        left = 1_000_000 + stream.below(5_000_000);
                        wall += 1_000_000 + stream.below(12_000_000);
                    }
                    left -= todo;
                    wall
                };
                let (mut aside_ns, mut reported_ns) = (0, 0);
                for _ in 0..if long { 8 } else { 2 } {
                    aside_ns += passes(aside);
                    reported_ns += passes(1_800_000);
                }
                let wall_ns = passes(60_000) + aside_ns + reported_ns;
                log.launch(&[Seen { long, wall_ns, aside_ns, reported_ns }]);
            }
        }
        log
    }

    #[test]
    fn pauses_beside_an_honest_side_s_calls_are_not_held_against_it() {
        for seed in 0..150 {
            for aside in [20_000, 100_000, 600_000] {
                let (mine, baseline) = (sharing(2 * seed, aside), sharing(2 * seed + 1, aside));
                let answer = mine.as_usual(&baseline, 2).check("c", "b", 6, 0.1).unwrap();
                assert!(answer.as_ref().map_or(true, |check| check.agrees), "{seed} {aside} {answer:?}");
                let why = mine.as_usual(&baseline, 2).leaves_out(&baseline, 0.1 * 1_800_000.0);
                assert_eq!(why, None, "{seed} {aside}");
            }
        }
    }

    #[test]
    fn a_clock_that_loses_a_twentieth_is_told_from_a_right_one_beside_the_baseline_s() {
        let right = log(100_000, 1000, 1.0);
        assert!(log(100_000, 1000, 0.95).runs_slow(&right, 60_000).unwrap().contains("runs slow"));
        assert_eq!(agrees(&log(100_000, 1000, 0.95)), Some(true), "the policy's own bound is wider");
        assert_eq!(log(110_000, 1000, 1.0).runs_slow(&right, 60_000), None);
        assert_eq!(log(100_000, 1000, 0.95).runs_slow(&log(100_000, 1000, 0.95), 60_000), None);
    }

    #[test]
    fn what_a_clock_may_have_lost_is_told_where_noise_hides_who_is_to_blame() {
        let right = log(100_000, 1000, 1.0);
        let share = log(100_000, 1000, 0.9).may_have_lost(&right, 0).unwrap();
        // A tenth of the true time is a ninth of what was reported.
        assert!((share - 1.0 / 9.0).abs() < 0.01, "{share}");
        assert_eq!(log(100_000, 1000, 1.0).may_have_lost(&right, 0), None);
        let (slow, busy_too) = (busy(3, 8, 500_000, 0.93), busy(4, 8, 500_000, 1.0));
        assert!(
            slow.runs_slow(&busy_too, 60_000).is_some() || slow.may_have_lost(&busy_too, 60_000).is_some()
        );
    }

    #[test]
    fn an_honest_clock_beside_another_is_not_called_slow_on_a_busy_machine() {
        for seed in 0..40 {
            for batch_ns in [100_000, 500_000, 2_000_000] {
                let (mine, baseline) =
                    (busy(2 * seed, 8, batch_ns, 1.0), busy(2 * seed + 1, 8, batch_ns, 1.0));
                assert_eq!(mine.runs_slow(&baseline, 60_000), None, "{seed} {batch_ns}");
            }
        }
        for seed in 0..150 {
            for aside in [20_000, 600_000] {
                let (mine, baseline) = (sharing(2 * seed, aside), sharing(2 * seed + 1, aside));
                assert_eq!(mine.runs_slow(&baseline, 60_000), None, "{seed} {aside}");
            }
        }
    }

    #[test]
    fn without_long_runs_there_is_no_answer() {
        let mut log = ClockLog::default();
        log.launch(&[Seen { long: false, wall_ns: 5, aside_ns: 0, reported_ns: 4 }]);
        assert!(log.check("c", "b", 6, 0.1).is_none());
    }
}
