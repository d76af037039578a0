#include "kernels/kernels.h"

#include "kernels/tables.h"

const kernels *kernels_of(isa i)
{
#if defined(__x86_64__)
  if (i == ISA_AVX2) return &kernels_avx2;
  if (i == ISA_SSE2) return &kernels_sse2;
#endif
  (void)i;
  return &kernels_scalar;
}
