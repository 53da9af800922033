//! One series of launches against the boundaries: the rule of a single case, and of the mean over cases.
//!
//! Invariant: `Faster` needs the t interval, the sign-flip test and the bootstrap to agree that the speedup exceeds the boundary, and
//! the estimate to exceed what the baseline shows against itself. Any doubt is `Open`.

use crate::bootstrap::{self, LaunchBlocks};
use crate::interval::{Interval, LogInterval, ratio, round_near};
use crate::judgement::Measured;
use crate::sign_flip::sign_flip_p;
use crate::student::{student_cdf, student_quantile};
use crate::verdict::Why;

/// Two units of the last decimal of a stored interval: a verdict has to clear its boundary by so much, so that the record itself
/// shows it and the rounding of a logarithm decides nothing.
const GRAIN: f64 = 2e-9;

/// What the rule found, before it is put into words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finding {
    Faster,
    Slower,
    Same,
    Open(Why),
    /// The baseline differs from itself by this much (A ÷ A′).
    Biased(Interval),
}

/// Launch medians of one case, or their weighted mean over the cases.
pub(crate) struct Series<'a> {
    pub(crate) speedup: Vec<f64>,
    pub(crate) noise: Vec<f64>,
    pub(crate) blocks: Vec<LaunchBlocks<'a>>,
    pub(crate) resolution: f64,
    pub(crate) seed: [u8; 32],
}

/// The numbers of the look at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    /// ln(1 + minimum effect).
    pub(crate) margin: f64,
    /// One-sided level of the speedup's interval.
    pub(crate) level: f64,
    /// One-sided level of the sign-flip test.
    pub(crate) exact_level: f64,
    /// One-sided level of the A′/A check.
    pub(crate) bias_level: f64,
    pub(crate) resamples: u32,
    /// The next launch count, named where there are too few launches.
    pub(crate) launches: u32,
}

/// A finding with its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Assessment {
    pub(crate) finding: Finding,
    /// Absent with fewer than two launches.
    pub(crate) measured: Option<Measured>,
    /// By how much the boundary was moved because of a small but certain difference between A and A′.
    pub(crate) allowance: f64,
    /// ln(A ÷ A′), the estimate.
    pub(crate) noise_mid: f64,
    /// One-sided p values of "not beyond the boundary", for Holm: (faster, slower).
    pub(crate) p: (f64, f64),
}

/// Applies the rule to a series.
pub(crate) fn assess(series: &Series<'_>, bar: Bar) -> Assessment {
    let have = series.speedup.len() as u32;
    if have < 2 {
        let finding = Finding::Open(Why::TooFewLaunches { have, need: bar.launches });
        return Assessment { finding, measured: None, allowance: 0.0, noise_mid: 0.0, p: (1.0, 1.0) };
    }
    let speedup = t_interval(&series.speedup, bar.level, series.resolution);
    let noise = t_interval(&series.noise, bar.level, series.resolution);
    let strict = t_interval(&series.noise, bar.bias_level, series.resolution);
    let allowance = if noise.excludes_zero() { libm::fabs(noise.mid) } else { 0.0 };
    let mut measured = Measured {
        speedup: speedup.to_ratio(),
        noise: noise.to_ratio(),
        floor: round_near(ratio(noise.reach())),
        launches: have,
        sign_flip_p: None,
        bootstrap: None,
    };
    let finding = if strict.excludes_zero() && libm::fabs(strict.mid) >= 0.5 * bar.margin {
        Finding::Biased(strict.to_ratio())
    } else {
        compare(series, bar, speedup, noise.reach(), allowance, &mut measured)
    };
    let boundary = bar.margin + allowance;
    let p = p_beyond(&series.speedup, boundary, bar.level, series.resolution);
    Assessment { finding, measured: Some(measured), allowance, noise_mid: noise.mid, p }
}

fn compare(
    series: &Series<'_>,
    bar: Bar,
    speedup: LogInterval,
    floor: f64,
    allowance: f64,
    measured: &mut Measured,
) -> Finding {
    let boundary = bar.margin + allowance;
    let inner = bar.margin - allowance - GRAIN;
    if speedup.low > -inner && speedup.high < inner {
        return Finding::Same;
    }
    let sign = if speedup.low > boundary + GRAIN {
        1.0
    } else if speedup.high < -boundary - GRAIN {
        -1.0
    } else {
        let nearest = if speedup.mid < 0.0 { -bar.margin } else { bar.margin };
        return Finding::Open(Why::Straddles { boundary: round_near(ratio(nearest)) });
    };
    let claim = libm::fabs(speedup.mid);
    if claim <= floor + allowance {
        let shown = |x: f64| round_near(ratio(sign * x));
        return Finding::Open(Why::BelowFloor { claim: shown(claim), floor: shown(floor + allowance) });
    }
    let beyond: Vec<f64> = series.speedup.iter().map(|x| sign * x - boundary).collect();
    let p = sign_flip_p(&beyond);
    let boot = bootstrap::interval(&series.blocks, bar.level, bar.resamples, series.seed);
    measured.sign_flip_p = Some(round_near(p));
    measured.bootstrap = Some(boot.to_ratio());
    if p > bar.exact_level {
        return Finding::Open(Why::MethodsDisagree { check: "sign_flip".to_owned() });
    }
    if sign * boot.mid <= boundary {
        return Finding::Open(Why::MethodsDisagree { check: "bootstrap".to_owned() });
    }
    if sign > 0.0 { Finding::Faster } else { Finding::Slower }
}

/// The mean ± t·s/√n, never narrower than what the clock can resolve.
fn t_interval(points: &[f64], level: f64, resolution: f64) -> LogInterval {
    let (mean, error) = mean_and_error(points);
    let half = student_quantile(level, points.len() as u32 - 1) * error;
    LogInterval::around(mean, libm::fmax(half, resolution))
}

/// One-sided p values of "the mean is not above `boundary`" and "the mean is not below `-boundary`".
///
/// The standard error is raised where the clock's resolution is what limits the interval, so that p ≤ `level` says the same as the
/// interval does.
fn p_beyond(points: &[f64], boundary: f64, level: f64, resolution: f64) -> (f64, f64) {
    let freedom = points.len() as u32 - 1;
    let (mean, error) = mean_and_error(points);
    let error = libm::fmax(error, resolution / student_quantile(level, freedom));
    // Without any spread the answer is certain: p is 0 above the boundary and 1 elsewhere.
    let certain = |over: f64| f64::from(u8::from(over <= 0.0));
    let p = |over: f64| if error > 0.0 { 1.0 - student_cdf(over / error, freedom) } else { certain(over) };
    (p(mean - boundary), p(-mean - boundary))
}

/// Mean and standard error of at least two points.
fn mean_and_error(points: &[f64]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = points.iter().sum::<f64>() / count;
    let squares: f64 = points.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, libm::sqrt(squares / (count - 1.0) / count))
}
