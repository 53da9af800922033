//! The folder of one run, and the folders of runs that were killed.
//!
//! A run holds a lock on a marker file in its folder for as long as it lives; the lock ends with the process, whatever ends it. The next run
//! of the same user removes folders whose lock is free. Invariant: only a folder that kforge made (it has the marker, under a name
//! of kforge's, owned by this user, and no link) and that nobody holds is removed.

use crate::Error;
use nix::fcntl::OFlag;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What folders of runs begin with.
const PREFIX: &str = "kforge-";
/// The file that says what the folder is; it holds the name of the machine.
const MARKER: &str = ".kforge-scratch";
/// Its first line.
const WORDS: &str = "scratch folder of a kforge run";

/// The folder of this run; removed when it goes out of scope.
pub(crate) struct Scratch {
    folder: Option<tempfile::TempDir>,
    /// Holds the lock.
    _marker: File,
}

impl Scratch {
    /// Removes what killed runs left in `parent`, then makes a folder there.
    ///
    /// # Errors
    /// Where the folder or its marker cannot be made.
    pub(crate) fn make(parent: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Io { path: parent.to_owned(), source };
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent).map_err(failed)?;
        let marker = mark(folder.path()).map_err(failed)?;
        if let Ok(mine) = marker.metadata() {
            for left in abandoned(parent, &mine) {
                remove(&left);
            }
        }
        Ok(Self { folder: Some(folder), _marker: marker })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), tempfile::TempDir::path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            // What a side made read-only would stay.
            remove(&folder.keep());
        }
    }
}

/// The machine's name: a lock on a folder that several machines see says nothing about the others' processes.
fn machine() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

fn text() -> String {
    format!("{WORDS}\n{}\n", machine())
}

/// Writes and locks the marker under another name first: there is no moment at which it is there and free.
fn mark(folder: &Path) -> std::io::Result<File> {
    let draft = folder.join(".kforge-draft");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text().as_bytes())?;
    file.lock()?;
    fs::rename(&draft, folder.join(MARKER))?;
    Ok(file)
}

/// Folders of runs that have ended without removing them.
fn abandoned(parent: &Path, mine: &Metadata) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    named.map(|entry| entry.path()).filter(|path| is_abandoned(path, mine)).collect()
}

fn is_abandoned(folder: &Path, mine: &Metadata) -> bool {
    let Ok(meta) = folder.symlink_metadata() else { return false };
    if !meta.is_dir() || meta.uid() != mine.uid() {
        return false;
    }
    // Opened for writing, so that a lock can be taken on every file system.
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(folder.join(MARKER));
    let Ok(mut marker) = opened else { return false };
    let ours =
        marker.metadata().is_ok_and(|meta| meta.is_file() && meta.uid() == mine.uid() && meta.len() < 4096);
    let mut said = String::new();
    ours && marker.read_to_string(&mut said).is_ok() && said == text() && marker.try_lock().is_ok()
}

/// Removes a folder with everything in it, also what was made read-only; links are removed, never followed.
fn remove(folder: &Path) {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let _ = fs::set_permissions(&next, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&next).into_iter().flatten().flatten();
        let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(real.map(|entry| entry.path()));
    }
    // What cannot be removed now, the next run tries again.
    let _ = fs::remove_dir_all(folder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder as a killed run leaves it: the marker is there, nobody holds it, and part of it is read-only.
    fn left(parent: &Path, name: &str) -> PathBuf {
        let folder = parent.join(name);
        fs::create_dir_all(folder.join("s00/cache/triton")).unwrap();
        drop(mark(&folder).unwrap());
        fs::write(folder.join("s00/cache/triton/x"), "x").unwrap();
        fs::set_permissions(folder.join("s00/cache"), Permissions::from_mode(0o555)).unwrap();
        folder
    }

    #[test]
    fn what_a_killed_run_left_is_removed_by_the_next_and_a_living_run_keeps_its_own() {
        let parent = tempfile::tempdir().unwrap();
        let dead = left(parent.path(), "kforge-dead00");
        let first = Scratch::make(parent.path()).unwrap();
        assert!(!dead.exists());
        fs::write(first.path().join("work"), "x").unwrap();
        let second = Scratch::make(parent.path()).unwrap();
        assert!(first.path().join("work").exists());
        drop((first, second));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_that_kforge_did_not_make_links_and_other_machines_folders_are_never_touched() {
        let parent = tempfile::tempdir().unwrap();
        let precious = tempfile::tempdir().unwrap();
        fs::write(precious.path().join("thesis"), "x").unwrap();
        // No marker; a foreign marker; a marker that is a link; a link to a folder with a real marker; another name; a tour.
        fs::create_dir(parent.path().join("kforge-mine")).unwrap();
        let foreign = parent.path().join("kforge-foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join(MARKER), format!("{WORDS}\nanother-machine\n")).unwrap();
        let linked = parent.path().join("kforge-linked");
        fs::create_dir(&linked).unwrap();
        drop(mark(precious.path()).unwrap());
        symlink(precious.path().join(MARKER), linked.join(MARKER)).unwrap();
        symlink(precious.path(), parent.path().join("kforge-alias")).unwrap();
        let other = left(parent.path(), "other-name");
        fs::create_dir(parent.path().join("kforge-tour-abc")).unwrap();
        drop(Scratch::make(parent.path()).unwrap());
        assert!(precious.path().join("thesis").exists() && other.exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 6);
    }

    #[test]
    fn a_link_inside_an_abandoned_folder_is_removed_and_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let precious = tempfile::tempdir().unwrap();
        fs::write(precious.path().join("thesis"), "x").unwrap();
        fs::set_permissions(precious.path(), Permissions::from_mode(0o500)).unwrap();
        let dead = left(parent.path(), "kforge-dead00");
        symlink(precious.path(), dead.join("link")).unwrap();
        drop(Scratch::make(parent.path()).unwrap());
        assert!(!dead.exists() && precious.path().join("thesis").exists());
        assert_eq!(precious.path().metadata().unwrap().mode() & 0o777, 0o500);
        fs::set_permissions(precious.path(), Permissions::from_mode(0o700)).unwrap();
    }
}
