/* The nearest of a set of points, against a plain search: the same points in the same order,
 * also where many are equally near. */
#include "build/nearest.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 300, MOST = 40 };

static bool nearer(nearest_point a, nearest_point b)
{
  return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
}

static size_t plain(const double *xyz, size_t count, const double at[3], uint32_t except, double reach, size_t most,
                    nearest_point *out)
{
  nearest_point all[MOST_POINTS];
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < count; ++i) {
    double x = at[0] - xyz[3 * i], y = at[1] - xyz[3 * i + 1], z = at[2] - xyz[3 * i + 2];
    nearest_point p = {sqrt(x * x + y * y + z * z), (uint32_t)i};
    if (p.distance <= reach && p.index != except) all[n++] = p;
  }
  for (size_t i = 0; i < n; ++i) {
    size_t before = 0;
    for (size_t k = 0; k < n; ++k) before += nearer(all[k], all[i]);
    if (before < most) out[kept++] = all[i];
  }
  return kept;
}

/* Places of a kind: anywhere, on a coarse grid, all but one together, or all at one place. */
static void fill(test_rng *rng, int kind, double *xyz, size_t count)
{
  for (size_t i = 0; i < 3 * count; ++i)
    xyz[i] = kind == 0 ? test_uniform(rng, -1, 1) : kind == 1 ? test_below(rng, 4) : kind == 2 ? test_below(rng, 2) : 7;
  if (kind == 2) xyz[2] = 1e9;
}

static void finds_what_a_plain_search_finds(void **state)
{
  (void)state;
  test_rng rng = {11};
  const pl_context_def def = pl_context_def_default();
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  static double xyz[3 * MOST_POINTS];
  for (int round = 0; round < 60; ++round) {
    size_t count = (size_t)(1 + test_below(&rng, MOST_POINTS));
    fill(&rng, round % 4, xyz, count);
    nearest_tree tree;
    assert_true(nearest_create(&context->def.allocator, xyz, count, &tree));
    for (int q = 0; q < 40; ++q) {
      double at[3];
      fill(&rng, q % 2, at, 1);
      size_t most = (size_t)(1 + test_below(&rng, MOST));
      double reach = q % 3 ? test_uniform(&rng, 0, 4) : INFINITY;
      uint32_t except = q % 4 ? NEAREST_NONE : (uint32_t)test_below(&rng, (int)count);
      nearest_point got[MOST], want[MOST];
      size_t n = nearest_find(&tree, at, except, reach, most, got);
      assert_int_equal(n, plain(xyz, count, at, except, reach, most, want));
      for (size_t i = 0; i < n; ++i) {
        assert_int_equal(got[i].index, want[i].index);
        assert_true(got[i].distance == want[i].distance);
      }
    }
    nearest_free(&context->def.allocator, &tree);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_a_plain_search_finds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
