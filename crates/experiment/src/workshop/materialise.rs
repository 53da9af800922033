//! Puts the files of a side into a folder of its own.

use super::git::Repository;
use crate::error::Error;
use crate::spec::{SideSpec, Tree};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A commit reached through submodules of submodules deeper than this is a loop.
const DEEPEST: u32 = 8;

/// Materialises a side's tree into `to` (which must not exist) and gives the commit that it is at, where it has one.
pub(super) fn materialise(
    side: &SideSpec,
    repository: &Repository,
    to: &Path,
    index: &Path,
) -> Result<Option<String>, Error> {
    let fail = |message: String, cure: Option<&str>| Error::Tree {
        side: side.name.clone(),
        tree: side.tree.text(),
        message,
        cure: cure.map(str::to_owned),
    };
    fs::create_dir_all(to).map_err(|error| Error::io(to, error))?;
    let needs_git = || {
        fail(
            format!("{} is in no git repository", repository.root.display()),
            Some("run `git init` there, or name the folder with `tree = \"path:…\"`"),
        )
    };
    match &side.tree {
        Tree::Path(path) => {
            let from = repository.root.join(path);
            copy_folder(&from, to).map_err(|(path, error)| fail(format!("{path}: {error}"), None))?;
            Ok(None)
        }
        Tree::Git(revision) => {
            repository.git_dir.as_ref().ok_or_else(needs_git)?;
            let commit = repository.commit(revision).map_err(|message| {
                fail(message, Some("name a branch, a tag or a commit that `git rev-parse` knows"))
            })?;
            export(repository, &commit, to, index, DEEPEST).map_err(|message| {
                fail(message, Some("check out submodules with `git submodule update --init --recursive`"))
            })?;
            Ok(Some(commit))
        }
        Tree::Worktree => {
            repository.git_dir.as_ref().ok_or_else(needs_git)?;
            copy_present(repository, to, DEEPEST).map_err(|message| fail(message, None))?;
            Ok(repository.commit("HEAD").ok())
        }
    }
}

fn export(repository: &Repository, commit: &str, to: &Path, index: &Path, depth: u32) -> Result<(), String> {
    if depth == 0 {
        return Err("submodules are nested too deeply".to_owned());
    }
    for entry in repository.export(commit, to, index)? {
        if entry.mode != "160000" {
            continue;
        }
        let fail = |message: String| format!("submodule {} at {}: {message}", entry.path, entry.id);
        let submodule = repository.submodule(&entry.path).map_err(fail)?;
        let commit = submodule.commit(&entry.id).map_err(fail)?;
        fs::remove_file(index).map_err(|error| error.to_string())?;
        export(&submodule, &commit, &to.join(&entry.path), index, depth - 1).map_err(fail)?;
    }
    Ok(())
}

fn copy_present(repository: &Repository, to: &Path, depth: u32) -> Result<(), String> {
    if depth == 0 {
        return Err("submodules are nested too deeply".to_owned());
    }
    for path in repository.present()? {
        let from = repository.root.join(&path);
        let target = to.join(&path);
        // A tracked file that was removed is not part of the tree as it is now.
        let Ok(meta) = from.symlink_metadata() else { continue };
        if meta.is_dir() {
            if let Ok(submodule) = repository.submodule(path.trim_end_matches('/')) {
                copy_present(&submodule, &target, depth - 1)?;
            }
            continue;
        }
        copy_entry(&from, &target, &meta).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// Copies a file or a link with its mode and its time of change: a build that is up to date stays so.
fn copy_entry(from: &Path, to: &Path, meta: &fs::Metadata) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !meta.is_file() {
        return Ok(());
    }
    fs::copy(from, to)?;
    let times = fs::FileTimes::new().set_modified(meta.modified()?);
    // A read-only file cannot be opened for writing; its time then stays that of the copy.
    if let Ok(file) = fs::File::options().write(true).open(to) {
        file.set_times(times)?;
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), (String, std::io::Error)> {
    let at = |path: &Path| {
        let path = path.display().to_string();
        move |error| (path, error)
    };
    fs::create_dir_all(to).map_err(at(to))?;
    for entry in fs::read_dir(from).map_err(at(from))? {
        let entry = entry.map_err(at(from))?;
        let path = entry.path();
        let meta = path.symlink_metadata().map_err(at(&path))?;
        let target = to.join(entry.file_name());
        if meta.is_dir() {
            if entry.file_name() != ".git" {
                copy_folder(&path, &target)?;
            }
        } else {
            copy_entry(&path, &target, &meta).map_err(at(&path))?;
        }
    }
    Ok(())
}
