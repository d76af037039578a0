/* The options of a query of a body against itself, what it refuses, its memory, and bodies of
 * scenes. */
#include "scenes/ask.h"
#include "support/selves.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- options -- */

typedef struct counting {
  size_t calls, most;
} counting;

static bool count_up(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  counting *c = user;
  assert_true(pair.a < pair.b);
  return ++c->calls < c->most;
}
static bool odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
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
  for (size_t i = 0; i < all.count; ++i) odd += odd_only(NULL, NULL, NULL, all.pairs[i]);
  for (int k = 0; k < METHODS; ++k) {
    const pl_result *found;
    pl_question def = pl_question_default();
    def.self_method = methods[k];
    def.sorted = true;
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    assert_int_equal(found->count, all.count);
    assert_memory_equal(found->pairs, all.pairs, all.count * sizeof *all.pairs);
    def.first = true;
    for (int again = 0; again < 2; ++again) {
      assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
      assert_int_equal(found->count, 1);
    }
    def.first = false;
    def.filter = odd_only;
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    assert_int_equal(found->count, odd);
    counting c = {0, 5};
    def = pl_question_default();
    def.self_method = methods[k];
    def.callback = count_up;
    def.user = &c;
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    assert_true(found->partial && found->count == 5 && c.calls == 5 && !found->pairs);
    def = pl_question_default();
    def.self_method = methods[k];
    def.budget_tests = 1;
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    assert_true(found->partial && found->count < all.count);
    def.budget_tests = UINT64_MAX;
    assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
    assert_true(!found->partial && found->count == all.count);
  }
  free(all.pairs);
  pl_context_destroy(context);
  sheet_free(&m);
}

/* The leaves that touched last time are remembered by tree: boxes and cones walk two that have
 * other leaves. */
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
      const pl_result *found;
      pl_question def = pl_question_default();
      def.self_method = i % 2 ? PL_SELF_METHOD_CONES : PL_SELF_METHOD_BOXES;
      def.first = true;
      def.rings = 0;
      assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
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
  const pl_result *found;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_touching(pl_self(NULL), NULL, &found), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_touching(pl_self(body), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, refer_touching(pl_self(body), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_question def = pl_question_default();
  def.self_method = PL_SELF_METHOD_COUNT;
  assert_refused(context, pl_touching(pl_self(body), &def, &found), PL_ERROR_ARGUMENT,
                 "unknown method of self-collision");
  def = pl_question_default();
  def.budget_ms = -1;
  assert_refused(context, pl_touching(pl_self(body), &def, &found), PL_ERROR_ARGUMENT, "budget");
  /* the body against itself */
  assert_int_equal(pl_touching(pl_two(body, body), NULL, &found), PL_OK);
  pl_context_destroy(context);
  sheet_free(&m);
}

/* ------------------------------------------------------------------------------------ memory -- */

/* Frames that repeat allocate nothing; memory that runs out at the n-th request is a status,
 * leaks nothing, and the next query is right. */
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
    const pl_result *found;
    pl_mesh_def mesh = mesh_of(&m, true);
    pl_question def = pl_question_default();
    def.self_method = methods[k];
    assert_int_equal(pl_context_create(&cd, &context), PL_OK);
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    long failures = 0;
    for (long n = 0;; ++n) {
      memory.until = n;
      pl_status status = pl_touching(pl_self(body), &def, &found);
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
      assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
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

/* ------------------------------------------------------------------------------------ scenes -- */

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
    const pl_result *found;
    assert_int_equal(pl_touching(pl_all(scene), NULL, &found), PL_OK);
    size_t within[BODIES] = {0};
    for (size_t i = 0; i < found->group_count; ++i)
      for (int b = 0; b < BODIES; ++b) within[b] += found->groups[i].a == body[b] && found->groups[i].b == body[b];
    assert_true(within[0] > 0 && within[1] == 0 && within[2] > 0 && within[3] > 0);
  }
  pl_context_destroy(context);
  for (int b = 0; b < BODIES; ++b) sheet_free(&m[b]);
}

/* A flat sheet that moves freely: after the first frame the number of tests does not grow with
 * its size, and its own tree is left alone. */
static void flat_sheets(void **state)
{
  (void)state;
  const int sizes[] = {24, 96, test_soaks() ? 708 : 192}; /* 708: a million triangles */
  uint64_t tests[3];
  for (int k = 0; k < 3; ++k) {
    world_mesh m;
    sheet_create(SHEET_FLAT, sizes[k], &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, false);
    pl_body *body;
    const pl_result *found;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    for (int f = 0; f < 3; ++f) {
      for (size_t v = 0; v < m.vertex_count; ++v) m.xyz_f32[3 * v + 1] += 0.01f * m.xyz_f32[3 * v] + (float)f;
      assert_int_equal(pl_body_set_positions(body, pl_positions_f32(m.xyz_f32, m.vertex_count)), PL_OK);
      assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
      assert_int_equal(found->count, 0);
      if (f) assert_int_equal(found->counters.n_u, 0); /* at the front */
    }
    tests[k] = found->counters.n_v + found->counters.n_p;
    print_message("%zu triangles: %d tests\n", m.triangle_count, (int)tests[k]);
    pl_context_destroy(context);
    sheet_free(&m);
  }
  assert_int_equal(tests[0], tests[1]);
  assert_int_equal(tests[0], tests[2]);
}

/* Queries by patches leave the body's own tree as it is: the queries that need it still find
 * positions that are not stale. */
static void own_tree_later(void **state)
{
  (void)state;
  for (int doubles = 0; doubles < 2; ++doubles) {
    world_mesh m;
    sheet_create(SHEET_FOLDED, 20, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = mesh_of(&m, doubles);
    pl_body *body;
    const pl_result *found;
    pl_question def = pl_question_default();
    def.sorted = true;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    for (int f = 0; f < 12; ++f) {
      sheet_pose(f % 3 ? SHEET_FOLDED : SHEET_ROLL_2, 20, 0.08 * f, &m);
      assert_int_equal(pl_body_set_positions(body, positions_of(&m, doubles)), PL_OK);
      pair_list wanted = reference_self_of(body, false);
      for (int k = 0; k < 2; ++k) { /* by turns, patches or the tree first */
        def.self_method = (k + f) % 2 ? PL_SELF_METHOD_CONES : PL_SELF_METHOD_BOXES;
        assert_int_equal(pl_touching(pl_self(body), &def, &found), PL_OK);
        assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, "own tree");
      }
      float lower[3], upper[3];
      assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
      for (size_t v = 0; v < m.vertex_count; ++v)
        for (int k = 0; k < 3; ++k)
          assert_true((double)lower[k] <= m.xyz[3 * v + (size_t)k] && m.xyz[3 * v + (size_t)k] <= (double)upper[k]);
      free(wanted.pairs);
    }
    pl_context_destroy(context);
    sheet_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options),     cmocka_unit_test(first_pairs_by_turns), cmocka_unit_test(refused),
      cmocka_unit_test(memory),      cmocka_unit_test(never_stale),          cmocka_unit_test(in_scenes),
      cmocka_unit_test(flat_sheets), cmocka_unit_test(own_tree_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
