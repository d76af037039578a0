/* Contacts in the morphing scenes: where bodies must touch and where not. */
#include "scenes/morph_support.h"

#include <string.h>

enum { MOST_BODIES = MORPH_B2_DOLPHINS };

typedef struct stage {
  pl_context *context;
  morph_mesh mesh;
  int bodies;
  void (*pose_of)(int, int, morph_pose *);
  pl_body *body[MOST_BODIES];
  float *xyz;
} stage;

static void set_up(stage *s, int bodies, void (*pose_of)(int, int, morph_pose *))
{
  s->context = make_context();
  s->bodies = bodies;
  s->pose_of = pose_of;
  s->xyz = positions_of(&s->mesh);
  blend_at(&s->mesh, 1, s->xyz);
  pl_mesh_def def = mesh_def(&s->mesh, s->xyz);
  for (int b = 0; b < bodies; ++b) assert_int_equal(pl_body_create_free(s->context, &def, NULL, &s->body[b]), PL_OK);
}

static void take_down(stage *s)
{
  pl_context_destroy(s->context);
  free(s->xyz);
  morph_mesh_free(&s->mesh);
}

/* Pairs of triangles that touch in a step, over all pairs of bodies. */
static size_t contacts(stage *s, int step)
{
  size_t found = 0;
  for (int b = 0; b < s->bodies; ++b) {
    morph_pose pose;
    s->pose_of(b, step, &pose);
    morph_blend(&s->mesh, &pose, s->xyz);
    assert_int_equal(pl_body_set_positions(s->body[b], pl_positions_f32(s->xyz, s->mesh.vertex_count)), PL_OK);
  }
  for (int a = 0; a < s->bodies; ++a)
    for (int b = a + 1; b < s->bodies; ++b) {
      const pl_result *pairs;
      assert_int_equal(pl_touching(pl_two(s->body[a], s->body[b]), NULL, &pairs), PL_OK);
      found += pairs->count;
    }
  return found;
}

/* As in the paper, where the first contact is at step 41 and the last at step 364. */
static void test_b1_bodies_pass_right_through_each_other(void **state)
{
  stage s = {0};
  int first = -1, last = -1, touching = 0;
  size_t most = 0;
  assert_true(morph_b1_body(16, &s.mesh));
  set_up(&s, MORPH_B1_BODIES, morph_b1_pose);
  for (int step = 0; step < MORPH_B1_STEPS; ++step) {
    size_t found = contacts(&s, step);
    if (found && first < 0) first = step;
    if (found) last = step;
    touching += found > 0;
    most = found > most ? found : most;
  }
  assert_in_range(first, 39, 44);
  assert_in_range(last, 361, 367);
  assert_int_equal(touching, last - first + 1);
  /* curves, never surfaces that are in each other: those have tens of thousands */
  assert_in_range(most, 400, 2000);
  take_down(&s);
}

static void test_b1_has_its_contacts_at_full_size_too(void **state)
{
  stage s = {0};
  assert_true(morph_b1_body(MORPH_B1_FREQUENCY, &s.mesh));
  set_up(&s, MORPH_B1_BODIES, morph_b1_pose);
  for (int step = 0; step < 40; step += 13) assert_int_equal(contacts(&s, step), 0);
  for (int step = 44; step < 361; step += 36) assert_true(contacts(&s, step) > 0);
  for (int step = 368; step < MORPH_B1_STEPS; step += 10) assert_int_equal(contacts(&s, step), 0);
  take_down(&s);
}

static void pose_morphs(stage *s, int step)
{
  for (int b = 0; b < s->bodies; ++b) {
    morph_pose pose;
    pl_transform to;
    morph_b2_pose(b, step, &pose);
    for (int i = 0; i < 9; ++i) to.m[i / 3][i % 3] = pose.rotation[i];
    for (int i = 0; i < 3; ++i) to.t[i] = pose.shift[i];
    assert_int_equal(pl_body_set_weights(s->body[b], pose.weight, MORPH_REFERENCES), PL_OK);
    assert_int_equal(pl_body_set_transform(s->body[b], &to), PL_OK);
  }
}

/* The pairs of a scene are those of any two of its bodies; returns their number. */
static size_t compare_with_two_by_two(stage *s, pl_scene *scene)
{
  pl_question sorted = pl_question_default();
  const pl_result *all;
  size_t found = 0;
  sorted.sorted = true;
  assert_int_equal(pl_touching(pl_all(scene), &sorted, &all), PL_OK);
  const size_t count = all->count, groups = all->group_count;
  pl_pair *pairs = malloc((count + 1) * sizeof *pairs);
  pl_group *group = malloc((groups + 1) * sizeof *group);
  assert_non_null(pairs);
  assert_non_null(group);
  memcpy(pairs, all->pairs, count * sizeof *pairs);
  memcpy(group, all->groups, groups * sizeof *group);
  for (size_t g = 0; g < groups; ++g) {
    const pl_result *two;
    assert_int_equal(pl_touching(pl_two(group[g].a, group[g].b), &sorted, &two), PL_OK);
    assert_int_equal(two->count, group[g].end - group[g].begin);
    assert_memory_equal(two->pairs, pairs + group[g].begin, two->count * sizeof *pairs);
  }
  for (int a = 0; a < s->bodies; ++a)
    for (int b = a + 1; b < s->bodies; ++b) {
      const pl_result *two;
      assert_int_equal(pl_touching(pl_two(s->body[a], s->body[b]), NULL, &two), PL_OK);
      found += two->count;
    }
  assert_int_equal(found, count);
  sorted.first = true;
  assert_int_equal(pl_touching(pl_all(scene), &sorted, &all), PL_OK);
  assert_int_equal(all->group_count, groups);
  free(pairs);
  free(group);
  return count;
}

/* A crowd whose leaves and volumes are fetched ahead, beside two of its bodies at a time, which are
 * few enough not to be. */
static void test_crowds_of_morphs_touch_as_their_bodies_do_two_by_two(void **state)
{
  enum { LEVEL = 2, STRIDE = 120 };
  stage s = {.context = make_context(), .bodies = MORPH_B2_DOLPHINS};
  pl_positions references[MORPH_REFERENCES];
  pl_scene *scene;
  size_t found = 0;
  assert_true(morph_dolphin(LEVEL, &s.mesh));
  const pl_mesh_def mesh = mesh_def(&s.mesh, s.mesh.references[1]);
  pl_morph_def def = pl_morph_def_default();
  for (int r = 0; r < MORPH_REFERENCES; ++r)
    references[r] = pl_positions_f32(s.mesh.references[r], s.mesh.vertex_count);
  def.references = references;
  def.reference_count = MORPH_REFERENCES;
  assert_int_equal(pl_scene_create(s.context, NULL, &scene), PL_OK);
  for (int b = 0; b < s.bodies; ++b) {
    assert_int_equal(pl_body_create_morph(s.context, &mesh, &def, NULL, &s.body[b]), PL_OK);
    assert_int_equal(pl_scene_add(scene, s.body[b], NULL), PL_OK);
  }
  for (int step = 0; step < MORPH_B2_STEPS; step += STRIDE) {
    pose_morphs(&s, step);
    found += compare_with_two_by_two(&s, scene);
  }
  assert_true(found > 1000);
  take_down(&s);
}

static double play_b2(int level, int stride, int *frames_without, size_t *most)
{
  stage s = {0};
  double sum = 0;
  int frames = 0;
  assert_true(morph_dolphin(level, &s.mesh));
  set_up(&s, MORPH_B2_DOLPHINS, morph_b2_pose);
  *frames_without = 0;
  *most = 0;
  for (int step = 0; step < MORPH_B2_STEPS; step += stride, ++frames) {
    size_t found = contacts(&s, step);
    *frames_without += found == 0;
    *most = found > *most ? found : *most;
    sum += (double)found;
  }
  take_down(&s);
  return sum / frames;
}

/* Contacts are curves: twice as many pairs where edges are half as long. */
static void test_dolphins_touch_in_most_frames(void **state)
{
  double mean[MORPH_DOLPHIN_LEVELS];
  for (int level = 0; level < MORPH_DOLPHIN_LEVELS; ++level) {
    int without, stride = level < 2 ? 4 : 25;
    size_t most;
    mean[level] = play_b2(level, stride, &without, &most);
    assert_true(without * stride <= 20);
    assert_true(mean[level] > 60 << level && mean[level] < 140 << level && most < (size_t)300 << level);
  }
}

/* A ring of eight of the vertices that all levels begin with: its centre and mean radius. */
static void trunk_ring(const float *xyz, int ring, double centre[3], double *radius)
{
  const float *p = xyz + 24 * ring;
  *radius = 0;
  for (int k = 0; k < 3; ++k) {
    centre[k] = 0;
    for (int i = 0; i < 8; ++i) centre[k] += p[3 * i + k] / 8.0;
  }
  for (int i = 0; i < 8; ++i) {
    double x = p[3 * i] - centre[0], y = p[3 * i + 1] - centre[1], z = p[3 * i + 2] - centre[2];
    *radius += sqrt(x * x + y * y + z * z) / 8;
  }
}

/* Fins touch; trunks, seen as chains of balls, go into each other by less than a tenth of their
 * thickness. */
static void test_dolphins_never_penetrate_deeply(void **state)
{
  enum { RINGS = 24 };
  morph_mesh mesh;
  assert_true(morph_dolphin(0, &mesh));
  float *xyz = positions_of(&mesh);
  for (int step = 0; step < MORPH_B2_STEPS; step += 2) {
    double centre[MORPH_B2_DOLPHINS * RINGS][3], radius[MORPH_B2_DOLPHINS * RINGS];
    for (int d = 0; d < MORPH_B2_DOLPHINS; ++d) {
      morph_pose pose;
      morph_b2_pose(d, step, &pose);
      morph_blend(&mesh, &pose, xyz);
      for (int r = 0; r < RINGS; ++r) trunk_ring(xyz, r, centre[d * RINGS + r], &radius[d * RINGS + r]);
    }
    for (int i = 0; i < MORPH_B2_DOLPHINS * RINGS; ++i)
      for (int j = 0; j < i / RINGS * RINGS; ++j) {
        double x = centre[i][0] - centre[j][0], y = centre[i][1] - centre[j][1], z = centre[i][2] - centre[j][2];
        assert_true(sqrt(x * x + y * y + z * z) > radius[i] + radius[j] - 0.04);
      }
  }
  free(xyz);
  morph_mesh_free(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_b1_bodies_pass_right_through_each_other),
      cmocka_unit_test(test_b1_has_its_contacts_at_full_size_too),
      cmocka_unit_test(test_crowds_of_morphs_touch_as_their_bodies_do_two_by_two),
      cmocka_unit_test(test_dolphins_touch_in_most_frames),
      cmocka_unit_test(test_dolphins_never_penetrate_deeply),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
