/* Vectors of three doubles, and the box of some of them. For bounds that round outward and for
 * choices; decisions are of exact/. */
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include <math.h>

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross3(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The least and greatest coordinates of some points. */
typedef struct extent3 {
  double low[3], high[3];
} extent3;

static inline extent3 extent_none(void)
{
  return (extent3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void extent_add(extent3 *e, const double at[3])
{
  for (int k = 0; k < 3; ++k) {
    e->low[k] = at[k] < e->low[k] ? at[k] : e->low[k];
    e->high[k] = at[k] > e->high[k] ? at[k] : e->high[k];
  }
}

static inline double extent_half(const extent3 *e, int k) { return 0.5 * e->high[k] - 0.5 * e->low[k]; }
static inline double extent_middle(const extent3 *e, int k) { return 0.5 * e->low[k] + 0.5 * e->high[k]; }

#endif
