//! Correctness of one side on one case, with the numbers from which `passed` follows.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::real::Real;

/// What an output may differ by. An element matches when |got − expected| ≤ abs + rel · |expected|.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Absolute part.
    pub abs: Real,
    /// Relative part.
    pub rel: Real,
    /// Largest distance in units of the last place of the output's dtype; absent: not asked.
    pub max_ulp: Option<u64>,
    /// Share of elements that may mismatch; 0 unless the experiment loosens it with a reason.
    pub mismatch_share: Real,
    /// How many times what is allowed for it any element may differ, so that one bad element among millions is seen although a share may
    /// mismatch; absent: not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlier: Option<Real>,
}

impl Tolerance {
    /// Nothing may differ.
    pub const EXACT: Self = Self {
        abs: Real::new(0.0),
        rel: Real::new(0.0),
        max_ulp: None,
        mismatch_share: Real::new(0.0),
        outlier: None,
    };

    /// What an element may differ by.
    pub fn allowed(&self, expected: f64) -> f64 {
        self.abs.get() + self.rel.get() * expected.abs()
    }

    /// A difference as a multiple of what is allowed: 0 where nothing differs, infinite where nothing is allowed.
    pub fn excess(&self, difference: f64, expected: f64) -> f64 {
        if difference == 0.0 { 0.0 } else { difference / self.allowed(expected) }
    }
}

/// The profile that a tolerance follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToleranceProfile {
    /// Its name.
    pub name: String,
    /// Terms of the sum behind one element, where the profile asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<u64>,
    /// Typical size of one term.
    pub magnitude: Real,
    /// From how many times the baseline's error on a candidate's is worth a note.
    pub beside: Real,
}

/// The element with the largest |got − expected|.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worst {
    /// Index into the output, one number a dimension.
    pub index: Vec<u64>,
    /// What the side gave.
    pub got: Real,
    /// What the reference gave.
    pub expected: Real,
}

/// One output of one side compared with the reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedOutput {
    /// The output's name.
    pub name: String,
    /// The dtype that the experiment declares.
    pub dtype: String,
    /// The dtype that the side gave.
    pub dtype_got: String,
    /// The shape that the experiment declares.
    pub shape: Vec<u64>,
    /// The shape that the side gave.
    pub shape_got: Vec<u64>,
    /// Elements compared; 0 where dtype or shape differ.
    pub compared: u64,
    /// Elements outside `abs + rel · |expected|`.
    pub mismatches: u64,
    /// Largest |got − expected| over finite elements.
    pub max_abs: Real,
    /// Largest |got − expected| / |expected| over finite elements with a non-zero reference.
    pub max_rel: Real,
    /// Largest distance in units of the last place of `dtype`; absent where the dtype has none.
    pub max_ulp: Option<u64>,
    /// The worst finite element; absent where nothing was compared or nothing differs.
    pub worst: Option<Worst>,
    /// Elements where exactly one of got and expected is NaN.
    pub nan_differs: u64,
    /// Elements where got and expected are not the same infinity although one of them is infinite.
    pub inf_differs: u64,
    /// Elements that still hold the poison written before the run.
    pub poison_survivors: u64,
    /// Largest multiple of what was allowed over finite elements; present where the tolerance limits outliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_excess: Option<Real>,
    /// What was allowed.
    pub tolerance: Tolerance,
    /// The profile that this follows from, where it is not stated in figures alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ToleranceProfile>,
    /// Whether this output is right.
    pub passed: bool,
}

impl CheckedOutput {
    /// What `passed` must be, from the numbers beside it.
    pub fn computed_pass(&self) -> bool {
        let allowed = self.tolerance.mismatch_share.get() * self.compared as f64;
        let ulp_fits = match (self.tolerance.max_ulp, self.max_ulp) {
            (None, _) => true,
            (Some(limit), Some(seen)) => seen <= limit,
            (Some(_), None) => false,
        };
        let outliers_fit = match (self.tolerance.outlier, self.max_excess) {
            (None, _) => true,
            (Some(limit), Some(seen)) => seen.get() <= limit.get(),
            (Some(_), None) => false,
        };
        self.dtype == self.dtype_got
            && self.shape == self.shape_got
            && self.compared == elements(&self.shape)
            && self.nan_differs == 0
            && self.inf_differs == 0
            && self.poison_survivors == 0
            && self.mismatches as f64 <= allowed
            && ulp_fits
            && outliers_fit
    }

    /// Whether few enough elements mismatch and one of them does by more than any may.
    pub(crate) fn only_an_outlier(&self) -> bool {
        let limitless = Tolerance { outlier: None, ..self.tolerance };
        !self.computed_pass() && Self { tolerance: limitless, ..self.clone() }.computed_pass()
    }

    /// The first way in which the numbers contradict each other, if they do.
    pub fn contradiction(&self) -> Option<String> {
        if self.passed != self.computed_pass() {
            return Some(format!("passed says {} but its own numbers say {}", self.passed, !self.passed));
        }
        if self.nan_differs.saturating_add(self.inf_differs) > self.mismatches {
            return Some(
                "elements that differ in NaN or infinity are not all counted as mismatches".to_owned(),
            );
        }
        if self.mismatches > self.compared || self.compared > elements(&self.shape) {
            return Some("counts exceed the number of elements".to_owned());
        }
        let tolerance = &self.tolerance;
        let share = tolerance.mismatch_share.get();
        if !(tolerance.abs.get() >= 0.0 && tolerance.rel.get() >= 0.0 && (0.0..=1.0).contains(&share)) {
            return Some("the tolerance is not a non-negative number".to_owned());
        }
        if self.max_abs.get().is_nan()
            || self.max_abs.get() < 0.0
            || self.max_rel.get().is_nan()
            || self.max_rel.get() < 0.0
        {
            return Some("the largest errors are not non-negative numbers".to_owned());
        }
        if let Some(what) = self.excess_contradiction() {
            return Some(what.to_owned());
        }
        match &self.worst {
            None if self.max_abs.get() == 0.0 && self.mismatches == 0 => None,
            None if self.compared == 0 => None,
            None if self.nan_differs.saturating_add(self.inf_differs) >= self.mismatches
                && self.max_abs.get() == 0.0 =>
            {
                None
            }
            None => Some("elements differ but no worst element is named".to_owned()),
            Some(worst) => self.worst_contradiction(worst),
        }
    }

    /// The largest excess stands beside a limit for it, and agrees with what was counted and with the worst element.
    fn excess_contradiction(&self) -> Option<&'static str> {
        let limit = self.tolerance.outlier.map(Real::get);
        if limit.is_some_and(|limit| limit.is_nan() || limit < 1.0) {
            return Some("the limit of outliers is below what is allowed for any element");
        }
        let Some(excess) = self.max_excess.map(Real::get) else {
            return limit.is_some().then_some("outliers are limited but the largest excess is not named");
        };
        if limit.is_none() {
            return Some("a largest excess is named although outliers are not limited");
        }
        let finite = self.mismatches.saturating_sub(self.nan_differs).saturating_sub(self.inf_differs);
        let counted = if finite == 0 { (0.0..=1.0).contains(&excess) } else { excess >= 1.0 };
        if !counted {
            return Some("the largest excess contradicts the number of mismatches");
        }
        let of_worst =
            self.worst.as_ref().map(|worst| (worst.got.get() - worst.expected.get(), worst.expected.get()));
        let least =
            of_worst.map_or(0.0, |(difference, expected)| self.tolerance.excess(difference.abs(), expected));
        (least > excess).then_some("the largest excess is smaller than the worst element's")
    }

    fn worst_contradiction(&self, worst: &Worst) -> Option<String> {
        let inside = worst.index.len() == self.shape.len()
            && worst.index.iter().zip(&self.shape).all(|(index, extent)| index < extent);
        if !inside {
            return Some("the worst index lies outside the output".to_owned());
        }
        let difference = (worst.got.get() - worst.expected.get()).abs();
        if difference.to_bits() != self.max_abs.get().to_bits() {
            return Some("max_abs is not the worst element's difference".to_owned());
        }
        let expected = worst.expected.get().abs();
        if expected > 0.0 && difference / expected > self.max_rel.get() {
            return Some("max_rel is smaller than the worst element's relative error".to_owned());
        }
        let allowed = self.tolerance.allowed(expected);
        (self.mismatches == 0 && difference > allowed)
            .then(|| "no mismatch is counted but the worst element is outside the tolerance".to_owned())
    }
}

/// An input before and after a run: read-only inputs must not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedInput {
    /// The input's name.
    pub name: String,
    /// Restored before each run and therefore allowed to change.
    pub inout: bool,
    /// BLAKE3 of the bytes before the run.
    pub before: Digest,
    /// BLAKE3 of the bytes after the run.
    pub after: Digest,
}

/// One side checked on one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The case's name.
    pub case: String,
    /// `baseline` or the candidate's name.
    pub side: String,
    /// The id of the build that was checked.
    pub build: Digest,
    /// When: `before` timing, `timed` (a slot of a timed batch), `refill` (same pointers, new data), `after`.
    pub phase: String,
    /// The seed of this check's inputs.
    pub seed: u64,
    /// Every output.
    pub outputs: Vec<CheckedOutput>,
    /// Every input.
    pub inputs: Vec<CheckedInput>,
    /// Whether all outputs are right and no read-only input changed.
    pub passed: bool,
}

impl Check {
    /// The first thing wrong in a check that failed, in one line.
    pub fn complaint(&self) -> String {
        let changed = self.inputs.iter().find(|input| !input.inout && input.before != input.after);
        let wrong = self.outputs.iter().find(|output| !output.computed_pass());
        let place = format!("case {} ({})", self.case, self.phase);
        match (wrong, changed) {
            (Some(output), _) if output.dtype != output.dtype_got => {
                format!(
                    "{place}: output {} has dtype {}, not {}",
                    output.name, output.dtype_got, output.dtype
                )
            }
            (Some(output), _) if output.shape != output.shape_got => {
                format!(
                    "{place}: output {} has shape {:?}, not {:?}",
                    output.name, output.shape_got, output.shape
                )
            }
            (Some(output), _) if output.poison_survivors > 0 => {
                format!(
                    "{place}: output {} was not written in {} elements",
                    output.name, output.poison_survivors
                )
            }
            (Some(output), _) if output.only_an_outlier() => {
                let real = |real: Option<Real>| real.map_or(0.0, Real::get);
                format!(
                    "{place}: output {} has an element that differs by {:.3e} times what is allowed, more than {}",
                    output.name,
                    real(output.max_excess),
                    real(output.tolerance.outlier)
                )
            }
            (Some(output), _) => {
                let worst = output.worst.as_ref().map(|worst| format!(", worst at {:?}", worst.index));
                format!(
                    "{place}: output {} has {} of {} elements outside the tolerance{}",
                    output.name,
                    output.mismatches.max(output.nan_differs.saturating_add(output.inf_differs)),
                    output.compared,
                    worst.unwrap_or_default()
                )
            }
            (None, Some(input)) => format!("{place}: input {} was changed", input.name),
            (None, None) => format!("{place}: no output was compared"),
        }
    }

    /// What `passed` must be, from the outputs and inputs.
    pub fn computed_pass(&self) -> bool {
        !self.outputs.is_empty()
            && self.outputs.iter().all(CheckedOutput::computed_pass)
            && self.inputs.iter().all(|input| input.inout || input.before == input.after)
    }
}

/// Number of elements of a shape; saturates.
fn elements(shape: &[u64]) -> u64 {
    shape.iter().fold(1_u64, |product, extent| product.saturating_mul(*extent))
}
