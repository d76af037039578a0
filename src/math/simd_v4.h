/* Points in 128 bits: what AVX2 and SSE2 have in common; included by their headers only. */
#ifndef MATH_SIMD_V4_H
#define MATH_SIMD_V4_H

#include <emmintrin.h>

typedef __m128 v4;

static inline v4 v4_load(const float *p) { return _mm_loadu_ps(p); }
static inline v4 v4_set(float x, float y, float z) { return _mm_setr_ps(x, y, z, 0); }
static inline void v4_store(float *p, v4 a) { _mm_storeu_ps(p, a); }
static inline v4 v4_min(v4 a, v4 b) { return _mm_min_ps(a, b); }
static inline v4 v4_max(v4 a, v4 b) { return _mm_max_ps(a, b); }
static inline v4 v4_sub(v4 a, v4 b) { return _mm_sub_ps(a, b); }
static inline v4 v4_add(v4 a, v4 b) { return _mm_add_ps(a, b); }
static inline v4 v4_mul(v4 a, v4 b) { return _mm_mul_ps(a, b); }
static inline v4 v4_abs(v4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }

/* The least of x, of y and of z; the greatest. */
static inline v4 v4_least3(v4 x, v4 y, v4 z)
{
  v4 xy = _mm_min_ps(_mm_unpacklo_ps(x, y), _mm_unpackhi_ps(x, y)), zz = _mm_min_ps(z, _mm_movehl_ps(z, z));
  return _mm_min_ps(_mm_movelh_ps(xy, zz), _mm_shuffle_ps(xy, zz, _MM_SHUFFLE(1, 1, 3, 2)));
}
static inline v4 v4_greatest3(v4 x, v4 y, v4 z)
{
  v4 xy = _mm_max_ps(_mm_unpacklo_ps(x, y), _mm_unpackhi_ps(x, y)), zz = _mm_max_ps(z, _mm_movehl_ps(z, z));
  return _mm_max_ps(_mm_movelh_ps(xy, zz), _mm_shuffle_ps(xy, zz, _MM_SHUFFLE(1, 1, 3, 2)));
}

/* A block of two boxes, component by component (lower x of both, lower y, ...): the box around them, and back. */
static inline void v4_pair_load(const float *block, v4 *lower, v4 *upper)
{
  v4 a = _mm_loadu_ps(block), b = _mm_loadu_ps(block + 4), c = _mm_loadu_ps(block + 8);
  *lower = _mm_min_ps(_mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 2, 0)), _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 1, 3, 1)));
  v4 u = _mm_max_ps(_mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 0, 2, 2)), _mm_shuffle_ps(b, c, _MM_SHUFFLE(3, 1, 3, 3)));
  *upper = _mm_shuffle_ps(u, u, _MM_SHUFFLE(3, 3, 2, 0));
}
static inline void v4_pair_store(float *block, const v4 lower[2], const v4 upper[2])
{
  v4 u = _mm_unpacklo_ps(upper[0], upper[1]);
  _mm_storeu_ps(block, _mm_unpacklo_ps(lower[0], lower[1]));
  _mm_storeu_ps(block + 4, _mm_movelh_ps(_mm_unpackhi_ps(lower[0], lower[1]), u));
  _mm_storeu_ps(block + 8, _mm_shuffle_ps(u, _mm_unpackhi_ps(upper[0], upper[1]), _MM_SHUFFLE(1, 0, 3, 2)));
}

/* The next float below, in the lanes of the mask. */
static inline __m128 v4_step_down(__m128 f, __m128 mask)
{
  __m128i bits = _mm_castps_si128(f), negative = _mm_castps_si128(_mm_cmplt_ps(f, _mm_setzero_ps()));
  __m128i zero = _mm_castps_si128(_mm_cmpeq_ps(f, _mm_setzero_ps())), over = _mm_castps_si128(mask);
  __m128i below = _mm_sub_epi32(_mm_add_epi32(bits, _mm_set1_epi32(-1)), _mm_add_epi32(negative, negative));
  below = _mm_or_si128(_mm_andnot_si128(zero, below), _mm_and_si128(zero, _mm_set1_epi32((int)0x80000001u)));
  return _mm_castsi128_ps(_mm_or_si128(_mm_and_si128(over, below), _mm_andnot_si128(over, bits)));
}

#endif
