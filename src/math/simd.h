/* One 8-lane float type (v8), one 4-lane (v4) for points, and v4d, a point in double: in AVX2,
 * in pairs of 128 bits (SSE2, NEON or WASM, whichever is the baseline of the architecture), or
 * in plain C. The including file chooses with SIMD_AVX2 or SIMD_128; SIMD_128 is plain C where
 * there are no 128 bits. All give the same bits: only exact operations and singly rounded ones,
 * fused only where the result is exact anyway. min(a, b) is a < b ? a : b, lane by lane. */
#ifndef MATH_SIMD_H
#define MATH_SIMD_H

#include "core/parts.h"
#include "math/round.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(SIMD_AVX2)
#include "math/simd_avx2.h"
#if defined(SIMD_AVX512)
#include "math/simd_avx512.h"
#endif
#elif defined(SIMD_128) && (defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__))
#include "math/simd_128.h"
#else
#include "math/simd_scalar.h"
#endif

#if !defined(SIMD_AVX2)
/* a * b - p, where p is a * b rounded: what the rounding cut off, exactly (Dekker 1971), as long
 * as nothing overflows or underflows. */
static inline v4d v4d_product_rest(v4d a, v4d b, v4d p)
{
  /* 2^27 + 1: halves of 26 bits */
  v4d split = v4d_set(134217729), ca = v4d_mul(split, a), cb = v4d_mul(split, b);
  v4d ah = v4d_sub(ca, v4d_sub(ca, a)), al = v4d_sub(a, ah), bh = v4d_sub(cb, v4d_sub(cb, b)), bl = v4d_sub(b, bh);
  v4d rest = v4d_add(v4d_add(v4d_sub(v4d_mul(ah, bh), p), v4d_mul(ah, bl)), v4d_mul(al, bh));
  return v4d_add(rest, v4d_mul(al, bl));
}
#endif

/* (a * b) + (c * d) + (e * f), rounded after each operation. */
static inline v8 v8_dot(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f)
{
  return v8_add(v8_add(v8_mul(a, b), v8_mul(c, d)), v8_mul(e, f));
}
static inline v8 v8_cross(v8 a, v8 b, v8 c, v8 d) { return v8_sub(v8_mul(a, b), v8_mul(c, d)); } /* a b - c d */

#if !defined(SIMD_AVX2)
/* Bits 0 .. 3: all lanes of this mask are set. */
static inline unsigned v8m_full4(v8m a, v8m b, v8m c, v8m d)
{
  return (v8m_bits(a) == 255) | (unsigned)(v8m_bits(b) == 255) << 1 | (unsigned)(v8m_bits(c) == 255) << 2 |
         (unsigned)(v8m_bits(d) == 255) << 3;
}

/* Bit i: p[i] - begin < span, of 8 numbers. */
static inline unsigned u32_in_range8(const uint32_t *p, uint32_t begin, uint32_t span)
{
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= (unsigned)(p[i] - begin < span) << i;
  return bits;
}

/* Bit i: one of p[0][i], p[1][i], p[2][i] is one of three numbers. */
static inline unsigned u32_any_of3(const uint32_t p[3][8], const uint32_t q[3])
{
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) {
    unsigned any = 0;
    for (int c = 0; c < 3; ++c) any |= (p[c][i] == q[0]) | (p[c][i] == q[1]) | (p[c][i] == q[2]);
    bits |= any << i;
  }
  return bits;
}
#endif

/* 0 .. 7. */
static inline v8 v8_numbers(void)
{
  const float n[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return v8_load(n);
}

/* Loads exactly `width` floats (2, 4 or 8) and repeats them to fill all lanes: another thread
 * may be writing after them. */
static KERNEL_INLINE v8 v8_load_lanes(const float *p, int width)
{
  return width == 8 ? v8_load(p) : width == 4 ? v8_load_4(p) : v8_load_2(p);
}

/* table[index[i]] in lane i. */
static inline v8 v8_pick(const float *table, const uint8_t index[8])
{
  float f[8];
  for (int i = 0; i < 8; ++i) f[i] = table[index[i]];
  return v8_load(f);
}
/* The same for a table of 8 floats. */
static inline v8 v8_pick8(const float *table, const uint8_t index[8])
{
#if defined(SIMD_AVX2)
  return v8_pick8_avx2(table, index);
#else
  return v8_pick(table, index);
#endif
}
/* The same for a table of up to 16 floats, with room for 16. */
static inline v8 v8_pick16(const float *table, const uint8_t index[8])
{
#if defined(SIMD_AVX2)
  return v8_pick16_avx2(table, index);
#else
  return v8_pick(table, index);
#endif
}

/* vreg: as many of 8 lanes as one register has, for steps that keep many values at once: all 8
 * with AVX2, 4 with 128 bits; 16 with AVX-512. The same bits as with v8. */
#if defined(SIMD_128) && (defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define VR_LANES 4
typedef v4 vreg, vregm;
#define VR(name) v4_##name
#define VRM(name) v4_##name
static inline vreg vr_set(float x) { return v4_all(x); }
static inline unsigned vrm_bits(vregm m) { return v4_mask_bits(m); }
#elif defined(SIMD_AVX512)
#define VR_LANES 16
typedef v16 vreg;
typedef v16m vregm;
#define VR(name) v16_##name
#define VRM(name) v16m_##name
static inline vreg vr_set(float x) { return v16_set(x); }
static inline unsigned vrm_bits(vregm m) { return v16m_bits(m); }
#else
#define VR_LANES 8
typedef v8 vreg;
typedef v8m vregm;
#define VR(name) v8_##name
#define VRM(name) v8m_##name
static inline vreg vr_set(float x) { return v8_set(x); }
static inline unsigned vrm_bits(vregm m) { return v8m_bits(m); }
#endif
/* Four floats of each of VR_LANES rows, as lanes of each of the four. */
static inline void vr_from_rows(const float *const row[VR_LANES], vreg out[4]) { VR(from_rows)(row, out); }
/* table[index[i]] in lane i, of 8 floats. */
static inline vreg vr_pick8(const float *table, const uint8_t index[VR_LANES])
{
#if VR_LANES == 16
  return v16_pick8(table, index);
#elif VR_LANES == 8
  return v8_pick8(table, index);
#else
  const float f[4] = {table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
  return v4_load(f);
#endif
}
static inline vreg vr_load(const float *p) { return VR(load)(p); }
static inline void vr_store(float *p, vreg v) { VR(store)(p, v); }
static inline vreg vr_add(vreg a, vreg b) { return VR(add)(a, b); }
static inline vreg vr_sub(vreg a, vreg b) { return VR(sub)(a, b); }
static inline vreg vr_mul(vreg a, vreg b) { return VR(mul)(a, b); }
static inline vreg vr_div(vreg a, vreg b) { return VR(div)(a, b); }
static inline vreg vr_sqrt(vreg a) { return VR(sqrt)(a); }
static inline vreg vr_min(vreg a, vreg b) { return VR(min)(a, b); }
static inline vreg vr_max(vreg a, vreg b) { return VR(max)(a, b); }
static inline vreg vr_abs(vreg a) { return VR(abs)(a); }
static inline vregm vr_lt(vreg a, vreg b) { return VR(lt)(a, b); }
static inline vregm vr_le(vreg a, vreg b) { return VR(le)(a, b); }
static inline vreg vr_select(vregm m, vreg yes, vreg no) { return VR(select)(m, yes, no); }
static inline vregm vrm_and(vregm a, vregm b) { return VRM(and)(a, b); }
static inline vregm vrm_or(vregm a, vregm b) { return VRM(or)(a, b); }
static inline vregm vrm_xor(vregm a, vregm b) { return VRM(xor)(a, b); }
#undef VR
#undef VRM
static inline vreg vr_cross(vreg a, vreg b, vreg c, vreg d) { return vr_sub(vr_mul(a, b), vr_mul(c, d)); }
static inline vreg vr_dot(vreg a, vreg b, vreg c, vreg d, vreg e, vreg f)
{
  return vr_add(vr_add(vr_mul(a, b), vr_mul(c, d)), vr_mul(e, f));
}

#endif
