//! Element types by the words that PyTorch and aiter have for them.

/// PyTorch's words (torch 2.9, `torch.dtype`), aiter's (`aiter.dtypes`), and the names of experiment.toml.
const WORDS: &[(&str, &[&str])] = &[
    ("f64", &["float64", "double", "fp64"]),
    ("f32", &["float32", "float", "fp32"]),
    ("f16", &["float16", "half", "fp16"]),
    ("bf16", &["bfloat16"]),
    ("f8_e4m3fn", &["float8_e4m3fn", "fp8"]),
    ("f8_e5m2", &["float8_e5m2"]),
    ("f8_e4m3fnuz", &["float8_e4m3fnuz"]),
    ("f8_e8m0", &["float8_e8m0fnu", "fp8_e8m0"]),
    ("i64", &["int64", "long"]),
    ("i32", &["int32", "int"]),
    ("i16", &["int16", "short"]),
    ("i8", &["int8"]),
    ("u8", &["uint8"]),
    ("bool", &[]),
];

/// The name in experiment.toml of what a word means.
pub(crate) fn dtype(word: &str) -> Option<&'static str> {
    let word = word.trim();
    WORDS.iter().find(|(name, words)| *name == word || words.contains(&word)).map(|(name, _)| *name)
}

/// PyTorch's word for a name of experiment.toml.
pub(crate) fn torch(name: &str) -> &'static str {
    match name {
        "f8_e8m0" => "torch.float8_e8m0fnu",
        "f64" => "torch.float64",
        "f16" => "torch.float16",
        "bf16" => "torch.bfloat16",
        "f8_e4m3fn" => "torch.float8_e4m3fn",
        "f8_e5m2" => "torch.float8_e5m2",
        "f8_e4m3fnuz" => "torch.float8_e4m3fnuz",
        "i64" => "torch.int64",
        "i32" => "torch.int32",
        "i16" => "torch.int16",
        "i8" => "torch.int8",
        "u8" => "torch.uint8",
        "bool" => "torch.bool",
        _ => "torch.float32",
    }
}

/// True for floats that a reference may widen without another meaning.
pub(crate) fn widens(name: &str) -> bool {
    matches!(name, "f32" | "f16" | "bf16" | "f64")
}

/// True for whole numbers and truth.
pub(crate) fn whole(name: &str) -> bool {
    matches!(name, "i64" | "i32" | "i16" | "i8" | "u8" | "bool")
}

/// Bytes of one element, rounded up.
pub(crate) fn bytes(name: &str) -> i64 {
    match name {
        "f64" | "i64" => 8,
        "f32" | "i32" => 4,
        "f16" | "bf16" | "i16" => 2,
        _ => 1,
    }
}
