//! The resolved dependency graph, reduced to what the rules ask of it.
//!
//! Answers for the targets that `deny.toml` names, with all features, development dependencies included. Refuses a
//! lock file that is out of step (`--locked`).

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, PackageId};

use super::direct::{self, Declared, Reasons};
use super::policy::{self, Deny};
use crate::finding::{Examined, Stop};
use crate::repository::Repository;

/// One package of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linked {
    pub(crate) name: String,
    pub(crate) version: cargo_metadata::semver::Version,
    /// SPDX expression.
    pub(crate) licence: Option<String>,
    /// As in the lock file; `None` for a path.
    pub(crate) source: Option<String>,
    /// A member of this workspace.
    pub(crate) member: bool,
    /// Names of the packages that depend on it directly.
    pub(crate) parents: BTreeSet<String>,
}

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let deny: Deny = repository.data("deny.toml")?;
    let reasons: Reasons = repository.data("xtask/dependencies.toml")?;
    let root: toml::Table = repository.data("Cargo.toml")?;
    let mut linked: BTreeMap<PackageId, Linked> = BTreeMap::new();
    let mut declared = Vec::new();
    for target in deny.targets() {
        let metadata = resolve(repository, target)?;
        collect(&metadata, &mut linked);
        if declared.is_empty() {
            declared = declarations(repository, &metadata)?;
        }
    }
    let packages: Vec<Linked> = linked.into_values().collect();
    let mut findings = policy::examine(&deny, &packages);
    findings.extend(policy::patches(&root));
    findings.extend(direct::examine(&reasons, &root, &declared));
    let looked_at = format!("{} packages, {} direct", packages.len(), reasons.len());
    Ok(Examined { looked_at: if packages.is_empty() { String::new() } else { looked_at }, findings })
}

fn resolve(repository: &Repository, target: &str) -> Result<Metadata, Stop> {
    MetadataCommand::new()
        .current_dir(repository.root())
        .features(CargoOpt::AllFeatures)
        .other_options(vec!["--locked".to_owned(), format!("--filter-platform={target}")])
        .exec()
        .map_err(|what| Stop::Tool { command: "cargo metadata --locked".to_owned(), what: what.to_string() })
}

fn collect(metadata: &Metadata, linked: &mut BTreeMap<PackageId, Linked>) {
    let nodes = metadata.resolve.as_ref().map(|resolve| resolve.nodes.as_slice()).unwrap_or_default();
    let members: BTreeSet<&PackageId> = metadata.workspace_members.iter().collect();
    for node in nodes {
        let package = &metadata[&node.id];
        linked.entry(node.id.clone()).or_insert_with(|| Linked {
            name: package.name.to_string(),
            version: package.version.clone(),
            licence: package.license.clone(),
            source: package.source.as_ref().map(ToString::to_string),
            member: members.contains(&node.id),
            parents: BTreeSet::new(),
        });
    }
    for node in nodes {
        let parent = metadata[&node.id].name.to_string();
        for dependency in &node.deps {
            if let Some(entry) = linked.get_mut(&dependency.pkg) {
                entry.parents.insert(parent.clone());
            }
        }
    }
}

/// What every member declares of the outside, with the text in which it may be used.
fn declarations(repository: &Repository, metadata: &Metadata) -> Result<Vec<Declared>, Stop> {
    let mut declared = Vec::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.as_std_path().parent().unwrap_or(repository.root());
        let folder = folder.strip_prefix(metadata.workspace_root.as_std_path()).unwrap_or(folder);
        let folder = format!("{}/", folder.to_string_lossy());
        let (mut shipped, mut tests) = (String::new(), String::new());
        for file in repository.with_extension("rs").filter(|file| file.starts_with(&folder)) {
            let text = repository.text(file)?.unwrap_or_default();
            let in_sources = file.starts_with(&format!("{folder}src/"));
            (if in_sources { &mut shipped } else { &mut tests }).push_str(&text);
        }
        for dependency in &package.dependencies {
            let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
            let identifier = name.replace('-', "_");
            let dev = dependency.kind == DependencyKind::Development;
            let used = mentions(&shipped, &identifier)
                || (dependency.kind != DependencyKind::Normal && mentions(&tests, &identifier));
            declared.push(Declared {
                room: package.name.to_string(),
                name: dependency.name.clone(),
                inside: dependency.path.is_some(),
                dev,
                used,
            });
        }
    }
    Ok(declared)
}

/// Whether `identifier` stands in `text` as a word of its own, followed by a path or ended by a use.
fn mentions(text: &str, identifier: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(identifier).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + identifier.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn an_identifier_counts_only_as_a_whole_word() {
        assert!(mentions("use serde::Serialize;", "serde"));
        assert!(mentions("use ::regex;", "regex"));
        assert!(!mentions("use serde_json::Value;", "serde"));
        assert!(!mentions("let my_regex = 1;", "regex"));
    }
}
