/* Vectors of double-doubles: exact differences of points, and what is computed from them. */
#ifndef EXACT_DOUBLE_DOUBLE_VEC_H
#define EXACT_DOUBLE_DOUBLE_VEC_H

#include "exact/double_double.h"

#include <math.h>

typedef struct vec2 {
  dd x[3];
} vec2;

static inline vec2 minus2(const double to[3], const double from[3])
{
  vec2 r;
  for (int k = 0; k < 3; ++k) r.x[k] = dd_difference(to[k], from[k]);
  return r;
}

static inline dd dot2(const vec2 *a, const vec2 *b)
{
  return dd_add(dd_add(dd_mul(a->x[0], b->x[0]), dd_mul(a->x[1], b->x[1])), dd_mul(a->x[2], b->x[2]));
}

static inline vec2 cross2(const vec2 *a, const vec2 *b)
{
  vec2 r;
  for (int k = 0; k < 3; ++k) {
    int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
    r.x[k] = dd_sub(dd_mul(a->x[i], b->x[j]), dd_mul(a->x[j], b->x[i]));
  }
  return r;
}

/* The greater of two magnitudes; of a NaN and another, the other: as fmax(), which is a call. */
static inline double greater_size(double x, double y) { return x > y || y != y ? x : y; }

static inline double most2(const vec2 *a)
{
  return greater_size(fabs(a->x[0].high), greater_size(fabs(a->x[1].high), fabs(a->x[2].high)));
}

#endif
