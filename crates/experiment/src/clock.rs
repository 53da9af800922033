//! The one door through which time enters this room.

use kforge_units::Instant;

/// A clock that never runs backwards.
pub trait Clock {
    /// Now, in nanoseconds since some fixed moment.
    fn now(&self) -> Instant;
}

/// The system's monotonic clock, counted from its own start.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    start: std::time::Instant,
}

impl MonotonicClock {
    /// A clock that begins at 0.
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    pub fn starting_now() -> Self {
        Self { start: std::time::Instant::now() }
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Instant {
        Instant(i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }
}
