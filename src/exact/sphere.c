#include "exact/sphere.h"

#include "exact/whole.h"

#include <limits.h>

/* Sums of 34 limbs, squares and sums of squares of up to 70: 9 of the former, 7 of the latter. */
enum { POOL = 1024 };

/* All numbers are integers times 2^exponent, so differences, squares and sums are exact. */
int sphere_sign_big(const double p[3], double r, const double q[3], double s)
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  const double radii[2] = {r, s};
  const int exponent = least_exponent(least_exponent(least_exponent(INT_MAX, radii, 2), p, 3), q, 3);
  const whole3 d = whole3_between(&pool, p, q, exponent);
  const whole reach = whole_add(&pool, whole_from_double(&pool, r, exponent), whole_from_double(&pool, s, exponent));
  return whole_compare(whole3_dot(&pool, &d, &d), 0, whole_mul(&pool, reach, reach), 0);
}
