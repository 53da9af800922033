//! Devices are found by what drivers report, and only where every word and fact agrees.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use kforge_hardware::{Device, Devices, Found, Key, Query, Unmatched, Vendor};
use proptest::prelude::{Strategy, any, prop_assert, proptest};

/// Read once: a property asks hundreds of times.
fn devices() -> &'static Devices {
    static DEVICES: LazyLock<Devices> = LazyLock::new(|| Devices::builtin().unwrap());
    &DEVICES
}

fn named(name: &str) -> Query<'_> {
    Query { name: Some(name), ..Query::default() }
}

/// The ids of all that fit.
fn ids(found: &Found<'_>) -> Vec<String> {
    match found {
        Found::One(device) => vec![device.id().to_owned()],
        Found::Ambiguous(devices) => devices.iter().map(|device| device.id().to_owned()).collect(),
        Found::Unknown(_) => Vec::new(),
    }
}

/// Names as nvidia-smi, PyTorch, rocm-smi, amd-smi and lspci print them.
#[test]
fn names_that_drivers_report_are_found() {
    let devices = devices();
    for (name, id) in [
        ("NVIDIA H200", "h200-sxm-141gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"),
        ("NVIDIA H100 PCIe", "h100-pcie-80gb"),
        ("NVIDIA H100 NVL", "h100-nvl-94gb"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"),
        ("A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA GB200", "gb200"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI300X OAM", "mi300x"),
        ("AMD Instinct MI300A", "mi300a"),
        ("AMD Instinct MI325X", "mi325x"),
        ("AMD Instinct MI210", "mi210"),
        ("AMD INSTINCT MI250 (MCM) OAM AC MBA", "mi250"),
        ("Aqua Vanjaram [Instinct MI300X]", "mi300x"),
        ("AMD Instinct MI210 (gfx90a:sramecc+:xnack-)", "mi210"),
        ("GA100 [A100 SXM4 80GB]", "a100-sxm4-80gb"),
    ] {
        assert_eq!(ids(&devices.find(named(name))), [id], "{name}");
    }
    for device in devices.iter() {
        for name in device.reported_names() {
            assert_eq!(ids(&devices.find(named(name))), [device.id()], "{name}");
        }
    }
}

#[test]
fn a_name_that_only_contains_a_known_one_is_unknown() {
    let devices = devices();
    for name in [
        "NVIDIA GH200 480GB",
        "NVIDIA H200 NVL",
        "NVIDIA H20",
        "NVIDIA H800",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
        "GH100 [H100 SXM5 94GB]",
        "NVIDIA A100X",
        "NVIDIA B2000",
        "AMD Instinct MI300XHF",
        "AMD Instinct MI300X HF",
        "AMD Instinct MI308X",
        "AMD Instinct MI100",
        "NVIDIA GB300",
        "Intel Data Center GPU Max 1550",
    ] {
        let found = devices.find(named(name));
        let Found::Unknown(why) = &found else { panic!("{name}: {:?}", ids(&found)) };
        assert_eq!(why.to_string(), format!("no known device has the name `{name}`"));
    }
}

/// Facts from the driver of a real H200.
#[test]
fn all_facts_of_a_real_device_agree() {
    let devices = devices();
    let query = Query {
        vendor: Vendor::parse("NVIDIA Corporation"),
        name: Some("NVIDIA H200"),
        arch: Some("9.0"),
        pci_device_id: Some(0x2335),
        memory_bytes: Some(150_109_880_320),
        units: Some(132),
    };
    assert_eq!(ids(&devices.find(query)), ["h200-sxm-141gb"]);
    // The driver's 42405855232 B are an A100-SXM4-40GB's.
    let a100 = Query { name: Some("A100"), memory_bytes: Some(42_405_855_232), units: Some(108), ..query };
    let a100 = Query { arch: Some("sm_80"), pci_device_id: Some(0x20b0), ..a100 };
    assert_eq!(ids(&devices.find(a100)), ["a100-sxm4-40gb"]);
}

/// `torch.cuda.get_device_properties` and `nvidia-smi`, as public notes print them.
#[test]
fn sizes_that_drivers_report_agree_with_the_names() {
    let devices = devices();
    for (name, units, mib, id) in [
        ("NVIDIA H100 80GB HBM3", 132, 81_089, "h100-sxm5-80gb"),
        ("NVIDIA H100 PCIe", 114, 81_008, "h100-pcie-80gb"),
        ("NVIDIA H100 NVL", 132, 95_830, "h100-nvl-94gb"),
        ("NVIDIA B200", 148, 182_631, "b200"),
        ("NVIDIA GB200", 152, 189_471, "gb200"),
        ("NVIDIA GB200", 148, 189_471, "gb200"),
        ("AMD Instinct MI300X", 304, 196_592, "mi300x"),
    ] {
        let query = Query { units: Some(units), memory_bytes: Some(mib << 20), ..named(name) };
        assert_eq!(ids(&devices.find(query)), [id], "{name}");
    }
}

#[test]
fn facts_tell_apart_what_a_name_leaves_open() {
    let devices = devices();
    assert_eq!(ids(&devices.find(named("NVIDIA H100"))).len(), 3);
    let with = |units, gib: u64| Query {
        name: Some("NVIDIA H100"),
        units: Some(units),
        memory_bytes: Some(gib << 30),
        ..Query::default()
    };
    assert_eq!(ids(&devices.find(with(114, 79))), ["h100-pcie-80gb"]);
    assert_eq!(ids(&devices.find(with(132, 79))), ["h100-sxm5-80gb"]);
    assert_eq!(ids(&devices.find(with(132, 93))), ["h100-nvl-94gb"]);

    // ROCm gives both MI250 the same name; the units of one die decide.
    let both = "AMD Instinct MI250X/MI250";
    assert_eq!(ids(&devices.find(named(both))), ["mi250", "mi250x"]);
    assert_eq!(ids(&devices.find(Query { units: Some(110), ..named(both) })), ["mi250x"]);
    assert_eq!(ids(&devices.find(Query { units: Some(104), ..named(both) })), ["mi250"]);
}

#[test]
fn the_three_of_gfx942_are_told_apart_without_a_name() {
    let devices = devices();
    let target = |units, gib: u64| Query {
        name: Some("gfx942:sramecc+:xnack-"),
        units: Some(units),
        memory_bytes: Some(gib << 30),
        ..Query::default()
    };
    assert_eq!(ids(&devices.find(target(304, 192))), ["mi300x"]);
    assert_eq!(ids(&devices.find(target(304, 256))), ["mi325x"]);
    assert_eq!(ids(&devices.find(target(228, 128))), ["mi300a"]);
    // One of eight devices of a package, with the memory of its quarter or its eighth.
    assert_eq!(ids(&devices.find(target(38, 48))), ["mi300x"]);
    assert_eq!(ids(&devices.find(target(38, 24))), ["mi300x"]);
    assert_eq!(ids(&devices.find(target(38, 64))), ["mi325x"]);
    let name_alone = Query { name: Some("AMD Radeon Graphics"), arch: Some("gfx942"), ..Query::default() };
    assert_eq!(ids(&devices.find(name_alone)), ["mi300a", "mi300x", "mi325x"]);
    assert_eq!(ids(&devices.find(Query { pci_device_id: Some(0x74a1), ..name_alone })), ["mi300x"]);
}

#[test]
fn a_fact_that_contradicts_the_name_leaves_nobody_and_is_named() {
    let devices = devices();
    let mi300x = named("AMD Instinct MI300X");
    for (query, text) in [
        (Query { arch: Some("gfx90a"), ..mi300x }, "the architecture `gfx90a` does not fit mi300x"),
        (named("AMD Instinct MI300X (gfx950)"), "the architecture `gfx950` does not fit mi300x"),
        (Query { units: Some(100), ..mi300x }, "the number of units `100` does not fit mi300x"),
        (Query { memory_bytes: Some(64 << 30), ..mi300x }, "the memory `64.0 GiB` does not fit mi300x"),
        (Query { pci_device_id: Some(0x2335), ..mi300x }, "the pci id `2335` does not fit mi300x"),
    ] {
        let Found::Unknown(why) = devices.find(query) else { panic!("{text}") };
        assert_eq!(why.to_string(), text);
    }
    let Found::Unknown(why) = devices.find(Query { vendor: Some(Vendor::Nvidia), ..mi300x }) else {
        panic!()
    };
    assert!(why.to_string().starts_with("the name `AMD Instinct MI300X` does not fit a100-"), "{why}");
}

#[test]
fn a_pci_id_that_nobody_lists_says_nothing() {
    let devices = devices();
    let query = Query { pci_device_id: Some(0xffff), ..named("NVIDIA H200") };
    assert_eq!(ids(&devices.find(query)), ["h200-sxm-141gb"]);
}

#[test]
fn a_pci_id_is_compared_among_its_vendors_devices_only() {
    let devices = devices();
    // 0x74a1 is listed, for an AMD device; the same number of an NVIDIA device says nothing.
    let query = Query { vendor: Some(Vendor::Nvidia), pci_device_id: Some(0x74a1), ..named("NVIDIA H200") };
    assert_eq!(ids(&devices.find(query)), ["h200-sxm-141gb"]);
}

#[test]
fn without_an_identity_nothing_is_guessed_from_sizes() {
    let devices = devices();
    let sizes = Query {
        units: Some(304),
        memory_bytes: Some(192 << 30),
        vendor: Some(Vendor::Amd),
        ..Query::default()
    };
    for query in [
        sizes,
        Query { name: Some("AMD Radeon Graphics"), ..sizes },
        Query { pci_device_id: Some(1), ..sizes },
    ] {
        assert!(matches!(devices.find(query), Found::Unknown(Unmatched::Nothing)));
    }
}

/// A slow twin of the search: all devices, each asked alone, facts in any order.
fn twin(device: &Device, query: &Query<'_>) -> bool {
    let name = query.name.is_none_or(|name| {
        let devices = devices();
        ids(&devices.find(named(name))).contains(&device.id().to_owned())
    });
    let units = query.units.is_none_or(|units| device.seen_with(units).is_some());
    let vendor = query.vendor.is_none_or(|vendor| device.vendor() == vendor);
    let arch = query.arch.is_none_or(|arch| device.architecture() == arch);
    name && units && vendor && arch
}

fn some_name() -> impl Strategy<Value = String> {
    let parts = [
        "NVIDIA", "AMD", "Instinct", "H100", "H200", "A100", "MI300X", "MI250", "MI250X", "80GB", "PCIe",
        "MIG", "NVL",
    ];
    proptest::collection::vec(proptest::sample::select(parts.to_vec()), 1..4)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_text_makes_the_search_fail(name in ".*", arch in ".*", units in any::<u64>(), bytes in any::<u64>(), id in any::<u16>()) {
        let devices = devices();
        let query = Query {
            vendor: Vendor::parse(&name),
            name: Some(&name),
            arch: Some(&arch),
            pci_device_id: Some(id),
            memory_bytes: Some(bytes),
            units: Some(units),
        };
        if let Found::Unknown(why) = devices.find(query) {
            prop_assert!(!why.to_string().is_empty());
        }
    }

    #[test]
    fn the_search_equals_asking_each_device(name in some_name(), which in 0..18_usize, facts in 0..8_u8) {
        let devices = devices();
        let model = devices.iter().nth(which).unwrap();
        let query = Query {
            name: Some(&name),
            units: (facts & 1 != 0).then(|| model.cell(Key::Units).unwrap().value),
            vendor: (facts & 2 != 0).then(|| model.vendor()),
            arch: (facts & 4 != 0).then(|| model.architecture()),
            ..Query::default()
        };
        let telling = !ids(&devices.find(named(&name))).is_empty();
        let slow: Vec<String> =
            devices.iter().filter(|device| twin(device, &query)).map(|device| device.id().to_owned()).collect();
        if telling {
            prop_assert!(ids(&devices.find(query)) == slow, "{:?}: {:?}", query, slow);
        }
    }
}
