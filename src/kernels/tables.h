/* The tables of every instruction set. Those of other machines have no definition, and nobody
 * names them. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "core/parts.h"
#include "kernels/kernels.h"

/* X(type, absence, widest). The members of `kernels`, in their order; the widest set for x86-64
 * that they are compiled for: the others gain too little from AVX-512. */
#define KERNEL_LIST(X)                                                                                                 \
  X(refit_kernels, , avx2)                                                                                             \
  X(inflate_kernels, , avx2)                                                                                           \
  X(pair_kernels, , avx512)                                                                                            \
  X(distance_kernels, , avx2)                                                                                          \
  X(ray_kernels, , avx2)                                                                                               \
  X(probe_kernels, , avx2)                                                                                             \
  X(moving_kernels, LEFT_OUT, avx2)                                                                                    \
  X(self_kernels, , avx512)                                                                                            \
  X(match_kernels, LEFT_OUT, avx2)                                                                                     \
  X(governed_kernels, , avx2)

#define KERNEL_TABLE_SCALAR(type, absence, widest) extern const type pl_inside_##type##_scalar absence;
#define KERNEL_TABLE_SSE2(type, absence, widest) extern const type pl_inside_##type##_sse2 absence;
#define KERNEL_TABLE_AVX2(type, absence, widest) extern const type pl_inside_##type##_avx2 absence;
#define KERNEL_TABLE_AVX512(type, absence, widest) extern const type pl_inside_##type##_##widest absence;
#define KERNEL_TABLE_NEON(type, absence, widest) extern const type pl_inside_##type##_neon absence;
#define KERNEL_TABLE_WASM(type, absence, widest) extern const type pl_inside_##type##_wasm absence;
KERNEL_LIST(KERNEL_TABLE_SCALAR)
KERNEL_LIST(KERNEL_TABLE_SSE2)
KERNEL_LIST(KERNEL_TABLE_AVX2)
KERNEL_LIST(KERNEL_TABLE_AVX512)
KERNEL_LIST(KERNEL_TABLE_NEON)
KERNEL_LIST(KERNEL_TABLE_WASM)

#endif
