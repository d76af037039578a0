/* What tests/extend adds from outside of the library, beyond the product that test_collide,
 * test_distance and test_rays play with it: the motion, on every volume, arity and instruction
 * set, against the reference and against a free body that is reported the same positions. */
#include "extend/motion_sway.h"
#include "extend/query_touched.h"
#include "scenes/ask.h"
#include "support/rays.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };

/* Two bumpy spheres of a world, the first with directions to sway along. */
typedef struct scene {
  world w;
  double *directions, *swung; /* 3 per vertex of the first */
} scene;

/* An extension renumbers nothing: a program that knows only the library's own values reads the
 * same numbers. */
_Static_assert((int)PL_STRATEGY_BERGEN == (int)PL_STRATEGY_BOXTREE + 1 && PL_STRATEGY_BOXTREE == 9, "strategies");
_Static_assert((int)PL_MOTION_SWAY == (int)PL_MOTION_FLIGHT + 1 && PL_MOTION_FLIGHT == 8, "motions");
_Static_assert((int)PL_SELF_METHOD_CONES_MAY_MISS == (int)PL_SELF_METHOD_BOXES + 1 && PL_SELF_METHOD_BOXES == 2,
               "methods");
_Static_assert((int)PL_VOLUME_CUBE == (int)PL_VOLUME_RSS + 1 && PL_VOLUME_RSS == 6, "volumes");

static void scene_make(scene *s)
{
  world_create(WORLD_SPHERES, 1, &s->w);
  s->w.pose(&s->w, s->w.steps / 2);
  size_t n = 3 * s->w.mesh[0].vertex_count;
  s->directions = malloc(n * sizeof *s->directions);
  s->swung = malloc(n * sizeof *s->swung);
  test_rng rng = {5};
  for (size_t i = 0; i < n; ++i) s->directions[i] = test_uniform(&rng, -0.4, 0.4);
}

static void scene_end(scene *s)
{
  free(s->directions);
  free(s->swung);
  world_free(&s->w);
}

static void swing(scene *s, double by)
{
  for (size_t i = 0; i < 3 * s->w.mesh[0].vertex_count; ++i) s->swung[i] = s->w.mesh[0].xyz[i] + by * s->directions[i];
}

/* A body that sways, and one that is reported where that takes its vertices, have the same pairs
 * with a third. */
static size_t same_pairs(pl_context *context, scene *s, const pl_body_def *def, const char *what)
{
  pl_mesh_def mesh = world_mesh_def(&s->w, 0, true), other_mesh = world_mesh_def(&s->w, 1, true);
  pl_body *sways = NULL, *told = NULL, *other = NULL;
  pl_body_def plain = *def;
  plain.strategy = PL_STRATEGY_AUTO;
  assert_int_equal(sway_create(context, &mesh, s->directions, def, &sways), PL_OK);
  assert_int_equal(pl_body_create_free(context, &mesh, &plain, &told), PL_OK);
  assert_int_equal(pl_body_create_free(context, &other_mesh, &plain, &other), PL_OK);
  size_t pairs = 0;
  for (int step = 0; step < STEPS; ++step) {
    double by = 2.0 * step / (STEPS - 1) - 1;
    swing(s, by);
    assert_int_equal(sway_set(sways, by), PL_OK);
    assert_int_equal(pl_body_set_positions(told, pl_positions_f64(s->swung, s->w.mesh[0].vertex_count)), PL_OK);
    pairs += assert_like_reference(sways, other, what);
    const pl_result *found;
    assert_int_equal(pl_touching(pl_two(told, other), NULL, &found), PL_OK);
    pair_list wanted = copy_pairs(found);
    assert_int_equal(pl_touching(pl_two(sways, other), NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
    free(wanted.pairs);
    least_row got, reference;
    assert_int_equal(ask_least(pl_two(sways, other), NULL, &got), PL_OK);
    assert_int_equal(refer_least(pl_two(sways, other), NULL, &reference), PL_OK);
    assert_true(got.distance == reference.distance && got.triangle_a == reference.triangle_a &&
                got.triangle_b == reference.triangle_b);
    assert_valid(sways, context, what);
  }
  pl_body_destroy(sways);
  pl_body_destroy(told);
  pl_body_destroy(other);
  return pairs;
}

static void a_motion_from_outside(void **state)
{
  (void)state;
  static const char *const simds[] = {SIMD_WORDS};
  scene s;
  size_t pairs = 0;
  scene_make(&s);
  for (size_t simd = 0; simd < sizeof simds / sizeof *simds; ++simd) {
    pl_context *context = context_of(simds[simd]);
    for (int volume = 0; context && volume < PL_VOLUME_COUNT; ++volume)
      for (int arity = 2; arity <= 8; arity *= 2)
        for (int by_name = 0; by_name < 2; ++by_name) {
          pl_body_def def = body_def_of(by_name ? PL_STRATEGY_TRIANGLES : PL_STRATEGY_AUTO, arity, 1 + volume, false);
          def.volume = (pl_volume)volume;
          char what[96];
          snprintf(what, sizeof what, "sway, %s, %s, arity %d", simds[simd], pl_word(PL_WORDS_VOLUME, def.volume),
                   arity);
          pairs += same_pairs(context, &s, &def, what);
        }
    pl_context_destroy(context);
  }
  scene_end(&s);
  print_message("%zu pairs\n", pairs);
  assert_true(pairs > 1000);
}

/* Rows and groups are those of the reference; with a budget, some of its rows. Returns how many. */
static size_t touched_like_reference(pl_who who, const pl_question *def, const char *what)
{
  const pl_result *found;
  pl_question plain = *def;
  plain.reference = true;
  plain.budget_tests = 0;
  assert_int_equal(touched_find(who, &plain, &found), PL_OK);
  const size_t count = found->count, groups = found->group_count;
  pl_pair *wanted = malloc((count + 1) * sizeof *wanted);
  pl_group *wanted_groups = malloc((groups + 1) * sizeof *wanted_groups);
  if (count) memcpy(wanted, found->pairs, count * sizeof *wanted);
  if (groups) memcpy(wanted_groups, found->groups, groups * sizeof *wanted_groups);
  assert_int_equal(touched_find(who, def, &found), PL_OK);
  if (!found->partial) {
    if (found->count != count || found->group_count != groups) fail_msg("%s: %zu of %zu", what, found->count, count);
    if (count) assert_memory_equal(found->pairs, wanted, count * sizeof *wanted);
    for (size_t g = 0; g < groups; ++g)
      assert_true(found->groups[g].a == wanted_groups[g].a && found->groups[g].b == wanted_groups[g].b &&
                  found->groups[g].begin == wanted_groups[g].begin && found->groups[g].end == wanted_groups[g].end);
    assert_true(found->counters.n_v > 0);
  } else {
    assert_true(def->budget_tests > 0 && found->count <= count);
  }
  size_t all = found->count;
  free(wanted);
  free(wanted_groups);
  return all;
}

static bool odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)a, (void)b;
  return pair.a % 2 || pair.b % 2;
}

/* Two bodies, one, and a scene, with a filter and with budgets. */
static size_t ask_everybody(pl_context *context, pl_body *const bodies[2], const char *what)
{
  pl_scene *all;
  pl_scene_def scene_def = pl_scene_def_default();
  pl_member_def self = pl_member_def_default();
  self.self = true;
  assert_int_equal(pl_scene_create(context, &scene_def, &all), PL_OK);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_scene_add(all, bodies[i], &self), PL_OK);
  size_t found = 0;
  for (int option = 0; option < 4; ++option) {
    pl_question def = pl_question_default();
    def.rings = option == 1 ? 0 : 1;
    if (option == 2) def.filter = odd_only;
    if (option == 3) def.budget_tests = 50;
    found += touched_like_reference(pl_two(bodies[0], bodies[1]), &def, what);
    found += touched_like_reference(pl_self(bodies[0]), &def, what);
    found += touched_like_reference(pl_all(all), &def, what);
  }
  pl_scene_destroy(all);
  return found;
}

/* The question, over every strategy, volume, instruction set and number of threads, of everybody,
 * against its own reference. */
static void a_query_from_outside(void **state)
{
  (void)state;
  static const char *const simds[] = {SIMD_WORDS};
  world w;
  size_t found = 0;
  world_create(WORLD_SPHERES, 2, &w);
  for (size_t simd = 0; simd < sizeof simds / sizeof *simds; ++simd)
    for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
      for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
        pl_context_def context_def = pl_context_def_default();
        context_def.threads = 1 + (strategy + volume) % 3;
        context_def.simd = simds[simd];
        pl_context *context;
        if (pl_context_create(&context_def, &context) != PL_OK) continue;
        pl_body_def def = body_def_of((pl_strategy)strategy, 2 << volume % 3, 1 + strategy, volume % 2);
        def.volume = (pl_volume)volume;
        pl_body *bodies[2];
        w.pose(&w, 0);
        world_bodies(&w, context, &def, false, bodies);
        for (int s = 0; s < w.steps; ++s) {
          char what[96];
          snprintf(what, sizeof what, "%s, strategy %d, volume %d, step %d", simds[simd], strategy, volume, s);
          w.pose(&w, s);
          world_set(&w, false, bodies);
          found += ask_everybody(context, bodies, what);
        }
        const pl_result *out;
        assert_refused(context, touched_find(pl_two(bodies[0], bodies[1]), NULL, NULL), PL_ERROR_ARGUMENT, "out");
        assert_refused(context, touched_find(pl_two(bodies[0], NULL), NULL, &out), PL_ERROR_ARGUMENT, "body b");
        pl_context_destroy(context);
      }
  world_free(&w);
  assert_true(found > 1000);
}

/* Calls that are not for this motion, and strategies that cannot serve it, are refused with the
 * words of the lists. */
static void words_of_the_lists(void **state)
{
  (void)state;
  scene s;
  scene_make(&s);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = world_mesh_def(&s.w, 0, true);
  pl_body *body;
  pl_body_def def = body_def_of(PL_STRATEGY_SUBTREE, 8, 8, false);
  assert_refused(context, sway_create(context, &mesh, s.directions, &def, &body), PL_ERROR_UNSUPPORTED,
                 "a sway body cannot be updated by subtree");
  assert_int_equal(sway_create(context, &mesh, s.directions, NULL, &body), PL_OK);
  assert_int_equal(pl_body_strategy(body), PL_STRATEGY_TRIANGLES);
  assert_string_equal(pl_word(PL_WORDS_MOTION, pl_body_motion(body)), "sway");
  assert_string_equal(pl_word(PL_WORDS_VOLUME, PL_VOLUME_CUBE), "cube");
  assert_refused(context, pl_body_set_positions(body, mesh.positions), PL_ERROR_UNSUPPORTED,
                 "a sway body keeps its shape: set its swing instead");
  assert_refused(context, sway_set(body, NAN), PL_ERROR_ARGUMENT, "swing");
  pl_context_destroy(context);
  scene_end(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_motion_from_outside), cmocka_unit_test(a_query_from_outside),
                                     cmocka_unit_test(words_of_the_lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
