/* Compiled with AVX2 switched on, called only where the machine has it. */
#ifndef KERNELS_SETS_AVX2_H
#define KERNELS_SETS_AVX2_H

#if defined(__x86_64__)
#define SIMD_AVX2
#define KERNEL_SET avx2
#define KERNEL_TABLE(family) pl_inside_##family##_avx2
#endif

#endif
