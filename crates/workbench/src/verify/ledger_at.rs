//! The ledger as a commit holds it, so that a branch can be verified without checking it out.

use std::fs;
use std::path::{Component, Path};

use kforge_ledger::Ledger;
use kforge_record::Digest;

use crate::Error;
use crate::git::{Git, TreeEntry};
use crate::project::Project;

/// The evidence files below `prefix` in a tree.
pub(super) fn evidence_files(git: &Git, tree: &str, prefix: &str) -> Result<Vec<TreeEntry>, Error> {
    let entries = git.entries(tree, std::slice::from_ref(&prefix.to_owned()))?;
    Ok(entries.into_iter().filter(|entry| entry.path.contains("/evidence/")).collect())
}

/// The project's ledger, or, where the tree holds evidence that the ledger's folder lacks, both together in a folder
/// that lives as long as the second value.
pub(super) fn open(
    project: &Project,
    git: &Git,
    trees: &[&str],
) -> Result<(Ledger, Option<tempfile::TempDir>), Error> {
    let Some(prefix) = project.ledger_prefix() else { return Ok((project.ledger.clone(), None)) };
    let kernels = project.ledger.layout().kernels();
    let mut files = Vec::new();
    for tree in trees {
        files.extend(evidence_files(git, tree, &prefix)?);
    }
    let here =
        |entry: &TreeEntry| entry.path.strip_prefix(&prefix).is_none_or(|path| kernels.join(path).exists());
    if files.iter().all(here) {
        return Ok((project.ledger.clone(), None));
    }
    let place = tempfile::tempdir().map_err(|source| Error::Io { path: std::env::temp_dir(), source })?;
    let target = place.path().join("kernels");
    for op in project.ledger.ops()? {
        let (from, to) = (kernels.join(&op).join("evidence"), target.join(&op).join("evidence"));
        copy_folder(&from, &to).map_err(|source| Error::Io { path: from.clone(), source })?;
    }
    write_out(git, &files, &prefix, &target)?;
    Ok((Ledger::open(place.path())?, Some(place)))
}

/// Writes the blobs of entries below a folder as they lie below `prefix`; what is there already stays.
pub(super) fn write_out(git: &Git, files: &[TreeEntry], prefix: &str, target: &Path) -> Result<(), Error> {
    let ids = files.iter().map(|entry| format!("{}\n", entry.blob)).collect::<Vec<_>>().concat();
    // One child for all of them: a ledger has hundreds.
    let bytes = git.call(["cat-file", "--batch"]).input(ids).bytes()?;
    let mut rest = bytes.as_slice();
    for entry in files {
        let content = next_blob(&mut rest).unwrap_or_default();
        let Some(inside) = entry.path.strip_prefix(prefix) else { continue };
        // Whoever writes a tree by hand can call a folder `..`, and not every server looks.
        if !Path::new(inside).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(Error::Repository {
                message: format!("{} is no path of a file in a repository", entry.path),
                hint: Some("`git fsck` names the tree that holds it; take it out of the history".to_owned()),
            });
        }
        let path = target.join(inside);
        let write = || -> std::io::Result<()> {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            if path.exists() { Ok(()) } else { fs::write(&path, content) }
        };
        write().map_err(|source| Error::Io { path: path.clone(), source })?;
    }
    Ok(())
}

/// Takes `ID blob SIZE`, the content and a line end off an answer of `cat-file --batch`; nothing where git has no such blob.
fn next_blob<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (head, after) = (rest.get(..end)?, rest.get(end + 1..)?);
    *rest = after;
    let size: usize = std::str::from_utf8(head).ok()?.split(' ').nth(2)?.parse().ok()?;
    let content = after.get(..size)?;
    *rest = after.get(size + 1..).unwrap_or_default();
    Some(content)
}

/// Whether a path is that of an evidence file itself, not of something beside it.
pub(super) fn is_evidence(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".json").is_some_and(|stem| stem.parse::<Digest>().is_ok())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
