/* Every family of kernels against the plain C one, per instruction set: the same bytes in the
 * layers of a tree, and the same rows and counters of every question. */
#include "body/body.h"
#include "bounds/volumes.h"
#include "scenes/ask.h"
#include "support/rays.h"
#include "support/worlds.h"
#include "update/patches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const simds[] = {SIMD_WORDS};
enum { SETS = sizeof simds / sizeof *simds }; /* the first is plain C */

/* A body of a mesh in the context of each set. */
typedef struct twins {
  pl_context *context[SETS]; /* NULL: the machine does not have it */
  pl_body *body[SETS][2];
} twins;

static void twins_create(twins *t, const world *w, const pl_body_def *def, bool doubles)
{
  for (int i = 0; i < SETS; ++i) {
    t->context[i] = context_of(simds[i]);
    if (t->context[i]) world_bodies(w, t->context[i], def, doubles, t->body[i]);
  }
  assert_non_null(t->context[0]);
}

static void twins_end(twins *t)
{
  for (int i = 0; i < SETS; ++i) pl_context_destroy(t->context[i]);
}

static void twins_set(twins *t, const world *w, bool doubles)
{
  for (int i = 0; i < SETS; ++i)
    if (t->context[i]) world_set(w, doubles, t->body[i]);
}

/* ------------------------------------------------------------- refit, inflate: whole layers -- */

static void make_layers(pl_body *body)
{
  uint64_t made = 0;
  assert_int_equal(body_update(body, &made), PL_OK);
  for (uint32_t i = 0; i < body->tree->nodes.inner_count; ++i)
    update_ensure(body->update, body->update->shape ? LAYER_SHAPES : LAYER_BOXES, i);
}

static void same_layers(const tree *a, const tree *b, const char *what)
{
  assert_int_equal(a->nodes.inner_count, b->nodes.inner_count);
  for (int in = 0; in < LAYER_COUNT; ++in) {
    const layer *l = &a->layers[in];
    assert_int_equal(l->floats, b->layers[in].floats);
    const size_t size = sizeof(float) * (size_t)l->floats * (size_t)a->nodes.width;
    for (uint32_t i = 0; l->floats && i < a->nodes.inner_count; ++i)
      if (memcmp((const char *)l->data + i * size, (const char *)b->layers[in].data + i * size, size) != 0)
        fail_msg("%s: layer %d of node %u", what, in, i);
  }
}

/* Each row of the family `refit` by itself, on one tree. */
static void same_refits(twins *t, int other, const char *what)
{
  for (int side = 0; side < 2; ++side) {
    tree *a = t->body[0][side]->tree, *b = t->body[other][side]->tree;
    const points *p = &t->body[0][side]->motion.now, *q = &t->body[other][side]->motion.now;
    const refit_kernels *plain = kernels_of(ISA_SCALAR)->refit, *wide = kernels_of(t->context[other]->isa)->refit;
    if (p->evaluate) continue;
    assert_int_equal(plain->range(a, p, 0, a->nodes.inner_count), wide->range(b, q, 0, b->nodes.inner_count));
    same_layers(a, b, what);
    if (!a->prims.order) continue;
    for (uint32_t i = 0; i < a->nodes.inner_count; ++i) {
      assert_int_equal(plain->block(a, p, i), wide->block(b, q, i));
      plain->lane(a, p, i, a->nodes.children[i] - 1);
      wide->lane(b, q, i, b->nodes.children[i] - 1);
    }
    same_layers(a, b, what);
  }
}

static void refits_and_growth(void **state)
{
  (void)state;
  int compared = 0;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    world_create(kind, 1, &w);
    for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
      for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
        pl_body_def def = body_def_of((pl_strategy)strategy, 2 << volume % 3, 1 + (strategy + volume) % 8, false);
        def.volume = (pl_volume)volume;
        const bool doubles = (strategy + volume) % 2;
        char what[96];
        twins t;
        snprintf(what, sizeof what, "world %d, strategy %d, volume %d", kind, strategy, volume);
        w.pose(&w, 0);
        twins_create(&t, &w, &def, doubles);
        for (int step = 0; step < w.steps; ++step) {
          w.pose(&w, step);
          twins_set(&t, &w, doubles);
          for (int i = 0; i < SETS; ++i)
            for (int side = 0; t.context[i] && side < 2; ++side) make_layers(t.body[i][side]);
          for (int i = 1; i < SETS; ++i)
            for (int side = 0; t.context[i] && side < 2; ++side, ++compared)
              same_layers(t.body[0][side]->tree, t.body[i][side]->tree, what);
        }
        for (int i = 1; i < SETS; ++i)
          if (t.context[i]) same_refits(&t, i, what);
        twins_end(&t);
      }
    world_free(&w);
  }
  assert_true(compared > 0);
}

/* ------------------------------------------------------------------------- boxes from runs -- */

/* The box of the vertices of some runs, one by one. */
static aabb box_of_runs(const points *p, const vertex_run *runs, uint32_t count)
{
  aabb box = aabb_empty();
  for (uint32_t r = 0; r < count; ++r)
    for (uint32_t v = runs[r].start; v < runs[r].start + runs[r].count; ++v) {
      double at[3];
      points_position(p, v, at);
      for (int k = 0; k < 3; ++k) {
        box.lower[k] = fminf(box.lower[k], (float)at[k]);
        box.upper[k] = fmaxf(box.upper[k], (float)at[k]);
      }
    }
  return box;
}

/* Runs of every length, in any place of the array, its last vertex included; only their order by
 * length is that of update/source_vertices.c. */
static void boxes_from_runs(void **state)
{
  (void)state;
  enum { MOST = 12 };
  static const uint64_t least[3] = {8, 4, 1}, lengths[3] = {32, 4, 3};
  test_rng rng = {7};
  world w;
  world_create(WORLD_SPHERES, 1, &w);
  const pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 8, 8, false);
  twins t;
  w.pose(&w, 1);
  twins_create(&t, &w, &def, false);
  for (int round = 0; round < 300; ++round)
    for (int i = 0; i < SETS; ++i) {
      if (!t.context[i]) continue;
      tree *own = t.body[i][0]->tree;
      const points *p = &t.body[i][0]->motion.now;
      const int children = own->nodes.children[TREE_ROOT];
      vertex_run runs[8 * MOST];
      uint32_t first[9] = {0};
      for (int lane = 0; lane < children; ++lane) {
        uint32_t at = first[lane];
        for (int class = 0; class < 3; ++class)
          for (uint64_t k = test_random(&rng) % 4 + (class == 0); k > 0; --k) {
            const uint32_t count = (uint32_t)(least[class] + test_random(&rng) % lengths[class]);
            const uint32_t last = own->prims.vertex_count - count, some = (uint32_t)(test_random(&rng) % (last + 1));
            runs[at++] = (vertex_run){test_random(&rng) % 8 ? some : last, count};
          }
        first[lane + 1] = at;
      }
      kernels_of(t.context[i]->isa)->refit->block_by_runs(own, p, TREE_ROOT, first, runs);
      for (int lane = 0; lane < children; ++lane) {
        const aabb box = box_of_runs(p, runs + first[lane], first[lane + 1] - first[lane]),
                   found = aabb_lane(tree_block(own, TREE_ROOT), own->nodes.width, lane);
        for (int k = 0; k < 3; ++k)
          if (found.lower[k] != box.lower[k] || found.upper[k] != box.upper[k])
            fail_msg("%s, round %d, lane %d, axis %d", simds[i], round, lane, k);
      }
    }
  twins_end(&t);
  world_free(&w);
}

/* ----------------------------------------------------------------------- distances of shapes -- */

static void bounds_of_shapes(void **state)
{
  (void)state;
  test_rng rng = {4};
  int compared = 0;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
    const shape_kind *kind = shape_kind_of((pl_volume)volume);
    if (!kind) continue;
    for (int round = 0; round < 400; ++round) {
      /* nine shapes around a few points each: eight of a block, and one */
      enum { POINTS = 5, MOST = 64 };
      float block[8 * MOST] = {0}, one[MOST] = {0};
      double xyz[9][POINTS][3];
      uint32_t list[POINTS] = {0, 1, 2, 3, 4};
      const double size = ldexp(1, round % 20 - 10);
      for (int s = 0; s < 9; ++s) {
        for (int k = 0; k < 3 * POINTS; ++k)
          xyz[s][k / 3][k % 3] = (s == 8 ? 2 * size : 0) + test_uniform(&rng, -size, size);
        const points p = {.data = (const char *)xyz[s], .stride = sizeof xyz[s][0], .type = PL_F64};
        bounded vertices = {&p, {list, list + POINTS}, {round % 2 ? 1 : POINTS, 0}};
        assert_true(kind->floats <= MOST);
        kind->fit(&vertices, s == 8 ? one : block + s, s == 8 ? 1 : 8);
      }
      float wanted[8];
      kernels_of(ISA_SCALAR)->distance->shapes((pl_volume)volume, block, 8, one, wanted);
      for (int i = 1; i < SETS; ++i) {
        pl_context *context = context_of(simds[i]);
        if (!context) continue;
        float got[8];
        kernels_of(context->isa)->distance->shapes((pl_volume)volume, block, 8, one, got);
        if (memcmp(got, wanted, sizeof got) != 0) fail_msg("%s: volume %d, round %d", simds[i], volume, round);
        pl_context_destroy(context);
        ++compared;
      }
    }
  }
  assert_true(compared > 0);
}

/* ---------------------------------------------------------------------------- self: patches -- */

static void boxes_and_cones_of_patches(void **state)
{
  (void)state;
  int compared = 0;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    twins t;
    world_create(kind, 2, &w);
    pl_body_def def = body_def_of(PL_STRATEGY_HYBRID, 8, 8, false);
    w.pose(&w, 0);
    twins_create(&t, &w, &def, kind % 2);
    for (int step = 0; step < w.steps; ++step) {
      w.pose(&w, step);
      twins_set(&t, &w, kind % 2);
      for (int i = 0; i < SETS; ++i) {
        if (!t.context[i]) continue;
        pl_body *body = t.body[i][0];
        uint64_t made = 0;
        if (!body->patches)
          assert_int_equal(patches_create(t.context[i], body->tree, &body->motion, &body->patches), PL_OK);
        patches_move(body->patches, body->moves);
        assert_int_equal(patches_refit(body->patches, &made), PL_OK);
        patches *p = t.body[0][0]->patches, *q = body->patches;
        const self_kernels *plain = kernels_of(ISA_SCALAR)->self, *wide = kernels_of(t.context[i]->isa)->self;
        same_layers(&p->tree, &q->tree, simds[i]);
        assert_memory_equal(p->positions, q->positions, 16 * (size_t)p->tree.prims.vertex_count);
        const aabb one = plain->bound(p), other = wide->bound(q);
        assert_memory_equal(&one, &other, sizeof one);
        const size_t cones = 8 * (size_t)p->tree.nodes.inner_count;
        uint32_t *thick = calloc(2 * cones, sizeof *thick);
        plain->thick_refit(p, 0x1p-6f, thick, 0, p->tree.nodes.inner_count);
        wide->thick_refit(q, 0x1p-6f, thick + cones, 0, q->tree.nodes.inner_count);
        assert_memory_equal(thick, thick + cones, cones * sizeof *thick);
        free(thick);
        for (uint32_t set = 1; set; set <<= 5)
          for (uint32_t leaf = 0; leaf < p->tree.nodes.leaf_count; ++leaf, ++compared)
            assert_int_equal(plain->faces(p, leaf, leaf + 1, set, 0), wide->faces(q, leaf, leaf + 1, set, 0));
      }
    }
    twins_end(&t);
    world_free(&w);
  }
  assert_true(compared > 0);
}

/* ------------------------------------------------- walks: pairs, self, distance, rays, probe -- */

static uint64_t hash_counters(uint64_t h, const pl_counters *c)
{
  const uint64_t n[3] = {c->n_v, c->n_p, c->n_u};
  return hash_bytes(h, n, sizeof n);
}

/* Hashes of what each family finds. */
typedef enum family { PAIRS, SELF, DISTANCE, NEAR, RAYS, PROBE, FAMILIES } family;

static uint64_t ask(family f, pl_body *a, pl_body *b, size_t *rows)
{
  uint64_t h = 0;
  if (f == PAIRS || f == SELF) {
    const pl_result *r;
    assert_int_equal(pl_touching(f == SELF ? pl_self(a) : pl_two(a, b), NULL, &r), PL_OK);
    *rows += r->count;
    return hash_counters(hash_bytes(h, r->pairs, r->count * sizeof *r->pairs), &r->counters);
  }
  if (f == DISTANCE) {
    least_row r;
    assert_int_equal(ask_least(pl_two(a, b), NULL, &r), PL_OK);
    *rows += 1;
    h = hash_bytes(h, &r.distance, sizeof r.distance);
    return hash_counters(h, &r.counters);
  }
  if (f == NEAR) {
    const pl_result *r;
    pl_question def = pl_question_default();
    def.margin = 0.1;
    assert_int_equal(pl_near_triangles(pl_two(a, b), &def, &r), PL_OK);
    *rows += r->count;
    for (size_t i = 0; i < r->count; ++i)
      h = hash_bytes(h, &r->near_pairs[i].distance, sizeof r->near_pairs[i].distance);
    return hash_counters(h, &r->counters);
  }
  enum { COUNT = 64 };
  test_rng rng = {7};
  pl_ray rays[COUNT];
  double at[COUNT][3];
  for (int i = 0; i < COUNT; ++i) {
    rays[i] = (pl_ray){.t_max = INFINITY};
    for (int k = 0; k < 3; ++k) {
      at[i][k] = test_uniform(&rng, -2, 2);
      rays[i].origin[k] = test_uniform(&rng, -3, 3);
      rays[i].direction[k] = at[i][k] - rays[i].origin[k];
    }
  }
  if (f == RAYS) {
    const pl_result *r;
    assert_int_equal(pl_cast(pl_self(a), rays, COUNT, NULL, &r), PL_OK);
    for (size_t i = 0; i < r->count; ++i) *rows += r->hits[i].t < INFINITY;
    return hash_counters(hash_hits(h, r->hits, r->count), &r->counters);
  }
  const pl_result *r;
  assert_int_equal(pl_closest(pl_self(a), pl_positions_f64(at[0], COUNT), NULL, &r), PL_OK);
  *rows += r->count;
  for (size_t i = 0; i < r->count; ++i) h = hash_bytes(h, &r->points[i].distance, sizeof r->points[i].distance);
  return hash_counters(h, &r->counters);
}

static void rows_and_counters_of_walks(void **state)
{
  (void)state;
  static const char *const names[FAMILIES] = {"pairs", "self", "distance", "near", "rays", "probe"};
  size_t rows[FAMILIES] = {0};
  for (int kind = 0; kind < WORLD_COUNT; ++kind)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
      world w;
      twins t;
      world_create(kind, 2, &w);
      pl_body_def def =
          body_def_of(volume % 2 ? PL_STRATEGY_TOP_DOWN : PL_STRATEGY_BOTTOM_UP, 2 << volume % 3, 4, false);
      def.volume = (pl_volume)volume;
      w.pose(&w, 0);
      twins_create(&t, &w, &def, volume % 2);
      for (int step = 0; step < w.steps; ++step) {
        w.pose(&w, step);
        twins_set(&t, &w, volume % 2);
        for (int f = 0; f < FAMILIES; ++f) {
          const uint64_t wanted = ask((family)f, t.body[0][0], t.body[0][1], &rows[f]);
          for (int i = 1; i < SETS; ++i) {
            if (!t.context[i]) continue;
            size_t more = 0;
            if (ask((family)f, t.body[i][0], t.body[i][1], &more) != wanted)
              fail_msg("%s of %s, world %d, volume %d, step %d", names[f], simds[i], kind, volume, step);
          }
        }
      }
      twins_end(&t);
      world_free(&w);
    }
  for (int f = 0; f < FAMILIES; ++f) assert_true(rows[f] > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(refits_and_growth), cmocka_unit_test(boxes_from_runs),
                                     cmocka_unit_test(bounds_of_shapes), cmocka_unit_test(boxes_and_cones_of_patches),
                                     cmocka_unit_test(rows_and_counters_of_walks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
