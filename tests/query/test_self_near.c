/* How near a body comes to itself: pairs of triangles, pairs of features and the least distance
 * against the reference, byte for byte, over sheets, settings, motions and real meshes; and the
 * reference against a table of all ways along edges. */
#include "io/io.h"
#include "support/nears.h"
#include "support/selves.h"
#include "support/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL = 5, LARGE = 9 };
#else
enum { SMALL = 6, LARGE = 14 };
#endif

/* -------------------------------------------------------------------------- sheets, settings -- */

static void sheets(void **state)
{
  (void)state;
  for (int kind = 0; kind < SHEET_COUNT; ++kind) {
    int n = kind == SHEET_FAN ? LARGE / 4 : LARGE;
    world_mesh m;
    sheet_create(kind, n, &m);
    pl_context *context = context_of(NULL);
    pl_body *body = sheet_body(context, &m, NULL, kind % 2);
    size_t found = 0;
    for (uint32_t f = 0; f < 3; ++f) {
      sheet_pose(kind, n, f / 3.0, &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, kind % 2)), PL_OK);
      found += assert_all(body, f == 2 ? 0 : 2.5 * sheet_margin(&m), 1 + f, sheet_text(kind));
      /* another number of rings after the same pose */
      assert_distance(body, 3 - f, sheet_text(kind));
    }
    assert_true(found > 0);
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

static void every_setting(void **state)
{
  (void)state;
  static const settings_wish wish = {.leaf_step = 7, .leaf_step_8 = 7};
  static const int kinds[] = {SHEET_CRUMPLED, SHEET_ROLL_1_5};
  for (int k = 0; k < 2; ++k) {
    world_mesh m;
    sheet_create(kinds[k], SMALL, &m);
    product p;
    settings_open(&p, &wish);
    for (size_t i = 0; i < p.row_count; ++i) {
      setting s = setting_of(&p, i);
      char what[SETTING_TEXT];
      pl_context *context;
      setting_text(&s, what);
      assert_int_equal(pl_context_create(&s.context, &context), PL_OK);
      sheet_pose(kinds[k], SMALL, 0, &m);
      pl_body *body = sheet_body(context, &m, &s.body, s.doubles);
      for (int f = 0; f < 2; ++f) {
        sheet_pose(kinds[k], SMALL, 0.5 * f, &m);
        assert_int_equal(pl_body_set_positions(body, positions_of(&m, s.doubles)), PL_OK);
        assert_all(body, 2 * sheet_margin(&m), (uint32_t)(1 + f), what);
      }
      pl_context_destroy(context);
      product_saw(&p, p.rows[i]);
    }
    settings_close(&p);
    sheet_free(&m);
  }
}

/* ----------------------------------------------------------------------------- other motions -- */

static void transformed(void **state)
{
  (void)state;
  static const pl_transform transforms[] = {
      {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {3, -2, 1e3}},
      {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {0, 0, 0}},           /* flat: everything overlaps */
      {{{1e-3, 0, 0}, {0, 2e3, 0}, {0.5, 0, -1}}, {1e7, 0, 0}}, /* mirrored, sheared, rounded */
      {{{1e60, 0, 0}, {0, 1e60, 0}, {0, 0, 1e60}}, {0, 0, 0}},
  };
  static const double scale[] = {1, 1, 10, 1e60};
  world_mesh m;
  sheet_create(SHEET_ROLL_2, SMALL, &m);
  for (int bergen = 0; bergen < 2; ++bergen) {
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, bergen);
    pl_body_def def = pl_body_def_default();
    pl_body *body;
    def.strategy = bergen ? PL_STRATEGY_BERGEN : def.strategy;
    assert_int_equal(bergen ? pl_body_create_free(context, &mesh, &def, &body)
                            : pl_body_create_rigid(context, &mesh, NULL, &body),
                     PL_OK);
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; ++i) {
      assert_int_equal(pl_body_set_transform(body, &transforms[i]), PL_OK);
      assert_all(body, sheet_margin(&m) * scale[i], (uint32_t)(1 + i % 3), "transformed");
    }
    pl_context_destroy(context);
  }
  sheet_free(&m);
}

static void morphing(void **state)
{
  (void)state;
  world_mesh m[2];
  sheet_create(SHEET_FLAT, SMALL, &m[0]);
  sheet_create(SHEET_FOLDED, SMALL, &m[1]);
  pl_context *context = context_of(NULL);
  pl_positions references[2] = {positions_of(&m[0], false), positions_of(&m[1], false)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = 2;
  pl_mesh_def mesh = mesh_of(&m[0], false);
  pl_body *body;
  assert_int_equal(pl_body_create_morph(context, &mesh, &morph, NULL, &body), PL_OK);
  for (uint32_t f = 0; f < 4; ++f) {
    double weights[2] = {1 - f / 3.0, f / 3.0};
    assert_int_equal(pl_body_set_weights(body, weights, 2), PL_OK);
    assert_all(body, sheet_margin(&m[0]), 1 + f % 2, "morphing");
  }
  pl_context_destroy(context);
  sheet_free(&m[0]);
  sheet_free(&m[1]);
}

/* ------------------------------------------------------------------------------- real meshes -- */

static void real_meshes(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *path;
    bool weld, slow;
  } files[] = {{"static/suzanne.obj", true, true},
               {"nasty/cgal/spheres_intersecting.off", true, false},
               {"nasty/cgal/U_sheet.off", false, false},
               {"nasty/cgal/non_manifold_face_graph.off", false, false},
               {"nasty/cgal/tetra_intersected_by_triangle.off", false, false},
               {"sequences/ipc-toolkit-tests-data/two-cubes-close.ply", true, false},
               {"sequences/ipc-toolkit-tests-data/thick-cloth/t1.ply", false, true}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (files[i].slow) continue;
#endif
    io_mesh m;
    io_error error;
    if (!io_mesh_read(data_path(files[i].path), &m, &error)) fail_msg("%s", error.text);
    double size = 0;
    for (size_t c = 0; c < 3 * m.vertex_count; c += 3) size = fmax(size, fabs(m.xyz[c] - m.xyz[0]));
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions =
        m.is_double ? pl_positions_f64(m.xyz, m.vertex_count) : pl_positions_f32(m.xyz_f32, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    pl_context *context = context_of(NULL);
    if (files[i].weld) assert_int_equal(pl_mesh_weld(context, &mesh, NULL, m.triangles, NULL), PL_OK);
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    size_t one = assert_all(body, 0.01 * size, 1, files[i].path), two = assert_all(body, 0.01 * size, 2, files[i].path);
    assert_true(two <= one);
    pl_context_destroy(context);
    io_mesh_free(&m);
  }
}

/* ---------------------------------------------------------------------- all ways along edges -- */

/* ways[v * n + w]: edges of the shortest way. */
static uint32_t *ways_of(const world_mesh *m)
{
  size_t n = m->vertex_count;
  uint32_t *ways = malloc(n * n * sizeof *ways);
  for (size_t i = 0; i < n * n; ++i) ways[i] = i / n == i % n ? 0 : 1000000;
  for (size_t i = 0; i < 9 * m->triangle_count; ++i) {
    const uint32_t *t = m->triangles + i / 9 * 3;
    size_t v = t[i % 3], w = t[i / 3 % 3];
    if (v != w) ways[v * n + w] = 1;
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n * n; ++i) {
      uint32_t by = ways[i / n * n + k] + ways[k * n + i % n];
      if (by < ways[i]) ways[i] = by;
    }
  return ways;
}

static bool are_apart(const uint32_t *ways, size_t n, uint32_t rings, const uint32_t *a, int na, const uint32_t *b,
                      int nb)
{
  for (int i = 0; i < na; ++i)
    for (int k = 0; k < nb; ++k)
      if (ways[a[i] * n + b[k]] < rings) return false;
  return true;
}

typedef struct edge_list {
  uint32_t (*edges)[2];
  size_t count;
} edge_list;

static edge_list edges_of(const uint32_t *ways, size_t n)
{
  edge_list e = {malloc(n * n * sizeof *e.edges), 0};
  for (uint32_t v = 0; v < n; ++v)
    for (uint32_t w = v + 1; w < n; ++w)
      if (ways[v * n + w] == 1) {
        e.edges[e.count][0] = v;
        e.edges[e.count++][1] = w;
      }
  return e;
}

static void infinite_margins(pl_body *body, const world_mesh *m, const uint32_t *ways, uint32_t rings)
{
  size_t n = m->vertex_count, triangles = 0, features = 0;
  for (size_t i = 0; i < m->triangle_count; ++i) {
    const uint32_t *t = m->triangles + 3 * i;
    for (size_t k = i + 1; k < m->triangle_count; ++k)
      triangles += are_apart(ways, n, rings, t, 3, m->triangles + 3 * k, 3);
    for (uint32_t v = 0; v < n; ++v) features += are_apart(ways, n, rings, &v, 1, t, 3);
  }
  edge_list e = edges_of(ways, n);
  for (size_t i = 0; i < e.count; ++i)
    for (size_t k = i + 1; k < e.count; ++k) features += are_apart(ways, n, rings, e.edges[i], 2, e.edges[k], 2);
  free(e.edges);
  assert_int_equal(assert_pairs(body, INFINITY, rings, "all"), triangles);
  assert_int_equal(assert_features(body, INFINITY, rings, "all"), features);
  double least = assert_distance(body, rings, "all");
  assert_true(triangles ? isfinite(least) : isinf(least));
}

/* With an infinite margin the pairs are those that the definition of rings leaves; in the end
 * there are none. */
static void all_ways(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_WAVE, 4, &m);
  uint32_t *ways = ways_of(&m);
  pl_context *context = context_of(NULL);
  pl_body *body = sheet_body(context, &m, NULL, true);
  for (uint32_t rings = 1; rings < 8; ++rings) infinite_margins(body, &m, ways, rings);
  infinite_margins(body, &m, ways, UINT32_MAX);
  pl_context_destroy(context);
  free(ways);
  sheet_free(&m);
}

/* Bodies of more triangles than are walked by boxes alone, in double: was measured in the space
 * of the patches. */
static void doubles_over_patches(void **state)
{
  (void)state;
  enum { SIDE_OF_SHEET = 14 };
  static const int kinds[] = {SHEET_FOLDED, SHEET_CRUMPLED, SHEET_ROLL_2};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    world_mesh m;
    sheet_create(kinds[k], SIDE_OF_SHEET, &m);
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) m.xyz[i] *= 1.0 / 3; /* no floats */
    pl_context *context = context_of(NULL);
    pl_body *body = sheet_body(context, &m, NULL, true);
    assert_true(pl_body_triangle_count(body) > 256);
    for (uint32_t rings = 1; rings < 4; ++rings)
      for (double margin = 0.01; margin < 0.2; margin *= 4) assert_all(body, margin, rings, "a sheet in double");
    assert_true(assert_all(body, 0.1, 1, "a sheet in double") > 0);
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubles_over_patches),
      cmocka_unit_test(sheets),
      cmocka_unit_test(every_setting),
      cmocka_unit_test(transformed),
      cmocka_unit_test(morphing),
      cmocka_unit_test(real_meshes),
      cmocka_unit_test(all_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
