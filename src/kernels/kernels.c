#include "kernels/kernels.h"

#include "kernels/tables.h"

#define SET(name)                                                                                                      \
  {                                                                                                                    \
    &refit_kernels_##name, &inflate_kernels_##name, &pair_kernels_##name, &distance_kernels_##name,                    \
        &ray_kernels_##name, &probe_kernels_##name, &impact_kernels_##name, &moving_kernels_##name,                    \
        &self_kernels_##name, &match_kernels_##name, &window_kernels_##name, &governed_kernels_##name                  \
  }

const kernels *kernels_of(isa i)
{
#if defined(__wasm_simd128__) && defined(PLIANT_SMALL)
  static const kernels only = SET(wasm);
  (void)i;
  return &only;
#else
  static const kernels scalar = SET(scalar);
#if defined(__x86_64__)
  static const kernels avx2 = SET(avx2), sse2 = SET(sse2);
  if (i == ISA_AVX2) return &avx2;
  if (i == ISA_SSE2) return &sse2;
#elif defined(__aarch64__)
  static const kernels neon = SET(neon);
  if (i == ISA_NEON) return &neon;
#elif defined(__wasm_simd128__)
  static const kernels wasm = SET(wasm);
  if (i == ISA_WASM) return &wasm;
#endif
  (void)i;
  return &scalar;
#endif
}
