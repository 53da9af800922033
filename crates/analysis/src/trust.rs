//! Which figures of a trace cannot be taken as they are: lengths that run past the next activity of their stream.
//!
//! Activities of one stream run one after another. Where a recorded length reaches into the next activity, one of the
//! two is wrong; the totals are given as recorded and with every length cut at the start of the next.

use kforge_trace::{Activity, ActivityKind, LaneId, Trace};
use kforge_units::{Instant, Nanos};

/// How far the recorded lengths contradict the order of their streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Activities that run past the next one of their stream.
    pub overlapping: u64,
    /// By how much, in all.
    pub overlap: Nanos,
    /// The largest single overlap.
    pub largest: Nanos,
    /// Kernel time as recorded.
    pub kernel_raw: Nanos,
    /// Kernel time with every length cut at the start of the stream's next activity.
    pub kernel_clipped: Nanos,
    /// Time of all activities as recorded.
    pub activity_raw: Nanos,
    /// Time of all activities, cut likewise.
    pub activity_clipped: Nanos,
}

impl Trust {
    /// Looks at every stream of a trace.
    pub fn of(trace: &Trace) -> Self {
        let mut placed: Vec<(LaneId, Instant, Instant, ActivityKind)> =
            Vec::with_capacity(trace.activities().len());
        let mut trust = Self::default();
        for (_, activity) in trace.activities().iter() {
            trust.count(&activity);
            if let (Some(start), Some(end)) = (activity.start, activity.end()) {
                placed.push((activity.lane, start, end, activity.kind));
            }
        }
        placed.sort_by_key(|(lane, start, end, _)| (*lane, *start, *end));
        trust.kernel_clipped = trust.kernel_raw;
        trust.activity_clipped = trust.activity_raw;
        for pair in placed.windows(2) {
            let [(lane, _, end, kind), (next_lane, next_start, _, _)] = pair else { continue };
            let past = end.since(*next_start);
            if lane != next_lane || past <= Nanos::ZERO {
                continue;
            }
            trust.overlapping += 1;
            trust.overlap += past;
            trust.largest = trust.largest.max(past);
            trust.activity_clipped -= past;
            if *kind == ActivityKind::Kernel {
                trust.kernel_clipped -= past;
            }
        }
        trust
    }

    fn count(&mut self, activity: &Activity) {
        let length = activity.length.unwrap_or_default();
        self.activity_raw += length;
        if activity.kind == ActivityKind::Kernel {
            self.kernel_raw += length;
        }
    }
}
