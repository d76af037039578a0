/* The tables that exist on this kind of machine. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernels.h"

#if defined(__x86_64__)
extern const kernels kernels_avx2;
extern const kernels kernels_sse2;
#elif defined(__aarch64__)
extern const kernels kernels_neon;
#elif defined(__wasm_simd128__)
extern const kernels kernels_wasm;
#endif
extern const kernels kernels_scalar;

#endif
