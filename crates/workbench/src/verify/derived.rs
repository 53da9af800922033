//! Whether the files that are derived from evidence say what it gives. They prove nothing, and people read them: a note names an edit.

use kforge_ledger::{Layout, Ledger};

use super::ledger_at;
use super::state::Findings;
use crate::git::Git;
use crate::project::Project;
use crate::{Error, Note};

/// Notes every changed derived file of a tree that is not as the tree's own records give it.
pub(super) fn edited(
    project: &Project,
    git: &Git,
    tree: &str,
    changed: &[String],
    findings: &mut Findings,
) -> Result<(), Error> {
    let Some(prefix) = project.ledger_prefix() else { return Ok(()) };
    let derived = |path: &String| path.strip_prefix(&prefix).is_some_and(is_derived);
    if !changed.iter().any(derived) {
        return Ok(());
    }
    let mut files = git.entries(tree, std::slice::from_ref(&prefix))?;
    let kept = |path: &str| is_derived(path) || path.contains("/evidence/");
    files.retain(|file| file.path.strip_prefix(&prefix).is_some_and(kept));
    let place = tempfile::tempdir().map_err(|source| Error::Io { path: std::env::temp_dir(), source })?;
    ledger_at::write_out(git, &files, &prefix, &place.path().join("kernels"))?;
    let ledger = Ledger::open(place.path())?;
    let edited = match ledger.edited() {
        Ok(edited) => edited,
        // What cannot be read is a broken link by itself.
        Err(kforge_ledger::Error::Evidence { .. } | kforge_ledger::Error::Record { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let above = prefix.strip_suffix("kernels/").unwrap_or_default();
    let names = edited.iter().map(|file| format!("{above}{}", ledger.layout().relative(file)));
    for name in names.filter(|name| changed.contains(name)) {
        let text = format!(
            "{name} does not say what the evidence beside it gives; `kforge record --rebuild` derives it again"
        );
        findings.notes.push(Note { file: Some(name), ..Note::new("verify.derived-edited", text) });
    }
    Ok(())
}

/// Whether a file of the ledger, relative to `kernels/`, is a derived one.
fn is_derived(path: &str) -> bool {
    match path.split_once('/') {
        None => path == "README.md",
        Some((_, name)) => !name.contains('/') && (name == "notes.md" || Layout::is_version_name(name)),
    }
}
