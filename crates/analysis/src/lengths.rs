//! Activities together: how many, how many of them with a length, and what those come to.

use kforge_units::Nanos;

/// The lengths of some activities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// How many there are.
    pub count: u64,
    /// How many of them have a length.
    pub timed: u64,
    /// The sum of their lengths.
    pub total: Nanos,
    /// The shortest, where any has a length.
    pub min: Option<Nanos>,
    /// The longest, where any has a length.
    pub max: Option<Nanos>,
}

impl Lengths {
    /// One more activity.
    pub(crate) fn add(&mut self, length: Option<Nanos>) {
        self.count += 1;
        let Some(length) = length else { return };
        self.timed += 1;
        self.total += length;
        self.min = Some(self.min.map_or(length, |known| known.min(length)));
        self.max = Some(self.max.map_or(length, |known| known.max(length)));
    }

    /// The mean length of those that have one, rounded down.
    pub fn mean(&self) -> Option<Nanos> {
        (self.timed > 0).then(|| Nanos(self.total.get() / self.timed as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_of_those_with_a_length() {
        let mut lengths = Lengths::default();
        for length in [Some(Nanos(10)), None, Some(Nanos(5))] {
            lengths.add(length);
        }
        assert_eq!((lengths.count, lengths.timed, lengths.mean()), (3, 2, Some(Nanos(7))));
        assert_eq!((lengths.min, lengths.max), (Some(Nanos(5)), Some(Nanos(10))));
        assert_eq!(Lengths::default().mean(), None);
    }
}
