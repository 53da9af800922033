//! One kernel and what it takes, in the terms of its vendor.
//!
//! Invariant: a figure that the file does not state is absent, never 0.

use serde::Serialize;

/// A kernel of a code object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// The symbol in the words of its source, where that is another.
    pub demangled: Option<String>,
    /// The processor it was compiled for: `gfx942`, `sm_90`.
    pub arch: String,
    /// What it takes.
    #[serde(flatten)]
    pub resources: Resources,
    /// What its compiler wrote in two places and not alike, and what is missing; empty in a usual file.
    pub remarks: Vec<String>,
}

/// What a kernel takes, in the terms of its vendor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Resources {
    /// AMDGPU.
    Amd(AmdResources),
    /// NVIDIA.
    Nvidia(NvidiaResources),
}

/// An AMDGPU kernel's figures, from its metadata or, where that has none, from its descriptor. Absent where neither says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AmdResources {
    /// Vector registers a lane as the compiler counts them: on gfx90a and later of both kinds together.
    pub vgpr: Option<u32>,
    /// Accumulation registers among them (gfx90a and later) or beside them (gfx908).
    pub agpr: Option<u32>,
    /// Scalar registers a wave, with those for VCC and the like.
    pub sgpr: Option<u32>,
    /// Local data share that a workgroup takes before what is asked for at launch, bytes.
    pub lds_bytes: Option<u32>,
    /// Scratch memory a lane, bytes.
    pub scratch_bytes: Option<u32>,
    /// Vector registers that were spilled.
    pub vgpr_spills: Option<u32>,
    /// Scalar registers that were spilled.
    pub sgpr_spills: Option<u32>,
    /// Spilled registers of both kinds.
    pub spills: Option<u32>,
    /// Lanes of a wave.
    pub wave_size: Option<u32>,
    /// Most work items of a workgroup that the compiler allows for.
    pub max_block: Option<u32>,
    /// Bytes of arguments.
    pub kernarg_bytes: Option<u32>,
    /// The version of the code object's format, 2 to 6.
    pub code_object_version: Option<u32>,
}

/// An NVIDIA kernel's figures, from `.nv.info` and the sections of the cubin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NvidiaResources {
    /// Registers a thread.
    pub registers: Option<u32>,
    /// Static shared memory of a block, bytes, with what the toolkit reserves beyond the kernel's own left out.
    pub shared_bytes: Option<u32>,
    /// Stack frame a thread, bytes: spilled registers are in it.
    pub stack_bytes: Option<u32>,
    /// Named barriers.
    pub barriers: Option<u32>,
    /// Most threads of a block that the kernel was compiled for (`__launch_bounds__`, `.reqntid`).
    pub max_block: Option<u32>,
    /// Bytes of arguments.
    pub param_bytes: Option<u32>,
    /// Always absent: a cubin has no count of spilled registers.
    pub spills: Option<u32>,
}
