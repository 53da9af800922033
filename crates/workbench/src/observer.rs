//! How long work reports itself, and how it learns that nobody wants the answer any more.

/// One report of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A stage began; the text is a short present-tense phrase such as `reading capture`.
    Stage(String),
    /// `done` of `total` units (bytes, launches, cases) of the current stage; the total may be unknown.
    Step {
        /// Units finished.
        done: u64,
        /// Units in all, where known.
        total: Option<u64>,
    },
    /// A line worth keeping in the log.
    Line(String),
}

/// Watches long work. Implementations must be cheap: readers call them from their hot path every few hundred KiB.
pub trait Observer: Sync {
    /// Receives a report.
    fn progress(&self, progress: Progress);

    /// True once the user has asked to stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: Progress) {}
}
