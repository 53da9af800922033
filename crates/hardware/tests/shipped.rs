//! The shipped device files: complete, self-checked, and equal to figures typed in again from their sources.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use kforge_hardware::{Absent, Confidence, Device, Devices, Dtype, Key, Pipe};

fn devices() -> Devices {
    Devices::builtin().unwrap()
}

fn device<'a>(devices: &'a Devices, id: &str) -> &'a Device {
    devices.by_id(id).unwrap()
}

/// Tera-operations a second of a dense or sparse peak.
fn tera(device: &Device, pipe: Pipe, dtype: Dtype) -> f64 {
    device.peak(pipe, dtype).unwrap().value as f64 / 1e12
}

fn close(have: f64, want: f64, percent: f64) -> bool {
    (have / want - 1.0).abs() * 100.0 <= percent
}

#[test]
fn every_shipped_file_reads_and_passes_its_self_check() {
    let devices = devices();
    let ids: Vec<&str> = devices.iter().map(Device::id).collect();
    for id in [
        "mi210",
        "mi250x",
        "mi300a",
        "mi300x",
        "mi325x",
        "mi350x",
        "mi355x",
        "a100-sxm4-40gb",
        "a100-sxm4-80gb",
        "a100-pcie-40gb",
        "a100-pcie-80gb",
        "h100-sxm5-80gb",
        "h100-pcie-80gb",
        "h100-nvl-94gb",
        "h200-sxm-141gb",
        "b200",
        "gb200",
    ] {
        assert!(ids.contains(&id), "{id}");
    }
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

#[test]
fn every_data_file_is_shipped_and_every_source_is_used() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/hardware");
    let devices = devices();
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if stem != "sources" {
            assert!(devices.by_id(&stem).is_some(), "{stem} is not in the binary");
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    let sources = std::fs::read_to_string(format!("{folder}/sources.toml")).unwrap();
    for line in sources.lines().filter(|line| line.starts_with('[')) {
        let id = line.trim_matches(['[', ']']);
        assert!(text.contains(&format!("from = \"{id}\"")), "{id} is used by nobody");
    }
}

/// The figures are those of issue trackers, white papers and product pages, computed there as clock × units × rate.
#[test]
fn matrix_peaks_equal_the_published_calculations() {
    let devices = devices();
    for (id, dtype, want) in [
        ("mi210", Dtype::Fp16, 181.0),
        ("mi250x", Dtype::Fp16, 191.5),
        ("mi300a", Dtype::Fp16, 980.6),
        ("mi300x", Dtype::Bf16, 1307.4),
        ("mi300x", Dtype::Fp8, 2614.9),
        ("mi350x", Dtype::Fp16, 2306.9),
        ("mi355x", Dtype::Fp16, 2516.6),
        ("a100-sxm4-80gb", Dtype::Bf16, 312.0),
        ("h100-sxm5-80gb", Dtype::Fp8, 1979.0),
        ("h200-sxm-141gb", Dtype::Bf16, 989.0),
        ("b200", Dtype::Fp4, 9000.0),
        ("gb200", Dtype::Fp16, 2500.0),
    ] {
        let have = tera(device(&devices, id), Pipe::Matrix, dtype);
        assert!(close(have, want, 0.7), "{id} {dtype:?}: {have} against {want}");
    }
}

/// Sparse figures are never taken for dense ones: the factor is two wherever both are given.
#[test]
fn sparse_peaks_are_twice_the_dense_ones() {
    let mut both = 0;
    for device in devices().iter() {
        for dtype in Dtype::ALL {
            let dense = device.peak(Pipe::Matrix, dtype);
            if let (Ok(dense), Ok(sparse)) = (dense, device.peak(Pipe::Sparse, dtype)) {
                let ratio = sparse.value as f64 / dense.value as f64;
                assert!(close(ratio, 2.0, 0.5), "{} {dtype:?}: {ratio}", device.id());
                both += 1;
            }
        }
    }
    assert!(both >= 25, "{both}");
}

/// Read from the driver of a real H200: 132 SMs, 62914560 B of L2, 233472 B and 232448 B of shared memory.
#[test]
fn the_h200_is_what_its_driver_says() {
    let devices = devices();
    let h200 = device(&devices, "h200-sxm-141gb");
    let value = |key| h200.cell(key).unwrap().value;
    assert_eq!(value(Key::Units), 132);
    assert_eq!(value(Key::L2), 62_914_560);
    assert_eq!(value(Key::SharedPerUnit), 233_472);
    assert_eq!(value(Key::SharedPerBlock), 232_448);
    assert_eq!(value(Key::VectorRegisters), 65_536 * 4);
    assert_eq!(value(Key::Clock), 1_980_000_000);
    assert_eq!(value(Key::MemorySize), 143_771 << 20);
    assert_eq!(h200.cell(Key::L2).unwrap().confidence, Confidence::Measured);
    // 3201 MHz, two transfers a clock, 6016 bits.
    let bandwidth = h200.memory_bandwidth().unwrap();
    assert_eq!(bandwidth.value, 4_800_000_000_000);
    assert!(close(bandwidth.highest() as f64, 2.0 * 3201e6 * 6016.0 / 8.0, 0.01));
}

#[test]
fn the_last_level_cache_is_the_l2_and_what_is_behind_it() {
    let devices = devices();
    let bytes = |id| device(&devices, id).last_level_cache().unwrap().value;
    assert_eq!(bytes("mi300x"), (32 + 256) << 20);
    assert_eq!(bytes("mi300a"), (24 + 256) << 20);
    assert_eq!(bytes("mi210"), 8 << 20);
    assert_eq!(bytes("h200-sxm-141gb"), 60 << 20);
    assert_eq!(bytes("a100-pcie-40gb"), 40 << 20);
    assert_eq!(bytes("b200"), 126 << 20);
}

#[test]
fn absence_says_why_and_tells_lacking_from_unknown() {
    let devices = devices();
    let a100 = device(&devices, "a100-sxm4-40gb");
    assert!(matches!(a100.peak(Pipe::Matrix, Dtype::Fp8), Err(Absent::None(why)) if why.contains("Ampere")));
    assert!(matches!(a100.cell(Key::InfinityCache), Err(Absent::None(_))));
    let nvl = device(&devices, "h100-nvl-94gb");
    assert!(matches!(nvl.peak(Pipe::Matrix, Dtype::Fp8), Err(Absent::Unknown(_))));
    for device in devices.iter() {
        let cells = Key::ALL.into_iter().filter_map(|key| device.cell(key).err());
        let pairs = Pipe::ALL.into_iter().flat_map(|pipe| Dtype::ALL.map(|dtype| (pipe, dtype)));
        let peaks = pairs.filter_map(|(pipe, dtype)| device.peak(pipe, dtype).err());
        for absent in cells.chain(peaks) {
            assert!(absent.why().len() > 10, "{}: {absent}", device.id());
        }
    }
}

/// Only these have peaks that clock × units × rate does not give, and each says so.
#[test]
fn deviations_are_the_exception() {
    let mut deviating = BTreeSet::new();
    for device in devices().iter() {
        for (pipe, dtype) in Pipe::ALL.into_iter().flat_map(|pipe| Dtype::ALL.map(|dtype| (pipe, dtype))) {
            if device.peak_detail(pipe, dtype).is_ok_and(|peak| peak.deviates.is_some()) {
                deviating.insert(device.id().to_owned());
            }
        }
    }
    assert_eq!(deviating.into_iter().collect::<Vec<_>>(), ["gb200", "h100-nvl-94gb"]);
}

/// The data sheet's 989 TFLOPS are for 1830 MHz; the driver lets the same die run at 1980 MHz: 132 × 4096 × 1.98 GHz.
#[test]
fn a_limit_allows_what_the_highest_clock_could_do() {
    let devices = devices();
    let h100 = device(&devices, "h100-sxm5-80gb");
    assert_eq!(h100.peak_limit(Pipe::Matrix, Dtype::Bf16).unwrap(), 132 * 4096 * 1_980_000_000);
    for device in devices.iter() {
        for (pipe, dtype) in Pipe::ALL.into_iter().flat_map(|pipe| Dtype::ALL.map(|dtype| (pipe, dtype))) {
            match (device.peak(pipe, dtype), device.peak_limit(pipe, dtype)) {
                (Ok(peak), Ok(limit)) => {
                    assert!(
                        limit >= peak.highest() && limit <= peak.value * 6 / 5,
                        "{} {pipe:?} {dtype:?}",
                        device.id()
                    );
                }
                (Err(_), Err(_)) => {}
                _ => panic!("{} {pipe:?} {dtype:?}", device.id()),
            }
        }
    }
}

#[test]
fn a_figure_names_its_origin_in_one_line() {
    let devices = devices();
    let cell = device(&devices, "mi300x").cell(Key::Units).unwrap();
    assert_eq!(cell.origin(), "AMD GPU specifications, ROCm documentation, 2026-11 (documentation)");
}

#[test]
fn partition_modes_divide_units_caches_and_bandwidth() {
    let devices = devices();
    let mi300x = device(&devices, "mi300x");
    let cpx = mi300x.share("cpx", "NPS4").unwrap();
    assert_eq!(cpx.units().unwrap().value, 38);
    // Two of eight stacks, with their part of the 256 MiB in front of them, and the 4 MiB L2 of one die.
    assert_eq!(cpx.memory_bandwidth().unwrap().value, 1_325_000_000_000);
    assert_eq!(cpx.last_level_cache().unwrap().value, (4 + 64) << 20);
    assert_eq!(cpx.memory_size().unwrap().value, 48 << 30);
    assert_eq!(cpx.memory_bandwidth().unwrap().confidence, Confidence::Derived);
    assert!(close(cpx.peak(Pipe::Matrix, Dtype::Fp16).unwrap().value as f64, 1307.4e12 / 8.0, 0.01));

    let limit = |share: kforge_hardware::Share<'_>| share.peak_limit(Pipe::Matrix, Dtype::Fp16).unwrap();
    assert!(limit(cpx) * 8 >= limit(mi300x.share("SPX", "NPS1").unwrap()));

    // The vendor's table combines NPS4 with QPX and CPX only.
    assert!(mi300x.share("SPX", "NPS4").is_none());
    assert!(mi300x.share("TPX", "NPS1").is_none());
    let spx = mi300x.share("SPX", "NPS1").unwrap();
    assert_eq!(spx.memory_bandwidth().unwrap(), *mi300x.memory_bandwidth().unwrap());
    assert_eq!(device(&devices, "mi300a").share("TPX", "NPS1").unwrap().units().unwrap().value, 76);
    assert!(device(&devices, "mi210").modes().is_empty());
}

#[test]
fn a_count_of_units_finds_its_part_with_all_the_memory_it_can_reach() {
    let devices = devices();
    let mi300x = device(&devices, "mi300x");
    for (units, devices) in [(304, 1), (152, 2), (76, 4), (38, 8)] {
        let share = mi300x.seen_with(units).unwrap();
        assert_eq!(share.units().unwrap().value * devices, 304);
        assert_eq!(share.memory_bandwidth().unwrap().value, 5_300_000_000_000);
    }
    assert!(mi300x.seen_with(37).is_none());
    assert!(mi300x.seen_with(0).is_none());
    assert!(
        device(&devices, "h200-sxm-141gb").seen_with(16).is_none(),
        "a MIG slice is not a mode of the table"
    );
}
