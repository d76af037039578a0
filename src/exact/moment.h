/* Moments: the times in [0, 1] at which a polynomial with integer coefficients vanishes, and the
 * signs of other polynomials at them. Nothing is approximated and nothing is refined: the number
 * of operations is fixed.
 *
 * A time t is a pair (u, v) with u, v >= 0 and t = v / (u + v); polynomials are homogeneous in u
 * and v. So positive ratios v / u are the times inside of (0, 1), Descartes' rule applies to the
 * coefficients as they are, and the ends are (1, 0) and (0, 1).
 *
 * Isolation. A quadratic's roots are on both sides of its extremum. For a cubic with three
 * different real roots let m be their mean (its point of inflection) and r the root of the
 * linear remainder of f by f': where f = 0, the remainder is -f' (t - m) / 3, and f' changes its
 * sign from root to root; so of the two gaps between the roots one contains m and the other r,
 * or m = r is the root in the middle. If the discriminant is 0, all roots are rational.
 *
 * Signs. At a root of a cubic p a quadratic q with leading coefficient w obeys w^2 p = q s + r,
 * so q = -r / s there, with r and s linear; and the sign of a linear polynomial says on which
 * side of its (rational) root the moment lies: the sign of p at that rational number.
 * Coefficients of p with 3 B bits and of q with 2 B lead to numbers of at most 24 B bits and
 * some. */
#ifndef EXACT_MOMENT_H
#define EXACT_MOMENT_H

#include "exact/whole.h"

#include <stdbool.h>

/* The sum of c[i] u^(degree - i) v^i. */
typedef struct poly {
  int degree; /* 0 to 3 */
  whole c[4];
} poly;

typedef struct moment {
  bool rational;
  whole u, v; /* of a rational moment */
  /* else: the only root of this between the two, not 0 at either end of [0, 1], of degree 2 or 3 */
  poly of;
  whole low_u, low_v;
  whole high_u, high_v;
  int left; /* the sign of `of` between low and the moment */
} moment;

enum { MOMENTS = 5 };

/* The moments of [0, 1] at which p, which is not 0 everywhere, vanishes, in ascending order.
 * Their numbers stay in the pool. */
int moments_of(whole_pool *pool, const poly *p, moment out[MOMENTS]);

/* The sign of a polynomial of degree 1 or 2 at a moment. The pool is as before. */
int moment_sign(whole_pool *pool, const moment *m, const poly *q);

/* The moment t of [0, 1] itself. */
moment moment_at(whole_pool *pool, double t);

/* Returns whether t, in [0, 1], is not after the moment. The pool is as before. */
bool moment_not_before(whole_pool *pool, const moment *m, double t);

/* The greatest double that is not after the moment. */
double moment_floor(whole_pool *pool, const moment *m);

#endif
