//! The shapes of the data files as they are written, before anything is checked. An unknown key is refused.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{Confidence, Dtype, Pipe, Vendor};

/// One source of `sources.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceText {
    pub(crate) title: String,
    pub(crate) url: Option<String>,
    pub(crate) date: String,
    #[serde(default)]
    pub(crate) undated: bool,
}

/// One device file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileText {
    pub(crate) device: DeviceText,
    pub(crate) names: NamesText,
    #[serde(default)]
    pub(crate) pci: Vec<PciText>,
    pub(crate) cells: BTreeMap<String, CellText>,
    #[serde(default)]
    pub(crate) peak: Vec<PeakText>,
    #[serde(default)]
    pub(crate) no_peak: Vec<NoPeakText>,
    #[serde(default)]
    pub(crate) mode: Vec<ModeText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeviceText {
    pub(crate) name: String,
    pub(crate) vendor: Vendor,
    pub(crate) architecture: String,
    pub(crate) scope: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamesText {
    pub(crate) require: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) allow: Vec<String>,
    #[serde(default)]
    pub(crate) reported: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PciText {
    pub(crate) id: String,
    pub(crate) from: String,
}

/// A figure with its origin, or the reason why there is none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellText {
    pub(crate) value: Option<f64>,
    pub(crate) from: Option<String>,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) note: Option<String>,
    #[serde(default)]
    pub(crate) conflicts: Vec<ConflictText>,
    pub(crate) why: Option<String>,
    pub(crate) none: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConflictText {
    pub(crate) value: f64,
    pub(crate) from: String,
    pub(crate) confidence: Confidence,
    pub(crate) note: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeakText {
    pub(crate) pipe: Pipe,
    pub(crate) dtypes: Vec<Dtype>,
    pub(crate) tera_ops: f64,
    pub(crate) from: String,
    pub(crate) confidence: Confidence,
    pub(crate) per_clock: Option<u64>,
    pub(crate) rate_from: Option<String>,
    pub(crate) clock_mhz: Option<CellText>,
    pub(crate) deviates: Option<String>,
    pub(crate) note: Option<String>,
    #[serde(default)]
    pub(crate) conflicts: Vec<ConflictText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoPeakText {
    pub(crate) pipe: Pipe,
    pub(crate) dtypes: Vec<Dtype>,
    pub(crate) why: Option<String>,
    pub(crate) none: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModeText {
    pub(crate) compute: String,
    pub(crate) devices: u64,
    pub(crate) memory: Vec<String>,
    pub(crate) from: String,
    pub(crate) note: Option<String>,
}
