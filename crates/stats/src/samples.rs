//! The judge's input: raw integer times of one baseline/candidate pair, exactly as they were measured.
//!
//! Shape: an operation has cases, a case has launches (fresh processes), a launch has blocks, a block has one time of each side.
//! All three times of a block cover the same number of operations, so their ratio is the ratio of the times of one operation.
//! Invariant: nothing here is rounded, averaged or dropped; a disturbed block stays in the record with its flag.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Weights outside this range would make a case vanish in a sum of doubles.
const LEAST_WEIGHT: f64 = 1e-9;
const MOST_WEIGHT: f64 = 1e9;

/// One block: a time of the baseline, of a second process of the baseline, and of the candidate, taken in random order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Baseline A, nanoseconds.
    pub a_ns: i64,
    /// A second process of the baseline A′, nanoseconds.
    pub a2_ns: i64,
    /// Candidate B, nanoseconds.
    pub b_ns: i64,
    /// Something outside the experiment was seen during the block (another user, a clock change); the judge leaves it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
}

impl Block {
    /// An undisturbed block; times in nanoseconds.
    pub const fn new(baseline: i64, second_baseline: i64, candidate: i64) -> Self {
        Self { a_ns: baseline, a2_ns: second_baseline, b_ns: candidate, disturbed: false }
    }
}

/// All samples of one case (one shape, one dtype) of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSamples {
    /// The case's name; unique inside the operation.
    pub case: String,
    /// The case's share in the operation's mean; from 1e-9 to 1e9, any scale.
    pub weight: f64,
    /// One tick of the clock that took the times, nanoseconds, at least 1.
    pub tick_ns: i64,
    /// Launches in the order they were made, each with its blocks in the order they were made.
    pub launches: Vec<Vec<Block>>,
}

impl CaseSamples {
    /// Names the parts of a case.
    pub fn new(case: impl Into<String>, weight: f64, tick_ns: i64, launches: Vec<Vec<Block>>) -> Self {
        Self { case: case.into(), weight, tick_ns, launches }
    }
}

/// All samples of one operation; every case has the same number of launches, because one launch runs every case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpSamples {
    /// The cases, in the experiment's order.
    pub cases: Vec<CaseSamples>,
}

impl OpSamples {
    /// An operation with a single case.
    pub fn of_one_case(case: CaseSamples) -> Self {
        Self { cases: vec![case] }
    }

    /// Launches made so far.
    pub fn launches(&self) -> usize {
        self.cases.first().map_or(0, |case| case.launches.len())
    }

    /// Refuses what cannot be a record of times.
    ///
    /// # Errors
    /// No case, a repeated case name, a weight outside 1e-9 to 1e9, a tick below 1 ns, a time that is not positive, or cases with
    /// different numbers of launches.
    pub fn check(&self) -> Result<(), Error> {
        if self.cases.is_empty() {
            return Err(Error::NoCases);
        }
        let expected = self.launches();
        for (index, case) in self.cases.iter().enumerate() {
            let name = || case.case.clone();
            if self.cases.iter().take(index).any(|earlier| earlier.case == case.case) {
                return Err(Error::RepeatedCase { case: name() });
            }
            if !(case.weight >= LEAST_WEIGHT && case.weight <= MOST_WEIGHT) {
                return Err(Error::Weight { case: name(), value: case.weight.to_string() });
            }
            if case.tick_ns < 1 {
                return Err(Error::Tick { case: name(), tick_ns: case.tick_ns });
            }
            if case.launches.len() != expected {
                return Err(Error::RaggedLaunches { case: name(), have: case.launches.len(), expected });
            }
            case.check_times()?;
        }
        Ok(())
    }
}

impl CaseSamples {
    fn check_times(&self) -> Result<(), Error> {
        for (launch, blocks) in self.launches.iter().enumerate() {
            for (block, times) in blocks.iter().enumerate() {
                for (side, ns) in [("a", times.a_ns), ("a2", times.a2_ns), ("b", times.b_ns)] {
                    if ns < 1 {
                        return Err(Error::NotATime { case: self.case.clone(), launch, block, side, ns });
                    }
                }
            }
        }
        Ok(())
    }
}
