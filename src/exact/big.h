/* Integers of up to 13312 bits on the stack: sign and magnitude, little-endian limbs, variable
 * length. Only what the signs of small determinants of doubles need. No heap, no failure.
 * Invariant: count is 0 exactly if sign is 0, else limb[count - 1] != 0; limbs from count on are
 * never read. Capacity: a finite double is a multiple of 2^-1074 below 2^1024, so in units of
 * 2^-1074 it has at most 2098 bits (33 limbs), a difference of two 2099 (33), a 2x2 minor 2 *
 * 2099 + 1 (66), a 3x3 determinant 3 * 2099 + 3 = 6300 bits (99 limbs), a product of two cross
 * products 4 * 2099 + 5 = 8401 bits (132 limbs), a determinant of three rows of sums of
 * products, as half-spaces have them, 3 * 4200 + 3 = 12603 bits (up to 202 limbs as products
 * count them). One limb more lets the carry of a sum be written before it is known to be zero.
 * Cost: grows with the lengths of the numbers; coordinates of similar size have one or two
 * limbs. */
#ifndef EXACT_BIG_H
#define EXACT_BIG_H

#include <stdint.h>

enum { BIG_LIMBS = 208 };

typedef struct big {
  int sign;  /* -1, 0, 1 */
  int count; /* limbs in use */
  uint64_t limb[BIG_LIMBS];
} big;

/* The exponent of the lowest set bit of a finite double; INT_MAX for zero, which is a multiple
 * of everything. */
int double_low_exponent(double x);

/* x / 2^exponent; exponent must be at most double_low_exponent(x), and at least -1074. */
void big_from_double(big *r, double x, int exponent);

/* The result must be another object than the operands. */
void big_add(big *r, const big *x, const big *y);
void big_sub(big *r, const big *x, const big *y);
void big_mul(big *r, const big *x, const big *y);

/* The sign of x 2^ex - y 2^ey. */
int big_compare(const big *x, int ex, const big *y, int ey);

/* x / y * 2^exponent, y not 0, correct to (1 + 2^-8) 2^-53 relative; a denormal result, to 1
 * unit in the last place. */
double big_ratio(const big *x, const big *y, int exponent);

/* |x| as a double in [1, 2) or 0 times 2^*exponent, correct to 2^-53 relative. */
double big_to_double(const big *x, int *exponent);

#endif
