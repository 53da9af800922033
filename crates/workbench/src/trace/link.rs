//! How the activities were launched, class by class.

use serde::Serialize;

/// Count and time of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassTotal {
    /// Activities.
    pub count: u64,
    /// Their time.
    pub ns: i64,
}

/// Every activity is in exactly one class.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Links {
    /// Launched by a host call of the capture.
    pub call: ClassTotal,
    /// A node of a graph that a host call of the capture replayed.
    pub graph_replay: ClassTotal,
    /// Queued before the capture began.
    pub before_capture: ClassTotal,
    /// Unknown.
    pub missing: ClassTotal,
    /// Of the unknown: the capture gives no usable number.
    pub missing_no_number: ClassTotal,
    /// Of the unknown: no host call has the number.
    pub missing_no_call: ClassTotal,
    /// Kernel launches on the host that no activity belongs to: dropped records, or launches recorded into a graph.
    pub launches_without_activity: u64,
}
