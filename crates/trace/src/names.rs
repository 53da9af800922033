//! Interned texts: every distinct name once, in one buffer.

use crate::NameId;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A table of distinct texts.
#[derive(Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Names {
    /// The handle of a text, new or known. The flag tells whether it is new. The text need not be UTF-8.
    ///
    /// Returns `None` once four billion distinct texts are held.
    pub fn intern(&mut self, text: &[u8]) -> Option<(NameId, bool)> {
        let hash = self.hasher.hash_one(text);
        if let Some(found) = self.table.find(hash, |row| slice(&self.bytes, &self.ends, *row) == text) {
            return Some((NameId::new(*found), false));
        }
        let row = u32::try_from(self.ends.len()).ok()?;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table.insert_unique(hash, row, |row| hasher.hash_one(slice(bytes, ends, *row)));
        Some((NameId::new(row), true))
    }

    /// The bytes of a text as the capture had them.
    pub fn bytes(&self, name: NameId) -> &[u8] {
        slice(&self.bytes, &self.ends, name.index() as u32)
    }

    /// The text, with what is not UTF-8 replaced by `U+FFFD`.
    pub fn text(&self, name: NameId) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(name))
    }

    /// The number of distinct texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True where nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every handle, in the order of first use.
    pub fn ids(&self) -> impl Iterator<Item = NameId> + use<> {
        (0..self.ends.len() as u32).map(NameId::new)
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], row: u32) -> &'a [u8] {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &bytes[start..ends[row]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_held_once_and_read_back() {
        let mut names = Names::default();
        let (first, new) = names.intern(b"kernel").unwrap();
        assert!(new);
        assert_eq!(names.intern(b"kernel"), Some((first, false)));
        let (empty, _) = names.intern(b"").unwrap();
        let (other, _) = names.intern(b"\xff").unwrap();
        assert_eq!(names.bytes(empty), b"");
        assert_eq!(names.text(other), "\u{fffd}");
        assert_eq!(names.text(first), "kernel");
        assert_eq!(names.len(), 3);
    }
}
