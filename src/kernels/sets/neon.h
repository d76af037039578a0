/* Every 64-bit ARM has NEON. */
#ifndef KERNELS_SETS_NEON_H
#define KERNELS_SETS_NEON_H

#if defined(__aarch64__)
#define SIMD_128
#define KERNEL_SET neon
#define KERNEL_TABLE(family) pl_inside_##family##_neon
#endif

#endif
