//! Rows, a residual, and the whole they must add up to.

use kforge_units::Nanos;

/// The reconciliation of a table: what its rows cover of the whole, and what they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Device time of everything the table is about.
    pub whole: Nanos,
    /// Device time that no row shows.
    pub residual: Nanos,
    /// Activities that no row shows.
    pub residual_count: u64,
}

impl Whole {
    /// The reconciliation of rows of which no activity is in two, that cover `covered` in `count` of the whole's `whole_count` activities.
    pub fn of(whole: Nanos, whole_count: u64, covered: Nanos, count: u64) -> Self {
        debug_assert!(count <= whole_count, "an activity is in two rows");
        Self { whole, residual: whole - covered, residual_count: whole_count.saturating_sub(count) }
    }
}
