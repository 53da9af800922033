//! Which kind of table a file is, from its header or the name of its file.

use crate::columns::{is_choice, is_key};
use serde::Serialize;

/// The kinds of table that are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// aiter: matrix products, a row a shape.
    AiterGemm,
    /// aiter: batched matrix products.
    AiterBatchedGemm,
    /// aiter: fused mixture of experts.
    AiterMoe,
    /// aiter: recurrent and other operations, looked up by their whole key.
    AiterOther,
    /// aiter: shapes that wait for the tuner.
    AiterUntuned,
    /// SGLang and vLLM: mixture of experts, a configuration for each M.
    MoeJson,
    /// SGLang and vLLM: block-scaled FP8 products, a configuration for each M.
    BlockFp8Json,
    /// aiter's Triton kernels: bounds of M.
    AiterTritonJson,
}

impl Layout {
    /// The layout of a CSV header; none where it is no header that is known here.
    pub(crate) fn of_header(columns: &[String]) -> Option<Self> {
        let has = |name: &str| columns.iter().any(|column| column == name);
        let gemm = (has("M") && has("N") && has("K")) || (has("m") && has("n") && has("k"));
        let moe = ["token", "model_dim", "inter_dim", "expert", "topk"].into_iter().all(has);
        let chosen = columns.iter().any(|name| is_choice(name));
        let recurrent = (has("num_k_heads") && has("num_v_heads")) || (has("V") && has("BT") && has("Hg"));
        if !gemm && !moe && !recurrent {
            return None;
        }
        if !chosen {
            return columns.iter().all(|name| is_key(name)).then_some(Self::AiterUntuned);
        }
        Some(match (moe, gemm) {
            (true, _) => Self::AiterMoe,
            (_, true) if has("B") || has("b") => Self::AiterBatchedGemm,
            (_, true) => Self::AiterGemm,
            _ => Self::AiterOther,
        })
    }

    /// Whether rows are keyed by M alone, in a file whose name says the rest.
    pub fn is_json(self) -> bool {
        matches!(self, Self::MoeJson | Self::BlockFp8Json | Self::AiterTritonJson)
    }

    /// The word of the answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::AiterGemm => "aiter-gemm",
            Self::AiterBatchedGemm => "aiter-batched-gemm",
            Self::AiterMoe => "aiter-moe",
            Self::AiterOther => "aiter-other",
            Self::AiterUntuned => "aiter-untuned",
            Self::MoeJson => "moe-json",
            Self::BlockFp8Json => "block-fp8-json",
            Self::AiterTritonJson => "aiter-triton-json",
        }
    }
}
