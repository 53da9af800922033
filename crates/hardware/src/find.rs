//! Which device a driver means.
//!
//! Every fact that is given must agree: vendor, name, architecture, PCI id, units, memory. The name is read as words.
//! Refuses to pick: where two devices fit, both are given back, and where a fact contradicts the others, none is.

use std::fmt;

use crate::name::{target, telling};
use crate::{Device, Devices, Key, Vendor, arch};

/// Reported memory relative to the data file's, in thousandths: drivers hold some of it back, and data sheets round.
const MEMORY: std::ops::RangeInclusive<u128> = 930..=1030;

/// What a driver, a profiler or a tool reports about a device. What is not known stays `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// The maker; see [`Vendor::parse`].
    pub vendor: Option<Vendor>,
    /// The product's or marketing name; an architecture in it or in its place is read as one.
    pub name: Option<&'a str>,
    /// The architecture: `gfx942:sramecc+:xnack-`, `sm_90`, `9.0`.
    pub arch: Option<&'a str>,
    /// The PCI device id, without the vendor's; see [`pci_device_id`](crate::pci_device_id).
    pub pci_device_id: Option<u16>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Compute units or streaming multiprocessors.
    pub units: Option<u64>,
}

/// Who fits a query.
#[derive(Clone, Debug)]
pub enum Found<'a> {
    /// Exactly one device.
    One(&'a Device),
    /// Several devices, which the facts given do not tell apart.
    Ambiguous(Vec<&'a Device>),
    /// No device of the table.
    Unknown(Unmatched),
}

/// Why no device fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// Neither name nor architecture nor PCI id says anything.
    Nothing,
    /// One fact fits none of the devices that the facts before it left.
    Fact {
        /// Which fact: `name`, `architecture`, `vendor`, `pci id`, `number of units`, `memory`.
        fact: &'static str,
        /// What was reported.
        reported: String,
        /// Ids of the devices left before it; empty where that was the whole table.
        left: Vec<String>,
    },
}

impl fmt::Display for Unmatched {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => {
                write!(out, "neither a model's name nor an architecture nor a known pci id was reported")
            }
            Self::Fact { fact, reported, left } if left.is_empty() => {
                write!(out, "no known device has the {fact} `{reported}`")
            }
            Self::Fact { fact, reported, left } => {
                write!(out, "the {fact} `{reported}` does not fit {}", left.join(", "))
            }
        }
    }
}

impl Devices {
    /// The device of which all facts of the query are true.
    pub fn find(&self, query: Query<'_>) -> Found<'_> {
        let (name, architecture) = identity(&query);
        let listed = query.pci_device_id.filter(|id| {
            // An id is unique among its vendor's devices only.
            let of_vendor = |device: &Device| query.vendor.is_none_or(|vendor| vendor == device.vendor);
            self.iter().any(|device| of_vendor(device) && lists(device, *id))
        });
        if name.is_none() && architecture.is_none() && listed.is_none() {
            return Found::Unknown(Unmatched::Nothing);
        }
        let mut sieve = Sieve { left: self.iter().collect(), all: self.len(), why: None };
        if let Some(vendor) = query.vendor {
            sieve.keep("vendor", || vendor.name().to_owned(), |device| device.vendor == vendor);
        }
        if let Some(name) = &name {
            let reported = || query.name.unwrap_or_default().trim().to_owned();
            sieve.keep("name", reported, |device| device.names.fit(name));
        }
        if let Some(text) = architecture {
            let normal = arch::normal(&text);
            let same = |device: &Device| normal.as_ref() == Some(&device.architecture);
            sieve.keep("architecture", || text.clone(), same);
        }
        if let Some(id) = listed {
            sieve.keep("pci id", || format!("{id:04x}"), |device| lists(device, id));
        }
        if let Some(units) = query.units {
            sieve.keep("number of units", || units.to_string(), |device| device.seen_with(units).is_some());
        }
        if let Some(bytes) = query.memory_bytes {
            sieve.keep(
                "memory",
                || kforge_units::bytes(bytes),
                |device| has_memory(device, query.units, bytes),
            );
        }
        sieve.answer()
    }
}

/// The telling words of the name, and the architecture, which some tools report within the name or in its place.
fn identity(query: &Query<'_>) -> (Option<Vec<String>>, Option<String>) {
    let given = query.arch.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(name) = query.name else { return (None, given) };
    let telling = telling(name);
    ((!telling.is_empty()).then_some(telling), given.or_else(|| target(name)))
}

fn lists(device: &Device, id: u16) -> bool {
    device.pci.iter().any(|pci| pci.id == id)
}

/// Whether a device of these units can report this much memory: the whole, or a part of a partition mode.
fn has_memory(device: &Device, units: Option<u64>, bytes: u64) -> bool {
    let Ok(memory) = device.cell(Key::MemorySize) else { return true };
    let whole = device.cell(Key::Units).ok().map(|cell| cell.value);
    let parts = device.modes.iter().filter(|mode| match (units, whole) {
        (Some(units), Some(whole)) => mode.devices.checked_mul(units) == Some(whole),
        _ => true,
    });
    let divisors = parts.flat_map(|mode| {
        std::iter::once(mode.devices).chain(mode.memory.iter().map(|memory| memory.domains))
    });
    let mut sizes = std::iter::once(1).chain(divisors).map(|parts| memory.value / parts.max(1));
    sizes.any(|size| size > 0 && MEMORY.contains(&(u128::from(bytes) * 1000 / u128::from(size))))
}

/// The devices that are left after each fact, and the first fact that left none.
struct Sieve<'a> {
    left: Vec<&'a Device>,
    all: usize,
    why: Option<Unmatched>,
}

impl<'a> Sieve<'a> {
    fn keep(&mut self, fact: &'static str, reported: impl Fn() -> String, fits: impl Fn(&Device) -> bool) {
        if self.why.is_some() {
            return;
        }
        let kept: Vec<&Device> = self.left.iter().copied().filter(|device| fits(device)).collect();
        if kept.is_empty() {
            let before = if self.left.len() == self.all { &[][..] } else { &self.left };
            let left = before.iter().map(|device| device.id.clone()).collect();
            self.why = Some(Unmatched::Fact { fact, reported: reported(), left });
        }
        self.left = kept;
    }

    fn answer(self) -> Found<'a> {
        match (self.why, self.left.as_slice()) {
            (Some(why), _) => Found::Unknown(why),
            (None, [one]) => Found::One(one),
            (None, []) => Found::Unknown(Unmatched::Nothing),
            (None, _) => Found::Ambiguous(self.left),
        }
    }
}
