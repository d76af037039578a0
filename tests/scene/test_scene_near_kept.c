/* Near pairs of scenes whose bodies partly stand still: those that do are not searched again, and the result is that of the reference, to the
 * byte, whatever moves, comes, goes or is asked in between. */
#include "scenes/scenes.h"
#include "support/distances.h"

#include <stdio.h>

enum { BODIES = 9 };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[BODIES];
  scene_mesh ball;
  float *xyz;
  double height[BODIES];
} stage;

static void place_ball(stage *s, int i, bool set)
{
  for (size_t k = 0; k < 3 * s->ball.vertex_count; ++k)
    s->xyz[k] = s->ball.rest[k] + (float)(k % 3 == 0 ? 1.96875 * i : k % 3 == 1 ? s->height[i] : 0);
  if (set) assert_int_equal(pl_body_set_positions(s->body[i], pl_positions_f32(s->xyz, s->ball.vertex_count)), PL_OK);
}

/* Balls in a row that almost touch. */
static void open_stage(stage *s, int threads)
{
  memset(s, 0, sizeof *s);
  pl_context_def c = pl_context_def_default();
  c.threads = threads;
  assert_int_equal(pl_context_create(&c, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_true(scene_geosphere(3, &s->ball));
  s->xyz = malloc(3 * s->ball.vertex_count * sizeof *s->xyz);
  for (int i = 0; i < BODIES; ++i) {
    place_ball(s, i, false);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(s->xyz, s->ball.vertex_count);
    mesh.triangles = s->ball.triangles;
    mesh.triangle_count = s->ball.triangle_count;
    assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[i]), PL_OK);
    assert_int_equal(pl_scene_add(s->scene, s->body[i], NULL), PL_OK);
  }
}

static void close_stage(stage *s)
{
  free(s->xyz);
  scene_mesh_free(&s->ball);
  pl_context_destroy(s->context);
}

static void check_groups(const pl_contact_group *groups, size_t group_count, size_t count)
{
  size_t at = 0;
  for (size_t i = 0; i < group_count; ++i) {
    assert_true(groups[i].begin == at && groups[i].end > at);
    at = groups[i].end;
  }
  assert_int_equal(at, count);
}

static void check_work(size_t kept, size_t pairs, const pl_counters *counters)
{
  assert_true(kept <= pairs);
  if (kept == pairs) assert_true(counters->n_v == 0 && counters->n_p == 0);
}

/* Near pairs of triangles, then of features, like the reference; returns how many pairs of bodies were kept by both. */
static size_t assert_step(stage *s, double margin, pl_contact_filter filter)
{
  pl_near_def def = pl_near_def_default();
  pl_feature_def feature_def = pl_feature_def_default();
  def.sorted = feature_def.sorted = true;
  def.contact_filter = feature_def.contact_filter = filter;
  const pl_scene_near_pairs *near;
  const pl_scene_feature_pairs *features;
  assert_int_equal(pl_reference_scene_near(s->scene, margin, &def, &near), PL_OK);
  size_t count = near->count, groups = near->group_count;
  pl_near_pair *want = malloc((count + 1) * sizeof *want);
  memcpy(want, near->pairs, count * sizeof *want);
  if (pl_scene_near(s->scene, margin, &def, &near) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  assert_true(near->count == count && near->group_count == groups);
  assert_memory_equal(near->pairs, want, count * sizeof *want);
  check_groups(near->groups, near->group_count, count);
  check_work(near->kept_pairs, near->body_pairs, &near->counters);
  free(want);
  size_t kept = near->kept_pairs;

  assert_int_equal(pl_reference_scene_near_features(s->scene, margin, &feature_def, &features), PL_OK);
  count = features->count;
  pl_feature_pair *wanted = malloc((count + 1) * sizeof *wanted);
  memcpy(wanted, features->pairs, count * sizeof *wanted);
  if (pl_scene_near_features(s->scene, margin, &feature_def, &features) != PL_OK)
    fail_msg("%s", pl_context_message(s->context));
  assert_int_equal(features->count, count);
  assert_memory_equal(features->pairs, wanted, count * sizeof *wanted);
  check_groups(features->groups, features->group_count, count);
  check_work(features->kept_pairs, features->body_pairs, &features->counters);
  free(wanted);
  assert_int_equal(features->kept_pairs, kept);
  return kept;
}

static bool odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user, (void)a, (void)b;
  return (pair.a + pair.b) % 2;
}

static void near_pairs_that_stand_still(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    stage s;
    open_stage(&s, threads);
    const double margin = 0.09375;
    assert_int_equal(assert_step(&s, margin, NULL), 0);
    size_t all = assert_step(&s, margin, NULL);
    assert_true(all == BODIES - 1);
    assert_int_equal(assert_step(&s, margin, NULL), all);

    /* One that moves is searched again, with its two neighbours. */
    s.height[4] = 0.25;
    place_ball(&s, 4, true);
    assert_int_equal(assert_step(&s, margin, NULL), all - 2);
    assert_int_equal(assert_step(&s, margin, NULL), all);

    /* Another margin; a filter, which may change its mind; an exclusion; one that comes near; one that goes. */
    assert_int_equal(assert_step(&s, margin / 2, NULL), 0);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all);
    assert_int_equal(assert_step(&s, margin / 2, odd_only), 0);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all);
    assert_int_equal(pl_scene_exclude(s.scene, s.body[1], s.body[2]), PL_OK);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    assert_int_equal(pl_scene_include(s.scene, s.body[2], s.body[1]), PL_OK);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    s.height[8] = 9;
    place_ball(&s, 8, true);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    pl_body_destroy(s.body[6]);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 3);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 3);
    close_stage(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(near_pairs_that_stand_still)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
