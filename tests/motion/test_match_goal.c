/* Goals of shape matching without points: the maps are those that the same points would get, and
 * what a cluster remembers can be read, set and goes on. */
#include "pliant/pliant.h"
#include "support/worlds.h"

#include <math.h>
#include <string.h>

enum { POINTS = 40 };

typedef struct cloud {
  pl_context *context;
  pl_body *moved, *mapped; /* the same at rest */
  double rest[POINTS][3];
} cloud;

static cloud open_cloud(test_rng *rng, pl_match_kind kind)
{
  cloud c;
  pl_match_def how = pl_match_def_default();
  how.kind = kind;
  for (int i = 0; i < 3 * POINTS; ++i) c.rest[i / 3][i % 3] = test_uniform(rng, -1, 1);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(c.rest[0], POINTS);
  assert_int_equal(pl_context_create(NULL, &c.context), PL_OK);
  assert_int_equal(pl_body_create_match(c.context, &mesh, &how, NULL, &c.moved), PL_OK);
  assert_int_equal(pl_body_create_match(c.context, &mesh, &how, NULL, &c.mapped), PL_OK);
  return c;
}

static pl_match_map linear_map(test_rng *rng)
{
  pl_match_map map = {.t = {1, -2, 3}};
  for (int i = 0; i < 9; ++i) map.m[i / 3][i % 3] = (i % 4 == 0) + test_uniform(rng, -0.4, 0.4);
  return map;
}

static void apply(const cloud *c, const pl_match_map *map, double out[POINTS][3])
{
  pl_match_cluster about;
  assert_int_equal(pl_body_match_cluster(c->moved, 0, &about), PL_OK);
  for (int p = 0; p < POINTS; ++p)
    for (int i = 0; i < 3; ++i) {
      out[p][i] = map->t[i];
      for (int k = 0; k < 3; ++k) out[p][i] += map->m[i][k] * (c->rest[p][k] - about.rest_centre[k]);
    }
}

/* Fits of points are regularised a little. */
static void assert_close(const double *x, const double *y, int count, const char *what)
{
  for (int i = 0; i < count; ++i)
    if (!(fabs(x[i] - y[i]) <= 1e-6)) fail_msg("%s: number %d is %.17g instead of %.17g", what, i, x[i], y[i]);
}

static void goals_are_those_of_points(void **state)
{
  (void)state;
  test_rng rng = {.state = 4};
  for (int round = 0; round < 16; ++round) {
    cloud c = open_cloud(&rng, round % 2 ? PL_MATCH_LINEAR : PL_MATCH_RIGID);
    pl_goal_def def = pl_goal_def_default();
    def.stiffness = round % 4 < 2 ? 1 : 0.3;
    def.stretch = round & 4 ? 0.6 : 0;
    def.creep = round & 8 ? 0.5 : 0;
    for (int again = 0; again < 3; ++again) { /* what creeps goes on */
      const pl_match_map fit = linear_map(&rng);
      pl_match_map goal;
      pl_match_state moved, mapped;
      double points[POINTS][3];
      apply(&c, &fit, points);
      assert_int_equal(pl_body_set_goals(c.moved, PL_F64, points, 0, &def), PL_OK);
      assert_int_equal(pl_body_match_goal(c.mapped, 0, &fit, &def, &goal), PL_OK);
      assert_int_equal(pl_body_match_state(c.moved, 0, &moved), PL_OK);
      assert_int_equal(pl_body_match_state(c.mapped, 0, &mapped), PL_OK);
      assert_close(goal.m[0], moved.map.m[0], 27, "the map");
      assert_close(goal.t, moved.map.t, 3, "the place");
      assert_close(mapped.rotation, moved.rotation, 4, "the rotation");
      assert_close(mapped.plastic[0], moved.plastic[0], 9, "the plastic part");
    }
    pl_context_destroy(c.context);
  }
}

static void memory_goes_on(void **state)
{
  (void)state;
  test_rng rng = {.state = 5};
  cloud c = open_cloud(&rng, PL_MATCH_LINEAR);
  pl_goal_def def = pl_goal_def_default();
  pl_match_map fit = linear_map(&rng), goal[2];
  pl_match_state kept;
  def.creep = 0.5;
  assert_int_equal(pl_body_match_goal(c.moved, 0, &fit, &def, &goal[0]), PL_OK);
  assert_int_equal(pl_body_match_state(c.moved, 0, &kept), PL_OK);
  assert_int_equal(pl_body_set_match_memory(c.mapped, 0, kept.rotation, (const double(*)[3])kept.plastic), PL_OK);
  fit = linear_map(&rng);
  assert_int_equal(pl_body_match_goal(c.moved, 0, &fit, &def, &goal[0]), PL_OK);
  assert_int_equal(pl_body_match_goal(c.mapped, 0, &fit, &def, &goal[1]), PL_OK);
  assert_memory_equal(&goal[0], &goal[1], sizeof *goal);

  const double flat[3][3] = {{1}, {0, 1}}, long_one[4] = {2};
  const double(*plastic)[3] = (const double(*)[3])kept.plastic;
  assert_refused(c.context, pl_body_set_match_memory(c.moved, 0, kept.rotation, flat), PL_ERROR_ARGUMENT, "invertible");
  assert_refused(c.context, pl_body_set_match_memory(c.moved, 0, long_one, plastic), PL_ERROR_ARGUMENT, "length 1");
  assert_refused(c.context, pl_body_set_match_memory(c.moved, 0, NULL, plastic), PL_ERROR_ARGUMENT, "rotation is NULL");
  assert_refused(c.context, pl_body_set_match_memory(c.moved, 1, kept.rotation, plastic), PL_ERROR_ARGUMENT,
                 "cluster 1 of 1");
  assert_refused(c.context, pl_body_match_goal(c.moved, 1, &fit, &def, goal), PL_ERROR_ARGUMENT, "cluster 1 of 1");
  assert_refused(c.context, pl_body_match_goal(c.moved, 0, NULL, &def, goal), PL_ERROR_ARGUMENT, "fit is NULL");
  fit.t[1] = NAN;
  assert_int_not_equal(pl_body_match_goal(c.moved, 0, &fit, &def, goal), PL_OK);
  pl_context_destroy(c.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(goals_are_those_of_points), cmocka_unit_test(memory_goes_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
