//! One writer at a time. Holding a `WriteLock` is the only way to reach the writing half of the ledger.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;

use crate::atomic::{create_folder, read_if_there};
use crate::disk::{Disk, Effect, EffectKind};
use crate::error::Error;
use crate::layout::Layout;

/// What `.kforge/.gitignore` says: everything in the folder is ignored, this file too.
const IGNORED: &[u8] = b"*\n";

/// Refuses a ledger whose own folder leads elsewhere: a branch can bring links under these names, and what is written or swept
/// there would be somebody's files.
pub(crate) fn refuse_links(layout: &Layout) -> Result<(), Error> {
    let state = layout.state();
    let own = [state.clone(), layout.staging()];
    let files = [".gitignore", "lock", "journal.jsonl", "index.sqlite"].map(|name| state.join(name));
    let is_link = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    match own.into_iter().chain(files).find(is_link) {
        Some(path) => {
            let said = "it is a symbolic link, and kforge keeps its own files in no other place; remove it";
            Err(Error::io("open", &path)(std::io::Error::other(said)))
        }
        None => Ok(()),
    }
}

/// The right to write; given back on drop, and by the system when the process ends.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Waits for the lock.
    pub(crate) fn take(disk: &dyn Disk, layout: &Layout) -> Result<Self, Error> {
        let (file, path) = Self::file(disk, layout)?;
        file.lock().map_err(Error::io("lock", &path))?;
        Ok(Self { _file: file })
    }

    /// Takes the lock where nobody holds it.
    pub(crate) fn try_take(disk: &dyn Disk, layout: &Layout) -> Result<Option<Self>, Error> {
        let (file, path) = Self::file(disk, layout)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::io("lock", &path)(error)),
        }
    }

    fn file(disk: &dyn Disk, layout: &Layout) -> Result<(File, PathBuf), Error> {
        refuse_links(layout)?;
        let state = layout.state();
        create_folder(disk, &state)?;
        // The folder ignores itself, so that no .gitignore of the user has to be touched. A full disk can have cut the file.
        let ignore = state.join(".gitignore");
        if read_if_there(&ignore)?.as_deref() != Some(IGNORED) {
            let mut write = || std::fs::write(&ignore, IGNORED);
            disk.perform(Effect { kind: EffectKind::Write, path: &ignore }, &mut write)
                .map_err(Error::io("write", &ignore))?;
        }
        let path = state.join("lock");
        let open = || OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = open().map_err(Error::io("open", &path))?;
        Ok((file, path))
    }
}
