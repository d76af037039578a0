/* A body against itself: every method that does not miss against the reference, on sheets that defeat normals, over every setting of free
 * bodies, on morphing and rigid ones, and with the options of the query. */
#include "support/settings.h"
#include "support/sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL = 7, LARGE = 20, FRAMES = 2 };
#else
enum { SMALL = 9, LARGE = 56, FRAMES = 4 };
#endif

static const pl_self_method methods[] = {PL_SELF_METHOD_AUTO, PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES,
                                         PL_SELF_METHOD_HASH};
enum { METHODS = sizeof methods / sizeof *methods };

static pl_positions positions_of(const world_mesh *m, bool doubles)
{
  return doubles ? pl_positions_f64(m->xyz, m->vertex_count) : pl_positions_f32(m->xyz_f32, m->vertex_count);
}

static pl_mesh_def mesh_of(const world_mesh *m, bool doubles)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = positions_of(m, doubles);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static pair_list reference_self_of(pl_body *body, bool neighbours)
{
  const pl_pairs *found;
  pl_self_def def = pl_self_def_default();
  def.neighbours = neighbours;
  assert_int_equal(pl_reference_self(body, &def, &found), PL_OK);
  return copy_pairs(found);
}

/* Every method reports what the reference does; returns how many pairs. */
static size_t assert_self(pl_body *body, pl_context *context, bool neighbours, const char *what)
{
  pair_list wanted = reference_self_of(body, neighbours);
  for (int k = 0; k < METHODS; ++k) {
    const pl_pairs *found;
    pl_self_def def = pl_self_def_default();
    char where[256];
    snprintf(where, sizeof where, "%s by %s%s", what, pl_self_method_text(methods[k]),
             neighbours ? " with neighbours" : "");
    def.method = methods[k];
    def.neighbours = neighbours;
    if (pl_body_self(body, &def, &found) != PL_OK) fail_msg("%s: %s", where, pl_context_message(context));
    for (size_t i = 0; i < found->count; ++i) assert_true(found->pairs[i].a < found->pairs[i].b);
    assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, where);
  }
  free(wanted.pairs);
  return wanted.count;
}

/* --------------------------------------------------------------------------------------------------------- sheets -- */

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

/* ------------------------------------------------------------------------------------------------------- settings -- */

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

/* -------------------------------------------------------------------------------------------------- other motions -- */

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

/* -------------------------------------------------------------------------------------------------------- options -- */

typedef struct counting {
  size_t calls, most;
} counting;

static bool count_up(void *user, pl_pair pair)
{
  counting *c = user;
  assert_true(pair.a < pair.b);
  return ++c->calls < c->most;
}
static bool odd_only(void *user, pl_pair pair)
{
  (void)user;
  assert_true(pair.a < pair.b);
  return (pair.a + pair.b) % 2;
}

static void options(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FOLDED, 24, &m);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = mesh_of(&m, false);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  pair_list all = reference_self_of(body, false);
  assert_true(all.count > 10);
  size_t odd = 0;
  for (size_t i = 0; i < all.count; ++i) odd += odd_only(NULL, all.pairs[i]);
  for (int k = 0; k < METHODS; ++k) {
    const pl_pairs *found;
    pl_self_def def = pl_self_def_default();
    def.method = methods[k];
    def.sorted = true;
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_int_equal(found->count, all.count);
    assert_memory_equal(found->pairs, all.pairs, all.count * sizeof *all.pairs);
    def.first = true;
    for (int again = 0; again < 2; ++again) {
      assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
      assert_int_equal(found->count, 1);
    }
    def.first = false;
    def.filter = odd_only;
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_int_equal(found->count, odd);
    counting c = {0, 5};
    def = pl_self_def_default();
    def.method = methods[k];
    def.callback = count_up;
    def.user = &c;
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_true(found->partial && found->count == 5 && c.calls == 5 && !found->pairs);
    def = pl_self_def_default();
    def.method = methods[k];
    def.budget_tests = 1;
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_true(found->partial && found->count < all.count);
    def.budget_tests = UINT64_MAX;
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_true(!found->partial && found->count == all.count);
  }
  free(all.pairs);
  pl_context_destroy(context);
  sheet_free(&m);
}

/* The leaves that touched last time are remembered by tree: boxes and cones walk two that have other leaves. */
static void first_pairs_by_turns(void **state)
{
  (void)state;
  for (int size = 4; size <= 24; size += 2) {
    world_mesh m;
    sheet_create(size % 4 ? SHEET_FOLDED : SHEET_ROLL_2, size, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body_def d = pl_body_def_default();
    d.leaf_size = 1; /* more leaves than patches have */
    d.arity = 2;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, &d, &body), PL_OK);
    pair_list all = reference_self_of(body, true);
    for (int i = 0; i < 8; ++i) {
      const pl_pairs *found;
      pl_self_def def = pl_self_def_default();
      def.method = i % 2 ? PL_SELF_METHOD_CONES : PL_SELF_METHOD_BOXES;
      def.first = def.neighbours = true;
      assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
      assert_int_equal(found->count, all.count > 0);
      size_t k = 0;
      while (k < all.count && memcmp(&all.pairs[k], found->pairs, sizeof *found->pairs) != 0) ++k;
      if (found->count && k == all.count)
        fail_msg("size %d: pair (%u, %u) does not touch", size, found->pairs[0].a, found->pairs[0].b);
    }
    free(all.pairs);
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

static void refused(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FLAT, 3, &m);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = mesh_of(&m, false);
  pl_body *body;
  const pl_pairs *found;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_self(NULL, NULL, &found), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_self(body, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_reference_self(body, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_self_def def = pl_self_def_default();
  def.method = PL_SELF_METHOD_COUNT;
  assert_refused(context, pl_body_self(body, &def, &found), PL_ERROR_ARGUMENT, "not one of the list");
  def = pl_self_def_default();
  def.budget_ms = -1;
  assert_refused(context, pl_body_self(body, &def, &found), PL_ERROR_ARGUMENT, "budget");
  assert_refused(context, pl_body_collide(body, body, NULL, &found), PL_ERROR_UNSUPPORTED, "pl_body_self");
  pl_context_destroy(context);
  sheet_free(&m);
}

/* --------------------------------------------------------------------------------------------------------- memory -- */

/* Frames that repeat allocate nothing; memory that runs out at the n-th request is a status, leaks nothing, and the next query is right. */
static void memory(void **state)
{
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    world_mesh m;
    sheet_create(SHEET_FOLDED, 12, &m);
    failing memory = {.until = -1};
    pl_context_def cd = pl_context_def_default();
    cd.threads = 1;
    cd.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    pl_body *body;
    const pl_pairs *found;
    pl_mesh_def mesh = mesh_of(&m, true);
    pl_self_def def = pl_self_def_default();
    def.method = methods[k];
    assert_int_equal(pl_context_create(&cd, &context), PL_OK);
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    long failures = 0;
    for (long n = 0;; ++n) {
      memory.until = n;
      pl_status status = pl_body_self(body, &def, &found);
      memory.until = -1;
      if (status == PL_OK) break;
      assert_int_equal(status, PL_ERROR_MEMORY);
      ++failures;
    }
    assert_true(failures > 3);
    assert_self(body, context, false, "after memory ran out");
    for (int f = 0; f < 6; ++f) {
      sheet_pose(SHEET_FOLDED, 12, 0.25 * (f % 3), &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, true)), PL_OK);
      if (f > 2) memory.until = 0;
      assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
      memory.until = -1;
    }
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
    sheet_free(&m);
  }
}

/* Single vertices that move, and a type that changes: never stale. */
static void never_stale(void **state)
{
  (void)state;
  world_mesh m;
  sheet_create(SHEET_FOLDED, 14, &m);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = mesh_of(&m, false);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  test_rng rng = {7};
  for (int f = 0; f < 12; ++f) {
    uint32_t v = (uint32_t)test_below(&rng, (int)m.vertex_count);
    for (int c = 0; c < 3; ++c) m.xyz_f32[3 * v + (uint32_t)c] += (float)test_uniform(&rng, -1, 1);
    assert_int_equal(pl_body_set_vertices(body, &v, 1, pl_positions_f32(m.xyz_f32 + 3 * (size_t)v, 1)), PL_OK);
    assert_self(body, context, f % 2, "a vertex has moved");
    if (f != 6) continue;
    for (size_t c = 0; c < 3 * m.vertex_count; ++c) m.xyz[c] = (double)m.xyz_f32[c] * 1.1;
    assert_int_equal(pl_body_set_positions(body, positions_of(&m, true)), PL_OK);
    assert_self(body, context, false, "in double");
    assert_int_equal(pl_body_set_positions(body, positions_of(&m, false)), PL_OK);
  }
  pl_context_destroy(context);
  sheet_free(&m);
}

/* A flat sheet is answered by its root: the number of tests does not grow with its size. */
static void flat_sheet(void **state)
{
  (void)state;
  uint64_t tests[2];
  for (int large = 0; large < 2; ++large) {
    int n = large ? 160 : 20;
    world_mesh m;
    sheet_create(SHEET_FLAT, n, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    const pl_pairs *found;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_body_self(body, NULL, &found), PL_OK);
    assert_int_equal(found->count, 0);
    tests[large] = found->counters.n_v + found->counters.n_p;
    pl_context_destroy(context);
    sheet_free(&m);
  }
  assert_int_equal(tests[0], tests[1]);
}

/* Normals alone miss: the reason for the proof of borders. */
static void cones_alone_miss(void **state)
{
  (void)state;
  static const int kinds[] = {SHEET_RAMP, SHEET_RIBBON, SHEET_FAN};
  for (int k = 0; k < 3; ++k) {
    int n = kinds[k] == SHEET_FAN ? 8 : 30;
    world_mesh m;
    sheet_create(kinds[k], n, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    const pl_pairs *found;
    pl_self_def def = pl_self_def_default();
    def.method = PL_SELF_METHOD_CONES_MAY_MISS;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    size_t all = assert_self(body, context, false, sheet_text(kinds[k]));
    assert_int_equal(pl_body_self(body, &def, &found), PL_OK);
    assert_true(found->count < all);
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

/* ---------------------------------------------------------------------------------------------------------- scenes -- */

static void in_scenes(void **state)
{
  (void)state;
  enum { BODIES = 4 };
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  world_mesh m[BODIES];
  pl_body *body[BODIES];
  for (int b = 0; b < BODIES; ++b) {
    sheet_create(b % 2 ? SHEET_FOLDED : SHEET_ROLL_2, 12, &m[b]);
    pl_mesh_def mesh = mesh_of(&m[b], b > 1);
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[b]), PL_OK);
    pl_member_def options = pl_member_def_default();
    options.self = b != 1;
    options.loose = b == 3;
    for (int k = 0; k < 3; ++k) {
      options.lower[k] = -100;
      options.upper[k] = 100;
    }
    assert_int_equal(pl_scene_add(scene, body[b], &options), PL_OK);
  }
  for (int f = 0; f < 4; ++f) {
    for (int b = 0; b < BODIES; ++b) {
      sheet_pose(b % 2 ? SHEET_FOLDED : SHEET_ROLL_2, 12, 0.25 * f, &m[b]);
      for (size_t v = 0; v < m[b].vertex_count; ++v) { /* the third and fourth far from the others */
        m[b].xyz_f32[3 * v] += b > 1 ? 10 * (float)b : 0.25f * (float)b;
        m[b].xyz[3 * v] = m[b].xyz_f32[3 * v];
      }
      assert_int_equal(pl_body_set_positions(body[b], positions_of(&m[b], b > 1)), PL_OK);
    }
    assert_true(assert_scene_like_reference(scene, "self in a scene") > 0);
    const pl_contacts *found;
    assert_int_equal(pl_scene_collide(scene, NULL, &found), PL_OK);
    size_t within[BODIES] = {0};
    for (size_t i = 0; i < found->count; ++i)
      for (int b = 0; b < BODIES; ++b) within[b] += found->contacts[i].a == body[b] && found->contacts[i].b == body[b];
    assert_true(within[0] > 0 && within[1] == 0 && within[2] > 0 && within[3] > 0);
  }
  pl_context_destroy(context);
  for (int b = 0; b < BODIES; ++b) sheet_free(&m[b]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sheets),           cmocka_unit_test(overlapping_neighbours),
      cmocka_unit_test(every_setting),    cmocka_unit_test(worlds),
      cmocka_unit_test(transformed),      cmocka_unit_test(morphing),
      cmocka_unit_test(options),          cmocka_unit_test(refused),
      cmocka_unit_test(in_scenes),        cmocka_unit_test(memory),
      cmocka_unit_test(never_stale),      cmocka_unit_test(flat_sheet),
      cmocka_unit_test(cones_alone_miss), cmocka_unit_test(first_pairs_by_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
