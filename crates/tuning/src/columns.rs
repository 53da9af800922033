//! What the columns of the tables mean, by their names.

/// Names that say which device a row is for.
pub(crate) const DEVICE: [&str; 3] = ["gfx", "arch", "cu_num"];

/// Names that are part of a row's key beside the device: what the libraries' loaders index by.
const SHAPE: [&str; 49] = [
    "B",
    "M",
    "N",
    "K",
    "b",
    "m",
    "n",
    "k",
    "bias",
    "dtype",
    "outdtype",
    "scaleAB",
    "bpreshuffle",
    "preshuffleB",
    "token",
    "model_dim",
    "inter_dim",
    "expert",
    "topk",
    "shared_expert_id",
    "act_type",
    "q_dtype",
    "q_dtype_a",
    "q_dtype_w",
    "q_type",
    "use_g1u1",
    "doweight_stage1",
    "hidden_pad",
    "intermediate_pad",
    "gate_mode",
    "V",
    "BT",
    "H",
    "Hg",
    "is_varlen",
    "use_h0",
    "store_fs",
    "snapshot_bf16",
    "state_bf16",
    "T_flat",
    "total_chunks",
    "max_seq_chunks",
    "state_dtype",
    "sq",
    "num_k_heads",
    "num_v_heads",
    "head_k_dim",
    "head_v_dim",
    "max_m",
];

/// Names that hold what was chosen or measured.
const CHOICE: [&str; 14] = [
    "us",
    "soltimes",
    "duration",
    "kernelId",
    "kernelName",
    "kernelName1",
    "libtype",
    "solidx",
    "block_m",
    "tile_m",
    "us1",
    "BV",
    "total_us",
    "NUM_WARPS",
];

/// Names of times, in microseconds.
pub(crate) const TIMES: [&str; 6] = ["us", "us1", "us2", "total_us", "soltimes", "duration"];

/// Names of the time of the whole row, the best first.
pub(crate) const WHOLE_TIME: [&str; 4] = ["us", "total_us", "soltimes", "duration"];

/// Names of the share of elements that were wrong.
pub(crate) const ERRORS: [&str; 5] = ["errRatio", "err_ratio", "err", "err1", "err2"];

pub(crate) fn is_key(name: &str) -> bool {
    DEVICE.contains(&name) || SHAPE.contains(&name)
}

pub(crate) fn is_choice(name: &str) -> bool {
    CHOICE.contains(&name)
}
