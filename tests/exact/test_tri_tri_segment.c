/* Segments of touching triangles against triangles that are clipped in rationals of GMP. */
#include "exact/pair_kinds.h"
#include "exact/predicates.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "exact/tri_tri_segment.h"

#include <float.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_SHARE = 4 };
#else
enum { PER_SHARE = 30 };
#endif

#ifdef PLIANT_HAVE_GMP
#include "exact/polygon_oracle.h"

typedef struct half_space {
  mpq_t n[3], at[3]; /* n.(x - at) >= 0 */
} half_space;

static void value(mpq_t out, half_space *h, mpq_t x[3], int sign)
{
  mpq_t a;
  mpq_init(a);
  mpq_set_si(out, 0, 1);
  for (int k = 0; k < 3; ++k) {
    mpq_sub(a, x[k], h->at[k]);
    mpq_mul(a, a, h->n[k]);
    mpq_add(out, out, a);
  }
  if (sign < 0) mpq_neg(out, out);
  mpq_clear(a);
}

static void clip(polygon *p, half_space *h, int sign)
{
  mpq_t at[MOST_CORNERS];
  for (int i = 0; i < MOST_CORNERS; ++i) mpq_init(at[i]);
  for (int i = 0; i < p->count; ++i) value(at[i], h, p->x[i], sign);
  polygon_cut(p, at);
  for (int i = 0; i < MOST_CORNERS; ++i) mpq_clear(at[i]);
}

static void cross_q(mpq_t r[3], mpq_t a[3], mpq_t b[3])
{
  mpq_t x, y;
  mpq_inits(x, y, NULL);
  for (int k = 0; k < 3; ++k) {
    mpq_mul(x, a[(k + 1) % 3], b[(k + 2) % 3]);
    mpq_mul(y, a[(k + 2) % 3], b[(k + 1) % 3]);
    mpq_sub(r[k], x, y);
  }
  mpq_clears(x, y, NULL);
}

/* The greatest distance of two common points; -1: there are none. b has an area. */
static double furthest(const triangle a, const triangle b)
{
  polygon p = {.count = 3};
  half_space plane, side;
  mpq_t e[3], f[3];
  for (int i = 0; i < 3 * MOST_CORNERS; ++i) mpq_init(p.x[i / 3][i % 3]);
  for (int k = 0; k < 3; ++k) mpq_inits(plane.n[k], plane.at[k], side.n[k], side.at[k], e[k], f[k], NULL);
  for (int i = 0; i < 9; ++i) mpq_set_d(p.x[i / 3][i % 3], a[i / 3][i % 3]);
  for (int k = 0; k < 3; ++k) {
    mpq_set_d(plane.at[k], b[0][k]);
    mpq_set_d(e[k], b[1][k]);
    mpq_set_d(f[k], b[2][k]);
    mpq_sub(e[k], e[k], plane.at[k]);
    mpq_sub(f[k], f[k], plane.at[k]);
  }
  cross_q(plane.n, e, f);
  clip(&p, &plane, 1);
  if (p.count) clip(&p, &plane, -1);
  for (int c = 0; c < 3 && p.count; ++c) {
    for (int k = 0; k < 3; ++k) {
      mpq_set_d(side.at[k], b[c][k]);
      mpq_set_d(e[k], b[(c + 1) % 3][k]);
      mpq_sub(e[k], e[k], side.at[k]);
    }
    cross_q(side.n, plane.n, e);
    clip(&p, &side, 1);
  }
  double most = p.count ? 0 : -1;
  for (int i = 0; i < p.count; ++i)
    for (int j = 0; j < i; ++j) {
      double square = 0;
      for (int k = 0; k < 3; ++k) {
        mpq_sub(e[k], p.x[i][k], p.x[j][k]);
        square += mpq_get_d(e[k]) * mpq_get_d(e[k]);
      }
      most = fmax(most, sqrt(square));
    }
  for (int i = 0; i < 3 * MOST_CORNERS; ++i) mpq_clear(p.x[i / 3][i % 3]);
  for (int k = 0; k < 3; ++k) mpq_clears(plane.n[k], plane.at[k], side.n[k], side.at[k], e[k], f[k], NULL);
  return most;
}
#endif

static double away(const double p[3], const triangle t)
{
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  closest c;
  tri_tri_distance(point, t, &c);
  return c.distance;
}

static double greatest(const triangle a, const triangle b)
{
  double most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  return most;
}

static void segments_of_pairs(void **state)
{
  (void)state;
  test_rng rng = {77};
  size_t touching = 0, long_ones = 0;
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int i = 0; i < PER_SHARE * pair_kinds[kind].share; ++i) {
      triangle a, b;
      do pair_kinds[kind].make(&rng, a, b);
      while (!(greatest((const double(*)[3])a, (const double(*)[3])b) < DBL_MAX / 4));
      const char *name = pair_kinds[kind].name;
      pl_segment s;
      bool touch = tri_tri_touch((const double(*)[3])a, (const double(*)[3])b);
      bool got = pl_triangles_segment((const double(*)[3])a, (const double(*)[3])b, &s);
      if (got != touch || s.touches != touch) fail_msg("%s: %d, but %d", name, got, touch);
      double size = greatest((const double(*)[3])a, (const double(*)[3])b);
      /* no accuracy is promised */
      bool uneven_one = pair_kinds[kind].make == uneven || pair_kinds[kind].make == mixed;
      if (!touch || size > 1e100 || size < 1e-100 || uneven_one) continue;
      ++touching;
      double off = fmax(fmax(away(s.from, (const double(*)[3])a), away(s.from, (const double(*)[3])b)),
                        fmax(away(s.to, (const double(*)[3])a), away(s.to, (const double(*)[3])b)));
      if (!(off <= 1e-11 * size)) fail_msg("%s: an end is %g off, size %g", name, off, size);
#ifdef PLIANT_HAVE_GMP
      double square = 0;
      for (int k = 0; k < 3; ++k) square += (s.to[k] - s.from[k]) * (s.to[k] - s.from[k]);
      double want = furthest((const double(*)[3])a, (const double(*)[3])b), length = sqrt(square);
      bool flat = collinear3(b[0], b[1], b[2]);
      if (!flat && !(fabs(length - want) <= 1e-11 * size))
        fail_msg("%s: length %.17g instead of %.17g", name, length, want);
      long_ones += length > 1e-3 * size;
#else
      ++long_ones;
#endif
    }
  print_message("%zu touching pairs, %zu with a segment\n", touching, long_ones);
  assert_true(touching > 100 && long_ones > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(segments_of_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
