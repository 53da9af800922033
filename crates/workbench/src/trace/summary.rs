//! What the capture is, how much is in it, and how long it took.

use super::device::Device;
use serde::Serialize;

/// What the capture says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The file as the user named it.
    pub file: String,
    /// Its size as stored.
    pub bytes: Option<u64>,
    /// The devices it describes, by name, where it does.
    pub device_names: Vec<String>,
    /// The zero of its clock in nanoseconds of the Unix epoch.
    pub clock_zero_ns: Option<i64>,
    /// Its rank in a distributed run.
    pub rank: Option<i64>,
    /// The number of ranks.
    pub world: Option<i64>,
    /// Host calls recorded.
    pub calls: u64,
    /// Framework ops recorded.
    pub ops: u64,
    /// Python frames recorded.
    pub frames: u64,
    /// Annotated ranges recorded.
    pub ranges: u64,
}

/// How many activities there are.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Activities {
    /// All.
    pub total: u64,
    /// Kernels.
    pub kernels: u64,
    /// Copies.
    pub copies: u64,
    /// Fills.
    pub fills: u64,
}

/// How long they took.
#[derive(Clone, Debug, Serialize)]
pub struct Time {
    /// The sum of all kernel lengths: how much work, not how long it took.
    pub kernel_sum_ns: i64,
    /// The sum of all activities' lengths.
    pub activity_sum_ns: i64,
    /// Each device's window, busy and idle time.
    pub devices: Vec<Device>,
}
