//! Several files change together: staged first, then named in one intent file, then renamed; the next open
//! finishes what an interruption left.
//!
//! Before the intent exists nothing has changed; once it exists everything needed to finish is on disk. A file that
//! somebody else changed in between is left as they made it, and said to be changed.
//!
//! Whoever opens a ledger may have got its folder from somebody else, `.kforge` with it. An intent is therefore obeyed only
//! where each step puts a staged file of the very bytes that it names below `kernels`, and nothing in between is a link.

use std::fs;
use std::path::{Component, Path, PathBuf};

use kforge_record::Digest;
use serde::{Deserialize, Serialize};

use crate::atomic::{create_folder, discard, place, read_if_there, remove_file, stage, write_file};
use crate::disk::Disk;
use crate::error::Error;
use crate::layout::Layout;
use crate::lock::WriteLock;

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its new content; absent: the file goes away.
    pub(crate) content: Option<Vec<u8>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    schema: String,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Step {
    path: PathBuf,
    staged: Option<PathBuf>,
    before: Option<Digest>,
    after: Option<Digest>,
}

const SCHEMA: &str = "kforge.intent/1";

/// Makes all changes or none; gives the paths that really changed.
pub(crate) fn apply(
    disk: &dyn Disk,
    layout: &Layout,
    _lock: &WriteLock,
    changes: Vec<Change>,
) -> Result<Vec<PathBuf>, Error> {
    let mut steps = Vec::new();
    let staged = stage_all(disk, layout, changes, &mut steps);
    let sweep = |steps: &[Step]| {
        steps.iter().filter_map(|step| step.staged.as_ref()).for_each(|file| discard(disk, file));
    };
    if let Err(error) = staged {
        sweep(&steps);
        return Err(error);
    }
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let path = intent_path(layout);
    let intent = Intent { schema: SCHEMA.to_owned(), steps };
    let bytes = serde_json::to_vec(&intent).map_err(|error| Error::io("write", &path)(error.into()))?;
    if let Err(error) = write_file(disk, &layout.staging(), &path, &bytes) {
        // The rename may have happened before its folder could be synced; then the intent must not stay.
        remove_file(disk, &path).ok();
        sweep(&intent.steps);
        return Err(error);
    }
    // From here on the changes will happen: now, or at the next open. One retry makes a passing fault invisible.
    finish(disk, layout, &intent).or_else(|error| match error {
        Error::Changed { .. } => Err(error),
        _ => finish(disk, layout, &intent),
    })?;
    Ok(intent.steps.into_iter().map(|step| step.path).collect())
}

fn stage_all(
    disk: &dyn Disk,
    layout: &Layout,
    changes: Vec<Change>,
    steps: &mut Vec<Step>,
) -> Result<(), Error> {
    for change in changes {
        let before = read_if_there(&change.path)?.map(|bytes| Digest::of_bytes(&bytes));
        let after = change.content.as_ref().map(|bytes| Digest::of_bytes(bytes));
        if before == after {
            continue;
        }
        if let Some(folder) = change.path.parent() {
            create_folder(disk, folder)?;
        }
        let staged = change.content.map(|bytes| stage(disk, &layout.staging(), &bytes)).transpose()?;
        steps.push(Step { path: change.path, staged, before, after });
    }
    Ok(())
}

/// Finishes what an interrupted `apply` left, and sweeps staged files that belong to nobody.
pub(crate) fn recover(disk: &dyn Disk, layout: &Layout, _lock: &WriteLock) -> Result<(), Error> {
    let path = intent_path(layout);
    if let Some(bytes) = read_if_there(&path)? {
        match serde_json::from_slice::<Intent>(&bytes) {
            // What changed meanwhile is somebody's later work; whoever began this has long gone.
            Ok(intent) if is_ours(layout, &intent) => match finish(disk, layout, &intent) {
                Err(Error::Changed { .. }) => {}
                other => other?,
            },
            // The intent is written atomically; one that cannot be read is not ours, and nothing was done for it.
            Ok(_) | Err(_) => remove_file(disk, &path)?,
        }
    }
    let Ok(staged) = fs::read_dir(layout.staging()) else { return Ok(()) };
    staged.flatten().for_each(|entry| discard(disk, &entry.path()));
    Ok(())
}

/// Whether somebody who was killed, or who is at work, left staged files. Whoever stages holds the lock: files that are there
/// while nobody holds it belong to nobody. A search index that is being made has no lock: where it is swept, its maker asks one
/// in memory.
pub(crate) fn has_staged(layout: &Layout) -> bool {
    fs::read_dir(layout.staging()).is_ok_and(|mut entries| entries.next().is_some())
}

/// Whether an interrupted change waits to be finished.
pub(crate) fn is_pending(layout: &Layout) -> bool {
    intent_path(layout).exists()
}

fn finish(disk: &dyn Disk, layout: &Layout, intent: &Intent) -> Result<(), Error> {
    let mut changed = None;
    for step in &intent.steps {
        let digest =
            |path: &Path| read_if_there(path).map(|bytes| bytes.map(|bytes| Digest::of_bytes(&bytes)));
        let now = digest(&step.path)?;
        if now == step.after {
            continue;
        }
        match &step.staged {
            _ if now != step.before => changed = changed.or(Some(&step.path)),
            Some(staged) if digest(staged)? == step.after => place(disk, staged, &step.path)?,
            Some(_) => changed = changed.or(Some(&step.path)),
            None => remove_file(disk, &step.path)?,
        }
    }
    remove_file(disk, &intent_path(layout))?;
    let leftovers =
        intent.steps.iter().filter_map(|step| step.staged.as_ref()).filter(|staged| staged.exists());
    leftovers.for_each(|staged| discard(disk, staged));
    changed.map_or(Ok(()), |path| Err(Error::Changed { path: path.clone() }))
}

/// Whether kforge can have written this: each step changes a file below `kernels`, to bytes staged in the one place for them.
fn is_ours(layout: &Layout, intent: &Intent) -> bool {
    let staging = layout.staging();
    let inside = |path: &Path| {
        let Ok(below) = path.strip_prefix(layout.root()) else { return false };
        let mut parts = below.components();
        below.starts_with("kernels")
            && parts.all(|part| matches!(part, Component::Normal(_)))
            && below
                .ancestors()
                .all(|part| part.as_os_str().is_empty() || !is_link(&layout.root().join(part)))
    };
    let staged =
        |path: &PathBuf| path.parent() == Some(&staging) && path.file_name().is_some() && !is_link(path);
    intent.schema == SCHEMA
        && intent.steps.iter().all(|step| inside(&step.path) && step.staged.as_ref().is_none_or(staged))
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

fn intent_path(layout: &Layout) -> PathBuf {
    layout.state().join("intent.json")
}
