/* Four doubles at once, under the names that exact/tri_tri_*.inl use (exact/number.h has one at
 * a time): the same bits in every lane on every instruction set. For kernels, after math/simd.h. */
#ifndef MATH_NUMBER_LANES_H
#define MATH_NUMBER_LANES_H

#include "math/simd.h"

#include <stdbool.h>

typedef v4d num;

static inline num num_set(double x) { return v4d_set(x); }
static inline num num_add(num a, num b) { return v4d_add(a, b); }
static inline num num_sub(num a, num b) { return v4d_sub(a, b); }
static inline num num_mul(num a, num b) { return v4d_mul(a, b); }
static inline void num_store(double *p, num a) { v4d_store(p, a); }

#if defined(SIMD_AVX2)

typedef __m256d num_mask;
static inline num num_load(const double *p) { return _mm256_loadu_pd(p); }
static inline num num_of(double x, double y, double z, double w) { return _mm256_setr_pd(x, y, z, w); }
static inline num num_div(num a, num b) { return _mm256_div_pd(a, b); }
static inline num num_sqrt(num a) { return _mm256_sqrt_pd(a); }
static inline num num_abs(num a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline num_mask num_lt(num a, num b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline num_mask num_le(num a, num b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline num_mask num_and(num_mask a, num_mask b) { return _mm256_and_pd(a, b); }
static inline num_mask num_or(num_mask a, num_mask b) { return _mm256_or_pd(a, b); }
static inline num num_select(num_mask m, num yes, num no) { return _mm256_blendv_pd(no, yes, m); }
static inline num num_unless(num_mask m, num a) { return _mm256_andnot_pd(m, a); }
static inline unsigned num_bits(num_mask m) { return (unsigned)_mm256_movemask_pd(m); }

#elif defined(MATH_SIMD_128_H)

typedef v4d num_mask;
#if defined(__x86_64__)
static inline v2d v2d_div(v2d a, v2d b) { return _mm_div_pd(a, b); }
static inline v2d v2d_sqrt(v2d a) { return _mm_sqrt_pd(a); }
static inline v2d v2d_abs(v2d a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
static inline v2d v2d_lt(v2d a, v2d b) { return _mm_cmplt_pd(a, b); }
static inline v2d v2d_le(v2d a, v2d b) { return _mm_cmple_pd(a, b); }
static inline v2d v2d_both(v2d a, v2d b) { return _mm_and_pd(a, b); }
static inline v2d v2d_either(v2d a, v2d b) { return _mm_or_pd(a, b); }
static inline v2d v2d_choose(v2d m, v2d yes, v2d no) { return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)); }
static inline unsigned v2d_bits(v2d m) { return (unsigned)_mm_movemask_pd(m); }
#elif defined(__aarch64__)
static inline v2d v2d_of(uint64x2_t a) { return vreinterpretq_f64_u64(a); }
static inline uint64x2_t v2d_u(v2d a) { return vreinterpretq_u64_f64(a); }
static inline v2d v2d_div(v2d a, v2d b) { return vdivq_f64(a, b); }
static inline v2d v2d_sqrt(v2d a) { return vsqrtq_f64(a); }
static inline v2d v2d_abs(v2d a) { return vabsq_f64(a); }
static inline v2d v2d_lt(v2d a, v2d b) { return v2d_of(vcltq_f64(a, b)); }
static inline v2d v2d_le(v2d a, v2d b) { return v2d_of(vcleq_f64(a, b)); }
static inline v2d v2d_both(v2d a, v2d b) { return v2d_of(vandq_u64(v2d_u(a), v2d_u(b))); }
static inline v2d v2d_either(v2d a, v2d b) { return v2d_of(vorrq_u64(v2d_u(a), v2d_u(b))); }
static inline v2d v2d_choose(v2d m, v2d yes, v2d no) { return vbslq_f64(v2d_u(m), yes, no); }
static inline unsigned v2d_bits(v2d m)
{
  return (unsigned)(vgetq_lane_u64(v2d_u(m), 0) & 1) | (unsigned)(vgetq_lane_u64(v2d_u(m), 1) & 2);
}
#else
static inline v2d v2d_div(v2d a, v2d b) { return wasm_f64x2_div(a, b); }
static inline v2d v2d_sqrt(v2d a) { return wasm_f64x2_sqrt(a); }
static inline v2d v2d_abs(v2d a) { return wasm_f64x2_abs(a); }
static inline v2d v2d_lt(v2d a, v2d b) { return wasm_f64x2_lt(a, b); }
static inline v2d v2d_le(v2d a, v2d b) { return wasm_f64x2_le(a, b); }
static inline v2d v2d_both(v2d a, v2d b) { return wasm_v128_and(a, b); }
static inline v2d v2d_either(v2d a, v2d b) { return wasm_v128_or(a, b); }
static inline v2d v2d_choose(v2d m, v2d yes, v2d no) { return wasm_v128_bitselect(yes, no, m); }
static inline unsigned v2d_bits(v2d m) { return (unsigned)wasm_i64x2_bitmask(m); }
#endif
static inline num num_load(const double *p) { return (v4d){v2d_load(p), v2d_load(p + 2)}; }
static inline num num_of(double x, double y, double z, double w)
{
  const double lane[4] = {x, y, z, w};
  return num_load(lane);
}
static inline num num_div(num a, num b) { return (v4d){v2d_div(a.a, b.a), v2d_div(a.b, b.b)}; }
static inline num num_sqrt(num a) { return (v4d){v2d_sqrt(a.a), v2d_sqrt(a.b)}; }
static inline num num_abs(num a) { return (v4d){v2d_abs(a.a), v2d_abs(a.b)}; }
static inline num_mask num_lt(num a, num b) { return (v4d){v2d_lt(a.a, b.a), v2d_lt(a.b, b.b)}; }
static inline num_mask num_le(num a, num b) { return (v4d){v2d_le(a.a, b.a), v2d_le(a.b, b.b)}; }
static inline num_mask num_and(num_mask a, num_mask b) { return (v4d){v2d_both(a.a, b.a), v2d_both(a.b, b.b)}; }
static inline num_mask num_or(num_mask a, num_mask b) { return (v4d){v2d_either(a.a, b.a), v2d_either(a.b, b.b)}; }
static inline num num_select(num_mask m, num yes, num no)
{
  return (v4d){v2d_choose(m.a, yes.a, no.a), v2d_choose(m.b, yes.b, no.b)};
}
static inline num num_unless(num_mask m, num a) { return num_select(m, num_set(0), a); }
static inline unsigned num_bits(num_mask m) { return v2d_bits(m.a) | v2d_bits(m.b) << 2; }

#else

typedef struct num_mask {
  bool on[4];
} num_mask;
static inline num num_load(const double *p) { return (v4d){{p[0], p[1], p[2], p[3]}}; }
static inline num num_of(double x, double y, double z, double w) { return (v4d){{x, y, z, w}}; }
static inline num num_div(num a, num b)
{
  for (int i = 0; i < 4; ++i) a.f[i] /= b.f[i];
  return a;
}
static inline num num_sqrt(num a)
{
  for (int i = 0; i < 4; ++i) a.f[i] = sqrt(a.f[i]);
  return a;
}
static inline num num_abs(num a)
{
  for (int i = 0; i < 4; ++i) a.f[i] = fabs(a.f[i]);
  return a;
}
static inline num_mask num_lt(num a, num b)
{
  return (num_mask){{a.f[0] < b.f[0], a.f[1] < b.f[1], a.f[2] < b.f[2], a.f[3] < b.f[3]}};
}
static inline num_mask num_le(num a, num b)
{
  return (num_mask){{a.f[0] <= b.f[0], a.f[1] <= b.f[1], a.f[2] <= b.f[2], a.f[3] <= b.f[3]}};
}
static inline num_mask num_and(num_mask a, num_mask b)
{
  for (int i = 0; i < 4; ++i) a.on[i] = a.on[i] && b.on[i];
  return a;
}
static inline num_mask num_or(num_mask a, num_mask b)
{
  for (int i = 0; i < 4; ++i) a.on[i] = a.on[i] || b.on[i];
  return a;
}
static inline num num_select(num_mask m, num yes, num no)
{
  for (int i = 0; i < 4; ++i) no.f[i] = m.on[i] ? yes.f[i] : no.f[i];
  return no;
}
static inline num num_unless(num_mask m, num a) { return num_select(m, num_set(0), a); }
static inline unsigned num_bits(num_mask m)
{
  unsigned bits = 0;
  for (int i = 0; i < 4; ++i) bits |= (unsigned)m.on[i] << i;
  return bits;
}

#endif

/* Four rows of lanes x, y, z to their first three columns. */
static inline void num_columns(const num row[4], num column[3])
{
#if defined(SIMD_AVX2)
  const num x = _mm256_unpacklo_pd(row[0], row[1]), y = _mm256_unpackhi_pd(row[0], row[1]);
  const num z = _mm256_unpacklo_pd(row[2], row[3]), w = _mm256_unpackhi_pd(row[2], row[3]);
  column[0] = _mm256_permute2f128_pd(x, z, 0x20);
  column[1] = _mm256_permute2f128_pd(y, w, 0x20);
  column[2] = _mm256_permute2f128_pd(x, z, 0x31);
#else
  double at[4][4];
  for (int i = 0; i < 4; ++i) num_store(at[i], row[i]);
  for (int k = 0; k < 3; ++k) column[k] = num_of(at[0][k], at[1][k], at[2][k], at[3][k]);
#endif
}

/* As in exact/number.h. */
#define NUM_LEAST_PRODUCT 0x1p-900
static inline num num_product_rest(num a, num b, num p)
{
  return num_unless(num_lt(num_abs(p), num_set(NUM_LEAST_PRODUCT)), v4d_product_rest(a, b, p));
}

#endif
