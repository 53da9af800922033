//! The metadata note: MessagePack since version 3 of the format.

use crate::Error;
use crate::host::{Elf, Note};
use crate::kernel::AmdResources;
use rmpv::ValueRef;

const NT_AMDGPU_METADATA: u32 = 32;
const NT_AMD_HSA_ISA_NAME: u32 = 11;

/// A kernel as its metadata describes it.
pub(super) struct Described {
    pub(super) name: String,
    /// Its descriptor's symbol.
    pub(super) symbol: String,
    pub(super) resources: AmdResources,
}

/// What the notes of a code object say.
#[derive(Default)]
pub(super) struct Said {
    pub(super) target: Option<String>,
    pub(super) kernels: Vec<Described>,
}

/// Reads the notes. A code object without metadata says nothing.
///
/// # Errors
/// Metadata that is no MessagePack or has not the form that LLVM documents.
pub(super) fn read(elf: &Elf<'_>) -> Result<Said, Error> {
    let mut said = Said::default();
    for note in elf.notes()? {
        match (note.name, note.kind) {
            (b"AMDGPU", NT_AMDGPU_METADATA) => of_note(&note, &mut said)?,
            (b"AMD", NT_AMD_HSA_ISA_NAME) => {
                let text = String::from_utf8_lossy(note.data).trim_end_matches('\0').to_owned();
                said.target = said.target.or(processor(&text));
            }
            _ => {}
        }
    }
    Ok(said)
}

/// `gfx942` of `amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`.
fn processor(target: &str) -> Option<String> {
    let last = target.rsplit("--").next()?.split(':').next()?;
    last.starts_with("gfx").then(|| last.to_owned())
}

fn of_note(note: &Note<'_>, said: &mut Said) -> Result<(), Error> {
    let broken = |what: &str| Error::Part { part: "metadata", at: note.at, what: what.to_owned() };
    let mut data = note.data;
    let root = rmpv::decode::read_value_ref(&mut data).map_err(|error| broken(&error.to_string()))?;
    if !matches!(root, ValueRef::Map(_)) {
        return Err(broken("it is no map"));
    }
    if let Some(target) = text(&root, "amdhsa.target") {
        said.target = processor(target).or(said.target.take());
    }
    let Some(ValueRef::Array(kernels)) = field(&root, "amdhsa.kernels") else { return Ok(()) };
    for (number, kernel) in kernels.iter().enumerate() {
        let name = text(kernel, ".name").ok_or_else(|| broken(&format!("kernel {number} has no name")))?;
        let symbol = text(kernel, ".symbol").unwrap_or(name);
        said.kernels.push(Described {
            name: name.to_owned(),
            symbol: symbol.to_owned(),
            resources: resources(kernel),
        });
    }
    Ok(())
}

fn resources(kernel: &ValueRef<'_>) -> AmdResources {
    let figure = |name: &str| match field(kernel, name)? {
        ValueRef::Integer(value) => value.as_u64().and_then(|value| u32::try_from(value).ok()),
        _ => None,
    };
    AmdResources {
        vgpr: figure(".vgpr_count"),
        agpr: figure(".agpr_count"),
        sgpr: figure(".sgpr_count"),
        lds_bytes: figure(".group_segment_fixed_size"),
        scratch_bytes: figure(".private_segment_fixed_size"),
        vgpr_spills: figure(".vgpr_spill_count"),
        sgpr_spills: figure(".sgpr_spill_count"),
        spills: None,
        wave_size: figure(".wavefront_size"),
        max_block: figure(".max_flat_workgroup_size"),
        kernarg_bytes: figure(".kernarg_segment_size"),
        code_object_version: None,
    }
}

fn field<'v, 'd>(value: &'v ValueRef<'d>, name: &str) -> Option<&'v ValueRef<'d>> {
    let ValueRef::Map(pairs) = value else { return None };
    pairs.iter().find(|(key, _)| key_is(key, name)).map(|(_, value)| value)
}

fn key_is(key: &ValueRef<'_>, name: &str) -> bool {
    matches!(key, ValueRef::String(text) if text.as_str() == Some(name))
}

fn text<'v>(value: &'v ValueRef<'_>, name: &str) -> Option<&'v str> {
    match field(value, name)? {
        ValueRef::String(text) => text.as_str(),
        _ => None,
    }
}
