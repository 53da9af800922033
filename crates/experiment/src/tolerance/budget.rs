//! From figures to what an output may differ by: roundings of the output, of the sum behind it, and of the reference itself.
//!
//! The model is that of Higham (2002, §2.2): every operation gives the exact result times 1 + δ with |δ| at most the unit roundoff. The
//! reference computes in binary64 and errs in the same way, so its roundoff is added to that of whatever accumulates.

use super::figures::{Figure, Row};
use crate::dtype::Dtype;
use kforge_record::{Real, Tolerance};

/// The unit roundoff of TF32: a fraction of 10 bits.
const TF32: f64 = 1.0 / 2048.0;

/// The sum behind one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum {
    /// How many terms it has; 1 where there is none.
    pub terms: u64,
    /// Typical size of one term.
    pub magnitude: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { terms: 1, magnitude: 1.0 }
    }
}

/// The figures that hold for one element type: its own, then those of small types, then those for all; the first one counts.
pub(super) struct Figures<'a>(pub(super) [Option<&'a Row>; 3]);

impl Figures<'_> {
    pub(super) fn of(&self, pick: impl Fn(&Row) -> &Option<Figure>) -> Option<f64> {
        self.0.iter().flatten().find_map(|row| pick(row).as_ref()).map(|figure| figure.value)
    }

    /// What follows for outputs of this type; integers and scales are exact.
    pub(super) fn tolerance(&self, dtype: Dtype, sum: Sum) -> Tolerance {
        let Some((roundoff, step)) = dtype.roundoff().zip(dtype.smallest_step()) else {
            return Tolerance::EXACT;
        };
        let figure = |pick: fn(&Row) -> &Option<Figure>| self.of(pick).unwrap_or(0.0);
        let double = f64::EPSILON / 2.0;
        let accumulated = double + if dtype == Dtype::F64 { double } else { f64::from(f32::EPSILON) / 2.0 };
        let (length, size) = (sum.terms as f64, sum.magnitude);
        let root = length.sqrt();
        let rel = figure(|row| &row.rel)
            + figure(|row| &row.rounding) * roundoff
            + figure(|row| &row.growth) * root * accumulated;
        let abs = figure(|row| &row.abs)
            + figure(|row| &row.steps) * step
            + figure(|row| &row.between) * roundoff * size
            + (figure(|row| &row.terms) * length + figure(|row| &row.cancel)) * accumulated * size
            + figure(|row| &row.factors) * root * TF32 * size;
        let share = figure(|row| &row.share);
        Tolerance {
            abs: Real::new(abs),
            rel: Real::new(rel),
            mismatch_share: Real::new(share),
            outlier: self.of(|row| &row.outlier).filter(|_| share > 0.0).map(Real::new),
            ..Tolerance::EXACT
        }
    }
}
