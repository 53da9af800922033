//! Arrows that a capture draws from a host call to the activity it launched.

use crate::{LaneId, ThreadId};
use kforge_units::Instant;

/// One end of an arrow: where and when it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow<Place> {
    /// The number that both ends share.
    pub id: i64,
    /// The thread or lane.
    pub place: Place,
    /// The time.
    pub at: Instant,
}

/// Both ends of all arrows, as recorded; ends may be missing.
#[derive(Debug, Default)]
pub struct Arrows {
    pub(crate) starts: Vec<Arrow<ThreadId>>,
    pub(crate) ends: Vec<Arrow<LaneId>>,
}

impl Arrows {
    /// The host ends.
    pub fn starts(&self) -> &[Arrow<ThreadId>] {
        &self.starts
    }

    /// The device ends.
    pub fn ends(&self) -> &[Arrow<LaneId>] {
        &self.ends
    }
}
