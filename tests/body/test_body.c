/* Bodies: how positions are set, in whole and in part; what is refused, and that a refusal changes nothing; transforms; facts
 * about trees. */
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

static pl_body_def def_of(pl_strategy strategy, int arity, int leaf, bool borrow)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  def.arity = arity;
  def.leaf_size = leaf;
  def.borrow = borrow;
  return def;
}

/* ------------------------------------------------------------------------------------------------- moved vertices -- */

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

/* New places for them in both arrays of the mesh. A repeated vertex has one place, so that the order of the list is nothing. */
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
    snprintf(what, sizeof what, "%s %s %s round %d", w.name, pl_strategy_text(def->strategy),
             pl_volume_text(def->volume), round);
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
          pl_body_def def = def_of((pl_strategy)strategy, arity, leaf, settings % 2);
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
    pl_body_def def = def_of(PL_STRATEGY_HYBRID, 8, 8, borrow);
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
    const pl_pairs *found;
    assert_int_equal(pl_body_collide(bodies[0], bodies[1], NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refusals");
    free(before.pairs);
  }
  pl_context_destroy(context);
  world_free(&w);
}

/* Volumes that one moved vertex makes anew once its paths are true: its leaves, and their ancestors. */
static uint64_t volumes_of_one(pl_context *context, scene_mesh *m, pl_strategy strategy, uint32_t vertex, int *depth)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_body_def def = def_of(strategy, 8, 8, false);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
  assert_int_equal(pl_body_update(body, NULL), PL_OK);
  body_ensure_root(body);
  uint64_t made = 0;
  for (int call = 0; call < 2; ++call) { /* the second finds all on the way true */
    float at[3] = {m->xyz[3 * vertex] * (1.01f + (float)call), m->xyz[3 * vertex + 1], m->xyz[3 * vertex + 2]};
    assert_int_equal(pl_body_set_vertices(body, &vertex, 1, pl_positions_f32(at, 1)), PL_OK);
    made = update_vertices(&body->u, &vertex, 1);
  }
  uint64_t leaves = body->t.fan_first[vertex + 1] - body->t.fan_first[vertex];
  *depth = body->t.depth;
  if (made < leaves || made > leaves + leaves * (uint64_t)*depth)
    fail_msg("%s: vertex %u of %u: %u volumes for %u leaves, depth %d", pl_strategy_text(strategy), vertex,
             body->t.vertex_count, (unsigned)made, (unsigned)leaves, *depth);
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
                  pl_strategy_text((pl_strategy)strategy), (unsigned)most[0], depth[0], (unsigned)most[1], depth[1]);
  }
  scene_mesh_free(&small);
  scene_mesh_free(&large);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------------- positions -- */

static void types_change(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int borrow = 0; borrow < 2; ++borrow) {
      pl_body_def def = def_of((pl_strategy)strategy, 8, 8, borrow);
      pl_body *bodies[2];
      world_bodies(&w, context, &def, borrow, bodies);
      for (int step = 0; step < 2 * w.steps; ++step) {
        w.pose(&w, step % w.steps);
        for (int b = 0; b < 2; ++b)
          assert_int_equal(pl_body_set_positions(bodies[b], world_positions(&w, b, (step + b * (step / 3)) % 2)),
                           PL_OK);
        assert_like_reference(bodies[0], bodies[1], "types change");
        for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "types change");
      }
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  pl_context_destroy(context);
  world_free(&w);
}

/* Positions with other things between them, NaN among these; all give the pairs of packed ones. */
static void strides(void **state)
{
  (void)state;
  static const struct {
    bool doubles;
    size_t stride;
  } layouts[] = {{false, 12}, {false, 16}, {false, 24}, {false, 32}, {true, 24}, {true, 32}, {true, 40}, {false, 52}};
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, 4);
  pl_context *context = context_of(NULL);
  for (size_t l = 0; l < sizeof layouts / sizeof *layouts; ++l)
    for (int borrow = 0; borrow < 2; ++borrow)
      for (int simd = 0; simd < 3; ++simd) {
        pl_context *other = context_of((const char *[]){"scalar", "sse2", "avx2"}[simd]);
        if (!other) continue;
        size_t n = w.mesh[0].vertex_count, stride = layouts[l].stride, size = layouts[l].doubles ? 24 : 12;
        char *data = malloc(n * stride); /* the last vertex ends where the memory may end: nothing behind it is read */
        memset(data, 0xff, n * stride);
        for (size_t v = 0; v < n; ++v)
          memcpy(data + v * stride,
                 layouts[l].doubles ? (const void *)&w.mesh[0].xyz[3 * v] : (const void *)&w.mesh[0].xyz_f32[3 * v],
                 size);
        pl_body_def def = def_of((pl_strategy)(1 + l % 4), 8, 8, borrow);
        pl_body *bodies[2], *strided;
        world_bodies(&w, other, &def, false, bodies);
        pl_mesh_def mesh = world_mesh_def(&w, 0, false);
        mesh.positions = pl_positions_strided(layouts[l].doubles ? PL_F64 : PL_F32, data, n, stride);
        assert_int_equal(pl_body_create_free(other, &mesh, &def, &strided), PL_OK);
        assert_int_equal(pl_body_set_positions(strided, mesh.positions), PL_OK);
        const pl_pairs *found;
        assert_int_equal(pl_body_collide(bodies[0], bodies[1], NULL, &found), PL_OK);
        pair_list packed = copy_pairs(found);
        assert_true(packed.count > 0);
        assert_int_equal(pl_body_collide(strided, bodies[1], NULL, &found), PL_OK);
        assert_int_equal(found->count, packed.count);
        assert_memory_equal(found->pairs, packed.pairs, packed.count * sizeof(pl_pair));
        assert_valid(strided, other, "strided");
        free(packed.pairs);
        pl_context_destroy(other);
        free(data);
      }
  pl_context_destroy(context);
  world_free(&w);
}

static void positions_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, 4);
  pl_context *context = context_of(NULL);
  size_t n = w.mesh[0].vertex_count;
  float *bad = malloc(3 * n * sizeof *bad + 8);
  double *wide = malloc(3 * n * sizeof *wide);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int borrow = 0; borrow < 2; ++borrow) {
      pl_body_def def = def_of((pl_strategy)strategy, 8, 8, borrow);
      pl_body *bodies[2];
      world_bodies(&w, context, &def, false, bodies);
      pair_list before = reference_pairs_of(bodies[0], bodies[1]);
      static const float values[] = {NAN, INFINITY, -INFINITY};
      for (int i = 0; i < 3; ++i) {
        char part[64];
        size_t at = (size_t)i * (3 * n - 1) / 2;
        memset(bad, 0, 3 * n * sizeof *bad);
        memset(wide, 0, 3 * n * sizeof *wide);
        bad[at] = values[i];
        wide[at] = (double)values[i];
        snprintf(part, sizeof part, "vertex %zu is not finite (%s)", at / 3, (const char *[]){"nan", "inf", "-inf"}[i]);
        assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(bad, n)), PL_ERROR_POSITIONS, part);
        assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f64(wide, n)), PL_ERROR_POSITIONS, part);
      }
      char part[64];
      snprintf(part, sizeof part, "%zu positions for a body of %zu", n - 1, n);
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(bad, n - 1)), PL_ERROR_MISMATCH, part);
      assert_int_equal(pl_body_set_positions(bodies[0], pl_positions_f32(bad, n + 1)), PL_ERROR_MISMATCH);
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(NULL, n)), PL_ERROR_ARGUMENT, "NULL");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, bad, n, 8)),
                     PL_ERROR_ARGUMENT, "stride of 8");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, bad, n, 14)),
                     PL_ERROR_ARGUMENT, "multiple of 4");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F64, wide, n, 28)),
                     PL_ERROR_ARGUMENT, "multiple of 8");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, (char *)bad + 2, n, 12)),
                     PL_ERROR_ARGUMENT, "aligned");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided((pl_scalar)7, bad, n, 12)),
                     PL_ERROR_ARGUMENT, "PL_F32");
      assert_int_equal(pl_body_set_positions(NULL, pl_positions_f32(bad, n)), PL_ERROR_ARGUMENT);
      const pl_pairs *found; /* the state before stands, and answers */
      assert_int_equal(pl_body_collide(bodies[0], bodies[1], NULL, &found), PL_OK);
      assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refusals");
      assert_valid(bodies[0], context, "after refusals");
      free(before.pairs);
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  free(bad);
  free(wide);
  pl_context_destroy(context);
  world_free(&w);
}

/* Numbers that float cannot hold are as good as any: boxes reach to infinity there, and nothing is missed.
 * Was: a body that reached beyond float on both sides of an axis lost all its pairs. */
static void huge_numbers_lost_their_pairs(void **state)
{
  (void)state;
  const double eighth = sqrt(0.5); /* sine and cosine of an eighth of a turn */
  static const double sizes[] = {1, 1e30, 1e38, 3.3e38, 1e39, 1e100, 1e300, 1e-300, 1e-310};
  uint32_t triangles[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (int axes = 1; axes < 8; ++axes) /* which are scaled */
        for (int placed = 0; placed < (strategy == PL_STRATEGY_BERGEN ? 3 : 1); ++placed) {
          double xyz[2][12] = {{-1, -1, -1, 1, -1, 0.5, 0, 1, 0.25, 0, 0.25, 1},
                               {-1, 1, 1, 1, 1, -0.5, 0.5, -1, 0, 0, 0.5, -1}};
          pl_body *bodies[2];
          for (int b = 0; b < 2; ++b) {
            for (int i = 0; i < 12; ++i)
              if (axes >> i % 3 & 1) xyz[b][i] *= sizes[s];
            pl_mesh_def mesh = pl_mesh_def_default();
            mesh.positions = pl_positions_f64(xyz[b], 4);
            mesh.triangles = triangles;
            mesh.triangle_count = 4;
            pl_body_def def = def_of((pl_strategy)strategy, b ? 8 : 2, 1 + (int)s % 3, false);
            assert_int_equal(pl_body_create_free(context, &mesh, &def, &bodies[b]), PL_OK);
          }
          pl_transform turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {0, 0.125, 0}};
          if (placed == 2)
            turn = (pl_transform){{{eighth, -eighth, 0}, {eighth, eighth, 0}, {0, 0, 1}}, {-sizes[s], 0.1, 0}};
          if (placed) assert_int_equal(pl_body_set_transform(bodies[1], &turn), PL_OK);
          char what[96];
          snprintf(what, sizeof what, "%s size %g axes %d placed %d", pl_strategy_text((pl_strategy)strategy), sizes[s],
                   axes, placed);
          size_t count = assert_like_reference(bodies[0], bodies[1], what);
          if (!placed) assert_true(count > 0);
          count = assert_like_reference(bodies[1], bodies[0], what);
          for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, what);
          for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
        }
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------------------- updates, stamps -- */

static void update_twice_is_nothing(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 5, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_body_def def = def_of((pl_strategy)strategy, 8, 8, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    uint64_t made = 0;
    for (int round = 0; round < 3; ++round) {
      pl_counters counters;
      world_set(&w, false, bodies);
      assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
      if (round && strategy == PL_STRATEGY_INFLATE) {
        assert_int_equal(counters.n_u, 0); /* nothing has moved */
        continue;
      }
      if (round) assert_int_equal(counters.n_u, made);
      made = counters.n_u;
      assert_true((made == 0) == (strategy == PL_STRATEGY_TOP_DOWN));
      pl_tree_info info;
      for (int again = 0; again < 2; ++again) {
        assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
        assert_int_equal(counters.n_u, 0);
      }
      assert_int_equal(pl_body_update(bodies[0], NULL), PL_OK);
      assert_int_equal(pl_body_tree_info(bodies[0], &info), PL_OK);
      if (update_is_eager(&bodies[0]->u)) assert_int_equal(made, info.inner_nodes - 1 + info.leaves);
    }
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  assert_int_equal(pl_body_update(NULL, NULL), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
  world_free(&w);
}

/* Frames are counted in 32 bits, moves of single vertices too: both come round. */
static void counts_come_round(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_body_def def = def_of((pl_strategy)strategy, 4, 2, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    assert_like_reference(bodies[0], bodies[1], "before"); /* stamps of low frames, that come again */
    for (int b = 0; b < 2; ++b) {
      tree *t = &bodies[b]->t;
      for (uint32_t i = 0; i < t->inner_count; ++i)
        if (t->stamp[i] == t->frame) t->stamp[i] = UINT32_MAX - 4;
      t->frame = UINT32_MAX - 4;
      assert_int_equal(pl_body_set_vertices(bodies[b], (uint32_t[]){0}, 0, (pl_positions){NULL, 0, 12, PL_F32}), PL_OK);
      t->round = UINT32_MAX - 5;
    }
    for (int step = 0; step < 12; ++step) {
      w.pose(&w, step % w.steps);
      world_set(&w, false, bodies);
      if (step % 4 == 3) assert_int_equal(pl_body_update(bodies[0], NULL), PL_OK);
      assert_like_reference(bodies[0], bodies[1], "round the corner");
      uint32_t v = (uint32_t)step;
      float at[3] = {0.1f * (float)step, 0, 0};
      assert_int_equal(pl_body_set_vertices(bodies[0], &v, 1, pl_positions_f32(at, 1)), PL_OK);
      assert_like_reference(bodies[0], bodies[1], "round the corner, moved");
      for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "round the corner");
    }
    assert_true(bodies[0]->t.frame < 20 && bodies[0]->t.round < 20);
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  pl_context_destroy(context);
  world_free(&w);
}

/* ------------------------------------------------------------------------------------------------------ transforms -- */

/* From a random unit quaternion: orthonormal to a few units in the last place. */
static pl_transform random_transform(test_rng *rng, double reach)
{
  double q[4], length = 0;
  do {
    length = 0;
    for (int i = 0; i < 4; ++i) q[i] = test_uniform(rng, -1, 1), length += q[i] * q[i];
  } while (length > 1 || length < 0.1);
  for (int i = 0; i < 4; ++i) q[i] /= sqrt(length);
  double a = q[0], b = q[1], c = q[2], d = q[3];
  return (pl_transform){
      {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
       {2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)},
       {2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}},
      {test_uniform(rng, -reach, reach), test_uniform(rng, -reach, reach), test_uniform(rng, -reach, reach)}};
}

/* Both turned, or one of them against a body of any other strategy; shears, scales and mirrors too. */
static void transforms(void **state)
{
  (void)state;
  test_rng rng = {.state = 21};
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  size_t pairs = 0;
  for (int other = 1; other < FREE_STRATEGIES; ++other)
    for (int setting = 0; setting < 6; ++setting) {
      pl_body_def defs[2] = {def_of(PL_STRATEGY_BERGEN, 2 << setting % 3, 1 + 7 * (setting % 2), setting % 2),
                             def_of((pl_strategy)other, 2 << (setting + 1) % 3, 8 - setting, false)};
      pl_body *bodies[2];
      for (int b = 0; b < 2; ++b) {
        pl_mesh_def mesh = world_mesh_def(&w, b, setting % 3 == 2);
        assert_int_equal(pl_body_create_free(context, &mesh, &defs[b], &bodies[b]), PL_OK);
      }
      for (int step = 0; step < w.steps; ++step) {
        w.pose(&w, step);
        world_set(&w, setting % 3 == 2, bodies);
        for (int b = 0; b < (other == PL_STRATEGY_BERGEN ? 2 : 1); ++b) {
          pl_transform t = step ? random_transform(&rng, 0.8) : pl_transform_identity();
          if (step == 3) t.m[1][2] += 0.3;  /* a shear */
          if (step == 4) t.m[0][0] *= -2.5; /* a scale and a mirror */
          assert_int_equal(pl_body_set_transform(bodies[b], &t), PL_OK);
        }
        pairs += assert_like_reference(bodies[0], bodies[1], "transforms");
        pairs += assert_like_reference(bodies[1], bodies[0], "transforms, the other way round");
        for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "transforms");
        float lower[3], upper[3];
        assert_int_equal(pl_body_box(bodies[0], lower, upper), PL_OK);
        for (uint32_t v = 0; v < w.mesh[0].vertex_count; ++v) {
          double q[3];
          points_world(&bodies[0]->p, v, q);
          for (int k = 0; k < 3; ++k) assert_true((double)lower[k] <= q[k] && q[k] <= (double)upper[k]);
        }
      }
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  assert_true(pairs > 1000);
  pl_context_destroy(context);
  world_free(&w);
}

static void transforms_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 1, &w);
  w.pose(&w, 5);
  pl_context *context = context_of(NULL);
  pl_body_def def = def_of(PL_STRATEGY_BERGEN, 8, 8, false);
  pl_body *bodies[2], *others[2];
  world_bodies(&w, context, &def, false, bodies);
  world_bodies(&w, context, NULL, false, others);
  pl_transform good = pl_transform_identity();
  good.t[0] = 0.01;
  assert_int_equal(pl_body_set_transform(bodies[0], &good), PL_OK);
  pair_list before = reference_pairs_of(bodies[0], bodies[1]);
  static const struct {
    double m[3][3];
    const char *part;
  } wrong[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}, "not finite in row 2, column 2"},
               {{{1, 0, 0}, {0, INFINITY, 0}, {0, 0, 1}}, "not finite in row 1, column 1"},
               {{{1, 0, 1e101}, {0, 1, 0}, {0, 0, 1}}, "too large in row 0, column 2"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    pl_transform t = pl_transform_identity();
    memcpy(t.m, wrong[i].m, sizeof t.m);
    assert_refused(context, pl_body_set_transform(bodies[0], &t), PL_ERROR_ARGUMENT, wrong[i].part);
  }
  pl_transform t = pl_transform_identity();
  t.t[1] = INFINITY;
  assert_refused(context, pl_body_set_transform(bodies[0], &t), PL_ERROR_ARGUMENT, "not finite");
  assert_int_equal(pl_body_set_transform(NULL, &good), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_transform(bodies[0], NULL), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_set_transform(others[0], &good), PL_ERROR_UNSUPPORTED, "bergen");
  const pl_pairs *found;
  assert_int_equal(pl_body_collide(bodies[0], bodies[1], NULL, &found), PL_OK);
  assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refused transforms");
  free(before.pairs);
  pl_context_destroy(context);
  world_free(&w);
}

/* ----------------------------------------------------------------------------------------------------------- facts -- */

/* The order of vertices is a permutation; a mesh renumbered in it has the same pairs. */
static void vertex_order(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
      world w;
      world_create(kind, 2, &w);
      w.pose(&w, 3);
      pl_context *context = context_of(NULL);
      pl_body_def def = def_of((pl_strategy)strategy, 8, 8, false);
      pl_body *bodies[2], *renumbered;
      world_bodies(&w, context, &def, false, bodies);
      size_t n = w.mesh[0].vertex_count, m = w.mesh[0].triangle_count;
      uint32_t *order = malloc(n * sizeof *order), *place = malloc(n * sizeof *place),
               *triangles = malloc(3 * m * sizeof *triangles);
      float *xyz = malloc(3 * n * sizeof *xyz);
      assert_refused(context, pl_body_vertex_order(bodies[0], order, n - 1), PL_ERROR_BUFFER, "are needed");
      assert_int_equal(pl_body_vertex_order(bodies[0], NULL, n), PL_ERROR_ARGUMENT);
      assert_int_equal(pl_body_vertex_order(bodies[0], order, n), PL_OK);
      memset(place, 0xff, n * sizeof *place);
      for (uint32_t k = 0; k < n; ++k) {
        assert_true(order[k] < n && place[order[k]] == UINT32_MAX);
        place[order[k]] = k;
        memcpy(&xyz[3 * k], &w.mesh[0].xyz_f32[3 * order[k]], 3 * sizeof *xyz);
      }
      for (size_t i = 0; i < 3 * m; ++i) triangles[i] = place[w.mesh[0].triangles[i]];
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f32(xyz, n);
      mesh.triangles = triangles;
      mesh.triangle_count = m;
      assert_int_equal(pl_body_create_free(context, &mesh, &def, &renumbered), PL_OK);
      uint32_t *again = malloc(n * sizeof *again);
      assert_int_equal(pl_body_vertex_order(renumbered, again, n), PL_OK);
      uint32_t used = 0; /* in order already, as far as triangles use them */
      while (used < n && again[used] == used) ++used;
      if (kind != WORLD_SOUP) assert_int_equal(used, n);
      pair_list wanted = reference_pairs_of(bodies[0], bodies[1]);
      const pl_pairs *found;
      assert_int_equal(pl_body_collide(renumbered, bodies[1], NULL, &found), PL_OK);
      assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, "renumbered");
      free(wanted.pairs);
      free(again);
      free(order);
      free(place);
      free(triangles);
      free(xyz);
      pl_context_destroy(context);
      world_free(&w);
    }
}

static void facts(void **state)
{
  (void)state;
  scene_mesh m;
  assert_true(scene_geosphere(32, &m));
  memcpy(m.xyz, m.rest, 3 * m.vertex_count * sizeof(float));
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.xyz, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  pl_tree_info info;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_strategy(body), PL_STRATEGY_HYBRID);
  assert_int_equal(pl_body_vertex_count(body), m.vertex_count);
  assert_int_equal(pl_body_triangle_count(body), m.triangle_count);
  assert_int_equal(pl_body_vertex_count(NULL), 0);
  assert_int_equal(pl_body_triangle_count(NULL), 0);
  assert_int_equal(pl_body_tree_info(body, &info), PL_OK);
  assert_true(info.bytes_per_triangle <= 48);
  assert_true(fabs(info.bytes_per_triangle * (double)m.triangle_count - (double)info.bytes) < 1);
  print_message("%.1f bytes a triangle, depth %d, %.2f triangles a leaf, %.2f children a node, overlap %.2f\n",
                info.bytes_per_triangle, info.depth, info.triangles_per_leaf, info.children_per_node, info.overlap);
  assert_true(info.triangles_per_leaf > 6 && info.children_per_node > 6 && info.depth >= 4 && info.depth <= 6);
  float lower[3], upper[3];
  assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
  for (int k = 0; k < 3; ++k)
    assert_true(lower[k] <= -0.97f && lower[k] >= -1.01f && upper[k] >= 0.97f && upper[k] <= 1.01f);
  for (int arity = 2; arity <= 8; arity *= 2)
    for (int leaf = 1; leaf <= 8; ++leaf)
      for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder) {
        pl_body_def def = def_of((pl_strategy)(1 + leaf % 4), arity, leaf, false);
        def.builder = (pl_builder)builder;
        pl_body *other;
        assert_int_equal(pl_body_create_free(context, &mesh, &def, &other), PL_OK);
        assert_int_equal(pl_body_tree_info(other, &info), PL_OK);
        assert_true(info.leaves * (size_t)leaf >= m.triangle_count && info.leaves <= m.triangle_count);
        assert_true(info.triangles_per_leaf <= leaf && info.children_per_node <= arity && info.children_per_node >= 1);
        assert_true(info.depth >= 1 && info.area_cost > 1 && info.overlap > 0 && info.bytes > m.triangle_count * 16);
        assert_true(isfinite(info.area_cost) && isfinite(info.overlap));
        pl_body_destroy(other);
      }
  assert_int_equal(pl_body_tree_info(NULL, &info), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_tree_info(body, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_box(NULL, lower, upper), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_validate(NULL), PL_ERROR_ARGUMENT);
  assert_string_equal(pl_strategy_text(PL_STRATEGY_TOP_DOWN), "top-down");
  assert_string_equal(pl_builder_text(PL_BUILDER_PARTITION), "partition");
  assert_string_equal(pl_cut_text(PL_CUT_MEAN), "mean");
  assert_true(!pl_strategy_text(PL_STRATEGY_COUNT) && !pl_builder_text(PL_BUILDER_COUNT) && !pl_cut_text((pl_cut)-1));
  pl_context_destroy(context);
  scene_mesh_free(&m);
}

/* The validator sees what is wrong. */
static void validate_sees(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  for (int fault = 0; fault < 5; ++fault) {
    pl_context *context = context_of(NULL);
    pl_body_def def = def_of(PL_STRATEGY_BOTTOM_UP, 4, 2, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    assert_valid(bodies[0], context, "before");
    tree *t = &bodies[0]->t;
    uint32_t last = t->inner_count - 1;
    switch (fault) {
    case 0:
      tree_block(t, last)[0] += 0.01f;
      break; /* a lower bound too high */
    case 1:
      tree_block(t, 0)[3 * t->width] = -9;
      break;
    case 2:
      t->stamp[t->slot[last] >> 3] = t->frame - 1;
      break; /* a true block below a stale one */
    case 3:
      t->leaf_slot[0] ^= 1;
      break;
    default:
      t->children[last] = 9;
      break;
    }
    assert_int_equal(pl_body_validate(bodies[0]), PL_ERROR_MISMATCH);
    assert_true(strlen(pl_context_message(context)) > 10);
    pl_context_destroy(context);
  }
  world_free(&w);
}

static void definitions_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_GRIDS, 1, &w);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = world_mesh_def(&w, 0, false);
  pl_body_def good = pl_body_def_default(), d;
  pl_body *body = (pl_body *)context;
#define REFUSED(change, part)                                                                                          \
  d = good;                                                                                                            \
  change;                                                                                                              \
  body = (pl_body *)context;                                                                                           \
  assert_refused(context, pl_body_create_free(context, &mesh, &d, &body), PL_ERROR_ARGUMENT, part);                    \
  assert_null(body)
  REFUSED(d.struct_size = 0, "pl_body_def_default");
  REFUSED(d.struct_size += 4, "pl_body_def_default");
  REFUSED(d.arity = 3, "arity 3");
  REFUSED(d.arity = 16, "2, 4 or 8");
  REFUSED(d.arity = 0, "arity 0");
  REFUSED(d.leaf_size = 9, "leaf size 9");
  REFUSED(d.leaf_size = 0, "1 to 8");
  REFUSED(d.eager_levels = -2, "eager levels -2");
  REFUSED(d.lazy_levels = 0, "lazy levels 0");
  REFUSED(d.builder = PL_BUILDER_COUNT, "builder");
  REFUSED(d.cut = (pl_cut)-1, "cut");
  REFUSED(d.strategy = (pl_strategy)99, "strategy");
#undef REFUSED
  assert_refused(context, pl_body_create_free(context, NULL, NULL, &body), PL_ERROR_ARGUMENT, "missing");
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_int_equal(pl_body_create_free(NULL, &mesh, NULL, &body), PL_ERROR_ARGUMENT);
  uint32_t outside[3] = {0, 1, (uint32_t)w.mesh[0].vertex_count};
  mesh.triangles = outside;
  mesh.triangle_count = 1;
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, &body), PL_ERROR_MESH, "triangle 0 names vertex");
  mesh.triangle_count = 0;
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, &body), PL_ERROR_MESH, "no triangle");
  assert_null(body);
  pl_body_destroy(NULL);
  good.eager_levels = good.lazy_levels = 1000; /* more than there are is as many as there are */
  mesh = world_mesh_def(&w, 0, false);
  for (int strategy = 0; strategy < FREE_STRATEGIES; ++strategy) {
    good.strategy = (pl_strategy)strategy;
    assert_int_equal(pl_body_create_free(context, &mesh, &good, &body), PL_OK);
    assert_valid(body, context, "all levels");
  }
  pl_context_destroy(context);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(moved_vertices),
                                     cmocka_unit_test(moved_vertices_refused),
                                     cmocka_unit_test(one_vertex_costs_its_paths),
                                     cmocka_unit_test(types_change),
                                     cmocka_unit_test(strides),
                                     cmocka_unit_test(positions_refused),
                                     cmocka_unit_test(huge_numbers_lost_their_pairs),
                                     cmocka_unit_test(update_twice_is_nothing),
                                     cmocka_unit_test(counts_come_round),
                                     cmocka_unit_test(transforms),
                                     cmocka_unit_test(transforms_refused),
                                     cmocka_unit_test(vertex_order),
                                     cmocka_unit_test(facts),
                                     cmocka_unit_test(validate_sees),
                                     cmocka_unit_test(definitions_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
