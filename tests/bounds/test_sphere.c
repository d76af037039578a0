/* Spheres contain what they were made from, in exact arithmetic, and are not much larger than
 * they must be. */
#include "bounds/sphere.h"
#include "support/support.h"

#ifdef PLIANT_HAVE_GMP
#include "exact/fixed.h"
#endif

enum { POINTS = 30, SHIFT = 700 };

static bounded source_of(const double *xyz, points *p, uint32_t list[POINTS])
{
  *p = (points){.data = (const char *)xyz, .stride = 3 * sizeof *xyz, .type = PL_F64};
  for (uint32_t i = 0; i < POINTS; ++i) list[i] = i;
  return (bounded){p, {list, list + POINTS / 3}, {POINTS / 3, POINTS - POINTS / 3}};
}

#ifdef PLIANT_HAVE_GMP
static void fits_contain_their_points(void **state)
{
  (void)state;
  test_rng rng = {.state = 7};
  const double places[] = {0, 1, -1000, 1e7, 1e-20, -3e30}, sizes[] = {1, 1e-6, 1e-25, 1e9, 0};
  fixed_point q;
  fixed_point_init(&q);
  for (int round = 0; round < 200; ++round) {
    double xyz[3 * POINTS];
    for (int i = 0; i < 3 * POINTS; ++i)
      xyz[i] = places[round % 6] + test_uniform(&rng, -1, 1) * sizes[round % 5] * (i % 3 == round % 4 ? 1e-3 : 1);
    points p;
    uint32_t list[POINTS];
    bounded s = source_of(xyz, &p, list);
    int width = 2 << round % 3, lane = round % width;
    float room[SPHERE_FLOATS * 8];
    sphere_fit(&s, room + lane, width);
    float c[3] = {room[lane], room[lane + width], room[lane + 2 * width]}, r = room[lane + 3 * width];
    for (int i = 0; i < POINTS; ++i) {
      fixed_point_set(&q, xyz + 3 * i, SHIFT);
      assert_true(fixed_in_sphere(&q, SHIFT, c, r));
      assert_true(sphere_contains(room + lane, width, xyz + 3 * i));
    }
    double far[3] = {xyz[0] + 3 * (double)r + 1e-10 * fabs(xyz[0]), xyz[1], xyz[2]};
    if (r > 0) assert_false(sphere_contains(room + lane, width, far));
  }
  fixed_point_clear(&q);
}
#endif

/* The corners of a box and of a regular tetrahedron, and points inside: the least spheres are
 * known. */
static void fits_are_near_the_least_sphere(void **state)
{
  (void)state;
  test_rng rng = {.state = 8};
  for (int round = 0; round < 40; ++round) {
    double xyz[3 * POINTS], side[3], least = 0;
    bool tetrahedron = round % 2;
    for (int k = 0; k < 3; ++k) side[k] = tetrahedron ? 1 : test_uniform(&rng, 0.2, 2);
    for (int k = 0; k < 3; ++k) least += side[k] * side[k];
    least = sqrt(least);
    for (int i = 0; i < POINTS; ++i)
      for (int k = 0; k < 3; ++k) {
        int corner = tetrahedron ? (const int[]){0, 3, 5, 6}[i % 4] : i % 8;
        double at = corner >> k & 1 ? side[k] : -side[k];
        xyz[3 * i + k] = 5 + at * (i < 8 ? 1 : test_uniform(&rng, 0, 0.5));
      }
    points p;
    uint32_t list[POINTS];
    bounded s = source_of(xyz, &p, list);
    float room[SPHERE_FLOATS];
    sphere_fit(&s, room, 1);
    assert_true((double)room[3] >= least * (1 - 1e-6));
    assert_true((double)room[3] <= least * 1.02);
  }
}

static void points_out_of_range_get_all_of_space(void **state)
{
  (void)state;
  double xyz[3 * POINTS] = {1e300, -1e300, 1e40};
  points p;
  uint32_t list[POINTS];
  bounded s = source_of(xyz, &p, list);
  float room[SPHERE_FLOATS];
  sphere_fit(&s, room, 1);
  assert_true(room[3] == INFINITY && room[0] == 0 && room[1] == 0 && room[2] == 0);
  for (int i = 0; i < POINTS; ++i) assert_true(sphere_contains(room, 1, xyz + 3 * i));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(fits_contain_their_points),
#endif

      cmocka_unit_test(fits_are_near_the_least_sphere), cmocka_unit_test(points_out_of_range_get_all_of_space)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
