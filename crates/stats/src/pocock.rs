//! How strict each look has to be so that all looks together keep the error (Pocock's boundary).
//!
//! Pocock, "Group sequential methods in the design and analysis of clinical trials", Biometrika 64 (1977) 191–199, asks the same
//! nominal level at every look. The level for looks at given shares of the data comes from the recursive integration of Armitage,
//! McPherson & Rowe, J. R. Stat. Soc. A 132 (1969) 235–244. Applied to t instead of z by its significance level, and read as
//! repeated confidence intervals, after Jennison & Turnbull, "Group Sequential Methods with Applications to Clinical Trials"
//! (2000), §2.2, §4.4 and §9; their Table 2.1 is a test of this module.

use crate::normal::{density, upper_tail};

/// Points of the Simpson rule across the continuation region; the error in the critical value is below 1e-6.
const POINTS: usize = 96;

/// The nominal one-sided level of each look at `looks` launches, for a two-sided error `alpha` over all of them.
///
/// Looks ascend and are positive (a checked policy's are); otherwise the level is 0, which no evidence passes.
pub fn pocock_level(looks: &[u32], alpha: f64) -> f64 {
    upper_tail(pocock_critical_value(looks, alpha))
}

/// The value that |Z| may not reach at any look, in standard deviations; infinite without looks, or for looks that do not ascend
/// from above 0, or an `alpha` outside 0.0001 to 0.5.
pub fn pocock_critical_value(looks: &[u32], alpha: f64) -> f64 {
    let ascending = looks.windows(2).all(|pair| matches!(pair, [x, y] if x < y));
    let (Some(last), true, true) =
        (looks.last(), ascending && !looks.contains(&0), (1e-4..=0.5).contains(&alpha))
    else {
        return f64::INFINITY;
    };
    let shares: Vec<f64> = looks.iter().map(|n| f64::from(*n) / f64::from(*last)).collect();
    // The logarithm of the chance is nearly a parabola in c: the regula falsi with Illinois' halving (Dowell & Jarratt, BIT 11 (1971)
    // 168–174) needs about eight steps. The bracket holds for every policy that passes its check.
    let excess = |c: f64| libm::log(crossing(c, &shares) / alpha);
    let (mut low, mut high) = (0.5, 5.5);
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    for _ in 0..60 {
        let guess = (low * at_high - high * at_low) / (at_high - at_low);
        let at_guess = excess(guess);
        if libm::fabs(at_guess) < 1e-12 {
            return guess;
        }
        if (at_guess > 0.0) == (at_high > 0.0) {
            at_low *= 0.5;
        } else {
            (low, at_low) = (high, at_high);
        }
        (high, at_high) = (guess, at_guess);
    }
    high
}

/// Chance that a Brownian motion without drift has |W(t)| ≥ c√t at one of the shares t.
fn crossing(c: f64, shares: &[f64]) -> f64 {
    let mut steps = shares.iter().copied();
    let Some(first) = steps.next() else {
        return 0.0;
    };
    let mut total = 2.0 * upper_tail(c);
    let mut grid = simpson(c * libm::sqrt(first));
    // Density at each grid point of "no crossing so far", times the rule's weight.
    let mut mass: Vec<f64> =
        grid.iter().map(|(x, w)| w * density(x / libm::sqrt(first)) / libm::sqrt(first)).collect();
    let mut before = first;
    for share in steps {
        let spread = libm::sqrt(share - before);
        let bound = c * libm::sqrt(share);
        let leaves = |x: f64| upper_tail((bound - x) / spread) + upper_tail((bound + x) / spread);
        total += grid.iter().zip(&mass).map(|((x, _), m)| m * leaves(*x)).sum::<f64>();
        let next = simpson(bound);
        let arrives = |y: f64| {
            grid.iter().zip(&mass).map(|((x, _), m)| m * density((y - x) / spread)).sum::<f64>() / spread
        };
        mass = next.iter().map(|(y, w)| w * arrives(*y)).collect();
        grid = next;
        before = share;
    }
    total
}

/// Points and weights of Simpson's rule on `[-bound, bound]`.
fn simpson(bound: f64) -> Vec<(f64, f64)> {
    let step = 2.0 * bound / POINTS as f64;
    let weight = |i: usize| match i {
        0 | POINTS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=POINTS).map(|i| (step * i as f64 - bound, weight(i) * step / 3.0)).collect()
}
