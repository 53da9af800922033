//! What the catalog says about one name.

use serde::Serialize;

use crate::Family;

/// The labels of one kernel name. All of them come from the name; none is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Labels {
    /// The one family that this kernel counts under in totals.
    pub operation: Family,
    /// Every family that is fused into the kernel, `operation` first. Empty for an unclassified name.
    pub parts: Vec<Family>,
    /// Data types that the name states, in the order of the name, each once (`bf16`, `fp8-e4m3`, …).
    pub dtypes: Vec<String>,
    /// What the kernel is written in (`triton`, `ck`, `cutlass`, `tensile`, `asm`, …), where the name tells.
    pub language: Option<String>,
    /// The library that ships it (`aten`, `vllm`, `aiter`, `cublas`, `nccl`, …), where the name tells.
    pub library: Option<String>,
    /// The rule that decided `operation`, as `file/id`; absent where none did.
    pub rule: Option<String>,
}

impl Labels {
    /// Is `family` the operation or one of the fused parts?
    pub fn has(&self, family: Family) -> bool {
        self.operation == family || self.parts.contains(&family)
    }

    /// Is more than one family fused into this kernel?
    pub fn is_fused(&self) -> bool {
        self.parts.len() > 1
    }
}
