//! Rows, a residual, and the whole they must add up to.

use kforge_units::Nanos;

/// The reconciliation of a table: the whole, and what of it no row shows. It is counted beside the rows and not from them, so
/// that rows which do not add up are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Device time of everything the table is about.
    pub whole: Nanos,
    /// Device time that no row shows.
    pub residual: Nanos,
    /// Activities that no row shows.
    pub residual_count: u64,
}

impl Whole {
    /// One more activity that the table is about, and whether one of its rows shows it.
    pub(crate) fn add(&mut self, length: Nanos, shown: bool) {
        self.whole += length;
        if !shown {
            self.residual += length;
            self.residual_count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_row_shows_is_the_residual() {
        let mut whole = Whole::default();
        whole.add(Nanos(5), true);
        whole.add(Nanos(3), false);
        whole.add(Nanos(0), false);
        assert_eq!(whole, Whole { whole: Nanos(8), residual: Nanos(3), residual_count: 2 });
    }
}
