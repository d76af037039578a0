/* One number at a time, under the names that tri_tri_*.inl use: those files are compiled once
 * with these and, in the kernels, once with lanes of doubles. Both give the same bits. */
#ifndef EXACT_NUMBER_H
#define EXACT_NUMBER_H

#include <math.h>
#include <stdbool.h>

typedef double num;
typedef bool num_mask;

static inline num num_set(double x) { return x; }
static inline num num_add(num a, num b) { return a + b; }
static inline num num_sub(num a, num b) { return a - b; }
static inline num num_mul(num a, num b) { return a * b; }
static inline num num_div(num a, num b) { return a / b; }
static inline num num_sqrt(num a) { return sqrt(a); }
static inline num num_abs(num a) { return fabs(a); }
static inline num_mask num_lt(num a, num b) { return a < b; }
static inline num_mask num_le(num a, num b) { return a <= b; }
static inline num_mask num_and(num_mask a, num_mask b) { return a && b; }
static inline num_mask num_or(num_mask a, num_mask b) { return a || b; }
static inline num num_select(num_mask m, num yes, num no) { return m ? yes : no; }

/* a b - p, exactly: p is a b rounded. 0 where p is so small that the rest may not be a double:
 * with and without fused operations it would be rounded differently. */
#define NUM_LEAST_PRODUCT 0x1p-900
static inline num num_product_rest(num a, num b, num p)
{
  if (fabs(p) < NUM_LEAST_PRODUCT) return 0;
  double ca = 134217729.0 * a, cb = 134217729.0 * b; /* 2^27 + 1: halves of 26 bits */
  double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

#endif
