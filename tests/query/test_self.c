/* A body against itself: every method that does not miss against the reference, on sheets that
 * defeat normals, over every setting of free bodies, on morphing and rigid ones. */
#include "support/selves.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL = 7, LARGE = 20, FRAMES = 2 };
#else
enum { SMALL = 9, LARGE = 56, FRAMES = 4 };
#endif

/* ------------------------------------------------------------------------------------ sheets -- */

static void sheets(void **state)
{
  (void)state;
  static const size_t least[SHEET_COUNT] = {
      [SHEET_CRUMPLED] = 1, [SHEET_FOLDED] = 1, [SHEET_ROLL_1] = 1, [SHEET_ROLL_1_5] = 1,
      [SHEET_ROLL_2] = 1,   [SHEET_RAMP] = 1,   [SHEET_RIBBON] = 1, [SHEET_SLEEVE] = 1,
      [SHEET_KNOT] = 1,     [SHEET_TWIST] = 1,  [SHEET_FAN] = 1,    [SHEET_SPHERE] = 1};
  for (int kind = 0; kind < SHEET_COUNT; ++kind)
    for (int doubles = 0; doubles < 2; ++doubles) {
      int n = kind == SHEET_FAN ? LARGE / 4 : LARGE;
      world_mesh m;
      sheet_create(kind, n, &m);
      pl_context *context = context_of(NULL);
      pl_mesh_def mesh = mesh_of(&m, doubles);
      pl_body *body;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
      size_t most = 0;
      for (int f = 0; f < FRAMES; ++f) {
        sheet_pose(kind, n, (double)f / FRAMES, &m);
        assert_int_equal(pl_body_set_positions(body, positions_of(&m, doubles)), PL_OK);
        size_t pairs = assert_self(body, context, false, sheet_text(kind));
        most = pairs > most ? pairs : most;
      }
      if (!doubles) print_message("%s: %zu triangles, %zu pairs\n", sheet_text(kind), m.triangle_count, most);
      assert_true(most >= least[kind]);
      assert_true(most == 0 || (kind != SHEET_FLAT && kind != SHEET_WAVE));
      pl_context_destroy(context);
      sheet_free(&m);
    }
}

/* Triangles with common vertices that overlap beyond them. */
static void overlapping_neighbours(void **state)
{
  (void)state;
  size_t in_all = 0;
  for (int kind = 0; kind < SHEET_COUNT; ++kind) {
    int n = kind == SHEET_FAN ? 3 : SMALL;
    world_mesh m;
    sheet_create(kind, n, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    size_t without = assert_self(body, context, false, sheet_text(kind));
    size_t with = assert_self(body, context, true, sheet_text(kind));
    assert_true(with >= without);
    in_all += with - without;
    pl_context_destroy(context);
    sheet_free(&m);
  }
  assert_true(in_all > 10);
}

/* ---------------------------------------------------------------------------------- settings -- */

/* The same pairs for every setting; sorted, the same bytes. */
static void every_setting(void **state)
{
  (void)state;
  static const int kinds[] = {SHEET_CRUMPLED, SHEET_FOLDED, SHEET_RIBBON};
  static const settings_wish wish = {.leaf_step = 7, .leaf_step_8 = 7};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    world_mesh m;
    sheet_create(kinds[k], SMALL, &m);
    product p;
    settings_open(&p, &wish);
    for (size_t i = 0; i < p.row_count; ++i) {
      setting s = setting_of(&p, i);
      char what[SETTING_TEXT];
      pl_context *context;
      pl_body *body;
      setting_text(&s, what);
      assert_int_equal(pl_context_create(&s.context, &context), PL_OK);
      sheet_pose(kinds[k], SMALL, 0, &m);
      pl_mesh_def mesh = mesh_of(&m, s.doubles);
      assert_int_equal(pl_body_create_free(context, &mesh, &s.body, &body), PL_OK);
      for (int f = 0; f < 2; ++f) {
        sheet_pose(kinds[k], SMALL, 0.5 * f, &m);
        assert_int_equal(pl_body_set_positions(body, positions_of(&m, s.doubles)), PL_OK);
        assert_self(body, context, f == 1, what);
      }
      assert_valid(body, context, what);
      pl_context_destroy(context);
      product_saw(&p, p.rows[i]);
    }
    print_message("%s: %zu settings\n", sheet_text(kinds[k]), p.row_count);
    settings_close(&p);
    sheet_free(&m);
  }
}

/* Two meshes of a world as one. */
static void worlds(void **state)
{
  (void)state;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    world_create(kind, 2, &w);
    size_t nv[2] = {w.mesh[0].vertex_count, w.mesh[1].vertex_count},
           nt[2] = {w.mesh[0].triangle_count, w.mesh[1].triangle_count};
    double *xyz = malloc((nv[0] + nv[1]) * 3 * sizeof *xyz);
    uint32_t *tri = malloc((nt[0] + nt[1]) * 3 * sizeof *tri);
    for (size_t c = 0; c < 3 * nt[0]; ++c) tri[c] = w.mesh[0].triangles[c];
    for (size_t c = 0; c < 3 * nt[1]; ++c) tri[3 * nt[0] + c] = w.mesh[1].triangles[c] + (uint32_t)nv[0];
    pl_context *context = context_of(NULL);
    pl_body *body = NULL;
    for (int step = 0; step < w.steps; ++step) {
      w.pose(&w, step);
      for (int b = 0; b < 2; ++b) memcpy(xyz + (b ? 3 * nv[0] : 0), w.mesh[b].xyz, 3 * nv[b] * sizeof *xyz);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(xyz, nv[0] + nv[1]);
      mesh.triangles = tri;
      mesh.triangle_count = nt[0] + nt[1];
      if (!body)
        assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
      else
        assert_int_equal(pl_body_set_positions(body, mesh.positions), PL_OK);
      assert_self(body, context, step % 2, w.name);
    }
    pl_context_destroy(context);
    free(xyz);
    free(tri);
    world_free(&w);
  }
}

/* ----------------------------------------------------------------------------- other motions -- */

static void transformed(void **state)
{
  (void)state;
  static const pl_transform transforms[] = {
      {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
      {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {3, -2, 1e3}},
      {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {0, 0, 0}},           /* flat: everything overlaps */
      {{{1e-3, 0, 0}, {0, 2e3, 0}, {0.5, 0, -1}}, {1e7, 0, 0}}, /* mirrored, sheared, rounded */
      {{{1e60, 0, 0}, {0, 1e60, 0}, {0, 0, 1e60}}, {0, 0, 0}},
  };
  for (int kind = 0; kind < SHEET_COUNT; kind += 3) {
    int n = kind == SHEET_FAN ? 3 : SMALL;
    world_mesh m;
    sheet_create(kind, n, &m);
    for (int bergen = 0; bergen < 2; ++bergen) {
      pl_context *context = context_of(NULL);
      pl_mesh_def mesh = mesh_of(&m, kind % 2);
      pl_body_def def = pl_body_def_default();
      pl_body *body;
      if (bergen) def.strategy = PL_STRATEGY_BERGEN;
      assert_int_equal(bergen ? pl_body_create_free(context, &mesh, &def, &body)
                              : pl_body_create_rigid(context, &mesh, NULL, &body),
                       PL_OK);
      for (size_t i = 0; i < sizeof transforms / sizeof *transforms; ++i) {
        assert_int_equal(pl_body_set_transform(body, &transforms[i]), PL_OK);
        assert_self(body, context, i % 2, sheet_text(kind));
      }
      pl_context_destroy(context);
    }
    sheet_free(&m);
  }
}

static void morphing(void **state)
{
  (void)state;
  for (int kind = SHEET_WAVE; kind < SHEET_COUNT; ++kind) {
    if (kind == SHEET_FAN) continue;
    world_mesh m[2];
    sheet_create(SHEET_FLAT, SMALL, &m[0]);
    sheet_create(kind, SMALL, &m[1]);
    pl_context *context = context_of(NULL);
    pl_positions references[2] = {positions_of(&m[0], kind % 2), positions_of(&m[1], kind % 2)};
    pl_morph_def morph = pl_morph_def_default();
    morph.references = references;
    morph.reference_count = 2;
    pl_mesh_def mesh = mesh_of(&m[0], kind % 2);
    pl_body *body;
    assert_int_equal(pl_body_create_morph(context, &mesh, &morph, NULL, &body), PL_OK);
    for (int f = 0; f < 4; ++f) {
      double weights[2] = {1 - f / 3.0, f / 3.0};
      assert_int_equal(pl_body_set_weights(body, weights, 2), PL_OK);
      assert_self(body, context, f % 2, sheet_text(kind));
    }
    pl_context_destroy(context);
    sheet_free(&m[0]);
    sheet_free(&m[1]);
  }
}

/* A flat sheet is answered by its root: the number of tests does not grow with its size. */
static void flat_sheet(void **state)
{
  (void)state;
  uint64_t tests[2];
  for (int large = 0; large < 2; ++large) {
    int n = large ? test_soaks() ? 708 : 160 : 20; /* 1 002 528 triangles in a long run */
    world_mesh m;
    sheet_create(SHEET_FLAT, n, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    const pl_result *found;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
    assert_int_equal(found->count, 0);
    tests[large] = found->counters.n_v + found->counters.n_p;
    pl_context_destroy(context);
    sheet_free(&m);
  }
  assert_int_equal(tests[0], tests[1]);
}

/* Normals alone miss: the reason for the proof of borders. Rolled, folded and twisted sheets
 * face all ways: there the normals suffice. */
static void cones_alone_miss(void **state)
{
  (void)state;
  static const bool misses[SHEET_COUNT] = {
      [SHEET_RAMP] = true, [SHEET_RIBBON] = true, [SHEET_FAN] = true, [SHEET_SLEEVE] = true};
  for (int kind = 0; kind < SHEET_COUNT; ++kind) {
    int n = kind == SHEET_FAN ? 8 : 30;
    world_mesh m;
    sheet_create(kind, n, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    const pl_result *found;
    pl_question def = pl_question_default();
    def.self_method = PL_SELF_METHOD_CONES_MAY_MISS;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    pair_list all = reference_self_of(body, false);
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    print_message("%s: %zu of %zu pairs without borders\n", sheet_text(kind), found->count, all.count);
    assert_true(found->count <= all.count);
    if (misses[kind]) assert_true(found->count < all.count);
    free(all.pairs);
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sheets),        cmocka_unit_test(overlapping_neighbours),
      cmocka_unit_test(every_setting), cmocka_unit_test(worlds),
      cmocka_unit_test(transformed),   cmocka_unit_test(morphing),
      cmocka_unit_test(flat_sheet),    cmocka_unit_test(cones_alone_miss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
