//! The standard normal distribution, from portable special functions only.

/// Density at `x`.
pub(crate) fn density(x: f64) -> f64 {
    const INVERSE_ROOT_TWO_PI: f64 = 0.398_942_280_401_432_7;
    INVERSE_ROOT_TWO_PI * libm::exp(-0.5 * x * x)
}

/// Chance of a value above `x`.
pub(crate) fn upper_tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}
