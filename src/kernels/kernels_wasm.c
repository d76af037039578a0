/* WebAssembly with 128-bit lanes, where the compiler is asked for them (-msimd128). */
#if defined(__wasm_simd128__)
#define SIMD_128
#define TABLE kernels_wasm
#include "kernels/tables.h"

#include "kernels/kernels.inl"
#endif
