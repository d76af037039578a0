/* Schoolbook arithmetic on numbers of some limbs. */
#include "exact/whole.h"

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
  const int zeros = __builtin_ctzll(mantissa);
  *exponent = biased - 1075 + zeros;
  return mantissa >> zeros;
}

int double_low_exponent(double x)
{
  int exponent;
  split(x, &exponent);
  return exponent;
}

int least_exponent(int least, const double *x, int count)
{
  for (int i = 0; i < count; ++i) {
    const int own = double_low_exponent(x[i]);
    least = own < least ? own : least;
  }
  return least;
}

void double_span(const double *x, int count, int *low, int *high)
{
  for (int i = 0; i < count; ++i) {
    if (x[i] == 0) continue;
    const int own = double_low_exponent(x[i]);
    *low = own < *low ? own : *low;
    *high = own + 53 > *high ? own + 53 : *high;
  }
}

static uint64_t *take(whole_pool *pool, int count)
{
  uint64_t *limb = pool->limb + pool->used;
  pool->used += count;
  assert(pool->used <= pool->capacity);
  if (pool->used > pool->most) pool->most = pool->used;
  return limb;
}

/* The number in the limbs taken last: leading zeros go back to the pool. */
static whole finish(whole_pool *pool, const uint64_t *limb, int count, int sign)
{
  int taken = count;
  while (count && !limb[count - 1]) --count;
  pool->used -= taken - count;
  return (whole){count ? sign : 0, count, limb};
}

whole whole_settle(whole_pool *pool, int mark, whole x)
{
  if (x.limb < pool->limb + mark || !x.count) { /* it is older than the mark */
    pool->used = mark;
    return x;
  }
  memmove(pool->limb + mark, x.limb, (size_t)x.count * sizeof *x.limb);
  pool->used = mark + x.count;
  x.limb = pool->limb + mark;
  return x;
}

whole whole_from_double(whole_pool *pool, double x, int exponent)
{
  int own;
  const uint64_t mantissa = split(x, &own);
  if (!mantissa) return (whole){0};
  assert(own >= exponent);
  const int low = (own - exponent) / 64, bits = (own - exponent) % 64;
  uint64_t *limb = take(pool, low + 2);
  memset(limb, 0, (size_t)low * sizeof *limb);
  limb[low] = mantissa << bits;
  limb[low + 1] = bits ? mantissa >> (64 - bits) : 0;
  return finish(pool, limb, low + 2, x < 0 ? -1 : 1);
}

whole whole_power_of_two(whole_pool *pool, int exponent)
{
  int low = exponent / 64;
  uint64_t *limb = take(pool, low + 1);
  memset(limb, 0, (size_t)low * sizeof *limb);
  limb[low] = (uint64_t)1 << exponent % 64;
  return (whole){1, low + 1, limb};
}

static int compare_magnitudes(whole x, whole y)
{
  if (x.count != y.count) return x.count < y.count ? -1 : 1;
  for (int i = x.count - 1; i >= 0; --i)
    if (x.limb[i] != y.limb[i]) return x.limb[i] < y.limb[i] ? -1 : 1;
  return 0;
}

/* |x| + |y| for |x| with at least as many limbs. */
static whole add_magnitudes(whole_pool *pool, whole x, whole y, int sign)
{
  uint64_t *limb = take(pool, x.count + 1), carry = 0;
  for (int i = 0; i < x.count; ++i) {
    uint128 sum = (uint128)x.limb[i] + (i < y.count ? y.limb[i] : 0) + carry;
    limb[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  limb[x.count] = carry;
  return finish(pool, limb, x.count + 1, sign);
}

/* |x| - |y| for |x| > |y|. */
static whole sub_magnitudes(whole_pool *pool, whole x, whole y, int sign)
{
  uint64_t *limb = take(pool, x.count), borrow = 0;
  for (int i = 0; i < x.count; ++i) {
    uint128 difference = (uint128)x.limb[i] - (i < y.count ? y.limb[i] : 0) - borrow;
    limb[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  return finish(pool, limb, x.count, sign);
}

whole whole_add(whole_pool *pool, whole x, whole y)
{
  if (!x.sign) return y;
  if (!y.sign) return x;
  if (x.sign == y.sign)
    return x.count >= y.count ? add_magnitudes(pool, x, y, x.sign) : add_magnitudes(pool, y, x, x.sign);
  int order = compare_magnitudes(x, y);
  if (order == 0) return (whole){0};
  return order > 0 ? sub_magnitudes(pool, x, y, x.sign) : sub_magnitudes(pool, y, x, y.sign);
}

whole whole_sub(whole_pool *pool, whole x, whole y) { return whole_add(pool, x, whole_negative(y)); }

whole whole_mul(whole_pool *pool, whole x, whole y)
{
  int sign = x.sign * y.sign, count = x.count + y.count;
  if (!sign) return (whole){0};
  uint64_t *limb = take(pool, count);
  memset(limb, 0, (size_t)count * sizeof *limb);
  for (int i = 0; i < x.count; ++i) {
    if (!x.limb[i]) continue;
    uint64_t carry = 0;
    for (int j = 0; j < y.count; ++j) {
      uint128 sum = (uint128)x.limb[i] * y.limb[j] + limb[i + j] + carry;
      limb[i + j] = (uint64_t)sum;
      carry = (uint64_t)(sum >> 64);
    }
    limb[i + y.count] = carry;
  }
  return finish(pool, limb, count, sign);
}

whole whole_times(whole_pool *pool, whole x, uint64_t factor)
{
  if (!x.sign || !factor) return (whole){0};
  uint64_t *limb = take(pool, x.count + 1), carry = 0;
  for (int i = 0; i < x.count; ++i) {
    uint128 sum = (uint128)x.limb[i] * factor + carry;
    limb[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  limb[x.count] = carry;
  return finish(pool, limb, x.count + 1, x.sign);
}

whole whole_minor(whole_pool *pool, whole a, whole b, whole c, whole d)
{
  const int mark = whole_mark(pool);
  return whole_settle(pool, mark, whole_sub(pool, whole_mul(pool, a, b), whole_mul(pool, c, d)));
}

/* -------------------------------------------------------------------------- doubles, orders -- */

/* 64 bits of |x| from bit `at` on, which may be negative: bits outside of x are 0. */
static uint64_t bits_at(whole x, int at)
{
  const int limb = at >= 0 ? at / 64 : -((63 - at) / 64), shift = at - 64 * limb;
  const uint64_t low = limb >= 0 && limb < x.count ? x.limb[limb] : 0;
  const uint64_t high = limb + 1 >= 0 && limb + 1 < x.count ? x.limb[limb + 1] : 0;
  return shift ? low >> shift | high << (64 - shift) : low;
}

int whole_compare(whole x, int ex, whole y, int ey)
{
  if (x.sign != y.sign) return x.sign < y.sign ? -1 : 1;
  if (!x.sign) return 0;
  const int length_x = whole_bits(x), length_y = whole_bits(y), most = length_x > length_y ? length_x : length_y;
  if (length_x + ex != length_y + ey) return length_x + ex < length_y + ey ? -x.sign : x.sign;
  for (int down = 64; down < most + 64; down += 64) {
    const uint64_t a = bits_at(x, length_x - down), b = bits_at(y, length_y - down);
    if (a != b) return a < b ? -x.sign : x.sign;
  }
  return 0;
}

/* The top 64 bits contain at least 53 and the bits below are cut off: less than 2^-63, and one
 * rounding. */
double whole_to_double(whole x, int *exponent)
{
  *exponent = x.sign ? whole_bits(x) - 1 : 0;
  return x.sign ? (double)bits_at(x, *exponent - 63) * 0x1p-63 : 0;
}

double whole_ratio(whole x, whole y, int exponent)
{
  if (!x.sign) return 0;
  const int length_x = whole_bits(x), length_y = whole_bits(y);
  const uint128 top = (uint128)bits_at(x, length_x - 64) << 64;
  /* of 64 bits or more, each cut off by 2^-63: one rounding */
  const double ratio = (double)(top / bits_at(y, length_y - 64));
  return x.sign * y.sign * ldexp(ratio, length_x - length_y - 64 + exponent);
}

/* ----------------------------------------------------------------------------------- vectors -- */

whole3 whole3_between(whole_pool *pool, const double to[3], const double from[3], int exponent)
{
  whole3 r;
  for (int k = 0; k < 3; ++k) {
    const int mark = whole_mark(pool);
    const whole x = whole_from_double(pool, to[k], exponent), y = whole_from_double(pool, from[k], exponent);
    r.x[k] = whole_settle(pool, mark, whole_sub(pool, x, y));
  }
  return r;
}

whole3 whole3_sub(whole_pool *pool, const whole3 *a, const whole3 *b)
{
  return (whole3){
      {whole_sub(pool, a->x[0], b->x[0]), whole_sub(pool, a->x[1], b->x[1]), whole_sub(pool, a->x[2], b->x[2])}};
}

whole whole3_dot(whole_pool *pool, const whole3 *a, const whole3 *b)
{
  const int mark = whole_mark(pool);
  whole sum = {0};
  for (int k = 0; k < 3; ++k) sum = whole_add(pool, sum, whole_mul(pool, a->x[k], b->x[k]));
  return whole_settle(pool, mark, sum);
}

whole3 whole3_cross(whole_pool *pool, const whole3 *a, const whole3 *b)
{
  whole3 r;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    r.x[k] = whole_minor(pool, a->x[i], b->x[j], a->x[j], b->x[i]);
  }
  return r;
}
