#include "exact/sphere.h"

#include "exact/big.h"

#include <limits.h>

static int least(int a, double x)
{
  int b = double_low_exponent(x);
  return b < a ? b : a;
}

/* All numbers are integers times 2^exponent, so differences, squares and sums are exact. */
int sphere_sign_big(const double p[3], double r, const double q[3], double s)
{
  int exponent = least(least(INT_MAX, r), s);
  for (int k = 0; k < 3; ++k) exponent = least(least(exponent, p[k]), q[k]);
  if (exponent == INT_MAX) return 0; /* all are 0 */
  big a, b, c, sum, next;
  big_from_double(&a, r, exponent);
  big_from_double(&b, s, exponent);
  big_add(&c, &a, &b);
  big_mul(&a, &c, &c);
  big_from_double(&next, 0, exponent);
  big_sub(&sum, &next, &a);
  for (int k = 0; k < 3; ++k) {
    big_from_double(&a, p[k], exponent);
    big_from_double(&b, q[k], exponent);
    big_sub(&c, &a, &b);
    big_mul(&a, &c, &c);
    big_add(&next, &sum, &a);
    sum = next;
  }
  return sum.sign;
}
