/* Margins of space against exact arithmetic: images of boxes contain the images of their corners,
 * and a map between two spaces is right to its margin, both computed in rationals from the
 * caller's transforms. */
#include "body/body.h"
#include "space/space.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

/* ------------------------------------------------------------------------------ exact images -- */

typedef struct exact_point {
  mpq_t x[3];
} exact_point;

static void point_init(exact_point *p)
{
  for (int k = 0; k < 3; ++k) mpq_init(p->x[k]);
}

static void point_clear(exact_point *p)
{
  for (int k = 0; k < 3; ++k) mpq_clear(p->x[k]);
}

/* out = m in + t. */
static void exact_map(const pl_transform *f, const exact_point *in, exact_point *out)
{
  mpq_t number;
  mpq_init(number);
  for (int i = 0; i < 3; ++i) {
    mpq_set_d(out->x[i], f->t[i]);
    for (int k = 0; k < 3; ++k) {
      mpq_set_d(number, f->m[i][k]);
      mpq_mul(number, number, in->x[k]);
      mpq_add(out->x[i], out->x[i], number);
    }
  }
  mpq_clear(number);
}

/* Cofactor (i, k) of a matrix of doubles. */
static void cofactor(const pl_transform *f, int i, int k, mpq_t out)
{
  const int r[2] = {(i + 1) % 3, (i + 2) % 3}, c[2] = {(k + 1) % 3, (k + 2) % 3};
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  mpq_set_d(out, f->m[r[0]][c[0]]);
  mpq_set_d(a, f->m[r[1]][c[1]]);
  mpq_mul(out, out, a);
  mpq_set_d(a, f->m[r[0]][c[1]]);
  mpq_set_d(b, f->m[r[1]][c[0]]);
  mpq_mul(a, a, b);
  mpq_sub(out, out, a);
  mpq_clears(a, b, NULL);
}

/* The point that f takes to `in`. */
static void exact_back(const pl_transform *f, const exact_point *in, exact_point *out)
{
  mpq_t determinant, number, by;
  mpq_inits(determinant, number, by, NULL);
  for (int k = 0; k < 3; ++k) {
    cofactor(f, 0, k, by);
    mpq_set_d(number, f->m[0][k]);
    mpq_mul(number, number, by);
    mpq_add(determinant, determinant, number);
  }
  assert_true(mpq_sgn(determinant) != 0);
  for (int i = 0; i < 3; ++i) {
    mpq_set_ui(out->x[i], 0, 1);
    for (int k = 0; k < 3; ++k) {
      mpq_set_d(number, f->t[k]);
      mpq_sub(number, in->x[k], number);
      cofactor(f, k, i, by);
      mpq_mul(number, number, by);
      mpq_add(out->x[i], out->x[i], number);
    }
    mpq_div(out->x[i], out->x[i], determinant);
  }
  mpq_clears(determinant, number, by, NULL);
}

/* ------------------------------------------------------------------------------------- cases -- */

/* A transform of any kind: rotations, shears, mirrors and uneven scales, sizes 2^-20 to 2^20. */
static pl_transform random_transform(test_rng *rng, int kind)
{
  pl_transform f = pl_transform_identity();
  const double size = ldexp(test_uniform(rng, 0.5, 1), kind % 5 * 10 - 20);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) f.m[i][k] = kind % 7 == 0 ? (i == k) * size : test_uniform(rng, -size, size);
    f.t[i] = kind % 3 == 0 ? 0 : ldexp(test_uniform(rng, -1, 1), kind % 11 * 4 - 20);
  }
  return f;
}

static aabb random_box(test_rng *rng, int kind)
{
  aabb box;
  for (int k = 0; k < 3; ++k) {
    const float a = (float)ldexp(test_uniform(rng, -1, 1), kind % 6 * 4 - 10), b = (float)test_uniform(rng, -1, 1);
    box.lower[k] = a < b ? a : b;
    box.upper[k] = kind % 8 == 0 ? box.lower[k] : a < b ? b : a; /* flat ones, too */
  }
  return box;
}

static void corner_of(const aabb *box, int corner, exact_point *out)
{
  for (int k = 0; k < 3; ++k) mpq_set_d(out->x[k], (double)(corner >> k & 1 ? box->upper[k] : box->lower[k]));
}

enum { CASES = 3000 };

static void images_of_boxes_contain_their_corners(void **state)
{
  (void)state;
  test_rng rng = {11};
  exact_point p, q;
  mpq_t bound;
  int tight = 0;
  point_init(&p), point_init(&q), mpq_init(bound);
  for (int i = 0; i < CASES; ++i) {
    const pl_transform f = random_transform(&rng, i);
    const aabb box = random_box(&rng, i), world = space_box_to_world(&f, &box);
    for (int corner = 0; corner < 8; ++corner) {
      corner_of(&box, corner, &p);
      exact_map(&f, &p, &q);
      for (int k = 0; k < 3; ++k) {
        mpq_set_d(bound, (double)world.lower[k]);
        if (mpq_cmp(bound, q.x[k]) > 0) fail_msg("case %d: corner %d is below the box along %d", i, corner, k);
        mpq_set_d(bound, (double)world.upper[k]);
        if (mpq_cmp(bound, q.x[k]) < 0) fail_msg("case %d: corner %d is above the box along %d", i, corner, k);
        const double off = (double)world.upper[k] - mpq_get_d(q.x[k]),
                     side = (double)world.upper[k] - (double)world.lower[k];
        tight += off <= 1e-5 * side; /* and the box is no larger than it must be */
      }
    }
  }
  point_clear(&p), point_clear(&q), mpq_clear(bound);
  print_message("%d corners at a side\n", tight);
  assert_true(tight > CASES);
}

static void set_space(space *s, const pl_transform *f, const aabb *box)
{
  motion m = {0};
  m.kind = motion_kind_of(PL_MOTION_RIGID);
  m.transform = *f;
  m.now.transform = &m.transform;
  motion_place(&m);
  space_make(s, &m, box, 0);
}

/* A point of one body as the other sees it, by the floats of the map and in rationals. */
static void maps_are_right_to_their_margins(void **state)
{
  (void)state;
  test_rng rng = {12};
  exact_point p, q, world;
  mpq_t sum, number;
  int seen = 0;
  double most = 0; /* of the error, in margins */
  point_init(&p), point_init(&q), point_init(&world), mpq_inits(sum, number, NULL);
  for (int i = 0; i < CASES; ++i) {
    const pl_transform f = random_transform(&rng, i), g = random_transform(&rng, i + i / 7);
    const aabb box = random_box(&rng, i), other = random_box(&rng, i + 1);
    space from, to;
    set_space(&from, &f, &box);
    set_space(&to, &g, &other);
    const frame_change change = space_change(&from, &to);
    if (!(change.margin < INFINITY)) continue;
    for (int corner = 0; corner < 8; ++corner) {
      corner_of(&box, corner, &p);
      exact_map(&f, &p, &world);
      exact_back(&g, &world, &q);
      for (int k = 0; k < 3; ++k) {
        mpq_set_d(sum, (double)change.t[k]);
        for (int c = 0; c < 3; ++c) {
          mpq_set_d(number, (double)change.m[k][c]);
          mpq_mul(number, number, p.x[c]);
          mpq_add(sum, sum, number);
        }
        mpq_sub(sum, sum, q.x[k]);
        mpq_abs(sum, sum);
        mpq_set_d(number, (double)change.margin);
        if (mpq_cmp(sum, number) > 0)
          fail_msg("case %d: off by %g, margin %g", i, mpq_get_d(sum), (double)change.margin);
        most = fmax(most, mpq_get_d(sum) / (double)change.margin);
        ++seen;
      }
    }
  }
  point_clear(&p), point_clear(&q), point_clear(&world), mpq_clears(sum, number, NULL);
  print_message("%d coordinates, at most %.3g margins off\n", seen, most);
  assert_true(seen > 8 * CASES && most > 1e-3);
}

/* The stretch is at least the growth of any length. */
static void a_stretch_bounds_every_length(void **state)
{
  (void)state;
  test_rng rng = {13};
  mpq_t image, length, number, sum;
  mpq_inits(image, length, number, sum, NULL);
  for (int i = 0; i < CASES; ++i) {
    const pl_transform f = random_transform(&rng, i);
    frame_change change = {0};
    for (int k = 0; k < 9; ++k) change.m[k / 3][k % 3] = (float)f.m[k / 3][k % 3];
    const float stretch = space_stretch(&change);
    double v[3] = {test_uniform(&rng, -1, 1), test_uniform(&rng, -1, 1), test_uniform(&rng, -1, 1)};
    for (int round = 0; round < 300; ++round) { /* towards the direction that grows most */
      double w[3] = {0}, u[3] = {0}, size = 0;
      for (int k = 0; k < 9; ++k) w[k / 3] += (double)change.m[k / 3][k % 3] * v[k % 3];
      for (int k = 0; k < 9; ++k) u[k % 3] += (double)change.m[k / 3][k % 3] * w[k / 3];
      for (int k = 0; k < 3; ++k) size = fmax(size, fabs(u[k]));
      for (int k = 0; k < 3 && size > 0; ++k) v[k] = u[k] / size;
    }
    mpq_set_ui(image, 0, 1), mpq_set_ui(length, 0, 1);
    for (int k = 0; k < 3; ++k) {
      mpq_set_ui(sum, 0, 1);
      for (int c = 0; c < 3; ++c) {
        mpq_t by;
        mpq_init(by);
        mpq_set_d(number, (double)change.m[k][c]);
        mpq_set_d(by, v[c]);
        mpq_mul(number, number, by);
        mpq_add(sum, sum, number);
        mpq_clear(by);
      }
      mpq_mul(sum, sum, sum);
      mpq_add(image, image, sum);
      mpq_set_d(number, v[k]);
      mpq_mul(number, number, number);
      mpq_add(length, length, number);
    }
    mpq_set_d(number, (double)stretch);
    mpq_mul(number, number, number);
    mpq_mul(number, number, length);
    if (mpq_cmp(image, number) > 0) fail_msg("case %d: a length grows by more than %g", i, (double)stretch);
    assert_true(mpq_get_d(image) >= 0.9 * mpq_get_d(number)); /* and it is no wild guess */
  }
  mpq_clears(image, length, number, sum, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(images_of_boxes_contain_their_corners),
                                     cmocka_unit_test(maps_are_right_to_their_margins),
                                     cmocka_unit_test(a_stretch_bounds_every_length)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without GMP");
  return 0;
}
#endif
