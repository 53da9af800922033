//! Kernels whose figures other tools have printed: `ptxas -v` and `cuobjdump -res-usage` of CUDA 13.0, Triton 3.6 and `llvm-readelf --notes` of
//! LLVM 19; the files they printed lie beside the code objects.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use kforge_codeobject::{Kernel, NvidiaResources, Resources, State, read};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn lab(test: &str) -> Option<PathBuf> {
    kforge_testkit::lab(test)
}

fn kernels(path: &Path) -> Vec<Kernel> {
    read(&std::fs::read(path).unwrap()).unwrap().kernels().cloned().collect()
}

fn nvidia(kernel: &Kernel) -> &NvidiaResources {
    match &kernel.resources {
        Resources::Nvidia(nvidia) => nvidia,
        Resources::Amd(_) => panic!("{kernel:?}"),
    }
}

/// `REG:22 STACK:0` by function, as `cuobjdump -res-usage` prints it.
fn printed(text: &str) -> BTreeMap<&str, (u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).filter_map(|pair| {
        let name = pair[0].trim().strip_prefix("Function ")?.strip_suffix(':')?;
        let figure =
            |key: &str| pair[1].split_whitespace().find_map(|word| word.strip_prefix(key)?.parse().ok());
        Some((name, (figure("REG:")?, figure("STACK:")?)))
    });
    pairs.collect()
}

#[test]
fn registers_and_stack_are_those_that_cuobjdump_prints_and_shared_memory_that_of_ptxas() {
    let Some(lab) = lab("cubins") else { return };
    let usage = std::fs::read_to_string(lab.join("counters/resource_usage.txt")).unwrap();
    let expected = printed(&usage);
    let found = kernels(&lab.join("codeobjects/zoo.sm_90.cubin"));
    assert_eq!((found.len(), expected.len()), (11, 11));
    for kernel in &found {
        let mine = nvidia(kernel);
        let got = (mine.registers.unwrap(), mine.stack_bytes.unwrap());
        assert_eq!(got, expected[kernel.name.as_str()], "{kernel:?}");
        // ptxas_v.txt: 4096 and 256 bytes smem, all others none.
        let shared = match kernel.name.as_str() {
            "_Z12lds_conflictPfi" => 4096,
            "_Z10sync_blockPfi" => 256,
            _ => 0,
        };
        assert_eq!(mine.shared_bytes, Some(shared), "{kernel:?}");
        assert_eq!(kernel.arch, "sm_90");
    }
    // The source's own words: zoo.cu.
    let spill = found.iter().find(|kernel| kernel.name == "_Z5spillPfPKfii").unwrap();
    assert_eq!(spill.demangled.as_deref(), Some("spill(float*, float const*, int, int)"));
    assert_eq!(nvidia(spill).max_block, Some(256));
}

#[test]
fn an_amdgpu_kernel_has_the_figures_of_its_metadata() {
    let Some(lab) = lab("hsaco") else { return };
    // vgpr, agpr, sgpr, largest block and bytes of arguments, as llvm-readelf prints them; nothing is spilled, and waves have 64 lanes.
    for (name, symbol, figures) in [
        ("matmul_128x128x64w4.gfx942", "matmul_kernel", [296, 64, 24, 256, 56]),
        ("matmul_128x128x64w4.gfx950", "matmul_kernel", [330, 74, 24, 256, 56]),
        ("rmsnorm4096.gfx942", "_fused_rmsnorm_kernel", [32, 0, 22, 512, 48]),
        ("rmsnorm4096.gfx950", "_fused_rmsnorm_kernel", [31, 0, 22, 512, 48]),
        ("softmax16k.gfx942", "softmax_kernel", [171, 0, 102, 256, 40]),
        ("softmax16k.gfx950", "softmax_kernel", [167, 0, 102, 256, 40]),
    ] {
        let found = kernels(&lab.join(format!("codeobjects/{name}.hsaco")));
        assert_eq!(found.len(), 1, "{name}");
        let kernel = &found[0];
        assert!(
            name.ends_with(&kernel.arch) && kernel.name == symbol && kernel.remarks.is_empty(),
            "{kernel:?}"
        );
        let Resources::Amd(amd) = &kernel.resources else { panic!("{kernel:?}") };
        let got = [amd.vgpr, amd.agpr, amd.sgpr, amd.max_block, amd.kernarg_bytes].map(Option::unwrap);
        assert_eq!(got, figures, "{name}");
        assert_eq!((amd.wave_size, amd.spills, amd.scratch_bytes), (Some(64), Some(0), Some(0)), "{name}");
    }
}

/// A bundle as ClangOffloadBundler.rst lays it out: magic, count, a table, and contents at multiples of 4096.
fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut table = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    table.extend((entries.len() as u64).to_le_bytes());
    let mut at = 4096_u64;
    for (target, data) in entries {
        for number in [at, data.len() as u64, target.len() as u64] {
            table.extend(number.to_le_bytes());
        }
        table.extend(target.as_bytes());
        at += (data.len() as u64).next_multiple_of(4096);
    }
    table.resize(4096, 0);
    for (_, data) in entries {
        table.extend(*data);
        table.resize(table.len().next_multiple_of(4096), 0);
    }
    table
}

#[test]
fn a_bundle_plain_or_compressed_gives_the_same_kernels_as_its_parts() {
    let Some(lab) = lab("bundles") else { return };
    let object = |name: &str| std::fs::read(lab.join("codeobjects").join(name)).unwrap();
    let (first, second) = (object("softmax16k.gfx942.hsaco"), object("rmsnorm4096.gfx950.hsaco"));
    let plain = bundle(&[
        ("host-x86_64-unknown-linux-gnu-", &[]),
        ("hipv4-amdgcn-amd-amdhsa--gfx942", &first),
        ("hipv4-amdgcn-amd-amdhsa--gfx950", &second),
    ]);
    let found = read(&plain).unwrap();
    let names: Vec<&str> = found.kernels().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["softmax_kernel", "_fused_rmsnorm_kernel"]);
    assert!(matches!(found.members[0].state, State::Beside(_)));
    assert_eq!(found.members[1].path, "hipv4-amdgcn-amd-amdhsa--gfx942");

    // Version 2 of the header: magic, version, method, length of all, length unpacked, hash.
    let compressed = |method: u16, packed: &[u8], unpacked: usize| {
        let mut bytes = b"CCOB".to_vec();
        bytes.extend(2_u16.to_le_bytes());
        bytes.extend(method.to_le_bytes());
        bytes.extend((24 + packed.len() as u32).to_le_bytes());
        bytes.extend((unpacked as u32).to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(packed);
        bytes
    };
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&plain).unwrap();
    let zlib = compressed(0, &zlib.finish().unwrap(), plain.len());
    let zstd = compressed(1, &zstd::encode_all(plain.as_slice(), 3).unwrap(), plain.len());
    assert_eq!(read(&zlib).unwrap(), found);
    assert_eq!(read(&zstd).unwrap(), found);

    // What it says to hold and does not, and what no memory is given for.
    let lies = compressed(0, &zlib[24..], plain.len() + 1);
    let told = read(&lies).unwrap();
    assert!(matches!(&told.members[0].state, State::Unread(why) if why.contains("holds")), "{told:?}");
    let bomb = compressed(1, &zlib[24..], u32::MAX as usize);
    assert!(
        matches!(&read(&bomb).unwrap().members[0].state, State::Unread(why) if why.contains("may be unpacked"))
    );
    let cut = read(&plain[..plain.len() - 4096]).unwrap();
    assert!(cut.members.iter().any(|member| matches!(&member.state, State::Unread(_))), "{cut:?}");
}

#[test]
fn what_is_no_code_object_is_named_by_what_it_looks_like() {
    for (bytes, looks) in [
        (b"".as_slice(), "an empty file"),
        (b"version https://git-lfs.github.com/spec/v1", "Git LFS"),
        (b"int main() {}", "a text"),
        (b"BC\xc0\xde1234", "bitcode"),
        (b"!<arch>\n", "an archive"),
        (&[0, 1, 2, 3], "something unknown"),
        (b"\x7fELF\x02\x01\x01", "broken ELF"),
    ] {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains(looks), "{error}");
    }
}

#[test]
fn files_that_are_cut_or_damaged_anywhere_end_in_an_answer() {
    let Some(lab) = lab("damage") else { return };
    for name in ["rmsnorm4096.gfx942.hsaco", "zoo.sm_90.cubin"] {
        let whole = std::fs::read(lab.join("codeobjects").join(name)).unwrap();
        for cut in (0..whole.len()).step_by(97) {
            let _ = read(&whole[..cut]);
        }
        // Every byte of the first pages and of the tables at the end, set to extremes.
        let places = (0..whole.len().min(2048)).chain(whole.len().saturating_sub(4096)..whole.len());
        for at in places.step_by(3) {
            for value in [0, 0x7F, 0xFF] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = read(&damaged);
            }
        }
    }
}

/// Numbers that are the same in every run (Knuth's MMIX constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

#[test]
fn rubbish_behind_any_magic_ends_in_an_answer() {
    let mut numbers = Numbers(1);
    let magics: [&[u8]; 5] = [
        b"\x7fELF\x02\x01\x01",
        b"__CLANG_OFFLOAD_BUNDLE__",
        b"CCOB\x02\x00\x01\x00",
        b"\x50\xed\x55\xba",
        b"",
    ];
    for round in 0..4000 {
        let mut bytes = magics[round % magics.len()].to_vec();
        let length = numbers.below(600);
        // Small numbers, which pass for counts and sizes more often than any.
        bytes.extend(
            (0..length).map(|_| {
                if numbers.below(3) == 0 { numbers.below(256) as u8 } else { numbers.below(3) as u8 }
            }),
        );
        let _ = read(&bytes);
    }
}

#[test]
fn code_objects_with_a_few_bytes_changed_anywhere_end_in_an_answer() {
    let Some(lab) = lab("flips") else { return };
    let mut numbers = Numbers(2);
    for name in
        ["rmsnorm4096.gfx942.hsaco", "softmax16k.gfx950.hsaco", "zoo.sm_90.cubin", "rmsnorm4096.90.cubin"]
    {
        let whole = std::fs::read(lab.join("codeobjects").join(name)).unwrap();
        for _ in 0..400 {
            let mut damaged = whole.clone();
            for _ in 0..8 {
                let at = numbers.below(damaged.len());
                damaged[at] = numbers.below(256) as u8;
            }
            damaged.truncate(whole.len() - numbers.below(whole.len() / 4));
            let _ = read(&damaged);
        }
    }
}
