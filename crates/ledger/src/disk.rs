//! The one door for effects on the file system, so that a test can stop the world at each of them.

use std::io;
use std::path::Path;

/// What kind of effect is about to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Bytes into a new, still nameless or staged file.
    Write,
    /// `fsync` of a file.
    Sync,
    /// A file takes its name, replacing what was there.
    Rename,
    /// A name goes away.
    Remove,
    /// A directory comes into being.
    CreateDir,
    /// `fsync` of a directory.
    SyncDir,
    /// A line at the end of a file.
    Append,
    /// Objects into git's store: blobs, trees, commits.
    GitObject,
    /// A git reference moves.
    GitRef,
    /// Git's index takes its new content.
    GitIndex,
}

/// One effect.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a> {
    /// Its kind.
    pub kind: EffectKind,
    /// The file, directory or reference.
    pub path: &'a Path,
}

/// Lets effects happen, or not. Implementations in tests fail the nth effect, or let nothing happen after it.
pub trait Disk: Send + Sync {
    /// Performs the effect.
    ///
    /// # Errors
    /// Whatever the effect fails with, or what the implementation makes up.
    fn perform(&self, effect: Effect<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()>;
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn perform(&self, _effect: Effect<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        act()
    }
}
