//! The device files that ship inside the binary.

/// Where figures come from.
pub(crate) const SOURCES: &str = include_str!("../../../data/hardware/sources.toml");

/// Device files; the name of a file is the id of its device.
pub(crate) const DEVICES: &[(&str, &str)] = &[
    ("a100-pcie-40gb", include_str!("../../../data/hardware/a100-pcie-40gb.toml")),
    ("a100-pcie-80gb", include_str!("../../../data/hardware/a100-pcie-80gb.toml")),
    ("a100-sxm4-40gb", include_str!("../../../data/hardware/a100-sxm4-40gb.toml")),
    ("a100-sxm4-80gb", include_str!("../../../data/hardware/a100-sxm4-80gb.toml")),
    ("b200", include_str!("../../../data/hardware/b200.toml")),
    ("gb200", include_str!("../../../data/hardware/gb200.toml")),
    ("h100-nvl-94gb", include_str!("../../../data/hardware/h100-nvl-94gb.toml")),
    ("h100-pcie-80gb", include_str!("../../../data/hardware/h100-pcie-80gb.toml")),
    ("h100-sxm5-80gb", include_str!("../../../data/hardware/h100-sxm5-80gb.toml")),
    ("h200-sxm-141gb", include_str!("../../../data/hardware/h200-sxm-141gb.toml")),
    ("mi210", include_str!("../../../data/hardware/mi210.toml")),
    ("mi250", include_str!("../../../data/hardware/mi250.toml")),
    ("mi250x", include_str!("../../../data/hardware/mi250x.toml")),
    ("mi300a", include_str!("../../../data/hardware/mi300a.toml")),
    ("mi300x", include_str!("../../../data/hardware/mi300x.toml")),
    ("mi325x", include_str!("../../../data/hardware/mi325x.toml")),
    ("mi350x", include_str!("../../../data/hardware/mi350x.toml")),
    ("mi355x", include_str!("../../../data/hardware/mi355x.toml")),
];
