/* Every 64-bit x86 has SSE2. */
#if defined(__x86_64__)
#define SIMD_128
#define TABLE kernels_sse2
#include "kernels/tables.h"

#include "kernels/kernels.inl"
#endif
