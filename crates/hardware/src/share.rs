//! The part of a package that one device of a partition mode has.
//!
//! Invariant: figures are upper limits. Memory channels of one domain are counted whole for each device that uses them,
//! so that a limit never refuses what the hardware can do.

use crate::{Absent, Cell, Device, Dtype, Key, MemoryMode, Mode, Pipe};

/// The whole device, or one of the equal devices that a partition mode makes of it.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    device: &'a Device,
    mode: Option<(&'a Mode, &'a MemoryMode)>,
}

impl<'a> Share<'a> {
    /// The undivided device.
    pub fn whole(device: &'a Device) -> Self {
        Self { device, mode: None }
    }

    pub(crate) fn of(device: &'a Device, mode: &'a Mode, memory: &'a MemoryMode) -> Self {
        Self { device, mode: Some((mode, memory)) }
    }

    /// The device of which this is a part.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// The partition modes, where the device is divided or was asked by its modes.
    pub fn mode(&self) -> Option<(&'a Mode, &'a MemoryMode)> {
        self.mode
    }

    /// Compute units.
    pub fn units(&self) -> Result<Cell, Absent> {
        self.part(Key::Units, self.devices(), "devices")
    }

    /// Peak bytes a second of the memory that it reaches.
    pub fn memory_bandwidth(&self) -> Result<Cell, Absent> {
        self.part(Key::MemoryBandwidth, self.domains(), "memory domains")
    }

    /// Bytes of the memory that it reaches.
    pub fn memory_size(&self) -> Result<Cell, Absent> {
        self.part(Key::MemorySize, self.domains(), "memory domains")
    }

    /// Bytes of its own L2 and of the cache in front of the memory that it reaches.
    pub fn last_level_cache(&self) -> Result<Cell, Absent> {
        let l2 = self.part(Key::L2, self.devices(), "devices")?;
        let behind = match self.part(Key::InfinityCache, self.domains(), "memory domains") {
            Ok(cell) => cell,
            Err(Absent::None(_)) => return Ok(l2),
            Err(unknown) => return Err(unknown),
        };
        let how = format!("L2 and the cache behind it, which is from: {}", behind.source.title);
        let mut both = l2.derived(&how, |bytes| bytes.saturating_add(behind.value));
        both.confidence = both.confidence.weaker(behind.confidence);
        for mut conflict in behind.conflicts {
            conflict.value = conflict.value.saturating_add(l2.value);
            both.conflicts.push(conflict);
        }
        Ok(both)
    }

    /// Peak operations a second of a pipe in a data type.
    pub fn peak(&self, pipe: Pipe, dtype: Dtype) -> Result<Cell, Absent> {
        let cell = self.device.peak(pipe, dtype).map_err(Clone::clone)?;
        Ok(divided(cell, self.devices(), "devices"))
    }

    /// What no run can exceed; see [`Device::peak_limit`].
    pub fn peak_limit(&self, pipe: Pipe, dtype: Dtype) -> Result<u64, Absent> {
        let whole = self.device.peak_limit(pipe, dtype).map_err(Clone::clone)?;
        Ok(whole.div_ceil(self.devices().max(1)))
    }

    fn devices(&self) -> u64 {
        self.mode.map_or(1, |(mode, _)| mode.devices)
    }

    fn domains(&self) -> u64 {
        self.mode.map_or(1, |(_, memory)| memory.domains)
    }

    fn part(&self, key: Key, parts: u64, of: &str) -> Result<Cell, Absent> {
        self.device.cell(key).map(|cell| divided(cell, parts, of)).map_err(Clone::clone)
    }
}

fn divided(cell: &Cell, parts: u64, of: &str) -> Cell {
    if parts <= 1 {
        return cell.clone();
    }
    cell.derived(&format!("one of {parts} {of}"), |whole| whole / parts)
}
