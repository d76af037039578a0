/* Every 64-bit ARM has NEON. */
#ifndef KERNELS_NEON_SET_H
#define KERNELS_NEON_SET_H

#if defined(__aarch64__)
#define SIMD_128
#define KERNEL_SET neon
#define KERNEL_TABLE(family) family##_neon
#endif

#endif
