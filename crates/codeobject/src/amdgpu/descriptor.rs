//! What the hardware is told of a kernel: the kernel descriptor, or in version 2 the kernel code object.

use super::mach::{generation, unified};
use crate::Error;
use crate::host::Elf;
use object::elf::STT_OBJECT;
use std::collections::BTreeMap;

/// A kernel descriptor's length.
const LENGTH: usize = 64;
/// The type of symbols of version 2 that are kernels.
const AMDGPU_HSA_KERNEL: u8 = 10;
/// The part of `amd_kernel_code_t` that is read.
const CODE_LENGTH: usize = 256;

/// What a kernel is granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) lds_bytes: u32,
    pub(super) scratch_bytes: u32,
    pub(super) kernarg_bytes: Option<u32>,
    pub(super) wave_size: Option<u32>,
    /// Vector registers, rounded up to what can be granted.
    pub(super) vgpr_allocated: Option<u32>,
    /// As counted by the compiler; only version 2 has it here.
    pub(super) vgpr_counted: Option<u32>,
    pub(super) sgpr_counted: Option<u32>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes)
}

/// The descriptors of all kernels, by the kernel's symbol.
///
/// # Errors
/// A symbol that points outside of its section.
pub(super) fn all(
    elf: &Elf<'_>,
    arch: &str,
    version: Option<u32>,
) -> Result<BTreeMap<String, Descriptor>, Error> {
    let mut found = BTreeMap::new();
    let cut = |name: &str| Error::Part {
        part: "kernel descriptor",
        at: 0,
        what: format!("that of {name} is cut off"),
    };
    for symbol in elf.symbols() {
        if version == Some(2) {
            if symbol.kind == AMDGPU_HSA_KERNEL {
                let (_, bytes) =
                    elf.at(symbol.section, symbol.value, CODE_LENGTH).ok_or_else(|| cut(symbol.name))?;
                found.insert(symbol.name.to_owned(), of_code(bytes));
            }
        } else if let Some(name) = symbol.name.strip_suffix(".kd")
            && symbol.kind == STT_OBJECT.0
            && (symbol.size == LENGTH as u64 || symbol.size == 0)
            && symbol.section != 0
        {
            let (_, bytes) = elf.at(symbol.section, symbol.value, LENGTH).ok_or_else(|| cut(symbol.name))?;
            found.insert(name.to_owned(), of_descriptor(bytes, arch));
        }
    }
    Ok(found)
}

fn of_descriptor(bytes: &[u8], arch: &str) -> Descriptor {
    let (resources, properties) = (u32_at(bytes, 48), u16_at(bytes, 56));
    let generation = generation(arch);
    let wave_size = match generation {
        Some(10..) => Some(if properties & 1 << 10 == 0 { 64 } else { 32 }),
        Some(_) => Some(64),
        None => None,
    };
    let step = match (generation, wave_size) {
        (Some(9), _) if unified(arch) => Some(8),
        (Some(..=9), _) | (Some(10..), Some(64)) => Some(4),
        (Some(10..), _) => Some(8),
        (None, _) => None,
    };
    Descriptor {
        lds_bytes: u32_at(bytes, 0),
        scratch_bytes: u32_at(bytes, 4),
        kernarg_bytes: Some(u32_at(bytes, 8)),
        wave_size,
        vgpr_allocated: step.map(|step| (resources & 0x3F).saturating_add(1) * step),
        vgpr_counted: None,
        sgpr_counted: None,
    }
}

/// `amd_kernel_code_t`.
fn of_code(bytes: &[u8]) -> Descriptor {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    Descriptor {
        lds_bytes: u32_at(bytes, 64),
        scratch_bytes: u32_at(bytes, 60),
        kernarg_bytes: Some(u32_at(bytes, 72)),
        wave_size: (byte(103) < 8).then(|| 1 << byte(103)),
        vgpr_allocated: Some((u32_at(bytes, 48) & 0x3F).saturating_add(1) * 4),
        vgpr_counted: Some(u32::from(u16_at(bytes, 86))),
        sgpr_counted: Some(u32::from(u16_at(bytes, 84))),
    }
}
