/* Every 64-bit x86 has SSE2. */
#ifndef KERNELS_SETS_SSE2_H
#define KERNELS_SETS_SSE2_H

#if defined(__x86_64__)
#define SIMD_128
#define KERNEL_SET sse2
#define KERNEL_TABLE(family) pl_inside_##family##_sse2
#endif

#endif
