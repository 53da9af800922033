//! What stands in a cell: a value with its unit, so that every sheet shows it alike.
//!
//! Invariant: what is not known is an empty cell and never 0.

use std::borrow::Cow;

/// A value with its unit; absent is an empty cell, never 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// Nothing known.
    Absent,
    /// A text.
    Text(Cow<'a, str>),
    /// A number of things.
    Count(u64),
    /// Nanoseconds, shown as µs.
    Time(i64),
    /// µs that were averaged.
    Mean(f64),
    /// A part of a whole, shown in percent.
    Share(f64),
}

impl<'a> Cell<'a> {
    /// A time that may be unknown.
    pub(super) fn time(ns: Option<i64>) -> Self {
        ns.map_or(Self::Absent, Self::Time)
    }

    /// A count that may be unknown.
    pub(super) fn count(count: Option<u64>) -> Self {
        count.map_or(Self::Absent, Self::Count)
    }

    /// The mean of the activities that have a length; absent where none has.
    pub(super) fn mean(total_ns: i64, timed: u64) -> Self {
        if timed == 0 { Self::Absent } else { Self::Mean(total_ns as f64 / 1000.0 / timed as f64) }
    }

    /// `part` of `whole`; absent where there is no whole.
    pub(super) fn share(part: i64, whole: i64) -> Self {
        if whole == 0 { Self::Absent } else { Self::Share(part as f64 / whole as f64) }
    }

    /// A text that may be unknown.
    pub(super) fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Absent, Self::from)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// A column's header and width in characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column(pub(super) &'static str, pub(super) f64);
