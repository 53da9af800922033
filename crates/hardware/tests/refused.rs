//! A device file that is broken or contradicts itself is refused by name, with the place and the cure.

#![expect(clippy::unwrap_used, reason = "tests")]

use kforge_hardware::{Devices, Error};

const SOURCES: &str = include_str!("../../../data/hardware/sources.toml");
const MI300X: &str = include_str!("../../../data/hardware/mi300x.toml");
const H100_NVL: &str = include_str!("../../../data/hardware/h100-nvl-94gb.toml");

/// What reading the file says after `from` became `to`.
fn refusal(text: &str, from: &str, to: &str) -> Error {
    assert!(text.contains(from), "{from}");
    Devices::read(SOURCES, &[("mine", &text.replacen(from, to, 1))]).unwrap_err()
}

#[test]
fn a_file_of_the_user_reads_as_the_shipped_ones_do() {
    assert_eq!(Devices::read(SOURCES, &[("mine", MI300X)]).unwrap().len(), 1);
}

/// The file, what is replaced in it by what, and the code and a part of the message of the refusal.
const DEFECTS: &[(&str, &str, &str, &str, &str)] = &[
    (MI300X, "[cells]", "[cell]", "hardware.syntax", "device file mine: "),
    (MI300X, "wave_size =", "wave_width =", "hardware.cell", "wave_width is no known key"),
    (MI300X, "wave_size =", "# wave_size =", "hardware.cell", "wave_size is missing"),
    (MI300X, "value = 304", "value = -304", "hardware.cell", "units is not a positive figure"),
    (MI300X, "value = 304", "value = nan", "hardware.cell", "units is not a positive figure"),
    (MI300X, "value = 304", "value = 1e300", "hardware.cell", "units is not a positive figure"),
    (
        MI300X,
        "value = 304, from",
        "why = \"x\", from",
        "hardware.cell",
        "units is not one value or one reason",
    ),
    (MI300X, "value = 304, from = \"rocm-gpu-specs\"", "value = 304", "hardware.cell", "without source"),
    (
        MI300X,
        "value = 304, from = \"rocm-gpu-specs\"",
        "value = 304, from = \"hearsay\"",
        "hardware.unknown-source",
        "units is from \"hearsay\"",
    ),
    (MI300X, "gfx942", "gfx942:xnack-", "hardware.cell", "architecture is not written like"),
    (MI300X, "74a1", "0x74a1", "hardware.cell", "pci id 0x74a1 is not four hexadecimal digits"),
    (
        MI300X,
        "dtypes = [\"fp64\"]",
        "dtypes = [\"fp64\", \"fp32\"]",
        "hardware.cell",
        "vector fp32 is given twice",
    ),
    (MI300X, "dtypes = [\"fp6\", \"fp4\"]", "dtypes = [\"fp6\"]", "hardware.cell", "matrix fp4 is missing"),
    (
        MI300X,
        "tera_ops = 1307.4",
        "tera_ops = 2614.9",
        "hardware.disagrees",
        "matrix fp16 states 2614900000000000 operations",
    ),
    (
        MI300X,
        "per_clock = 2048\nrate_from = \"cdna3-rates\"",
        "",
        "hardware.unchecked",
        "matrix fp16 cannot be checked: there is no rate",
    ),
    (
        MI300X,
        "per_clock = 2048",
        "per_clock = 2048\ndeviates = \"why not\"",
        "hardware.needless-deviation",
        "matrix fp16",
    ),
    (H100_NVL, "deviates = ", "note = ", "hardware.disagrees", "matrix tf32"),
    (MI300X, "devices = 8", "devices = 7", "hardware.mode", "mode CPX does not divide"),
    (
        MI300X,
        "compute = \"SPX\"\ndevices = 1",
        "compute = \"SPX\"\ndevices = 2",
        "hardware.mode",
        "not in order",
    ),
    (MI300X, "\"NPS1\", \"NPS4\"", "\"NPS4\", \"NPS1\"", "hardware.mode", "undivided memory first"),
    (MI300X, "\"NPS1\", \"NPS2\"", "\"NPS1\", \"NPS4\"", "hardware.mode", "more memory domains than devices"),
    (MI300X, "\"NPS1\", \"NPS2\"", "\"NPS1\", \"NPS\"", "hardware.mode", "not NPS and a number"),
];

#[test]
fn each_kind_of_defect_has_its_code_and_its_cure() {
    for (text, from, to, code, part) in DEFECTS.iter().copied() {
        let error = refusal(text, from, to);
        assert_eq!(error.code(), code, "{from} -> {to}: {error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()));
    }
}

#[test]
fn a_source_needs_a_month() {
    for date in ["2026", "2026-13", "2026-00", "26-01", "2026-1", "2026-01-02", "soon"] {
        let text = SOURCES.replacen("2025-01", date, 1);
        let error = Devices::read(&text, &[]).unwrap_err();
        assert_eq!(error.code(), "hardware.date", "{date}");
    }
}
