//! A case: one point of the op's domain that was checked and timed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// The value of a named parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A whole number: sizes, counts, strides.
    Int(i64),
    /// A word: a layout, an activation.
    Text(String),
}

/// Where a case came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseOrigin {
    /// Written in experiment.toml; checked and timed.
    Declared,
    /// Drawn from the domain after both runners had said hello; checked, not timed.
    Drawn,
}

/// One point of the op's domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Unique in the experiment.
    pub name: String,
    /// Declared or drawn.
    pub origin: CaseOrigin,
    /// Named parameters.
    pub params: BTreeMap<String, ParamValue>,
    /// Data type of each operand, by name.
    pub dtypes: BTreeMap<String, String>,
    /// The share of this case in the op's weighted mean before normalising; 0 for drawn cases.
    pub weight: Real,
    /// The seed from which the inputs of the check were generated.
    pub seed: u64,
}
