//! A file appears whole or not at all: staged under `.kforge/tmp`, synced, renamed, and its folder synced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::disk::{Disk, Effect, EffectKind};
use crate::error::Error;

static STAGED: AtomicU64 = AtomicU64::new(0);

/// Creates a folder and its parents, syncing the parent of each that is new.
pub(crate) fn create_folder(disk: &dyn Disk, folder: &Path) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folder(disk, parent)?;
    }
    let mut create = || match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        answer => answer,
    };
    disk.perform(Effect { kind: EffectKind::CreateDir, path: folder }, &mut create)
        .map_err(Error::io("create folder", folder))?;
    folder.parent().map_or(Ok(()), |parent| sync_folder(disk, parent))
}

/// Makes renames and removals in a folder durable.
pub(crate) fn sync_folder(disk: &dyn Disk, folder: &Path) -> Result<(), Error> {
    let mut sync = || File::open(folder)?.sync_all();
    disk.perform(Effect { kind: EffectKind::SyncDir, path: folder }, &mut sync)
        .map_err(Error::io("sync folder", folder))
}

/// Writes and syncs bytes under a fresh name in the staging folder; gives that name.
pub(crate) fn stage(disk: &dyn Disk, staging: &Path, bytes: &[u8]) -> Result<PathBuf, Error> {
    create_folder(disk, staging)?;
    let number = STAGED.fetch_add(1, Ordering::Relaxed);
    let staged = staging.join(format!("{}-{number}", std::process::id()));
    let mut write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&staged)?;
        file.write_all(bytes)
    };
    let written = disk
        .perform(Effect { kind: EffectKind::Write, path: &staged }, &mut write)
        .map_err(Error::io("write", &staged))
        .and_then(|()| {
            let mut sync = || File::open(&staged)?.sync_all();
            disk.perform(Effect { kind: EffectKind::Sync, path: &staged }, &mut sync)
                .map_err(Error::io("sync", &staged))
        });
    written.map(|()| staged.clone()).inspect_err(|_| discard(disk, &staged))
}

/// Gives a staged file its name, replacing what was there, and makes that durable.
pub(crate) fn place(disk: &dyn Disk, staged: &Path, target: &Path) -> Result<(), Error> {
    let mut rename = || match fs::rename(staged, target) {
        // The ledger's folder may be a mount of its own; then the last step goes through a hidden neighbour.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let beside = target.with_file_name(format!(".kforge-{}", std::process::id()));
            fs::copy(staged, &beside)?;
            File::open(&beside)?.sync_all()?;
            fs::rename(&beside, target)?;
            fs::remove_file(staged)
        }
        answer => answer,
    };
    disk.perform(Effect { kind: EffectKind::Rename, path: target }, &mut rename)
        .map_err(Error::io("rename", target))?;
    target.parent().map_or(Ok(()), |folder| sync_folder(disk, folder))
}

/// Writes a whole file.
pub(crate) fn write_file(disk: &dyn Disk, staging: &Path, target: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = target.parent() {
        create_folder(disk, folder)?;
    }
    let staged = stage(disk, staging, bytes)?;
    place(disk, &staged, target).inspect_err(|_| discard(disk, &staged))
}

/// Removes a file, if it is there, and makes that durable.
pub(crate) fn remove_file(disk: &dyn Disk, path: &Path) -> Result<(), Error> {
    let mut remove = || match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        answer => answer,
    };
    disk.perform(Effect { kind: EffectKind::Remove, path }, &mut remove)
        .map_err(Error::io("remove", path))?;
    path.parent().map_or(Ok(()), |folder| sync_folder(disk, folder))
}

/// Removes a staged file after a failure; what cannot be removed is swept by the next open.
pub(crate) fn discard(disk: &dyn Disk, staged: &Path) {
    let mut remove = || fs::remove_file(staged);
    // A second failure changes nothing for the caller, who already has the first.
    let _ = disk.perform(Effect { kind: EffectKind::Remove, path: staged }, &mut remove);
}

/// The bytes of a file; absent where there is no file.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::io("read", path)(error)),
    }
}
