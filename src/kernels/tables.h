/* The tables of every instruction set; those that the machine is not for are not there. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "core/parts.h"
#include "kernels/kernels.h"

extern const refit_kernels refit_kernels_scalar;
extern const inflate_kernels inflate_kernels_scalar;
extern const pair_kernels pair_kernels_scalar;
extern const distance_kernels distance_kernels_scalar;
extern const ray_kernels ray_kernels_scalar;
extern const probe_kernels probe_kernels_scalar;
extern const impact_kernels impact_kernels_scalar;
extern const moving_kernels moving_kernels_scalar;
extern const self_kernels self_kernels_scalar;
extern const match_kernels match_kernels_scalar;
extern const window_kernels window_kernels_scalar;
extern const governed_kernels governed_kernels_scalar;
extern const refit_kernels refit_kernels_sse2;
extern const inflate_kernels inflate_kernels_sse2;
extern const pair_kernels pair_kernels_sse2;
extern const distance_kernels distance_kernels_sse2;
extern const ray_kernels ray_kernels_sse2;
extern const probe_kernels probe_kernels_sse2;
extern const impact_kernels impact_kernels_sse2;
extern const moving_kernels moving_kernels_sse2;
extern const self_kernels self_kernels_sse2;
extern const match_kernels match_kernels_sse2;
extern const window_kernels window_kernels_sse2;
extern const governed_kernels governed_kernels_sse2;
extern const refit_kernels refit_kernels_avx2;
extern const inflate_kernels inflate_kernels_avx2;
extern const pair_kernels pair_kernels_avx2;
extern const distance_kernels distance_kernels_avx2;
extern const ray_kernels ray_kernels_avx2;
extern const probe_kernels probe_kernels_avx2;
extern const impact_kernels impact_kernels_avx2;
extern const moving_kernels moving_kernels_avx2;
extern const self_kernels self_kernels_avx2;
extern const match_kernels match_kernels_avx2;
extern const window_kernels window_kernels_avx2;
extern const governed_kernels governed_kernels_avx2;
extern const refit_kernels refit_kernels_neon;
extern const inflate_kernels inflate_kernels_neon;
extern const pair_kernels pair_kernels_neon;
extern const distance_kernels distance_kernels_neon;
extern const ray_kernels ray_kernels_neon;
extern const probe_kernels probe_kernels_neon;
extern const impact_kernels impact_kernels_neon;
extern const moving_kernels moving_kernels_neon;
extern const self_kernels self_kernels_neon;
extern const match_kernels match_kernels_neon;
extern const window_kernels window_kernels_neon;
extern const governed_kernels governed_kernels_neon;
extern const refit_kernels refit_kernels_wasm;
extern const inflate_kernels inflate_kernels_wasm;
extern const pair_kernels pair_kernels_wasm;
extern const distance_kernels distance_kernels_wasm;
extern const ray_kernels ray_kernels_wasm;
extern const probe_kernels probe_kernels_wasm;
extern const impact_kernels impact_kernels_wasm LEFT_OUT;
extern const moving_kernels moving_kernels_wasm LEFT_OUT;
extern const self_kernels self_kernels_wasm;
extern const match_kernels match_kernels_wasm LEFT_OUT;
extern const window_kernels window_kernels_wasm LEFT_OUT;
extern const governed_kernels governed_kernels_wasm;

#endif
