//! A figure with its origin, and the figures that contradict it.
//!
//! Invariant: a value is a positive integer in the base unit of its key (bytes, bytes a second, hertz, operations a
//! second, a count).

use serde::Serialize;

use crate::{Confidence, Source};

/// A figure that another source gives for the same thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The figure, in the unit of the cell.
    pub value: u64,
    /// Who gives it.
    pub source: Source,
    /// How it is known.
    pub confidence: Confidence,
    /// What explains the difference, where that is known.
    pub note: Option<String>,
}

/// A figure, who gives it, how firmly, and who disagrees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The figure, in the base unit of its key.
    pub value: u64,
    /// Who gives it.
    pub source: Source,
    /// How it is known.
    pub confidence: Confidence,
    /// How it was taken or computed.
    pub note: Option<String>,
    /// What others say, kept as it was found.
    pub conflicts: Vec<Conflict>,
}

impl Cell {
    /// The largest of the value and its conflicts: what a limit must allow, so that nobody is refused for a doubt of ours.
    pub fn highest(&self) -> u64 {
        self.all().max().unwrap_or(self.value)
    }

    /// The smallest of the value and its conflicts.
    pub fn lowest(&self) -> u64 {
        self.all().min().unwrap_or(self.value)
    }

    /// The origin in one line: `title, yyyy-mm (confidence)`.
    pub fn origin(&self) -> String {
        format!("{}, {} ({})", self.source.title, self.source.date, self.confidence.name())
    }

    /// The value and what its conflicts say instead.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.value).chain(self.conflicts.iter().map(|conflict| conflict.value))
    }

    /// This cell with every figure mapped, for a part of the device; `how` says what was done.
    pub(crate) fn derived(&self, how: &str, map: impl Fn(u64) -> u64) -> Self {
        let note = match &self.note {
            Some(note) => format!("{how}; {note}"),
            None => how.to_owned(),
        };
        let mut conflicts = self.conflicts.clone();
        for conflict in &mut conflicts {
            conflict.value = map(conflict.value);
        }
        Self {
            value: map(self.value),
            source: self.source.clone(),
            confidence: self.confidence.weaker(Confidence::Derived),
            note: Some(note),
            conflicts,
        }
    }
}
