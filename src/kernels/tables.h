/* The tables of every instruction set. Those of other machines have no definition, and nobody
 * names them. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "core/parts.h"
#include "kernels/kernels.h"

/* X(type, absence). The members of `kernels`, in their order. */
#define KERNEL_LIST(X)                                                                                                 \
  X(refit_kernels, )                                                                                                   \
  X(inflate_kernels, )                                                                                                 \
  X(pair_kernels, )                                                                                                    \
  X(distance_kernels, )                                                                                                \
  X(ray_kernels, )                                                                                                     \
  X(probe_kernels, )                                                                                                   \
  X(moving_kernels, LEFT_OUT)                                                                                          \
  X(self_kernels, )                                                                                                    \
  X(match_kernels, LEFT_OUT)                                                                                           \
  X(governed_kernels, )

#define KERNEL_TABLE_SCALAR(type, absence) extern const type pl_inside_##type##_scalar absence;
#define KERNEL_TABLE_SSE2(type, absence) extern const type pl_inside_##type##_sse2 absence;
#define KERNEL_TABLE_AVX2(type, absence) extern const type pl_inside_##type##_avx2 absence;
#define KERNEL_TABLE_NEON(type, absence) extern const type pl_inside_##type##_neon absence;
#define KERNEL_TABLE_WASM(type, absence) extern const type pl_inside_##type##_wasm absence;
KERNEL_LIST(KERNEL_TABLE_SCALAR)
KERNEL_LIST(KERNEL_TABLE_SSE2)
KERNEL_LIST(KERNEL_TABLE_AVX2)
KERNEL_LIST(KERNEL_TABLE_NEON)
KERNEL_LIST(KERNEL_TABLE_WASM)

#endif
