//! Student's t for whole degrees of freedom, bit for bit the same on every machine.
//!
//! The distribution function is the finite trigonometric sum of Abramowitz & Stegun, Handbook of Mathematical Functions (1964),
//! 26.7.3 (odd) and 26.7.4 (even degrees of freedom); the quantile is its bisection to the last bit. A crate would be shorter,
//! but those found call the platform's logarithm, which is not the same everywhere; the tests compare with one of them.

use std::f64::consts::FRAC_2_PI;

/// Chance that Student's t with `freedom` degrees of freedom does not exceed `t`. No degrees of freedom give one half.
pub fn student_cdf(t: f64, freedom: u32) -> f64 {
    0.5 + 0.5 * central(t, freedom)
}

/// The `t` that is exceeded with the chance `upper_tail` (between 0 and 1); negative above one half, infinite where no finite
/// number qualifies.
pub fn student_quantile(upper_tail: f64, freedom: u32) -> f64 {
    if freedom == 0 || !(upper_tail > 0.0 && upper_tail < 1.0) {
        return f64::INFINITY;
    }
    if upper_tail > 0.5 {
        return -student_quantile(1.0 - upper_tail, freedom);
    }
    let exceeds = |t: f64| 0.5 - 0.5 * central(t, freedom) > upper_tail;
    let (mut low, mut high) = (0.0, 1.0);
    while exceeds(high) {
        low = high;
        high *= 2.0;
        if high > 1e12 {
            return f64::INFINITY;
        }
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if exceeds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// P(|T| ≤ |t|) with the sign of `t`.
fn central(t: f64, freedom: u32) -> f64 {
    if freedom == 0 {
        return 0.0;
    }
    let angle = libm::atan(t / libm::sqrt(f64::from(freedom)));
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let odd = freedom % 2 == 1;
    if freedom == 1 {
        return FRAC_2_PI * angle;
    }
    // Term k of the sum over cos^k, k = 1, 3, … or 0, 2, … up to freedom - 2; each from the one before.
    let mut power = u32::from(odd);
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = term;
    while power + 2 <= freedom - 2 {
        let above = f64::from(power + 1);
        term *= cosine * cosine * above / (above + 1.0);
        sum += term;
        power += 2;
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}
