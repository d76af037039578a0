/* A point and a triangle: distances against rationals of GMP on pairs of every kind, and
 * crossings against solid angles. */
#include "exact/pair_kinds.h"
#include "exact/point_tri.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"

#include <float.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/distance_oracle.h"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_SHARE = 12, SURFACES = 4000 };
#else
enum { PER_SHARE = 60, SURFACES = 4000 };
#endif

static double greatest(const triangle t)
{
  double most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fabs(t[i / 3][i % 3]));
  return most;
}

/* The nearest point is a point of the triangle, at the distance: to rounding. */
static void check_point(const double p[3], const triangle t, const point_nearest *n, const char *name)
{
  double size = greatest(t), off = 0, apart = 0, most = fmax(size, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))));
  if (!(n->u >= 0 && n->v >= 0 && n->u + n->v <= 1 + 1e-15)) fail_msg("%s: weights %g %g", name, n->u, n->v);
  if (size < 1e-100 || most > 1e100) return;
  for (int k = 0; k < 3; ++k) {
    double at = (1 - n->u - n->v) * t[0][k] + n->u * t[1][k] + n->v * t[2][k];
    off = fmax(off, fabs(at - n->at[k]));
    apart += (p[k] - n->at[k]) * (p[k] - n->at[k]);
  }
  if (!(off <= 1e-6 * most)) fail_msg("%s: weights are off by %g of %g", name, off, most);
  if (!(fabs(sqrt(apart) - n->distance) <= 1e-14 * most))
    fail_msg("%s: the point is %g away, the distance %g", name, sqrt(apart), n->distance);
}

static void distances(void **state)
{
  (void)state;
  test_rng rng = {12};
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int i = 0; i < PER_SHARE * pair_kinds[kind].share; ++i) {
      triangle a, b;
      do pair_kinds[kind].make(&rng, a, b);
      while (!(fmax(greatest((const double(*)[3])a), greatest((const double(*)[3])b)) < DBL_MAX / 4));
      point_nearest n;
      const double point[3][3] = {
          {a[0][0], a[0][1], a[0][2]}, {a[0][0], a[0][1], a[0][2]}, {a[0][0], a[0][1], a[0][2]}};
      point_tri_distance(a[0], (const double(*)[3])b, &n);
      bool touch = tri_tri_touch(point, (const double(*)[3])b);
      if (touch != (n.distance == 0) || touch != point_tri_touch(a[0], (const double(*)[3])b))
        fail_msg("%s: %s, but %g", pair_kinds[kind].name, touch ? "touching" : "apart", n.distance);
      check_point(a[0], (const double(*)[3])b, &n, pair_kinds[kind].name);
#ifdef PLIANT_HAVE_GMP
      static distance_oracle o;
      if (i == 0) oracle_all(&o, oracle_mpq_init);
      oracle_distance(&o, point, (const double(*)[3])b);
      bool rounded = n.distance < DBL_MIN; /* denormal: right to a step */
      if (n.distance < INFINITY && !rounded && !oracle_agrees(&o, n.distance, DISTANCE_ERROR))
        fail_msg("%s: %a instead of the root of %g", pair_kinds[kind].name, n.distance, mpq_get_d(o.best));
      if (i == PER_SHARE * pair_kinds[kind].share - 1) oracle_all(&o, oracle_mpq_clear);
#endif
    }
}

/* The same number of crossings along every axis, and as often around the point as solid angles
 * say: on small grids, where rays meet edges and corners and are in planes, and tetrahedra are
 * flat or turned inside out. */
static void crossings(void **state)
{
  (void)state;
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  test_rng rng = {4};
  int seen[7] = {0}, on = 0;
  for (int i = 0; i < SURFACES; ++i) {
    double corner[2][4][3], p[3], angle = 0;
    int sum[6] = {0}, high = i % 3 ? 3 : 5;
    bool touches = false;
    for (int k = 0; k < 24; ++k)
      corner[k / 12][k / 3 % 4][k % 3] = i % 7 ? any_integer(&rng, 0, high) : test_uniform(&rng, 0, high);
    for (int k = 0; k < 3; ++k) p[k] = any_integer(&rng, 0, 2 * high) * 0.5;
    for (int f = 0; f < 8; ++f) {
      triangle t;
      for (int c = 0; c < 3; ++c) point_copy(t[c], corner[f / 4][faces[f % 4][c]]);
      touches = touches || point_tri_touch(p, (const double(*)[3])t);
      angle += point_tri_angle(p, (const double(*)[3])t);
      for (int d = 0; d < 6; ++d) sum[d] += point_tri_crossing(p, (const double(*)[3])t, d % 3, d < 3 ? 1 : -1);
    }
    on += touches;
    if (touches) continue;
    for (int d = 0; d < 6; ++d)
      if (sum[d] != sum[0] || fabs(angle - sum[0]) > 1e-9)
        fail_msg("surface %d: %d along axis %d, %d along the first, angle %.12g", i, sum[d], d, sum[0], angle);
    ++seen[3 + sum[0]];
  }
  print_message("on %d, -2: %d, -1: %d, 0: %d, 1: %d, 2: %d\n", on, seen[1], seen[2], seen[3], seen[4], seen[5]);
  assert_true(on > 0 && seen[2] > 0 && seen[3] > 0 && seen[4] > 0 && seen[1] + seen[5] > 0);
}

/* The solid angle of one triangle is its crossings and what its three edges add: along every
 * axis along which that is sure. */
static void angles_of_borders(void **state)
{
  (void)state;
  test_rng rng = {40};
  int sure_ones = 0;
  for (int i = 0; i < SURFACES; ++i) {
    triangle t;
    double p[3];
    for (int k = 0; k < 9; ++k)
      t[k / 3][k % 3] = i % 3 ? any_integer(&rng, 0, 4) : test_uniform(&rng, 0, 4) * (i % 5 ? 1 : 1e200);
    for (int k = 0; k < 3; ++k) p[k] = i % 3 ? any_integer(&rng, 0, 4) : test_uniform(&rng, 0, 4);
    if (point_tri_touch(p, (const double(*)[3])t)) continue;
    double want = point_tri_angle(p, (const double(*)[3])t);
    for (int d = 0; d < 6; ++d) {
      int way = d < 3 ? 1 : -1;
      double got = point_tri_crossing(p, (const double(*)[3])t, d % 3, way), least = 1, sure;
      for (int e = 0; e < 3; ++e) {
        got += point_edge_angle(p, t[e], t[(e + 1) % 3], d % 3, -way, &sure);
        least = fmin(least, sure);
      }
      if (least < 0x1p-12) continue;
      ++sure_ones;
      if (fabs(got - want) > 1e-10) fail_msg("triangle %d axis %d: %.15g instead of %.15g", i, d, got, want);
    }
  }
  assert_true(sure_ones > 3 * SURFACES);
}

/* An angle does not change with the unit of length, also where some coordinates are so great
 * that differences might overflow. */
static void angles_at_great_magnitudes(void **state)
{
  (void)state;
  test_rng rng = {41};
  for (int i = 0; i < 1000; ++i) {
    triangle t, far;
    double p[3], q[3];
    for (int k = 0; k < 9; ++k) t[k / 3][k % 3] = test_uniform(&rng, -4, 4);
    for (int k = 0; k < 3; ++k) p[k] = test_uniform(&rng, -4, 4);
    for (int exponent = 995; exponent <= 1021; ++exponent) {
      for (int k = 0; k < 9; ++k) far[k / 3][k % 3] = ldexp(t[k / 3][k % 3], exponent);
      for (int k = 0; k < 3; ++k) q[k] = ldexp(p[k], exponent);
      double want = point_tri_angle(p, (const double(*)[3])t), got = point_tri_angle(q, (const double(*)[3])far);
      if (got != want) fail_msg("triangle %d times 2^%d: %.15g instead of %.15g", i, exponent, got, want);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances), cmocka_unit_test(crossings),
                                     cmocka_unit_test(angles_of_borders), cmocka_unit_test(angles_at_great_magnitudes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
