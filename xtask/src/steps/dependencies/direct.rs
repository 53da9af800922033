//! A reason for each direct dependency, and a use for each declaration.
//!
//! Answers which external crates are declared without a reason, which reasons outlived their crate, which
//! declarations no source names. Invariant: versions are written once, in the workspace table.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;

const DATA: &str = "xtask/dependencies.toml";

/// `xtask/dependencies.toml`: crate name to reason.
pub(crate) type Reasons = BTreeMap<String, String>;

/// One line of a member's dependency tables.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) room: String,
    pub(crate) name: String,
    /// A member of the workspace.
    pub(crate) inside: bool,
    pub(crate) dev: bool,
    /// A source file of the room names it.
    pub(crate) used: bool,
}

pub(crate) fn examine(reasons: &Reasons, root: &toml::Table, declared: &[Declared]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let outside: BTreeSet<&str> =
        declared.iter().filter(|one| !one.inside).map(|one| one.name.as_str()).collect();
    for name in &outside {
        if reasons.get(*name).is_none_or(|reason| reason.trim().is_empty()) {
            findings.push(Finding::new(
                *name,
                "is a direct dependency without a reason",
                format!("say why in {DATA}"),
            ));
        }
    }
    for name in reasons.keys().filter(|name| !outside.contains(name.as_str())) {
        findings.push(Finding::new(DATA, format!("{name} is not a direct dependency"), "remove its reason"));
    }
    let versions =
        root.get("workspace").and_then(|table| table.get("dependencies")).and_then(toml::Value::as_table);
    for name in versions.into_iter().flat_map(toml::Table::keys) {
        if !declared.iter().any(|one| one.name == *name) {
            findings.push(Finding::new(
                "Cargo.toml",
                format!("no room depends on {name}"),
                "remove the line",
            ));
        }
    }
    for one in declared.iter().filter(|one| !one.used) {
        let kind = if one.dev { "dev-dependency" } else { "dependency" };
        let fact = format!("no source of the room names its {kind} {}", one.name);
        findings.push(Finding::new(&one.room, fact, "remove the line from its Cargo.toml"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{Declared, Reasons, examine};

    fn facts(reasons: &str, one: Declared) -> Vec<String> {
        let reasons: Reasons = toml::from_str(reasons).unwrap();
        let root = toml::from_str("[workspace.dependencies]\nserde = '1'\n").unwrap();
        examine(&reasons, &root, &[one]).into_iter().map(|finding| finding.fact).collect()
    }

    fn serde() -> Declared {
        Declared { room: "kforge-a".into(), name: "serde".into(), inside: false, dev: false, used: true }
    }

    #[test]
    fn a_dependency_with_a_reason_and_a_use_passes() {
        assert_eq!(facts("serde = 'records have a text form'", serde()), [""; 0]);
    }

    #[test]
    fn a_missing_empty_or_outlived_reason_is_found() {
        assert_eq!(facts("", serde()), ["is a direct dependency without a reason"]);
        assert_eq!(facts("serde = ' '", serde()), ["is a direct dependency without a reason"]);
        assert_eq!(facts("serde = 'r'\nlog = 'r'", serde()), ["log is not a direct dependency"]);
    }

    #[test]
    fn an_unused_declaration_is_found() {
        let unused = Declared { used: false, ..serde() };
        assert_eq!(facts("serde = 'r'", unused), ["no source of the room names its dependency serde"]);
    }

    #[test]
    fn a_version_that_no_room_takes_is_found() {
        let other = Declared { name: "toml".into(), ..serde() };
        assert_eq!(facts("toml = 'r'", other), ["no room depends on serde"]);
    }
}
