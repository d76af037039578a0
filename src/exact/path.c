#include "exact/path.h"

#include "exact/double_double.h"
#include "exact/whole.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* Of the exact stage, see bernstein(): 6 coordinates and their 3 differences of up to 35 limbs,
 * three products with weights of up to 4 limbs, partial sums; and for a position the double that
 * it is compared with. */
enum { POOL = 1024 };

/* Parameters are multiples of a unit: from UNIT_FROM on every double is one. */
#define UNIT 0x1p-60
#define PER_UNIT 0x1p60
#define UNIT_FROM 0x1p-7

/* Sums in double, of the sizes of their terms: of two, and with a reserve for the roundings of
 * the bound itself; of the terms of a Bernstein polynomial. */
#define SUM_ERROR 0x1p-51
#define SUM_WIDE 0x1p-50
#define ORDER_ERROR 0x1p-49
#define SUM_DENORMAL 0x1p-1070 /* and what denormal products lose */

#define QUADRATIC_ERROR 0x1p-96     /* six operations of 2^-103, of values below 8 m */
#define LEAST_SIZE 0x1p-400         /* between these no product of a position overflows, */
#define MOST_SIZE 0x1p400           /* and none that matters is denormal */
#define LEAST_TERMS 0x1p-900        /* of an order: no rest of their products is denormal */
#define QUOTIENT_LESS (1 - 0x1p-50) /* a difference, a sum and a quotient, rounded once each */
#define NEAR_ENOUGH 0x1p-30         /* where halving ends, of the way so far */

double path_parameter(double x) { return x < UNIT_FROM ? rint(x * PER_UNIT) * UNIT : x; }

double path_next(double s) { return s < UNIT_FROM ? s + UNIT : nextafter(s, 2); }

/* ---------------------------------------------------------------------------------- integers -- */

/* x 2^(from - to), from >= to. */
static whole shifted(whole_pool *pool, whole x, int from, int to)
{
  return x.sign ? whole_mul(pool, x, whole_power_of_two(pool, from - to)) : x;
}

/* Twice the weights of Bernstein polynomials in units of 2^(degree * unit): of one factor s, or
 * of s and of t (their blossom). */
static void weights(whole_pool *pool, int degree, double s, double t, int unit, whole out[PATH_MOST_DEGREE + 1])
{
  whole one = whole_power_of_two(pool, -unit), x = whole_from_double(pool, s, unit), rx = whole_sub(pool, one, x);
  if (degree == 1) {
    out[0] = whole_times(pool, rx, 2);
    out[1] = whole_times(pool, x, 2);
    return;
  }
  whole y = whole_from_double(pool, t, unit), ry = whole_sub(pool, one, y);
  out[0] = whole_times(pool, whole_mul(pool, rx, ry), 2);
  out[1] = whole_times(pool, whole_add(pool, whole_mul(pool, rx, y), whole_mul(pool, x, ry)), 2);
  out[2] = whole_times(pool, whole_mul(pool, x, y), 2);
}

/* Twice the value of p - q (q may be NULL: 0), a whole number of units of 2^*unit. */
static whole bernstein(whole_pool *pool, const double *p, const double *q, int degree, double s, double t, int *unit)
{
  int of_s = least_exponent(least_exponent(0, &s, 1), &t, 1), of_c = least_exponent(INT_MAX, p, degree + 1);
  if (q) of_c = least_exponent(of_c, q, degree + 1);
  if (of_c == INT_MAX) of_c = 0;
  whole w[PATH_MOST_DEGREE + 1], sum = {0};
  weights(pool, degree, s, t, of_s, w);
  for (int i = 0; i <= degree; ++i) {
    whole c = whole_from_double(pool, p[i], of_c);
    if (q) c = whole_sub(pool, c, whole_from_double(pool, q[i], of_c));
    sum = whole_add(pool, sum, whole_mul(pool, w[i], c));
  }
  *unit = of_c + degree * of_s;
  return sum;
}

static int order_exact(const double *p, const double *q, int degree, double s, double t)
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  int unit;
  return bernstein(&pool, p, q, degree, s, t, &unit).sign;
}

/* The sign of `twice` 2^unit - (x + y), where x and y are neighbouring doubles. */
static int against_middle(whole_pool *pool, whole twice, int unit, double x, double y)
{
  int mark = whole_mark(pool), least = least_exponent(least_exponent(unit, &x, 1), &y, 1);
  whole middle = whole_add(pool, whole_from_double(pool, x, least), whole_from_double(pool, y, least));
  int sign = whole_sub(pool, shifted(pool, twice, unit, least), middle).sign;
  whole_release(pool, mark);
  return sign;
}

static bool is_even(double x)
{
  int exponent;
  double fraction = frexp(x, &exponent);
  int bits = exponent > -1021 ? 53 : exponent + 1074; /* denormals have fewer */
  return fmod(ldexp(fraction, bits), 2) == 0;
}

static double value_exact(const double *c, int degree, double s)
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  int unit, exponent;
  whole twice = bernstein(&pool, c, (const double *)0, degree, s, s, &unit);
  if (!twice.sign) return 0;
  double z = whole_to_double(twice, &exponent);
  z = ldexp(twice.sign * z, exponent + unit - 1); /* within 2 units in the last place */
  z = fmin(fmax(z, -DBL_MAX), DBL_MAX);
  for (double up; z < DBL_MAX; z = up) {
    up = nextafter(z, INFINITY);
    int sign = against_middle(&pool, twice, unit, z, up);
    if (sign < 0 || (sign == 0 && is_even(z))) break;
    if (sign == 0) return up;
  }
  for (double down; z > -DBL_MAX; z = down) {
    down = nextafter(z, -INFINITY);
    int sign = against_middle(&pool, twice, unit, z, down);
    if (sign > 0 || (sign == 0 && is_even(z))) break;
    if (sign == 0) return down;
  }
  return z;
}

/* --------------------------------------------------------------------------------- positions -- */

/* Rounds high + low, whose error is at most `error`; false: that is not enough to know how. */
static bool round_sum(double high, double low, double error, double *out)
{
  dd v = dd_sum(high, low);
  double wide = 2 * error + SUM_WIDE * fabs(v.low), up = v.high + (v.low + wide), down = v.high + (v.low - wide);
  *out = up;
  return up == down;
}

/* c0 + s (c1 - c0): every product and sum with its rest, up to terms of the size of c's last
 * bits squared. */
static bool value_linear(const double *c, double s, double *out)
{
  dd d = dd_difference(c[1], c[0]), p = dd_product(s, d.high), r = dd_sum(c[0], p.high), t = dd_sum(r.low, p.low);
  double q = s * d.low;
  if (q == 0 && t.low == 0 && d.low == 0) { /* r.high + t.high is the value: the sum rounds it as it should */
    *out = r.high + t.high;
    return true;
  }
  dd low = dd_sum(t.high, t.low + q);
  double error = SUM_ERROR * (fabs(t.low) + fabs(q)) + fabs(low.low) + SUM_DENORMAL;
  return round_sum(r.high, low.high, error, out);
}

/* ((c0 - 2 c1 + c2) s + 2 (c1 - c0)) s + c0 in double-double: six operations, each right to
 * 2^-103 of what it adds or multiplies, all below 8 m for the greatest |c| of m. */
static bool value_quadratic(const double *c, double s, double most, double *out)
{
  dd bend = dd_add(dd_sum(c[0], c[2]), (dd){-2 * c[1], 0}), slope = dd_difference(c[1], c[0]);
  slope = (dd){2 * slope.high, 2 * slope.low};
  dd v = dd_add(dd_scale(dd_add(dd_scale(bend, s), slope), s), (dd){c[0], 0});
  return round_sum(v.high, v.low, QUADRATIC_ERROR * most, out);
}

double path_value(const double *c, int degree, double s)
{
  if (s == 0) return c[0];
  if (s == 1) return c[degree];
  double most = fmax(fabs(c[0]), fabs(c[degree])), out;
  bool rest = c[0] == c[degree];
  if (degree == 2) {
    most = fmax(most, fabs(c[1]));
    rest = rest && c[0] == c[1];
  }
  if (rest) return c[0];
  if (!(most >= LEAST_SIZE && most <= MOST_SIZE)) return value_exact(c, degree, s);
  bool known = degree == 1 ? value_linear(c, s, &out) : value_quadratic(c, s, most, &out);
  return known ? out : value_exact(c, degree, s);
}

/* ------------------------------------------------------------------------------------- order -- */

/* The sign of the blossom of p - q at s and t (at t = s, of the value): each difference is
 * rounded once, so that the error is relative to the terms of the sum. */
static int order_at(const double *p, const double *q, int degree, double s, double t)
{
  double d[PATH_MOST_DEGREE + 1], w[PATH_MOST_DEGREE + 1], sum = 0, size = 0;
  bool above = true, below = true;
  for (int i = 0; i <= degree; ++i) {
    d[i] = p[i] - q[i];
    above = above && d[i] > 0;
    below = below && d[i] < 0;
  }
  if (above || below) return above ? 1 : -1;
  w[0] = degree == 1 ? 1 - s : (1 - s) * (1 - t);
  w[degree] = degree == 1 ? s : s * t;
  if (degree == 2) w[1] = (1 - s) * t + s * (1 - t);
  for (int i = 0; i <= degree; ++i) {
    sum += w[i] * d[i];
    size += w[i] * fabs(d[i]);
  }
  if (size > LEAST_TERMS && size < INFINITY && fabs(sum) > ORDER_ERROR * size) return sum > 0 ? 1 : -1;
  bool same = true;
  for (int i = 0; i <= degree; ++i) same = same && p[i] == q[i];
  return same ? 0 : order_exact(p, q, degree, s, t);
}

int path_order(const double *p, const double *q, int degree, double s)
{
  if (s == 0) return (p[0] > q[0]) - (p[0] < q[0]);
  if (s == 1) return (p[degree] > q[degree]) - (p[degree] < q[degree]);
  return order_at(p, q, degree, s, s);
}

/* ------------------------------------------------------------------------------------- until -- */

/* They cross once, from d0 >= 0 to d1 < 0. Both differences, their distance and the quotient are
 * rounded once each, and nothing cancels. */
static double linear_until(const double *p, const double *q, double s)
{
  if (p[1] >= q[1]) return INFINITY;
  double d0 = p[0] - q[0], d1 = q[1] - p[1], next = path_next(s);
  if (!(d0 + d1 < INFINITY)) {
    d0 = p[0] / 4 - q[0] / 4;
    d1 = q[1] / 4 - p[1] / 4;
  }
  double t = d0 > 0 ? d0 / (d0 + d1) * QUOTIENT_LESS : 0;
  if (t < UNIT_FROM) t = floor(t * PER_UNIT) * UNIT;
  return t > next ? t : next;
}

/* Returns whether all three coefficients on [s, t] prove p >= q there. */
static bool stays_above(const double *p, const double *q, double s, double t)
{
  return order_at(p, q, 2, s, t) >= 0 && order_at(p, q, 2, t, t) >= 0;
}

/* A parameter that is proven by halving, not far from the last one: another call for the same
 * place gets nearer. The proof is exact, so no error bound of a root is needed. */
static double quadratic_until(const double *p, const double *q, double s)
{
  if (p[0] >= q[0] && p[1] >= q[1] && p[2] >= q[2]) return INFINITY;
  if (stays_above(p, q, s, 1)) return INFINITY;
  double low = s, high = 1;
  for (int i = 0; i < 64 && high - low > NEAR_ENOUGH * (high - s); ++i) {
    double middle = path_parameter(low + (high - low) / 2);
    if (!(middle > low && middle < high)) break;
    if (stays_above(p, q, s, middle))
      low = middle;
    else
      high = middle;
  }
  double next = path_next(s);
  return low > next ? low : next;
}

double path_until(const double *p, const double *q, int degree, double s)
{
  double t = degree == 1 ? linear_until(p, q, s) : quadratic_until(p, q, s);
  return t <= 1 ? t : INFINITY;
}
