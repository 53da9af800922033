//! How many waves or warps of a kernel run side by side, and what limits them.
//!
//! By the rules of `data/occupancy/rules.toml`, which are those of the vendors' own tools. Invariant: a processor that has no rule has no answer.

use crate::occupancy_rules;
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

/// The step in which scalar registers are given out.
const SGPR_STEP: u32 = 16;

/// How many waves of an AMDGPU kernel run on a SIMD, in blocks of this many work items; absent for a processor without rules on record.
pub fn amd_occupancy(arch: &str, needs: &AmdNeeds, block: u32) -> Option<Occupancy> {
    let rule = occupancy_rules::amd(arch)?;
    let wide = if needs.wave_size == 32 && rule.narrow { 2 } else { 1 };
    let (vgprs, step) = (rule.vgprs * wide, rule.vgpr_step * wide);
    let by = |all: u32, taken: u32, step: u32| all / stepped(taken.max(1), step).max(1);
    let mut limits = vec![(rule.waves, Limiter::Waves), (by(vgprs, needs.vgpr, step), Limiter::Registers)];
    limits.extend(rule.sgprs.map(|all| (by(all, needs.sgpr, SGPR_STEP), Limiter::ScalarRegisters)));
    let waves_a_block = block.max(1).div_ceil(needs.wave_size.max(1));
    if needs.lds_bytes > 0 {
        let fits = needs.lds_bytes <= rule.lds_block;
        let blocks = if fits { rule.lds / stepped(needs.lds_bytes, rule.lds_step).max(1) } else { 0 };
        limits.push((blocks.saturating_mul(waves_a_block).div_ceil(rule.simds), Limiter::SharedMemory));
    }
    // A workgroup of one wave needs no barrier.
    let groups = rule.groups.filter(|_| waves_a_block > 1);
    limits.extend(groups.map(|groups| ((groups * waves_a_block).div_ceil(rule.simds), Limiter::Blocks)));
    let (waves, limiter) = limits.into_iter().min_by_key(|(waves, _)| *waves)?;
    let blocks = waves.saturating_mul(rule.simds) / waves_a_block;
    let waves = if blocks == 0 { 0 } else { waves };
    Some(Occupancy { block, waves, most: rule.waves, blocks, limiter })
}

/// Rounded up to a step; what is too large to be rounded stays too large.
fn stepped(value: u32, step: u32) -> u32 {
    value.checked_next_multiple_of(step).unwrap_or(u32::MAX)
}

/// What an NVIDIA kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvidiaNeeds {
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block, static and dynamic, bytes.
    pub shared_bytes: u32,
}

/// Registers of a multiprocessor, and the step in which a warp gets them.
const REGISTERS: u32 = 65_536;
const REGISTER_STEP: u32 = 256;

/// How many warps of a kernel run on a multiprocessor, in blocks of this many threads; absent for a processor without rules on record.
pub fn nvidia_occupancy(arch: &str, needs: &NvidiaNeeds, block: u32) -> Option<Occupancy> {
    let rule = occupancy_rules::nvidia(arch.trim_end_matches(['a', 'f']))?;
    let warps = block.max(1).div_ceil(32);
    let of_warp = stepped(needs.registers.saturating_mul(32), REGISTER_STEP);
    let fits = of_warp.saturating_mul(warps.next_multiple_of(4)) <= REGISTERS && needs.registers <= 255;
    let by_registers = match (fits, of_warp) {
        (false, _) => 0,
        (true, 0) => u32::MAX,
        (true, _) => REGISTERS / rule.parts / of_warp * rule.parts / warps,
    };
    let mut limits = vec![
        (rule.warps / warps, Limiter::Waves),
        (rule.blocks, Limiter::Blocks),
        (by_registers, Limiter::Registers),
    ];
    let taken = stepped(needs.shared_bytes.saturating_add(rule.reserved), rule.shared_step);
    let by_shared =
        if needs.shared_bytes <= rule.shared_block { rule.shared.checked_div(taken) } else { Some(0) };
    limits.extend(by_shared.map(|blocks| (blocks, Limiter::SharedMemory)));
    let (blocks, limiter) = limits.into_iter().min_by_key(|(blocks, _)| *blocks)?;
    Some(Occupancy { block, waves: blocks * warps, most: rule.warps, blocks, limiter })
}
