//! NVIDIA cubins: an entry function's figures from its attributes and sections.
//!
//! Sources: attribute formats and numbers as `cuobjdump -elf` of CUDA 12 and 13 prints them by name; the processor's place in `e_flags`, which
//! CUDA 13 moved, as both toolkits write it. What `cuobjdump -res-usage` and `ptxas -v` say is the measure.

use crate::Error;
use crate::host::{Elf, Section};
use crate::kernel::{Kernel, NvidiaResources, Resources};
use crate::names::demangled;
use std::collections::BTreeMap;

// Attributes.
const MAX_THREADS: u8 = 0x05;
const REQNTID: u8 = 0x10;
const FRAME_SIZE: u8 = 0x11;
const CBANK_PARAM_SIZE: u8 = 0x19;
const REGCOUNT: u8 = 0x2f;
const NUM_BARRIERS: u8 = 0x4c;

/// A function that the host can launch.
const ENTRY: u8 = 0x10;
const FUNCTION: u8 = 2;

/// From this version of the ABI on, `e_flags` has the processor in its second byte.
const MOVED: u8 = 8;

/// From this processor on the first bytes of a block's shared memory are the system's, and sections count them; `ptxas -v` does not.
const RESERVES: u32 = 90;
const RESERVED: u32 = 1024;

/// Where toolkits before CUDA 13 have the count of barriers: in the flags of the code's section.
const BARRIERS_AT: u32 = 20;

/// One attribute: what follows its header, and where it stands.
struct Attribute<'d> {
    number: u8,
    small: u16,
    data: &'d [u8],
}

/// The processor: `sm_90`.
fn arch(elf: &Elf<'_>) -> String {
    let flags = elf.flags();
    let number = if elf.abi_version() >= MOVED { flags >> 8 & 0xFFFF } else { flags & 0xFF };
    format!("sm_{number}")
}

fn number_of(arch: &str) -> u32 {
    arch.strip_prefix("sm_").and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The attributes of a section.
///
/// # Errors
/// [`Error::Part`] where one is cut off or of an unknown format.
fn attributes<'d>(section: &Section<'d>) -> Result<Vec<Attribute<'d>>, Error> {
    let (data, mut at, mut found) = (section.data, 0_usize, Vec::new());
    while at < data.len() {
        let broken =
            |what: &str| Error::Part { part: ".nv.info", at: section.at + at as u64, what: what.to_owned() };
        let Some([format, number, low, high]) = data.get(at..at + 4) else {
            return Err(broken("an attribute is cut off"));
        };
        let small = u16::from_le_bytes([*low, *high]);
        let length = match format {
            1..=3 => 0,
            4 => usize::from(small),
            other => return Err(broken(&format!("an attribute has the format {other}"))),
        };
        let Some(data) = data.get(at + 4..at + 4 + length) else {
            return Err(broken("an attribute is longer than its section"));
        };
        found.push(Attribute { number: *number, small, data });
        at += 4 + length;
    }
    Ok(found)
}

fn word(data: &[u8], index: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(4 * index..4 * index + 4)?.try_into().ok()?))
}

/// Figures by the symbol's number, from the attributes of the whole file.
#[derive(Default)]
struct OfSymbols {
    registers: BTreeMap<u32, u32>,
    frame: BTreeMap<u32, u32>,
}

impl OfSymbols {
    fn read(elf: &Elf<'_>) -> Result<Self, Error> {
        let mut found = Self::default();
        let Some(section) = elf.section(".nv.info") else { return Ok(found) };
        for attribute in attributes(&section)? {
            let map = match attribute.number {
                REGCOUNT => &mut found.registers,
                FRAME_SIZE => &mut found.frame,
                _ => continue,
            };
            if let (Some(symbol), Some(value)) = (word(attribute.data, 0), word(attribute.data, 1)) {
                map.insert(symbol, value);
            }
        }
        Ok(found)
    }
}

/// The kernels of a cubin.
///
/// # Errors
/// Where attributes are damaged.
pub(crate) fn kernels(elf: &Elf<'_>) -> Result<Vec<Kernel>, Error> {
    let arch = arch(elf);
    let of_symbols = OfSymbols::read(elf)?;
    let sections: BTreeMap<&str, Section<'_>> =
        elf.sections().map(|section| (section.name, section)).collect();
    let mut found = Vec::new();
    for symbol in elf.symbols() {
        if symbol.kind != FUNCTION || symbol.other & ENTRY == 0 {
            continue;
        }
        let number = u32::try_from(symbol.index).unwrap_or(u32::MAX);
        let mut resources = NvidiaResources {
            registers: of_symbols.registers.get(&number).copied(),
            stack_bytes: of_symbols.frame.get(&number).copied(),
            ..NvidiaResources::default()
        };
        let own = |prefix: &str| sections.get(format!("{prefix}{}", symbol.name).as_str());
        let section = own(".nv.shared.").map_or(0, |section| u32::try_from(section.size).unwrap_or(u32::MAX));
        // Without a section of its own a kernel takes none: that is what the toolkit's own tools print.
        let reserved = if number_of(&arch) >= RESERVES { RESERVED } else { 0 };
        resources.shared_bytes = Some(section.saturating_sub(reserved));
        let mut remarks = Vec::new();
        match own(".nv.info.") {
            None => remarks.push("it has no attributes of its own".to_owned()),
            Some(section) => {
                for attribute in attributes(section)? {
                    take(&mut resources, &attribute);
                }
            }
        }
        if elf.abi_version() < MOVED && resources.barriers.is_none() {
            resources.barriers = own(".text.").map(|section| (section.flags >> BARRIERS_AT & 0x7F) as u32);
        }
        if resources.registers.is_none() {
            remarks.push("the cubin does not say how many registers it takes".to_owned());
        }
        found.push(Kernel {
            name: symbol.name.to_owned(),
            demangled: demangled(symbol.name),
            arch: arch.clone(),
            resources: Resources::Nvidia(resources),
            remarks,
        });
    }
    Ok(found)
}

fn take(resources: &mut NvidiaResources, attribute: &Attribute<'_>) {
    match attribute.number {
        MAX_THREADS | REQNTID => {
            let sizes = (0..3).map(|index| word(attribute.data, index).unwrap_or(1).max(1));
            resources.max_block = Some(sizes.fold(1, u32::saturating_mul));
        }
        CBANK_PARAM_SIZE => resources.param_bytes = Some(u32::from(attribute.small)),
        NUM_BARRIERS => resources.barriers = Some(u32::from(attribute.small & 0xFF)),
        _ => {}
    }
}
