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

#include <immintrin.h>
typedef __m256 v8;
typedef __m256 v8m; /* each lane all ones or all zeros */
typedef __m128 v4;
typedef __m256d v4d;

static inline v4d v4d_load3(const double *p)
{
  return _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0));
}
static inline v4d v4d_set(double x)
{
  return _mm256_set1_pd(x);
}
static inline v4d v4d_add(v4d a, v4d b)
{
  return _mm256_add_pd(a, b);
}
static inline v4d v4d_mul(v4d a, v4d b)
{
  return _mm256_mul_pd(a, b);
}
static inline v4d v4d_widen(v4 a)
{
  return _mm256_cvtps_pd(a);
}
static inline v4d v4d_x(v4d a)
{
  return _mm256_permute4x64_pd(a, 0x00);
} /* one lane in all */
static inline v4d v4d_y(v4d a)
{
  return _mm256_permute4x64_pd(a, 0x55);
}
static inline v4d v4d_z(v4d a)
{
  return _mm256_permute4x64_pd(a, 0xaa);
}
static inline v4d v4d_min(v4d a, v4d b)
{
  return _mm256_min_pd(a, b);
}
static inline v4d v4d_max(v4d a, v4d b)
{
  return _mm256_max_pd(a, b);
}
static inline v4d v4d_sub(v4d a, v4d b)
{
  return _mm256_sub_pd(a, b);
}
static inline v4 v4d_round(v4d a)
{
  return _mm256_cvtpd_ps(a);
} /* to nearest */

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

static inline v8 v8_load(const float *p)
{
  return _mm256_loadu_ps(p);
}
static inline v8 v8_load_4(const float *p)
{
  return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}
static inline v8 v8_load_2(const float *p)
{
  return _mm256_castpd_ps(_mm256_broadcast_sd((const double *)(const void *)p));
}
static inline void v8_store(float *p, v8 a)
{
  _mm256_storeu_ps(p, a);
}
static inline v8 v8_set(float x)
{
  return _mm256_set1_ps(x);
}
static inline v8 v8_min(v8 a, v8 b)
{
  return _mm256_min_ps(a, b);
}
static inline v8 v8_max(v8 a, v8 b)
{
  return _mm256_max_ps(a, b);
}
static inline v8 v8_add(v8 a, v8 b)
{
  return _mm256_add_ps(a, b);
}
static inline v8 v8_sub(v8 a, v8 b)
{
  return _mm256_sub_ps(a, b);
}
static inline v8 v8_mul(v8 a, v8 b)
{
  return _mm256_mul_ps(a, b);
}
static inline v8 v8_abs(v8 a)
{
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline v8m v8_le(v8 a, v8 b)
{
  return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
static inline v8m v8_lt(v8 a, v8 b)
{
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline v8m v8m_and(v8m a, v8m b)
{
  return _mm256_and_ps(a, b);
}
static inline v8m v8m_or(v8m a, v8m b)
{
  return _mm256_or_ps(a, b);
}
static inline v8m v8m_xor(v8m a, v8m b)
{
  return _mm256_xor_ps(a, b);
}
static inline unsigned v8m_bits(v8m a)
{
  return (unsigned)_mm256_movemask_ps(a);
}
static inline v8 v8_select(v8m m, v8 yes, v8 no)
{
  return _mm256_blendv_ps(no, yes, m);
}

static inline v4 v4_load3(const float *p)
{
  return _mm_maskload_ps(p, _mm_setr_epi32(-1, -1, -1, 0));
}
static inline v4 v4_load(const float *p)
{
  return _mm_loadu_ps(p);
}
static inline v4 v4_set(float x, float y, float z)
{
  return _mm_setr_ps(x, y, z, 0);
}
static inline void v4_store(float *p, v4 a)
{
  _mm_storeu_ps(p, a);
}
static inline v4 v4_min(v4 a, v4 b)
{
  return _mm_min_ps(a, b);
}
static inline v4 v4_max(v4 a, v4 b)
{
  return _mm_max_ps(a, b);
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

#elif defined(SIMD_SSE2)

#include <emmintrin.h>
typedef struct v8 {
  __m128 a, b;
} v8;
typedef v8 v8m;
typedef __m128 v4;
typedef struct v4d {
  __m128d a, b;
} v4d;

static inline v4d v4d_load3(const double *p)
{
  return (v4d){_mm_loadu_pd(p), _mm_load_sd(p + 2)};
}
static inline v4d v4d_set(double x)
{
  return (v4d){_mm_set1_pd(x), _mm_set1_pd(x)};
}
static inline v4d v4d_add(v4d x, v4d y)
{
  return (v4d){_mm_add_pd(x.a, y.a), _mm_add_pd(x.b, y.b)};
}
static inline v4d v4d_mul(v4d x, v4d y)
{
  return (v4d){_mm_mul_pd(x.a, y.a), _mm_mul_pd(x.b, y.b)};
}
static inline v4d v4d_widen(v4 x)
{
  return (v4d){_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))};
}
static inline v4d v4d_x(v4d x)
{
  return (v4d){_mm_unpacklo_pd(x.a, x.a), _mm_unpacklo_pd(x.a, x.a)};
}
static inline v4d v4d_y(v4d x)
{
  return (v4d){_mm_unpackhi_pd(x.a, x.a), _mm_unpackhi_pd(x.a, x.a)};
}
static inline v4d v4d_z(v4d x)
{
  return (v4d){_mm_unpacklo_pd(x.b, x.b), _mm_unpacklo_pd(x.b, x.b)};
}
static inline v4d v4d_min(v4d x, v4d y)
{
  return (v4d){_mm_min_pd(x.a, y.a), _mm_min_pd(x.b, y.b)};
}
static inline v4d v4d_max(v4d x, v4d y)
{
  return (v4d){_mm_max_pd(x.a, y.a), _mm_max_pd(x.b, y.b)};
}
static inline v4d v4d_sub(v4d x, v4d y)
{
  return (v4d){_mm_sub_pd(x.a, y.a), _mm_sub_pd(x.b, y.b)};
}
static inline v4 v4d_round(v4d x)
{
  return _mm_movelh_ps(_mm_cvtpd_ps(x.a), _mm_cvtpd_ps(x.b));
}

static inline v4 v4d_round_down(v4d x)
{
  __m128 f = v4d_round(x);
  __m128d a = _mm_cmpgt_pd(_mm_cvtps_pd(f), x.a), b = _mm_cmpgt_pd(_mm_cvtps_pd(_mm_movehl_ps(f, f)), x.b);
  return v4_step_down(f, _mm_shuffle_ps(_mm_castpd_ps(a), _mm_castpd_ps(b), 0x88));
}
static inline v4 v4d_round_up(v4d x)
{
  __m128d sign = _mm_set1_pd(-0.0);
  v4d minus = {_mm_xor_pd(sign, x.a), _mm_xor_pd(sign, x.b)};
  return _mm_xor_ps(_mm_set1_ps(-0.0f), v4d_round_down(minus));
}

#define SIMD_BOTH(name, op)                                                                                            \
  static inline v8 name(v8 x, v8 y)                                                                                    \
  {                                                                                                                    \
    return (v8){op(x.a, y.a), op(x.b, y.b)};                                                                           \
  }
SIMD_BOTH(v8_min, _mm_min_ps)
SIMD_BOTH(v8_max, _mm_max_ps)
SIMD_BOTH(v8_add, _mm_add_ps)
SIMD_BOTH(v8_sub, _mm_sub_ps)
SIMD_BOTH(v8_mul, _mm_mul_ps)
SIMD_BOTH(v8_le, _mm_cmple_ps)
SIMD_BOTH(v8_lt, _mm_cmplt_ps)
SIMD_BOTH(v8m_and, _mm_and_ps)
SIMD_BOTH(v8m_or, _mm_or_ps)
SIMD_BOTH(v8m_xor, _mm_xor_ps)
#undef SIMD_BOTH
static inline v8 v8_load(const float *p)
{
  return (v8){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)};
}
static inline v8 v8_load_4(const float *p)
{
  __m128 four = _mm_loadu_ps(p);
  return (v8){four, four};
}
static inline v8 v8_load_2(const float *p)
{
  double two;
  memcpy(&two, p, sizeof two);
  __m128 both = _mm_castpd_ps(_mm_set1_pd(two));
  return (v8){both, both};
}
static inline void v8_store(float *p, v8 x)
{
  _mm_storeu_ps(p, x.a);
  _mm_storeu_ps(p + 4, x.b);
}
static inline v8 v8_set(float x)
{
  return (v8){_mm_set1_ps(x), _mm_set1_ps(x)};
}
static inline v8 v8_abs(v8 x)
{
  __m128 sign = _mm_set1_ps(-0.0f);
  return (v8){_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
}
static inline unsigned v8m_bits(v8m x)
{
  return (unsigned)(_mm_movemask_ps(x.a) | _mm_movemask_ps(x.b) << 4);
}
static inline v8 v8_select(v8m m, v8 yes, v8 no)
{
  return (v8){_mm_or_ps(_mm_and_ps(m.a, yes.a), _mm_andnot_ps(m.a, no.a)),
              _mm_or_ps(_mm_and_ps(m.b, yes.b), _mm_andnot_ps(m.b, no.b))};
}

static inline v4 v4_load3(const float *p)
{
  double xy;
  memcpy(&xy, p, sizeof xy);
  return _mm_movelh_ps(_mm_castpd_ps(_mm_set_sd(xy)), _mm_load_ss(p + 2));
}
static inline v4 v4_load(const float *p)
{
  return _mm_loadu_ps(p);
}
static inline v4 v4_set(float x, float y, float z)
{
  return _mm_setr_ps(x, y, z, 0);
}
static inline void v4_store(float *p, v4 a)
{
  _mm_storeu_ps(p, a);
}
static inline v4 v4_min(v4 a, v4 b)
{
  return _mm_min_ps(a, b);
}
static inline v4 v4_max(v4 a, v4 b)
{
  return _mm_max_ps(a, b);
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

static inline void v4_transpose(v4 a, v4 b, v4 c, v4 d, v4 *x, v4 *y, v4 *z)
{
  v4 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
  *x = _mm_movelh_ps(ab, cd);
  *y = _mm_movehl_ps(cd, ab);
  *z = _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
}
static inline void v8_transpose(const v4 p[8], v8 *x, v8 *y, v8 *z)
{
  v4_transpose(p[0], p[1], p[2], p[3], &x->a, &y->a, &z->a);
  v4_transpose(p[4], p[5], p[6], p[7], &x->b, &y->b, &z->b);
}

#else

typedef struct v8 {
  float f[8];
} v8;
typedef struct v8m {
  uint8_t bits;
} v8m;
typedef struct v4 {
  float f[4];
} v4;
typedef struct v4d {
  double f[4];
} v4d;

static inline v4d v4d_load3(const double *p)
{
  return (v4d){{p[0], p[1], p[2], 0}};
}
static inline v4d v4d_set(double x)
{
  return (v4d){{x, x, x, x}};
}
static inline v4d v4d_add(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] += b.f[i];
  return a;
}
static inline v4d v4d_mul(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] *= b.f[i];
  return a;
}
static inline v4d v4d_widen(v4 a)
{
  return (v4d){{(double)a.f[0], (double)a.f[1], (double)a.f[2], (double)a.f[3]}};
}
static inline v4d v4d_x(v4d a)
{
  return v4d_set(a.f[0]);
}
static inline v4d v4d_y(v4d a)
{
  return v4d_set(a.f[1]);
}
static inline v4d v4d_z(v4d a)
{
  return v4d_set(a.f[2]);
}
static inline v4d v4d_min(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] < b.f[i] ? a.f[i] : b.f[i];
  return a;
}
static inline v4d v4d_max(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] > b.f[i] ? a.f[i] : b.f[i];
  return a;
}
static inline v4d v4d_sub(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] -= b.f[i];
  return a;
}
static inline v4 v4d_round(v4d a)
{
  return (v4){{(float)a.f[0], (float)a.f[1], (float)a.f[2], (float)a.f[3]}};
}

static inline v4 v4d_round_down(v4d a)
{
  v4 r;
  for (int i = 0; i < 4; ++i) r.f[i] = round_down(a.f[i]);
  return r;
}
static inline v4 v4d_round_up(v4d a)
{
  v4 r;
  for (int i = 0; i < 4; ++i) r.f[i] = round_up(a.f[i]);
  return r;
}

#define SIMD_EACH(name, expression)                                                                                    \
  static inline v8 name(v8 a, v8 b)                                                                                    \
  {                                                                                                                    \
    v8 r;                                                                                                              \
    for (int i = 0; i < 8; ++i) {                                                                                      \
      float x = a.f[i], y = b.f[i];                                                                                    \
      r.f[i] = (expression);                                                                                           \
    }                                                                                                                  \
    return r;                                                                                                          \
  }
SIMD_EACH(v8_min, x < y ? x : y)
SIMD_EACH(v8_max, x > y ? x : y)
SIMD_EACH(v8_add, x + y)
SIMD_EACH(v8_sub, x - y)
SIMD_EACH(v8_mul, x *y)
#undef SIMD_EACH
static inline v8 v8_load_4(const float *p)
{
  return (v8){{p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]}};
}
static inline v8 v8_load_2(const float *p)
{
  return (v8){{p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]}};
}
static inline v8 v8_load(const float *p)
{
  v8 r;
  memcpy(r.f, p, sizeof r.f);
  return r;
}
static inline void v8_store(float *p, v8 a)
{
  memcpy(p, a.f, sizeof a.f);
}
static inline v8 v8_set(float x)
{
  return (v8){{x, x, x, x, x, x, x, x}};
}
static inline v8 v8_abs(v8 a)
{
  for (int i = 0; i < 8; ++i) a.f[i] = a.f[i] < 0 ? -a.f[i] : a.f[i];
  return a;
}
static inline v8m v8_le(v8 a, v8 b)
{
  unsigned m = 0;
  for (int i = 0; i < 8; ++i) m |= (unsigned)(a.f[i] <= b.f[i]) << i;
  return (v8m){(uint8_t)m};
}
static inline v8m v8_lt(v8 a, v8 b)
{
  unsigned m = 0;
  for (int i = 0; i < 8; ++i) m |= (unsigned)(a.f[i] < b.f[i]) << i;
  return (v8m){(uint8_t)m};
}
static inline v8m v8m_and(v8m a, v8m b)
{
  return (v8m){a.bits & b.bits};
}
static inline v8m v8m_or(v8m a, v8m b)
{
  return (v8m){a.bits | b.bits};
}
static inline v8m v8m_xor(v8m a, v8m b)
{
  return (v8m){a.bits ^ b.bits};
}
static inline unsigned v8m_bits(v8m a)
{
  return a.bits;
}
static inline v8 v8_select(v8m m, v8 yes, v8 no)
{
  for (int i = 0; i < 8; ++i) no.f[i] = m.bits >> i & 1 ? yes.f[i] : no.f[i];
  return no;
}

static inline v4 v4_load3(const float *p)
{
  return (v4){{p[0], p[1], p[2], 0}};
}
static inline v4 v4_load(const float *p)
{
  return (v4){{p[0], p[1], p[2], p[3]}};
}
static inline v4 v4_set(float x, float y, float z)
{
  return (v4){{x, y, z, 0}};
}
static inline void v4_store(float *p, v4 a)
{
  memcpy(p, a.f, sizeof a.f);
}
static inline v4 v4_min(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] < b.f[i] ? a.f[i] : b.f[i];
  return a;
}
static inline v4 v4_max(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] > b.f[i] ? a.f[i] : b.f[i];
  return a;
}

static inline void v4_pair_load(const float *block, v4 *lower, v4 *upper)
{
  for (int k = 0; k < 3; ++k) {
    lower->f[k] = block[2 * k] < block[2 * k + 1] ? block[2 * k] : block[2 * k + 1];
    upper->f[k] = block[2 * k + 6] > block[2 * k + 7] ? block[2 * k + 6] : block[2 * k + 7];
  }
  lower->f[3] = upper->f[3] = 0;
}
static inline void v4_pair_store(float *block, const v4 lower[2], const v4 upper[2])
{
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 2; ++i) block[2 * k + i] = k < 3 ? lower[i].f[k] : upper[i].f[k - 3];
}
static inline void v8_transpose(const v4 p[8], v8 *x, v8 *y, v8 *z)
{
  for (int i = 0; i < 8; ++i) {
    x->f[i] = p[i].f[0];
    y->f[i] = p[i].f[1];
    z->f[i] = p[i].f[2];
  }
}

#endif

/* (a * b) + (c * d) + (e * f), rounded after each operation. */
static inline v8 v8_dot(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f)
{
  return v8_add(v8_add(v8_mul(a, b), v8_mul(c, d)), v8_mul(e, f));
}
static inline v8 v8_cross(v8 a, v8 b, v8 c, v8 d)
{
  return v8_sub(v8_mul(a, b), v8_mul(c, d));
} /* a b - c d */

/* `width` floats (2, 4 or 8) and no more, repeated to fill all lanes: another thread may be writing behind them. */
static KERNEL_INLINE v8 v8_load_lanes(const float *p, int width)
{
  return width == 8 ? v8_load(p) : width == 4 ? v8_load_4(p) : v8_load_2(p);
}

#endif
