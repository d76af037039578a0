/* Three points are on one line if the cross product of two differences is zero, that is, if three equations
 * (b - a)_i (c - a)_j == (b - a)_j (c - a)_i between products of exact differences hold.
 * A filter first: a component of the cross product in double that is larger than its error bound (J. R. Shewchuk,
 * Adaptive Precision Floating-Point Arithmetic, 1997, orient2d) is not zero. What stays open is decided in integers:
 * every double is an integer times a common power of two, 2^-1074 at worst, so nothing overflows or is rounded.
 * Cost: a few operations; in integers O(w^2) for numbers of w words: 4 for like exponents, 67 at worst. */
#include "mesh/collinear.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 68, WORD_BITS = 32, MANTISSA = 53 };

/* True only if the component is certainly not zero. Infinities and NaNs of overflow make the comparisons false. */
static bool surely_not_zero(double left, double right)
{
  const double bound = 4e-16,
               underflow = 1e-290; /* above (3 + 16 u) u, u = 2^-53; and where products lose no bits that count */
  double component = fabs(left - right), sum = fabs(left) + fabs(right);
  return component > bound * sum && component > underflow;
}

/* A number in two's complement, least word first. */
typedef struct wide {
  uint32_t word[WORDS];
} wide;

static void negate(uint32_t *x, int words)
{
  uint64_t carry = 1;
  for (int i = 0; i < words; ++i) {
    carry += (uint32_t)~x[i];
    x[i] = (uint32_t)carry;
    carry >>= WORD_BITS;
  }
}

/* x / 2^exponent, which must be an integer. */
static void set_wide(wide *out, double x, int exponent, int words)
{
  memset(out->word, 0, (size_t)words * sizeof out->word[0]);
  if (x == 0) return;
  int e;
  uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &e), MANTISSA);
  int shift = e - MANTISSA - exponent;
  if (shift < 0) { /* only bits that are zero go */
    mantissa >>= -shift;
    shift = 0;
  }
  int at = shift / WORD_BITS, by = shift % WORD_BITS;
  uint64_t low = (mantissa & UINT32_MAX) << by, high = (mantissa >> WORD_BITS) << by;
  high += low >> WORD_BITS;
  out->word[at] = (uint32_t)low;
  out->word[at + 1] = (uint32_t)high;
  out->word[at + 2] = (uint32_t)(high >> WORD_BITS);
  if (x < 0) negate(out->word, words);
}

/* |x - y|; returns the sign. */
static int difference(const wide *x, const wide *y, int words, wide *out)
{
  int64_t carry = 0;
  uint32_t any = 0;
  for (int i = 0; i < words; ++i) {
    carry += (int64_t)x->word[i] - (int64_t)y->word[i];
    out->word[i] = (uint32_t)carry;
    any |= out->word[i];
    carry >>= WORD_BITS;
  }
  if (!any) return 0;
  if (!(out->word[words - 1] >> (WORD_BITS - 1))) return 1;
  negate(out->word, words);
  return -1;
}

static void multiply(const wide *x, const wide *y, int words, uint32_t *out)
{
  memset(out, 0, 2 * (size_t)words * sizeof *out);
  for (int i = 0; i < words; ++i) {
    uint64_t carry = 0;
    for (int k = 0; k < words; ++k) {
      carry += (uint64_t)x->word[i] * y->word[k] + out[i + k];
      out[i + k] = (uint32_t)carry;
      carry >>= WORD_BITS;
    }
    out[i + words] = (uint32_t)carry;
  }
}

/* The exponent of the last place and one past the exponent of the first, over all coordinates that are not zero. */
static void exponent_range(const double *const points[3], int *low, int *high)
{
  *low = INT32_MAX;
  *high = INT32_MIN;
  for (int p = 0; p < 3; ++p)
    for (int i = 0; i < 3; ++i) {
      if (points[p][i] == 0) continue;
      int e;
      frexp(points[p][i], &e);
      int last = e - MANTISSA < -1074 ? -1074 : e - MANTISSA;
      *low = last < *low ? last : *low;
      *high = e > *high ? e : *high;
    }
}

static bool collinear_exactly(const double *const points[3])
{
  int low, high;
  exponent_range(points, &low, &high);
  if (low > high) return true; /* all zero */
  int words =
      (high - low + 2) / WORD_BITS + 3; /* a difference takes a bit more, the sign one, set_wide() a word beyond */
  wide d[2][3];
  int sign[2][3];
  for (int i = 0; i < 3; ++i) {
    wide a, x;
    set_wide(&a, points[0][i], low, words);
    for (int p = 0; p < 2; ++p) {
      set_wide(&x, points[p + 1][i], low, words);
      sign[p][i] = difference(&x, &a, words, &d[p][i]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    uint32_t left[2 * WORDS], right[2 * WORDS];
    if (sign[0][i] * sign[1][j] != sign[0][j] * sign[1][i]) return false;
    multiply(&d[0][i], &d[1][j], words, left);
    multiply(&d[0][j], &d[1][i], words, right);
    if (memcmp(left, right, 2 * (size_t)words * sizeof *left) != 0) return false;
  }
  return true;
}

bool collinear(const double a[3], const double b[3], const double c[3])
{
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    if (surely_not_zero((b[i] - a[i]) * (c[j] - a[j]), (b[j] - a[j]) * (c[i] - a[i]))) return false;
  }
  const double *const points[3] = {a, b, c};
  return collinear_exactly(points);
}
