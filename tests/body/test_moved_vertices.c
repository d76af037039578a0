/* A few vertices moved: answers, what is refused, and that only the paths above them are made
 * anew. */
#include "body/body.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 4, EVERY_LARGE = 6 };
#else
enum { ROUNDS = 12, EVERY_LARGE = 3 };
#endif

/* A list of vertices to move: one, some, neighbours, repeated, all, none. */
static size_t choose_vertices(test_rng *rng, int kind, const world_mesh *m, uint32_t *list)
{
  size_t n = m->vertex_count, count = 0;
  switch (kind) {
  case 0:
    list[count++] = (uint32_t)test_below(rng, (int)n);
    break;
  case 1:
    for (int i = 0; i < 10; ++i) list[count++] = (uint32_t)test_below(rng, (int)n);
    break;
  case 2: { /* those of a few triangles beside each other */
    size_t t = (size_t)test_below(rng, (int)m->triangle_count);
    for (size_t i = 0; i < 4 && t + i < m->triangle_count; ++i)
      for (int c = 0; c < 3; ++c) list[count++] = m->triangles[3 * (t + i) + (size_t)c];
    break;
  }
  case 3:
    for (int i = 0; i < 9; ++i) list[count++] = (uint32_t)test_below(rng, 3);
    break; /* repeated */
  case 4:
    for (size_t v = 0; v < n; ++v) list[count++] = (uint32_t)(n - 1 - v);
    break;
  default:
    break;
  }
  return count;
}

/* New places for them in both arrays of the mesh. A repeated vertex has one place, so that the
 * order of the list is nothing. */
static void move_vertices(test_rng *rng, world_mesh *m, const uint32_t *list, size_t count)
{
  double far = test_below(rng, 4) ? 0.3 : 20;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      size_t at = 3 * (size_t)list[i] + (size_t)k;
      m->xyz_f32[at] += (float)test_uniform(rng, -far, far);
      m->xyz[at] = m->xyz_f32[at];
    }
}

static void send_vertices(pl_body *body, const world_mesh *m, const uint32_t *list, size_t count, bool doubles,
                          bool borrow)
{
  if (borrow) {
    assert_int_equal(pl_body_set_vertices(body, list, count, (pl_positions){0}), PL_OK);
    return;
  }
  size_t size = doubles ? 24 : 12;
  char *moved = malloc((count + 1) * size);
  for (size_t i = 0; i < count; ++i)
    memcpy(moved + i * size, doubles ? (const void *)&m->xyz[3 * list[i]] : (const void *)&m->xyz_f32[3 * list[i]],
           size);
  assert_int_equal(
      pl_body_set_vertices(body, list, count, pl_positions_strided(doubles ? PL_F64 : PL_F32, moved, count, size)),
      PL_OK);
  free(moved);
}

static void move_on(int kind_of_world, const pl_body_def *def, bool doubles, uint64_t seed)
{
  test_rng rng = {.state = seed};
  world w;
  world_create(kind_of_world, 2, &w);
  w.pose(&w, 3);
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  world_bodies(&w, context, def, doubles, bodies);
  world_mesh *m = &w.mesh[0];
  uint32_t *list = malloc((m->vertex_count + 16) * sizeof *list);
  for (int round = 0; round < ROUNDS; ++round) {
    char what[128];
    snprintf(what, sizeof what, "%s %s %s round %d", w.name, pl_word(PL_WORDS_STRATEGY, def->strategy),
             pl_word(PL_WORDS_VOLUME, def->volume), round);
    size_t count = choose_vertices(&rng, round % 6, m, list);
    move_vertices(&rng, m, list, count);
    send_vertices(bodies[0], m, list, count, doubles, def->borrow);
    if (round % 3 == 1) continue; /* two moves before the next question */
    if (round % 2) assert_valid(bodies[0], context, what);
    assert_like_reference(bodies[0], bodies[1], what);
    assert_valid(bodies[0], context, what);
    if (round == 5) world_set(&w, doubles, bodies);
  }
  free(list);
  pl_context_destroy(context);
  world_free(&w);
}

static void moved_vertices(void **state)
{
  (void)state;
  static const pl_volume kinds[5] = {PL_VOLUME_AABB, PL_VOLUME_SPHERE, PL_VOLUME_KDOP14, PL_VOLUME_KDOP18,
                                     PL_VOLUME_KDOP26};
  int settings = 0;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; leaf += 7)
        for (int doubles = 0; doubles < 2; ++doubles, ++settings) {
          pl_body_def def = body_def_of((pl_strategy)strategy, arity, leaf, settings % 2);
          def.lazy_levels = 1 + settings % 3;
          def.eager_levels = settings % 4 ? -1 : settings % 3;
          def.builder = (pl_builder)(settings % 3 == 2);
          def.volume = kinds[(settings + strategy) % 5]; /* a strategy has 12 settings */
          move_on(settings % 4 == 3 ? WORLD_SOUP
                  : settings % 2    ? WORLD_GRIDS
                                    : WORLD_SPHERES,
                  &def, doubles, 100 + (uint64_t)settings);
        }
}

static void moved_vertices_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_GRIDS, 2, &w);
  pl_context *context = context_of(NULL);
  for (int borrow = 0; borrow < 2; ++borrow) {
    pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 8, 8, borrow);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    pair_list before = reference_pairs_of(bodies[0], bodies[1]);
    uint32_t list[3] = {0, 1, (uint32_t)w.mesh[0].vertex_count};
    float xyz[9] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
    pl_positions moved = borrow ? (pl_positions){0} : pl_positions_f32(xyz, 3);
    char part[64];
    snprintf(part, sizeof part, "entry 2 names vertex %u", list[2]);
    assert_refused(context, pl_body_set_vertices(bodies[0], list, 3, moved), PL_ERROR_ARGUMENT, part);
    list[2] = 2;
    assert_refused(context, pl_body_set_vertices(bodies[0], NULL, 3, moved), PL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(pl_body_set_vertices(NULL, list, 3, moved), PL_ERROR_ARGUMENT);
    if (borrow) {
      assert_refused(context, pl_body_set_vertices(bodies[0], list, 3, pl_positions_f32(xyz, 3)), PL_ERROR_ARGUMENT,
                     "without data");
      float old = w.mesh[0].xyz_f32[5];
      w.mesh[0].xyz_f32[5] = NAN; /* the array is the caller's: all that can be done is to say so */
      assert_refused(context, pl_body_set_vertices(bodies[0], list, 3, moved), PL_ERROR_POSITIONS,
                     "vertex 1 is not finite");
      w.mesh[0].xyz_f32[5] = old;
    } else {
      assert_refused(context, pl_body_set_vertices(bodies[0], list, 2, moved), PL_ERROR_MISMATCH, "3 positions for 2");
      double wide[9] = {0};
      assert_refused(context, pl_body_set_vertices(bodies[0], list, 3, pl_positions_f64(wide, 3)), PL_ERROR_MISMATCH,
                     "float");
      xyz[7] = INFINITY;
      assert_refused(context, pl_body_set_vertices(bodies[0], list, 3, moved), PL_ERROR_POSITIONS,
                     "vertex 2 is not finite (inf)");
    }
    const pl_result *found;
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refusals");
    free(before.pairs);
  }
  pl_context_destroy(context);
  world_free(&w);
}

/* Volumes that one moved vertex makes anew once its paths are true: its leaves, and their
 * ancestors. */
static uint64_t volumes_of_one(pl_context *context, scene_mesh *m, pl_strategy strategy, uint32_t vertex, int *depth)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_body_def def = body_def_of(strategy, 8, 8, false);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
  assert_int_equal(pl_body_update(body, NULL), PL_OK);
  body_ensure_root(body);
  uint64_t made = 0;
  for (int number = 0; number < 2; ++number) { /* the second finds all on the way true */
    float at[3] = {m->xyz[3 * vertex] * (1.01f + (float)number), m->xyz[3 * vertex + 1], m->xyz[3 * vertex + 2]};
    assert_int_equal(pl_body_set_vertices(body, &vertex, 1, pl_positions_f32(at, 1)), PL_OK);
    made = update_vertices(body->update, &vertex, 1);
  }
  uint64_t leaves = body->tree->prims.fan_first[vertex + 1] - body->tree->prims.fan_first[vertex];
  *depth = body->tree->nodes.depth;
  if (made < leaves || made > leaves + leaves * (uint64_t)*depth)
    fail_msg("%s: vertex %u of %u: %u volumes for %u leaves, depth %d", pl_word(PL_WORDS_STRATEGY, strategy), vertex,
             body->tree->prims.vertex_count, (unsigned)made, (unsigned)leaves, *depth);
  assert_valid(body, context, "one vertex");
  pl_counters counters;
  assert_int_equal(pl_body_update(body, &counters), PL_OK);
  assert_int_equal(counters.n_u, 0); /* nothing is left to do before a query */
  pl_body_destroy(body);
  return made;
}

/* O(moved + depth), whatever the size of the mesh. */
static void one_vertex_costs_its_paths(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh small, large;
  assert_true(scene_geosphere(32, &small) && scene_geosphere(100, &large));
  memcpy(small.xyz, small.rest, 3 * small.vertex_count * sizeof(float));
  memcpy(large.xyz, large.rest, 3 * large.vertex_count * sizeof(float));
  assert_int_equal(small.triangle_count, 20480);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    uint64_t most[2] = {0, 0};
    int depth[2];
    for (uint32_t i = 0; i < 6; ++i) {
      uint64_t a = volumes_of_one(context, &small, (pl_strategy)strategy, i * 1700, &depth[0]);
      uint64_t b = i % EVERY_LARGE ? 0 : volumes_of_one(context, &large, (pl_strategy)strategy, i * 16000, &depth[1]);
      if (a > most[0]) most[0] = a;
      if (b > most[1]) most[1] = b;
    }
    assert_true(most[0] < 60 && most[1] < 60); /* of 2 926 and 28 000 volumes or more */
    print_message("%s: at most %u volumes of 20 480 triangles (depth %d), %u of 200 000 (depth %d)\n",
                  pl_word(PL_WORDS_STRATEGY, strategy), (unsigned)most[0], depth[0], (unsigned)most[1], depth[1]);
  }
  scene_mesh_free(&small);
  scene_mesh_free(&large);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moved_vertices),
      cmocka_unit_test(moved_vertices_refused),
      cmocka_unit_test(one_vertex_costs_its_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
