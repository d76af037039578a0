/* One 8-lane float type (v8) and one 4-lane (v4) for points: AVX2, two SSE halves, or plain C, chosen by the including file
 * with SIMD_AVX2 or SIMD_SSE2, and v4d, a point in double. All give the same bits: only exact operations and single rounded ones, never fused.
 * min(a, b) is a < b ? a : b, lane by lane. */
#ifndef MATH_SIMD_H
#define MATH_SIMD_H

#include "math/round.h"

#include <stdint.h>
#include <string.h>

/* Small pieces of inner loops. Sanitizers make each of them large, and compilers slow where all are put into one function. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KERNEL_INLINE inline
#else
#define KERNEL_INLINE inline __attribute__((always_inline))
#endif

#if defined(SIMD_AVX2) || defined(SIMD_SSE2)
#include <emmintrin.h>
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

#if defined(SIMD_AVX2)
#include "math/simd_avx2.h"
#elif defined(SIMD_SSE2)
#include "math/simd_sse2.h"
#else
#include "math/simd_scalar.h"
#endif

/* (a * b) + (c * d) + (e * f), rounded after each operation. */
static inline v8 v8_dot(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f)
{
  return v8_add(v8_add(v8_mul(a, b), v8_mul(c, d)), v8_mul(e, f));
}
static inline v8 v8_cross(v8 a, v8 b, v8 c, v8 d) { return v8_sub(v8_mul(a, b), v8_mul(c, d)); } /* a b - c d */

/* `width` floats (2, 4 or 8) and no more, repeated to fill all lanes: another thread may be writing behind them. */
static KERNEL_INLINE v8 v8_load_lanes(const float *p, int width)
{
  return width == 8 ? v8_load(p) : width == 4 ? v8_load_4(p) : v8_load_2(p);
}

#endif
