/* Distances of single features and their derivatives, against differences in numbers of 800 bits:
 * random features of all sizes, slivers, edges that are nearly parallel, nearest points at corners
 * and on edges. Needs GMP; without it only the shape of the answers is checked. */
#include "pliant/near.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

enum { BITS = 800, ROUNDS = 1500 };

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-53;
}

/* ----------------------------------------------------------------------- numbers of 800 bits -- */

typedef struct wide3 {
  mpf_t x[3];
} wide3;

static void wide_init(wide3 *w)
{
  for (int k = 0; k < 3; ++k) mpf_init2(w->x[k], BITS);
}

static void wide_clear(wide3 *w)
{
  for (int k = 0; k < 3; ++k) mpf_clear(w->x[k]);
}

static void wide_sub(wide3 *r, const wide3 *a, const wide3 *b)
{
  for (int k = 0; k < 3; ++k) mpf_sub(r->x[k], a->x[k], b->x[k]);
}

static void wide_dot(mpf_t r, const wide3 *a, const wide3 *b)
{
  mpf_t p;
  mpf_init2(p, BITS);
  mpf_set_ui(r, 0);
  for (int k = 0; k < 3; ++k) {
    mpf_mul(p, a->x[k], b->x[k]);
    mpf_add(r, r, p);
  }
  mpf_clear(p);
}

/* Of a point and a segment: the square of the distance, if it is less than *least. */
static void point_segment(const wide3 *v, const wide3 *p, const wide3 *q, mpf_t least)
{
  wide3 way, from, rest;
  mpf_t t, n;
  wide_init(&way), wide_init(&from), wide_init(&rest), mpf_init2(t, BITS), mpf_init2(n, BITS);
  wide_sub(&way, q, p), wide_sub(&from, v, p);
  wide_dot(n, &way, &way), wide_dot(t, &from, &way);
  if (mpf_sgn(n) > 0) mpf_div(t, t, n);
  if (mpf_sgn(t) < 0) mpf_set_ui(t, 0);
  if (mpf_cmp_ui(t, 1) > 0) mpf_set_ui(t, 1);
  for (int k = 0; k < 3; ++k) {
    mpf_mul(rest.x[k], way.x[k], t);
    mpf_sub(rest.x[k], from.x[k], rest.x[k]);
  }
  wide_dot(n, &rest, &rest);
  if (mpf_cmp(n, least) < 0) mpf_set(least, n);
  wide_clear(&way), wide_clear(&from), wide_clear(&rest), mpf_clear(t), mpf_clear(n);
}

/* The least |d + x X + y Y| squared, if x and y are from 0 to 1; of a face also x + y. */
static void inner_point(const wide3 *d, const wide3 *x, const wide3 *y, bool face, mpf_t least)
{
  mpf_t xx, xy, yy, dx, dy, nn, s, t, u;
  mpf_t *all[] = {&xx, &xy, &yy, &dx, &dy, &nn, &s, &t, &u};
  for (int i = 0; i < 9; ++i) mpf_init2(*all[i], BITS);
  wide_dot(xx, x, x), wide_dot(xy, x, y), wide_dot(yy, y, y), wide_dot(dx, d, x), wide_dot(dy, d, y);
  mpf_mul(nn, xx, yy), mpf_mul(u, xy, xy), mpf_sub(nn, nn, u);
  if (mpf_sgn(nn) > 0) {
    mpf_mul(s, xy, dy), mpf_mul(u, yy, dx), mpf_sub(s, s, u), mpf_div(s, s, nn);
    mpf_mul(t, xy, dx), mpf_mul(u, xx, dy), mpf_sub(t, t, u), mpf_div(t, t, nn);
    mpf_add(u, s, t);
    if (mpf_sgn(s) >= 0 && mpf_sgn(t) >= 0 &&
        (face ? mpf_cmp_ui(u, 1) <= 0 : mpf_cmp_ui(s, 1) <= 0 && mpf_cmp_ui(t, 1) <= 0)) {
      wide3 r;
      wide_init(&r);
      for (int k = 0; k < 3; ++k) {
        mpf_mul(r.x[k], x->x[k], s), mpf_mul(u, y->x[k], t);
        mpf_add(r.x[k], r.x[k], u), mpf_add(r.x[k], r.x[k], d->x[k]);
      }
      wide_dot(u, &r, &r);
      if (mpf_cmp(u, least) < 0) mpf_set(least, u);
      wide_clear(&r);
    }
  }
  for (int i = 0; i < 9; ++i) mpf_clear(*all[i]);
}

/* The distance of features of so many corners. */
static void wide_distance(const wide3 p[4], int of_a, int of_b, mpf_t out)
{
  wide3 d, x, y;
  wide_init(&d), wide_init(&x), wide_init(&y);
  mpf_set_d(out, 1e300);
  mpf_mul(out, out, out);
  for (int i = 0; i < of_a; ++i)
    for (int j = 0; j < of_b; ++j) point_segment(&p[i], &p[of_a + j], &p[of_a + (j + 1) % of_b], out);
  for (int j = 0; j < of_b; ++j)
    for (int i = 0; i < of_a; ++i) point_segment(&p[of_a + j], &p[i], &p[(i + 1) % of_a], out);
  if (of_a == 1 && of_b == 3) {
    wide_sub(&d, &p[1], &p[0]), wide_sub(&x, &p[2], &p[1]), wide_sub(&y, &p[3], &p[1]);
    inner_point(&d, &x, &y, true, out);
  } else if (of_a == 2) {
    wide_sub(&d, &p[0], &p[2]), wide_sub(&x, &p[1], &p[0]), wide_sub(&y, &p[2], &p[3]);
    inner_point(&d, &x, &y, false, out);
  }
  mpf_sqrt(out, out);
  wide_clear(&d), wide_clear(&x), wide_clear(&y);
}

/* (D(x + h) - D(x - h)) / 2 h */
static double difference(wide3 p[4], int of_a, int of_b, int point, int axis, double size)
{
  mpf_t h, more, less;
  mpf_init2(h, BITS), mpf_init2(more, BITS), mpf_init2(less, BITS);
  mpf_set_d(h, size);
  mpf_div_2exp(h, h, 160);
  mpf_add(p[point].x[axis], p[point].x[axis], h);
  wide_distance(p, of_a, of_b, more);
  mpf_sub(p[point].x[axis], p[point].x[axis], h), mpf_sub(p[point].x[axis], p[point].x[axis], h);
  wide_distance(p, of_a, of_b, less);
  mpf_add(p[point].x[axis], p[point].x[axis], h);
  mpf_sub(more, more, less);
  mpf_div(more, more, h);
  const double r = mpf_get_d(more) / 2;
  mpf_clear(h), mpf_clear(more), mpf_clear(less);
  return r;
}

/* ------------------------------------------------------------------------------------ checks -- */

typedef struct kind_of_pair {
  const char *name;
  int of_a, of_b;
} kind_of_pair;

static const kind_of_pair kinds[] = {
    {"vertex-vertex", 1, 1}, {"vertex-edge", 1, 2}, {"vertex-face", 1, 3}, {"edge-edge", 2, 2}};

static double measure(int kind, const double p[4][3], double gradient[4][3])
{
  switch (kind) {
  case 0:
    return pl_vertex_vertex_distance(p, gradient);
  case 1:
    return pl_vertex_edge_distance(p, gradient);
  case 2:
    return pl_vertex_face_distance(p, gradient);
  default:
    return pl_edge_edge_distance(p, gradient);
  }
}

static void random_vector(double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = uniform() - 0.5;
}

/* Nearly parallel vectors x, y, of lengths about 1, and a unit normal of both. */
static void slanted(double turn, double x[3], double y[3], double n[3])
{
  double aside[3], length = 0;
  random_vector(x), random_vector(aside);
  for (int k = 0; k < 3; ++k) y[k] = 0.8 * x[k] + turn * aside[k];
  for (int k = 0; k < 3; ++k) n[k] = x[(k + 1) % 3] * aside[(k + 2) % 3] - x[(k + 2) % 3] * aside[(k + 1) % 3];
  for (int k = 0; k < 3; ++k) length += n[k] * n[k];
  for (int k = 0; k < 3; ++k) n[k] /= sqrt(length);
}

/* Two edges, or a vertex and a sliver, whose nearest points are inside of them. */
static void make_hard(bool edges, double size, double p[4][3])
{
  double x[3], y[3], n[3];
  const double at[2] = {0.1 + 0.8 * uniform(), 0.1 + 0.8 * uniform()}, gap = 0.01 + uniform();
  slanted(ldexp(1, -(int)(uniform() * (edges ? 24 : 20))), x, y, n);
  for (int k = 0; k < 3; ++k) {
    p[0][k] = edges ? -at[0] * size * x[k] : size * (gap * n[k] + 0.3 * x[k] + 0.3 * y[k]);
    p[1][k] = edges ? p[0][k] + size * x[k] : 0;
    p[2][k] = edges ? size * (gap * n[k] - at[1] * y[k]) : size * x[k];
    p[3][k] = edges ? p[2][k] + size * y[k] : size * y[k];
  }
}

/* Random points; every third time edges that are nearly parallel, or a sliver. */
static double make(int round, int kind, double p[4][3])
{
  const double size = ldexp(1, (int)(uniform() * 40) - 20), place = round % 4 ? 0 : 30 * size;
  for (int i = 0; i < kinds[kind].of_a + kinds[kind].of_b; ++i)
    for (int k = 0; k < 3; ++k) p[i][k] = place + size * (uniform() - 0.5);
  if (round % 3 == 0 && kind >= 2) make_hard(kind == 3, size, p);
  return size;
}

/* The gradient against the differences; a wrong one is far off, so the error says enough. */
static double worst_error(int kind, const double p[4][3], double size)
{
  const kind_of_pair *of = &kinds[kind];
  double gradient[4][3], worst = 0, length = 0;
  const double distance = measure(kind, p, gradient);
  wide3 w[4];
  mpf_t exact;
  mpf_init2(exact, BITS);
  for (int i = 0; i < 4; ++i) {
    wide_init(&w[i]);
    for (int k = 0; k < 3; ++k) mpf_set_d(w[i].x[k], i < of->of_a + of->of_b ? p[i][k] : 0);
  }
  wide_distance(w, of->of_a, of->of_b, exact);
  const double wanted = mpf_get_d(exact);
  assert_true(fabs(distance - wanted) <= 6 * 0x1p-53 * wanted); /* mpf_get_d() rounds towards 0 */
  for (int i = 0; i < of->of_a + of->of_b; ++i)
    for (int k = 0; k < 3; ++k) {
      const double d = difference(w, of->of_a, of->of_b, i, k, size);
      worst = fmax(worst, fabs(d - gradient[i][k]));
      length += d * d;
    }
  mpf_clear(exact);
  for (int i = 0; i < 4; ++i) wide_clear(&w[i]);
  return worst / sqrt(length);
}

static void test_gradients_equal_exact_differences(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; ++kind) {
    double worst = 0;
    for (int round = 0; round < ROUNDS; ++round) {
      double p[4][3];
      const double size = make(round, kind, p);
      const double error = worst_error(kind, p, size);
      if (!(error < 1e-12)) fail_msg("%s, round %d: relative error %g", kinds[kind].name, round, error);
      worst = fmax(worst, error);
    }
    print_message("%s: greatest relative error %.2g\n", kinds[kind].name, worst);
  }
}
#endif

/* What touches has distance 0, and points that are far apart have one that is finite or infinite as
 * it should be. */
static void test_distances_at_the_ends_of_the_range(void **state)
{
  (void)state;
  const double one[4][3] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  double gradient[4][3];
  assert_true(pl_vertex_face_distance(one, gradient) == 0);
  assert_true(gradient[0][2] == 1 && gradient[1][2] == -0.5);
  const double crossing[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
  assert_true(pl_edge_edge_distance(crossing, NULL) == 0);
  const double same[2][3] = {{1, 2, 3}, {1, 2, 3}};
  assert_true(pl_vertex_vertex_distance(same, gradient) == 0 && gradient[0][0] == 0);
  const double far[2][3] = {{1e308, 0, 0}, {-1e308, 0, 0}}, wide[2][3] = {{1e308, 0, 0}, {0, 0, 0}};
  assert_true(isinf(pl_vertex_vertex_distance(far, gradient)) && gradient[0][0] == 1);
  assert_true(pl_vertex_vertex_distance(wide, gradient) == 1e308);
  const double tiny[2][3] = {{0x1p-1074, 0, 0}, {0, 0, 0}};
  assert_true(pl_vertex_vertex_distance(tiny, gradient) == 0x1p-1074 && gradient[0][0] == 1 && gradient[1][0] == -1);
  const double end[3][3] = {{3, 4, 0}, {0, 0, 0}, {-1, 0, 0}};
  assert_true(pl_vertex_edge_distance(end, gradient) == 5);
  assert_true(gradient[2][0] == 0 && fabs(gradient[1][0] + 0.6) < 1e-15 && fabs(gradient[0][1] - 0.8) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(test_gradients_equal_exact_differences),
#endif
      cmocka_unit_test(test_distances_at_the_ends_of_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
