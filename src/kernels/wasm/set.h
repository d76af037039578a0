/* WebAssembly with 128-bit lanes. */
#ifndef KERNELS_WASM_SET_H
#define KERNELS_WASM_SET_H

#if defined(__wasm_simd128__)
#define SIMD_128
#define KERNEL_SET wasm
#define KERNEL_TABLE(family) family##_wasm
#endif

#endif
