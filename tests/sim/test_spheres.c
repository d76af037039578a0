/* Every sphere of every body contains its points after every step: the scenes of the
 * experiments, and runs in which bodies are kicked, crushed to a plate, a line or a point, and
 * mirrored; rigid, linear and quadratic, of one and of several clusters. All levels of all
 * trees, without a tolerance. Spheres of a pile that touch are those of the reference. */
#include "sim/stage.h"
#include "support/support.h"

#include <stdlib.h>

enum { MODES = 3, SCENES = 4 };
static const sim_mode modes[MODES] = {SIM_RIGID, SIM_LINEAR, SIM_QUADRATIC};

static void make_scene(int which, soft_scene *out)
{
  bool made = which == 0   ? soft_scene_pile(9, out)
              : which == 1 ? soft_scene_trio(900, out)
              : which == 2 ? soft_scene_duo(800, out)
                           : soft_scene_rope(600, out);
  assert_true(made);
}

static void assert_contained(sim_world *world, int scene, int mode, int clusters)
{
  size_t outside = 1;
  assert_int_equal(sim_check_spheres(world, &outside), SIM_OK);
  if (outside)
    fail_msg("scene %d, mode %d, %d clusters, step %llu: %zu points are outside", scene, mode, clusters,
             (unsigned long long)sim_world_stats(world)->step, outside);
}

/* Some axes of a body are scaled: 0 crushes, -1 mirrors. */
static void crush(sim_world *world, int body, test_rng *rng)
{
  static const double scales[] = {0, 0.02, -1, 1, 3};
  double matrix[3][9] = {{0}}, centre[3];
  sim_body_state(world, body, matrix, centre);
  for (int i = 0; i < 3; ++i) {
    double scale = scales[(int)test_uniform(rng, 0, 5)];
    for (int j = 0; j < 3; ++j) matrix[i][j] = (i == j) * scale + 0.1 * test_uniform(rng, -1, 1) * scale;
  }
  assert_int_equal(sim_body_set_state(world, body, matrix, centre), SIM_OK);
}

static void hurt(sim_world *world, int step, test_rng *rng)
{
  int body = (int)test_uniform(rng, 0, (double)sim_body_count(world));
  double kick[3];
  for (int k = 0; k < 3; ++k) kick[k] = test_uniform(rng, -30, 30);
  if (step % 7 == 3) assert_int_equal(sim_body_push(world, body, kick), SIM_OK);
  if (step % 11 == 5) crush(world, body, rng);
}

static void run(int which, int mode, int clusters, bool violent, int steps)
{
  soft_scene scene;
  sim_world *world;
  test_rng rng = {.state = (uint64_t)(1 + which + 10 * mode + 100 * clusters)};
  sim_world_def def = sim_world_def_default();
  sim_body_def body = sim_body_def_default();
  make_scene(which, &scene);
  sim_world_def_for(&scene, &def);
  body.mode = modes[mode], body.clusters = clusters;
  def.level = 3;
  assert_int_equal(sim_world_create(&def, &world), SIM_OK);
  assert_int_equal(sim_add_scene(world, &scene, &body), SIM_OK);
  for (int i = 0; i < steps; ++i) {
    if (violent) hurt(world, i, &rng);
    if (violent) assert_contained(world, which, mode, clusters);
    assert_int_equal(sim_step(world), SIM_OK);
    assert_contained(world, which, mode, clusters);
  }
  sim_world_destroy(world);
  soft_scene_free(&scene);
}

static void every_scene_keeps_points_in_spheres(void **state)
{
  (void)state;
  for (int which = 0; which < SCENES; ++which)
    for (int mode = 0; mode < MODES; ++mode)
      for (int clusters = 1; clusters <= 4; clusters += 3) run(which, mode, clusters, false, 60);
}

static void violent_runs_keep_points_in_spheres(void **state)
{
  (void)state;
  for (int which = 0; which < SCENES; ++which)
    for (int mode = 0; mode < MODES; ++mode)
      for (int clusters = 1; clusters <= 4; clusters += 3) run(which, mode, clusters, true, 60);
}

static void contacts_of_a_pile_are_those_without_a_walk(void **state)
{
  (void)state;
  soft_scene scene;
  make_scene(0, &scene);
  for (int level = 2; level <= 6; level += 2) {
    sim_world *world;
    sim_world_def def = sim_world_def_default();
    size_t most = 0;
    sim_world_def_for(&scene, &def);
    def.level = level;
    assert_int_equal(sim_world_create(&def, &world), SIM_OK);
    assert_int_equal(sim_add_scene(world, &scene, NULL), SIM_OK);
    for (int i = 0; i < 61; ++i) {
      size_t count = 0;
      bool same = false;
      assert_int_equal(sim_step(world), SIM_OK);
      if (i % 15) continue;
      assert_int_equal(sim_check_contacts(world, &count, &same), SIM_OK);
      assert_true(same);
      if (count > most) most = count;
    }
    assert_true(most > 0);
    sim_world_destroy(world);
  }
  soft_scene_free(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene_keeps_points_in_spheres),
                                     cmocka_unit_test(contacts_of_a_pile_are_those_without_a_walk),
                                     cmocka_unit_test(violent_runs_keep_points_in_spheres)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
