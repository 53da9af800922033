//! What a name says about data types, languages and libraries.

use kforge_catalog::Catalog;

/// name, data types, language, library ("-": the name does not tell).
const CASES: &[(&str, &str, &str, &str)] = &[
    ("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn", "bf16", "cuda", "cublas"),
    ("volta_sgemm_64x64_nt", "f32", "cuda", "cublas"),
    ("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", "", "cuda", "cublas"),
    // Tensile's codes: operands, output, accumulation, then flags.
    ("Cijk_Alik_Bljk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT64x64x32", "f16", "tensile", "hipblaslt"),
    ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32", "bf16", "tensile", "hipblaslt"),
    ("Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64", "bf16", "tensile", "hipblaslt"),
    ("Cijk_Ailk_Bljk_SB_MT128x64x16_MI32x32x2x1_SN", "f32", "tensile", "rocblas"),
    ("Cijk_Alik_Bljk_F8BS_BH_Bias_UserArgs_MT256x256x128", "fp8-e4m3,bf16", "tensile", "hipblaslt"),
    ("Cijk_Alik_Bljk_DB_MT64x64x8", "f64", "tensile", "rocblas"),
    ("triton_poi_fused_add_cos_sin_0", "", "triton", "inductor"),
    ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8EEEvPT0_", "bf16", "hip", "aiter"),
    ("_ZN5aiter49fmoe_bf16_blockscaleFp8_g1u1_novs_silu_1tg_32x256E", "bf16,fp8", "asm", "aiter"),
    (
        "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassIDF16bfEEEEEvDpT1_",
        "bf16",
        "ck",
        "ck",
    ),
    (
        "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16> >(int)",
        "bf16",
        "-",
        "aten",
    ),
    (
        "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(int)",
        "fp8",
        "-",
        "vllm",
    ),
    (
        "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<cutlass::bfloat16_t> > >(int)",
        "bf16",
        "cutlass",
        "flash-attention",
    ),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "bf16", "cuda", "nccl"),
    ("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", "bf16,fp4", "triton", "triton-kernels"),
    ("volta_scudnn_128x64_relu_xregs_large_nn_v1", "f32", "cuda", "cudnn"),
    ("void cub::DeviceRadixSortHistogramKernel<int>(int)", "", "-", "cub"),
    ("__amd_rocclr_copyBuffer", "", "-", "runtime"),
    ("my_kernel", "", "-", "-"),
];

#[test]
fn data_types_languages_and_libraries_are_read_from_the_name() {
    let catalog = Catalog::builtin().unwrap();
    let mut wrong = Vec::new();
    for (name, dtypes, language, library) in CASES {
        let labels = catalog.classify(name);
        let got = (
            labels.dtypes.join(","),
            labels.language.as_deref().unwrap_or("-").to_owned(),
            labels.library.as_deref().unwrap_or("-").to_owned(),
        );
        if (got.0.as_str(), got.1.as_str(), got.2.as_str()) != (*dtypes, *language, *library) {
            wrong.push(format!("{name}: {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
