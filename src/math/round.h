/* Doubles to floats, rounded outward: bounds must contain what they bound. */
#ifndef MATH_ROUND_H
#define MATH_ROUND_H

#include <stdint.h>
#include <string.h>

/* Bounds of what a chain of up to 15 operations in float made, each right to 2^-24 of itself:
 * (1 - 2^-24)^-16 < 1 + 2^-20 < 1 + 16.01 * 2^-24. Of a square, whose root was one: 2^-18. */
#define FLOAT_LESS (1 - 0x1p-20f)
#define FLOAT_MORE (1 + 0x1p-20f)
#define SQUARE_LESS (1 - 0x1p-18f)
/* What underflow may take from a sum of up to 16 products: 2^-126 each, where denormals are 0. */
#define FLOAT_LOST 0x1p-120f

/* The neighbours of a float; nothing is beyond the infinities. Inline, because nextafterf is a
 * function call. */
static inline float float_below(float f)
{
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  bits = f > 0 ? bits - 1 : f < 0 ? bits + (bits != 0xff800000u) : 0x80000001u;
  memcpy(&f, &bits, sizeof f);
  return f;
}
static inline float float_above(float f) { return -float_below(-f); }

/* x rounded to float. When gcc 12 vectorises a conversion of double to float and back, it drops
 * the rounding; the barrier prevents that. */
static inline float round_near(double x)
{
  float f = (float)x;
#if defined(__wasm__) /* by clang, which keeps it */
#elif defined(__GNUC__) && defined(__x86_64__)
  __asm__("" : "+x"(f));
#elif defined(__GNUC__) && defined(__aarch64__)
  __asm__("" : "+w"(f));
#elif defined(__GNUC__)
  __asm__("" : "+m"(f));
#endif
  return f;
}

/* The greatest float at most x, and the least at least x. Beyond the range of float: the
 * infinities, which still bound. */
static inline float round_down(double x)
{
  float f = round_near(x), below = float_below(f);
  return (double)f > x ? below : f;
}
static inline float round_up(double x)
{
  float f = round_near(x), above = float_above(f);
  return (double)f < x ? above : f;
}

#endif
