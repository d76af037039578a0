/* Signs of determinants: each stage alone against GMP (without GMP: against the last stage) on
 * inputs that are made to be hard for it. A stage may be unsure, never wrong, and must be sure
 * where the header says so. */
#include "exact/predicates.h"
#include "exact/whole.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/oracle.h"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 8000 };
#else
#define ROUNDS test_rounds(60000)
#endif

typedef double quad[4][3]; /* a, b, c, d */

/* ------------------------------------------------------------------------------------- truth -- */

#ifdef PLIANT_HAVE_GMP
typedef struct truth {
  mpz_t x[12], d[9], minor, sum;
} truth;

static void truth_init(truth *t)
{
  for (int i = 0; i < 12; ++i) mpz_init(t->x[i]);
  for (int i = 0; i < 9; ++i) mpz_init(t->d[i]);
  mpz_inits(t->minor, t->sum, NULL);
}

static void truth_clear(truth *t)
{
  for (int i = 0; i < 12; ++i) mpz_clear(t->x[i]);
  for (int i = 0; i < 9; ++i) mpz_clear(t->d[i]);
  mpz_clears(t->minor, t->sum, NULL);
}

/* Differences to the first point, by rows. */
static void truth_load(truth *t, const quad q)
{
  oracle_integers(q[0], 12, t->x);
  for (int i = 0; i < 9; ++i) mpz_sub(t->d[i], t->x[3 + i], t->x[i % 3]);
}

/* Component k of the first row times the second. */
static void truth_minor(truth *t, int k)
{
  int u = (k + 1) % 3, v = (k + 2) % 3;
  mpz_mul(t->minor, t->d[u], t->d[3 + v]);
  mpz_submul(t->minor, t->d[v], t->d[3 + u]);
}

static int truth_orient3d(truth *t, const quad q)
{
  truth_load(t, q);
  mpz_set_ui(t->sum, 0);
  for (int k = 0; k < 3; ++k) {
    truth_minor(t, k);
    mpz_addmul(t->sum, t->minor, t->d[6 + k]);
  }
  return mpz_sgn(t->sum);
}

static int truth_orient2d(truth *t, int axis, const quad q)
{
  truth_load(t, q);
  truth_minor(t, axis);
  return mpz_sgn(t->minor);
}
#else
typedef int truth;
static void truth_init(truth *t) { *t = 0; }

static void truth_clear(truth *t) { *t = 0; }

static int truth_orient3d(truth *t, const quad q) { return orient3d_big(q[0], q[1], q[2], q[3]); }

static int truth_orient2d(truth *t, int axis, const quad q) { return orient2d_big(axis, q[0], q[1], q[2]); }
#endif

/* ------------------------------------------------------------------------------------ inputs -- */

static double step(double x, int ulps)
{
  for (; ulps > 0; --ulps) x = nextafter(x, INFINITY);
  for (; ulps < 0; ++ulps) x = nextafter(x, -INFINITY);
  return x;
}

static void random_quad(test_rng *rng, quad q)
{
  for (int i = 0; i < 12; ++i) q[i / 3][i % 3] = test_uniform(rng, -1, 1);
}

/* d in the plane of a, b, c up to rounding and a few units in the last place; sometimes c near
 * the line ab as well. */
static void nearly_flat(test_rng *rng, quad q)
{
  random_quad(rng, q);
  double u = test_uniform(rng, -1, 2), v = test_uniform(rng, -1, 2);
  bool thin = test_below(rng, 2);
  for (int k = 0; k < 3; ++k) {
    if (thin) q[2][k] = step(q[0][k] + v * (q[1][k] - q[0][k]), test_below(rng, 5) - 2);
    q[3][k] = q[0][k] + u * (q[1][k] - q[0][k]) + v * (q[2][k] - q[0][k]);
    q[3][k] = step(q[3][k], test_below(rng, 41) - 20);
  }
}

/* The same about a point far away: differences lose nearly all bits, the coordinates keep them. */
static void far_away(test_rng *rng, quad q)
{
  nearly_flat(rng, q);
  double centre = ldexp(1 + test_uniform(rng, 0, 1), test_below(rng, 40));
  for (int i = 0; i < 12; ++i) q[i / 3][i % 3] += centre;
}

/* Axes scaled about the ends of the filter's range, and of the integers'. */
static void scaled(test_rng *rng, quad q)
{
  static const int about[] = {-300, 0, 300, -330, 330, -360, -900, 900, -1060, 1000};
  int wide = test_below(rng, 2) ? 3 : 10;
  (test_below(rng, 2) ? nearly_flat : random_quad)(rng, q);
  for (int k = 0; k < 3; ++k) {
    int e = about[test_below(rng, wide)] + test_below(rng, 9) - 4;
    for (int i = 0; i < 4; ++i) q[i][k] = ldexp(q[i][k], e);
  }
}

/* Any bits that are a finite number; the ends of the range often. */
static void any_doubles(test_rng *rng, quad q)
{
  static const double ends[] = {0, -0.0, DBL_MAX, -DBL_MAX, 0x1p-1074, -0x1p-1074, DBL_MIN, -DBL_MIN};
  bool often = test_below(rng, 2);
  for (int i = 0; i < 12; ++i) {
    double x;
    do {
      uint64_t bits = test_random(rng);
      memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    q[i / 3][i % 3] = often && test_below(rng, 2) ? ends[test_below(rng, 8)] : x;
  }
}

/* Integers of so many bits on each axis, often all ones, so that products come near the ends of
 * 128 bits. */
static void integer_quad(test_rng *rng, quad q, const int bits[3])
{
  for (int i = 0; i < 12; ++i) {
    int64_t most = ((int64_t)1 << bits[i % 3]) - 1;
    int64_t n = test_below(rng, 2) ? most : (int64_t)(test_random(rng) & (uint64_t)most);
    q[i / 3][i % 3] = (double)(test_below(rng, 2) ? n : -n);
  }
}

static void integers_40(test_rng *rng, quad q)
{
  integer_quad(rng, q, (int[3]){40, 40, 40});
  int e = test_below(rng, 1600) - 800;
  for (int i = 0; i < 12; ++i) q[i / 3][i % 3] = ldexp(q[i / 3][i % 3], e);
}

/* Differences of any signs but one size give the greatest determinants: 4 times the product of
 * the sizes. */
static void integers_uneven(test_rng *rng, quad q)
{
  int bits[3] = {30 + test_below(rng, 24), 20 + test_below(rng, 34), 20 + test_below(rng, 34)};
  integer_quad(rng, q, bits);
  if (test_below(rng, 2)) return;
  for (int i = 0; i < 12; ++i) {
    double most = ldexp(1, bits[i % 3]) - 1;
    q[i / 3][i % 3] = i < 3 ? 0 : test_below(rng, 2) ? most : -most;
  }
}

/* Flat and integer: the determinant is exactly zero, or one step away from it. */
static void integers_flat(test_rng *rng, quad q)
{
  integer_quad(rng, q, (int[3]){26, 26, 26});
  int u = test_below(rng, 1000), v = test_below(rng, 1000);
  for (int k = 0; k < 3; ++k) q[3][k] = q[0][k] + u * (q[1][k] - q[0][k]) - v * (q[2][k] - q[0][k]);
  if (test_below(rng, 2)) q[3][test_below(rng, 3)] += 1;
}

/* a, b, c on a line, exactly, or a step off it. */
static void on_a_line(test_rng *rng, quad q)
{
  integer_quad(rng, q, (int[3]){20, 20, 20});
  int u = test_below(rng, 4096) - 2048, e = test_below(rng, 1900) - 1000;
  for (int k = 0; k < 3; ++k) q[2][k] = q[0][k] + u * (q[1][k] - q[0][k]);
  int axis = test_below(rng, 6);
  if (axis < 3) q[2][axis] = step(q[2][axis], 1);
  for (int i = 0; i < 12; ++i) q[i / 3][i % 3] = ldexp(q[i / 3][i % 3], e);
}

/* Points about the middle of a unit cube in steps of 2^-53, against far points on its diagonal. */
static void diagonal(test_rng *rng, quad q)
{
  for (int i = 0; i < 12; ++i) q[i / 3][i % 3] = i < 3 ? 0.5 + test_below(rng, 256) * 0x1p-53 : 12.0 * (i / 3);
  q[2][2] += test_below(rng, 2);
  q[3][0] += test_below(rng, 2);
}

typedef void (*quad_maker)(test_rng *rng, quad q);
static const struct {
  const char *name;
  quad_maker make;
} kinds[] = {{"random", random_quad},
             {"nearly flat", nearly_flat},
             {"far away", far_away},
             {"scaled", scaled},
             {"any doubles", any_doubles},
             {"40-bit integers", integers_40},
             {"uneven integers", integers_uneven},
             {"flat integers", integers_flat},
             {"on a line", on_a_line},
             {"diagonal", diagonal}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void check(const char *stage, const char *kind, int sign, int truth_sign, const quad q)
{
  if (sign == truth_sign) return;
  for (int i = 0; i < 4; ++i) print_message("  %c: %a %a %a\n", 'a' + i, q[i][0], q[i][1], q[i][2]);
  fail_msg("%s on %s: %d, not %d", stage, kind, sign, truth_sign);
}

/* ------------------------------------------------------------------------------------- tests -- */

static void orient3d_stages(void **state)
{
  truth t;
  truth_init(&t);
  test_rng rng = {1};
  for (int kind = 0; kind < KINDS; ++kind) {
    int sure[2] = {0, 0}, zeros = 0;
    for (int n = 0; n < ROUNDS; ++n) {
      quad q;
      do kinds[kind].make(&rng, q);
      while (!isfinite(q[0][0] + q[3][2]));
      int expected = truth_orient3d(&t, q), signs[3];
      int filter = orient3d_filter(q[0], q[1], q[2], q[3]), integer = orient3d_integer(q[0], q[1], q[2], q[3]);
      if (filter != SIGN_UNSURE) check("filter", kinds[kind].name, filter, expected, q);
      if (integer != SIGN_UNSURE) check("integer", kinds[kind].name, integer, expected, q);
      check("big", kinds[kind].name, orient3d_big(q[0], q[1], q[2], q[3]), expected, q);
      check("sign", kinds[kind].name, orient3d_sign(q[0], q[1], q[2], q[3]), expected, q);
      check("swapped", kinds[kind].name, orient3d_sign(q[1], q[0], q[2], q[3]), -expected, q);
      orient3d_signs(q, q + 1, signs);
      check("signs", kinds[kind].name, signs[2], expected, q);
      assert_true(signs[0] == 0 && signs[1] == 0);
      sure[0] += filter != SIGN_UNSURE;
      sure[1] += integer != SIGN_UNSURE;
      zeros += expected == 0;
    }
    print_message("orient3d, %-16s %d: sure by filter %5.1f %%, by integers %5.1f %%; zero %5.1f %%\n",
                  kinds[kind].name, ROUNDS, 100.0 * sure[0] / ROUNDS, 100.0 * sure[1] / ROUNDS, 100.0 * zeros / ROUNDS);
    if (kinds[kind].make == random_quad) assert_true(sure[0] > ROUNDS * 0.999);
    if (kinds[kind].make == integers_40 || kinds[kind].make == integers_flat) assert_int_equal(sure[1], ROUNDS);
  }
  truth_clear(&t);
}

static void orient2d_stages(void **state)
{
  truth t;
  truth_init(&t);
  test_rng rng = {2};
  for (int kind = 0; kind < KINDS; ++kind)
    for (int n = 0; n < ROUNDS; ++n) {
      quad q;
      int axis = n % 3;
      kinds[kind].make(&rng, q);
      int expected = truth_orient2d(&t, axis, q);
      int filter = orient2d_filter(axis, q[0], q[1], q[2]), integer = orient2d_integer(axis, q[0], q[1], q[2]);
      if (filter != SIGN_UNSURE) check("2d filter", kinds[kind].name, filter, expected, q);
      if (integer != SIGN_UNSURE) check("2d integer", kinds[kind].name, integer, expected, q);
      if (kinds[kind].make == integers_40) assert_int_not_equal(integer, SIGN_UNSURE);
      check("2d big", kinds[kind].name, orient2d_big(axis, q[0], q[1], q[2]), expected, q);
      check("2d sign", kinds[kind].name, orient2d_sign(axis, q[0], q[1], q[2]), expected, q);
      check("2d swapped", kinds[kind].name, orient2d_sign(axis, q[0], q[2], q[1]), -expected, q);
    }
  truth_clear(&t);
}

static void lines(void **state)
{
  truth t;
  truth_init(&t);
  test_rng rng = {3};
  for (int kind = 0; kind < KINDS; ++kind)
    for (int n = 0; n < ROUNDS; ++n) {
      quad q;
      kinds[kind].make(&rng, q);
      int signs[3];
      for (int k = 0; k < 3; ++k) signs[k] = truth_orient2d(&t, k, q);
      bool line = !signs[0] && !signs[1] && !signs[2];
      int axis = proper_axis(q[0], q[1], q[2]);
      assert_int_equal(collinear3(q[0], q[1], q[2]), line);
      assert_int_equal(axis < 0, line);
      if (!line) assert_int_not_equal(signs[axis], 0);
    }
  truth_clear(&t);
}

static void known_signs(void **state)
{
  const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, xy[3] = {2, 2, 0};
  const double least[3] = {0, 0, 0x1p-1074}, most[3] = {DBL_MAX, DBL_MAX, -DBL_MAX};
  assert_int_equal(orient3d_sign(o, x, y, z), 1);
  assert_int_equal(orient3d_sign(o, y, x, z), -1);
  assert_int_equal(orient3d_sign(o, x, y, xy), 0);
  assert_int_equal(orient3d_sign(o, x, y, least), 1);
  assert_int_equal(orient3d_sign(o, x, y, most), -1);
  assert_int_equal(orient2d_sign(2, o, x, y), 1);
  assert_int_equal(orient2d_sign(0, o, y, z), 1);
  assert_int_equal(orient2d_sign(1, o, z, x), 1);
  assert_int_equal(orient2d_sign(1, o, x, y), 0);
  assert_true(collinear3(o, o, x));
  assert_false(collinear3(o, least, x));
  assert_int_equal(point_compare(o, least), -1);
  assert_int_equal(point_compare(x, y), 1);
  assert_int_equal(point_compare((double[3]){-0.0, 0, 0}, o), 0);
}

#ifdef PLIANT_HAVE_GMP
enum { LONGEST = 49, POOL = 1024 };

static whole random_whole(test_rng *rng, uint64_t *limb, int limbs)
{
  whole x = {.count = test_below(rng, limbs + 1), .limb = limb};
  for (int i = 0; i < x.count; ++i) {
    int pick = test_below(rng, 4);
    limb[i] = pick == 0 ? 0 : pick == 1 ? UINT64_MAX : test_random(rng);
  }
  if (x.count && !limb[x.count - 1]) limb[x.count - 1] = 1;
  x.sign = x.count ? 1 - 2 * test_below(rng, 2) : 0;
  return x;
}

static void to_mpz(mpz_t to, whole x)
{
  mpz_import(to, (size_t)x.count, -1, sizeof x.limb[0], 0, 0, x.limb);
  if (x.sign < 0) mpz_neg(to, to);
}

static void check_whole(whole x, mpz_t expected, mpz_t spare)
{
  assert_true(x.count == 0 ? x.sign == 0 : x.limb[x.count - 1] != 0);
  to_mpz(spare, x);
  assert_int_equal(mpz_cmp(spare, expected), 0);
  assert_int_equal(x.sign, mpz_sgn(expected));
}

static void whole_arithmetic(void **state)
{
  uint64_t of_x[LONGEST], of_y[LONGEST], limbs[POOL];
  mpz_t mx, my, mr, spare;
  mpz_inits(mx, my, mr, spare, NULL);
  test_rng rng = {4};
  for (int n = 0; n < ROUNDS; ++n) {
    const int most = n % 2 ? 3 : LONGEST, up = test_below(&rng, 200);
    whole_pool pool = whole_pool_of(limbs, POOL);
    whole x = random_whole(&rng, of_x, most), y = random_whole(&rng, of_y, most);
    if (test_below(&rng, 3) == 0) { /* equal, or nearly */
      memcpy(of_y, of_x, sizeof of_y);
      y.count = x.count;
      y.sign = x.sign;
      if (y.count && test_below(&rng, 2)) of_y[0] ^= 1;
      if (y.count == 1 && !of_y[0]) y.count = y.sign = 0;
      y.sign *= 1 - 2 * test_below(&rng, 2);
    }
    to_mpz(mx, x);
    to_mpz(my, y);
    mpz_add(mr, mx, my);
    check_whole(whole_add(&pool, x, y), mr, spare);
    mpz_sub(mr, mx, my);
    check_whole(whole_sub(&pool, x, y), mr, spare);
    assert_int_equal(whole_compare(x, 3, y, 3), mpz_sgn(mr));
    mpz_mul(mr, mx, my);
    check_whole(whole_mul(&pool, x, y), mr, spare);
    mpz_mul_2exp(mr, mx, (mp_bitcnt_t)up);
    const int order = mpz_cmp(mr, my);
    assert_int_equal(whole_compare(x, up - 7, y, -7), (order > 0) - (order < 0));
  }
  mpz_clears(mx, my, mr, spare, NULL);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_signs),
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(whole_arithmetic),
#endif
      cmocka_unit_test(orient3d_stages),  cmocka_unit_test(orient2d_stages), cmocka_unit_test(lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
