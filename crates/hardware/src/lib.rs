//! Device facts as data: which device is this, how large are its caches, what are its peaks.
//!
//! Answers from what a driver reports (a name, an architecture, a PCI id, sizes) with cells that carry source, date and
//! confidence. Refuses to guess: a name with a word that nobody expects is unknown, a figure that nobody gives is absent
//! with the reason, and sources that disagree stay beside each other.
//!
//! Invariant: every peak is reproduced by clock × units × operations a clock within 2 %, or its cell says why it is not.

mod absent;
mod arch;
mod builtin;
mod cell;
mod check;
mod confidence;
mod device;
mod devices;
mod error;
mod find;
mod key;
mod mode;
mod name;
mod occupancy;
mod occupancy_rules;
mod pci;
mod peak;
mod read;
mod share;
mod text;
mod vendor;

pub use absent::Absent;
pub use cell::{Cell, Conflict};
pub use confidence::{Confidence, Source};
pub use device::{Device, PciId};
pub use devices::Devices;
pub use error::Error;
pub use find::{Found, Query, Unmatched};
pub use key::{Key, Quantity};
pub use mode::{MemoryMode, Mode};
pub use occupancy::{AmdNeeds, Limiter, NvidiaNeeds, Occupancy, amd_occupancy, nvidia_occupancy};
pub use pci::pci_device_id;
pub use peak::{Dtype, Peak, Pipe};
pub use share::Share;
pub use vendor::Vendor;
