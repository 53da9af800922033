//! How many waves or warps of a kernel run side by side, and what limits them.
//!
//! Rules are those of the vendors' own tools: NVIDIA's `cuda_occupancy.h` (CUDA 12.9) with the limits of the CUDA C++ Programming Guide's table
//! "Technical Specifications per Compute Capability", and LLVM 19's AMDGPU backend (`AMDGPUBaseInfo.cpp`, `AMDGPUSubtarget.cpp`) with gfx950 after LLVM 20. Invariant: a processor that
//! is not in the tables has no answer, and neither has a kernel whose registers are not known.

use serde::Serialize;

/// What keeps more blocks from running at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// As many waves as the hardware has places for.
    Waves,
    /// As many blocks as it has places for.
    Blocks,
    /// Vector registers, or a thread's registers.
    Registers,
    /// Scalar registers.
    ScalarRegisters,
    /// Local data share or shared memory.
    SharedMemory,
}

impl Limiter {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Waves => "wave slots",
            Self::Blocks => "block slots",
            Self::Registers => "registers",
            Self::ScalarRegisters => "scalar registers",
            Self::SharedMemory => "shared memory",
        }
    }
}

/// How many run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Occupancy {
    /// Threads of a block that this is for.
    pub block: u32,
    /// Waves of a SIMD on AMD, warps of a multiprocessor on NVIDIA; 0 where the kernel cannot run with such blocks.
    pub waves: u32,
    /// The most that the hardware has places for, in the same unit.
    pub most: u32,
    /// Blocks of a compute unit (from gfx10 on of a pair of them, which share their local memory) or multiprocessor.
    pub blocks: u32,
    /// What keeps more from running.
    pub limiter: Limiter,
}

/// What an AMDGPU kernel takes, as its metadata counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmdNeeds {
    /// Vector registers of both kinds.
    pub vgpr: u32,
    /// Scalar registers.
    pub sgpr: u32,
    /// Local data share of a block, bytes.
    pub lds_bytes: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
}

/// One family of processors.
struct Simd {
    waves: u32,
    /// SIMDs that share the local memory below.
    simds: u32,
    /// Registers of a lane that waves of 64 share, and the step in which they are given out; for waves of 32 twice as many of both.
    vgprs: u32,
    step: u32,
    lds: u32,
    lds_step: u32,
    /// Scalar registers that waves share, where they do.
    sgprs: Option<u32>,
}

const GCN: Simd =
    Simd { waves: 10, simds: 4, vgprs: 256, step: 4, lds: 65_536, lds_step: 512, sgprs: Some(800) };
const CDNA: Simd = Simd { waves: 8, vgprs: 512, step: 8, ..GCN };
const RDNA: Simd = Simd { waves: 16, vgprs: 512, step: 8, lds: 131_072, sgprs: None, ..GCN };

fn simd(arch: &str) -> Option<Simd> {
    Some(match arch {
        "gfx801" | "gfx802" | "gfx803" | "gfx810" | "gfx900" | "gfx902" | "gfx904" | "gfx906" | "gfx908"
        | "gfx909" | "gfx90c" => GCN,
        "gfx90a" | "gfx940" | "gfx941" | "gfx942" => CDNA,
        "gfx950" => Simd { lds: 163_840, lds_step: 1280, ..CDNA },
        "gfx1010" | "gfx1011" | "gfx1012" | "gfx1013" => Simd { waves: 20, step: 4, ..RDNA },
        "gfx1100" | "gfx1101" | "gfx1151" | "gfx1200" | "gfx1201" => Simd { vgprs: 768, step: 12, ..RDNA },
        "gfx1030" | "gfx1031" | "gfx1032" | "gfx1033" | "gfx1034" | "gfx1035" | "gfx1036" | "gfx1102"
        | "gfx1103" | "gfx1150" | "gfx1152" => RDNA,
        _ => return None,
    })
}

/// Blocks of several waves that one compute unit of GCN and CDNA has barriers for.
const BARRIERS: u32 = 16;
/// The step in which scalar registers are given out.
const SGPR_STEP: u32 = 16;

/// How many waves of an AMDGPU kernel run on a SIMD, in blocks of this many work items; absent for a processor without rules on record.
pub fn amd_occupancy(arch: &str, needs: &AmdNeeds, block: u32) -> Option<Occupancy> {
    let simd = simd(arch)?;
    let wide = if needs.wave_size == 32 && simd.sgprs.is_none() { 2 } else { 1 };
    let (vgprs, step) = (simd.vgprs * wide, simd.step * wide);
    let by = |all: u32, taken: u32, step: u32| all / taken.max(1).next_multiple_of(step);
    let mut limits = vec![(simd.waves, Limiter::Waves), (by(vgprs, needs.vgpr, step), Limiter::Registers)];
    limits.extend(simd.sgprs.map(|all| (by(all, needs.sgpr, SGPR_STEP), Limiter::ScalarRegisters)));
    let waves_a_block = block.max(1).div_ceil(needs.wave_size.max(1));
    if needs.lds_bytes > 0 {
        let blocks = simd.lds / needs.lds_bytes.next_multiple_of(simd.lds_step);
        limits.push(((blocks.saturating_mul(waves_a_block)).div_ceil(simd.simds), Limiter::SharedMemory));
    }
    if simd.sgprs.is_some() && waves_a_block > 1 {
        limits.push(((BARRIERS * waves_a_block).div_ceil(simd.simds), Limiter::Blocks));
    }
    let (waves, limiter) = limits.into_iter().min_by_key(|(waves, _)| *waves)?;
    let blocks = waves.saturating_mul(simd.simds) / waves_a_block;
    let waves = if blocks == 0 { 0 } else { waves };
    Some(Occupancy { block, waves, most: simd.waves, blocks, limiter })
}

/// What an NVIDIA kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvidiaNeeds {
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block, static and dynamic, bytes.
    pub shared_bytes: u32,
}

/// One compute capability: warps and blocks of a multiprocessor, its shared memory in KiB, the step in which that is given out and what a block
/// has reserved, and the parts that registers are divided among.
struct Multiprocessor {
    warps: u32,
    blocks: u32,
    shared_kib: u32,
    step: u32,
    reserved: u32,
    parts: u32,
}

/// Registers of a multiprocessor, and the step in which a warp gets them.
const REGISTERS: u32 = 65_536;
const REGISTER_STEP: u32 = 256;

fn multiprocessor(chip: u32) -> Option<Multiprocessor> {
    let before_ampere = |warps, blocks, shared_kib| Multiprocessor {
        warps,
        blocks,
        shared_kib,
        step: 256,
        reserved: 0,
        parts: 4,
    };
    let since = |warps, blocks, shared_kib| Multiprocessor {
        warps,
        blocks,
        shared_kib,
        step: 128,
        reserved: 1024,
        parts: 4,
    };
    Some(match chip {
        60 => Multiprocessor { parts: 2, ..before_ampere(64, 32, 64) },
        52 | 61 | 70 => before_ampere(64, 32, 96),
        75 => before_ampere(32, 16, 64),
        80 => since(64, 32, 164),
        86 => since(48, 16, 100),
        87 => since(48, 16, 164),
        90 | 100 | 103 => since(64, 32, 228),
        89 | 120 | 121 => since(48, 24, 100),
        _ => return None,
    })
}

/// How many warps of a kernel run on a multiprocessor, in blocks of this many threads; absent for a processor without rules on record.
pub fn nvidia_occupancy(arch: &str, needs: &NvidiaNeeds, block: u32) -> Option<Occupancy> {
    let chip: u32 = arch.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()?;
    let sm = multiprocessor(chip)?;
    let warps = block.max(1).div_ceil(32);
    let of_warp = needs.registers.saturating_mul(32).next_multiple_of(REGISTER_STEP);
    let fits = of_warp.saturating_mul(warps.next_multiple_of(4)) <= REGISTERS && needs.registers <= 255;
    let by_registers = match (fits, of_warp) {
        (false, _) => 0,
        (true, 0) => u32::MAX,
        (true, _) => REGISTERS / sm.parts / of_warp * sm.parts / warps,
    };
    let mut limits = vec![
        (sm.warps / warps, Limiter::Waves),
        (sm.blocks, Limiter::Blocks),
        (by_registers, Limiter::Registers),
    ];
    let taken = needs.shared_bytes.saturating_add(sm.reserved).next_multiple_of(sm.step);
    limits.extend((sm.shared_kib * 1024).checked_div(taken).map(|blocks| (blocks, Limiter::SharedMemory)));
    let (blocks, limiter) = limits.into_iter().min_by_key(|(blocks, _)| *blocks)?;
    Some(Occupancy { block, waves: blocks * warps, most: sm.warps, blocks, limiter })
}
