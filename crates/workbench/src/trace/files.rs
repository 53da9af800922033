//! A capture file as a bundle: this room owns files, readers only see members.

use kforge_formats::{Bundle, Member};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One file on disk.
#[derive(Debug)]
pub struct CaptureFile {
    path: PathBuf,
    members: [Member; 1],
}

impl CaptureFile {
    /// Names a file, or with `-` what is piped in; it is opened when a reader asks.
    pub fn new(path: &Path) -> Self {
        let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|facts| facts.len());
        Self { path: path.to_owned(), members: [Member { name: path.display().to_string(), bytes }] }
    }

    /// The size as stored, where it is a plain file.
    pub fn bytes(&self) -> Option<u64> {
        self.members[0].bytes
    }
}

impl Bundle for CaptureFile {
    fn members(&self) -> &[Member] {
        &self.members
    }

    fn open(&self, _member: usize) -> std::io::Result<Box<dyn Read + Send>> {
        if self.path == Path::new("-") {
            return Ok(Box::new(std::io::stdin()));
        }
        if self.path.is_dir() {
            return Err(std::io::Error::new(
                std::io::ErrorKind::IsADirectory,
                "is a directory, not a capture file",
            ));
        }
        Ok(Box::new(File::open(&self.path)?))
    }
}
