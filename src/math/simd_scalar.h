/* The lanes of simd.h in plain C; included by simd.h only. */
#ifndef MATH_SIMD_SCALAR_H
#define MATH_SIMD_SCALAR_H

/* A sanitizer looks at every lane of every operation by itself, which would be half the time of
 * the tests under it. Operations on values, which are indexed by constants, have nothing for it
 * to find; what reads or writes memory is watched as everywhere. */
#ifdef __SANITIZE_ADDRESS__
#define LANES static inline __attribute__((no_sanitize("address", "undefined")))
#else
#define LANES static inline
#endif

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

static inline v4d v4d_load3(const double *p) { return (v4d){{p[0], p[1], p[2], 0}}; }
LANES v4d v4d_set(double x) { return (v4d){{x, x, x, x}}; }
static inline void v4d_store(double *p, v4d a) { memcpy(p, a.f, sizeof a.f); }
LANES v4d v4d_add(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] += b.f[i];
  return a;
}
LANES v4d v4d_mul(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] *= b.f[i];
  return a;
}
LANES v4d v4d_widen(v4 a) { return (v4d){{(double)a.f[0], (double)a.f[1], (double)a.f[2], (double)a.f[3]}}; }
LANES v4d v4d_x(v4d a) { return v4d_set(a.f[0]); }
LANES v4d v4d_y(v4d a) { return v4d_set(a.f[1]); }
LANES v4d v4d_z(v4d a) { return v4d_set(a.f[2]); }
LANES v4d v4d_min(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] < b.f[i] ? a.f[i] : b.f[i];
  return a;
}
LANES v4d v4d_max(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] > b.f[i] ? a.f[i] : b.f[i];
  return a;
}
LANES v4d v4d_sub(v4d a, v4d b)
{
  for (int i = 0; i < 4; ++i) a.f[i] -= b.f[i];
  return a;
}
LANES v4 v4_add(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] += b.f[i];
  return a;
}
LANES v4 v4_mul(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] *= b.f[i];
  return a;
}
LANES v4 v4_abs(v4 a)
{
  for (int i = 0; i < 4; ++i) a.f[i] = fabsf(a.f[i]);
  return a;
}
LANES v4 v4d_round(v4d a) { return (v4){{(float)a.f[0], (float)a.f[1], (float)a.f[2], (float)a.f[3]}}; }

LANES v4 v4d_round_down(v4d a)
{
  v4 r;
  for (int i = 0; i < 4; ++i) r.f[i] = round_down(a.f[i]);
  return r;
}
LANES v4 v4d_round_up(v4d a)
{
  v4 r;
  for (int i = 0; i < 4; ++i) r.f[i] = round_up(a.f[i]);
  return r;
}

#define SIMD_EACH(name, expression)                                                                                    \
  LANES v8 name(v8 a, v8 b)                                                                                            \
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
SIMD_EACH(v8_div, x / y)
#undef SIMD_EACH
static inline v8 v8_load_4(const float *p) { return (v8){{p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]}}; }
static inline v8 v8_load_2(const float *p) { return (v8){{p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]}}; }
static inline v8 v8_load(const float *p)
{
  v8 r;
  memcpy(r.f, p, sizeof r.f);
  return r;
}
static inline void v8_store(float *p, v8 a) { memcpy(p, a.f, sizeof a.f); }
LANES v8 v8_set(float x) { return (v8){{x, x, x, x, x, x, x, x}}; }
LANES v8 v8_abs(v8 a)
{
  for (int i = 0; i < 8; ++i) a.f[i] = __builtin_fabsf(a.f[i]); /* -0, too */
  return a;
}
LANES v8 v8_sqrt(v8 a)
{
  for (int i = 0; i < 8; ++i) a.f[i] = sqrtf(a.f[i]);
  return a;
}
LANES v8m v8_le(v8 a, v8 b)
{
  unsigned m = 0;
  for (int i = 0; i < 8; ++i) m |= (unsigned)(a.f[i] <= b.f[i]) << i;
  return (v8m){(uint8_t)m};
}
LANES v8m v8_lt(v8 a, v8 b)
{
  unsigned m = 0;
  for (int i = 0; i < 8; ++i) m |= (unsigned)(a.f[i] < b.f[i]) << i;
  return (v8m){(uint8_t)m};
}
LANES v8m v8m_and(v8m a, v8m b) { return (v8m){a.bits & b.bits}; }
LANES v8m v8m_or(v8m a, v8m b) { return (v8m){a.bits | b.bits}; }
LANES v8m v8m_xor(v8m a, v8m b) { return (v8m){a.bits ^ b.bits}; }
LANES unsigned v8m_bits(v8m a) { return a.bits; }
LANES v8 v8_select(v8m m, v8 yes, v8 no)
{
  for (int i = 0; i < 8; ++i) no.f[i] = m.bits >> i & 1 ? yes.f[i] : no.f[i];
  return no;
}

static inline v4 v4_load3(const float *p) { return (v4){{p[0], p[1], p[2], 0}}; }
static inline v4 v4_load(const float *p) { return (v4){{p[0], p[1], p[2], p[3]}}; }
LANES v4 v4_set(float x, float y, float z) { return (v4){{x, y, z, 0}}; }
static inline void v4_store(float *p, v4 a) { memcpy(p, a.f, sizeof a.f); }
LANES v4 v4_min(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] = a.f[i] < b.f[i] ? a.f[i] : b.f[i];
  return a;
}
LANES v4 v4_max(v4 a, v4 b)
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
/* Four floats of each of eight rows, as lanes of each of the four; and back. */
static inline void v8_from_rows(const float *const row[8], v8 out[4])
{
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 4; ++k) out[k].f[i] = row[i][k];
}
static inline void v8_to_rows(const v8 in[4], float *row, size_t step)
{
  for (size_t i = 0; i < 8; ++i)
    for (int k = 0; k < 4; ++k) row[step * i + (size_t)k] = in[k].f[i];
}

LANES v4 v4_sub(v4 a, v4 b)
{
  for (int i = 0; i < 4; ++i) a.f[i] -= b.f[i];
  return a;
}

LANES v4 v8_low(v8 a) { return (v4){{a.f[0], a.f[1], a.f[2], a.f[3]}}; } /* lanes 0 to 3, and 4 to 7 */
LANES v4 v8_high(v8 a) { return (v4){{a.f[4], a.f[5], a.f[6], a.f[7]}}; }

/* The least of each axis of four packed points in three registers: x y z x, y z x y, z x y z; the
 * greatest. */
LANES v4 v4_least_packed(v4 p, v4 q, v4 r)
{
  const v4 last = {{p.f[3], q.f[3], r.f[3], 0}}, from_q = {{q.f[2], q.f[0], q.f[1], 0}},
           from_r = {{r.f[1], r.f[2], r.f[0], 0}};
  return v4_min(v4_min(p, last), v4_min(from_q, from_r));
}
LANES v4 v4_greatest_packed(v4 p, v4 q, v4 r)
{
  const v4 last = {{p.f[3], q.f[3], r.f[3], 0}}, from_q = {{q.f[2], q.f[0], q.f[1], 0}},
           from_r = {{r.f[1], r.f[2], r.f[0], 0}};
  return v4_max(v4_max(p, last), v4_max(from_q, from_r));
}

/* The least lane of x, of y and of z; the greatest. In the order of the other sets: of zeros of
 * both signs all take the same. */
LANES v4 v8_least3(v8 x, v8 y, v8 z)
{
  const v4 a = v4_min(v8_low(x), v8_high(x)), b = v4_min(v8_low(y), v8_high(y)), c = v4_min(v8_low(z), v8_high(z));
  const v4 even = v4_min(v4_set(a.f[0], b.f[0], c.f[0]), v4_set(a.f[2], b.f[2], c.f[2]));
  return v4_min(even, v4_min(v4_set(a.f[1], b.f[1], c.f[1]), v4_set(a.f[3], b.f[3], c.f[3])));
}
LANES v4 v8_greatest3(v8 x, v8 y, v8 z)
{
  const v4 a = v4_max(v8_low(x), v8_high(x)), b = v4_max(v8_low(y), v8_high(y)), c = v4_max(v8_low(z), v8_high(z));
  const v4 even = v4_max(v4_set(a.f[0], b.f[0], c.f[0]), v4_set(a.f[2], b.f[2], c.f[2]));
  return v4_max(even, v4_max(v4_set(a.f[1], b.f[1], c.f[1]), v4_set(a.f[3], b.f[3], c.f[3])));
}

#undef LANES

#endif
