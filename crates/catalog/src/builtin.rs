//! The rule files that ship inside the binary, in the order in which they are asked.

/// Files of family rules. The order is part of the data: the first rule that holds decides.
pub(crate) const RULES: &[(&str, &str)] = &[
    ("runtime", include_str!("../../../data/catalog/runtime.toml")),
    ("inductor", include_str!("../../../data/catalog/inductor.toml")),
    ("aten", include_str!("../../../data/catalog/aten.toml")),
    ("communication", include_str!("../../../data/catalog/communication.toml")),
    ("state-space", include_str!("../../../data/catalog/state-space.toml")),
    ("kv-cache", include_str!("../../../data/catalog/kv-cache.toml")),
    ("attention", include_str!("../../../data/catalog/attention.toml")),
    ("moe", include_str!("../../../data/catalog/moe.toml")),
    ("convolution", include_str!("../../../data/catalog/convolution.toml")),
    ("gemm", include_str!("../../../data/catalog/gemm.toml")),
    ("other", include_str!("../../../data/catalog/other.toml")),
    ("normalization", include_str!("../../../data/catalog/normalization.toml")),
    ("embedding", include_str!("../../../data/catalog/embedding.toml")),
    ("selection", include_str!("../../../data/catalog/selection.toml")),
    ("activation", include_str!("../../../data/catalog/activation.toml")),
    ("quantization", include_str!("../../../data/catalog/quantization.toml")),
    ("training", include_str!("../../../data/catalog/training.toml")),
    ("movement", include_str!("../../../data/catalog/movement.toml")),
    ("arithmetic", include_str!("../../../data/catalog/arithmetic.toml")),
];

/// Pairs of words that are one notion.
pub(crate) const WORDS: &str = include_str!("../../../data/catalog/words.toml");
/// Languages and libraries.
pub(crate) const MAKERS: &str = include_str!("../../../data/catalog/makers.toml");
/// Data types.
pub(crate) const DTYPES: &str = include_str!("../../../data/catalog/dtypes.toml");
/// Frames of frameworks and of interpreters.
pub(crate) const FRAMES: &str = include_str!("../../../data/frames/python.toml");
