//! Leases: one measurement at a time on a GPU, whoever runs it and in whichever container.
//!
//! A lease is a locked file named after the PCI address, in a folder that all measurements of a host share. The lock is the system's: it ends
//! with the process, however that ends, so nothing is ever stolen and nothing stays taken. What the file says (who, since when, until when at
//! the latest) is for those who wait.

use super::super::moment;
use crate::{Error, Observer, Progress};
use kforge_experiment::{Clock as _, MonotonicClock};
use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that names the folder of leases.
pub(super) const FOLDER: &str = "KFORGE_LEASE_DIR";
/// How often a waiting measurement looks again.
const LOOK: Duration = Duration::from_millis(200);

/// What a lease file says.
#[derive(Debug, Deserialize, Serialize)]
struct Holder {
    pid: u32,
    op: String,
    since: String,
    /// When it should have ended; a holder beyond it is worth a look.
    until: String,
}

/// A GPU that is ours until this is dropped.
#[derive(Debug)]
pub(in crate::validate) struct Lease {
    file: File,
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The file stays: removing it could take the lock of somebody who has just opened it.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// The folder of all leases of this host.
pub(super) fn folder() -> PathBuf {
    std::env::var_os(FOLDER).map_or_else(|| std::env::temp_dir().join("kforge-leases"), PathBuf::from)
}

/// How one try ended.
pub(super) enum Tried {
    /// It is ours.
    Taken(Lease),
    /// Somebody else has it: a clause about who.
    Held(String),
}

/// Tries to take a GPU.
///
/// # Errors
/// Where the folder or the file cannot be made.
pub(super) fn try_take(folder: &Path, pci: &str, op: &str, most: Duration) -> Result<Tried, Error> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    if !folder.is_dir() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
        // Measurements of other users need the same folder; where it is not ours to open, its owner has done it.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o1777));
    }
    let path = folder.join(format!("gpu-{pci}.lease"));
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o666)
        // The folder may be another user's: a link in it could name any file of ours.
        .custom_flags(OFlag::O_NOFOLLOW.bits() | OFlag::O_NONBLOCK.bits())
        .open(&path)
        .map_err(failed(&path))?;
    if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.nlink() == 1) {
        let source = std::io::Error::other("it is no lease: a plain file with one name was expected");
        return Err(Error::Write { path, source });
    }
    match file.try_lock() {
        Ok(()) => {
            let _ = file.set_permissions(fs::Permissions::from_mode(0o666));
            let (since, until) = (moment::now(), moment::after(most));
            let holder = Holder { pid: std::process::id(), op: op.to_owned(), since, until };
            let text = serde_json::to_vec(&holder).map_err(|error| Error::Bug(error.to_string()))?;
            file.set_len(0).and_then(|()| file.write_all(&text)).map_err(failed(&path))?;
            Ok(Tried::Taken(Lease { file }))
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
            Ok(Tried::Held(match serde_json::from_str::<Holder>(&text) {
                Ok(holder) => format!(
                    "process {} measures {} on it since {}, until {} at the latest",
                    holder.pid, holder.op, holder.since, holder.until
                ),
                Err(_) => "another measurement has it".to_owned(),
            }))
        }
        Err(TryLockError::Error(source)) => Err(Error::Write { path, source }),
    }
}

/// Waits for one try to succeed, up to `patience`; `attempt` gives what it got or why it got nothing.
///
/// # Errors
/// The last reason, once patience has run out; an interruption.
pub(super) fn wait_for<Got>(
    patience: Duration,
    observer: &dyn Observer,
    mut attempt: impl FnMut() -> Result<Result<Got, String>, Error>,
) -> Result<Got, Error> {
    let (clock, mut said) = (MonotonicClock::starting_now(), String::new());
    let start = clock.now();
    loop {
        let why = match attempt()? {
            Ok(got) => return Ok(got),
            Err(why) => why,
        };
        if observer.cancelled() {
            return Err(Error::Interrupted);
        }
        // An attempt may ask a vendor's tool and take seconds; what counts is how long the user waits.
        let waited = Duration::from_nanos(clock.now().since(start).0.unsigned_abs());
        if waited >= patience {
            return Err(Error::Device {
                message: why,
                hint: Some("wait for it with --wait SECONDS, or name another GPU with --device".to_owned()),
            });
        }
        if why != said {
            observer.progress(Progress::Line(format!("waiting: {why}")));
            said = why;
        }
        std::thread::sleep(LOOK.min(patience.saturating_sub(waited)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn one_measurement_at_a_time_and_the_next_when_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let take = |op| try_take(folder.path(), "0000:1b:00.0", op, HOUR).unwrap();
        let Tried::Taken(lease) = take("first") else { panic!("it was free") };
        match take("second") {
            Tried::Held(who) => assert!(who.contains("measures first on it"), "{who}"),
            Tried::Taken(_) => panic!("it is held"),
        }
        // Another GPU is another lease.
        assert!(matches!(try_take(folder.path(), "0000:1c:00.0", "x", HOUR).unwrap(), Tried::Taken(_)));
        drop(lease);
        assert!(matches!(take("second"), Tried::Taken(_)));
    }

    #[test]
    fn a_link_in_the_place_of_a_lease_is_not_followed_and_its_file_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        let (soft, hard) = (folder.path().join("gpu-a.lease"), folder.path().join("gpu-b.lease"));
        fs::write(&victim, "words").unwrap();
        std::os::unix::fs::symlink(&victim, &soft).unwrap();
        fs::hard_link(&victim, &hard).unwrap();
        for pci in ["a", "b"] {
            assert!(try_take(folder.path(), pci, "x", HOUR).is_err(), "{pci}");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "words");
        }
    }

    #[test]
    fn what_an_attempt_takes_is_waiting_too() {
        let mut tries = 0;
        let slow = || {
            tries += 1;
            std::thread::sleep(Duration::from_millis(60));
            Ok(Err::<(), String>("it is held".to_owned()))
        };
        wait_for(Duration::from_millis(300), &Silent, slow).unwrap_err();
        assert!((2..=4).contains(&tries), "{tries}");
    }

    #[test]
    fn waiting_ends_with_the_reason() {
        let error = wait_for::<()>(Duration::ZERO, &Silent, || Ok(Err("it is held".to_owned()))).unwrap_err();
        assert_eq!(error.to_string(), "it is held");
        let mut tries = 0;
        let got = wait_for(HOUR, &Silent, || {
            tries += 1;
            Ok(if tries == 3 { Ok(tries) } else { Err("not yet".to_owned()) })
        });
        assert_eq!(got.unwrap(), 3);
    }
}
