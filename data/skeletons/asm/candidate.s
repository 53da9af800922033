// The candidate: your assembly. z = scale * x + y, four elements a lane, 256 lanes a block; written for gfx942.
//
// Arguments, by byte: 0 x, 8 y, 16 z, 24 scale (f32), 28 quads (u32, the number of groups of four elements).
// On entry: s[0:1] the arguments, s2 the block, v0 the lane.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl	scaled_add
	.p2align	8
	.type	scaled_add,@function
scaled_add:
	s_load_dwordx4 s[4:7], s[0:1], 0x0              // s[4:5] = x, s[6:7] = y
	s_load_dwordx4 s[8:11], s[0:1], 0x10            // s[8:9] = z, s10 = scale, s11 = quads
	v_lshl_or_b32 v0, s2, 8, v0                     // v0 = block * 256 + lane
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s11, v0
	s_and_saveexec_b64 s[2:3], vcc                  // lanes beyond the end are switched off
	s_cbranch_execz .Lend
	v_lshlrev_b32_e32 v1, 4, v0                     // 16 bytes a lane; the offset stays below 4 GiB
	global_load_dwordx4 v[4:7], v1, s[4:5] nt       // what is used once need not stay in the cache
	global_load_dwordx4 v[8:11], v1, s[6:7] nt
	s_waitcnt vmcnt(0)
	v_pk_fma_f32 v[4:5], v[4:5], s[10:11], v[8:9] op_sel_hi:[1,0,1]
	v_pk_fma_f32 v[6:7], v[6:7], s[10:11], v[10:11] op_sel_hi:[1,0,1]
	global_store_dwordx4 v1, v[4:7], s[8:9] nt
.Lend:
	s_endpgm
.Lsize:
	.size	scaled_add, .Lsize-scaled_add

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scaled_add
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 12
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - { .address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer }
      - { .address_space: global, .offset: 8, .size: 8, .value_kind: global_buffer }
      - { .address_space: global, .offset: 16, .size: 8, .value_kind: global_buffer }
      - { .offset: 24, .size: 4, .value_kind: by_value }
      - { .offset: 28, .size: 4, .value_kind: by_value }
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 256
    .name:           scaled_add
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .symbol:         scaled_add.kd
    .vgpr_count:     12
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
