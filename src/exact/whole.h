/* Integers of any length that fit into a pool of the caller's, usually on the stack: sign and
 * magnitude, little-endian limbs. A number is a value that is never changed; every operation
 * takes its result from the pool, and whole_release() gives back all that was taken since a
 * mark. No heap, no failure: the owner of the pool proves that it is large enough (asserted).
 * Invariant: count is 0 exactly if sign is 0, else limb[count - 1] != 0. Cost: schoolbook; zero
 * limbs are skipped.
 *
 * Lengths. A finite double is a multiple of 2^-1074 below 2^1024, so in common units doubles have
 * at most 2098 bits (33 limbs) and differences 34 limbs; a product has as many limbs as its
 * factors together, and a sum one more than the longer term. */
#ifndef EXACT_WHOLE_H
#define EXACT_WHOLE_H

#include <stdint.h>

typedef struct whole {
  int sign;  /* -1, 0, 1 */
  int count; /* limbs */
  const uint64_t *limb;
} whole;

typedef struct whole_pool {
  uint64_t *limb;
  int used, capacity; /* in limbs */
  int most;           /* the greatest `used` so far */
} whole_pool;

/* Bytes of a pool of n limbs are 8 n. */
static inline whole_pool whole_pool_of(uint64_t *limbs, int capacity)
{
  return (whole_pool){.limb = limbs, .capacity = capacity};
}

static inline int whole_mark(const whole_pool *pool) { return pool->used; }
static inline void whole_release(whole_pool *pool, int mark) { pool->used = mark; }

/* Gives back all that was taken since the mark except for x, which moves there. */
whole whole_settle(whole_pool *pool, int mark, whole x);

static inline whole whole_negative(whole x)
{
  x.sign = -x.sign;
  return x;
}

/* The exponent of the lowest set bit of a finite double; INT_MAX for zero, which is a multiple
 * of everything. */
int double_low_exponent(double x);

/* The least of `least` and of the low exponents of `count` numbers. */
int least_exponent(int least, const double *x, int count);

/* The exponents of the lowest bit of all these numbers and of one above the highest: widens
 * [*low, *high], which is [INT_MAX, INT_MIN] if there was no number but 0 yet. */
void double_span(const double *x, int count, int *low, int *high);

/* x / 2^exponent; exponent must be at most double_low_exponent(x). */
whole whole_from_double(whole_pool *pool, double x, int exponent);
whole whole_power_of_two(whole_pool *pool, int exponent);

whole whole_add(whole_pool *pool, whole x, whole y);
whole whole_sub(whole_pool *pool, whole x, whole y);
whole whole_mul(whole_pool *pool, whole x, whole y);
whole whole_times(whole_pool *pool, whole x, uint64_t factor);

/* a b - c d */
whole whole_minor(whole_pool *pool, whole a, whole b, whole c, whole d);

/* The sign of x 2^ex - y 2^ey. */
int whole_compare(whole x, int ex, whole y, int ey);

/* The bits of |x|; 0: x is 0. */
static inline int whole_bits(whole x) { return x.count ? 64 * x.count - __builtin_clzll(x.limb[x.count - 1]) : 0; }

/* |x| as a double in [1, 2] or 0 times 2^*exponent, correct to (1 + 2^-9) 2^-53 relative. */
double whole_to_double(whole x, int *exponent);

/* x / y * 2^exponent, y not 0, correct to (1 + 2^-8) 2^-53 relative; a denormal result, to 1
 * unit in the last place. */
double whole_ratio(whole x, whole y, int exponent);

/* ----------------------------------------------------------------------------------- vectors -- */

typedef struct whole3 {
  whole x[3];
} whole3;

/* (to - from) / 2^exponent */
whole3 whole3_between(whole_pool *pool, const double to[3], const double from[3], int exponent);
whole3 whole3_sub(whole_pool *pool, const whole3 *a, const whole3 *b);
whole whole3_dot(whole_pool *pool, const whole3 *a, const whole3 *b);
whole3 whole3_cross(whole_pool *pool, const whole3 *a, const whole3 *b);

#endif
