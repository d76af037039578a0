/* The same bytes for any number of threads, for the caller's own job system, and on every
 * instruction set: pairs in their order, counters, groups. The worlds are large enough that
 * walks are cut into parts (PAUSE_TESTS of query/jobs.c), that one body's volumes are made by
 * several threads, and that a scene's bodies are cut into pieces. */
#include "scenes/ask.h"
#include "support/job_systems.h"

#include "scenes/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitised, ways and settings take turns; the first way, alone, plays all and is what the
 * others are compared with. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ALL = 0, SPHERES = 5, GRIDS = 9, STEPS = 2 };
#else
enum { SPHERES = 6, GRIDS = 11, STEPS = 3 }; /* sizes of worlds */
#define ALL test_soaks()
#endif
enum {
  SMALL = 3, /* frequencies of spheres: 20 f^2 triangles */
  /* enough for threads to help with all volumes of a body, or with a walk (20 000) */
  LARGE = 36,
  VERY_LARGE = 101,    /* enough for upper levels alone (200 000) */
  PAUSE_TESTS = 30000, /* of query/jobs.c: what walks must pass to be cut */
};

static const char *const simds[] = {SIMD_WORDS};

/* ----------------------------------------------------------------------- job systems of ours -- */

static const struct {
  const char *name;
  int threads;
  pl_parallel parallel;
} ways[] = {{"alone", 1, NULL},
            {"2 threads", 2, NULL},
            {"4 threads", 4, NULL},
            {"2 pthreads", 2, with_pthreads},
            {"4 pthreads", 4, with_pthreads},
            {"2 backwards", 2, backwards},
            {"4 backwards", 4, backwards}};
enum { WAYS = sizeof ways / sizeof *ways };

static atomic_int loops; /* that our job systems were asked to run */

static pl_context *context_for(int way, const char *simd)
{
  pl_context_def def = pl_context_def_default();
  def.threads = ways[way].threads;
  def.parallel = ways[way].parallel;
  def.parallel_user = &loops;
  def.simd = simd;
  pl_context *context;
  pl_status status = pl_context_create(&def, &context);
  assert_true(status == PL_OK || status == PL_ERROR_UNSUPPORTED);
  return context;
}

/* ---------------------------------------------------------------------------------- settings -- */

enum { SETTINGS = 6 };

static pl_body_def setting(int i, pl_strategy strategy)
{
  pl_body_def def = pl_body_def_default();
  static const int arity[SETTINGS] = {8, 2, 4, 8, 8, 2}, leaf[SETTINGS] = {8, 1, 3, 1, 5, 8};
  def.arity = arity[i];
  def.leaf_size = leaf[i];
  def.builder = (pl_builder)(i % 2);
  def.lazy_levels = 1 + i % 3;
  def.eager_levels = i == 4 ? 1 : -1;
  def.borrow = i % 2;
  def.strategy = strategy;
  return def;
}

static uint64_t hash_counters(uint64_t hash, const pl_counters *c)
{
  uint64_t n[3] = {c->n_v, c->n_p, c->n_u};
  return hash_bytes(hash, n, sizeof n);
}

static uint64_t hash_pairs(uint64_t hash, const pl_result *p)
{
  if (p->count) hash = hash_bytes(hash, p->pairs, p->count * sizeof *p->pairs);
  hash = hash_bytes(hash, &p->count, sizeof p->count);
  return hash_counters(hash, &p->counters);
}

/* -------------------------------------------------------------------------------- two bodies -- */

typedef struct play_result {
  uint64_t hash, most_tests;
  size_t pairs;
} play_result;

/* All steps with one setting; the answers of the reference are checked where they are given. */
static play_result play(world *w, pl_context *context, const pl_body_def *def, const pair_list *answers,
                        const char *what)
{
  play_result r = {.hash = HASH_START};
  pl_body *bodies[2];
  w->pose(w, 0);
  world_bodies(w, context, def, false, bodies);
  pl_question first = pl_question_default(), sorted = pl_question_default();
  first.first = true;
  sorted.sorted = true;
  for (int s = 0; s < w->steps; ++s) {
    const pl_result *found;
    w->pose(w, s);
    world_set(w, false, bodies);
    if (s % 2) {
      assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), &first, &found), PL_OK);
      r.hash = hash_pairs(r.hash, found);
    }
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), s == 1 ? &sorted : NULL, &found), PL_OK);
    r.hash = hash_pairs(r.hash, found);
    if (found->counters.n_v > r.most_tests) r.most_tests = found->counters.n_v;
    r.pairs += found->count;
    if (answers) assert_same_pairs(found->pairs, found->count, answers[s].pairs, answers[s].count, what);
  }
  for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, what);
  for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  return r;
}

static pair_list *answers_of(world *w)
{
  pair_list *answers = calloc((size_t)w->steps, sizeof *answers);
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  world_bodies(w, context, NULL, false, bodies);
  for (int s = 0; s < w->steps; ++s) {
    w->pose(w, s);
    world_set(w, false, bodies);
    answers[s] = reference_pairs_of(bodies[0], bodies[1]);
  }
  pl_context_destroy(context);
  return answers;
}

static void all_ways(world *w, int settings)
{
  pair_list *answers = answers_of(w);
  uint64_t wanted[SETTINGS][PL_STRATEGY_COUNT] = {{0}}, most_tests = 0;
  int plays = 0;
  for (int simd = 0; simd < 3; ++simd)
    for (int way = 0; way < WAYS; ++way) {
      if (!ALL && simd != (way + 2) % 3) continue;
      pl_context *context = context_for(way, simds[simd]);
      if (!context) continue;
      for (int i = 0; i < settings; ++i) {
        if (!ALL && way && (i + way) % 3) continue;
        for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
          pl_body_def def = setting(i, (pl_strategy)strategy);
          char what[128];
          snprintf(what, sizeof what, "%s setting %d %s %s %s", w->name, i, pl_word(PL_WORDS_STRATEGY, def.strategy),
                   ways[way].name, simds[simd]);
          uint64_t *known = &wanted[i][strategy];
          play_result r = play(w, context, &def, *known ? NULL : answers, what);
          if (!*known) *known = r.hash;
          if (*known != r.hash) fail_msg("%s: pairs, their order or the counters differ", what);
          if (r.most_tests > most_tests) most_tests = r.most_tests;
          ++plays;
        }
      }
      pl_context_destroy(context);
    }
  print_message("%s: %d plays, at most %llu volume tests\n", w->name, plays, (unsigned long long)most_tests);
  assert_true(most_tests > PAUSE_TESTS * 4 / 3);
  for (int s = 0; s < w->steps; ++s) free(answers[s].pairs);
  free(answers);
}

/* The second sphere stands almost where the first one does: contacts all over. */
static void pose_close(world *w, int step)
{
  const world_mesh *a = &w->mesh[0], *b = &w->mesh[1];
  for (size_t i = 0; i < 3 * a->vertex_count; ++i) {
    size_t v = i / 3;
    a->xyz_f32[i] = ((scene_mesh *)w->data)->rest[i] * (1 + 0.05f * (float)((v * 5 + (size_t)step) % 7));
    b->xyz_f32[i] = a->xyz_f32[i] + (i % 3 ? 0.011f : 0.03f) * (float)(step + 1);
    a->xyz[i] = a->xyz_f32[i];
    b->xyz[i] = b->xyz_f32[i];
  }
}

static void spheres(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, SPHERES, &w);
  void (*pose)(world *, int) = w.pose;
  w.pose = pose_close;
  w.steps = STEPS;
  all_ways(&w, SETTINGS);
  w.pose = pose; /* which world_free() knows it by */
  world_free(&w);
}

static void grids(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_GRIDS, GRIDS, &w);
  w.steps = STEPS;
  all_ways(&w, ALL ? 3 : 2);
  world_free(&w);
}

/* --------------------------------------------------------------------------------- one large -- */

static void pose_ball(scene_mesh *m, double x, double y, double z, double radius, int step)
{
  for (size_t v = 0; v < m->vertex_count; ++v) {
    const float *r = &m->rest[3 * v];
    double bump = radius * (1 + 0.1 * (double)((v * 7 + (size_t)step * 3) % 5) / 5);
    m->xyz[3 * v] = (float)(x + bump * (double)r[0]);
    m->xyz[3 * v + 1] = (float)(y + bump * (double)r[1]);
    m->xyz[3 * v + 2] = (float)(z + bump * (double)r[2]);
  }
}

static pl_body *ball_body(pl_context *context, scene_mesh *m, const pl_body_def *def)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_body *body;
  if (pl_body_create_free(context, &mesh, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* The volumes of one body by several threads: the same number, the same tree, the same pairs. */
static void one_large_body(void **state)
{
  (void)state;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    scene_mesh large, small;
    assert_true(scene_geosphere(strategy == PL_STRATEGY_HYBRID ? VERY_LARGE : LARGE, &large) &&
                scene_geosphere(SMALL, &small));
    pl_positions xyz = pl_positions_f32(large.xyz, large.vertex_count);
    uint64_t wanted = 0;
    for (int way = 0; way < WAYS; ++way) {
      if (!ALL && way && way != 1 + (strategy + 1) % 4) continue;
      pl_context *context = context_for(way, NULL);
      pl_body_def def = setting(0, (pl_strategy)strategy);
      pose_ball(&large, 0, 0, 0, 1, 0);
      pose_ball(&small, 0.9, 0, 0, 0.2, 0);
      pl_body *a = ball_body(context, &large, &def), *b = ball_body(context, &small, &def);
      pose_ball(&large, 0, 0, 0, 1, 1);
      assert_int_equal(pl_body_set_positions(a, xyz), PL_OK);
      pl_counters counters;
      int before = atomic_load(&loops);
      assert_int_equal(pl_body_update(a, &counters), PL_OK);
      if (strategy != PL_STRATEGY_TOP_DOWN && ways[way].parallel) assert_true(atomic_load(&loops) > before);
      uint64_t hash = hash_counters(HASH_START, &counters);
      const pl_result *found;
      assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
      assert_true(found->count > 0);
      hash = hash_pairs(hash, found);
      assert_valid(a, context, ways[way].name);
      if (way == 0) assert_like_reference(a, b, "one large body");
      if (!wanted) wanted = hash;
      if (wanted != hash) fail_msg("%s %s: differs", pl_word(PL_WORDS_STRATEGY, def.strategy), ways[way].name);
      pl_context_destroy(context);
    }
    scene_mesh_free(&large);
    scene_mesh_free(&small);
  }
}

/* -------------------------------------------------------------------------------- near pairs -- */

/* Two balls with so many pairs within the margin that the search is cut into parts, which
 * refresh volumes on their way. */
static void near_pairs(void **state)
{
  (void)state;
  for (int strategy = PL_STRATEGY_TOP_DOWN; strategy <= PL_STRATEGY_HYBRID; ++strategy) {
    scene_mesh m[2];
    assert_true(scene_geosphere(ALL ? 12 : 10, &m[0]) && scene_geosphere(ALL ? 12 : 10, &m[1]));
    uint64_t wanted = 0;
    for (int way = 0; way < WAYS; ++way) {
      if (!ALL && way && way != 1 + strategy % 4) continue;
      pl_context *context = context_for(way, NULL);
      pl_body_def def = setting(0, (pl_strategy)strategy);
      def.leaf_size = 1;
      pose_ball(&m[0], 0, 0, 0, 1, 0);
      pose_ball(&m[1], 1.2, 0, 0, 1, 0);
      pl_body *a = ball_body(context, &m[0], &def), *b = ball_body(context, &m[1], &def);
      const pl_result *near;
      int before = atomic_load(&loops);
      assert_int_equal(ask_near_triangles(pl_two(a, b), 0.3, NULL, &near), PL_OK);
      assert_true(near->count > 1000 && near->counters.n_v > 30000);
      if (ways[way].parallel) assert_true(atomic_load(&loops) > before);
      uint64_t hash = hash_counters(hash_bytes(HASH_START, near->near_pairs, near->count * sizeof *near->near_pairs),
                                    &near->counters);
      if (!wanted) wanted = hash;
      if (wanted != hash)
        fail_msg("%s %s: near pairs differ", pl_word(PL_WORDS_STRATEGY, def.strategy), ways[way].name);
      pl_context_destroy(context);
    }
    scene_mesh_free(&m[0]);
    scene_mesh_free(&m[1]);
  }
}

/* --------------------------------------------------------------------------------- distances -- */

static uint64_t hash_distance(uint64_t hash, const least_row *d)
{
  hash = hash_bytes(hash, &d->distance, sizeof d->distance);
  hash = hash_bytes(hash, &d->lower, sizeof d->lower);
  hash = hash_bytes(hash, d->point_a, sizeof d->point_a);
  hash = hash_bytes(hash, d->point_b, sizeof d->point_b);
  const uint32_t id[2] = {d->triangle_a, d->triangle_b};
  return hash_counters(hash_bytes(hash, id, sizeof id), &d->counters);
}

/* A cloth that rests on a ball: steps with a gap, and some where it touches. Volume tests are so
 * many that the search goes on in parts; the first step begins without a known pair. */
static uint64_t play_rest(pl_context *context, scene_mesh m[2], pl_strategy strategy, bool check)
{
  pl_body_def def = setting(0, strategy);
  scene_s6_pose(&m[0], &m[1], 0);
  pl_body *a = ball_body(context, &m[0], &def), *b = ball_body(context, &m[1], &def);
  static const int steps[] = {0, 9, 27, 35};
  uint64_t hash = HASH_START, most = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    least_row d, truth;
    scene_s6_pose(&m[0], &m[1], steps[i]);
    assert_int_equal(pl_body_set_positions(a, pl_positions_f32(m[0].xyz, m[0].vertex_count)), PL_OK);
    assert_int_equal(pl_body_set_positions(b, pl_positions_f32(m[1].xyz, m[1].vertex_count)), PL_OK);
    assert_int_equal(ask_least(pl_two(a, b), NULL, &d), PL_OK);
    hash = hash_distance(hash, &d);
    most = d.counters.n_v > most ? d.counters.n_v : most;
    const pl_result *features;
    assert_int_equal(ask_near(pl_two(a, b), SCENE_S6_MARGIN, NULL, &features), PL_OK);
    hash = hash_bytes(hash, features->features, features->count * sizeof *features->features);
    hash = hash_counters(hash, &features->counters);
    if (!check || i % 2) continue;
    assert_int_equal(refer_least(pl_two(a, b), NULL, &truth), PL_OK);
    truth.counters = d.counters;
    assert_true(hash_distance(HASH_START, &d) == hash_distance(HASH_START, &truth));
  }
  assert_true(most > 1500); /* beyond the first part of distance_rounds.c */
  return hash;
}

static void distances(void **state)
{
  (void)state;
  scene_mesh m[2];
  assert_true(scene_cloth(ALL ? SCENE_S6_QUADS : SCENE_S6_QUADS / 2, &m[0]) && scene_ball(&m[1]));
  for (int strategy = PL_STRATEGY_BOTTOM_UP; strategy <= PL_STRATEGY_HYBRID; ++strategy) {
    uint64_t wanted = 0;
    for (int way = 0; way < WAYS; ++way) {
      if (!ALL && way && way != 1 + strategy % 4) continue;
      pl_context *context = context_for(way, NULL);
      int before = atomic_load(&loops);
      uint64_t hash = play_rest(context, m, (pl_strategy)strategy, way == 0 && strategy == PL_STRATEGY_HYBRID);
      if (ways[way].parallel) assert_true(atomic_load(&loops) > before);
      if (!wanted) wanted = hash;
      if (wanted != hash) fail_msg("%s %s: distances differ", pl_word(PL_WORDS_STRATEGY, strategy), ways[way].name);
      pl_context_destroy(context);
    }
  }
  scene_mesh_free(&m[0]);
  scene_mesh_free(&m[1]);
}

/* ------------------------------------------------------------------------------------ scenes -- */

enum { BODIES = 9 };

static int index_of(pl_body *const *bodies, const pl_body *body)
{
  for (int i = 0; i < BODIES; ++i)
    if (bodies[i] == body) return i;
  return -1;
}

static uint64_t hash_contacts(uint64_t hash, pl_body *const *bodies, const pl_result *c)
{
  for (size_t i = 0; i < c->count; ++i) {
    const contact_row at = contact_of(c, i), *k = &at;
    uint32_t n[4] = {(uint32_t)index_of(bodies, k->a), (uint32_t)index_of(bodies, k->b), k->triangle_a, k->triangle_b};
    hash = hash_bytes(hash, n, sizeof n);
  }
  for (size_t i = 0; i < c->group_count; ++i) {
    const pl_group *g = &c->groups[i];
    uint64_t n[4] = {(uint64_t)index_of(bodies, g->a), (uint64_t)index_of(bodies, g->b), g->begin, g->end};
    hash = hash_bytes(hash, n, sizeof n);
  }
  hash = hash_bytes(hash, &c->body_pairs, sizeof c->body_pairs);
  return hash_counters(hash, &c->counters);
}

/* One large ball in the middle, smaller ones that go into it and into each other. */
static void pose_balls(scene_mesh *meshes, int step)
{
  pose_ball(&meshes[0], 0, 0, 0, 1, step);
  for (int i = 1; i < BODIES; ++i) {
    double away = 1.25 - 0.12 * step, turn = i * 0.7;
    pose_ball(&meshes[i], away * (double)((i % 3) - 1) + 0.2 * turn, away * (double)((i / 3) - 1), 0.3 * turn - 0.7,
              0.45, step + i);
  }
}

static void set_balls(pl_body **bodies, scene_mesh *meshes, int step)
{
  pose_balls(meshes, step);
  for (int i = 0; i < BODIES; ++i)
    assert_int_equal(pl_body_set_positions(bodies[i], pl_positions_f32(meshes[i].xyz, meshes[i].vertex_count)), PL_OK);
}

static uint64_t play_scene(pl_context *context, scene_mesh *meshes, pl_strategy strategy, bool check)
{
  pl_body *bodies[BODIES];
  pl_scene *scene;
  pl_scene_def scene_def = pl_scene_def_default();
  scene_def.broad = strategy % 2 ? PL_BROAD_SWEEP : PL_BROAD_EVERY;
  assert_int_equal(pl_scene_create(context, &scene_def, &scene), PL_OK);
  pose_balls(meshes, 0);
  for (int i = 0; i < BODIES; ++i) {
    pl_body_def def = setting(i % 2 ? 3 : 0, strategy);
    bodies[i] = ball_body(context, &meshes[i], &def);
    pl_member_def member = pl_member_def_default();
    member.loose = i % 4 == 3;
    for (int k = 0; k < 3; ++k) member.lower[k] = -4, member.upper[k] = 4;
    assert_int_equal(pl_scene_add(scene, bodies[i], &member), PL_OK);
  }
  uint64_t hash = HASH_START;
  pl_question first = pl_question_default();
  first.first = true;
  for (int step = 0; step < STEPS; ++step) {
    const pl_result *found;
    set_balls(bodies, meshes, step);
    if (step == 1) {
      assert_int_equal(pl_touching(pl_all(scene), &first, &found), PL_OK);
      hash = hash_contacts(hash, bodies, found);
    }
    assert_int_equal(pl_touching(pl_all(scene), NULL, &found), PL_OK);
    assert_true(found->group_count > 2);
    hash = hash_contacts(hash, bodies, found);
    if (check && step == STEPS - 1) assert_scene_like_reference(scene, "scene");
  }
  for (int i = 0; i < BODIES; ++i) assert_valid(bodies[i], context, "scene");
  pl_scene_destroy(scene);
  for (int i = 0; i < BODIES; ++i) pl_body_destroy(bodies[i]);
  return hash;
}

static void scenes(void **state)
{
  (void)state;
  scene_mesh meshes[BODIES];
  for (int i = 0; i < BODIES; ++i) assert_true(scene_geosphere(i ? SMALL : LARGE, &meshes[i]));
  uint64_t wanted[PL_STRATEGY_COUNT] = {0};
  for (int simd = 0; simd < 3; ++simd)
    for (int way = 0; way < WAYS; ++way) {
      if (!ALL && simd != (way + 2) % 3) continue;
      pl_context *context = context_for(way, simds[simd]);
      if (!context) continue;
      for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
        if (!ALL && way && (strategy + way) % 2) continue;
        uint64_t hash = play_scene(context, meshes, (pl_strategy)strategy, !wanted[strategy]);
        if (!wanted[strategy]) wanted[strategy] = hash;
        if (wanted[strategy] != hash)
          fail_msg("scene %s %s %s: differs", pl_word(PL_WORDS_STRATEGY, strategy), ways[way].name, simds[simd]);
      }
      pl_context_destroy(context);
    }
  scene_mesh_free(&meshes[0]);
  assert_true(scene_geosphere(VERY_LARGE, &meshes[0])); /* roots of several bodies at once */
  uint64_t alone = 0;
  for (int way = 0; way < 4; ++way) {
    if (!ALL && way && way != 2) continue;
    pl_context *context = context_for(way, NULL);
    uint64_t hash = play_scene(context, meshes, PL_STRATEGY_BOTTOM_UP, false);
    if (!alone) alone = hash;
    assert_true(hash == alone);
    pl_context_destroy(context);
  }
  for (int i = 0; i < BODIES; ++i) scene_mesh_free(&meshes[i]);
}

/* Contexts know nothing of each other: one in each of several threads. */
typedef struct own_play {
  int way;
  uint64_t hash;
} own_play;

static void *own_context(void *argument)
{
  own_play *own = argument;
  world w;
  pl_context *context = context_for(own->way, NULL);
  world_create(WORLD_SPHERES, 3, &w);
  pl_body_def def = setting(0, PL_STRATEGY_HYBRID);
  own->hash = play(&w, context, &def, NULL, "own context").hash;
  pl_context_destroy(context);
  world_free(&w);
  return NULL;
}

static void contexts_at_once(void **state)
{
  (void)state;
  pthread_t threads[3];
  own_play plays[3] = {{0, 0}, {1, 0}, {2, 0}};
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&threads[i], NULL, own_context, &plays[i]), 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert_true(plays[0].hash == plays[1].hash && plays[1].hash == plays[2].hash);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(spheres),         cmocka_unit_test(grids),
                                     cmocka_unit_test(one_large_body),  cmocka_unit_test(near_pairs),
                                     cmocka_unit_test(distances),       cmocka_unit_test(scenes),
                                     cmocka_unit_test(contexts_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
