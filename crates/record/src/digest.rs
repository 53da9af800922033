//! A BLAKE3 digest: the address of evidence, builds, harnesses and everything else that is bound by content.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A BLAKE3 digest of 32 bytes, written as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of exactly these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of the value's compact JSON, in the declared order of its fields.
    ///
    /// # Errors
    /// `Error::Unwritable` where the value has no JSON form (a map with keys that are no strings).
    pub fn of_value<T: Serialize>(value: &T) -> Result<Self, Error> {
        let json = serde_json::to_vec(value)
            .map_err(|error| Error::Unwritable { what: "value", reason: error.to_string() })?;
        Ok(Self::of_bytes(&json))
    }

    /// The 32 bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hexadecimal digits, for tables and messages.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = || Error::Digest { text: text.to_owned() };
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(refuse());
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let &[high, low] = pair else { return Err(refuse()) };
            *byte = nibble(high).zip(nibble(low)).map(|(high, low)| high << 4 | low).ok_or_else(refuse)?;
        }
        Ok(Self(bytes))
    }
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl TryFrom<String> for Digest {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    // The expected value is BLAKE3's published test vector for the empty input.
    #[test]
    fn the_empty_input_has_the_published_digest() {
        assert_eq!(
            Digest::of_bytes(b"").to_string(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }

    #[test]
    fn uppercase_and_wrong_lengths_are_refused() {
        let good = Digest::of_bytes(b"x").to_string();
        assert!(good.parse::<Digest>().is_ok());
        assert!(good.to_uppercase().parse::<Digest>().is_err());
        assert!(good[1..].parse::<Digest>().is_err());
        assert!("".parse::<Digest>().is_err());
    }
}
