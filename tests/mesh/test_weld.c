/* Welding against a comparison of every vertex with every other, refusals, and that a welded
 * skin is the same surface in every pose. */
#include "pliant/pliant.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 60, POSES = 2, ENTRIES = 3 };

/* Few different numbers, so that many vertices are equal; zeros of both signs. */
typedef struct crowd {
  float narrow[4 * VERTICES]; /* with a stride of four */
  double poses[POSES][3 * VERTICES];
  pl_positions views[POSES];
  uint32_t first[VERTICES + 1], governors[ENTRIES * VERTICES], labels[VERTICES], triangles[3 * VERTICES];
  double weights[ENTRIES * VERTICES];
  pl_weights rows;
  pl_mesh_def mesh;
} crowd;

static double any_number(test_rng *rng)
{
  static const double some[] = {0.0, -0.0, 1.0, -1.0};
  return some[test_below(rng, 4)];
}

static void crowd_make(crowd *c, test_rng *rng)
{
  memset(c, 0, sizeof *c);
  c->first[0] = 0;
  for (uint32_t v = 0; v < VERTICES; ++v) {
    for (int k = 0; k < 4; ++k) c->narrow[4 * v + (uint32_t)k] = k == 3 ? NAN : (float)any_number(rng);
    for (int p = 0; p < POSES; ++p)
      for (uint32_t k = 0; k < 3; ++k) c->poses[p][3 * v + k] = k == 0 ? any_number(rng) : 0;
    c->labels[v] = (uint32_t)test_below(rng, 2);
    c->first[v + 1] = c->first[v] + 1 + (uint32_t)test_below(rng, ENTRIES);
    for (uint32_t e = c->first[v]; e < c->first[v + 1]; ++e) {
      c->governors[e] = (uint32_t)test_below(rng, 2);
      c->weights[e] = test_below(rng, 2);
    }
    for (int k = 0; k < 3; ++k) c->triangles[3 * v + (uint32_t)k] = (uint32_t)test_below(rng, VERTICES);
  }
  for (int p = 0; p < POSES; ++p) c->views[p] = pl_positions_f64(c->poses[p], VERTICES);
  c->rows = (pl_weights){.vertex_count = VERTICES, .first = c->first, .governors = c->governors, .values = c->weights};
  c->rows.type = PL_F64;
  c->mesh = pl_mesh_def_default();
  c->mesh.positions = (pl_positions){c->narrow, VERTICES, 4 * sizeof(float), PL_F32};
  c->mesh.triangles = c->triangles;
  c->mesh.triangle_count = VERTICES;
}

static pl_context *context_with(failing *f)
{
  pl_context_def def = pl_context_def_default();
  if (f) def.allocator = (pl_allocator){f, failing_allocate, failing_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static bool same_weights(const crowd *c, uint32_t u, uint32_t v)
{
  uint32_t count = c->first[u + 1] - c->first[u];
  if (count != c->first[v + 1] - c->first[v]) return false;
  for (uint32_t e = 0; e < count; ++e) {
    uint32_t x = c->first[u] + e, y = c->first[v] + e;
    if (c->weights[x] != c->weights[y]) return false;
    if (c->weights[x] != 0 && c->governors[x] != c->governors[y]) return false;
  }
  return true;
}

static bool one_point(const crowd *c, const pl_weld_def *def, uint32_t u, uint32_t v)
{
  for (uint32_t k = 0; k < 3; ++k)
    if (c->narrow[4 * u + k] != c->narrow[4 * v + k]) return false;
  for (size_t p = 0; p < def->pose_count; ++p)
    for (uint32_t k = 0; k < 3; ++k)
      if (c->poses[p][3 * u + k] != c->poses[p][3 * v + k]) return false;
  if (def->labels && c->labels[u] != c->labels[v]) return false;
  return !def->weights || same_weights(c, u, v);
}

static void check_weld(pl_context *context, const crowd *c, const pl_weld_def *def, size_t *welded)
{
  uint32_t map[VERTICES], triangles[3 * VERTICES];
  memcpy(triangles, c->triangles, sizeof triangles);
  pl_mesh_def mesh = c->mesh;
  mesh.triangles = triangles; /* in place */
  assert_int_equal(pl_mesh_weld(context, &mesh, def, triangles, map), PL_OK);
  for (uint32_t v = 0; v < VERTICES; ++v) {
    uint32_t least = 0;
    while (!one_point(c, def, least, v)) ++least;
    assert_int_equal(map[v], least);
    *welded += least != v;
  }
  for (size_t i = 0; i < 3 * VERTICES; ++i) assert_int_equal(triangles[i], map[c->triangles[i]]);
}

static void welds_what_is_equal_everywhere(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  test_rng rng = {7};
  for (int round = 0; round < test_rounds(160); ++round) {
    crowd c;
    size_t welded = 0;
    crowd_make(&c, &rng);
    for (int with = 0; with < 8; ++with) {
      pl_weld_def def = pl_weld_def_default();
      def.poses = c.views;
      def.pose_count = with & 1 ? POSES : 0;
      def.weights = with & 2 ? &c.rows : NULL;
      def.labels = with & 4 ? c.labels : NULL;
      check_weld(context, &c, &def, &welded);
    }
    assert_true(welded > VERTICES);
  }
  pl_context_destroy(context);
}

/* A map as the labels of the next call: frames one after the other give what all of them at once
 * give. */
static void frames_one_by_one_give_the_same(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  test_rng rng = {8};
  crowd c;
  crowd_make(&c, &rng);
  uint32_t all[VERTICES], some[VERTICES];
  pl_weld_def def = pl_weld_def_default();
  def.poses = c.views;
  def.pose_count = POSES;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, all), PL_OK);
  assert_int_equal(pl_mesh_weld(context, &c.mesh, NULL, NULL, some), PL_OK);
  for (int p = 0; p < POSES; ++p) {
    pl_mesh_def mesh = c.mesh;
    mesh.positions = c.views[p];
    def = pl_weld_def_default();
    def.labels = some;
    assert_int_equal(pl_mesh_weld(context, &mesh, &def, NULL, some), PL_OK);
  }
  assert_memory_equal(all, some, sizeof all);
  pl_context_destroy(context);
}

static void refuses_whole(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  test_rng rng = {9};
  crowd c;
  crowd_make(&c, &rng);
  uint32_t map[VERTICES] = {77};
  pl_weld_def def = pl_weld_def_default();
  assert_int_equal(pl_mesh_weld(NULL, &c.mesh, &def, NULL, map), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_mesh_weld(context, NULL, &def, NULL, map), PL_ERROR_ARGUMENT);
  def.pose_count = 1;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, map), PL_ERROR_ARGUMENT);
  def.poses = c.views;
  c.views[0].count = VERTICES - 1;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, map), PL_ERROR_MISMATCH);
  assert_non_null(strstr(pl_context_message(context), "pose 0 has 59 vertices: the mesh has 60"));
  c.views[0].count = VERTICES;
  c.poses[0][5] = INFINITY;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, map), PL_ERROR_POSITIONS);
  def = pl_weld_def_default();
  def.weights = &c.rows;
  c.rows.vertex_count = 1;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, map), PL_ERROR_MISMATCH);
  c.rows.vertex_count = VERTICES;
  c.rows.values = NULL;
  assert_int_equal(pl_mesh_weld(context, &c.mesh, &def, NULL, map), PL_ERROR_ARGUMENT);
  assert_int_equal(map[0], 77);
  pl_context_destroy(context);
}

static void survives_without_memory(void **state)
{
  (void)state;
  test_rng rng = {10};
  crowd c;
  crowd_make(&c, &rng);
  int failed = 0;
  for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; ++failed) {
    failing f = {.until = -1};
    uint32_t map[VERTICES] = {77};
    pl_context *context = context_with(&f);
    f.until = failed;
    status = pl_mesh_weld(context, &c.mesh, NULL, NULL, map);
    if (status != PL_OK) {
      assert_int_equal(status, PL_ERROR_MEMORY);
      assert_int_equal(map[0], 77);
      assert_true(pl_context_message(context)[0] != '\0');
    }
    f.until = -1;
    pl_context_destroy(context);
    assert_int_equal(f.live, 0);
  }
  assert_true(failed > 3);
}

/* Two squares with a seam of split vertices, which two bones bend; the vertices at one end of
 * the seam have other weights. */
static void a_seam_is_no_contact_and_an_opened_one_stays(void **state)
{
  (void)state;
  static const float xyz[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, -0.0f, 2, 0, 0, 2, 1, 0, 1, 1, 0};
  static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  static const uint32_t bones[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  static const double weights[] = {1, 0, 0.5, 0.5, 0.5, 0.5, 1, 0, 0.5, 0.5, 0, 1, 0, 1, 0.25, 0.75};
  pl_context *context = context_with(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 8);
  mesh.triangles = triangles;
  mesh.triangle_count = 4;
  pl_weights rows = {.vertex_count = 8, .per_vertex = 2, .governors = bones, .values = weights, .type = PL_F64};
  pl_weld_def def = pl_weld_def_default();
  uint32_t map[8];
  assert_int_equal(pl_mesh_weld(context, &mesh, &def, NULL, map), PL_OK);
  assert_int_equal(map[4], 1); /* 0 and -0 */
  assert_int_equal(map[7], 2);
  def.weights = &rows;
  assert_int_equal(pl_mesh_weld(context, &mesh, &def, NULL, map), PL_OK);
  assert_int_equal(map[4], 1);
  assert_int_equal(map[7], 7); /* it leaves the other when the bones do */
  pl_context_destroy(context);
}

/* All at one place and all with weights of their own: the growth is that of the input. */
static void many_at_one_place(void **state)
{
  (void)state;
  enum { MANY = 50000 };
  pl_context *context = context_with(NULL);
  double *xyz = calloc(3 * MANY, sizeof *xyz), *values = calloc(2 * MANY, sizeof *values);
  uint32_t *bones = calloc(2 * MANY, sizeof *bones), *map = calloc(MANY, sizeof *map);
  static const uint32_t triangles[] = {0, 1, 2};
  assert_true(xyz && values && bones && map);
  for (uint32_t v = 0; v < MANY; ++v) {
    bones[2 * v + 1] = 1;
    values[2 * v] = (v / 2) / (double)MANY;
    values[2 * v + 1] = 1 - values[2 * v];
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, MANY);
  mesh.triangles = triangles;
  mesh.triangle_count = 1;
  pl_weights rows = {.vertex_count = MANY, .per_vertex = 2, .governors = bones, .values = values, .type = PL_F64};
  pl_weld_def def = pl_weld_def_default();
  def.weights = &rows;
  assert_int_equal(pl_mesh_weld(context, &mesh, &def, NULL, map), PL_OK);
  for (uint32_t v = 0; v < MANY; ++v) assert_int_equal(map[v], v - v % 2);
  free(map);
  free(bones);
  free(values);
  free(xyz);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welds_what_is_equal_everywhere),
      cmocka_unit_test(frames_one_by_one_give_the_same),
      cmocka_unit_test(refuses_whole),
      cmocka_unit_test(survives_without_memory),
      cmocka_unit_test(a_seam_is_no_contact_and_an_opened_one_stays),
      cmocka_unit_test(many_at_one_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
