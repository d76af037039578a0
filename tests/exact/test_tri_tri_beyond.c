/* Triangles that share vertices, against a decision of another kind in rationals: the extreme
 * points of what two closed triangles have in common are corners of one in the other, crossings
 * of edges, or crossings of an edge and a plane. They overlap beyond what they share if one of
 * these points is not part of it. */
#include "exact/tri_tri_beyond.h"

#include "support/support.h" /* after our headers: cmocka has a macro named fail */

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>
#include <math.h>
#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 3000 };
#else
#define CASES test_rounds(25000)
#endif

typedef struct point {
  mpq_t at[3];
} point;

/* Scratch: rationals are slow to make. */
static point d, e, n, r, x, w;
static mpq_t s, t, u, v;

static void sub(point *out, const point *a, const point *b)
{
  for (int k = 0; k < 3; ++k) mpq_sub(out->at[k], a->at[k], b->at[k]);
}

static void cross(point *out, const point *a, const point *b) /* out is another */
{
  for (int k = 0; k < 3; ++k) {
    mpq_mul(u, a->at[(k + 1) % 3], b->at[(k + 2) % 3]);
    mpq_mul(v, a->at[(k + 2) % 3], b->at[(k + 1) % 3]);
    mpq_sub(out->at[k], u, v);
  }
}

static void dot(mpq_t out, const point *a, const point *b) /* not u */
{
  mpq_set_ui(out, 0, 1);
  for (int k = 0; k < 3; ++k) {
    mpq_mul(u, a->at[k], b->at[k]);
    mpq_add(out, out, u);
  }
}

static bool is_zero(const point *a) { return !mpq_sgn(a->at[0]) && !mpq_sgn(a->at[1]) && !mpq_sgn(a->at[2]); }

static bool on_segment(const point *p, const point *a, const point *b)
{
  static point along, way, normal;
  static mpq_t far, all;
  static bool ready;
  if (!ready) {
    point *const parts[] = {&along, &way, &normal};
    for (int i = 0; i < 9; ++i) mpq_init(parts[i / 3]->at[i % 3]);
    mpq_inits(far, all, NULL);
    ready = true;
  }
  sub(&along, b, a);
  sub(&way, p, a);
  cross(&normal, &along, &way);
  if (!is_zero(&normal)) return false;
  if (is_zero(&along)) return is_zero(&way);
  dot(far, &way, &along);
  dot(all, &along, &along);
  return mpq_sgn(far) >= 0 && mpq_cmp(far, all) <= 0;
}

static bool in_triangle(const point *p, const point c[3])
{
  static point edge[3], normal, way, side;
  static mpq_t z;
  static bool ready;
  if (!ready) {
    point *const parts[] = {&edge[0], &edge[1], &edge[2], &normal, &way, &side};
    for (int i = 0; i < 18; ++i) mpq_init(parts[i / 3]->at[i % 3]);
    mpq_init(z);
    ready = true;
  }
  for (int k = 0; k < 3; ++k)
    if (on_segment(p, &c[k], &c[(k + 1) % 3])) return true;
  for (int k = 0; k < 3; ++k) sub(&edge[k], &c[(k + 1) % 3], &c[k]);
  cross(&normal, &edge[0], &edge[1]);
  if (is_zero(&normal)) return false;
  sub(&way, p, &c[0]);
  dot(z, &way, &normal);
  if (mpq_sgn(z)) return false;
  for (int k = 0; k < 3; ++k) {
    sub(&way, p, &c[k]);
    cross(&side, &edge[k], &way);
    dot(z, &side, &normal);
    if (mpq_sgn(z) < 0) return false;
  }
  return true;
}

/* What two triangles share: corners a[0 .. count) are b[0 .. count). */
typedef struct sharing {
  const point *a, *b;
  int count;
} sharing;

/* Is a point of both beyond what they share? */
static bool beyond(const sharing *h, const point *p)
{
  if (!in_triangle(p, h->a) || !in_triangle(p, h->b)) return false;
  if (h->count == 2) return !on_segment(p, &h->a[0], &h->a[1]);
  return mpq_cmp(p->at[0], h->a[0].at[0]) || mpq_cmp(p->at[1], h->a[0].at[1]) || mpq_cmp(p->at[2], h->a[0].at[2]);
}

/* p + t d, if t is in [0, 1]. */
static bool at_part(const point *p, const mpq_t part)
{
  if (mpq_sgn(part) < 0 || mpq_cmp_ui(part, 1, 1) > 0) return false;
  for (int k = 0; k < 3; ++k) {
    mpq_mul(u, d.at[k], part);
    mpq_add(x.at[k], p->at[k], u);
  }
  return true;
}

static bool edges_beyond(const sharing *h, const point *p, const point *p2, const point *q, const point *q2)
{
  sub(&d, p2, p);
  sub(&e, q2, q);
  cross(&n, &d, &e);
  if (is_zero(&n)) return false;
  sub(&r, q, p);
  cross(&w, &r, &e);
  dot(s, &w, &n);
  dot(t, &n, &n);
  mpq_div(s, s, t);
  return at_part(p, s) && beyond(h, &x);
}

static bool plane_beyond(const sharing *h, const point *p, const point *p2, const point c[3])
{
  sub(&d, &c[1], &c[0]);
  sub(&e, &c[2], &c[0]);
  cross(&n, &d, &e);
  sub(&d, p2, p);
  dot(t, &d, &n);
  if (!mpq_sgn(t)) return false;
  sub(&r, &c[0], p);
  dot(s, &r, &n);
  mpq_div(s, s, t);
  return at_part(p, s) && beyond(h, &x);
}

static bool decide(const sharing *h)
{
  if (h->count == 3) {
    sub(&d, &h->a[1], &h->a[0]);
    sub(&e, &h->a[2], &h->a[0]);
    cross(&n, &d, &e);
    return !is_zero(&n);
  }
  for (int i = 0; i < 3; ++i) {
    if (beyond(h, &h->a[i]) || beyond(h, &h->b[i])) return true;
    if (plane_beyond(h, &h->a[i], &h->a[(i + 1) % 3], h->b)) return true;
    if (plane_beyond(h, &h->b[i], &h->b[(i + 1) % 3], h->a)) return true;
    for (int j = 0; j < 3; ++j)
      if (edges_beyond(h, &h->a[i], &h->a[(i + 1) % 3], &h->b[j], &h->b[(j + 1) % 3])) return true;
  }
  return false;
}

/* ------------------------------------------------------------------------------------- cases -- */

/* Coordinates of small numbers, so that everything degenerate happens; flat; nearly flat; of
 * mixed size. */
static void make(test_rng *rng, int kind, double a[3][3], double b[3][3], int count)
{
  int most = 1 + test_below(rng, 3), axis = test_below(rng, 3);
  for (int i = 0; i < 18; ++i) {
    double *to = i < 9 ? &a[i / 3][i % 3] : &b[i / 3 - 3][i % 3];
    *to = test_below(rng, 2 * most + 1) - most;
    if (kind % 2 && i % 3 == axis) *to = kind == 1 ? 0 : ldexp(*to, -40 - test_below(rng, 20));
    if (kind == 4) *to = ldexp(*to, test_below(rng, 60) - 30);
    if (kind == 6) *to = 0.1 * *to + 1e6;
    if (kind == 8) *to = test_uniform(rng, -1, 1);
  }
  if (kind == 5) /* a corner of b on an edge of a, or beyond it */
    for (int k = 0; k < 3; ++k) b[2][k] = a[0][k] + (a[2][k] - a[0][k]) * 0.5 * test_below(rng, 4);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) b[i][k] = a[i][k];
}

static void like_rationals(void **state)
{
  (void)state;
  point p[6];
  size_t yes[4] = {0}, no[4] = {0};
  point *const scratch[] = {&d, &e, &n, &r, &x, &w};
  for (int i = 0; i < 18; ++i) mpq_inits(p[i / 3].at[i % 3], scratch[i / 3]->at[i % 3], NULL);
  mpq_inits(s, t, u, v, NULL);
  for (int round = 0; round < CASES; ++round) {
    test_rng rng = {(uint64_t)round + 1};
    int count = 1 + round % 3, kind = test_below(&rng, 9), turn_a = test_below(&rng, 3), turn_b = test_below(&rng, 3);
    double a[3][3], b[3][3], ta[3][3], tb[3][3];
    uint32_t of_a[3], of_b[3];
    make(&rng, kind, a, b, count);
    for (int i = 0; i < 18; ++i) mpq_set_d(p[i / 3].at[i % 3], i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3]);
    bool wanted = decide(&(sharing){p, p + 3, count});
    bool mirrored = test_below(&rng, 2); /* corners in any order */
    for (int i = 0; i < 3; ++i) {
      int ia = (i + turn_a) % 3, ib = mirrored ? (2 - i + turn_b) % 3 : (i + turn_b) % 3;
      of_a[ia] = (uint32_t)i + 10;
      of_b[ib] = i < count ? (uint32_t)i + 10 : (uint32_t)i + 20;
      for (int k = 0; k < 3; ++k) {
        ta[ia][k] = a[i][k];
        tb[ib][k] = b[i][k];
      }
    }
    bool found = tri_tri_beyond((const double(*)[3])ta, of_a, (const double(*)[3])tb, of_b);
    bool again = tri_tri_beyond((const double(*)[3])tb, of_b, (const double(*)[3])ta, of_a);
    if (found != wanted || again != wanted)
      fail_msg("case %d of kind %d with %d vertices in common: %d and %d instead of %d", round, kind, count, found,
               again, wanted);
    ++(wanted ? yes : no)[count];
  }
  for (int k = 1; k <= 3; ++k) {
    print_message("%d in common: %zu overlap beyond them, %zu do not\n", k, yes[k], no[k]);
    assert_true(yes[k] > (size_t)CASES / 100 && no[k] > (size_t)CASES / 100);
  }
  for (int i = 0; i < 18; ++i) mpq_clears(p[i / 3].at[i % 3], scratch[i / 3]->at[i % 3], NULL);
  mpq_clears(s, t, u, v, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_rationals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) { return 0; }
#endif
