//! Git blob ids: the name by which version control knows exactly these bytes of a file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha1::Digest as _;

use crate::error::Error;

/// The hash by which a repository names its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectFormat {
    /// SHA-1: ids of 40 digits, the default of git.
    Sha1,
    /// SHA-256: ids of 64 digits (`git init --object-format=sha256`).
    Sha256,
}

/// The id of a git blob, 40 (SHA-1) or 64 (SHA-256) lowercase hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId(String);

impl BlobId {
    /// The id git gives to a blob of exactly these bytes: the hash of `blob LENGTH\0` followed by the bytes.
    ///
    /// Checkout filters (line ends, LFS) are git's business: where a repository uses them, ask `git hash-object --path`.
    pub fn of_bytes(format: ObjectFormat, bytes: &[u8]) -> Self {
        let header = format!("blob {}\0", bytes.len());
        let digest: Vec<u8> = match format {
            ObjectFormat::Sha1 => {
                let mut hasher = sha1::Sha1::new();
                hasher.update(header.as_bytes());
                hasher.update(bytes);
                hasher.finalize().to_vec()
            }
            ObjectFormat::Sha256 => {
                let mut hasher = sha2::Sha256::new();
                hasher.update(header.as_bytes());
                hasher.update(bytes);
                hasher.finalize().to_vec()
            }
        };
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Self(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect())
    }

    /// Which hash this id is of.
    pub fn format(&self) -> ObjectFormat {
        if self.0.len() == 64 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 }
    }

    /// The hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 10 digits, for messages.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlobId({})", self.0)
    }
}

impl FromStr for BlobId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for BlobId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if digits && matches!(text.len(), 40 | 64) { Ok(Self(text)) } else { Err(Error::Blob { text }) }
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::{BlobId, ObjectFormat};

    // The expected ids are what `git hash-object --stdin` printed (git 2.47, both object formats).
    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(
            BlobId::of_bytes(ObjectFormat::Sha1, b"").as_str(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
        assert_eq!(
            BlobId::of_bytes(ObjectFormat::Sha1, b"what is up, doc?").as_str(),
            "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
        );
        assert_eq!(
            BlobId::of_bytes(ObjectFormat::Sha256, b"").as_str(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
    }

    #[test]
    fn other_lengths_and_digits_are_refused() {
        assert!("e69de29".parse::<BlobId>().is_err());
        assert!("E69de29bb2d1d6434b8b29ae775ad8c2e48c5391".parse::<BlobId>().is_err());
    }
}
