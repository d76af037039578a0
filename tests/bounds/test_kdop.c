/* k-DOPs contain what they were made from, in exact arithmetic; merging is exact; and a
 * direction's three normals bound what is in a k-DOP of another space. */
#include "bounds/kdop.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include "exact/fixed.h"
#endif

enum { POINTS = 40, SHIFT = 700 };
static const int all_slabs[3] = {KDOP14_SLABS, KDOP18_SLABS, KDOP26_SLABS};
static const pl_volume volumes[3] = {PL_VOLUME_KDOP14, PL_VOLUME_KDOP18, PL_VOLUME_KDOP26};

/* Points about a place, of some size; with exact floats, or with all bits of doubles. */
static void scatter(test_rng *rng, double place, double size, bool floats, double *xyz)
{
  for (int i = 0; i < 3 * POINTS; ++i) {
    double x = place + test_uniform(rng, -size, size);
    float f = (float)x;
    xyz[i] = floats ? (double)f : x;
  }
}

static bounded source_of(const double *xyz, points *p, uint32_t list[POINTS])
{
  *p = (points){.data = (const char *)xyz, .stride = 3 * sizeof *xyz, .type = PL_F64};
  for (uint32_t i = 0; i < POINTS; ++i) list[i] = i;
  return (bounded){p, {list, list + POINTS / 2}, {POINTS / 2, POINTS - POINTS / 2}};
}

#ifdef PLIANT_HAVE_GMP
static void fits_contain_their_points(void **state)
{
  (void)state;
  test_rng rng = {.state = 14};
  const double places[] = {0, 1, -1000, 1e7, 1e-20, -3e30}, sizes[] = {1, 1e-6, 1e-25, 1e9, 0};
  fixed_point q;
  fixed_point_init(&q);
  for (int round = 0; round < 60; ++round) {
    double xyz[3 * POINTS];
    scatter(&rng, places[round % 6], sizes[round % 5], round % 2, xyz);
    points p;
    uint32_t list[POINTS];
    bounded s = source_of(xyz, &p, list);
    for (int v = 0; v < 3; ++v) {
      int slabs = all_slabs[v], width = 2 << round % 3, lane = round % width;
      float room[2 * KDOP26_SLABS * 8];
      const shape_kind *kind = shape_kind_of(volumes[v]);
      assert_int_equal(kind->floats, 2 * slabs);
      kind->fit(&s, room + lane, width);
      for (int i = 0; i < POINTS; ++i) {
        fixed_point_set(&q, xyz + 3 * i, SHIFT);
        for (int k = 0; k < slabs; ++k)
          assert_true(fixed_in_slab(&q, SHIFT, kdop_normal(slabs, k + KDOP_AXES), room[lane + k * width],
                                    room[lane + (k + slabs) * width]));
        assert_true(kind->contains(room + lane, width, xyz + 3 * i));
      }
    }
  }
  fixed_point_clear(&q);
}
#endif

/* Bounds that are off by much more than a float's rounding would pass the test above. */
static void fits_are_tight(void **state)
{
  (void)state;
  test_rng rng = {.state = 18};
  double xyz[3 * POINTS];
  scatter(&rng, 3, 1, true, xyz);
  points p;
  uint32_t list[POINTS];
  bounded s = source_of(xyz, &p, list);
  for (int v = 0; v < 3; ++v) {
    int slabs = all_slabs[v];
    float room[2 * KDOP26_SLABS];
    shape_kind_of(volumes[v])->fit(&s, room, 1);
    for (int k = 0; k < slabs; ++k) {
      const signed char *n = kdop_normal(slabs, k + KDOP_AXES);
      double low = INFINITY, high = -INFINITY;
      for (int i = 0; i < POINTS; ++i) {
        double along = n[0] * xyz[3 * i] + n[1] * xyz[3 * i + 1] + n[2] * xyz[3 * i + 2];
        low = fmin(low, along);
        high = fmax(high, along);
      }
      assert_true(fabs((double)room[k] - low) < 1e-5 && fabs((double)room[k + slabs] - high) < 1e-5);
    }
    for (int i = 0; i < 3; ++i) { /* a point outside is seen */
      double far[3] = {xyz[0], xyz[1], xyz[2]};
      far[i] += 10;
      assert_false(shape_kind_of(volumes[v])->contains(room, 1, far));
    }
  }
}

static void points_out_of_range_get_all_of_space(void **state)
{
  (void)state;
  double xyz[3 * POINTS] = {1e308, 1e308, -1e308};
  points p;
  uint32_t list[POINTS];
  bounded s = source_of(xyz, &p, list);
  for (int v = 0; v < 3; ++v) {
    float room[2 * KDOP26_SLABS];
    shape_kind_of(volumes[v])->fit(&s, room, 1);
    for (int k = 0; k < all_slabs[v]; ++k) assert_true(room[k] == -INFINITY && room[k + all_slabs[v]] == INFINITY);
  }
}

static void merges_are_the_fit_of_the_union(void **state)
{
  (void)state;
  test_rng rng = {.state = 26};
  for (int v = 0; v < 3; ++v) {
    double xyz[3 * POINTS];
    scatter(&rng, 0.3, 1, true, xyz);
    points p;
    uint32_t list[POINTS];
    bounded s = source_of(xyz, &p, list), part = s;
    const shape_kind *kind = shape_kind_of(volumes[v]);
    float block[2 * KDOP26_SLABS * 4] = {0}, whole[2 * KDOP26_SLABS], merged[2 * KDOP26_SLABS * 2];
    kind->fit(&s, whole, 1);
    part.count[1] = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      part.list[0] = list + POINTS * i / 3;
      part.count[0] = POINTS * (i + 1) / 3 - POINTS * i / 3;
      kind->fit(&part, block + i, 4);
    }
    kind->merge(block, 4, 3, merged + 1, 2);
    for (int k = 0; k < 2 * all_slabs[v]; ++k) { /* the parts are smaller, and may be widened by less */
      float lost = fabsf(merged[1 + 2 * k] - whole[k]);
      assert_true(lost <= 4e-7f);
      assert_true(k < all_slabs[v] ? merged[1 + 2 * k] >= whole[k] : merged[1 + 2 * k] <= whole[k]);
    }
  }
}

static double part_of(const float *box, const float *shape, kdop_place place)
{
  return (double)(place.in ? shape : box)[place.row];
}

/* d is the combination, and the combination of bounds contains every point's place along d. */
static void check_cone(int v, const double d[3], const double *xyz, const float *box, const float *shape)
{
  int slabs = all_slabs[v];
  kdop_direction cone;
  double sum[3] = {0}, size = fabs(d[0]) + fabs(d[1]) + fabs(d[2]), low = 0, high = 0;
  double total = kdop_cone(slabs, d, &cone), length = 0;
  for (int i = 0; i < 3; ++i) {
    bool more = cone.low[i].in;
    int rows = more ? slabs : KDOP_AXES, row = cone.low[i].row % rows;
    assert_int_equal(cone.high[i].in, more);
    assert_int_equal(cone.high[i].row % rows, row);
    /* the opposite normal: ends change places */
    assert_true((cone.weight[i] < 0) <= (cone.low[i].row >= rows));
    assert_true(cone.weight[i] == 0 || (cone.weight[i] < 0) == (cone.high[i].row < rows));
    const signed char *n = kdop_normal(slabs, more ? row + KDOP_AXES : row);
    for (int k = 0; k < 3; ++k) sum[k] += (double)cone.weight[i] * n[k];
    low += (double)cone.weight[i] * part_of(box, shape, cone.low[i]);
    high += (double)cone.weight[i] * part_of(box, shape, cone.high[i]);
    length += fabs((double)cone.weight[i]);
  }
  for (int k = 0; k < 3; ++k) assert_true(fabs(sum[k] - d[k]) <= 1e-6 * size);
  assert_true(fabs(length - total) <= 1e-6 * size);
  for (int i = 0; i < POINTS; ++i) {
    double along = d[0] * xyz[3 * i] + d[1] * xyz[3 * i + 1] + d[2] * xyz[3 * i + 2];
    assert_true(low - 1e-5 * size <= along && along <= high + 1e-5 * size);
  }
}

static void three_normals_bound_every_direction(void **state)
{
  (void)state;
  test_rng rng = {.state = 3};
  double xyz[3 * POINTS];
  scatter(&rng, 0, 1, true, xyz);
  points p;
  uint32_t list[POINTS];
  bounded s = source_of(xyz, &p, list);
  float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3 * POINTS; ++i) {
    box[i % 3] = fminf(box[i % 3], (float)xyz[i]);
    box[i % 3 + 3] = fmaxf(box[i % 3 + 3], (float)xyz[i]);
  }
  for (int v = 0; v < 3; ++v) {
    float shape[2 * KDOP26_SLABS];
    shape_kind_of(volumes[v])->fit(&s, shape, 1);
    for (int code = 0; code < 125; ++code) { /* axes, diagonals, ties and zero */
      double d[3] = {code / 25 - 2, code / 5 % 5 - 2, code % 5 - 2};
      check_cone(v, d, xyz, box, shape);
    }
    for (int round = 0; round < 2000; ++round) {
      double d[3];
      for (int k = 0; k < 3; ++k) d[k] = test_uniform(&rng, -1, 1) * (round % 7 == k ? 1e-3 : 1);
      check_cone(v, d, xyz, box, shape);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef PLIANT_HAVE_GMP
      cmocka_unit_test(fits_contain_their_points),
#endif
      cmocka_unit_test(fits_are_tight), cmocka_unit_test(points_out_of_range_get_all_of_space),
      cmocka_unit_test(merges_are_the_fit_of_the_union), cmocka_unit_test(three_normals_bound_every_direction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
