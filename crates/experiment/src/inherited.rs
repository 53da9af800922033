//! Variables that builds and runners inherit and that choose what runs: which device is visible, which kernel a library takes, what its compiler
//! does.
//!
//! They go into the evidence by name and value. Invariant: what looks like a secret is kept as a digest only.

use crate::process::Place;
use kforge_record::Digest;
use std::collections::BTreeMap;

/// Names begin with one of these: devices, compilers, libraries of kernels, engines that choose among them.
const FAMILIES: [&str; 29] = [
    "AITER_",
    "AMD_",
    "CK_",
    "CUBLAS_",
    "CUDA_",
    "CUDNN_",
    "FLASHINFER_",
    "FLASH_ATTENTION_",
    "GPU_",
    "HIPBLASLT_",
    "HIP_",
    "HSA_",
    "KMP_",
    "LD_",
    "MIOPEN_",
    "NCCL_",
    "NVIDIA_",
    "OMP_",
    "PYTHON",
    "PYTORCH_",
    "RCCL_",
    "ROCBLAS_",
    "ROCR_",
    "SGLANG_",
    "SGL_",
    "TENSILE_",
    "TORCH",
    "TRITON_",
    "VLLM_",
];

/// Parts of names of variables that nobody wants to see in a repository.
const SECRET: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH"];

/// A longer value is kept as its digest.
const LONGEST: usize = 512;

/// What is inherited at a place, by name.
///
/// Asks the place for its environment; where it gives none, that is one entry too.
pub fn inherited(place: &Place) -> BTreeMap<String, String> {
    match place.ask(&["env".to_owned()]) {
        Ok(text) => chosen(&text),
        Err(why) => BTreeMap::from([("unknown".to_owned(), format!("`env` {why}"))]),
    }
}

/// The lines of `env` that matter.
fn chosen(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let named = pairs.filter(|(name, _)| {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name && FAMILIES.iter().any(|family| name.starts_with(family))
    });
    named.map(|(name, value)| (name.to_owned(), shown(name, value))).collect()
}

fn shown(name: &str, value: &str) -> String {
    let secret = SECRET.iter().any(|part| name.contains(part));
    if secret || value.len() > LONGEST {
        return format!("blake3 {}", Digest::of_bytes(value.as_bytes()));
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_code_is_kept_and_secrets_are_not() {
        let text = "HOME=/home/me\nAITER_CONFIG_GEMM=/x/a.csv\nVLLM_API_KEY=abc\nCUDA_VISIBLE_DEVICES=1\nBASH_FUNC_x%%=() {\n LD_x=1\nTRITON_CACHE_DIR=\n";
        let found = chosen(text);
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["AITER_CONFIG_GEMM", "CUDA_VISIBLE_DEVICES", "TRITON_CACHE_DIR", "VLLM_API_KEY"]);
        assert_eq!(found["AITER_CONFIG_GEMM"], "/x/a.csv");
        // b3sum of "abc".
        let secret = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
        assert_eq!(found["VLLM_API_KEY"], format!("blake3 {secret}"));
    }

    #[test]
    fn the_place_is_asked_with_its_own_variables() {
        let place = Place { env: vec![("AITER_X".to_owned(), "1".to_owned())], ..Place::default() };
        assert_eq!(inherited(&place)["AITER_X"], "1");
        let nowhere = Place { prefix: vec!["/no/such/program".to_owned()], ..Place::default() };
        assert!(inherited(&nowhere)["unknown"].contains("could not be started"));
    }
}
