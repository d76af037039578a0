/* Schoolbook arithmetic on numbers of some limbs. */
#include "exact/whole.h"

#include <assert.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

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
  if (x == 0) return (whole){0};
  int own;
  double fraction = frexp(fabs(x), &own); /* in [1/2, 1) */
  uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
  int shift = own - 53 - exponent;
  if (shift < 0) { /* the bits that are shifted out are zero */
    mantissa >>= -shift;
    shift = 0;
  }
  int low = shift / 64, bits = shift % 64;
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

double whole_to_double(whole x, int *exponent)
{
  *exponent = 0;
  if (!x.sign) return 0;
  uint64_t top = x.limb[x.count - 1], next = x.count > 1 ? x.limb[x.count - 2] : 0;
  int zeros = __builtin_clzll(top);
  *exponent = 64 * x.count - zeros - 1;
  uint64_t bits = zeros ? top << zeros | next >> (64 - zeros) : top;
  return (double)(bits >> 11) * 0x1p-52;
}
