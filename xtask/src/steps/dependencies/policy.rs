//! The rules of `deny.toml` over a resolved graph: licences, bans, duplicates, sources.
//!
//! Follows cargo-deny's meaning of the keys it reads and refuses keys that it does not know, so that no rule is
//! believed to hold while nobody checks it. Advisories are not checked: their database is not in the tree.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::semver::VersionReq;
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use super::graph::Linked;
use crate::finding::Finding;

const DATA: &str = "deny.toml";
/// How the lock file names crates.io.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// `deny.toml`, the keys that this workspace uses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Deny {
    graph: Graph,
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Graph {
    targets: Vec<String>,
    all_features: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Licences {
    allow: Vec<String>,
    private: Private,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Private {
    ignore: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bans {
    multiple_versions: Level,
    multiple_versions_include_dev: bool,
    wildcards: Level,
    allow_wildcard_paths: bool,
    highlight: String,
    skip: Vec<Entry>,
    deny: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "crate")]
    spec: Spec,
    reason: String,
    /// Packages that may still depend on a banned crate.
    #[serde(default)]
    wrappers: Vec<String>,
}

/// `name`, which is every version, or `name@requirement`; a requirement that cannot be read is refused with the file.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Spec {
    text: String,
    name: String,
    wanted: Option<VersionReq>,
}

impl TryFrom<String> for Spec {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let Some((name, wanted)) = text.split_once('@') else {
            return Ok(Self { name: text.clone(), wanted: None, text });
        };
        let parsed = VersionReq::parse(wanted).map_err(|error| format!("{text}: {error}"))?;
        Ok(Self { name: name.to_owned(), wanted: Some(parsed), text })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    unknown_registry: Level,
    unknown_git: Level,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Level {
    Deny,
    Warn,
    Allow,
}

impl Deny {
    pub(crate) fn targets(&self) -> &[String] {
        &self.graph.targets
    }
}

impl Entry {
    fn covers(&self, package: &Linked) -> bool {
        let wanted = self.spec.wanted.as_ref();
        self.spec.name == package.name && wanted.is_none_or(|wanted| wanted.matches(&package.version))
    }
}

/// Everything that `packages` break.
pub(crate) fn examine(deny: &Deny, packages: &[Linked]) -> Vec<Finding> {
    let mut findings = weakened(deny);
    findings.extend(licences(&deny.licenses, packages));
    findings.extend(bans(&deny.bans, packages));
    findings.extend(duplicates(&deny.bans, packages));
    findings.extend(packages.iter().filter_map(source));
    findings
}

/// Replacing a published crate by a local or a forked one hides its source from every other rule.
pub(crate) fn patches(root: &toml::Table) -> Vec<Finding> {
    ["patch", "replace"]
        .into_iter()
        .filter(|key| root.contains_key(*key))
        .map(|key| {
            Finding::new("Cargo.toml", format!("has a [{key}] table"), "depend on a published version")
        })
        .collect()
}

/// Levels that this step relies on being `deny`.
fn weakened(deny: &Deny) -> Vec<Finding> {
    let switches = [
        ("bans.multiple-versions", deny.bans.multiple_versions == Level::Deny),
        ("bans.multiple-versions-include-dev", deny.bans.multiple_versions_include_dev),
        ("bans.wildcards", deny.bans.wildcards == Level::Deny && deny.bans.allow_wildcard_paths),
        ("bans.highlight", deny.bans.highlight == "all"),
        ("sources.unknown-registry", deny.sources.unknown_registry == Level::Deny),
        ("sources.unknown-git", deny.sources.unknown_git == Level::Deny),
        ("graph.all-features", deny.graph.all_features),
        ("graph.targets", !deny.graph.targets.is_empty()),
        ("licenses.private.ignore", deny.licenses.private.ignore),
    ];
    let weak = switches.into_iter().filter(|(_, strict)| !strict);
    weak.map(|(key, _)| Finding::new(DATA, format!("{key} is weakened"), "set it back")).collect()
}

fn licences(rules: &Licences, packages: &[Linked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut allowed = Vec::new();
    for name in &rules.allow {
        match Licensee::parse(name) {
            Ok(licensee) => allowed.push((name, licensee)),
            Err(error) => {
                findings.push(Finding::new(
                    DATA,
                    format!("{name}: {}", error.reason),
                    "use an SPDX identifier",
                ));
            }
        }
    }
    let mut needed: BTreeSet<&String> = BTreeSet::new();
    for package in packages.iter().filter(|package| !package.member) {
        let place = format!("{} {}", package.name, package.version);
        let text = package.licence.as_deref().unwrap_or_default();
        let Ok(expression) = Expression::parse_mode(text, ParseMode::LAX) else {
            findings.push(Finding::new(
                place,
                format!("licence `{text}` cannot be read"),
                "choose another crate",
            ));
            continue;
        };
        let fits = expression.evaluate(|wanted| {
            let found = allowed.iter().find(|(_, licensee)| licensee.satisfies(wanted));
            needed.extend(found.map(|(name, _)| *name));
            found.is_some()
        });
        if !fits {
            let cure = format!("choose another crate, or allow the licence in {DATA}");
            findings.push(Finding::new(place, format!("licence `{text}` is not allowed"), cure));
        }
    }
    let unneeded = allowed.iter().filter(|(name, _)| !needed.contains(name));
    findings.extend(unneeded.map(|(name, _)| {
        Finding::new(DATA, format!("licence {name} is allowed and no package has it"), "remove it")
    }));
    findings
}

fn bans(rules: &Bans, packages: &[Linked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in &rules.deny {
        if entry.reason.trim().is_empty() {
            findings.push(Finding::new(
                DATA,
                format!("the ban of {} has no reason", entry.spec.text),
                "say why",
            ));
        }
        for package in packages.iter().filter(|package| entry.covers(package)) {
            let through: Vec<&str> = package
                .parents
                .iter()
                .filter(|parent| !entry.wrappers.contains(parent))
                .map(String::as_str)
                .collect();
            if !through.is_empty() || entry.wrappers.is_empty() {
                let fact = format!("is banned and comes through {}", through.join(", "));
                findings.push(Finding::new(
                    format!("{} {}", package.name, package.version),
                    fact,
                    &entry.reason,
                ));
            }
        }
    }
    findings
}

fn duplicates(rules: &Bans, packages: &[Linked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&Linked>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(package);
    }
    versions.retain(|_, found| found.len() > 1);
    for (name, found) in &versions {
        let counted: Vec<String> = found
            .iter()
            .filter(|package| !rules.skip.iter().any(|entry| entry.covers(package)))
            .map(|package| package.version.to_string())
            .collect();
        if counted.len() > 1 {
            let cure = format!("unify them, or skip one with a reason in {DATA}");
            findings.push(Finding::new(
                *name,
                format!("is linked {} times: {}", counted.len(), counted.join(", ")),
                cure,
            ));
        }
    }
    for entry in &rules.skip {
        let needed = versions.values().flatten().any(|package| entry.covers(package));
        if !needed || entry.reason.trim().is_empty() {
            let fact = format!("skip of {} is not needed or has no reason", entry.spec.text);
            findings.push(Finding::new(DATA, fact, "remove it, or say why"));
        }
    }
    findings
}

fn source(package: &Linked) -> Option<Finding> {
    let place = format!("{} {}", package.name, package.version);
    match package.source.as_deref() {
        Some(CRATES_IO) => None,
        None if package.member => None,
        None => Some(Finding::new(
            place,
            "comes from a path outside the workspace",
            "depend on a published version",
        )),
        Some(source) => {
            Some(Finding::new(place, format!("comes from {source}"), "depend on a version from crates.io"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CRATES_IO, Deny, Linked, examine, patches};
    use crate::repository::Repository;

    const DENY: &str = "
        [graph]
        targets = ['x']
        all-features = true
        [licenses]
        allow = ['MIT']
        private = { ignore = true }
        [bans]
        multiple-versions = 'deny'
        multiple-versions-include-dev = true
        wildcards = 'deny'
        allow-wildcard-paths = true
        highlight = 'all'
        skip = []
        deny = [{ crate = 'openssl', reason = 'no network' }]
        [sources]
        unknown-registry = 'deny'
        unknown-git = 'deny'
    ";

    fn package(name: &str, version: &str) -> Linked {
        Linked {
            name: name.to_owned(),
            version: version.parse().unwrap(),
            licence: Some("MIT OR Apache-2.0".to_owned()),
            source: Some(CRATES_IO.to_owned()),
            member: false,
            parents: ["app".to_owned()].into(),
        }
    }

    fn facts(deny: &str, packages: &[Linked]) -> Vec<String> {
        let deny: Deny = toml::from_str(deny).unwrap();
        examine(&deny, packages).into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn a_clean_graph_has_no_finding() {
        assert_eq!(facts(DENY, &[package("a", "1.0.0")]), [""; 0]);
    }

    #[test]
    fn licences_are_expressions_not_words() {
        let with = |licence: &str| Linked { licence: Some(licence.to_owned()), ..package("a", "1.0.0") };
        for (licence, count) in [
            ("MIT/Apache-2.0", 0),
            ("(MIT OR GPL-3.0) AND MIT", 0),
            ("GPL-3.0-only", 1),
            ("MIT AND GPL-3.0-only", 1),
            ("nonsense words", 1),
        ] {
            let found = facts(DENY, &[package("plain", "1.0.0"), with(licence)]);
            assert_eq!(found.len(), count, "{licence}: {found:?}");
        }
        let none = Linked { licence: None, ..package("a", "1.0.0") };
        assert_eq!(facts(DENY, &[package("plain", "1.0.0"), none]).len(), 1);
    }

    #[test]
    fn a_licence_that_nothing_needs_is_found() {
        let deny = DENY.replace("['MIT']", "['MIT', 'Zlib']");
        assert_eq!(facts(&deny, &[package("a", "1.0.0")]), ["licence Zlib is allowed and no package has it"]);
    }

    #[test]
    fn a_banned_crate_is_found_with_its_parent_and_a_wrapper_excuses_only_itself() {
        let packages = [package("openssl", "0.10.0")];
        assert_eq!(facts(DENY, &packages), ["is banned and comes through app"]);
        let wrapped = DENY.replace("reason = 'no network'", "reason = 'r', wrappers = ['app']");
        assert_eq!(facts(&wrapped, &packages), [""; 0]);
        let other = DENY.replace("reason = 'no network'", "reason = 'r', wrappers = ['other']");
        assert_eq!(facts(&other, &packages).len(), 1);
    }

    #[test]
    fn a_ban_without_a_requirement_is_of_every_version_and_one_that_cannot_be_read_is_refused() {
        assert_eq!(facts(DENY, &[package("openssl", "0.11.0-alpha.1")]).len(), 1);
        let spec = DENY.replace("'openssl'", "'openssl@nonsense'");
        assert_ne!(spec, DENY);
        assert!(toml::from_str::<Deny>(&spec).unwrap_err().to_string().contains("openssl@nonsense"));
    }

    #[test]
    fn two_versions_are_found_unless_one_is_skipped_with_a_reason() {
        let packages = [package("a", "1.0.0"), package("a", "2.1.0")];
        assert_eq!(facts(DENY, &packages), ["is linked 2 times: 1.0.0, 2.1.0"]);
        let skipped = DENY.replace("skip = []", "skip = [{ crate = 'a@1', reason = 'r' }]");
        assert_eq!(facts(&skipped, &packages), [""; 0]);
        assert_eq!(facts(&skipped, &packages[1..]), ["skip of a@1 is not needed or has no reason"]);
    }

    #[test]
    fn a_source_other_than_the_public_index_is_found() {
        let git = Linked { source: Some("git+https://example.org/a".to_owned()), ..package("a", "1.0.0") };
        let path = Linked { source: None, ..package("b", "1.0.0") };
        assert_eq!(facts(DENY, &[git, path]).len(), 2);
        let member = Linked { source: None, member: true, licence: None, ..package("c", "1.0.0") };
        assert_eq!(facts(DENY, &[package("a", "1.0.0"), member]), [""; 0]);
    }

    #[test]
    fn a_weakened_switch_and_an_unknown_key_are_refused() {
        let weak = DENY.replace("unknown-git = 'deny'", "unknown-git = 'warn'");
        assert_eq!(facts(&weak, &[package("a", "1.0.0")]), ["sources.unknown-git is weakened"]);
        let unknown = DENY.replace("[sources]", "[sources]\nallow-git = []");
        assert!(toml::from_str::<Deny>(&unknown).is_err());
    }

    #[test]
    fn a_patch_table_is_found() {
        let root = toml::from_str("[patch.crates-io]\na = { path = 'a' }").unwrap();
        assert_eq!(patches(&root).len(), 1);
    }

    #[test]
    fn the_policy_of_this_repository_reads() {
        let deny: Deny = Repository::find().unwrap().data("deny.toml").unwrap();
        assert!(!deny.targets().is_empty());
    }
}
