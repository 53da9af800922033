//! Partition modes: how one package shows itself as several devices, and its memory as several domains.

use serde::Serialize;

use crate::Source;

/// A way to divide the memory of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryMode {
    /// The vendor's name: `NPS1`, `NPS2`, `NPS4`.
    pub name: String,
    /// Domains, each with an equal part of the memory, its channels and the cache in front of them.
    pub domains: u64,
}

/// A way to divide the compute dies of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mode {
    /// The vendor's name: `SPX`, `DPX`, `TPX`, `QPX`, `CPX`.
    pub compute: String,
    /// Devices that the driver shows, each with an equal part of the dies.
    pub devices: u64,
    /// Memory modes that can be combined with it, the undivided one first.
    pub memory: Vec<MemoryMode>,
    /// Who says so.
    pub source: Source,
    /// What the source leaves open.
    pub note: Option<String>,
}
