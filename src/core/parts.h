/* How a build compiles inner loops, and what it leaves out: all switches in one table.
 *
 * | build                 | KERNEL_INLINE | KERNEL_SHARED | KERNEL_RARE | KERNEL_LEAN | LEFT_OUT |
 * |-----------------------|---------------|---------------|-------------|-------------|----------|
 * | ordinary              | always        | always        | as all      | 0           | linked   |
 * | quick to compile      | if it likes   | if it likes   | as all      | 0           | linked   |
 * | small (PLIANT_SMALL)  | always        | once, small   | small       | 0           | weak     |
 * | small, a lean file    | always        | once, small   | small       | 1           | weak     |
 *
 * The table says whether a piece is inlined. KERNEL_INLINE: small pieces of inner loops.
 * KERNEL_SHARED: pieces that are inlined once for each kind of volume, or once for all.
 * KERNEL_RARE: functions of a hot file that are not hot. KERNEL_LEAN: the file has no continuous
 * queries, no zones, and searches distances by boxes. LEFT_OUT: rows of tables in files that a
 * small program may not link; their addresses are then NULL, so that nothing they need is linked
 * either. A strategy without its source is refused when a body is created; kernels and motions
 * that are not there are only named by files that are left out with them.
 *
 * Quick to compile are trees in which the time of the compiler counts more than that of the
 * kernels (KERNEL_COLD), those without optimisation, and sanitizers, which make each piece large.
 * A small build for WebAssembly has its own instruction set alone (KERNEL_ONE_SET). */
#ifndef CORE_PARTS_H
#define CORE_PARTS_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(KERNEL_COLD) || !defined(__OPTIMIZE__)
#define KERNEL_INLINE inline
#else
#define KERNEL_INLINE inline __attribute__((always_inline))
#endif

#if defined(PLIANT_SMALL) && defined(__clang__)
#define KERNEL_RARE __attribute__((minsize))
#else
#define KERNEL_RARE
#endif

#if defined(PLIANT_SMALL)
#define KERNEL_SHARED __attribute__((noinline)) KERNEL_RARE
#define LEFT_OUT __attribute__((weak))
#else
#define KERNEL_SHARED KERNEL_INLINE
#define LEFT_OUT
#endif

#ifndef KERNEL_LEAN
#define KERNEL_LEAN 0
#endif

#if defined(PLIANT_SMALL) && defined(__wasm_simd128__)
#define KERNEL_ONE_SET 1
#else
#define KERNEL_ONE_SET 0
#endif

#endif
