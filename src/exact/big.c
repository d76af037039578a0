/* Schoolbook arithmetic: the numbers are short, and if they are not (coordinates of very
 * different scales in one triangle) most limbs are zero, which the multiplication skips. */
#include "exact/big.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* |x| = mantissa * 2^exponent with an odd mantissa, or zero. */
static uint64_t split(double x, int *exponent)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t mantissa = bits & 0xfffffffffffffu;
  int biased = (int)(bits >> 52 & 0x7ff);
  if (biased)
    mantissa |= (uint64_t)1 << 52;
  else
    biased = 1; /* denormal: no hidden bit, the exponent of the smallest normal number */
  if (!mantissa) {
    *exponent = INT_MAX;
    return 0;
  }
  int zeros = __builtin_ctzll(mantissa);
  *exponent = biased - 1075 + zeros;
  return mantissa >> zeros;
}

int double_low_exponent(double x)
{
  int exponent;
  split(x, &exponent);
  return exponent;
}

void big_from_double(big *r, double x, int exponent)
{
  int own;
  uint64_t mantissa = split(x, &own);
  r->count = 0;
  r->sign = 0;
  if (!mantissa) return;
  assert(own >= exponent);
  int limb = (own - exponent) / 64, shift = (own - exponent) % 64;
  memset(r->limb, 0, (size_t)limb * sizeof r->limb[0]);
  r->limb[limb] = mantissa << shift;
  uint64_t high = shift ? mantissa >> (64 - shift) : 0;
  if (high) r->limb[limb + 1] = high;
  r->count = limb + 1 + (high != 0);
  r->sign = x < 0 ? -1 : 1;
}

static int compare_magnitudes(const big *x, const big *y)
{
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  for (int i = x->count - 1; i >= 0; --i)
    if (x->limb[i] != y->limb[i]) return x->limb[i] < y->limb[i] ? -1 : 1;
  return 0;
}

/* |r| = |x| + |y| for |x| with at least as many limbs. */
static void add_magnitudes(big *r, const big *x, const big *y)
{
  uint64_t carry = 0;
  for (int i = 0; i < x->count; ++i) {
    uint128 sum = (uint128)x->limb[i] + (i < y->count ? y->limb[i] : 0) + carry;
    r->limb[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  r->limb[x->count] = carry;
  r->count = x->count + (carry != 0);
}

/* |r| = |x| - |y| for |x| > |y|. */
static void sub_magnitudes(big *r, const big *x, const big *y)
{
  uint64_t borrow = 0;
  for (int i = 0; i < x->count; ++i) {
    uint128 difference = (uint128)x->limb[i] - (i < y->count ? y->limb[i] : 0) - borrow;
    r->limb[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  r->count = x->count;
  while (r->count && !r->limb[r->count - 1]) --r->count;
}

/* r = x + sign * |y|. */
static void add_signed(big *r, const big *x, const big *y, int sign)
{
  assert(r != x && r != y);
  if (x->sign * sign >= 0) {
    const big *longer = x->count >= y->count ? x : y;
    add_magnitudes(r, longer, longer == x ? y : x);
    r->sign = x->sign ? x->sign : sign;
    return;
  }
  int order = compare_magnitudes(x, y);
  r->sign = order * x->sign;
  r->count = 0;
  if (order > 0) sub_magnitudes(r, x, y);
  if (order < 0) sub_magnitudes(r, y, x);
}

void big_add(big *r, const big *x, const big *y) { add_signed(r, x, y, y->sign); }

void big_sub(big *r, const big *x, const big *y) { add_signed(r, x, y, -y->sign); }

void big_mul(big *r, const big *x, const big *y)
{
  assert(r != x && r != y);
  r->sign = x->sign * y->sign;
  r->count = 0;
  if (!r->sign) return;
  assert(x->count + y->count <= BIG_LIMBS);
  memset(r->limb, 0, (size_t)(x->count + y->count) * sizeof r->limb[0]);
  for (int i = 0; i < x->count; ++i) {
    if (!x->limb[i]) continue;
    uint64_t carry = 0;
    for (int j = 0; j < y->count; ++j) {
      uint128 sum = (uint128)x->limb[i] * y->limb[j] + r->limb[i + j] + carry;
      r->limb[i + j] = (uint64_t)sum;
      carry = (uint64_t)(sum >> 64);
    }
    r->limb[i + y->count] = carry;
  }
  r->count = x->count + y->count;
  while (!r->limb[r->count - 1]) --r->count;
}

static int bit_length(const big *x) { return x->count ? 64 * x->count - __builtin_clzll(x->limb[x->count - 1]) : 0; }

/* 64 bits of |x| from bit `at` on, which may be negative: bits outside of x are 0. */
static uint64_t bits_at(const big *x, int at)
{
  int limb = at >= 0 ? at / 64 : -((63 - at) / 64), shift = at - 64 * limb;
  uint64_t low = limb >= 0 && limb < x->count ? x->limb[limb] : 0;
  uint64_t high = limb + 1 >= 0 && limb + 1 < x->count ? x->limb[limb + 1] : 0;
  return shift ? low >> shift | high << (64 - shift) : low;
}

int big_compare(const big *x, int ex, const big *y, int ey)
{
  if (x->sign != y->sign) return x->sign < y->sign ? -1 : 1;
  if (!x->sign) return 0;
  int length_x = bit_length(x), length_y = bit_length(y), most = length_x > length_y ? length_x : length_y;
  if (length_x + ex != length_y + ey) return length_x + ex < length_y + ey ? -x->sign : x->sign;
  for (int down = 64; down < most + 64; down += 64) {
    uint64_t a = bits_at(x, length_x - down), b = bits_at(y, length_y - down);
    if (a != b) return a < b ? -x->sign : x->sign;
  }
  return 0;
}

double big_ratio(const big *x, const big *y, int exponent)
{
  if (!x->sign) return 0;
  int length_x = bit_length(x), length_y = bit_length(y);
  uint128 top = (uint128)bits_at(x, length_x - 64) << 64;
  double ratio =
      (double)(top / bits_at(y, length_y - 64)); /* of 64 bits or more, each cut off by 2^-63: one rounding */
  return x->sign * y->sign * ldexp(ratio, length_x - length_y - 64 + exponent);
}

/* The top 64 bits contain at least 53 and the bits below are cut off: less than 2^-63, and one
 * rounding. */
double big_to_double(const big *x, int *exponent)
{
  *exponent = x->sign ? bit_length(x) - 1 : 0;
  return x->sign ? (double)bits_at(x, *exponent - 63) * 0x1p-63 : 0;
}
