//! Occupancy beside what the vendors' own tools say: NVIDIA's `cuda_occupancy.h` and the remarks of LLVM's AMDGPU backend. The tables were made
//! by these tools and not by this program.

use kforge_hardware::{AmdNeeds, Limiter, NvidiaNeeds, amd_occupancy, nvidia_occupancy};

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect()
}

#[test]
fn blocks_of_a_multiprocessor_are_those_of_nvidia_s_own_calculator() {
    let rows = rows(include_str!("data/occupancy_nvidia.txt"));
    assert!(rows.len() > 200);
    for row in rows {
        let [chip, registers, shared_bytes, block, blocks] = row[..].try_into().unwrap();
        let needs = NvidiaNeeds {
            registers: registers.parse().unwrap(),
            shared_bytes: shared_bytes.parse().unwrap(),
        };
        let answer = nvidia_occupancy(&format!("sm_{chip}"), &needs, block.parse().unwrap()).unwrap();
        assert_eq!(answer.blocks.to_string(), blocks, "{row:?}: {answer:?}");
    }
}

#[test]
fn waves_of_a_simd_are_those_that_llvm_prints() {
    let rows = rows(include_str!("data/occupancy_amd.txt"));
    assert!(rows.len() > 100);
    for row in rows {
        let [arch, vgpr, agpr, sgpr, lds_bytes, block, waves] = row[..].try_into().unwrap();
        let figure = |text: &str| text.parse::<u32>().unwrap();
        let (vgpr, agpr) = (figure(vgpr), figure(agpr));
        // LLVM prints both kinds apart; metadata has their sum where they come from one file.
        let total = if agpr > 0 { vgpr.next_multiple_of(4) + agpr } else { vgpr };
        let wave_size = if arch.len() > 6 { 32 } else { 64 };
        let needs = AmdNeeds { vgpr: total, sgpr: figure(sgpr), lds_bytes: figure(lds_bytes), wave_size };
        let answer = amd_occupancy(arch, &needs, figure(block)).unwrap();
        assert_eq!(answer.waves.to_string(), waves, "{row:?}: {answer:?}");
    }
}

#[test]
fn what_limits_is_named_and_what_is_not_on_record_has_no_answer() {
    // Hand counts. 512 / 296 rounded up to 8 is 1; 65536 / (64 x 32) / 4 x 4 is 32 warps, four blocks of 256.
    let needs = AmdNeeds { vgpr: 296, sgpr: 24, lds_bytes: 0, wave_size: 64 };
    let matmul = amd_occupancy("gfx942", &needs, 256).unwrap();
    assert_eq!((matmul.waves, matmul.most, matmul.limiter), (1, 8, Limiter::Registers));
    let norm = nvidia_occupancy("sm_90", &NvidiaNeeds { registers: 64, shared_bytes: 0 }, 256).unwrap();
    assert_eq!((norm.waves, norm.most, norm.blocks, norm.limiter), (32, 64, 4, Limiter::Registers));
    // 160 KiB of local memory on gfx950: 60 KiB leave room for two blocks of four waves on four SIMDs; gfx942 has room for one.
    let lds = |arch| {
        amd_occupancy(arch, &AmdNeeds { vgpr: 32, sgpr: 32, lds_bytes: 61_440, wave_size: 64 }, 256)
            .unwrap()
            .waves
    };
    assert_eq!((lds("gfx950"), lds("gfx942")), (2, 1));
    // A workgroup gets 64 KiB at most, and one of 65 KiB does not run; nor does a block with more than 227 KiB on sm_90.
    let large = AmdNeeds { vgpr: 8, sgpr: 8, lds_bytes: 66_560, wave_size: 64 };
    assert_eq!(amd_occupancy("gfx942", &large, 64).unwrap().waves, 0);
    let large = NvidiaNeeds { registers: 8, shared_bytes: 232_449 };
    assert_eq!(nvidia_occupancy("sm_90a", &large, 64).unwrap().waves, 0);
    assert_eq!(nvidia_occupancy("sm_42", &NvidiaNeeds { registers: 1, shared_bytes: 0 }, 32), None);
    assert_eq!(amd_occupancy("gfx9999", &needs, 64), None);
}
