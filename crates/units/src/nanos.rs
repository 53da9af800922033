//! Integer nanoseconds: a length of time ([`Nanos`]) and a point on a capture's clock ([`Instant`]).

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A length of time in nanoseconds. It may be negative where two lengths are compared; arithmetic saturates, since a
/// capture may hold absurd values and a total must not wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub i64);

/// A point in time in nanoseconds on one capture's own clock; the zero is whatever the capture chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Instant(pub i64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// The number of nanoseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This length, or zero where it is negative.
    #[must_use]
    pub fn or_zero(self) -> Self {
        Self(self.0.max(0))
    }
}

impl Instant {
    /// The nanoseconds since the clock's zero.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The length from `earlier` to this point; negative where `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Nanos {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(lengths: I) -> Self {
        lengths.fold(Self::ZERO, |total, length| total + length)
    }
}

impl Add<Nanos> for Instant {
    type Output = Self;
    fn add(self, length: Nanos) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate_instead_of_wrapping() {
        assert_eq!(Nanos(i64::MAX) + Nanos(1), Nanos(i64::MAX));
        assert_eq!([Nanos(i64::MAX), Nanos(i64::MAX)].into_iter().sum::<Nanos>(), Nanos(i64::MAX));
    }

    #[test]
    fn a_length_since_a_later_point_is_negative() {
        assert_eq!(Instant(5).since(Instant(9)), Nanos(-4));
        assert_eq!(Nanos(-4).or_zero(), Nanos::ZERO);
    }
}
