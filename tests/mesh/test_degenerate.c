/* Triangles without area, told exactly: in awkward numbers, where differences round, and against
 * rationals. */
#include "exact/predicates.h"
#include "mesh/mesh.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>
#endif

static void collinear_in_awkward_numbers(void **state)
{
  (void)state;
  const struct {
    double p[3][3];
    bool expected;
  } cases[] = {
      {{{0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}, {0.3, 0.3, 0.3}}, true},
      {{{0.1, 0.2, 0}, {0.2, 0.4, 0}, {0.3, 0.6, 0}}, true},
      /* On one line as written, not as doubles: 0.1 + 0.2 != 0.3. */
      {{{0, 0, 0}, {0.1, 0.3, 0}, {0.3, 0.9, 0}}, false},
      {{{0, 0, 0}, {1, 3, 0}, {3, 9, 0}}, true},
      {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, true},
      {{{1, 2, 3}, {1, 2, 3}, {7, -8, 9}}, true},
      {{{DBL_MAX, DBL_MAX, -DBL_MAX}, {0, 0, 0}, {-DBL_MAX, -DBL_MAX, DBL_MAX}}, true},
      {{{DBL_MAX, DBL_MAX, -DBL_MAX}, {0, 0, 5e-324}, {-DBL_MAX, -DBL_MAX, DBL_MAX}}, false},
      {{{5e-324, 0, 0}, {0, 5e-324, 0}, {0, 0, 5e-324}}, false},
      {{{5e-324, 5e-324, 0}, {1e-323, 1e-323, 0}, {1.5e-323, 1.5e-323, 0}}, true},
      {{{1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 0}}, false}, /* the cross product underflows */
      {{{1e200, 0, 0}, {0, 1e200, 0}, {0, 0, 0}}, false},   /* and overflows */
      {{{1e308, 1e-308, 0}, {2e-308, 0, 0}, {0, 0, 0}}, false},
      /* products that differ in sign only */
      {{{0, 0, 0}, {1e-200, 1e-200, 0}, {1e-200, -1e-200, 0}}, false},
      {{{1, 1, 1}, {1 + DBL_EPSILON, 1, 1}, {1, 1, 1 + DBL_EPSILON}}, false},
      {{{1, 1, 1}, {1 + DBL_EPSILON, 1, 1}, {1 + 4 * DBL_EPSILON, 1, 1}}, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int turn = 0; turn < 3; ++turn)
      for (int axis = 0; axis < 3; ++axis) {
        double p[3][3];
        for (int c = 0; c < 3; ++c)
          for (int k = 0; k < 3; ++k) p[c][k] = cases[i].p[(c + turn) % 3][(k + axis) % 3];
        if (collinear3(p[0], p[1], p[2]) != cases[i].expected) fail_msg("case %zu, turn %d, axis %d", i, turn, axis);
      }
}

/* Multiples of one direction whose differences no double holds: the filter must not trust its
 * own rounding, at any size. */
static void collinear_where_differences_round(void **state)
{
  (void)state;
  test_rng rng = {11};
  for (int round = 0; round < 20000; ++round) {
    double p[3][3];
    int size = test_below(&rng, 3) * 580 - 580; /* products vanish, are plain, or overflow */
    for (int c = 0; c < 3; ++c) {
      double x = (double)(test_random(&rng) >> 14); /* 50 bits: x, 3 x and 5 x are exact */
      x = ldexp(x, size - test_below(&rng, 20));
      p[c][0] = x, p[c][1] = 3 * x, p[c][2] = 5 * x;
    }
    assert_true(collinear3(p[0], p[1], p[2]));
    int axis = test_below(&rng, 3);
    p[1][axis] = nextafter(p[1][axis], 0);
    assert_false(collinear3(p[0], p[1], p[2]));
  }
}

#ifdef PLIANT_HAVE_GMP
static bool collinear_by_gmp(const double p[3][3])
{
  mpq_t d[2][3], left, right;
  bool all = true;
  mpq_inits(left, right, NULL);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) {
      mpq_init(d[k][i]);
      mpq_set_d(left, p[k + 1][i]);
      mpq_set_d(right, p[0][i]);
      mpq_sub(d[k][i], left, right);
    }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    mpq_mul(left, d[0][i], d[1][j]);
    mpq_mul(right, d[0][j], d[1][i]);
    all &= mpq_equal(left, right) != 0;
  }
  for (int k = 0; k < 6; ++k) mpq_clear(d[k / 3][k % 3]);
  mpq_clears(left, right, NULL);
  return all;
}

/* Points on lines of small integers, of any size and offset, with a last place changed now and
 * then. */
static void collinear_matches_rationals(void **state)
{
  (void)state;
  test_rng rng = {7};
  int on = 0, off = 0;
  for (int round = 0; round < 20000; ++round) {
    double p[3][3], start[3], step[3];
    int size = test_below(&rng, 2000) - 1040;
    for (int i = 0; i < 3; ++i) {
      start[i] = test_below(&rng, 3) ? (double)(test_random(&rng) >> (11 + test_below(&rng, 40))) : 0;
      step[i] = (double)test_below(&rng, 2000) - 1000;
    }
    for (int c = 0; c < 3; ++c) {
      double along = (double)test_below(&rng, 4000) - 2000;
      for (int i = 0; i < 3; ++i) p[c][i] = ldexp(start[i] + along * step[i], size - 60);
    }
    if (test_below(&rng, 2)) {
      double *x = &p[test_below(&rng, 3)][test_below(&rng, 3)];
      *x = nextafter(*x, test_below(&rng, 2) ? DBL_MAX : -DBL_MAX);
    }
    bool expected = collinear_by_gmp((const double(*)[3])p);
    on += expected;
    off += !expected;
    if (collinear3(p[0], p[1], p[2]) != expected)
      fail_msg("%a %a %a, %a %a %a, %a %a %a", p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2], p[2][0], p[2][1],
               p[2][2]);
  }
  assert_true(on > 2000 && off > 2000);
}
#endif

static void counts_degenerate_triangles(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  float xyz[] = {0, 0, 0, 1, 1, 1, 3, 3, 3, 0, 0, 0, 1, 0, 0};
  uint32_t triangles[] = {0, 1, 2, 0, 3, 4, 0, 1, 4, 4, 4, 1};
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(xyz, 5);
  def.triangles = triangles;
  def.triangle_count = 4;
  pl_mesh_info info;
  assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
  assert_int_equal(info.degenerate_triangles, 3);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collinear_in_awkward_numbers),
      cmocka_unit_test(collinear_where_differences_round),
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(collinear_matches_rationals),
#endif
      cmocka_unit_test(counts_degenerate_triangles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
