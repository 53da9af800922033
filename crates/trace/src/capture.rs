//! What a capture says about itself, beside its events.

/// A device as the capture describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceFacts {
    /// The device's number in the capture.
    pub id: Option<i64>,
    /// The vendor's name of the device.
    pub name: Option<String>,
    /// Streaming multiprocessors or compute units.
    pub units: Option<u32>,
    /// Device memory in bytes.
    pub memory_bytes: Option<u64>,
}

/// Facts about the whole capture; what it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureFacts {
    /// The zero of the capture's clock, in nanoseconds of the Unix epoch.
    pub clock_zero: Option<i64>,
    /// The path or name that the profiler wrote into the capture.
    pub own_name: Option<String>,
    /// The devices it describes; not all of them need have activities.
    pub devices: Vec<DeviceFacts>,
    /// The rank in a distributed run.
    pub rank: Option<i64>,
    /// The number of ranks in a distributed run.
    pub world: Option<i64>,
}
