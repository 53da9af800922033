//! An interval of a ratio, kept in nine decimals so that a record of it is read back to the same bits.
//!
//! Invariant: `low ≤ estimate ≤ high`, all finite and positive; the ends are rounded outward, so a stored interval never claims more
//! than the one it was computed from. Decisions use the unrounded logarithms, never these fields.

use serde::{Deserialize, Serialize};

/// Nine decimals: a record's decimal text and the binary value then convert into each other without loss.
const SCALE: f64 = 1e9;

/// A ratio with its confidence interval; 1 means no difference, above 1 means that the candidate takes less time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Point estimate.
    pub estimate: f64,
    /// Upper end.
    pub high: f64,
}

/// The same in natural logarithms, unrounded; the form in which everything is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogInterval {
    pub(crate) low: f64,
    pub(crate) mid: f64,
    pub(crate) high: f64,
}

impl LogInterval {
    pub(crate) fn around(mid: f64, half: f64) -> Self {
        Self { low: mid - half, mid, high: mid + half }
    }

    pub(crate) fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The end farther from "no difference".
    pub(crate) fn reach(&self) -> f64 {
        libm::fmax(libm::fabs(self.low), libm::fabs(self.high))
    }

    pub(crate) fn to_ratio(self) -> Interval {
        Interval {
            low: round_down(ratio(self.low)),
            estimate: round_near(ratio(self.mid)),
            high: round_up(ratio(self.high)),
        }
    }
}

/// `exp`, held inside what nine decimals can carry: a ratio beyond a million is printed as a million.
pub(crate) fn ratio(log: f64) -> f64 {
    libm::exp(log).clamp(1e-6, 1e6)
}

fn round_down(x: f64) -> f64 {
    libm::floor(x * SCALE) / SCALE
}

fn round_up(x: f64) -> f64 {
    libm::ceil(x * SCALE) / SCALE
}

/// Nearest nine decimals; for numbers that are shown and stored but decide nothing.
pub(crate) fn round_near(x: f64) -> f64 {
    libm::round(x * SCALE) / SCALE
}
