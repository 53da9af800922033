//! `kforge validate` through the real binary: verdicts, faults, cheats and honest oddities, and what is left behind.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod alone;
mod exactness;
mod faults;
mod gpus;
mod pairs;
mod places;
mod rerun;
mod resources;
mod since;
mod strays;
mod trees;
mod verdicts;

/// The binary under test.
const KFORGE: &str = env!("CARGO_BIN_EXE_kforge");
