/* How much of a tree is made before the queries: the level at which the eager part ends, in even
 * and in uneven trees; and all of the tree where many rays come. */
#include "body/body.h"
#include "scenes/scenes.h"
#include "support/rays.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { SIZE_STEP = 4 };
#else
enum { SIZE_STEP = 1 };
#endif
enum { MANY = 6000 };

static pl_body *make_body(pl_context *context, const scene_mesh *m, const pl_body_def *def)
{
  pl_body *body;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  assert_int_equal(pl_body_create_free(context, &mesh, def, &body), PL_OK);
  return body;
}

static uint64_t update_count(pl_body *body)
{
  pl_counters counters;
  assert_int_equal(pl_body_update(body, &counters), PL_OK);
  return counters.n_u;
}

/* Volumes down to the given level, and those of the next one alone. */
static void count_volumes(const tree *t, int level, uint64_t *above, uint64_t *next)
{
  *above = *next = 0;
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) {
    if (t->nodes.level[i] < level) *above += t->nodes.children[i];
    if (t->nodes.level[i] == level) *next += t->nodes.children[i];
  }
}

/* What is made is what the levels have, no level of it is larger than the root of twice the
 * leaves, and the next one is. */
static void check_middle(pl_body *body, const char *where)
{
  const tree *t = body->tree;
  int level = body->update->eager_levels;
  uint64_t above, next, made = update_count(body);
  count_volumes(t, level, &above, &next);
  double most = sqrt(2.0 * t->nodes.leaf_count);
  if (made != above || (double)above > most * level || (level < t->nodes.depth && !((double)next > most)))
    fail_msg("%s: %d levels with %llu volumes, %llu made; %u leaves", where, level, (unsigned long long)above,
             (unsigned long long)made, t->nodes.leaf_count);
}

static void the_eager_part_has_about_as_many_volumes_as_the_root_of_the_leaves(void **state)
{
  (void)state;
  static const int sizes[] = {20, 320, 1280, 5120, 20480};
  pl_context *context = context_of(NULL);
  for (int size = 0; size < 5; size += SIZE_STEP)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; leaf += 7)
        for (int cut = 0; cut < PL_CUT_COUNT; ++cut)
          for (int uneven = 0; uneven < 2; ++uneven) {
            scene_mesh m;
            assert_true(scene_geosphere(scene_geosphere_frequency(sizes[size]), &m));
            memcpy(m.xyz, m.rest, 3 * m.vertex_count * sizeof(float));
            for (size_t v = 0; uneven && v < 3 * m.vertex_count; ++v)
              m.xyz[v] =
                  copysignf(powf(fabsf(m.xyz[v]), 7), m.xyz[v]); /* most of it in the middle: single leaves lie deep */
            pl_body_def def = pl_body_def_default();
            def.arity = arity;
            def.leaf_size = leaf;
            def.cut = (pl_cut)cut;
            def.strategy = PL_STRATEGY_HYBRID;
            pl_body *body = make_body(context, &m, &def);
            char where[120];
            snprintf(where, sizeof where, "%d triangles, arity %d, leaves of %d, cut %s%s", sizes[size], arity, leaf,
                     pl_word(PL_WORDS_CUT, def.cut), uneven ? ", uneven" : "");
            check_middle(body, where);
            assert_valid(body, context, where);
            pl_body_destroy(body);
            scene_mesh_free(&m);
          }
  pl_context_destroy(context);
}

/* --------------------------------------------------------------------------------- many rays -- */

/* From all sides to points within the unit ball. */
static void aim(pl_ray *rays, size_t count, double scale)
{
  test_rng rng = {77};
  for (size_t i = 0; i < count; ++i) {
    double from[3], to[3];
    for (int k = 0; k < 3; ++k) {
      to[k] = scale * test_uniform(&rng, -0.5, 0.5);
      from[k] = test_uniform(&rng, -1, 1);
    }
    double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    for (int k = 0; k < 3; ++k) {
      from[k] *= 3 / length;
      to[k] -= from[k];
    }
    rays[i] = pl_ray_from(from, to);
  }
}

static uint64_t cast_count(pl_body *body, const pl_ray *rays, size_t count, double budget)
{
  const pl_result *hits;
  pl_question def = pl_question_default();
  def.budget_ms = budget;
  assert_int_equal(pl_cast(pl_one(body), rays, count, &def, &hits), PL_OK);
  return hits->counters.n_u;
}

typedef struct target {
  pl_context *context;
  pl_body *body;
  scene_mesh m;
  uint64_t all; /* volumes */
} target;

static void move(target *t, int frame)
{
  scene_c1_pose(&t->m, 0, frame);
  assert_int_equal(pl_body_set_positions(t->body, pl_positions_f32(t->m.xyz, t->m.vertex_count)), PL_OK);
}

static target open_target(pl_strategy strategy, int threads)
{
  target t = {0};
  pl_context_def context = pl_context_def_default();
  context.threads = threads;
  assert_int_equal(pl_context_create(&context, &t.context), PL_OK);
  assert_true(scene_geosphere(scene_geosphere_frequency(20480), &t.m));
  scene_c1_pose(&t.m, 0, 0);
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  t.body = make_body(t.context, &t.m, &def);
  t.all = (uint64_t)t.body->tree->nodes.inner_count - 1 + t.body->tree->nodes.leaf_count;
  return t;
}

static void close_target(target *t)
{
  pl_context_destroy(t->context);
  scene_mesh_free(&t->m);
}

static void many_rays_make_all_volumes_at_once(void **state)
{
  (void)state;
  pl_ray *rays = malloc(MANY * sizeof *rays);
  aim(rays, MANY, 1);
  for (int threads = 1; threads <= 3; threads += 2) {
    target t = open_target(PL_STRATEGY_HYBRID, threads);
    update_count(t.body);
    assert_true(cast_count(t.body, rays, 10, 0) < t.all / 4);   /* few: where they arrive */
    assert_int_equal(cast_count(t.body, rays, MANY, 0), t.all); /* many: all of the tree, once */
    assert_int_equal(cast_count(t.body, rays, MANY, 0), 0);
    assert_valid(t.body, t.context, "after many rays");
    move(&t, 10);
    /* a new frame counts anew */
    assert_true(cast_count(t.body, rays, 10, 0) < t.all / 4);
    /* small batches add up */
    for (int i = 0; i < MANY / 10; ++i) cast_count(t.body, rays + 10 * i, 10, 0);
    assert_int_equal(cast_count(t.body, rays, MANY, 0), 0);
    close_target(&t);
  }
  free(rays);
}

/* Rays that miss, a budget, and strategies that were asked for by name. */
static void other_rays_leave_the_rest_for_later(void **state)
{
  (void)state;
  pl_ray *rays = malloc(MANY * sizeof *rays);
  aim(rays, MANY, 1);
  target t = open_target(PL_STRATEGY_HYBRID, 1);
  for (int i = 0; i < MANY; ++i) rays[i].origin[0] += 10;
  assert_true(cast_count(t.body, rays, MANY, 0) < t.all / 4);
  close_target(&t);
  aim(rays, MANY, 1);
  for (int i = 1; i < MANY; ++i) { /* a bundle: what it arrives at and no more */
    rays[i] = rays[0];
    rays[i].direction[0] += 1e-6 * i;
  }
  for (int i = 0; i < 2; ++i) {
    t = open_target(i ? PL_STRATEGY_TOP_DOWN : PL_STRATEGY_HYBRID, 1);
    assert_true(cast_count(t.body, rays, MANY, i ? 0 : 1e9) < t.all / 4);
    close_target(&t);
  }
  free(rays);
}

static void answers_are_those_of_the_reference_whatever_is_made_when(void **state)
{
  (void)state;
  pl_ray *rays = malloc(MANY * sizeof *rays);
  aim(rays, MANY, 2);
  target t = open_target(PL_STRATEGY_HYBRID, 1);
  for (int frame = 0; frame < 3; ++frame) {
    move(&t, 40 * frame);
    size_t count = frame == 1 ? 20 : MANY / 10;
    ray_answer wanted = reference_rays(t.body, NULL, rays, count);
    cast_count(t.body, rays, frame ? count : MANY, 0);
    assert_rays(t.body, NULL, rays, &wanted, "all or some");
    ray_answer_free(&wanted);
  }
  close_target(&t);
  free(rays);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_eager_part_has_about_as_many_volumes_as_the_root_of_the_leaves),
      cmocka_unit_test(many_rays_make_all_volumes_at_once),
      cmocka_unit_test(other_rays_leave_the_rest_for_later),
      cmocka_unit_test(answers_are_those_of_the_reference_whatever_is_made_when),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
