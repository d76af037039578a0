/* The lanes of simd.h as pairs of 128-bit registers, whichever set of intrinsics simd_v4.h has
 * for them; included by simd.h only. */
#ifndef MATH_SIMD_128_H
#define MATH_SIMD_128_H

#include "math/simd_v4.h"

typedef struct v8 {
  v4 a, b;
} v8;
typedef v8 v8m;
typedef struct v4d {
  v2d a, b;
} v4d;

static inline v4d v4d_load3(const double *p) { return (v4d){v2d_load(p), v2d_load_1(p + 2)}; }
static inline v4d v4d_set(double x) { return (v4d){v2d_all(x), v2d_all(x)}; }
static inline void v4d_store(double *p, v4d x)
{
  v2d_store(p, x.a);
  v2d_store(p + 2, x.b);
}
static inline v4d v4d_add(v4d x, v4d y) { return (v4d){v2d_add(x.a, y.a), v2d_add(x.b, y.b)}; }
static inline v4d v4d_mul(v4d x, v4d y) { return (v4d){v2d_mul(x.a, y.a), v2d_mul(x.b, y.b)}; }
static inline v4d v4d_widen(v4 x) { return (v4d){v2d_widen_low(x), v2d_widen_high(x)}; }
static inline v4d v4d_x(v4d x) { return (v4d){v2d_first(x.a), v2d_first(x.a)}; }
static inline v4d v4d_y(v4d x) { return (v4d){v2d_second(x.a), v2d_second(x.a)}; }
static inline v4d v4d_z(v4d x) { return (v4d){v2d_first(x.b), v2d_first(x.b)}; }
static inline v4d v4d_min(v4d x, v4d y) { return (v4d){v2d_min(x.a, y.a), v2d_min(x.b, y.b)}; }
static inline v4d v4d_max(v4d x, v4d y) { return (v4d){v2d_max(x.a, y.a), v2d_max(x.b, y.b)}; }
static inline v4d v4d_sub(v4d x, v4d y) { return (v4d){v2d_sub(x.a, y.a), v2d_sub(x.b, y.b)}; }
static inline v4 v4d_round(v4d x) { return v2d_round(x.a, x.b); }

static inline v4 v4d_round_down(v4d x)
{
  v4 f = v4d_round(x);
  v2d a = v2d_gt(v2d_widen_low(f), x.a), b = v2d_gt(v2d_widen_high(f), x.b);
  return v4_step_down(f, V4_SHUFFLE(v2d_as_v4(a), v2d_as_v4(b), 0, 2, 0, 2));
}
static inline v4 v4d_round_up(v4d x)
{
  v4d minus = {v2d_minus(x.a), v2d_minus(x.b)};
  return v4_xor(v4_all(-0.0f), v4d_round_down(minus));
}

#define SIMD_BOTH(name, op)                                                                                            \
  static inline v8 name(v8 x, v8 y) { return (v8){op(x.a, y.a), op(x.b, y.b)}; }
SIMD_BOTH(v8_min, v4_min)
SIMD_BOTH(v8_max, v4_max)
SIMD_BOTH(v8_add, v4_add)
SIMD_BOTH(v8_sub, v4_sub)
SIMD_BOTH(v8_mul, v4_mul)
SIMD_BOTH(v8_div, v4_div)
SIMD_BOTH(v8_le, v4_le)
SIMD_BOTH(v8_lt, v4_lt)
SIMD_BOTH(v8m_and, v4_and)
SIMD_BOTH(v8m_or, v4_or)
SIMD_BOTH(v8m_xor, v4_xor)
#undef SIMD_BOTH
static inline v8 v8_sqrt(v8 x) { return (v8){v4_sqrt(x.a), v4_sqrt(x.b)}; }
static inline v8 v8_abs(v8 x) { return (v8){v4_abs(x.a), v4_abs(x.b)}; }
static inline v8 v8_load(const float *p) { return (v8){v4_load(p), v4_load(p + 4)}; }
static inline v8 v8_load_4(const float *p)
{
  v4 four = v4_load(p);
  return (v8){four, four};
}
static inline v8 v8_load_2(const float *p)
{
  v4 two = v4_load_2(p), both = v4_lows(two, two);
  return (v8){both, both};
}
static inline void v8_store(float *p, v8 x)
{
  v4_store(p, x.a);
  v4_store(p + 4, x.b);
}
static inline v8 v8_set(float x) { return (v8){v4_all(x), v4_all(x)}; }
static inline unsigned v8m_bits(v8m x) { return v4_mask_bits(x.a) | v4_mask_bits(x.b) << 4; }
static inline v8 v8_select(v8m m, v8 yes, v8 no)
{
  return (v8){v4_select(m.a, yes.a, no.a), v4_select(m.b, yes.b, no.b)};
}

/* The fourth lane means nothing. In WebAssembly one load reads one float too many: that is never
 * beyond the module's memory, as the stack is below all arrays and the allocator keeps a word
 * behind the last. */
#if defined(__wasm__)
static inline v4 v4_load3(const float *p) { return v4_load(p); }
#else
static inline v4 v4_load3(const float *p) { return v4_lows(v4_load_2(p), v4_load_1(p + 2)); }
#endif

/* Eight points to lanes of x, y, z. */
static inline void v8_transpose(const v4 p[8], v8 *x, v8 *y, v8 *z)
{
  v4_transpose(p[0], p[1], p[2], p[3], &x->a, &y->a, &z->a);
  v4_transpose(p[4], p[5], p[6], p[7], &x->b, &y->b, &z->b);
}

/* Four floats of each of eight rows, as lanes of each of the four; and back. */
static inline void v8_from_rows(const float *const row[8], v8 out[4])
{
  v4 low[4], high[4];
  v4_from_rows(row, low);
  v4_from_rows(row + 4, high);
  for (int k = 0; k < 4; ++k) out[k] = (v8){low[k], high[k]};
}
static inline void v8_to_rows(const v8 in[4], float *row, size_t step)
{
  v4 out[4];
  for (int half = 0; half < 2; ++half) {
    v4_transpose4(half ? in[0].b : in[0].a, half ? in[1].b : in[1].a, half ? in[2].b : in[2].a,
                  half ? in[3].b : in[3].a, out);
    for (size_t i = 0; i < 4; ++i) v4_store(row + step * (i + 4 * (size_t)half), out[i]);
  }
}

static inline v4 v8_low(v8 x) { return x.a; } /* lanes 0 to 3, and 4 to 7 */
static inline v4 v8_high(v8 x) { return x.b; }

/* The least lane of x, of y and of z; the greatest. */
static inline v4 v8_least3(v8 x, v8 y, v8 z) { return v4_least3(v4_min(x.a, x.b), v4_min(y.a, y.b), v4_min(z.a, z.b)); }
static inline v4 v8_greatest3(v8 x, v8 y, v8 z)
{
  return v4_greatest3(v4_max(x.a, x.b), v4_max(y.a, y.b), v4_max(z.a, z.b));
}

#endif
