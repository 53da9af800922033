//! GPUs as their vendors' tools describe them, and one of them as the device under test.
//!
//! Nothing here opens a device: what ran is what the runner says it ran on, and both must agree. Invariant: a figure that a tool does not
//! give is absent, never zero.

mod amd;
mod device;
mod facts;
mod nvidia;
mod survey;

pub use device::Gpu;
pub use facts::{GpuFacts, GpuUser, GpuVendor};
pub use survey::{Survey, survey};
