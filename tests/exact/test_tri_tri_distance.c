/* tri_tri_distance: against rationals of GMP on pairs of every kind, against itself under what
 * must not change the answer, and the points it gives. */
#include "exact/pair_kinds.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"

#include <float.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/distance_oracle.h"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_SHARE = 6 };
#else
#define PER_SHARE test_rounds(80)
#endif

static void print_pair(const char *what, const triangle a, const triangle b, const closest *c)
{
  print_message("%s: %a\n", what, c->distance);
  for (int i = 0; i < 6; ++i) {
    const double *p = i < 3 ? a[i] : b[i - 3];
    print_message("  %c%d: %a %a %a\n", i < 3 ? 'a' : 'b', i % 3, p[0], p[1], p[2]);
  }
}

static double greatest(const triangle a, const triangle b)
{
  double most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  return most;
}

static void make_pair(test_rng *rng, int kind, triangle a, triangle b)
{
  do pair_kinds[kind].make(rng, a, b);
  while (!(greatest(a, b) < DBL_MAX / 4));
}

static void known_answers(void **state)
{
  (void)state;
  static const struct {
    const char *what;
    triangle a, b;
    double distance;
  } known[] = {
      {"corner above face", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 3}, {1, 1, 5}, {2, 2, 4}}, 3},
      {"corner beside edge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{2, -3, 4}, {2, -9, 9}, {3, -9, 9}}, 5},
      {"edges cross", {{-1, 0, 0}, {1, 0, 0}, {0, 0, -5}}, {{0, -1, 2}, {0, 1, 2}, {0, 0, 9}}, 2},
      {"corner to corner", {{0, 0, 0}, {-4, 0, 0}, {0, -4, 0}}, {{2, 3, 6}, {9, 9, 9}, {8, 9, 9}}, 7},
      {"parallel faces", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, 1},
      {"the smallest step", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0x1p-1074}, {4, 0, 1}, {0, 4, 1}}, 0x1p-1074},
      {"far away, one step apart",
       {{0x1p50, 0, 0}, {0x1p50, 4, 0}, {0x1p50, 0, 4}},
       {{0x1p50 + 0.25, 1, 1}, {0x1p51, 2, 1}, {0x1p51, 1, 2}},
       0.25},
      {"crossing", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {1, 1, 1}, {2, 2, 1}}, 0},
      {"points", {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{1, 4, 5}, {1, 4, 5}, {1, 4, 5}}, 5},
      {"the same point", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, 0},
      {"segments on a line", {{0, 0, 0}, {2, 2, 0}, {1, 1, 0}}, {{5, 6, 0}, {8, 10, 0}, {5, 6, 0}}, 5},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    closest c, big;
    tri_tri_distance(known[i].a, known[i].b, &c);
    if (c.distance != known[i].distance) print_pair(known[i].what, known[i].a, known[i].b, &c);
    assert_true(c.distance == known[i].distance);
    if (c.distance == 0) continue;
    tri_tri_distance_big(known[i].a, known[i].b, &big);
    assert_true(big.distance == known[i].distance);
  }
}

#ifdef PLIANT_HAVE_GMP
static void agrees_with_oracle(void **state)
{
  (void)state;
  static distance_oracle o;
  oracle_all(&o, oracle_mpq_init);
  test_rng rng = {1971};
  for (int kind = 0; kind < PAIR_KINDS; ++kind) {
    int count = pair_kinds[kind].share * PER_SHARE;
    for (int n = 0; n < count; ++n) {
      triangle a, b;
      make_pair(&rng, kind, a, b);
      closest c;
      tri_tri_distance(a, b, &c);
      oracle_distance(&o, a, b);
      bool tiny = c.distance < 0x1p-1020 && mpq_sgn(o.best); /* denormals have fewer digits */
      bool right = tiny ? c.distance > 0 : oracle_agrees(&o, c.distance, DISTANCE_ERROR);
      if (!right) print_pair(pair_kinds[kind].name, a, b, &c);
      assert_true(right);
      assert_int_equal(c.distance == 0, tri_tri_touch(a, b));
    }
  }
  oracle_all(&o, oracle_mpq_clear);
}

/* Apart by a little: what double-double can just prove, and what it cannot. */
static void near_ones_agree_with_oracle(void **state)
{
  (void)state;
  static distance_oracle o;
  oracle_all(&o, oracle_mpq_init);
  test_rng rng = {1972};
  for (int n = 0; n < 60 * PER_SHARE; ++n) {
    triangle a, b;
    closest c;
    general(&rng, a, b);
    double away = ldexp(1, -test_below(&rng, 70)), slope = ldexp(1, -test_below(&rng, 60));
    for (int i = 0; i < 3; ++i) { /* above each other, nearly parallel, thin at times */
      a[i][2] *= slope;
      b[i][2] = b[i][2] * slope + away;
      if (n % 3 == 0) a[i][1] *= slope;
      if (n % 5 == 0) b[i][0] = a[i][0];
      if (n % 7 == 0) b[i][1] = a[i][1] + away;
    }
    tri_tri_distance(a, b, &c);
    oracle_distance(&o, a, b);
    bool right = oracle_agrees(&o, c.distance, DISTANCE_ERROR);
    if (!right) print_pair("near", a, b, &c);
    assert_true(right);
  }
  oracle_all(&o, oracle_mpq_clear);
}

/* Parallel but for rounding, so that many features are equally near in double and only one is
 * right: turned sheets, and edges along each other. */
static void parallel_ones_agree_with_oracle(void **state)
{
  (void)state;
  static distance_oracle o;
  oracle_all(&o, oracle_mpq_init);
  test_rng rng = {1975};
  for (int n = 0; n < 40 * PER_SHARE; ++n) {
    triangle a, b, c[2];
    closest got;
    general(&rng, a, b);
    double away = ldexp(1, -test_below(&rng, 16)), angle = test_uniform(&rng, -3, 3), tilt = test_uniform(&rng, -3, 3);
    for (int i = 0; i < 3; ++i) {
      a[i][2] = 0;
      b[i][2] = away;
      /* edges along each other */
      if (n % 2 && i < 2) b[i][0] = a[i][0] * (1 + i), b[i][1] = a[i][1] * (1 + i);
    }
    for (int t = 0; t < 2; ++t)
      for (int i = 0; i < 3; ++i) {
        const double *p = t ? b[i] : a[i];
        double x = cos(angle) * p[0] - sin(angle) * p[1], y = sin(angle) * p[0] + cos(angle) * p[1];
        c[t][i][0] = x + 3;
        c[t][i][1] = cos(tilt) * y - sin(tilt) * p[2];
        c[t][i][2] = sin(tilt) * y + cos(tilt) * p[2];
      }
    tri_tri_distance(c[0], c[1], &got);
    oracle_distance(&o, c[0], c[1]);
    bool right = oracle_agrees(&o, got.distance, DISTANCE_ERROR);
    if (!right) print_pair("parallel", c[0], c[1], &got);
    assert_true(right);
  }
  oracle_all(&o, oracle_mpq_clear);
}
#endif

/* A point against a triangle, as a triangle without size. */
static double off(const double p[3], const triangle t)
{
  triangle q;
  closest c;
  for (int i = 0; i < 3; ++i) point_copy(q[i], p);
  tri_tri_distance(q, t, &c);
  return c.distance;
}

static void points_lie_on_the_triangles(void **state)
{
  (void)state;
  test_rng rng = {1973};
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int n = 0; n < 4 * PER_SHARE; ++n) {
      triangle a, b;
      make_pair(&rng, kind, a, b);
      closest c;
      tri_tri_distance(a, b, &c);
      double size = greatest(a, b), slack = 0x1p-48 * size + 0x1p-1070;
      /* points of roughly such places only */
      if (size > 0x1p300 || (c.distance == 0 && size < 0x1p-300)) continue;
      double d[3] = {c.a[0] - c.b[0], c.a[1] - c.b[1], c.a[2] - c.b[2]};
      double length = hypot(d[0], hypot(d[1], d[2]));
      bool right = off(c.a, a) <= slack && off(c.b, b) <= slack && fabs(length - c.distance) <= slack;
      if (!right) print_pair(pair_kinds[kind].name, a, b, &c);
      assert_true(right);
    }
}

static void turn_corners(triangle to, const triangle from, int which)
{
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int i = 0; i < 3; ++i) point_copy(to[i], from[order[which][i]]);
}

static void nearly_the_same_however_given(void **state)
{
  (void)state;
  test_rng rng = {1974};
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int n = 0; n < 4 * PER_SHARE; ++n) {
      triangle a, b, c, d;
      closest one, other, big;
      make_pair(&rng, kind, a, b);
      turn_corners(c, a, test_below(&rng, 6));
      turn_corners(d, b, test_below(&rng, 6));
      tri_tri_distance(a, b, &one);
      tri_tri_distance(d, c, &other);
      double slack = 2 * DISTANCE_ERROR * one.distance + 0x1p-1072;
      if (!(fabs(one.distance - other.distance) <= slack)) print_pair(pair_kinds[kind].name, a, b, &one);
      assert_true(fabs(one.distance - other.distance) <= slack);
      if (one.distance == 0) continue;
      tri_tri_distance_big(a, b, &big);
      assert_true(fabs(one.distance - big.distance) <= slack);
    }
}

/* What lets a search pass over triangles without measuring them: no distance is below the gap of
 * the boxes, and none that a direction puts beyond `reach` is within it. */
static void gaps_and_directions_never_say_too_much(void **state)
{
  (void)state;
  test_rng rng = {1966};
  int gaps = 0, seen = 0;
  for (int kind = 0; kind < PAIR_KINDS; ++kind)
    for (int n = 0; n < 8 * PER_SHARE; ++n) {
      triangle a, b;
      closest c;
      make_pair(&rng, kind, a, b);
      tri_tri_distance(a, b, &c);
      double gap = tri_tri_gap(a, b), g[3], lean = n % 4 ? pow(10, -test_uniform(&rng, 0, 16)) : 0;
      if (!(c.distance >= gap)) print_pair(pair_kinds[kind].name, a, b, &c);
      assert_true(c.distance >= gap);
      gaps += c.distance > 0 && gap == c.distance;
      for (int k = 0; k < 3; ++k) g[k] = c.a[k] - c.b[k] + lean * c.distance * test_uniform(&rng, -1, 1);
      bool beyond = tri_tri_is_beyond(a, b, g, c.distance * (1 + 2 * DISTANCE_ERROR));
      if (beyond) print_pair(pair_kinds[kind].name, a, b, &c);
      assert_false(beyond);
      seen += c.distance > 0 && tri_tri_is_beyond(a, b, g, 0.5 * c.distance);
      for (int k = 0; k < 3; ++k) g[k] = test_uniform(&rng, -1, 1);
      assert_false(tri_tri_is_beyond(a, b, g, c.distance * (1 + 2 * DISTANCE_ERROR)));
    }
  print_message("%d gaps that are the distance, %d directions that tell\n", gaps, seen);
  assert_true(gaps > PER_SHARE && seen > PER_SHARE);
  const double wrong[][3] = {{0, 0, 0}, {1e300, 0, 0}, {0, 1e-320, 0}, {NAN, 0, 1}, {INFINITY, 0, 0}};
  const triangle low = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, high = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) assert_false(tri_tri_is_beyond(low, high, wrong[i], 0.5));
  assert_true(tri_tri_gap(low, high) == 1 && tri_tri_gap(high, low) == 1 && tri_tri_gap(low, low) == 0);
}

#ifdef PLIANT_HAVE_GMP
/* Coordinates of magnitudes that have nothing to do with each other, in one triangle. */
static void mixed_magnitudes(test_rng *rng, triangle a, triangle b)
{
  static const double magnitude[] = {1, 1e19, FLT_MAX, 1e60, 1e-30, 1e-70, 5e-324, 1e154, 5e307, 1e-160};
  int kinds = 1 + test_below(rng, 3), first = test_below(rng, 10);
  for (int i = 0; i < 18; ++i) {
    double *x = i < 9 ? &a[i / 3][i % 3] : &b[i / 3 - 3][i % 3];
    *x = magnitude[(first + 3 * test_below(rng, kinds)) % 10] * test_uniform(rng, -1, 1);
  }
  if (test_below(rng, 3) == 0) /* corners in common */
    point_copy(b[test_below(rng, 3)], a[test_below(rng, 3)]);
}

/* The first corners near each other, the others as far away as can be: what is between the
 * first ones tells nothing of the size. */
static void far_corners(test_rng *rng, triangle a, triangle b)
{
  double size = pow(10, test_below(rng, 55));
  reals(rng, a[0], 9, size);
  reals(rng, b[0], 9, size);
  for (int i = 3; i < 9; ++i)
    if (test_below(rng, 2)) b[i / 3][i % 3] = (test_below(rng, 4) ? 1e307 : 1) * test_uniform(rng, -9, 9);
}

/* Long edges along each other, near each other: rounding goes with their length. */
static void long_edges(test_rng *rng, triangle a, triangle b)
{
  double size = ldexp(1, test_below(rng, 45)), along[3], aside[3];
  general(rng, a, b);
  reals(rng, along, 3, size);
  reals(rng, aside, 3, 1);
  for (int k = 0; k < 3; ++k) {
    a[0][k] = 0;
    b[0][k] = aside[k];
    a[1][k] = along[k];
    b[1][k] = along[k] + aside[k];
    a[2][k] += 0.5 * along[k];
    b[2][k] += 0.5 * along[k] + aside[k];
  }
}

/* Is it wrong to say that the triangles are further apart than reach? */
static bool says_too_much(distance_oracle *o, const triangle a, const triangle b, double reach)
{
  if (tri_tri_touch(a, b)) return true;
  oracle_distance(o, a, b);
  mpq_set_d(o->spare[0], reach);
  mpq_mul(o->spare[0], o->spare[0], o->spare[0]);
  return mpq_cmp(o->best, o->spare[0]) <= 0;
}

/* A search asks with the direction of its best pair, which is seldom that of the pair in
 * question. */
static void directions_of_other_pairs_never_say_too_much(void **state)
{
  (void)state;
  static distance_oracle o;
  oracle_all(&o, oracle_mpq_init);
  test_rng rng = {1967};
  int told = 0, touching = 0;
  double other[3] = {1, 0, 0};
  for (int n = 0; n < 400 * PER_SHARE; ++n) {
    triangle a, b;
    closest c;
    int kind = test_below(&rng, PAIR_KINDS + 8);
    if (kind < PAIR_KINDS)
      make_pair(&rng, kind, a, b);
    else if (kind % 3 == 0)
      long_edges(&rng, a, b);
    else if (kind % 3 == 1)
      mixed_magnitudes(&rng, a, b);
    else
      far_corners(&rng, a, b);
    tri_tri_distance(a, b, &c);
    const double part[] = {0, 0.5, 1 - 0x1p-38, 1 + 0x1p-48};
    double own[3], reach = c.distance * part[test_below(&rng, 4)];
    for (int k = 0; k < 3; ++k) own[k] = c.a[k] - c.b[k];
    for (int leaning = 0; leaning < 4; ++leaning) {
      double g[3];
      double length = pow(10, test_below(&rng, 50));
      for (int k = 0; k < 3; ++k) {
        double lean = leaning == 1 ? pow(10, -test_uniform(&rng, 0, 16)) * test_uniform(&rng, -1, 1) : 0;
        g[k] = leaning == 2 ? own[k] : other[k] * (1 + lean);
        if (leaning == 3) g[k] = length * test_uniform(&rng, -1, 1);
      }
      if (!tri_tri_is_beyond(a, b, g, reach)) continue;
      ++told;
      bool wrong = says_too_much(&o, a, b, reach);
      if (wrong) print_pair("beyond a reach that it is within", a, b, &c);
      assert_false(wrong);
    }
    touching += c.distance == 0;
    if (n % 3 == 0) memcpy(other, own, sizeof other);
  }
  print_message("%d directions that tell, %d touching pairs\n", told, touching);
  assert_true(told > 10 * PER_SHARE && touching > 10 * PER_SHARE);
  oracle_all(&o, oracle_mpq_clear);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(gaps_and_directions_never_say_too_much),
      cmocka_unit_test(points_lie_on_the_triangles),
      cmocka_unit_test(nearly_the_same_however_given),
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(directions_of_other_pairs_never_say_too_much),
      cmocka_unit_test(agrees_with_oracle),
      cmocka_unit_test(near_ones_agree_with_oracle),
      cmocka_unit_test(parallel_ones_agree_with_oracle),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
