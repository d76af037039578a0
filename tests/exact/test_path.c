/* Paths of flight plans against rationals: positions are rounded correctly, orders are exact,
 * and no crossing is reported late. */
#include "exact/path.h"

#include "support/support.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

/* Coordinates of every magnitude and kind: alike, equal, on a grid, differing in the last bits,
 * out of all bounds. */
static double coordinate(test_rng *rng, int kind)
{
  switch (kind) {
  case 0:
    return test_uniform(rng, -1, 1);
  case 1:
    return test_below(rng, 17) / 8.0 - 1;
  case 2:
    return 1 + test_below(rng, 9) * DBL_EPSILON;
  case 3:
    return (float)test_uniform(rng, -100, 100);
  case 4:
    return ldexp(test_uniform(rng, -1, 1), test_below(rng, 80) - 40);
  case 5:
    return ldexp(test_uniform(rng, -1, 1), test_below(rng, 2090) - 1066);
  case 6:
    return (test_below(rng, 5) - 2) * 0x1p-1074;
  default:
    return test_below(rng, 2) ? DBL_MAX : -DBL_MAX * test_uniform(rng, 0.5, 1);
  }
}

static double parameter(test_rng *rng)
{
  switch (test_below(rng, 5)) {
  case 0:
    return test_below(rng, 9) / 8.0;
  case 1:
    return path_parameter(ldexp(test_uniform(rng, 0, 1), -test_below(rng, 70)));
  case 2:
    return path_parameter(1 - test_below(rng, 4) * 0x1p-53);
  default:
    return path_parameter(test_uniform(rng, 0, 1));
  }
}

/* p(s), as the formula of the header has it. */
static void rational_value(mpq_t out, const double *p, int degree, double s)
{
  mpq_t x, r, term;
  mpq_inits(x, r, term, NULL);
  mpq_set_d(x, s);
  mpq_set_ui(r, 1, 1);
  mpq_sub(r, r, x);
  mpq_set_ui(out, 0, 1);
  for (int i = 0; i <= degree; ++i) {
    mpq_set_d(term, p[i]);
    for (int k = 0; k < degree; ++k) mpq_mul(term, term, k < i ? x : r);
    if (degree == 2 && i == 1) mpq_add(term, term, term);
    mpq_add(out, out, term);
  }
  mpq_clears(x, r, term, NULL);
}

/* Is the double nearest to the number, even if there are two? */
static bool is_rounded(mpq_t exact, double z)
{
  mpq_t own, other;
  mpq_inits(own, other, NULL);
  mpq_set_d(own, z);
  mpq_sub(own, own, exact);
  mpq_abs(own, own);
  bool good = true;
  for (int side = -1; side <= 1; side += 2) {
    double y = nextafter(z, side * INFINITY);
    if (isinf(y)) continue;
    mpq_set_d(other, y);
    mpq_sub(other, other, exact);
    mpq_abs(other, other);
    int order = mpq_cmp(own, other);
    uint64_t bits;
    memcpy(&bits, &z, sizeof bits);
    good = good && (order < 0 || (order == 0 && bits % 2 == 0));
  }
  mpq_clears(own, other, NULL);
  return good;
}

static void positions_are_rounded_correctly(void **state)
{
  (void)state;
  test_rng rng = {1};
  mpq_t exact;
  mpq_init(exact);
  for (int i = 0; i < 60000; ++i) {
    int degree = 1 + i % 2, kind = i / 2 % 8;
    double c[3], s = parameter(&rng);
    for (int k = 0; k < 3; ++k) c[k] = coordinate(&rng, test_below(&rng, 6) ? kind : test_below(&rng, 8));
    rational_value(exact, c, degree, s);
    double z = path_value(c, degree, s);
    if (!is_rounded(exact, z)) fail_msg("case %d: (%a %a %a) at %a, degree %d: %a", i, c[0], c[1], c[2], s, degree, z);
  }
  mpq_clear(exact);
}

/* Paths that start alike, end alike, are equal or cross near s. */
static void alike(test_rng *rng, const double *p, double *q, int degree, double s)
{
  int kind = test_below(rng, 5);
  for (int k = 0; k <= degree; ++k) {
    if (kind == 0) q[k] = p[k];
    if (kind == 1) q[k] = nextafter(p[k], test_below(rng, 2) ? 1e300 : -1e300);
  }
  if (kind == 2) q[0] = p[0];
  if (kind == 3) q[degree] = p[degree];
  if (kind == 4 && degree == 1 && s < 1) q[0] = (path_value(p, 1, s) - s * q[1]) / (1 - s);
}

static bool sane(const double *q, int degree)
{
  for (int k = 0; k <= degree; ++k)
    if (!isfinite(q[k])) return false;
  return true;
}

static void orders_are_exact(void **state)
{
  (void)state;
  test_rng rng = {2};
  mpq_t x, y;
  mpq_inits(x, y, NULL);
  int equal = 0;
  for (int i = 0; i < 60000; ++i) {
    int degree = 1 + i % 2, kind = i / 2 % 8;
    double p[3], q[3], s = parameter(&rng);
    for (int k = 0; k < 3; ++k) p[k] = coordinate(&rng, kind), q[k] = coordinate(&rng, kind);
    if (test_below(&rng, 2)) alike(&rng, p, q, degree, s);
    if (!sane(q, degree)) continue;
    rational_value(x, p, degree, s);
    rational_value(y, q, degree, s);
    int order = mpq_cmp(x, y);
    order = (order > 0) - (order < 0);
    equal += order == 0;
    assert_int_equal(path_order(p, q, degree, s), order);
    assert_int_equal(path_order(q, p, degree, s), -order);
    assert_int_equal(path_compare(p, q, degree, s), order);
  }
  assert_true(equal > 1000);
  mpq_clears(x, y, NULL);
}

/* At random moments before the one that is reported q is not above p; linear paths have crossed
 * soon after it. */
static void crossings_are_not_late(void **state)
{
  (void)state;
  test_rng rng = {3};
  int crossings = 0, never = 0;
  for (int i = 0; i < 40000; ++i) {
    int degree = 1 + i % 2, kind = i / 2 % 8;
    double p[3], q[3], s = parameter(&rng);
    for (int k = 0; k < 3; ++k) p[k] = coordinate(&rng, kind), q[k] = coordinate(&rng, kind);
    if (test_below(&rng, 2)) alike(&rng, p, q, degree, s);
    if (!sane(q, degree) || path_order(p, q, degree, s) < 0 || s == 1) continue;
    double t = path_until(p, q, degree, s), end = t < 1 ? t : 1;
    assert_true(t > s);
    for (int k = 0; k < 8; ++k) {
      double at = path_parameter(s + (end - s) * (k < 4 ? test_uniform(&rng, 0, 1) : 1 - ldexp(1, -10 * (k - 3))));
      if (at >= s && at < t && at <= 1) assert_true(path_order(p, q, degree, at) >= 0);
    }
    never += t > 1;
    if (t > 1) {
      assert_true(path_order(p, q, degree, 1) >= 0);
      continue;
    }
    ++crossings;
    double soon = fmin(1, fmax(fmax(t * (1 + 0x1p-48), t + 0x1p-59), path_next(path_next(s))));
    if (degree == 1 && t < 1) assert_true(path_order(p, q, 1, path_parameter(soon)) <= 0);
  }
  assert_true(crossings > 4000 && never > 4000);
}

/* Going from moment to moment, as a queue does, ends soon: paths that touch, nearly touch or
 * cross twice. */
static void moments_are_few(void **state)
{
  (void)state;
  test_rng rng = {4};
  for (int i = 0; i < 2000; ++i) {
    double p[3], q[3], s = 0, low = test_uniform(&rng, 0, 1), gap = (test_below(&rng, 5) - 2) * 0x1p-40;
    for (int k = 0; k < 3; ++k) p[k] = coordinate(&rng, i % 2);
    const double square[3] = {low * low + gap, -low * (1 - low) + gap,
                              (1 - low) * (1 - low) + gap}; /* (s - low)^2 + gap */
    for (int k = 0; k < 3; ++k) q[k] = p[k] - square[k];
    int steps = 0;
    for (; s < 1 && path_order(p, q, 2, s) >= 0; ++steps) s = path_until(p, q, 2, s);
    assert_true(steps < 400);
  }
}
#endif

static void parameters_are_on_the_grid(void **state)
{
  (void)state;
  test_rng rng = {5};
  for (int i = 0; i < 10000; ++i) {
    double s = path_parameter(ldexp(test_uniform(&rng, 0, 1), -test_below(&rng, 80)));
    assert_true(s >= 0 && s <= 1 && s * 0x1p60 == floor(s * 0x1p60) && path_next(s) > s);
    assert_true(path_parameter(path_next(s)) == path_next(s));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(positions_are_rounded_correctly), cmocka_unit_test(orders_are_exact),
      cmocka_unit_test(crossings_are_not_late),          cmocka_unit_test(moments_are_few),
#endif
      cmocka_unit_test(parameters_are_on_the_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
