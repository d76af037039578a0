/* Compiled with AVX-512 switched on, called only where the machine has it (F, VL, BW, DQ, VBMI2:
 * Ice Lake, Zen 4 and later ones). What is not written for 16 lanes is that of AVX2. */
#ifndef KERNELS_SETS_AVX512_H
#define KERNELS_SETS_AVX512_H

#if defined(__x86_64__)
#define SIMD_AVX2
#define SIMD_AVX512
#define KERNEL_SET avx512
#define KERNEL_TABLE(family) pl_inside_##family##_avx512
#endif

#endif
