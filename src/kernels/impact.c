#include "kernels/impact.h"

const moving_kernels *moving_kernels_of(isa i)
{
#if defined(__wasm_simd128__) && defined(PLIANT_SMALL)
  (void)i;
  return &moving_kernels_wasm;
#else
#if defined(__x86_64__)
  if (i == ISA_AVX2) return &moving_kernels_avx2;
  if (i == ISA_SSE2) return &moving_kernels_sse2;
#elif defined(__aarch64__)
  if (i == ISA_NEON) return &moving_kernels_neon;
#elif defined(__wasm_simd128__)
  if (i == ISA_WASM) return &moving_kernels_wasm;
#endif
  (void)i;
  return &moving_kernels_scalar;
#endif
}
