/* Trees that are repaired while they are asked: every question equals the reference in every frame,
 * for each strategy that can be repaired, every kind of volume and any shape of tree; the tree is
 * valid and has every triangle once; the same bytes come from any number of threads; and a repair
 * that runs out of memory changes nothing. */
#include "body/body.h"
#include "update/repair.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* AMPLE: volumes that keep a tree of this size good, whatever is asked of it */
enum { SIDE = 16, SOUP = 600, RAYS = 24, AMPLE = 3512 };

/* A soup whose triangles drift apart, or a sheet that is stirred. */
typedef struct stir {
  bool soup;
  size_t vertex_count, triangle_count;
  double *rest, *now;
  uint32_t *triangles;
} stir;

static void stir_create(bool soup, stir *s)
{
  const uint32_t n = SIDE + 1;
  s->soup = soup;
  s->triangle_count = soup ? SOUP : 2 * SIDE * SIDE;
  s->vertex_count = soup ? 3 * (size_t)SOUP : (size_t)n * n;
  s->rest = malloc(3 * s->vertex_count * sizeof *s->rest);
  s->now = malloc(3 * s->vertex_count * sizeof *s->now);
  s->triangles = malloc(3 * s->triangle_count * sizeof *s->triangles);
  uint32_t draw = 11;
  for (size_t v = 0; v < s->vertex_count; ++v)
    for (size_t k = 0; k < 3; ++k) {
      draw = draw * 1664525u + 1013904223u;
      double random = (double)(draw >> 8) / (1 << 24);
      double sheet = k == 0 ? (double)(v % n) / SIDE : k == 2 ? (double)(v / n) / SIDE : 0;
      s->rest[3 * v + k] = !soup   ? 2 * sheet - 1
                           : v % 3 ? s->rest[3 * (v - v % 3) + k] + 0.15 * random
                                   : 2 * random - 1;
    }
  for (uint32_t t = 0; soup && t < 3 * SOUP; ++t) s->triangles[t] = t;
  for (uint32_t q = 0; !soup && q < SIDE * SIDE; ++q) {
    const uint32_t a = q / SIDE * n + q % SIDE, quad[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
    memcpy(s->triangles + 6 * (size_t)q, quad, sizeof quad);
  }
}

/* The coordinates are floats, so that bodies of both types have the same. */
static void stir_pose(stir *s, int frame)
{
  for (size_t v = 0; v < s->vertex_count; ++v) {
    const double *p = s->rest + 3 * (s->soup ? v - v % 3 : v), r = sqrt(p[0] * p[0] + p[2] * p[2]);
    const double turn = s->soup ? 0.3 * frame * sin(5 * p[1] + 9 * p[0]) : 0.4 * frame * exp(-2 * r);
    const double *x = s->rest + 3 * v, c = cos(turn), d = sin(turn);
    const double to[3] = {x[0] * c - x[2] * d, x[1] + 0.2 * sin(4 * x[0] + 0.3 * frame), x[0] * d + x[2] * c};
    for (int k = 0; k < 3; ++k) s->now[3 * v + (size_t)k] = (double)(float)to[k];
  }
}

static void stir_free(stir *s)
{
  free(s->rest);
  free(s->now);
  free(s->triangles);
}

static pl_mesh_def stir_mesh(const stir *s)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(s->now, s->vertex_count);
  mesh.triangles = s->triangles;
  mesh.triangle_count = s->triangle_count;
  return mesh;
}

static pl_body *stir_body(const stir *s, pl_context *context, const pl_body_def *def)
{
  pl_mesh_def mesh = stir_mesh(s);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, def, &body), PL_OK);
  return body;
}

/* --------------------------------------------------------------------------------- questions -- */

static void assert_pairs(pl_who who, const char *what)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  assert_int_equal(pl_touching(who, &def, &found), PL_OK);
  pair_list ours = copy_pairs(found);
  def.reference = true;
  assert_int_equal(pl_touching(who, &def, &found), PL_OK);
  assert_same_pairs(ours.pairs, ours.count, found->pairs, found->count, what);
  free(ours.pairs);
}

static void assert_distance(pl_who who)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  assert_int_equal(pl_nearest(who, &def, &found), PL_OK);
  pl_distance ours = found->distances[0];
  def.reference = true;
  assert_int_equal(pl_nearest(who, &def, &found), PL_OK);
  assert_true(ours.distance == found->distances[0].distance);
  assert_int_equal(ours.triangle_a, found->distances[0].triangle_a);
  assert_int_equal(ours.triangle_b, found->distances[0].triangle_b);
}

static void assert_probes(pl_body *body, int frame)
{
  pl_ray rays[RAYS];
  double asked[RAYS][3];
  pl_hit hits[RAYS];
  pl_point near[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    double from[3] = {sin(i), 3, cos(2.3 * i)}, along[3] = {0.3 * cos(i + frame), -2, 0.3 * sin(7 * i)};
    rays[i] = pl_ray_from(from, along);
    for (int k = 0; k < 3; ++k) asked[i][k] = sin(3 * i + k + frame);
  }
  const pl_result *found;
  const pl_result *found_points;
  pl_question def = pl_question_default();
  pl_question point_def = pl_question_default();
  def.hits = hits;
  point_def.points = near;
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, &def, &found), PL_OK);
  assert_int_equal(pl_closest(pl_one(body), pl_positions_f64(asked[0], RAYS), &point_def, &found_points), PL_OK);
  def.hits = NULL;
  point_def.points = NULL;
  def.reference = point_def.reference = true;
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, &def, &found), PL_OK);
  for (int i = 0; i < RAYS; ++i) assert_int_equal(hits[i].triangle, found->hits[i].triangle);
  assert_int_equal(pl_closest(pl_one(body), pl_positions_f64(asked[0], RAYS), &point_def, &found_points), PL_OK);
  for (int i = 0; i < RAYS; ++i) {
    assert_true(near[i].distance == found_points->points[i].distance);
    assert_int_equal(near[i].triangle, found_points->points[i].triangle);
  }
}

/* Every triangle is in one leaf, with its own corners, which are all in the leaf's list. */
static void assert_all_triangles(const pl_body *body, const stir *s)
{
  const primitives *p = &body->tree->prims;
  uint8_t *seen = calloc(s->triangle_count, 1);
  for (uint32_t leaf = 0; leaf < body->tree->nodes.leaf_count; ++leaf)
    for (uint32_t k = p->tri_first[leaf]; k < p->tri_first[leaf + 1]; ++k) {
      assert_int_equal(seen[p->tri_id[k]]++, 0);
      assert_memory_equal(p->tri + 3 * (size_t)k, s->triangles + 3 * (size_t)p->tri_id[k], 3 * sizeof *p->tri);
      for (size_t c = 0; c < 3; ++c) {
        uint32_t at = p->list_first[leaf];
        while (at < p->list_first[leaf + 1] && p->list[at] != p->tri[3 * (size_t)k + c]) ++at;
        assert_true(at < p->list_first[leaf + 1]);
      }
    }
  free(seen);
}

static uint64_t repaired(pl_body *body)
{
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  return info.sorted;
}

/* ------------------------------------------------------------------------------------- tests -- */

static uint64_t play(const pl_body_def *by, bool soup, int frames)
{
  pl_body_def def = *by;
  def.repair = AMPLE;
  stir s;
  stir_create(soup, &s);
  stir_pose(&s, 0);
  pl_context *context = context_of(NULL);
  pl_body *body = stir_body(&s, context, &def), *other = stir_body(&s, context, NULL);
  for (int f = 1; f < frames; ++f) {
    stir_pose(&s, f);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    assert_pairs(pl_two(body, other), "two bodies");
    if (f % 4 && f < frames - 2) continue; /* walks have been there: repair sees them */
    assert_pairs(pl_self(body), "one body");
    assert_distance(pl_two(body, other));
    assert_probes(body, f);
    assert_all_triangles(body, &s);
    assert_valid(body, context, "after repair");
    const uint32_t moved[2] = {0, 3};
    const double to[2][3] = {{0.1, 0.2, 0.3}, {-0.5, 0.1, 0.2}};
    assert_int_equal(pl_body_set_vertices(body, moved, 2, pl_positions_f64(to[0], 2)), PL_OK);
    assert_pairs(pl_two(body, other), "with two moved vertices");
  }
  uint64_t sorted = repaired(body);
  pl_context_destroy(context);
  stir_free(&s);
  return sorted;
}

static void every_strategy_and_volume(void **state)
{
  (void)state;
  const pl_strategy strategies[3] = {PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN, PL_STRATEGY_HYBRID};
  for (int i = 0; i < 3; ++i)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
      pl_body_def def = body_def_of(strategies[i], 8, 4, false);
      def.volume = (pl_volume)volume;
      assert_true(play(&def, volume % 2, 18) > 0);
    }
  for (int way = 0; way < PL_GROWTH_COUNT; ++way)
    for (int criterion = 0; criterion < PL_CRITERION_COUNT; ++criterion) {
      pl_body_def def = body_def_of(PL_STRATEGY_INFLATE, 8, 4, false);
      def.volume = way ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
      def.inflate.growth = (pl_growth)way;
      def.inflate.criterion = (pl_criterion)criterion;
      assert_true(play(&def, criterion % 2, 18) > 0);
    }
}

static void every_shape_of_tree(void **state)
{
  (void)state;
  for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; leaf += 7) {
        pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, arity, leaf, false);
        def.builder = (pl_builder)builder;
        def.cut = (pl_cut)(builder == 0 ? arity / 4 : 0);
        const bool soup = leaf == 1;
        uint64_t sorted = play(&def, soup, 24);
        assert_true(!soup || sorted > 0); /* a sheet whose nodes are connected patches may stay good */
      }
}

/* The order of unsorted pairs, and the counters, are those of the tree. */
static uint64_t hash_frames(int threads)
{
  stir s;
  stir_create(true, &s);
  stir_pose(&s, 0);
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  pl_body_def body_def = pl_body_def_default();
  body_def.repair = AMPLE;
  pl_body *body = stir_body(&s, context, &body_def);
  uint64_t hash = HASH_START;
  for (int f = 1; f < 24; ++f) {
    const pl_result *found;
    stir_pose(&s, f);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
    hash = hash_bytes(hash, found->pairs, found->count * sizeof *found->pairs);
    hash = hash_bytes(hash, &found->counters.n_v, sizeof found->counters.n_v);
    hash = hash_bytes(hash, body->tree->prims.tri_id, s.triangle_count * sizeof(uint32_t));
  }
  assert_true(repaired(body) > 0);
  pl_context_destroy(context);
  stir_free(&s);
  return hash;
}

static void same_bytes_for_any_threads(void **state)
{
  (void)state;
  uint64_t one = hash_frames(1);
  assert_true(hash_frames(1) == one);
  assert_true(hash_frames(3) == one);
}

/* -------------------------------------------------------------------------- by what is asked -- */

/* Asks much, with the same tests for every strategy whose boxes are those of the vertices. Returns
 * the tests that repair may be paid from, and adds the pairs to a hash. */
static uint64_t ask_much(pl_body *body, int frame, uint64_t *hash)
{
  enum { BEAMS = 512 };
  pl_ray rays[BEAMS];
  const pl_result *found;
  for (int i = 0; i < BEAMS; ++i) {
    double from[3] = {sin(i), 3, cos(2.3 * i)}, along[3] = {0.3 * cos(i + frame), -2, 0.3 * sin(7 * i)};
    rays[i] = pl_ray_from(from, along);
  }
  assert_int_equal(pl_cast(pl_one(body), rays, BEAMS, NULL, &found), PL_OK);
  uint64_t tests = found->counters.n_v + 2 * found->counters.n_p;
  assert_int_equal(pl_touching(pl_self(body), NULL, &found), PL_OK);
  *hash = hash_bytes(*hash, found->pairs, found->count * sizeof *found->pairs);
  return tests + found->counters.n_v + 2 * found->counters.n_p;
}

enum { ASKED_STEPS = 60 };

typedef struct asked_play {
  uint64_t hash, tests;
  pl_body_info info, fresh; /* fresh: of a body that was created for the last pose */
} asked_play;

/* A soup is stirred, and asked much every `every` frames; 0: never. */
static asked_play play_asked(const pl_body_def *def, int threads, int every)
{
  asked_play p = {.hash = HASH_START};
  stir s;
  stir_create(true, &s);
  stir_pose(&s, 0);
  pl_context_def context_def = pl_context_def_default();
  context_def.threads = threads;
  pl_context *context;
  assert_int_equal(pl_context_create(&context_def, &context), PL_OK);
  pl_body *body = stir_body(&s, context, def);
  for (int f = 1; f < ASKED_STEPS; ++f) {
    stir_pose(&s, f < 40 ? f : 40);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    if (every && f % every == 0) p.tests += ask_much(body, f, &p.hash);
  }
  assert_all_triangles(body, &s);
  assert_int_equal(pl_body_get_info(body, true, &p.info), PL_OK);
  pl_body *fresh = stir_body(&s, context, def);
  assert_int_equal(pl_body_get_info(fresh, true, &p.fresh), PL_OK);
  pl_context_destroy(context);
  stir_free(&s);
  return p;
}

/* The default: a body that is asked much keeps its tree good, for a part of what it is asked. */
static void mends_what_is_asked(void **state)
{
  (void)state;
  const asked_play p = play_asked(NULL, 1, 1);
  assert_true(p.info.sorted > SOUP);
  assert_true(p.info.area_cost < 1.3 * p.fresh.area_cost);
  const double first = (double)(p.info.inner_nodes + p.info.leaves); /* a new tree is measured */
  assert_true((double)p.info.repaired < first + 0.625 / 5 * (double)p.tests);
}

/* One that is asked nothing is left alone, and so is one whose repair is off. */
static void leaves_alone_what_is_not_asked(void **state)
{
  (void)state;
  pl_body_def off = pl_body_def_default();
  off.repair = 0;
  const asked_play never = play_asked(NULL, 1, 0), without = play_asked(&off, 1, 1);
  assert_int_equal(never.info.sorted, 0);
  assert_true(never.info.repaired <= never.info.inner_nodes + never.info.leaves);
  assert_int_equal(without.info.sorted + without.info.repaired, 0);
  assert_true(without.info.area_cost > 2 * without.fresh.area_cost);
  assert_true(never.info.area_cost == without.info.area_cost);
}

/* The same questions give the same bytes and the same work, for any number of threads and every
 * strategy whose boxes are those of the vertices. */
static void same_work_for_the_same_questions(void **state)
{
  (void)state;
  const pl_strategy strategies[] = {PL_STRATEGY_AUTO, PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN};
  for (int every = 1; every <= 3; every += 2) {
    const asked_play first = play_asked(NULL, 1, every);
    assert_true(first.info.sorted > 0);
    for (int b = 0; b < 4; ++b)
      for (int threads = 1; threads <= 8; threads *= 2) {
        pl_body_def def = pl_body_def_default();
        def.strategy = strategies[b];
        const asked_play p = play_asked(&def, threads, every);
        assert_true(p.hash == first.hash && p.tests == first.tests);
        assert_int_equal(p.info.sorted, first.info.sorted);
        assert_int_equal(p.info.repaired, first.info.repaired);
      }
  }
}

/* With a budget of its own, repair follows positions alone: unsorted rows have one order, whatever
 * the strategy, and whatever is asked in between. */
static void one_order_for_all_strategies(void **state)
{
  (void)state;
  const pl_strategy strategies[] = {PL_STRATEGY_AUTO, PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN,
                                    PL_STRATEGY_INFLATE};
  enum { BODIES = 5, STEPS = 60 };
  stir s;
  stir_create(true, &s);
  stir_pose(&s, 0);
  pl_context *context = context_of(NULL);
  pl_body *bodies[BODIES];
  for (int b = 0; b < BODIES; ++b) {
    pl_body_def def = pl_body_def_default();
    def.strategy = strategies[b];
    def.repair = AMPLE;
    bodies[b] = stir_body(&s, context, &def);
  }
  for (int f = 1; f < STEPS; ++f) {
    stir_pose(&s, f);
    pair_list first = {0};
    for (int b = 0; b < BODIES; ++b) {
      const pl_result *found;
      assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f64(s.now, s.vertex_count)), PL_OK);
      if (f % BODIES == b) assert_probes(bodies[b], f);
      if (f % 7) continue;
      assert_int_equal(pl_touching(pl_self(bodies[b]), NULL, &found), PL_OK);
      if (!b) first = copy_pairs(found);
      assert_int_equal(found->count, first.count);
      assert_memory_equal(found->pairs, first.pairs, first.count * sizeof *first.pairs);
    }
    free(first.pairs);
  }
  pl_body_info info;
  assert_int_equal(pl_body_get_info(bodies[0], false, &info), PL_OK);
  assert_true(info.sorted > SOUP);
  stir_free(&s);
  pl_context_destroy(context);
}

/* A tree that is good again costs next to nothing while the body stands still, and while it
 * sways. */
static void mends_and_rests(void **state)
{
  (void)state;
  enum { STIRRED = 60, SETTLED = 120, FRAMES = 2120 };
  stir s;
  stir_create(true, &s);
  stir_pose(&s, 0);
  pl_context *context = context_of(NULL);
  pl_body_def def = pl_body_def_default();
  def.repair = AMPLE;
  pl_body *body = stir_body(&s, context, &def);
  pl_body_info before, info;
  for (int f = 1; f < FRAMES; ++f) {
    if (f <= STIRRED) stir_pose(&s, f);
    for (size_t v = 0; f > SETTLED && v < s.vertex_count; ++v)
      s.now[3 * v] += 0.02 * sin(3 * s.rest[3 * v + 1] + 0.3 * f) - 0.02 * sin(3 * s.rest[3 * v + 1] + 0.3 * (f - 1));
    assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    if (f == SETTLED) assert_int_equal(pl_body_get_info(body, false, &before), PL_OK);
  }
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  assert_true(before.sorted > SOUP);
  assert_int_equal(info.sorted, before.sorted);
  const double all = (double)body->tree->nodes.inner_count + body->tree->nodes.leaf_count;
  assert_true((double)(info.repaired - before.repaired) < 0.01 * all * (FRAMES - SETTLED));
  pl_body *fresh = stir_body(&s, context, NULL);
  pl_body_info good;
  assert_int_equal(pl_body_get_info(fresh, true, &good), PL_OK);
  assert_true(info.area_cost < 1.1 * good.area_cost);
  pl_context_destroy(context);
  stir_free(&s);
}

/* What a tree that has aged needs is allocated at once: from then on it is mended without. */
static void mends_without_allocations(void **state)
{
  (void)state;
  stir s;
  stir_create(true, &s);
  for (int inflated = 0; inflated < 2; ++inflated) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    def.threads = 1;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    stir_pose(&s, 0);
    pl_body_def body_def = body_def_of(inflated ? PL_STRATEGY_INFLATE : PL_STRATEGY_HYBRID, 8, 8, false);
    body_def.repair = AMPLE;
    pl_body *body = stir_body(&s, context, &body_def), *other = stir_body(&s, context, NULL);
    int f = 1;
    for (; !repaired(body); ++f) {
      assert_true(f < 40);
      stir_pose(&s, f);
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    }
    const uint64_t sorted = repaired(body);
    for (const int end = f + 12; f < end; ++f) {
      stir_pose(&s, f);
      memory.until = 0;
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
      memory.until = -1;
      assert_pairs(pl_two(body, other), "mended without memory");
    }
    assert_true(repaired(body) > sorted);
    assert_all_triangles(body, &s);
    pl_context_destroy(context);
  }
  stir_free(&s);
}

/* On request: a body that is not repaired by itself, whatever its strategy; and one whose tree has
 * room for edits, which is built again. */
static void on_request(void **state)
{
  (void)state;
  stir s;
  stir_create(true, &s);
  stir_pose(&s, 0);
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 8, 8, false);
  def.repair = 0;
  pl_body *body = stir_body(&s, context, &def);
  def.strategy = PL_STRATEGY_INFLATE;
  pl_body *inflated = stir_body(&s, context, &def);
  def.strategy = PL_STRATEGY_HYBRID;
  pl_body *edited = stir_body(&s, context, &def);
  pl_edit nothing = pl_edit_default();
  assert_int_equal(pl_body_edit(edited, &nothing), PL_OK);
  pl_body *const all[3] = {body, inflated, edited};
  for (int f = 1; f < 30; ++f) {
    stir_pose(&s, f);
    for (int i = 0; i < 3; ++i)
      assert_int_equal(pl_body_set_positions(all[i], pl_positions_f64(s.now, s.vertex_count)), PL_OK);
    if (f < 29) continue;
    for (int i = 0; i < 3; ++i) {
      pl_body_info old, now;
      uint64_t spent = 1;
      assert_int_equal(pl_body_get_info(all[i], true, &old), PL_OK);
      assert_int_equal(pl_body_repair(all[i], 10, &spent), PL_OK);
      assert_int_equal(pl_body_get_info(all[i], false, &now), PL_OK);
      assert_int_equal(now.sorted + now.rebuilds, 0);
      assert_true(now.repaired == spent);
      pl_body *fresh = stir_body(&s, context, NULL);
      assert_int_equal(pl_body_get_info(fresh, true, &now), PL_OK);
      double good = now.area_cost;
      assert_int_equal(pl_body_repair(all[i], UINT64_MAX, &spent), PL_OK);
      assert_int_equal(pl_body_get_info(all[i], true, &now), PL_OK);
      assert_int_equal(now.rebuilds, i == 2);
      assert_true(now.repaired >= spent && spent > 0 && now.unsorted == 0);
      assert_true(old.area_cost > 1.5 * good);
      assert_true(now.area_cost < 1.1 * good);
      assert_pairs(pl_two(all[i], fresh), "on request");
      assert_pairs(pl_self(all[i]), "on request");
      assert_valid(all[i], context, "on request");
      assert_true(pl_body_repair_volumes(all[i], 100) > 0);
    }
  }
  assert_int_equal(pl_body_repair(NULL, 0, NULL), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
  stir_free(&s);
}

static void without_memory(void **state)
{
  (void)state;
  stir s;
  stir_create(false, &s);
  for (long until = 0; until < 20; ++until) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    def.threads = 1;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    stir_pose(&s, 0);
    pl_body_def body_def = pl_body_def_default();
    body_def.repair = AMPLE;
    pl_body *body = stir_body(&s, context, &body_def), *other = stir_body(&s, context, NULL);
    for (int f = 1; f < 20; ++f) {
      stir_pose(&s, f);
      memory.until = until;
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(s.now, s.vertex_count)), PL_OK);
      memory.until = -1;
      assert_pairs(pl_two(body, other), "without memory");
      assert_all_triangles(body, &s);
    }
    pl_context_destroy(context);
  }
  stir_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_strategy_and_volume),
                                     cmocka_unit_test(every_shape_of_tree),
                                     cmocka_unit_test(same_bytes_for_any_threads),
                                     cmocka_unit_test(mends_what_is_asked),
                                     cmocka_unit_test(leaves_alone_what_is_not_asked),
                                     cmocka_unit_test(same_work_for_the_same_questions),
                                     cmocka_unit_test(one_order_for_all_strategies),
                                     cmocka_unit_test(mends_and_rests),
                                     cmocka_unit_test(mends_without_allocations),
                                     cmocka_unit_test(on_request),
                                     cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
