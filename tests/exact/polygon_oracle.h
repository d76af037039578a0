/* Convex polygons in rationals of GMP, cut by half-spaces. */
#ifndef TESTS_EXACT_POLYGON_ORACLE_H
#define TESTS_EXACT_POLYGON_ORACLE_H

#include <gmp.h>

enum { MOST_CORNERS = 12 };

typedef struct polygon {
  mpq_t x[MOST_CORNERS][3];
  int count;
} polygon;

static inline void polygon_init(polygon *p)
{
  for (int i = 0; i < 3 * MOST_CORNERS; ++i) mpq_init(p->x[i / 3][i % 3]);
}
static inline void polygon_clear(polygon *p)
{
  for (int i = 0; i < 3 * MOST_CORNERS; ++i) mpq_clear(p->x[i / 3][i % 3]);
}

/* What is left of a closed polygon where a linear function, given by its value at each corner, is
 * 0 or more. */
static inline void polygon_cut(polygon *p, mpq_t value[MOST_CORNERS])
{
  polygon r = {.count = 0};
  mpq_t s, d;
  polygon_init(&r);
  mpq_inits(s, d, NULL);
  for (int i = 0; i < p->count; ++i) {
    int j = (i + 1) % p->count;
    if (mpq_sgn(value[i]) >= 0) {
      for (int k = 0; k < 3; ++k) mpq_set(r.x[r.count][k], p->x[i][k]);
      ++r.count;
    }
    if (mpq_sgn(value[i]) * mpq_sgn(value[j]) >= 0) continue;
    mpq_sub(d, value[i], value[j]);
    mpq_div(s, value[i], d);
    for (int k = 0; k < 3; ++k) {
      mpq_sub(d, p->x[j][k], p->x[i][k]);
      mpq_mul(d, d, s);
      mpq_add(r.x[r.count][k], p->x[i][k], d);
    }
    ++r.count;
  }
  p->count = r.count;
  for (int i = 0; i < 3 * r.count; ++i) mpq_set(p->x[i / 3][i % 3], r.x[i / 3][i % 3]);
  mpq_clears(s, d, NULL);
  polygon_clear(&r);
}

#endif
