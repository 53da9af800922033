//! The keys that experiment.toml may have, exactly; what they mean is decided one file further.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A text with its place.
pub(super) type Text = Spanned<String>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) op: Text,
    #[serde(default)]
    pub(super) class: Option<Text>,
    #[serde(default)]
    pub(super) device: Option<Text>,
    pub(super) reference: Spanned<SideDoc>,
    pub(super) baseline: Spanned<SideDoc>,
    #[serde(default)]
    pub(super) candidate: BTreeMap<Text, Spanned<SideDoc>>,
    #[serde(default)]
    pub(super) case: Vec<Spanned<CaseDoc>>,
    #[serde(default)]
    pub(super) domain: Option<Spanned<BTreeMap<Text, Spanned<toml::Value>>>>,
    #[serde(default)]
    pub(super) inputs: BTreeMap<Text, Spanned<InputDoc>>,
    #[serde(default)]
    pub(super) outputs: BTreeMap<Text, Spanned<OutputDoc>>,
    #[serde(default)]
    pub(super) work: Option<WorkDoc>,
    #[serde(default)]
    pub(super) policy: Option<Spanned<PolicyDoc>>,
}

/// `[reference]`, `[baseline]`, `[candidate.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SideDoc {
    pub(super) tree: Text,
    pub(super) build: Option<String>,
    pub(super) runner: String,
    #[serde(default)]
    pub(super) sources: Vec<Text>,
    #[serde(default)]
    pub(super) artifacts: Vec<Text>,
    pub(super) build_deadline_s: Option<Spanned<i64>>,
    pub(super) deadline_s: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    pub(super) class: Option<Text>,
}

/// `[[case]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseDoc {
    pub(super) name: Option<Text>,
    #[serde(default)]
    pub(super) params: BTreeMap<String, i64>,
    #[serde(default)]
    pub(super) dtypes: BTreeMap<Text, Text>,
    pub(super) weight: Option<Spanned<f64>>,
}

/// `[domain]`, one parameter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeDoc {
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
    pub(super) multiple_of: Option<i64>,
    pub(super) choices: Option<Vec<i64>>,
}

/// A number or an expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Extent {
    Number(i64),
    Text(String),
}

impl Extent {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// `[inputs.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputDoc {
    pub(super) shape: Vec<Spanned<Extent>>,
    pub(super) dtype: Text,
    pub(super) kind: Text,
    #[serde(default)]
    pub(super) inout: bool,
    pub(super) distribution: Option<Text>,
    pub(super) low: Option<Spanned<Number>>,
    pub(super) high: Option<Spanned<Number>>,
    pub(super) mean: Option<f64>,
    pub(super) std: Option<f64>,
    pub(super) value: Option<Number>,
    pub(super) path: Option<Text>,
    pub(super) tensor: Option<String>,
    pub(super) command: Option<Text>,
    pub(super) experts: Option<Spanned<Extent>>,
    pub(super) skew: Option<Spanned<f64>>,
    pub(super) blocks: Option<Spanned<Extent>>,
    pub(super) total: Option<Spanned<Extent>>,
}

/// A whole or a real number.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    pub(super) fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }
}

/// `[outputs.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputDoc {
    pub(super) shape: Vec<Spanned<Extent>>,
    pub(super) dtype: Text,
    pub(super) tolerance: Option<Spanned<ToleranceDoc>>,
    pub(super) profile: Option<Text>,
    pub(super) reduction: Option<Spanned<Extent>>,
    pub(super) magnitude: Option<Spanned<Number>>,
}

/// `tolerance = { … }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToleranceDoc {
    pub(super) abs: Option<f64>,
    pub(super) rel: Option<f64>,
    pub(super) ulp: Option<u64>,
    pub(super) mismatch_share: Option<f64>,
    pub(super) outlier: Option<f64>,
}

/// `[work]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkDoc {
    pub(super) bytes: Option<Spanned<Extent>>,
    pub(super) flops: Option<Spanned<Extent>>,
}

/// `[policy]`: thresholds by name, checked where they are set.
pub(super) type PolicyDoc = BTreeMap<Text, Spanned<toml::Value>>;
