//! AMDGPU code objects: a kernel's figures from the metadata note, and its descriptor beside it.
//!
//! Source: LLVM, llvm/docs/AMDGPUUsage.rst ("Code Object Metadata", "Kernel Descriptor", "ELF Code Object").

mod descriptor;
mod mach;
mod metadata;

use crate::Error;
use crate::host::Elf;
use crate::kernel::{AmdResources, Kernel, Resources};
use crate::names::demangled;
use descriptor::Descriptor;
use metadata::Described;
use std::collections::BTreeMap;

/// The kernels of a code object.
///
/// # Errors
/// Where its metadata cannot be read.
pub(crate) fn kernels(elf: &Elf<'_>) -> Result<Vec<Kernel>, Error> {
    let version = mach::version(elf.abi_version());
    let arch = mach::name(elf.flags(), elf.abi_version());
    let said = metadata::read(elf)?;
    let arch = match (&said.target, arch) {
        (_, Some(arch)) => arch,
        (Some(target), None) => target.clone(),
        (None, None) => "unknown".to_owned(),
    };
    let descriptors = descriptor::all(elf, &arch, version)?;
    let mut found: Vec<Kernel> =
        said.kernels.into_iter().map(|kernel| joined(kernel, &descriptors, &arch, version)).collect();
    let known: Vec<&str> = found.iter().map(|kernel| kernel.name.as_str()).collect();
    let silent: Vec<Kernel> = descriptors
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()))
        .map(|(name, descriptor)| without_metadata(name, descriptor, &arch, version))
        .collect();
    found.extend(silent);
    Ok(found)
}

fn without_metadata(name: &str, descriptor: &Descriptor, arch: &str, version: Option<u32>) -> Kernel {
    let resources = AmdResources {
        lds_bytes: Some(descriptor.lds_bytes),
        scratch_bytes: Some(descriptor.scratch_bytes),
        kernarg_bytes: descriptor.kernarg_bytes,
        wave_size: descriptor.wave_size,
        vgpr: descriptor.vgpr_counted,
        sgpr: descriptor.sgpr_counted,
        code_object_version: version,
        ..AmdResources::default()
    };
    let what = match (descriptor.vgpr_counted, descriptor.vgpr_allocated) {
        (None, Some(granted)) => format!("; its descriptor grants {granted} vector registers"),
        _ => String::new(),
    };
    Kernel {
        name: name.to_owned(),
        demangled: demangled(name),
        arch: arch.to_owned(),
        resources: Resources::Amd(resources),
        remarks: vec![format!("it has no metadata: registers and spills are not counted{what}")],
    }
}

/// Metadata with its descriptor beside it; where they contradict each other, that is said.
fn joined(
    kernel: Described,
    descriptors: &BTreeMap<String, Descriptor>,
    arch: &str,
    version: Option<u32>,
) -> Kernel {
    let Described { name, symbol, mut resources } = kernel;
    resources.code_object_version = version;
    resources.spills = match (resources.vgpr_spills, resources.sgpr_spills) {
        (Some(vector), Some(scalar)) => Some(vector.saturating_add(scalar)),
        _ => None,
    };
    let mut remarks = Vec::new();
    let bare = symbol.strip_suffix(".kd").unwrap_or(&symbol);
    match descriptors.get(bare) {
        None => remarks.push("it has no kernel descriptor".to_owned()),
        Some(descriptor) => {
            let pairs = [
                ("local memory", resources.lds_bytes, Some(descriptor.lds_bytes)),
                ("scratch", resources.scratch_bytes, Some(descriptor.scratch_bytes)),
                ("wave size", resources.wave_size, descriptor.wave_size),
            ];
            for (what, said, granted) in pairs {
                if let (Some(said), Some(granted)) = (said, granted)
                    && said != granted
                {
                    remarks.push(format!("{what} is {said} in the metadata and {granted} in the descriptor"));
                }
            }
            if let (Some(said), Some(granted)) = (resources.vgpr, descriptor.vgpr_allocated)
                && said > granted
            {
                remarks.push(format!(
                    "the metadata counts {said} vector registers, and the descriptor grants {granted}"
                ));
            }
        }
    }
    Kernel {
        demangled: demangled(&name),
        name,
        arch: arch.to_owned(),
        resources: Resources::Amd(resources),
        remarks,
    }
}
