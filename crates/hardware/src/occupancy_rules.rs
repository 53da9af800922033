//! The rules of occupancy as their file has them (`data/occupancy/rules.toml`).
//!
//! Invariant: every rule names a source that the file describes, and nothing that is divided by is 0; a file that breaks this is refused as a whole.

use crate::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const SHIPPED: &str = include_str!("../../../data/occupancy/rules.toml");

/// Every rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    sources: BTreeMap<String, String>,
    amd: Vec<AmdRule>,
    nvidia: Vec<NvidiaRule>,
}

/// One group of AMD's processors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AmdRule {
    arch: Vec<String>,
    #[serde(default)]
    pub(crate) narrow: bool,
    pub(crate) waves: u32,
    pub(crate) vgprs: u32,
    pub(crate) vgpr_step: u32,
    pub(crate) sgprs: Option<u32>,
    pub(crate) simds: u32,
    pub(crate) lds: u32,
    pub(crate) lds_step: u32,
    pub(crate) lds_block: u32,
    pub(crate) groups: Option<u32>,
    from: String,
}

/// One group of NVIDIA's processors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NvidiaRule {
    arch: Vec<String>,
    pub(crate) warps: u32,
    pub(crate) blocks: u32,
    pub(crate) shared: u32,
    pub(crate) shared_step: u32,
    pub(crate) shared_block: u32,
    pub(crate) reserved: u32,
    pub(crate) parts: u32,
    from: String,
}

/// The rules that ship with the program; none where the file is broken, which a test excludes.
static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::read(SHIPPED).unwrap_or_default());

/// The rule of an AMDGPU processor.
pub(crate) fn amd(arch: &str) -> Option<&'static AmdRule> {
    RULES.amd.iter().find(|rule| rule.arch.iter().any(|known| known == arch))
}

/// The rule of an NVIDIA processor.
pub(crate) fn nvidia(arch: &str) -> Option<&'static NvidiaRule> {
    RULES.nvidia.iter().find(|rule| rule.arch.iter().any(|known| known == arch))
}

impl Rules {
    /// Reads and checks a file of rules.
    ///
    /// # Errors
    /// Where it is no such file, a rule has a source that is not described, or a step of 0.
    fn read(text: &str) -> Result<Self, Error> {
        let file = || "occupancy".to_owned();
        let rules: Self = toml::from_str(text)
            .map_err(|error| Error::Syntax { file: file(), detail: error.to_string() })?;
        let from = rules.amd.iter().map(|rule| &rule.from).chain(rules.nvidia.iter().map(|rule| &rule.from));
        for source in from {
            if !rules.sources.contains_key(source) {
                let place = "a rule".to_owned();
                return Err(Error::UnknownSource { file: file(), place, source_id: source.clone() });
            }
        }
        let amd = rules.amd.iter().flat_map(|rule| [rule.simds, rule.vgpr_step, rule.lds_step]);
        let nvidia = rules.nvidia.iter().flat_map(|rule| [rule.shared_step, rule.parts]);
        if amd.chain(nvidia).any(|divisor| divisor == 0) {
            let (place, what) = ("a rule".to_owned(), "has a step of zero".to_owned());
            return Err(Error::Cell { file: file(), place, what });
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rules_are_whole_and_no_processor_has_two() {
        let rules = Rules::read(SHIPPED).unwrap();
        let amd = rules.amd.iter().flat_map(|rule| &rule.arch);
        let mut all: Vec<&String> = amd.chain(rules.nvidia.iter().flat_map(|rule| &rule.arch)).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert!(count > 40 && all.len() == count);
    }

    #[test]
    fn a_rule_without_its_source_or_with_a_step_of_zero_is_refused() {
        let unknown = SHIPPED.replacen("from = \"llvm\"", "from = \"hearsay\"", 1);
        assert!(matches!(Rules::read(&unknown), Err(Error::UnknownSource { .. })));
        let zero = SHIPPED.replacen("vgpr_step = 4", "vgpr_step = 0", 1);
        assert!(matches!(Rules::read(&zero), Err(Error::Cell { .. })));
        assert!(matches!(Rules::read("[sources]"), Err(Error::Syntax { .. })));
    }
}
