//! From a tree in version control to a sealed build in a folder of its own.
//!
//! Invariant: nothing here writes to the user's tree or to its repository; every side has files, caches and logs of its own.

mod artifacts;
mod bench;
mod dependencies;
mod git;
mod inventory;
mod materialise;
mod opened;
mod shop;
mod snapshot;

pub use bench::Bench;
pub use git::Repository;
pub use shop::Shop;
pub use snapshot::Snapshot;
