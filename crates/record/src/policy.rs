//! The thresholds that an experiment was judged by; a loosened value needs a reason.

use std::collections::BTreeMap;

use kforge_stats::JudgePolicy;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The version of the set of thresholds below.
pub const POLICY_VERSION: u32 = 1;

/// How measuring itself is held to account, beside the judge's own thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasurePolicy {
    /// Cases drawn from the domain that must be checked beside the declared ones. Default 16.
    pub drawn_cases: u32,
    /// Slots of each timed batch whose outputs are checked. Default 1.
    pub checked_slots: u32,
    /// Largest relative disagreement between the runner's clock and the time taken from outside. Default 0.1.
    pub clock_agreement: f64,
    /// A candidate must take at least this fraction of the physical limit's time. Default 0.9.
    pub floor_fraction: f64,
}

impl Default for MeasurePolicy {
    fn default() -> Self {
        Self { drawn_cases: 16, checked_slots: 1, clock_agreement: 0.1, floor_fraction: 0.9 }
    }
}

/// A value that makes a win easier than the default does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoosenedValue {
    /// The threshold's name.
    pub name: String,
    /// The default, as text.
    pub default: String,
    /// The value used, as text.
    pub value: String,
    /// Why; empty only where the policy is at fault.
    pub reason: String,
}

/// Every threshold as it was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// `POLICY_VERSION` when the evidence was made.
    pub version: u32,
    /// The judge's thresholds.
    pub judge: JudgePolicy,
    /// The thresholds of checking and measuring.
    pub measure: MeasurePolicy,
    /// Why values differ from their defaults, by the threshold's name.
    pub reasons: BTreeMap<String, String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            version: POLICY_VERSION,
            judge: JudgePolicy::default(),
            measure: MeasurePolicy::default(),
            reasons: BTreeMap::new(),
        }
    }
}

impl Policy {
    /// Sets one threshold by name, as `kforge.toml` and `experiment.toml` do.
    ///
    /// # Errors
    /// `Error::Policy` where the name is unknown, the value does not fit, or the whole is then at fault
    /// (out of range, or loosened without a reason).
    pub fn set(&mut self, name: &str, value: &serde_json::Value, reason: Option<&str>) -> Result<(), Error> {
        let refuse = |why: String| Error::Policy { name: name.to_owned(), value: value.to_string(), why };
        let mut next = self.clone();
        let mut known = false;
        next.judge = replaced(&self.judge, name, value, &mut known).map_err(refuse)?;
        next.measure = replaced(&self.measure, name, value, &mut known).map_err(refuse)?;
        if !known {
            return Err(refuse("there is no such threshold".to_owned()));
        }
        match reason {
            Some(reason) => next.reasons.insert(name.to_owned(), reason.to_owned()),
            None => next.reasons.remove(name),
        };
        if let Some(why) = next.fault() {
            return Err(refuse(why));
        }
        *self = next;
        Ok(())
    }

    /// The thresholds that are looser than their defaults, each with its reason.
    pub fn loosened(&self) -> Vec<LoosenedValue> {
        let judge = self.judge.loosened().into_iter().map(|loose| (loose.name, loose.default, loose.value));
        let (used, usual) = (&self.measure, MeasurePolicy::default());
        let measure = [
            (
                "drawn_cases",
                used.drawn_cases < usual.drawn_cases,
                usual.drawn_cases.to_string(),
                used.drawn_cases.to_string(),
            ),
            (
                "checked_slots",
                used.checked_slots < usual.checked_slots,
                usual.checked_slots.to_string(),
                used.checked_slots.to_string(),
            ),
            (
                "clock_agreement",
                used.clock_agreement > usual.clock_agreement,
                usual.clock_agreement.to_string(),
                used.clock_agreement.to_string(),
            ),
            (
                "floor_fraction",
                used.floor_fraction < usual.floor_fraction,
                usual.floor_fraction.to_string(),
                used.floor_fraction.to_string(),
            ),
        ];
        let measure = measure
            .into_iter()
            .filter_map(|(name, loose, default, value)| loose.then(|| (name.to_owned(), default, value)));
        judge
            .chain(measure)
            .map(|(name, default, value)| {
                let reason = self.reasons.get(&name).cloned().unwrap_or_default();
                LoosenedValue { name, default, value, reason }
            })
            .collect()
    }

    /// Whether the threshold of this name is not at its default; `mismatch_share` (a tolerance of the experiment)
    /// may always carry a reason.
    pub fn deviates(&self, name: &str) -> bool {
        let of = |policy: &Self| {
            let judge = serde_json::to_value(&policy.judge).ok();
            let measure = serde_json::to_value(&policy.measure).ok();
            let field = |section: Option<serde_json::Value>| section?.get(name).cloned();
            field(judge).or_else(|| field(measure))
        };
        name == "mismatch_share" || of(self) != of(&Self::default())
    }

    /// The first thing wrong with the policy: a version, a range, a loosened value without a reason.
    pub fn fault(&self) -> Option<String> {
        if self.version != POLICY_VERSION {
            return Some(format!("policy version {} is not {POLICY_VERSION}", self.version));
        }
        if let Err(error) = self.judge.check() {
            return Some(error.to_string());
        }
        let measure = &self.measure;
        // Written so that NaN is out of range.
        if !(measure.clock_agreement > 0.0 && measure.clock_agreement <= 1.0) {
            return Some(format!("clock_agreement {} is not in (0, 1]", measure.clock_agreement));
        }
        if !(measure.floor_fraction > 0.0 && measure.floor_fraction <= 1.0) {
            return Some(format!("floor_fraction {} is not in (0, 1]", measure.floor_fraction));
        }
        if measure.drawn_cases > 4096 || measure.checked_slots > 4096 {
            return Some("drawn_cases and checked_slots reach to 4096".to_owned());
        }
        let silent = self.loosened().into_iter().find(|loose| loose.reason.trim().is_empty());
        silent.map(|loose| {
            format!("{} is loosened from {} to {} without a reason", loose.name, loose.default, loose.value)
        })
    }
}

/// `from` with the field `name` replaced, where it has such a field.
fn replaced<T: Serialize + for<'de> Deserialize<'de>>(
    from: &T,
    name: &str,
    value: &serde_json::Value,
    known: &mut bool,
) -> Result<T, String> {
    let mut fields = serde_json::to_value(from).map_err(|error| error.to_string())?;
    if let Some(field) = fields.get_mut(name) {
        *field = value.clone();
        *known = true;
    }
    serde_json::from_value(fields).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Policy;

    #[test]
    fn the_default_policy_has_no_fault_and_nothing_loosened() {
        assert_eq!(Policy::default().fault(), None);
        assert!(Policy::default().loosened().is_empty());
    }

    #[test]
    fn loosening_needs_a_reason_and_tightening_does_not() {
        let mut policy = Policy::default();
        assert!(policy.set("min_effect", &json!(0.005), None).is_err());
        assert!(policy.set("min_effect", &json!(0.005), Some(" ")).is_err());
        assert!(policy.set("min_effect", &json!(0.005), Some("launch-bound op")).is_ok());
        assert!(policy.set("alpha", &json!(0.01), None).is_ok());
        assert!(policy.set("drawn_cases", &json!(0), None).is_err());
        assert!(policy.set("drawn_cases", &json!(32), None).is_ok());
        assert_eq!(policy.loosened().len(), 1);
        assert_eq!(policy.fault(), None);
    }

    #[test]
    fn unknown_names_and_values_of_another_kind_are_refused() {
        let mut policy = Policy::default();
        assert!(policy.set("no_such", &json!(1), Some("x")).is_err());
        assert!(policy.set("drawn_cases", &json!("many"), Some("x")).is_err());
        assert!(policy.set("floor_fraction", &json!(2.0), Some("x")).is_err());
        assert_eq!(policy, Policy::default());
    }
}
