//! A disk that fails at the nth effect, or stops the world there.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kforge_ledger::{Disk, Effect, EffectKind};

/// What happens at the chosen effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The effect fails with this kind of error, later ones work.
    Error(io::ErrorKind),
    /// The effect and all later ones fail: a disk that became full or read-only and stays so.
    Lasting(io::ErrorKind),
    /// The process dies before the effect: nothing happens any more, not even cleaning up.
    KillBefore,
    /// The process dies right after the effect.
    KillAfter,
    /// The process dies in the middle of a write: half of the bytes are there.
    Torn,
}

/// Counts effects and makes one of them fail.
pub struct FaultDisk {
    fault: Option<(usize, Fault)>,
    count: AtomicUsize,
    seen: Mutex<Vec<(EffectKind, PathBuf)>>,
}

impl FaultDisk {
    /// A disk that only counts.
    pub fn counting() -> Self {
        Self { fault: None, count: AtomicUsize::new(0), seen: Mutex::new(Vec::new()) }
    }

    /// A disk whose effect number `at`, from 0, meets the fault.
    pub fn failing(at: usize, fault: Fault) -> Self {
        Self { fault: Some((at, fault)), ..Self::counting() }
    }

    /// The effects so far, in order.
    pub fn seen(&self) -> Vec<(EffectKind, PathBuf)> {
        self.seen.lock().map(|seen| seen.clone()).unwrap_or_default()
    }
}

fn dead() -> io::Error {
    io::Error::other("the process is dead")
}

impl Disk for FaultDisk {
    fn perform(&self, effect: Effect<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        if let Ok(mut seen) = self.seen.lock() {
            seen.push((effect.kind, effect.path.to_owned()));
        }
        let Some((at, fault)) = self.fault else { return act() };
        match (number.cmp(&at), fault) {
            (std::cmp::Ordering::Less, _) | (std::cmp::Ordering::Greater, Fault::Error(_)) => act(),
            (std::cmp::Ordering::Equal, Fault::Error(kind)) | (_, Fault::Lasting(kind)) => Err(kind.into()),
            (std::cmp::Ordering::Equal, Fault::KillAfter) => act().and(Err(dead())),
            (std::cmp::Ordering::Equal, Fault::Torn) => {
                act()?;
                if matches!(effect.kind, EffectKind::Write | EffectKind::Append) {
                    let file = std::fs::OpenOptions::new().write(true).open(effect.path)?;
                    file.set_len(file.metadata()?.len() / 2)?;
                }
                Err(dead())
            }
            (_, Fault::KillBefore | Fault::KillAfter | Fault::Torn) => Err(dead()),
        }
    }
}
