/* Every 64-bit ARM has NEON. */
#if defined(__aarch64__)
#define SIMD_128
#define TABLE kernels_neon
#include "kernels/tables.h"

#include "kernels/kernels.inl"
#endif
