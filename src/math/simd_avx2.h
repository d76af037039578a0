/* The lanes of simd.h in AVX2 registers; included by simd.h only. */
#ifndef MATH_SIMD_AVX2_H
#define MATH_SIMD_AVX2_H

#include "math/simd_v4.h"

#include <immintrin.h>

typedef __m256 v8;
typedef __m256 v8m; /* each lane all ones or all zeros */
typedef __m256d v4d;

static inline v4d v4d_load3(const double *p) { return _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0)); }
static inline v4d v4d_set(double x) { return _mm256_set1_pd(x); }
static inline void v4d_store(double *p, v4d a) { _mm256_storeu_pd(p, a); }
static inline v4d v4d_product_rest(v4d a, v4d b, v4d p) { return _mm256_fmsub_pd(a, b, p); }
static inline v4d v4d_add(v4d a, v4d b) { return _mm256_add_pd(a, b); }
static inline v4d v4d_mul(v4d a, v4d b) { return _mm256_mul_pd(a, b); }
static inline v4d v4d_widen(v4 a) { return _mm256_cvtps_pd(a); }
static inline v4d v4d_x(v4d a) { return _mm256_permute4x64_pd(a, 0x00); } /* one lane in all */
static inline v4d v4d_y(v4d a) { return _mm256_permute4x64_pd(a, 0x55); }
static inline v4d v4d_z(v4d a) { return _mm256_permute4x64_pd(a, 0xaa); }
static inline v4d v4d_min(v4d a, v4d b) { return _mm256_min_pd(a, b); }
static inline v4d v4d_max(v4d a, v4d b) { return _mm256_max_pd(a, b); }
static inline v4d v4d_sub(v4d a, v4d b) { return _mm256_sub_pd(a, b); }
static inline v4 v4d_round(v4d a) { return _mm256_cvtpd_ps(a); } /* to nearest */

/* The greatest floats at most a, and the least at least a. */
static inline v4 v4d_round_down(v4d a)
{
  __m128 f = _mm256_cvtpd_ps(a);
  __m256d over = _mm256_cmp_pd(_mm256_cvtps_pd(f), a, _CMP_GT_OQ);
  return v4_step_down(f, _mm_shuffle_ps(_mm_castpd_ps(_mm256_castpd256_pd128(over)),
                                        _mm_castpd_ps(_mm256_extractf128_pd(over, 1)), 0x88));
}
static inline v4 v4d_round_up(v4d a)
{
  return _mm_xor_ps(_mm_set1_ps(-0.0f), v4d_round_down(_mm256_xor_pd(_mm256_set1_pd(-0.0), a)));
}

static inline v8 v8_load(const float *p) { return _mm256_loadu_ps(p); }
static inline v8 v8_load_4(const float *p) { return _mm256_broadcast_ps((const __m128 *)(const void *)p); }
static inline v8 v8_load_2(const float *p)
{
  return _mm256_castpd_ps(_mm256_broadcast_sd((const double *)(const void *)p));
}
static inline void v8_store(float *p, v8 a) { _mm256_storeu_ps(p, a); }
static inline v8 v8_set(float x) { return _mm256_set1_ps(x); }
static inline v8 v8_min(v8 a, v8 b) { return _mm256_min_ps(a, b); }
static inline v8 v8_max(v8 a, v8 b) { return _mm256_max_ps(a, b); }
static inline v8 v8_add(v8 a, v8 b) { return _mm256_add_ps(a, b); }
static inline v8 v8_sub(v8 a, v8 b) { return _mm256_sub_ps(a, b); }
static inline v8 v8_mul(v8 a, v8 b) { return _mm256_mul_ps(a, b); }
static inline v8 v8_div(v8 a, v8 b) { return _mm256_div_ps(a, b); }
static inline v8 v8_sqrt(v8 a) { return _mm256_sqrt_ps(a); }
static inline v8 v8_abs(v8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline v8m v8_le(v8 a, v8 b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static inline v8m v8_lt(v8 a, v8 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline v8m v8m_and(v8m a, v8m b) { return _mm256_and_ps(a, b); }
static inline v8m v8m_or(v8m a, v8m b) { return _mm256_or_ps(a, b); }
static inline v8m v8m_xor(v8m a, v8m b) { return _mm256_xor_ps(a, b); }
static inline unsigned v8m_bits(v8m a) { return (unsigned)_mm256_movemask_ps(a); }
/* Bits 0 .. 3: all lanes of this mask are set. */
static inline unsigned v8m_full4(v8m a, v8m b, v8m c, v8m d)
{
  __m256i ab = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
  __m256i cd = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
  __m256i bytes = _mm256_packs_epi16(ab, cd); /* four bytes of each in either half */
  unsigned halves = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(bytes, _mm256_set1_epi32(-1))));
  return halves & halves >> 4;
}
/* Bit i: p[i] - begin < span, of 8 numbers. */
static inline unsigned u32_in_range8(const uint32_t *p, uint32_t begin, uint32_t span)
{
  __m256i top = _mm256_set1_epi32(INT32_MIN), x = _mm256_loadu_si256((const __m256i *)(const void *)p);
  x = _mm256_xor_si256(_mm256_sub_epi32(x, _mm256_set1_epi32((int32_t)begin)), top);
  __m256i below = _mm256_cmpgt_epi32(_mm256_xor_si256(_mm256_set1_epi32((int32_t)span), top), x);
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(below));
}
/* Bit i: one of p[0][i], p[1][i], p[2][i] is one of three numbers. */
static inline unsigned u32_any_of3(const uint32_t p[3][8], const uint32_t q[3])
{
  __m256i any = _mm256_setzero_si256();
  for (int c = 0; c < 3; ++c) {
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p[c]);
    for (int k = 0; k < 3; ++k) any = _mm256_or_si256(any, _mm256_cmpeq_epi32(x, _mm256_set1_epi32((int32_t)q[k])));
  }
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(any));
}
static inline v8 v8_select(v8m m, v8 yes, v8 no) { return _mm256_blendv_ps(no, yes, m); }

static inline v4 v4_load3(const float *p) { return _mm_maskload_ps(p, _mm_setr_epi32(-1, -1, -1, 0)); }

/* Eight points to lanes of x, y, z. */
static inline void v8_transpose(const v4 p[8], v8 *x, v8 *y, v8 *z)
{
  __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(p[0]), p[4], 1);
  __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(p[1]), p[5], 1);
  __m256 c = _mm256_insertf128_ps(_mm256_castps128_ps256(p[2]), p[6], 1);
  __m256 d = _mm256_insertf128_ps(_mm256_castps128_ps256(p[3]), p[7], 1);
  __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
  *x = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0));
  *y = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
  *z = _mm256_shuffle_ps(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d), _MM_SHUFFLE(1, 0, 1, 0));
}

/* Four floats of each of eight rows, as lanes of each of the four; and back. */
static inline void v8_from_rows(const float *const row[8], v8 out[4])
{
  v8 r[4];
  for (int i = 0; i < 4; ++i)
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row[i])), _mm_loadu_ps(row[i + 4]), 1);
  v8 ab = _mm256_unpacklo_ps(r[0], r[1]), cd = _mm256_unpacklo_ps(r[2], r[3]);
  v8 AB = _mm256_unpackhi_ps(r[0], r[1]), CD = _mm256_unpackhi_ps(r[2], r[3]);
  out[0] = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0));
  out[1] = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
  out[2] = _mm256_shuffle_ps(AB, CD, _MM_SHUFFLE(1, 0, 1, 0));
  out[3] = _mm256_shuffle_ps(AB, CD, _MM_SHUFFLE(3, 2, 3, 2));
}
static inline void v8_to_rows(const v8 in[4], float *row, size_t step)
{
  v8 xy = _mm256_unpacklo_ps(in[0], in[1]), zw = _mm256_unpacklo_ps(in[2], in[3]);
  v8 XY = _mm256_unpackhi_ps(in[0], in[1]), ZW = _mm256_unpackhi_ps(in[2], in[3]);
  const v8 r[4] = {
      _mm256_shuffle_ps(xy, zw, _MM_SHUFFLE(1, 0, 1, 0)), _mm256_shuffle_ps(xy, zw, _MM_SHUFFLE(3, 2, 3, 2)),
      _mm256_shuffle_ps(XY, ZW, _MM_SHUFFLE(1, 0, 1, 0)), _mm256_shuffle_ps(XY, ZW, _MM_SHUFFLE(3, 2, 3, 2))};
  for (size_t i = 0; i < 4; ++i) {
    _mm_storeu_ps(row + step * i, _mm256_castps256_ps128(r[i]));
    _mm_storeu_ps(row + step * (i + 4), _mm256_extractf128_ps(r[i], 1));
  }
}

static inline v8 v8_pick8_avx2(const float *table, const uint8_t index[8])
{
  __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)index));
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), at);
}
static inline v8 v8_pick16_avx2(const float *table, const uint8_t index[8])
{
  __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)index));
  __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), at);
  __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), at);
  /* bit 3 is the sign */
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)));
}

static inline v4 v8_low(v8 a) { return _mm256_castps256_ps128(a); } /* lanes 0 to 3, and 4 to 7 */
static inline v4 v8_high(v8 a) { return _mm256_extractf128_ps(a, 1); }

/* The least lane of x, of y and of z; the greatest. */
static inline v4 v8_half_min(v8 a) { return v4_min(v8_low(a), v8_high(a)); }
static inline v4 v8_half_max(v8 a) { return v4_max(v8_low(a), v8_high(a)); }
static inline v4 v8_least3(v8 x, v8 y, v8 z) { return v4_least3(v8_half_min(x), v8_half_min(y), v8_half_min(z)); }
static inline v4 v8_greatest3(v8 x, v8 y, v8 z) { return v4_greatest3(v8_half_max(x), v8_half_max(y), v8_half_max(z)); }

#endif
