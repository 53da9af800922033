//! One writer at a time. Holding a `WriteLock` is the only way to reach the writing half of the ledger.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;

use crate::atomic::create_folder;
use crate::disk::{Disk, Effect, EffectKind};
use crate::error::Error;
use crate::layout::Layout;

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
        let state = layout.state();
        create_folder(disk, &state)?;
        // The folder ignores itself, so that no .gitignore of the user has to be touched.
        let ignore = state.join(".gitignore");
        if !ignore.exists() {
            let mut write = || std::fs::write(&ignore, "*\n");
            disk.perform(Effect { kind: EffectKind::Write, path: &ignore }, &mut write)
                .map_err(Error::io("write", &ignore))?;
        }
        let path = state.join("lock");
        let open = || OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = open().map_err(Error::io("open", &path))?;
        Ok((file, path))
    }
}
