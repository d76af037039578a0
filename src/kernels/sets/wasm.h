/* WebAssembly with 128-bit lanes. */
#ifndef KERNELS_SETS_WASM_H
#define KERNELS_SETS_WASM_H

#if defined(__wasm_simd128__)
#define SIMD_128
#define KERNEL_SET wasm
#define KERNEL_TABLE(family) pl_inside_##family##_wasm
#endif

#endif
