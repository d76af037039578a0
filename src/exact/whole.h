/* Integers of any length that fit into a pool of the caller's, usually on the stack: sign and
 * magnitude, little-endian limbs. A number is a value that is never changed; every operation
 * takes its result from the pool, and whole_release() gives back all that was taken since a
 * mark. No heap, no failure: the owner of the pool proves that it is large enough (asserted).
 * Invariant: count is 0 exactly if sign is 0, else limb[count - 1] != 0. Cost: schoolbook; zero
 * limbs are skipped. */
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

/* x / 2^exponent; exponent must be at most double_low_exponent(x) of big.h. */
whole whole_from_double(whole_pool *pool, double x, int exponent);
whole whole_power_of_two(whole_pool *pool, int exponent);

whole whole_add(whole_pool *pool, whole x, whole y);
whole whole_sub(whole_pool *pool, whole x, whole y);
whole whole_mul(whole_pool *pool, whole x, whole y);
whole whole_times(whole_pool *pool, whole x, uint64_t factor);

/* |x| as a double in [1, 2) or 0 times 2^*exponent, cut off: error below 2^-52 relative. */
double whole_to_double(whole x, int *exponent);

#endif
