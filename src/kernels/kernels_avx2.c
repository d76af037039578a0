/* Compiled with AVX2 switched on, called only where the machine has it. */
#if defined(__x86_64__)
#define SIMD_AVX2
#define TABLE kernels_avx2
#include "kernels/tables.h"

#include "kernels/kernels.inl"
#endif
