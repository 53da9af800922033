//! The numbers that decide what counts as a win, and which of them were made easier than the defaults.
//!
//! Invariant: every value is checked once, in [`JudgePolicy::check`]; the judge is only ever built from a checked policy.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The largest number of launches that the exact sign-flip test enumerates (2^16 sums for each half).
const MOST_LAUNCHES: u32 = 32;

/// Thresholds of the judge. `Default` is the documented policy; [`JudgePolicy::loosened`] names what was made easier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgePolicy {
    /// Minimum effect δ: a win must be shown to exceed a speedup of `1 + δ`. Default 0.01 (1 %).
    pub min_effect: f64,
    /// Two-sided error of the speedup's interval over all looks together; `faster` alone has half of it. Default 0.05.
    pub alpha: f64,
    /// Two-sided error of the A′/A check over all looks and cases: how often a sound machine is called biased. Default 0.01.
    pub bias_alpha: f64,
    /// Launch counts at which the judge may look, ascending. Default 8, 12, 16, 24.
    pub looks: Vec<u32>,
    /// Blocks that every launch must have. Default 8.
    pub min_blocks: u32,
    /// Largest share of blocks that may be dropped as disturbed. Default 0.10.
    pub max_disturbed: f64,
    /// A sample must span this many ticks of its clock. Default 500.
    pub min_ticks: u32,
    /// Resamples of the hierarchical bootstrap. Default 2000.
    pub resamples: u32,
}

impl Default for JudgePolicy {
    fn default() -> Self {
        Self {
            min_effect: 0.01,
            alpha: 0.05,
            bias_alpha: 0.01,
            looks: vec![8, 12, 16, 24],
            min_blocks: 8,
            max_disturbed: 0.10,
            min_ticks: 500,
            resamples: 2_000,
        }
    }
}

/// A policy value that makes a win easier than the default does; a report that used it prints it with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loosened {
    /// The policy's field.
    pub name: String,
    /// The default, as text.
    pub default: String,
    /// The value used, as text.
    pub value: String,
}

impl JudgePolicy {
    /// The launch count after which no more data is asked for; 0 when there is no look.
    pub fn last_look(&self) -> u32 {
        self.looks.last().copied().unwrap_or(0)
    }

    /// One-sided level of the sign-flip test at each look: an equal part of the error that `faster` may have, so that the sum over
    /// the looks keeps it whatever the shape of the noise.
    pub(crate) fn exact_level(&self) -> f64 {
        0.5 * self.alpha / self.looks.len().max(1) as f64
    }

    /// Refuses values that would make the method meaningless.
    ///
    /// # Errors
    /// [`Error::Policy`] with the field, its value and what is accepted.
    pub fn check(&self) -> Result<(), Error> {
        let inside = |value: f64, low: f64, high: f64| value.is_finite() && value >= low && value <= high;
        let refuse = |field, value: String, range| Err(Error::Policy { field, value, range });
        if !inside(self.min_effect, 0.0, 1.0) {
            return refuse("min_effect", self.min_effect.to_string(), "0 to 1");
        }
        if !inside(self.alpha, 1e-4, 0.5) {
            return refuse("alpha", self.alpha.to_string(), "0.0001 to 0.5");
        }
        if !inside(self.bias_alpha, 1e-4, 0.5) {
            return refuse("bias_alpha", self.bias_alpha.to_string(), "0.0001 to 0.5");
        }
        if !inside(self.max_disturbed, 0.0, 0.5) {
            return refuse("max_disturbed", self.max_disturbed.to_string(), "0 to 0.5");
        }
        let ascending = self.looks.windows(2).all(|pair| matches!(pair, [x, y] if x < y));
        let first = self.looks.first().copied().unwrap_or(0);
        if !ascending || first < 2 || self.last_look() > MOST_LAUNCHES || self.looks.len() > 8 {
            return refuse(
                "looks",
                format!("{:?}", self.looks),
                "1 to 8 ascending launch counts from 2 to 32",
            );
        }
        if libm::exp2(-f64::from(self.last_look())) > self.exact_level() {
            return refuse(
                "looks",
                format!("{:?}", self.looks),
                "enough launches for the sign-flip test to reach alpha",
            );
        }
        if !(1..=100_000).contains(&self.min_blocks) {
            return refuse("min_blocks", self.min_blocks.to_string(), "1 to 100000");
        }
        if !(1..=1_000_000).contains(&self.min_ticks) {
            return refuse("min_ticks", self.min_ticks.to_string(), "1 to 1000000");
        }
        if !(200..=100_000).contains(&self.resamples) {
            return refuse("resamples", self.resamples.to_string(), "200 to 100000");
        }
        Ok(())
    }

    /// The values that make a win, or the survival of a biased measurement, easier than the defaults do.
    pub fn loosened(&self) -> Vec<Loosened> {
        let default = Self::default();
        let mut found = Vec::new();
        let mut note = |name: &str, looser: bool, usual: String, used: String| {
            if looser {
                found.push(Loosened { name: name.to_owned(), default: usual, value: used });
            }
        };
        let text = |x: f64| x.to_string();
        note(
            "min_effect",
            self.min_effect < default.min_effect,
            text(default.min_effect),
            text(self.min_effect),
        );
        note("alpha", self.alpha > default.alpha, text(default.alpha), text(self.alpha));
        note(
            "bias_alpha",
            self.bias_alpha < default.bias_alpha,
            text(default.bias_alpha),
            text(self.bias_alpha),
        );
        // Fewer launches at the first look lean harder on the assumption of normal launch medians.
        let early = self.looks.first() < default.looks.first();
        note("looks", early, format!("{:?}", default.looks), format!("{:?}", self.looks));
        note(
            "min_blocks",
            self.min_blocks < default.min_blocks,
            default.min_blocks.to_string(),
            self.min_blocks.to_string(),
        );
        note(
            "max_disturbed",
            self.max_disturbed > default.max_disturbed,
            text(default.max_disturbed),
            text(self.max_disturbed),
        );
        note(
            "min_ticks",
            self.min_ticks < default.min_ticks,
            default.min_ticks.to_string(),
            self.min_ticks.to_string(),
        );
        note(
            "resamples",
            self.resamples < default.resamples,
            default.resamples.to_string(),
            self.resamples.to_string(),
        );
        found
    }
}
