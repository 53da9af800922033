//! Whose settings a gate goes by: those where the range starts, which whoever pushes did not write.
//!
//! Where evidence lies and whose signatures count is said by kforge.toml, and the file is pushed like any other: two lines would
//! switch the gate off. So a gate refuses where the end of the range, or the working tree that it runs in, has others than the start, or
//! another list of allowed signers.
//! A start without any kforge.toml and without evidence has none to go by: a first push brings its own.

use std::path::Path;

use super::ledger_at;
use super::signers::List;
use crate::Error;
use crate::gate::BrokenLink;
use crate::git::Git;
use crate::project::{GateSettings, Project};

const FILE: &str = "kforge.toml";

/// The first setting that is not what it was where the range starts.
pub(super) fn changed(
    project: &Project,
    folder: &Path,
    start: Option<&str>,
    end: &str,
) -> Result<Option<BrokenLink>, Error> {
    let git = project.repository()?;
    if git.top == git.folder {
        // Without a working tree the settings are the repository's own, which nobody pushes.
        return Ok(None);
    }
    let last = match At::of(project, git, folder, end)? {
        Ok(at) => at,
        Err(link) => return Ok(Some(link)),
    };
    let mut first = None;
    if let Some(start) = start {
        match At::of(project, git, folder, start)? {
            Ok(at) if at.named || holds_evidence(git, start, &at.root)? => first = Some(at),
            Ok(_) => {}
            Err(link) => return Ok(Some(link)),
        }
    }
    let here = At { root: git.prefix.clone(), named: true, settings: project.settings.clone() };
    let other = match &first {
        Some(first) => first
            .other("where the range starts", &last, "where it ends")
            .or_else(|| first.other("where the range starts", &here, "in the working tree")),
        None => last.other("where the range ends", &here, "in the working tree"),
    };
    if other.is_some() {
        return Ok(other);
    }
    let signers = List::of(project, git);
    let known = start.filter(|_| first.is_some());
    let brought = match known {
        Some(start) => signers.brought(Some(start), end)?,
        None => None,
    };
    let (path, place) = match brought {
        Some(path) => (path, "where the range ends"),
        None => match signers.other_on_disk(known.unwrap_or(end))? {
            Some(path) => (path, "in the working tree"),
            None => return Ok(None),
        },
    };
    let since = if known.is_some() { "where the range starts" } else { "where the range ends" };
    let message = format!("{path}, which says whose signatures count, is another {place} than {since}");
    Ok(Some(refused(message).about(&path)))
}

/// Whether the project at `root` of a tree has evidence in the usual place.
fn holds_evidence(git: &Git, tree: &str, root: &str) -> Result<bool, Error> {
    let files = git.entries(tree, &[format!("{root}kernels/")])?;
    Ok(files.iter().any(|file| ledger_at::is_evidence(&file.path)))
}

/// The project around a folder as one tree has it.
#[derive(Clone)]
struct At {
    /// From the repository's top, ending in `/`; empty at the top.
    root: String,
    /// Whether a kforge.toml is there.
    named: bool,
    settings: GateSettings,
}

impl At {
    /// A link where kforge.toml cannot be read.
    fn of(
        project: &Project,
        git: &Git,
        folder: &Path,
        tree: &str,
    ) -> Result<Result<Self, BrokenLink>, Error> {
        // Outside of the repository's folders the project's own root is what is left to go by.
        let folder = folder.canonicalize().unwrap_or_else(|_| project.root.clone());
        let inside =
            folder.strip_prefix(&git.top).unwrap_or_else(|_| Path::new(git.prefix.trim_end_matches('/')));
        let mut roots: Vec<String> = inside
            .ancestors()
            .map(|root| root.to_string_lossy().into_owned())
            .map(|root| if root.is_empty() { root } else { format!("{root}/") })
            .collect();
        roots.dedup();
        let files: Vec<String> = roots.iter().map(|root| format!("{root}{FILE}")).collect();
        let found = git.entries(tree, &files)?;
        // The nearest one marks the project, as on disk.
        for (root, file) in roots.into_iter().zip(&files) {
            let Some(entry) = found.iter().find(|entry| entry.path == *file) else { continue };
            let bytes = git.blob(&entry.blob)?.unwrap_or_default();
            return Ok(match GateSettings::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(settings) => Ok(Self { root, named: true, settings }),
                Err(why) => {
                    let message =
                        format!("{file} of {} cannot be read: {why}", tree.get(..12).unwrap_or(tree));
                    Err(refused(message).about(file))
                }
            });
        }
        Ok(Ok(Self { root: String::new(), named: false, settings: GateSettings::default() }))
    }

    /// The first setting that `other` has and this has not.
    fn other(&self, whose: &str, other: &Self, place: &str) -> Option<BrokenLink> {
        let said =
            |value: Option<&Path>| value.map_or("not set".to_owned(), |path| path.display().to_string());
        let root =
            |root: &str| if root.is_empty() { "the repository's top".to_owned() } else { root.to_owned() };
        let rows = [
            ("the project's folder", root(&self.root), root(&other.root)),
            (
                "[ledger] root",
                said(self.settings.ledger_root.as_deref()),
                said(other.settings.ledger_root.as_deref()),
            ),
            (
                "[verify] allowed_signers",
                said(self.settings.allowed_signers.as_deref()),
                said(other.settings.allowed_signers.as_deref()),
            ),
        ];
        let (name, before, after) = rows.into_iter().find(|(_, before, after)| before != after)?;
        let message = format!("{name} is {before} {whose} and {after} {place}");
        Some(refused(message).about(&format!("{}{FILE}", other.root)))
    }
}

fn refused(message: String) -> BrokenLink {
    let hint = "change settings in a push of their own that a person lets through";
    BrokenLink::new("settings-changed", message, hint)
}
