//! How much of a file is followed: a text of a few lines can ask for more time, memory or stack than there is.
//!
//! Invariant: what lies beyond is [`Value::Unknown`](crate::value::Value::Unknown), and [`Budget::spent`] says that there was something.

use std::cell::Cell;

/// Expressions that are evaluated in one file, with what they copy. Real files take less than a hundredth.
const WORK: usize = 1_000_000;

/// Expressions and blocks within one another, calls of the file's functions followed. A level takes 6 kB of stack without optimization.
const NESTED: usize = 160;

/// What is left.
#[derive(Debug)]
pub(crate) struct Budget {
    work: Cell<usize>,
    nested: Cell<usize>,
    spent: Cell<bool>,
}

impl Budget {
    /// All of it.
    pub(crate) fn new() -> Self {
        Self { work: Cell::new(WORK), nested: Cell::new(NESTED), spent: Cell::new(false) }
    }

    /// Takes some of the work; false where there is none left.
    pub(crate) fn take(&self, work: usize) -> bool {
        let left = self.work.get().checked_sub(work);
        self.work.set(left.unwrap_or(0));
        self.spent.set(self.spent.get() || left.is_none());
        left.is_some()
    }

    /// One level deeper, for as long as `inside` takes; absent where that is too deep.
    pub(crate) fn deeper<T>(&self, inside: impl FnOnce() -> T) -> Option<T> {
        let Some(left) = self.nested.get().checked_sub(1) else {
            self.spent.set(true);
            return None;
        };
        self.nested.set(left);
        let value = inside();
        self.nested.set(left + 1);
        Some(value)
    }

    /// True where something was not followed.
    pub(crate) fn spent(&self) -> bool {
        self.spent.get()
    }
}
