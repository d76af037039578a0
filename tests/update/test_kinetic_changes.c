/* Kinetic trees after changes: of plans, of triangles and of keys. Every volume still equals the
 * box of the positions below it. */
#include "motion/flight.h"

#include "support/plans.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void plans_change(void **state)
{
  (void)state;
  test_rng rng = {3};
  for (int turn = 0; turn < 8; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 4, turn % 3 == 0);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, 1 + turn % 8, false);
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    pl_body *body = plan_body(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_HYBRID;
    pl_body *stored = plan_body(context, &p, path, 4, &def);
    uint64_t starts = 0;
    for (int i = 0; i < 10; ++i) {
      double time = plan_time(&rng, body, true);
      if (time == 8) break;
      assert_int_equal(pl_body_set_time(body, time), PL_OK);
      assert_int_equal(pl_body_set_time(stored, time), PL_OK);
      if (i % 3 == 0) assert_tight(body, "before a change");
      test_rng same = rng;
      plan_change(&rng, body, &p, i % 4 == 3 ? p.vertex_count : (size_t)i);
      plan_change(&same, stored, &p, i % 4 == 3 ? p.vertex_count : (size_t)i);
      assert_same_positions(body, stored);
      assert_tight(body, "after a change");
      assert_tight(stored, "stored, after a change");
      pl_body_info info;
      assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
      starts = info.starts;
    }
    assert_true(starts <= 3); /* changes are no new starts */
    assert_refused(context, pl_body_set_time(body, -1), PL_ERROR_ARGUMENT, "before the last change");
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* A list that names a vertex twice is refused whole: the plans and all volumes stay as they
 * were. */
/* A segment that was left after its plans changed: back in it, vertices are where the new plans
 * take them. */
static void back_in_a_segment_with_new_plans(void **state)
{
  (void)state;
  test_rng rng = {9};
  for (int turn = 0; turn < 8; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1, NOISE, false);
    pl_body_def def = body_def_of(turn & 1 ? PL_STRATEGY_KINETIC : PL_STRATEGY_AUTO, 8, 4, false);
    pl_body *body = plan_body(context, &p, turn & 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 3, &def);
    assert_int_equal(pl_body_set_time(body, -0.25), PL_OK);
    plan_change(&rng, body, &p, p.vertex_count / 2);
    assert_int_equal(pl_body_set_time(body, 0.25), PL_OK);
    double *before = plan_positions(body);
    assert_int_equal(pl_body_set_time(body, 1), PL_OK); /* another segment */
    assert_int_equal(pl_body_set_time(body, 0.25), PL_OK);
    double *after = plan_positions(body);
    assert_memory_equal(before, after, 3 * p.vertex_count * sizeof *before);
    if (turn & 1) assert_tight(body, "back in a segment");
    free(before);
    free(after);
    pl_context_destroy(context);
    plan_free(&p);
  }
}

static void vertex_named_twice_is_refused(void **state)
{
  (void)state;
  test_rng rng = {5};
  pl_context *context = context_of(NULL);
  plan p = plan_of(&rng, 2, 0, false);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 4, false);
  pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 2, &def);
  assert_int_equal(pl_body_set_time(body, 0.25), PL_OK);
  const uint32_t twice[] = {3, 0, 3}, once[] = {3, 0, 1}, beyond[] = {3, 0, (uint32_t)p.vertex_count};
  pl_positions pose = pl_positions_f64(p.pose[0], 3);
  double *before = plan_positions(body);
  for (int round = 0; round < 2; ++round) {
    assert_refused(context, pl_body_change_plans(body, twice, 3, &pose, 1), PL_ERROR_ARGUMENT,
                   "entry 2 names vertex 3, as an earlier one does");
    assert_refused(context, pl_body_change_plans(body, beyond, 3, &pose, 1), PL_ERROR_ARGUMENT, "entry 2 names vertex");
    double *after = plan_positions(body);
    assert_memory_equal(after, before, 3 * p.vertex_count * sizeof *after);
    assert_tight(body, "after a refusal");
    free(after);
  }
  for (int round = 0; round < 2; ++round) /* lists are reported apart: the same vertices again are no mistake */
    assert_int_equal(pl_body_change_plans(body, once, 3, &pose, 1), PL_OK);
  assert_tight(body, "after a change");
  free(before);
  pl_context_destroy(context);
  plan_free(&p);
}

static void triangles_come_and_go(void **state)
{
  (void)state;
  test_rng rng = {4};
  for (int turn = 0; turn < 6; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 4, false);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 4, false);
    pl_body *body = plan_body(context, &p, turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 4, &def);
    uint32_t *some = malloc(6 * p.triangle_count * sizeof *some);
    for (int i = 0; i < 8; ++i) {
      assert_int_equal(pl_body_set_time(body, plan_time(&rng, body, true)), PL_OK);
      size_t count = 0;
      for (size_t t = 0; t < p.triangle_count; ++t)
        for (int copies = test_below(&rng, 3); copies > 0; --copies, ++count)
          memcpy(some + 3 * count, p.triangles + 3 * t, 3 * sizeof *some);
      if (i == 5) count = 1;
      assert_int_equal(pl_body_set_triangles(body, some, count), PL_OK);
      assert_int_equal(pl_body_triangle_count(body), count);
      assert_tight(body, "with other triangles");
      double *xyz = plan_positions(body);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(xyz, p.vertex_count);
      mesh.triangles = some;
      mesh.triangle_count = count;
      pl_body *fresh;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &fresh), PL_OK);
      const pl_result *own;
      assert_int_equal(pl_touching(pl_self(body), NULL, &own), PL_OK);
      size_t found = own->count;
      assert_int_equal(pl_touching(pl_self(fresh), NULL, &own), PL_OK);
      assert_int_equal(found, own->count);
      pl_body_destroy(fresh);
      free(xyz);
      uint32_t wrong[3] = {0, 1, (uint32_t)p.vertex_count};
      assert_refused(context, pl_body_set_triangles(body, wrong, 1), PL_ERROR_MESH, "names vertex");
      assert_int_equal(pl_body_triangle_count(body), count);
    }
    free(some);
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* Keys that come one by one: time goes on, memory does not grow. */
static void keys_are_added(void **state)
{
  (void)state;
  test_rng rng = {5};
  plan p = plan_of(&rng, 2, NOISE, false);
  for (int quadratic = 0; quadratic < 2; ++quadratic) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.threads = 1;
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 8, false);
    pl_body *body = plan_body(context, &p, quadratic ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 1, &def);
    assert_refused(context, pl_body_set_time(body, 0), PL_ERROR_ARGUMENT, "not within");
    long live = 0;
    for (int i = 0; i < 12; ++i) {
      pl_positions poses[2] = {pl_positions_f64(p.pose[i % 5], p.vertex_count),
                               pl_positions_f64(p.pose[i % 3 + 1], p.vertex_count)};
      assert_int_equal(pl_body_add_key(body, i, poses, quadratic ? 2 : 1), PL_OK);
      assert_tight(body, "with a new key");
      assert_int_equal(pl_body_set_time(body, i - 0.4), PL_OK);
      assert_tight(body, "between keys");
      assert_int_equal(pl_body_set_time(body, i - 0.3), PL_OK);
      if (i == 4) live = memory.live;
      if (i > 4) assert_int_equal(memory.live, live);
      assert_refused(context, pl_body_add_key(body, i, poses, quadratic ? 2 : 1), PL_ERROR_ARGUMENT, "after the last");
    }
    assert_refused(context, pl_body_set_time(body, 1), PL_ERROR_ARGUMENT, "not within");
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  plan_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_change),
      cmocka_unit_test(back_in_a_segment_with_new_plans),
      cmocka_unit_test(vertex_named_twice_is_refused),
      cmocka_unit_test(triangles_come_and_go),
      cmocka_unit_test(keys_are_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
