/* 128 bits: 4 floats (v4) and 2 doubles (v2d), in three sets of intrinsics that give the same
 * bits: SSE2, NEON and WASM. The functions built from them follow below, once; AVX2 uses them
 * too. Included by the headers of simd.h only. A mask is a v4 or v2d with lanes of all ones or
 * all zeros. Lanes are named 0 to 3 from the first in memory. */
#ifndef MATH_SIMD_V4_H
#define MATH_SIMD_V4_H

/* One line per operation: V4 on two v4, V2D on two v2d. */
#define V4(name, expression)                                                                                           \
  static inline v4 v4_##name(v4 a, v4 b) { return expression; }
#define V2D(name, expression)                                                                                          \
  static inline v2d v2d_##name(v2d a, v2d b) { return expression; }

/* -------------------------------------------------------------------------------------- SSE2 -- */
#if defined(__x86_64__)
#include <emmintrin.h>

typedef __m128 v4;
typedef __m128d v2d;

static inline v4 v4_load(const float *p) { return _mm_loadu_ps(p); }
static inline v4 v4_load_2(const float *p) /* the other lanes are 0, here and below */
{
  double both;
  memcpy(&both, p, sizeof both);
  return _mm_castpd_ps(_mm_set_sd(both));
}
static inline v4 v4_load_1(const float *p) { return _mm_load_ss(p); }
static inline void v4_store(float *p, v4 a) { _mm_storeu_ps(p, a); }
static inline v4 v4_set(float x, float y, float z) { return _mm_setr_ps(x, y, z, 0); }
static inline v4 v4_all(float x) { return _mm_set1_ps(x); }
static inline v4 v4_all_bits(uint32_t x) { return _mm_castsi128_ps(_mm_set1_epi32((int)x)); }
static inline v4 v4_sqrt(v4 a) { return _mm_sqrt_ps(a); }
static inline unsigned v4_mask_bits(v4 a) { return (unsigned)_mm_movemask_ps(a); }
static inline v4 v4_select(v4 m, v4 yes, v4 no) { return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)); }
V4(min, _mm_min_ps(a, b))
V4(max, _mm_max_ps(a, b))
V4(add, _mm_add_ps(a, b))
V4(sub, _mm_sub_ps(a, b))
V4(mul, _mm_mul_ps(a, b))
V4(div, _mm_div_ps(a, b))
V4(le, _mm_cmple_ps(a, b))
V4(lt, _mm_cmplt_ps(a, b))
V4(eq, _mm_cmpeq_ps(a, b))
V4(and, _mm_and_ps(a, b))
V4(or, _mm_or_ps(a, b))
V4(xor, _mm_xor_ps(a, b))
V4(but, _mm_andnot_ps(b, a))                                                            /* a and not b */
V4(add_bits, _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(a), _mm_castps_si128(b)))) /* as integers */
V4(sub_bits, _mm_castsi128_ps(_mm_sub_epi32(_mm_castps_si128(a), _mm_castps_si128(b))))
V4(zip_low, _mm_unpacklo_ps(a, b))                                                 /* a0 b0 a1 b1 */
V4(zip_high, _mm_unpackhi_ps(a, b))                                                /* a2 b2 a3 b3 */
V4(lows, _mm_movelh_ps(a, b))                                                      /* a0 a1 b0 b1 */
V4(highs, _mm_movehl_ps(b, a))                                                     /* a2 a3 b2 b3 */
#define V4_SHUFFLE(a, b, i, j, k, l) _mm_shuffle_ps(a, b, _MM_SHUFFLE(l, k, j, i)) /* a[i] a[j] b[k] b[l] */

static inline v2d v2d_load(const double *p) { return _mm_loadu_pd(p); }
static inline v2d v2d_load_1(const double *p) { return _mm_load_sd(p); } /* the other lane is 0 */
static inline void v2d_store(double *p, v2d a) { _mm_storeu_pd(p, a); }
static inline v2d v2d_all(double x) { return _mm_set1_pd(x); }
static inline v2d v2d_first(v2d a) { return _mm_unpacklo_pd(a, a); } /* one lane in both */
static inline v2d v2d_second(v2d a) { return _mm_unpackhi_pd(a, a); }
static inline v2d v2d_minus(v2d a) { return _mm_xor_pd(_mm_set1_pd(-0.0), a); }
static inline v4 v2d_as_v4(v2d a) { return _mm_castpd_ps(a); } /* the bits */
V2D(min, _mm_min_pd(a, b))
V2D(max, _mm_max_pd(a, b))
V2D(add, _mm_add_pd(a, b))
V2D(sub, _mm_sub_pd(a, b))
V2D(mul, _mm_mul_pd(a, b))
V2D(gt, _mm_cmpgt_pd(a, b))
static inline v2d v2d_widen_low(v4 a) { return _mm_cvtps_pd(a); }
static inline v2d v2d_widen_high(v4 a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
static inline v4 v2d_round(v2d a, v2d b) { return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b)); } /* to nearest */

/* -------------------------------------------------------------------------------------- NEON -- */
#elif defined(__aarch64__)
#include <arm_neon.h>

typedef float32x4_t v4;
typedef float64x2_t v2d;

/* As integers, and as floats. */
static inline uint32x4_t v4_u(v4 a) { return vreinterpretq_u32_f32(a); }
static inline v4 v4_f(uint32x4_t a) { return vreinterpretq_f32_u32(a); }
static inline float64x2_t v4_d(v4 a) { return vreinterpretq_f64_f32(a); }

static inline v4 v4_load(const float *p) { return vld1q_f32(p); }
static inline v4 v4_load_2(const float *p) { return vcombine_f32(vld1_f32(p), vdup_n_f32(0)); }
static inline v4 v4_load_1(const float *p) { return vsetq_lane_f32(*p, vdupq_n_f32(0), 0); }
static inline void v4_store(float *p, v4 a) { vst1q_f32(p, a); }
static inline v4 v4_set(float x, float y, float z) { return (v4){x, y, z, 0}; }
static inline v4 v4_all(float x) { return vdupq_n_f32(x); }
static inline v4 v4_all_bits(uint32_t x) { return v4_f(vdupq_n_u32(x)); }
static inline v4 v4_sqrt(v4 a) { return vsqrtq_f32(a); }
static inline unsigned v4_mask_bits(v4 a) { return vaddvq_u32(vandq_u32(v4_u(a), (uint32x4_t){1, 2, 4, 8})); }
static inline v4 v4_select(v4 m, v4 yes, v4 no) { return vbslq_f32(v4_u(m), yes, no); }
V4(min, vbslq_f32(vcltq_f32(a, b), a, b)) /* not vminq_f32(): zeros and NaN */
V4(max, vbslq_f32(vcgtq_f32(a, b), a, b))
V4(add, vaddq_f32(a, b))
V4(sub, vsubq_f32(a, b))
V4(mul, vmulq_f32(a, b))
V4(div, vdivq_f32(a, b))
V4(le, v4_f(vcleq_f32(a, b)))
V4(lt, v4_f(vcltq_f32(a, b)))
V4(eq, v4_f(vceqq_f32(a, b)))
V4(and, v4_f(vandq_u32(v4_u(a), v4_u(b))))
V4(or, v4_f(vorrq_u32(v4_u(a), v4_u(b))))
V4(xor, v4_f(veorq_u32(v4_u(a), v4_u(b))))
V4(but, v4_f(vbicq_u32(v4_u(a), v4_u(b))))
V4(add_bits, v4_f(vaddq_u32(v4_u(a), v4_u(b))))
V4(sub_bits, v4_f(vsubq_u32(v4_u(a), v4_u(b))))
V4(zip_low, vzip1q_f32(a, b))
V4(zip_high, vzip2q_f32(a, b))
V4(lows, vreinterpretq_f32_f64(vzip1q_f64(v4_d(a), v4_d(b))))
V4(highs, vreinterpretq_f32_f64(vzip2q_f64(v4_d(a), v4_d(b))))
#if defined(__clang__)
#define V4_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, (k) + 4, (l) + 4)
#else
#define V4_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (uint32x4_t){i, j, (k) + 4, (l) + 4})
#endif

static inline v2d v2d_load(const double *p) { return vld1q_f64(p); }
static inline v2d v2d_load_1(const double *p) { return vcombine_f64(vld1_f64(p), vdup_n_f64(0)); }
static inline void v2d_store(double *p, v2d a) { vst1q_f64(p, a); }
static inline v2d v2d_all(double x) { return vdupq_n_f64(x); }
static inline v2d v2d_first(v2d a) { return vdupq_laneq_f64(a, 0); }
static inline v2d v2d_second(v2d a) { return vdupq_laneq_f64(a, 1); }
static inline v2d v2d_minus(v2d a) { return vnegq_f64(a); }
static inline v4 v2d_as_v4(v2d a) { return vreinterpretq_f32_f64(a); }
V2D(min, vbslq_f64(vcltq_f64(a, b), a, b))
V2D(max, vbslq_f64(vcgtq_f64(a, b), a, b))
V2D(add, vaddq_f64(a, b))
V2D(sub, vsubq_f64(a, b))
V2D(mul, vmulq_f64(a, b))
V2D(gt, vreinterpretq_f64_u64(vcgtq_f64(a, b)))
static inline v2d v2d_widen_low(v4 a) { return vcvt_f64_f32(vget_low_f32(a)); }
static inline v2d v2d_widen_high(v4 a) { return vcvt_high_f64_f32(a); }
static inline v4 v2d_round(v2d a, v2d b) { return vcvt_high_f32_f64(vcvt_f32_f64(a), b); }

/* -------------------------------------------------------------------------------------- WASM -- */
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>

typedef v128_t v4;
typedef v128_t v2d;

static inline v4 v4_load(const float *p) { return wasm_v128_load(p); }
static inline v4 v4_load_2(const float *p) { return wasm_v128_load64_zero(p); }
static inline v4 v4_load_1(const float *p) { return wasm_v128_load32_zero(p); }
static inline void v4_store(float *p, v4 a) { wasm_v128_store(p, a); }
static inline v4 v4_set(float x, float y, float z) { return wasm_f32x4_make(x, y, z, 0); }
static inline v4 v4_all(float x) { return wasm_f32x4_splat(x); }
static inline v4 v4_all_bits(uint32_t x) { return wasm_i32x4_splat((int32_t)x); }
static inline v4 v4_sqrt(v4 a) { return wasm_f32x4_sqrt(a); }
static inline unsigned v4_mask_bits(v4 a) { return (unsigned)wasm_i32x4_bitmask(a); }
static inline v4 v4_select(v4 m, v4 yes, v4 no) { return wasm_v128_bitselect(yes, no, m); }
V4(min, wasm_f32x4_pmin(b, a)) /* a < b ? a : b */
V4(max, wasm_f32x4_pmax(b, a))
V4(add, wasm_f32x4_add(a, b))
V4(sub, wasm_f32x4_sub(a, b))
V4(mul, wasm_f32x4_mul(a, b))
V4(div, wasm_f32x4_div(a, b))
V4(le, wasm_f32x4_le(a, b))
V4(lt, wasm_f32x4_lt(a, b))
V4(eq, wasm_f32x4_eq(a, b))
V4(and, wasm_v128_and(a, b))
V4(or, wasm_v128_or(a, b))
V4(xor, wasm_v128_xor(a, b))
V4(but, wasm_v128_andnot(a, b))
V4(add_bits, wasm_i32x4_add(a, b))
V4(sub_bits, wasm_i32x4_sub(a, b))
V4(zip_low, wasm_i32x4_shuffle(a, b, 0, 4, 1, 5))
V4(zip_high, wasm_i32x4_shuffle(a, b, 2, 6, 3, 7))
V4(lows, wasm_i64x2_shuffle(a, b, 0, 2))
V4(highs, wasm_i64x2_shuffle(a, b, 1, 3))
#define V4_SHUFFLE(a, b, i, j, k, l) wasm_i32x4_shuffle(a, b, i, j, (k) + 4, (l) + 4)

static inline v2d v2d_load(const double *p) { return wasm_v128_load(p); }
static inline v2d v2d_load_1(const double *p) { return wasm_v128_load64_zero(p); }
static inline void v2d_store(double *p, v2d a) { wasm_v128_store(p, a); }
static inline v2d v2d_all(double x) { return wasm_f64x2_splat(x); }
static inline v2d v2d_first(v2d a) { return wasm_i64x2_shuffle(a, a, 0, 0); }
static inline v2d v2d_second(v2d a) { return wasm_i64x2_shuffle(a, a, 1, 1); }
static inline v2d v2d_minus(v2d a) { return wasm_f64x2_neg(a); }
static inline v4 v2d_as_v4(v2d a) { return a; }
V2D(min, wasm_f64x2_pmin(b, a))
V2D(max, wasm_f64x2_pmax(b, a))
V2D(add, wasm_f64x2_add(a, b))
V2D(sub, wasm_f64x2_sub(a, b))
V2D(mul, wasm_f64x2_mul(a, b))
V2D(gt, wasm_f64x2_gt(a, b))
static inline v2d v2d_widen_low(v4 a) { return wasm_f64x2_promote_low_f32x4(a); }
static inline v2d v2d_widen_high(v4 a) { return wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(a, a, 1, 1)); }
static inline v4 v2d_round(v2d a, v2d b)
{
  return v4_lows(wasm_f32x4_demote_f64x2_zero(a), wasm_f32x4_demote_f64x2_zero(b));
}
#endif
#undef V4
#undef V2D

/* ------------------------------------------------------------------------- made of the above -- */

static inline v4 v4_abs(v4 a) { return v4_but(a, v4_all(-0.0f)); }

/* The least of x, of y and of z; the greatest. */
static inline v4 v4_least3(v4 x, v4 y, v4 z)
{
  v4 xy = v4_min(v4_zip_low(x, y), v4_zip_high(x, y)), zz = v4_min(z, v4_highs(z, z));
  return v4_min(v4_lows(xy, zz), V4_SHUFFLE(xy, zz, 2, 3, 1, 1));
}
static inline v4 v4_greatest3(v4 x, v4 y, v4 z)
{
  v4 xy = v4_max(v4_zip_low(x, y), v4_zip_high(x, y)), zz = v4_max(z, v4_highs(z, z));
  return v4_max(v4_lows(xy, zz), V4_SHUFFLE(xy, zz, 2, 3, 1, 1));
}

/* The least of each axis of four packed points in three registers: x y z x, y z x y, z x y z; the
 * greatest. */
#define V4_PACKED(name, op)                                                                                            \
  static inline v4 name(v4 p, v4 q, v4 r)                                                                              \
  {                                                                                                                    \
    v4 last = V4_SHUFFLE(v4_zip_high(p, q), r, 2, 3, 3, 3);                                                            \
    return op(op(p, last), op(V4_SHUFFLE(q, q, 2, 0, 1, 3), V4_SHUFFLE(r, r, 1, 2, 0, 0)));                            \
  }
V4_PACKED(v4_least_packed, v4_min)
V4_PACKED(v4_greatest_packed, v4_max)
#undef V4_PACKED

/* A block of two boxes, component by component (lower x of both, lower y, ...): the box around
 * them, and back. */
static inline void v4_pair_load(const float *block, v4 *lower, v4 *upper)
{
  v4 a = v4_load(block), b = v4_load(block + 4), c = v4_load(block + 8);
  *lower = v4_min(V4_SHUFFLE(a, b, 0, 2, 0, 0), V4_SHUFFLE(a, b, 1, 3, 1, 1));
  v4 u = v4_max(V4_SHUFFLE(b, c, 2, 2, 0, 2), V4_SHUFFLE(b, c, 3, 3, 1, 3));
  *upper = V4_SHUFFLE(u, u, 0, 2, 3, 3);
}
static inline void v4_pair_store(float *block, const v4 lower[2], const v4 upper[2])
{
  v4 u = v4_zip_low(upper[0], upper[1]);
  v4_store(block, v4_zip_low(lower[0], lower[1]));
  v4_store(block + 4, v4_lows(v4_zip_high(lower[0], lower[1]), u));
  v4_store(block + 8, V4_SHUFFLE(u, v4_zip_high(upper[0], upper[1]), 2, 3, 0, 1));
}

/* The next float below, in the lanes of the mask. */
static inline v4 v4_step_down(v4 f, v4 mask)
{
  v4 negative = v4_lt(f, v4_all(0)), zero = v4_eq(f, v4_all(0));
  v4 below = v4_sub_bits(v4_add_bits(f, v4_all_bits(0xffffffffu)), v4_add_bits(negative, negative));
  below = v4_or(v4_but(below, zero), v4_and(zero, v4_all_bits(0x80000001u)));
  return v4_select(mask, below, f);
}

static inline void v4_transpose(v4 a, v4 b, v4 c, v4 d, v4 *x, v4 *y, v4 *z)
{
  v4 ab = v4_zip_low(a, b), cd = v4_zip_low(c, d);
  *x = v4_lows(ab, cd);
  *y = v4_highs(ab, cd);
  *z = v4_lows(v4_zip_high(a, b), v4_zip_high(c, d));
}

/* Rows of four lanes as columns. */
static inline void v4_transpose4(v4 a, v4 b, v4 c, v4 d, v4 out[4])
{
  v4_transpose(a, b, c, d, &out[0], &out[1], &out[2]);
  out[3] = v4_highs(v4_zip_high(a, b), v4_zip_high(c, d));
}
static inline void v4_from_rows(const float *const row[4], v4 out[4])
{
  v4_transpose4(v4_load(row[0]), v4_load(row[1]), v4_load(row[2]), v4_load(row[3]), out);
}

#endif
