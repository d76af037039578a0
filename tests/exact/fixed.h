/* Doubles as integers of GMP over a fixed power of two: sums and products of them are exact. */
#ifndef TESTS_EXACT_FIXED_H
#define TESTS_EXACT_FIXED_H

#include "exact/oracle.h"

/* out = x * 2^shift, which must be whole. */
static inline void fixed_set(mpz_t out, double x, int shift)
{
  int exponent;
  mpz_set_si(out, (long)oracle_split(x, &exponent));
  if (!mpz_sgn(out)) return;
  assert(exponent + shift >= 0);
  mpz_mul_2exp(out, out, (mp_bitcnt_t)(exponent + shift));
}

/* A point, each coordinate over 2^shift. */
typedef struct fixed_point {
  mpz_t x[3];
} fixed_point;

static inline void fixed_point_init(fixed_point *p)
{
  for (int k = 0; k < 3; ++k) mpz_init(p->x[k]);
}
static inline void fixed_point_clear(fixed_point *p)
{
  for (int k = 0; k < 3; ++k) mpz_clear(p->x[k]);
}
static inline void fixed_point_set(fixed_point *p, const double q[3], int shift)
{
  for (int k = 0; k < 3; ++k) fixed_set(p->x[k], q[k], shift);
}

/* lower <= n . p <= upper? The infinities bound everything. */
static inline bool fixed_in_slab(const fixed_point *p, int shift, const signed char n[3], float lower, float upper)
{
  mpz_t along, bound;
  mpz_inits(along, bound, NULL);
  for (int k = 0; k < 3; ++k)
    if (n[k]) (n[k] > 0 ? mpz_add : mpz_sub)(along, along, p->x[k]);
  bool in = !isnan(lower) && !isnan(upper);
  if (isfinite(lower)) {
    fixed_set(bound, (double)lower, shift);
    in = in && mpz_cmp(bound, along) <= 0;
  } else {
    in = in && lower < 0;
  }
  if (isfinite(upper)) {
    fixed_set(bound, (double)upper, shift);
    in = in && mpz_cmp(along, bound) <= 0;
  } else {
    in = in && upper > 0;
  }
  mpz_clears(along, bound, NULL);
  return in;
}

/* |p - c| <= r? */
static inline bool fixed_in_sphere(const fixed_point *p, int shift, const float c[3], float r)
{
  if (r == INFINITY) return true;
  mpz_t sum, d;
  mpz_inits(sum, d, NULL);
  for (int k = 0; k < 3; ++k) {
    fixed_set(d, (double)c[k], shift);
    mpz_sub(d, d, p->x[k]);
    mpz_addmul(sum, d, d);
  }
  fixed_set(d, (double)r, shift);
  mpz_mul(d, d, d);
  bool in = r >= 0 && mpz_cmp(sum, d) <= 0;
  mpz_clears(sum, d, NULL);
  return in;
}

#endif
