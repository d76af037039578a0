/* What `auto` chooses: the same rows in the same order as every fixed strategy, frame by frame;
 * many rays store positions and few pairs do not; the same choices with any number of threads; a
 * body whose strategy was given has none; and memory that runs out leaves the body as it was. */
#include "body/body.h"
#include "update/choice.h"

#include "scenes/governed.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 3000, FRAMES = 14, RAYS = 4096 };
typedef enum asked { ASK_PAIRS, ASK_POINTS, ASK_RAYS, ASK_COUNT } asked;

static scene_animal animal;
static pl_ray rays[RAYS];
static double places[64][3];

static pl_body *make(pl_context *context, pl_strategy strategy)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(animal.mesh.rest, animal.mesh.vertex_count);
  mesh.triangles = animal.mesh.triangles;
  mesh.triangle_count = animal.mesh.triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = SCENE_ANIMAL_BONES;
  skin.weights = (pl_weights){.vertex_count = animal.mesh.vertex_count,
                              .per_vertex = (size_t)animal.per_vertex,
                              .governors = animal.bones,
                              .values = animal.weights,
                              .type = PL_F32,
                              .normalise = true};
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  pl_body *body = NULL;
  if (pl_body_create_skin(context, &mesh, &skin, &def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static void pose(pl_body *body, int frame)
{
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  pl_transform bones[SCENE_ANIMAL_BONES];
  scene_animal_run(frame, matrix, shift);
  for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
    memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
    memcpy(bones[k].t, shift[k], sizeof bones[k].t);
  }
  assert_int_equal(pl_body_set_bones(body, bones, SCENE_ANIMAL_BONES), PL_OK);
}

static void aim(void)
{
  uint32_t draw = 9;
  for (int i = 0; i < RAYS; ++i) {
    double at[3];
    for (int k = 0; k < 3; ++k) {
      draw = draw * 1664525u + 1013904223u;
      at[k] = 4.0 * (double)(draw >> 8) / (1 << 24) - 2;
    }
    const double from[3] = {at[0], 5, at[2]}, along[3] = {0.1 * at[1], -1, 0.05 * at[0]};
    rays[i] = pl_ray_from(from, along);
    if (i < 64) memcpy(places[i], at, sizeof at);
  }
}

static const pl_result *ask(pl_body *body, pl_body *other, asked question)
{
  const pl_result *result = NULL;
  pl_status status = question == ASK_PAIRS  ? pl_touching(pl_two(body, other), NULL, &result)
                     : question == ASK_RAYS ? pl_cast(pl_one(body), rays, RAYS, NULL, &result)
                                            : pl_closest(pl_one(body), pl_positions_f64(places[0], 64), NULL, &result);
  if (status != PL_OK) fail_msg("%s", pl_context_message(body->context));
  return result;
}

static void same_rows(const pl_result *a, const pl_result *b, asked question)
{
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; ++i) {
    if (question == ASK_PAIRS) assert_memory_equal(&a->pairs[i], &b->pairs[i], sizeof *a->pairs);
    if (question == ASK_RAYS) assert_int_equal(a->hits[i].triangle, b->hits[i].triangle);
    if (question == ASK_POINTS) {
      assert_int_equal(a->points[i].triangle, b->points[i].triangle);
      assert_true(a->points[i].distance == b->points[i].distance);
    }
  }
}

static const char *choice_of(pl_body *body)
{
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  assert_non_null(info.reason);
  return info.choice;
}

/* Every kind of question in turn, several frames each, with order. */
static void play(int threads, uint64_t *hash)
{
  pl_context *one = NULL, *two = NULL;
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &one), PL_OK);
  assert_int_equal(pl_context_create(&def, &two), PL_OK);
  pl_body *chosen[2] = {make(one, PL_STRATEGY_AUTO), make(one, PL_STRATEGY_HYBRID)},
          *fixed[2] = {make(two, PL_STRATEGY_GOVERNED), make(two, PL_STRATEGY_BOTTOM_UP)};
  pl_transform beside = pl_transform_identity();
  beside.t[0] = 0.4;
  assert_int_equal(pl_body_set_transform(chosen[1], &beside), PL_OK);
  assert_int_equal(pl_body_set_transform(fixed[1], &beside), PL_OK);
  for (int q = 0; q < ASK_COUNT; ++q)
    for (int f = 0; f < FRAMES; ++f) {
      pose(chosen[0], f);
      pose(fixed[0], f);
      const pl_result *mine = ask(chosen[0], chosen[1], (asked)q);
      same_rows(mine, ask(fixed[0], fixed[1], (asked)q), (asked)q);
      *hash = (*hash ^ mine->counters.n_u ^ mine->counters.n_v << 20) * 0x100000001b3u;
      *hash = (*hash ^ (uint64_t)choice_of(chosen[0])[0]) * 0x100000001b3u;
      assert_string_equal(choice_of(fixed[0]), "fixed");
      if (q == ASK_RAYS && f > 1) assert_string_equal(choice_of(chosen[0]), "whole");
      if (f % 5 == 0) assert_int_equal(pl_body_validate(chosen[0]), PL_OK);
    }
  /* stored positions follow the transform that is set after them */
  assert_int_equal(pl_body_set_transform(chosen[0], &beside), PL_OK);
  assert_int_equal(pl_body_set_transform(fixed[0], &beside), PL_OK);
  same_rows(ask(chosen[0], chosen[1], ASK_RAYS), ask(fixed[0], fixed[1], ASK_RAYS), ASK_RAYS);
  pl_context_destroy(one);
  pl_context_destroy(two);
}

static void rows_order_and_choices(void **state)
{
  (void)state;
  uint64_t hash[3] = {0};
  const int threads[] = {1, 2, 8};
  aim();
  for (int i = 0; i < 3; ++i) play(threads[i], &hash[i]);
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* A body that nothing comes near keeps to its governors; then nothing is stored. */
/* Reading all vertices, which a box on demand takes as well as the upper levels do, hides no choice
 * between the two. */
static void far_bodies_refit_no_levels(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh ball;
  pl_body *body[2];
  assert_true(scene_geosphere(16, &ball));
  float *now = malloc(3 * ball.vertex_count * sizeof *now);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = ball.triangles;
  mesh.triangle_count = ball.triangle_count;
  mesh.positions = pl_positions_f32(ball.rest, ball.vertex_count);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[i]), PL_OK);
  for (int f = 0; f < 12; ++f) {
    const pl_result *found;
    for (int i = 0; i < 2; ++i) {
      for (size_t v = 0; v < ball.vertex_count; ++v)
        for (size_t k = 0; k < 3; ++k)
          now[3 * v + k] = (1 + 0.01f * (float)f) * ball.rest[3 * v + k] + (k == 0 && i ? 2.5f : 0);
      assert_int_equal(pl_body_set_positions(body[i], pl_positions_f32(now, ball.vertex_count)), PL_OK);
    }
    assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &found), PL_OK);
  }
  assert_string_equal(choice_of(body[0]), "none");
  free(now);
  scene_mesh_free(&ball);
  pl_context_destroy(context);
}

static void few_pairs_store_nothing(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = make(context, PL_STRATEGY_AUTO), *b = make(context, PL_STRATEGY_AUTO);
  pl_transform beside = pl_transform_identity();
  beside.t[0] = 100;
  assert_int_equal(pl_body_set_transform(b, &beside), PL_OK);
  for (int f = 0; f < 40; ++f) {
    pose(a, f);
    ask(a, b, ASK_PAIRS);
    assert_string_equal(choice_of(a), "own");
  }
  assert_null(a->update->choice->copy);
  pl_context_destroy(context);
}

int main(void)
{
  if (!scene_animal_make(TRIANGLES, &animal)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_order_and_choices),
                                     cmocka_unit_test(far_bodies_refit_no_levels),
                                     cmocka_unit_test(few_pairs_store_nothing)};
  const int result = cmocka_run_group_tests(tests, NULL, NULL);
  scene_animal_free(&animal);
  return result;
}
