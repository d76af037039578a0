/* The lanes of simd.h as pairs of SSE2 registers; included by simd.h only. */
#ifndef MATH_SIMD_SSE2_H
#define MATH_SIMD_SSE2_H

#include "math/simd_v4.h"

#include <emmintrin.h>

typedef struct v8 {
  __m128 a, b;
} v8;
typedef v8 v8m;
typedef struct v4d {
  __m128d a, b;
} v4d;

static inline v4d v4d_load3(const double *p) { return (v4d){_mm_loadu_pd(p), _mm_load_sd(p + 2)}; }
static inline v4d v4d_set(double x) { return (v4d){_mm_set1_pd(x), _mm_set1_pd(x)}; }
static inline void v4d_store(double *p, v4d x)
{
  _mm_storeu_pd(p, x.a);
  _mm_storeu_pd(p + 2, x.b);
}
static inline v4d v4d_add(v4d x, v4d y) { return (v4d){_mm_add_pd(x.a, y.a), _mm_add_pd(x.b, y.b)}; }
static inline v4d v4d_mul(v4d x, v4d y) { return (v4d){_mm_mul_pd(x.a, y.a), _mm_mul_pd(x.b, y.b)}; }
static inline v4d v4d_widen(v4 x) { return (v4d){_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))}; }
static inline v4d v4d_x(v4d x) { return (v4d){_mm_unpacklo_pd(x.a, x.a), _mm_unpacklo_pd(x.a, x.a)}; }
static inline v4d v4d_y(v4d x) { return (v4d){_mm_unpackhi_pd(x.a, x.a), _mm_unpackhi_pd(x.a, x.a)}; }
static inline v4d v4d_z(v4d x) { return (v4d){_mm_unpacklo_pd(x.b, x.b), _mm_unpacklo_pd(x.b, x.b)}; }
static inline v4d v4d_min(v4d x, v4d y) { return (v4d){_mm_min_pd(x.a, y.a), _mm_min_pd(x.b, y.b)}; }
static inline v4d v4d_max(v4d x, v4d y) { return (v4d){_mm_max_pd(x.a, y.a), _mm_max_pd(x.b, y.b)}; }
static inline v4d v4d_sub(v4d x, v4d y) { return (v4d){_mm_sub_pd(x.a, y.a), _mm_sub_pd(x.b, y.b)}; }
static inline v4 v4d_round(v4d x) { return _mm_movelh_ps(_mm_cvtpd_ps(x.a), _mm_cvtpd_ps(x.b)); }

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
  static inline v8 name(v8 x, v8 y) { return (v8){op(x.a, y.a), op(x.b, y.b)}; }
SIMD_BOTH(v8_min, _mm_min_ps)
SIMD_BOTH(v8_max, _mm_max_ps)
SIMD_BOTH(v8_add, _mm_add_ps)
SIMD_BOTH(v8_sub, _mm_sub_ps)
SIMD_BOTH(v8_mul, _mm_mul_ps)
SIMD_BOTH(v8_div, _mm_div_ps)
SIMD_BOTH(v8_le, _mm_cmple_ps)
SIMD_BOTH(v8_lt, _mm_cmplt_ps)
SIMD_BOTH(v8m_and, _mm_and_ps)
SIMD_BOTH(v8m_or, _mm_or_ps)
SIMD_BOTH(v8m_xor, _mm_xor_ps)
#undef SIMD_BOTH
static inline v8 v8_sqrt(v8 x) { return (v8){_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)}; }
static inline v8 v8_load(const float *p) { return (v8){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }
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
static inline v8 v8_set(float x) { return (v8){_mm_set1_ps(x), _mm_set1_ps(x)}; }
static inline v8 v8_abs(v8 x)
{
  __m128 sign = _mm_set1_ps(-0.0f);
  return (v8){_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
}
static inline unsigned v8m_bits(v8m x) { return (unsigned)(_mm_movemask_ps(x.a) | _mm_movemask_ps(x.b) << 4); }
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

/* The least lane of x, of y and of z; the greatest. */
static inline v4 v8_least3(v8 x, v8 y, v8 z)
{
  return v4_least3(_mm_min_ps(x.a, x.b), _mm_min_ps(y.a, y.b), _mm_min_ps(z.a, z.b));
}
static inline v4 v8_greatest3(v8 x, v8 y, v8 z)
{
  return v4_greatest3(_mm_max_ps(x.a, x.b), _mm_max_ps(y.a, y.b), _mm_max_ps(z.a, z.b));
}

#endif
