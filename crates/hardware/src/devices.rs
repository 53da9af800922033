//! The table of devices, read and checked once.

use crate::{Device, Error, builtin, read};

/// Every known device, in the order of the data files. Reading parses them all: keep it.
#[derive(Clone, Debug)]
pub struct Devices {
    devices: Vec<Device>,
}

impl Devices {
    /// The devices that ship with the binary.
    ///
    /// # Errors
    /// Only where a shipped file is broken or contradicts itself, which the tests of this crate exclude.
    pub fn builtin() -> Result<Self, Error> {
        Self::read(builtin::SOURCES, builtin::DEVICES)
    }

    /// Devices from the text of a sources file and of device files, each `(id, text)`.
    ///
    /// # Errors
    /// Where a text is not what docs/hardware.md describes, or a device fails its self-check.
    pub fn read(sources: &str, files: &[(&str, &str)]) -> Result<Self, Error> {
        let sources = read::sources(sources)?;
        let devices = files.iter().map(|(id, text)| read::device(&sources, id, text));
        Ok(Self { devices: devices.collect::<Result<_, Error>>()? })
    }

    /// Every device.
    pub fn iter(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// The device of a data file.
    pub fn by_id(&self, id: &str) -> Option<&Device> {
        self.iter().find(|device| device.id == id)
    }
}
