//! Which figures cannot be taken as they are.

use serde::Serialize;

/// Doubts about the recorded lengths, with both readings of the totals.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Doubts {
    /// Activities that run past the next one of their stream.
    pub overlapping: u64,
    /// By how much in all.
    pub overlap_ns: i64,
    /// The largest single overlap.
    pub largest_overlap_ns: i64,
    /// Kernel time as recorded.
    pub kernel_sum_raw_ns: i64,
    /// Kernel time with every length cut at the start of the stream's next activity.
    pub kernel_sum_clipped_ns: i64,
    /// Time of all activities as recorded.
    pub activity_sum_raw_ns: i64,
    /// Time of all activities, cut likewise.
    pub activity_sum_clipped_ns: i64,
    /// Activities written twice and kept once.
    pub twins: u64,
    /// Activities whose clock was lost.
    pub clockless: u64,
}
