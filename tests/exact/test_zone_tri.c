/* Triangles and zones: against a triangle that is clipped in rationals of GMP by one half-space
 * after the other, and for spheres against the square of the distance; the fast stages against
 * integers. */
#include "exact/pair_kinds.h"
#include "exact/zone_tri.h"
#include "pliant/base.h"

#include <float.h>
#ifdef PLIANT_HAVE_GMP
#include "exact/distance_oracle.h"
#include "exact/polygon_oracle.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 150 };
#else
#define ROUNDS test_rounds(1500)
#endif

static void value(mpq_t out, const double n[4], mpq_t x[3])
{
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  mpq_set_d(out, n[3]);
  for (int k = 0; k < 3; ++k) {
    mpq_set_d(a, n[k]);
    mpq_mul(b, a, x[k]);
    mpq_add(out, out, b);
  }
  mpq_clears(a, b, NULL);
}

static void clip(polygon *p, const double n[4])
{
  mpq_t at[MOST_CORNERS];
  for (int i = 0; i < MOST_CORNERS; ++i) mpq_init(at[i]);
  for (int i = 0; i < p->count; ++i) value(at[i], n, p->x[i]);
  polygon_cut(p, at);
  for (int i = 0; i < MOST_CORNERS; ++i) mpq_clear(at[i]);
}

static bool clipped(const pl_zone *r, const triangle t)
{
  polygon p = {.count = 3};
  polygon_init(&p);
  for (int i = 0; i < 9; ++i) mpq_set_d(p.x[i / 3][i % 3], t[i / 3][i % 3]);
  for (int i = 0; i < (r->kind == PL_ZONE_BOX ? 6 : r->plane_count) && p.count; ++i) {
    double n[4] = {0};
    for (int k = 0; k < 4; ++k) n[k] = r->planes[i][k];
    if (r->kind == PL_ZONE_BOX) {
      memset(n, 0, sizeof n);
      n[i % 3] = i < 3 ? 1 : -1;
      n[3] = i < 3 ? -r->lower[i] : r->upper[i - 3];
    }
    clip(&p, n);
  }
  int count = p.count;
  polygon_clear(&p);
  return count > 0;
}

static bool near_enough(const pl_zone *r, const triangle t, distance_oracle *o)
{
  const double *c = r->centre;
  const double point[3][3] = {{c[0], c[1], c[2]}, {c[0], c[1], c[2]}, {c[0], c[1], c[2]}};
  oracle_distance(o, point, t);
  mpq_set_d(o->spare[0], r->radius);
  mpq_mul(o->spare[0], o->spare[0], o->spare[0]);
  return mpq_cmp(o->best, o->spare[0]) <= 0;
}

/* Numbers of one of these sorts: small integers, reals, or of any magnitude. */
static double number(test_rng *rng, int sort)
{
  if (sort == 0) return any_integer(rng, -3, 3);
  if (sort == 1) return test_uniform(rng, -3, 3);
  if (sort == 2) return any_integer(rng, -6, 6) * 0.5 + (test_below(rng, 4) ? 0 : 0x1p-50);
  return ldexp(any_integer(rng, -7, 7), test_below(rng, 1900) - 1000);
}

static void make(test_rng *rng, int kind, int sort, pl_zone *r, triangle t)
{
  *r = (pl_zone){.kind = (pl_zone_kind)kind, .plane_count = kind == PL_ZONE_FRUSTUM ? 1 + test_below(rng, 8) : 0};
  for (int i = 0; i < 9; ++i) t[i / 3][i % 3] = number(rng, sort);
  if (!test_below(rng, 6)) point_copy(t[2], t[test_below(rng, 2)]); /* a segment */
  for (int k = 0; k < 3; ++k) {
    double a = number(rng, sort), b = number(rng, sort);
    r->lower[k] = fmin(a, b);
    r->upper[k] = test_below(rng, 8) ? fmax(a, b) : r->lower[k];
    r->centre[k] = number(rng, sort);
  }
  r->radius = fabs(number(rng, sort));
  if (kind == PL_ZONE_SPHERE && sort != 3 &&
      test_below(rng, 2)) { /* exactly, or a step off, the distance of a corner */
    r->radius = sqrt(pow(t[0][0] - r->centre[0], 2) + pow(t[0][1] - r->centre[1], 2) + pow(t[0][2] - r->centre[2], 2));
    if (test_below(rng, 2)) r->radius = nextafter(r->radius, test_below(rng, 2) ? INFINITY : 0);
  }
  for (int i = 0; i < r->plane_count; ++i) {
    do
      for (int k = 0; k < 4; ++k) r->planes[i][k] = number(rng, sort);
    while (r->planes[i][0] == 0 && r->planes[i][1] == 0 && r->planes[i][2] == 0);
    if (sort != 3 && test_below(rng, 3)) { /* through a corner, as nearly as numbers allow */
      const double *c = t[test_below(rng, 3)];
      r->planes[i][3] = -(r->planes[i][0] * c[0] + r->planes[i][1] * c[1] + r->planes[i][2] * c[2]);
    }
  }
}

static void run(int kind)
{
  test_rng rng = {(uint64_t)kind + 1};
  distance_oracle o;
  int met = 0, all = 0;
  oracle_all(&o, oracle_mpq_init);
  for (int sort = 0; sort < 4; ++sort)
    for (int i = 0; i < (sort == 3 ? ROUNDS / 10 : ROUNDS); ++i, ++all) {
      pl_zone r;
      triangle t;
      make(&rng, kind, sort, &r, t);
      bool want =
          kind == PL_ZONE_SPHERE ? near_enough(&r, (const double(*)[3])t, &o) : clipped(&r, (const double(*)[3])t);
      met += want;
      if (pl_triangle_meets((const double(*)[3])t, &r) != want)
        fail_msg("%s, sort %d, round %d: not %d", pl_word(PL_WORDS_ZONE, r.kind), sort, i, want);
      if (i % 10 == 0 && zone_tri_meet_big(&r, (const double(*)[3])t) != want)
        fail_msg("%s, sort %d, round %d: integers: not %d", pl_word(PL_WORDS_ZONE, r.kind), sort, i, want);
    }
  oracle_all(&o, oracle_mpq_clear);
  print_message("%s: %d of %d meet\n", pl_word(PL_WORDS_ZONE, kind), met, all);
  assert_true(met > all / 20 && met < all - all / 20);
}

static void boxes(void **state)
{
  (void)state;
  run(PL_ZONE_BOX);
}
static void spheres(void **state)
{
  (void)state;
  run(PL_ZONE_SPHERE);
}
static void frusta(void **state)
{
  (void)state;
  run(PL_ZONE_FRUSTUM);
}
#endif

int main(void)
{
#ifdef PLIANT_HAVE_GMP
  const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(spheres), cmocka_unit_test(frusta)};
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  return 0;
#endif
}
