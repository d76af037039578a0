/* Distances of scenes whose bodies partly stand still: those that do are not searched again, and the result is that of the reference, to the byte,
 * whatever moves, comes, goes or is asked in between. */
#include "scenes/scenes.h"
#include "support/distances.h"

#include <stdio.h>

enum { BODIES = 7 };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[BODIES];
  scene_mesh ball;
  float *xyz;
  double x[BODIES], y[BODIES];
} stage;

static void place_ball(stage *s, int i, bool set)
{
  const double at[3] = {s->x[i], s->y[i], 0};
  for (size_t k = 0; k < 3 * s->ball.vertex_count; ++k) s->xyz[k] = s->ball.rest[k] + (float)at[k % 3];
  if (set) assert_int_equal(pl_body_set_positions(s->body[i], pl_positions_f32(s->xyz, s->ball.vertex_count)), PL_OK);
}

/* Balls in a row; the gaps grow by an eighth from 1/8 on. */
static void open_stage(stage *s, int threads)
{
  memset(s, 0, sizeof *s);
  pl_context_def c = pl_context_def_default();
  c.threads = threads;
  assert_int_equal(pl_context_create(&c, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_true(scene_geosphere(2, &s->ball));
  s->xyz = malloc(3 * s->ball.vertex_count * sizeof *s->xyz);
  for (int i = 0; i < BODIES; ++i) {
    s->x[i] = i ? s->x[i - 1] + 2 + 0.125 * i : 0;
    place_ball(s, i, false);
    s->body[i] = body_of(s->context, s->xyz, s->ball.vertex_count, s->ball.triangles, s->ball.triangle_count, NULL);
    assert_int_equal(pl_scene_add(s->scene, s->body[i], NULL), PL_OK);
  }
}

static void close_stage(stage *s)
{
  free(s->xyz);
  scene_mesh_free(&s->ball);
  pl_context_destroy(s->context);
}

/* As the reference; returns what it has cost. */
static pl_nearest assert_step(stage *s, const pl_distance_def *def)
{
  pl_nearest got, want;
  assert_int_equal(pl_reference_scene_distance(s->scene, def, &want), PL_OK);
  if (pl_scene_distance(s->scene, def, &got) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  assert_same_distance(&got.distance, &want.distance, "scene");
  assert_true(got.a == want.a && got.b == want.b);
  return got;
}

static void assert_free(stage *s, const pl_distance_def *def)
{
  pl_nearest got = assert_step(s, def);
  assert_true(got.body_pairs == 0 && got.distance.counters.n_v == 0 && got.distance.counters.n_p == 0);
}

static bool odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)a, (void)b;
  return (pair.a + pair.b) % 2;
}

static void bodies_that_stand_still_cost_nothing(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    stage s;
    open_stage(&s, threads);
    assert_true(assert_step(&s, NULL).body_pairs > 0);
    assert_free(&s, NULL);

    /* One far from the nearest two moves: only its pairs are compared. */
    s.y[5] = 0.5;
    place_ball(&s, 5, true);
    assert_int_equal(assert_step(&s, NULL).distance.counters.n_v, BODIES - 1);
    assert_free(&s, NULL);

    /* Limits: below the least distance, above it, and a ball of the nearest two that moves away under each. */
    pl_distance_def def = pl_distance_def_default();
    def.limit = 0.0625;
    assert_free(&s, &def);
    def.limit = 0.5;
    assert_step(&s, &def);
    def.limit = INFINITY;
    assert_step(&s, &def);
    assert_free(&s, &def);

    /* A filter, which may change its mind; tolerances and budgets in between change nothing that is kept. */
    def.contact_filter = odd_only;
    assert_true(assert_step(&s, &def).body_pairs > 0);
    assert_free(&s, NULL);
    def = pl_distance_def_default();
    def.relative = 0.25;
    pl_nearest got;
    assert_int_equal(pl_scene_distance(s.scene, &def, &got), PL_OK);
    def.budget_tests = 1;
    assert_int_equal(pl_scene_distance(s.scene, &def, &got), PL_OK);
    assert_free(&s, NULL);

    /* The nearest two excluded, included; one that goes, one that comes back. */
    assert_int_equal(pl_scene_exclude(s.scene, s.body[0], s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    assert_int_equal(pl_scene_include(s.scene, s.body[0], s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    assert_int_equal(pl_scene_remove(s.scene, s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_int_equal(pl_scene_add(s.scene, s.body[1], NULL), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    close_stage(&s);
  }
}

/* A ball passes along a row of others: what stands still is searched at most twice in all. */
static void one_body_that_passes(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1);
  size_t still = 0;
  int nearest = 0;
  for (int step = 0; step < 40; ++step) {
    s.x[0] = 0.5 * step;
    s.y[0] = 2.0 + 0.03125 * step;
    place_ball(&s, 0, true);
    pl_nearest got = assert_step(&s, NULL);
    nearest += got.a == s.body[0];
    still += got.body_pairs > BODIES - 1 ? got.body_pairs - (BODIES - 1) : 0;
    assert_free(&s, NULL);
  }
  assert_true(nearest > 0 && nearest < 40);
  assert_true(still <= (size_t)2 * (BODIES - 1) * (BODIES - 2) / 2);
  close_stage(&s);
}

/* Touching balls, several pairs of them: the first added are reported whoever moved last. */
static void ties_go_to_the_bodies_added_first(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1);
  for (int i = 0; i < BODIES; ++i) {
    s.x[i] = 1.5 * i;
    place_ball(&s, i, true);
  }
  assert_true(assert_step(&s, NULL).distance.distance == 0);
  assert_free(&s, NULL);
  const int order[] = {1, 0, 3, 0, 1, 6, 2};
  for (int k = 0; k < 7; ++k)
    for (int away = 1; away >= 0; --away) {
      int i = order[k];
      s.y[i] = away ? 40 : 0;
      place_ball(&s, i, true);
      assert_step(&s, NULL);
      assert_free(&s, NULL);
    }
  /* Equal distances above 0. */
  for (int i = 0; i < BODIES; ++i) {
    s.x[i] = 4.0 * i;
    place_ball(&s, i, true);
    assert_step(&s, NULL);
  }
  for (int i = BODIES - 1; i >= 0; --i) {
    s.y[i] = 8;
    place_ball(&s, i, true);
    assert_step(&s, NULL);
    s.y[i] = 0;
    place_ball(&s, i, true);
    assert_step(&s, NULL);
  }
  close_stage(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_that_stand_still_cost_nothing),
                                     cmocka_unit_test(one_body_that_passes),
                                     cmocka_unit_test(ties_go_to_the_bodies_added_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
