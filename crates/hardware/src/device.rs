//! One device and what is known about it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::name::Names;
use crate::{Absent, Cell, Dtype, Key, Mode, Peak, Pipe, Share, Source, Vendor};

/// A PCI device id that the device reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PciId {
    /// The number after the vendor's.
    pub id: u16,
    /// Who says so.
    pub source: Source,
}

/// What is known about one device, as the driver counts devices: one die of an MI250X, one GPU of a GB200.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) vendor: Vendor,
    pub(crate) architecture: String,
    pub(crate) scope: String,
    pub(crate) names: Names,
    pub(crate) reported: Vec<String>,
    pub(crate) pci: Vec<PciId>,
    pub(crate) cells: BTreeMap<Key, Result<Cell, Absent>>,
    pub(crate) peaks: BTreeMap<(Pipe, Dtype), Result<Peak, Absent>>,
    pub(crate) modes: Vec<Mode>,
}

impl Device {
    /// The name of its data file, which never changes: `mi300x`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The product's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who made it.
    pub fn vendor(&self) -> Vendor {
        self.vendor
    }

    /// The compiler's target: `gfx942`, `sm_90`.
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// Which part of a package the figures are about.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Names that drivers and PCI databases are known to report for it.
    pub fn reported_names(&self) -> &[String] {
        &self.reported
    }

    /// PCI device ids that are known to be its own; other revisions may have others.
    pub fn pci_ids(&self) -> &[PciId] {
        &self.pci
    }

    /// Any fact by its key.
    pub fn cell(&self, key: Key) -> Result<&Cell, &Absent> {
        const UNREAD: &Absent = &Absent::Unknown(String::new());
        // Reading refuses a file without all keys, so that the fallback is never met.
        self.cells.get(&key).map_or(Err(UNREAD), Result::as_ref)
    }

    /// Bytes of memory.
    pub fn memory_size(&self) -> Result<&Cell, &Absent> {
        self.cell(Key::MemorySize)
    }

    /// Peak bytes a second of the memory, reads and writes together.
    pub fn memory_bandwidth(&self) -> Result<&Cell, &Absent> {
        self.cell(Key::MemoryBandwidth)
    }

    /// Bytes of the L2 and of the cache behind it: what must be displaced twice over before a run is cold.
    pub fn last_level_cache(&self) -> Result<Cell, Absent> {
        Share::whole(self).last_level_cache()
    }

    /// Peak operations a second of a pipe in a data type; a fused multiply-add is two.
    pub fn peak(&self, pipe: Pipe, dtype: Dtype) -> Result<&Cell, &Absent> {
        self.peak_detail(pipe, dtype).map(|peak| &peak.cell)
    }

    /// What no run can exceed: the highest of the peak, of the figures that contradict it, and of units × rate at the device's
    /// highest clock. Vendors state matrix peaks at a lower clock than the device may reach.
    pub fn peak_limit(&self, pipe: Pipe, dtype: Dtype) -> Result<u64, &Absent> {
        let peak = self.peak_detail(pipe, dtype)?;
        let units = self.cell(Key::Units).map_or(0, Cell::highest);
        let clock = self.cell(Key::Clock).map_or(0, Cell::highest);
        let rate = peak.per_clock.as_ref().map_or(0, |(rate, _)| *rate);
        Ok(peak.cell.highest().max(units.saturating_mul(clock).saturating_mul(rate)))
    }

    /// The same peak with the rate and clock that reproduce it.
    pub fn peak_detail(&self, pipe: Pipe, dtype: Dtype) -> Result<&Peak, &Absent> {
        const UNREAD: &Absent = &Absent::Unknown(String::new());
        self.peaks.get(&(pipe, dtype)).map_or(Err(UNREAD), Result::as_ref)
    }

    /// Its partition modes, the undivided one first; empty where it has none.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// What one device of a partitioned package has, by the names of both modes. `None` where the vendor does not combine them.
    pub fn share(&self, compute: &str, memory: &str) -> Option<Share<'_>> {
        let mode = self.modes.iter().find(|mode| mode.compute.eq_ignore_ascii_case(compute))?;
        let memory = mode.memory.iter().find(|one| one.name.eq_ignore_ascii_case(memory))?;
        Some(Share::of(self, mode, memory))
    }

    /// What a device that reports this many units has: the whole, or the part of the partition mode of that size with the
    /// undivided memory, which is the most that it can reach. A count that another source gives for the whole is the whole.
    /// `None` where no mode has that size.
    pub fn seen_with(&self, units: u64) -> Option<Share<'_>> {
        let cell = self.cell(Key::Units).ok()?;
        if cell.all().any(|whole| whole == units) {
            return Some(Share::whole(self));
        }
        let whole = cell.value;
        let mode = self.modes.iter().find(|mode| mode.devices.checked_mul(units) == Some(whole))?;
        mode.memory.first().map(|memory| Share::of(self, mode, memory))
    }
}
