#include "kernels/kernels.h"

#include "kernels/tables.h"

#define SCALAR(type, absence, widest) &pl_inside_##type##_scalar,
#define SSE2(type, absence, widest) &pl_inside_##type##_sse2,
#define AVX2(type, absence, widest) &pl_inside_##type##_avx2,
#define AVX512(type, absence, widest) &pl_inside_##type##_##widest,
#define NEON(type, absence, widest) &pl_inside_##type##_neon,
#define WASM(type, absence, widest) &pl_inside_##type##_wasm,

const kernels *kernels_of(isa i)
{
#if KERNEL_ONE_SET
  static const kernels only = {KERNEL_LIST(WASM)};
  (void)i;
  return &only;
#else
  static const kernels scalar = {KERNEL_LIST(SCALAR)};
#if defined(__x86_64__)
  static const kernels avx512 = {KERNEL_LIST(AVX512)}, avx2 = {KERNEL_LIST(AVX2)}, sse2 = {KERNEL_LIST(SSE2)};
  if (i == ISA_AVX512) return &avx512;
  if (i == ISA_AVX2) return &avx2;
  if (i == ISA_SSE2) return &sse2;
#elif defined(__aarch64__)
  static const kernels neon = {KERNEL_LIST(NEON)};
  if (i == ISA_NEON) return &neon;
#elif defined(__wasm_simd128__)
  static const kernels wasm = {KERNEL_LIST(WASM)};
  if (i == ISA_WASM) return &wasm;
#endif
  (void)i;
  return &scalar;
#endif
}
