//! Two checks of the measurement itself: the clock from outside, and the device's physical limit.

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// Batches of N and 4N runs timed from outside the runner: Δwall/ΔN must agree with what the runner reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockCheck {
    /// The case's name.
    pub case: String,
    /// `baseline` or the candidate's name.
    pub side: String,
    /// N: runs in the short batch; the long one has four times as many.
    pub runs: u32,
    /// Wall time of the short batch from outside, ns.
    pub wall_short_ns: u64,
    /// Wall time of the long batch from outside, ns.
    pub wall_long_ns: u64,
    /// Sum of the runner's reported samples of the long batch minus that of the short one, ns.
    pub reported_delta_ns: u64,
    /// Largest relative disagreement allowed.
    pub allowed: Real,
    /// Whether outside and reported time agree.
    pub agrees: bool,
}

impl ClockCheck {
    /// What `agrees` must be. A reported time longer than the wall time is as wrong as a shorter one.
    pub fn computed_agrees(&self) -> bool {
        let wall = self.wall_long_ns.saturating_sub(self.wall_short_ns) as f64;
        let difference = (wall - self.reported_delta_ns as f64).abs();
        wall > 0.0 && difference <= self.allowed.get() * wall
    }
}

/// What is known of a case's physical limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case", deny_unknown_fields)]
pub enum FloorStatus {
    /// The limit is known, and the candidate's time is compared with it.
    Checked {
        /// Bytes that the op must move, at least.
        bytes: u64,
        /// Floating-point operations that the op must do, at least.
        flops: u64,
        /// The peak of the level that feeds the op in the cache mode used, bytes/s.
        peak_bytes_per_s: Real,
        /// The peak of the arithmetic, flop/s.
        peak_flops: Real,
    },
    /// The limit is not known, and why.
    NotChecked {
        /// One line: `cpu`, `unknown device …`, `no [work] in experiment.toml`.
        why: String,
    },
}

/// One case's physical limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorCheck {
    /// The case's name.
    pub case: String,
    /// The limit, or why it is not known.
    pub limit: FloorStatus,
}

impl FloorCheck {
    /// The least time of one kernel run in ns; absent where the limit is not known.
    pub fn least_ns(&self) -> Option<f64> {
        match &self.limit {
            FloorStatus::NotChecked { .. } => None,
            FloorStatus::Checked { bytes, flops, peak_bytes_per_s, peak_flops } => {
                let memory = *bytes as f64 / peak_bytes_per_s.get() * 1e9;
                let arithmetic = *flops as f64 / peak_flops.get() * 1e9;
                Some(memory.max(arithmetic))
            }
        }
    }
}
