/* Numbers as unevaluated sums of two doubles, about 106 bits: after T. J. Dekker, A
 * Floating-Point Technique for Extending the Available Precision, 1971, and D. E. Knuth. Without
 * fused operations, so that all machines give the same bits. For magnitudes from 2^-400 to
 * 2^400: products must neither overflow nor lose their low part. */
#ifndef EXACT_DOUBLE_DOUBLE_H
#define EXACT_DOUBLE_DOUBLE_H

typedef struct dd {
  double high, low; /* |low| is at most half a unit in the last place of high */
} dd;

/* Of a sum whose first term is at least as large as the second. */
static inline dd dd_quick(double a, double b)
{
  double s = a + b;
  return (dd){s, b - (s - a)};
}

/* Exact. */
static inline dd dd_sum(double a, double b)
{
  double s = a + b, v = s - a;
  return (dd){s, (a - (s - v)) + (b - v)};
}
static inline dd dd_difference(double a, double b) { return dd_sum(a, -b); }

/* The upper 26 bits of a number. */
static inline double dd_upper(double a)
{
  double c = 134217729.0 * a;
  return c - (c - a);
}

/* Exact. */
static inline dd dd_product(double a, double b)
{
  double p = a * b, ah = dd_upper(a), al = a - ah, bh = dd_upper(b), bl = b - bh;
  return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* Error at most 2^-105 of |a| + |b|: enough where the terms of a sum are known to be bounded. */
static inline dd dd_add(dd a, dd b)
{
  dd s = dd_sum(a.high, b.high), t = dd_sum(a.low, b.low);
  s = dd_quick(s.high, s.low + t.high);
  return dd_quick(s.high, s.low + t.low);
}

static inline dd dd_sub(dd a, dd b) { return dd_add(a, (dd){-b.high, -b.low}); }

/* Error at most 2^-103 of |a b|. */
static inline dd dd_mul(dd a, dd b)
{
  dd p = dd_product(a.high, b.high);
  return dd_quick(p.high, p.low + (a.high * b.low + a.low * b.high));
}
static inline dd dd_scale(dd a, double b)
{
  dd p = dd_product(a.high, b);
  return dd_quick(p.high, p.low + a.low * b);
}

#endif
