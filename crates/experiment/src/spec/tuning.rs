//! `[policy]`: the thresholds by which an experiment is held to account, and how much is held and measured.

use super::document::PolicyDoc;
use super::locate::{Source, nearest};
use crate::error::Error;
use crate::wording::number;
use kforge_record::Policy;
use std::collections::BTreeMap;
use toml::Spanned;

/// In which state of the caches a sample is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// The slots are used in turn; where they fit a cache together, they stay in it.
    Warm,
    /// The slots together exceed twice the last-level cache, so that each is met cold.
    Cold,
    /// Every call is a sample of its own behind a write of a large buffer, as `triton.testing.do_bench` measures. Only without a rival: calls can
    /// begin before the clock does.
    Swept,
}

impl CacheMode {
    /// The word in experiment.toml, in the protocol and in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::Swept => "swept",
        }
    }
}

/// Thresholds and amounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The thresholds, each with its reason where it is loosened.
    pub policy: Policy,
    /// Slots of a case, each with inputs and outputs of its own. In cold mode this is the smallest number.
    pub slots: u32,
    /// The state of the caches.
    pub cache: CacheMode,
    /// Blocks of a launch; the judge's `min_blocks` where that is more.
    pub blocks: u32,
    /// What one sample aims to span, in nanoseconds.
    pub sample_ns: u64,
    /// The most that one dump may hold, in bytes; one slot is always dumped.
    pub dump_bytes: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            slots: 3,
            cache: CacheMode::Warm,
            // Many short samples: what else runs on the machine then spoils few of them, and the median of a launch none.
            blocks: 16,
            sample_ns: 500_000,
            dump_bytes: 64 << 20,
        }
    }
}

/// Keys of `[policy]` that are no thresholds: they change what is measured, not what counts as a win.
const AMOUNTS: [&str; 7] = ["slots", "blocks", "cache", "sample_us", "dump_mib", "reason", "reasons"];

/// Reads `[policy]` over the project's thresholds.
pub(super) fn tuning(
    source: &Source<'_>,
    base: &Policy,
    doc: Option<&Spanned<PolicyDoc>>,
) -> Result<Tuning, Error> {
    let mut tuning = Tuning { policy: base.clone(), ..Tuning::default() };
    let Some(doc) = doc else { return Ok(tuning) };
    let doc = doc.get_ref();
    let reasons = Reasons::read(source, doc)?;
    // A share of mismatches is stated with its output; only the reason for it stands here.
    if let Some(reason) = reasons.of("mismatch_share") {
        tuning.policy.reasons.insert("mismatch_share".to_owned(), reason.to_owned());
    }
    for (key, value) in doc {
        let span = value.span();
        match key.get_ref().as_str() {
            "reason" | "reasons" => {}
            // One slot could be remembered; with two, a result that belongs to the other slot is found.
            "slots" => tuning.slots = within(source, value, "slots", 2, 4096)? as u32,
            "blocks" => tuning.blocks = within(source, value, "blocks", 1, 1000)? as u32,
            "sample_us" => tuning.sample_ns = within(source, value, "sample_us", 10, 10_000_000)? * 1000,
            "dump_mib" => tuning.dump_bytes = within(source, value, "dump_mib", 1, 65_536)? << 20,
            "cache" => {
                tuning.cache = match value.get_ref().as_str() {
                    Some("warm") => CacheMode::Warm,
                    Some("cold") => CacheMode::Cold,
                    _ => {
                        let message = format!("{} is no cache mode", value.get_ref());
                        return Err(source.wrong(&span, message, "write \"warm\" or \"cold\"".to_owned()));
                    }
                };
            }
            threshold => {
                if !thresholds().iter().any(|known| known == threshold) {
                    return Err(unknown(source, key));
                }
                let json =
                    serde_json::to_value(value.get_ref()).map_err(|error| Error::Bug(error.to_string()))?;
                tuning
                    .policy
                    .set(threshold, &json, reasons.of(threshold))
                    .map_err(|error| source.wrong(&span, error.to_string(), cure(threshold)))?;
            }
        }
    }
    Ok(tuning)
}

fn cure(threshold: &str) -> String {
    format!(
        "a value looser than the default needs `reasons = {{ {threshold} = \"…\" }}`; it is printed in every report"
    )
}

/// The names of all thresholds, out of the policy's own serial form.
fn thresholds() -> Vec<String> {
    let default = Policy::default();
    let sections = [serde_json::to_value(&default.judge), serde_json::to_value(&default.measure)];
    sections
        .into_iter()
        .filter_map(Result::ok)
        .filter_map(|section| section.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>()))
        .flatten()
        .collect()
}

fn unknown(source: &Source<'_>, key: &Spanned<String>) -> Error {
    let mut known = thresholds();
    known.extend(AMOUNTS.iter().map(|name| (*name).to_owned()));
    let cure = match nearest(key.get_ref(), &known) {
        Some(near) => format!("did you mean `{near}`? known here: {}", known.join(", ")),
        None => format!("known here: {}", known.join(", ")),
    };
    source.wrong(&key.span(), format!("unknown key `{}`", key.get_ref()), cure)
}

/// Why thresholds are loosened: one reason for all, or one a threshold.
struct Reasons {
    all: Option<String>,
    each: BTreeMap<String, String>,
}

impl Reasons {
    fn read(source: &Source<'_>, doc: &PolicyDoc) -> Result<Self, Error> {
        let mut reasons = Self { all: None, each: BTreeMap::new() };
        for (key, value) in doc {
            let span = value.span();
            match (key.get_ref().as_str(), value.get_ref()) {
                ("reason", toml::Value::String(text)) => reasons.all = Some(text.clone()),
                ("reasons", toml::Value::Table(table)) => {
                    for (name, text) in table {
                        let text =
                            text.as_str().ok_or_else(|| source.wrong(&span, "a reason is a text", None))?;
                        reasons.each.insert(name.clone(), text.to_owned());
                    }
                }
                ("reason" | "reasons", _) => {
                    return Err(source.wrong(&span, "`reason` is a text, `reasons` a table of texts", None));
                }
                _ => {}
            }
        }
        Ok(reasons)
    }

    fn of(&self, threshold: &str) -> Option<&str> {
        self.each.get(threshold).or(self.all.as_ref()).map(String::as_str)
    }
}

fn within(
    source: &Source<'_>,
    value: &Spanned<toml::Value>,
    name: &str,
    low: u64,
    high: u64,
) -> Result<u64, Error> {
    let given = value.get_ref();
    given
        .as_integer()
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| (low..=high).contains(number))
        .ok_or_else(|| {
            let given = given.as_float().map_or_else(|| given.to_string(), number);
            source.wrong(&value.span(), format!("`{name}` = {given} is outside {low} to {high}"), None)
        })
}
