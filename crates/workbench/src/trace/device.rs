//! One device's time: busy, idle, exposed, and its gaps by cause.
//!
//! Invariant: idle is window minus busy and never negative; gaps add up to idle.

use serde::Serialize;

/// One device's time. Busy is a union of intervals over all streams, never a sum.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    /// The device's label: a number where it is one.
    pub device: serde_json::Value,
    /// Activities on it.
    pub activities: u64,
    /// Time in which anything ran; `null` where no activity has a place on the timeline.
    pub busy_ns: Option<i64>,
    /// From the first start to the last end.
    pub window_ns: Option<i64>,
    /// Window without busy time.
    pub idle_ns: Option<i64>,
    /// Time in which only copies and fills ran.
    pub exposed_copy_ns: Option<i64>,
    /// Time in which communication ran and no compute did.
    pub exposed_communication_ns: Option<i64>,
    /// Its streams.
    pub streams: Vec<Stream>,
    /// Its idle time by cause; the rows add up to `idle_ns`.
    pub gaps: Vec<Gap>,
}

/// One stream's share of a device.
#[derive(Clone, Debug, Serialize)]
pub struct Stream {
    /// The stream's label: a number where it is one.
    pub stream: serde_json::Value,
    /// Activities on it, those without a place on the timeline too.
    pub count: u64,
    /// The sum of the lengths of those with a place.
    pub sum_ns: i64,
    /// The length of their union.
    pub busy_ns: i64,
}

/// Idle time of one cause.
#[derive(Clone, Debug, Serialize)]
pub struct Gap {
    /// `host-launch`, `host-sync`, `queued`, `graph-node` or `unknown`.
    pub cause: &'static str,
    /// How many gaps.
    pub count: u64,
    /// How long in all.
    pub ns: i64,
}
