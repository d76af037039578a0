/* Every 64-bit x86 has SSE2. */
#ifndef KERNELS_SSE2_SET_H
#define KERNELS_SSE2_SET_H

#if defined(__x86_64__)
#define SIMD_128
#define KERNEL_SET sse2
#define KERNEL_TABLE(family) family##_sse2
#endif

#endif
