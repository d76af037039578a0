#include "kernels/kernels.h"

#include "kernels/tables.h"

const kernels *kernels_of(isa i)
{
#if defined(__x86_64__)
  if (i == ISA_AVX2) return &kernels_avx2;
  if (i == ISA_SSE2) return &kernels_sse2;
#elif defined(__aarch64__)
  if (i == ISA_NEON) return &kernels_neon;
#elif defined(__wasm_simd128__)
  if (i == ISA_WASM) return &kernels_wasm;
#endif
  (void)i;
  return &kernels_scalar;
}
