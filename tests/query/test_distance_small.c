/* Distances of small, flat, equal and enclosed bodies. */
#include "scenes/scenes.h"
#include "support/distances.h"

static void one_triangle_each(void **state)
{
  (void)state;
  static const uint32_t triangle[3] = {0, 1, 2};
  float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[9];
  pl_context *context = context_of(NULL);
  test_rng rng = {5};
  for (int n = 0; n < 300; ++n) {
    for (int i = 0; i < 9; ++i) b[i] = (float)test_uniform(&rng, -2, 2);
    if (n % 3 == 1) memcpy(b + 3, b, 3 * sizeof *b); /* a segment */
    if (n % 3 == 2)
      for (int i = 3; i < 9; ++i) b[i] = b[i % 3]; /* a point */
    pl_body *p = body_of(context, a, 3, triangle, 1, NULL), *q = body_of(context, b, 3, triangle, 1, NULL);
    assert_distances_like_reference(p, q, "one triangle each");
    pl_body_destroy(p);
    pl_body_destroy(q);
  }
  pl_context_destroy(context);
}

static void equal_and_enclosed_bodies(void **state)
{
  (void)state;
  scene_mesh m;
  assert_true(scene_geosphere(4, &m));
  float *inner = malloc(3 * m.vertex_count * sizeof *inner);
  for (size_t i = 0; i < 3 * m.vertex_count; ++i) inner[i] = 0.5f * m.rest[i];
  pl_context *context = context_of(NULL);
  pl_body *a = body_of(context, m.rest, m.vertex_count, m.triangles, m.triangle_count, NULL);
  pl_body *same = body_of(context, m.rest, m.vertex_count, m.triangles, m.triangle_count, NULL);
  pl_body *inside = body_of(context, inner, m.vertex_count, m.triangles, m.triangle_count, NULL);
  assert_true(assert_distances_like_reference(a, same, "equal bodies") == 0);
  double d = assert_distances_like_reference(a, inside, "one inside the other");
  assert_true(d > 0.4 && d < 0.5);
  free(inner);
  pl_context_destroy(context);
  scene_mesh_free(&m);
}

/* Parallel sheets: every pair above another is as near as any, so that the indices decide. Flat
 * along each axis, where the gap of two boxes is the distance to the last bit, and tilted, where
 * it is not; triangles in an order of their own. */
typedef struct sheets {
  scene_mesh m;
  float *up;
} sheets;

static void sheets_pose(sheets *s, int normal, double tilt)
{
  double c = cos(tilt), n = sin(tilt);
  for (size_t i = 0; i < s->m.vertex_count; ++i) {
    double u = (double)s->m.rest[3 * i], v = (double)s->m.rest[3 * i + 2];
    for (int up = 0; up < 2; ++up) {
      double w = 0.75 * up, x[3] = {c * (u + 0.1 * up) - n * w, n * (u + 0.1 * up) + c * w, v};
      float *to = (up ? s->up : s->m.xyz) + 3 * i;
      for (int k = 0; k < 3; ++k) to[(k + normal + 2) % 3] = (float)x[k];
    }
  }
}

static void shuffle(test_rng *rng, uint32_t *triangles, size_t count)
{
  for (size_t i = count; i-- > 1;) {
    size_t k = (size_t)test_below(rng, (int)i + 1);
    for (size_t c = 0; c < 3; ++c) {
      uint32_t t = triangles[3 * i + c];
      triangles[3 * i + c] = triangles[3 * k + c];
      triangles[3 * k + c] = t;
    }
  }
}

static void parallel_sheets(void **state)
{
  (void)state;
  sheets s;
  test_rng rng = {20};
  assert_true(scene_cloth(6, &s.m));
  s.up = malloc(3 * s.m.vertex_count * sizeof *s.up);
  pl_context *context = context_of(NULL);
  for (int turn = 0; turn < 5; ++turn) {
    sheets_pose(&s, turn % 3, turn < 3 ? 0 : 0.2 * turn);
    shuffle(&rng, s.m.triangles, s.m.triangle_count);
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
      for (int narrow = 0; narrow < 2; ++narrow) {
        pl_body_def def = pl_body_def_default();
        def.volume = (pl_volume)volume;
        def.builder = narrow ? PL_BUILDER_MATCHING : PL_BUILDER_SPLIT;
        def.arity = narrow ? 2 : 8;
        def.leaf_size = narrow ? 1 : 8;
        pl_body *a = body_of(context, s.m.xyz, s.m.vertex_count, s.m.triangles, s.m.triangle_count, &def);
        pl_body *b = body_of(context, s.up, s.m.vertex_count, s.m.triangles, s.m.triangle_count, &def);
        double d = assert_distances_like_reference(a, b, "parallel sheets");
        assert_true(turn < 3 ? d == 0.75 : d > 0.7499 && d < 0.7501);
        pl_body_destroy(a);
        pl_body_destroy(b);
      }
  }
  free(s.up);
  pl_context_destroy(context);
  scene_mesh_free(&s.m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_triangle_each),
      cmocka_unit_test(equal_and_enclosed_bodies),
      cmocka_unit_test(parallel_sheets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
