//! The data files, as they are in the binary.

/// The sources by id.
pub(super) const SOURCES: &str = include_str!("../../../../data/tolerances/sources.toml");

/// The profiles by name, the one that holds where nothing is said first.
pub(super) const PROFILES: [(&str, &str); 8] = [
    ("default", include_str!("../../../../data/tolerances/default.toml")),
    ("elementwise", include_str!("../../../../data/tolerances/elementwise.toml")),
    ("unfused", include_str!("../../../../data/tolerances/unfused.toml")),
    ("softmax", include_str!("../../../../data/tolerances/softmax.toml")),
    ("norm", include_str!("../../../../data/tolerances/norm.toml")),
    ("dot", include_str!("../../../../data/tolerances/dot.toml")),
    ("dot-tf32", include_str!("../../../../data/tolerances/dot-tf32.toml")),
    ("quantized", include_str!("../../../../data/tolerances/quantized.toml")),
];
