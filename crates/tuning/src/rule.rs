//! How the libraries' own loaders find a row. Each rule says where it was read.

use crate::{Layout, Table};
use serde::Serialize;

/// A rule of a loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// A stable word.
    pub id: &'static str,
    /// What the loader does.
    pub text: &'static str,
    /// Repository, commit, file and line.
    pub source: &'static str,
    /// What the library does where there is no row.
    pub otherwise: &'static str,
}

const GEMM: Rule = Rule {
    id: "aiter-gemm",
    text: "the row of gfx, cu_num, M, N, K; then M rounded up to a multiple of 16 (to 256), 32 (to 1024), 64 (to 4096), else 128; then M up to a power of two, or 8192 where M > 8192 and N > 4096",
    source: "ROCm/aiter@e404860 aiter/ops/gemm_op_a8w8.py:476, csrc/py_itfs_cu/gemm_common.cu:13",
    otherwise: "a default kernel, chosen by heuristics",
};

const GEMM_WITHOUT_GFX: Rule = Rule {
    id: "aiter-gemm-cu-num",
    text: "as aiter-gemm, by cu_num alone: a table without a gfx column is older than that key, and the loader says so (of bf16 tables it refuses: KeyError)",
    source: "ROCm/aiter@e404860 aiter/ops/gemm_op_a8w8.py:463, aiter/tuned_gemm.py:88",
    otherwise: GEMM.otherwise,
};

const BATCHED: Rule = Rule {
    id: "aiter-batched-gemm",
    text: "the row of gfx, cu_num, B, M, N, K; M is not rounded",
    source: "ROCm/aiter@e404860 aiter/ops/batched_gemm_op_a8w8.py:107",
    otherwise: "a default kernel, chosen by heuristics",
};

const MXSCALE: Rule = Rule {
    id: "aiter-mxscale-batched-gemm",
    text: "the row of gfx, b, m, n, k; then m rounded as aiter-gemm rounds M",
    source: "ROCm/aiter@e404860 aiter/ops/batched_gemm_op_a8w8.py:210",
    otherwise: "a default kernel, chosen by heuristics",
};

const MOE: Rule = Rule {
    id: "aiter-moe",
    text: "token up to a power of two, from 32768 down to 32768, from 131072 down to 131072; the row of the whole key; then any act_type; above 32768 the lower tier; rows tagged flydsl_fallback do not count; of doubled rows the first",
    source: "ROCm/aiter@e404860 aiter/fused_moe.py:1340, aiter/fused_moe.py:2296",
    otherwise: "a configuration of its heuristics; with AITER_ONLINE_TUNE=1 the tuner runs first",
};

const OTHER: Rule = Rule {
    id: "whole-key",
    text: "the row whose key columns are all equal; how the loader rounds is not on record here",
    source: "no loader was read",
    otherwise: "not on record here",
};

const MOE_JSON: Rule = Rule {
    id: "nearest-m",
    text: "the key nearest to M; of two as near, the one that stands first",
    source: "sgl-project/sglang@083d601 python/sglang/srt/layers/moe/fused_moe_triton/fused_moe_triton_config.py try_get_optimal_moe_config, vllm-project/vllm@000d145 vllm/model_executor/layers/fused_moe/fused_moe.py try_get_optimal_moe_config",
    otherwise: "the default configuration of get_default_config",
};

const BLOCK_JSON: Rule = Rule {
    id: "nearest-m-block-fp8",
    text: MOE_JSON.text,
    source: "sgl-project/sglang@008601f python/sglang/srt/layers/quantization/fp8_kernel.py w8a8_block_fp8_matmul_triton",
    otherwise: "tiles of 64 rows and the quantization's blocks",
};

const TRITON: Rule = Rule {
    id: "aiter-triton",
    text: "of the bounds 1, 4, 8, 16, … 8192 the least M_LEQ that holds M; then the greatest M_GEQ; then any",
    source: "ROCm/aiter@e404860 aiter/ops/triton/utils/gemm_config_utils.py:121",
    otherwise: "KeyError: no matching configuration",
};

impl Rule {
    /// The rule for a table, by its layout and the generation of its columns.
    pub fn of(table: &Table) -> Self {
        match table.layout {
            Layout::AiterGemm if table.column("gfx").is_some() => GEMM,
            Layout::AiterGemm => GEMM_WITHOUT_GFX,
            Layout::AiterBatchedGemm if table.column("b").is_some() => MXSCALE,
            Layout::AiterBatchedGemm => BATCHED,
            Layout::AiterMoe => MOE,
            Layout::AiterOther | Layout::AiterUntuned => OTHER,
            Layout::MoeJson => MOE_JSON,
            Layout::BlockFp8Json => BLOCK_JSON,
            Layout::AiterTritonJson => TRITON,
        }
    }

    /// Whether M is rounded as aiter's matrix products round it.
    pub(crate) fn pads(self) -> bool {
        [GEMM.id, GEMM_WITHOUT_GFX.id, MXSCALE.id].contains(&self.id)
    }
}
