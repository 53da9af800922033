//! Where things lie. Names are checked here, so that no op, tag or id can point outside the ledger.

use std::path::{Path, PathBuf};

use kforge_record::Digest;

use crate::error::Error;

/// The paths of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout under this root.
    pub const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The ledger's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `kernels`.
    pub fn kernels(&self) -> PathBuf {
        self.root.join("kernels")
    }

    /// `kernels/README.md`.
    pub fn readme(&self) -> PathBuf {
        self.kernels().join("README.md")
    }

    /// `kernels/OP`.
    ///
    /// # Errors
    /// `Error::OpName` where the op's name is no plain folder name.
    pub fn op(&self, op: &str) -> Result<PathBuf, Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if op.is_empty() || op.len() > 100 || op.starts_with(['.', '-']) || !op.bytes().all(plain) {
            return Err(Error::OpName { name: op.to_owned() });
        }
        Ok(self.kernels().join(op))
    }

    /// `kernels/OP/evidence`.
    ///
    /// # Errors
    /// As `op`.
    pub fn evidence_folder(&self, op: &str) -> Result<PathBuf, Error> {
        Ok(self.op(op)?.join("evidence"))
    }

    /// `kernels/OP/evidence/ID.json`.
    ///
    /// # Errors
    /// As `op`.
    pub fn evidence(&self, op: &str, id: &Digest) -> Result<PathBuf, Error> {
        self.beside(op, id, "json")
    }

    /// `kernels/OP/evidence/ID.SUFFIX`.
    ///
    /// # Errors
    /// As `op`; `Error::Tag` where the suffix is no plain extension.
    pub fn beside(&self, op: &str, id: &Digest, suffix: &str) -> Result<PathBuf, Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
        if suffix.is_empty() || suffix.len() > 24 || suffix.starts_with('.') || !suffix.bytes().all(plain) {
            return Err(Error::Tag { tag: suffix.to_owned() });
        }
        Ok(self.evidence_folder(op)?.join(format!("{id}.{suffix}")))
    }

    /// `kernels/OP/notes.md`.
    ///
    /// # Errors
    /// As `op`.
    pub fn notes(&self, op: &str) -> Result<PathBuf, Error> {
        Ok(self.op(op)?.join("notes.md"))
    }

    /// `kernels/OP/vN_TAG.SUFFIX`.
    ///
    /// # Errors
    /// As `op`; `Error::Tag` where the tag cannot be part of a file's name.
    pub fn version(&self, op: &str, number: u32, tag: &str, suffix: &str) -> Result<PathBuf, Error> {
        check_tag(tag)?;
        Ok(self.op(op)?.join(format!("v{number}_{tag}.{suffix}")))
    }

    /// Whether a file of an op's folder has the name of a version: `vN_…`.
    pub fn is_version_name(name: &str) -> bool {
        let digits = name.strip_prefix('v').and_then(|rest| rest.split_once('_')).map(|(digits, _)| digits);
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The ignored folder of what is not truth.
    pub fn state(&self) -> PathBuf {
        self.root.join(".kforge")
    }

    /// `.kforge/tmp`: staged writes.
    pub fn staging(&self) -> PathBuf {
        self.state().join("tmp")
    }

    /// The path as it is written in messages and in git: relative to the root, `/` between parts.
    pub fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// Whether a tag can be part of a file's name.
pub(crate) fn check_tag(tag: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    if tag.is_empty() || tag.len() > 40 || tag.starts_with('-') || !tag.bytes().all(plain) {
        return Err(Error::Tag { tag: tag.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use kforge_record::Digest;

    use super::Layout;

    #[test]
    fn no_name_points_outside_the_ledger() {
        let layout = Layout::new(PathBuf::from("/ledger"));
        for op in ["", ".", "..", "a/b", "../x", ".git", "-rf", "a\0b", "op name"] {
            assert!(layout.op(op).is_err(), "{op:?}");
        }
        assert!(layout.op("fused_rms-norm.v2").is_ok());
        for tag in ["", "../x", "a/b", "A", "-x"] {
            assert!(layout.version("op", 1, tag, "patch").is_err(), "{tag:?}");
        }
        let id = Digest::of_bytes(b"");
        assert!(layout.beside("op", &id, "../x").is_err());
        assert!(layout.beside("op", &id, "cu").is_ok());
    }
}
