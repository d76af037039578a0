/* First contacts of scenes with many bodies: only those that come near another one are
 * evaluated; and the waiting for a leaf that another thread opens. */
#include "body/sweep.h"
#include "support/impacts.h"

#include <pthread.h>
#include <sched.h>

enum { SIDE = 15, BODIES = SIDE * SIDE };

static pl_context *context_with(int threads)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static void triangle_at(double x, double y, double z, double out[9])
{
  const double corner[9] = {x, y, z, x + 1, y, z, x, y + 1, z};
  memcpy(out, corner, sizeof corner);
}

static pl_body *triangle_body(pl_context *context, double x, double y, double z)
{
  static const uint32_t corners[] = {0, 1, 2};
  double xyz[9];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  triangle_at(x, y, z, xyz);
  mesh.positions = pl_positions_f64(xyz, 3);
  mesh.triangles = corners;
  mesh.triangle_count = 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

static void move(pl_body *body, double x, double y, double z)
{
  double xyz[9];
  triangle_at(x, y, z, xyz);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(xyz, 3)), PL_OK);
}

static void assert_contacts(pl_scene *scene, double margin, const char *what)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.all = true;
  def.margin = margin;
  assert_int_equal(impacts_reference(pl_all(scene), &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_int_equal(pl_impacts(pl_all(scene), &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, what);
  free(wanted.impacts);
}

/* A grid of bodies, 3 apart, of which the first flies over the second and lands on it. */
static void bodies_that_come_near_nothing_are_not_evaluated(void **state)
{
  (void)state;
  pl_context *context = context_with(1);
  pl_scene *scene;
  pl_body *bodies[BODIES];
  const pl_result *got;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    bodies[i] = triangle_body(context, 3 * (i % SIDE), 3 * (i / SIDE), 0);
    assert_int_equal(pl_scene_add(scene, bodies[i], NULL), PL_OK);
  }
  assert_int_equal(pl_impacts(pl_all(scene), NULL, &got), PL_OK);
  assert_int_equal(got->count, 0);
  assert_true(got->counters.n_v == 0); /* no pair of bodies */
  move(bodies[0], 0, 0, 1);
  move(bodies[0], 4.5, 0, -1); /* from above its place through the second body */
  assert_int_equal(pl_impacts(pl_all(scene), NULL, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(got->impacts[0].b == bodies[1] && got->counters.n_v < 200);
  for (int i = 2; i < BODIES; ++i) assert_true(!bodies[i]->sweep);
  assert_contacts(scene, 0, "one body flies");
  assert_contacts(scene, 2.01, "the others are near");
  assert_contacts(scene, 1.99, "the others are not near");
  pl_context_destroy(context);
}

/* Kept poses far away: the way counts, not the present place. */
static void the_whole_way_is_near(void **state)
{
  (void)state;
  pl_context *context = context_with(2);
  pl_scene *scene;
  pl_body *bodies[3] = {triangle_body(context, -9, 0, 0.5), triangle_body(context, 0, 0, 0),
                        triangle_body(context, 9, 0.25, 0)};
  const pl_result *got;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < 3; ++i) assert_int_equal(pl_scene_add(scene, bodies[i], NULL), PL_OK);
  move(bodies[0], 9, 0, -0.5);
  assert_int_equal(pl_impacts(pl_all(scene), NULL, &got), PL_OK);
  assert_true(got->count == 1 && got->impacts[0].a == bodies[0] && got->impacts[0].b == bodies[1]);
  assert_contacts(scene, 0, "through the one in between");
  assert_int_equal(pl_body_drop_pose(bodies[0]), PL_OK);
  assert_contacts(scene, 0, "at rest");
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------------------- waiting -- */

static _Atomic int yields;
static _Atomic(_Atomic uint32_t *) busy; /* the stamp of a leaf that someone opens */
static uint32_t frame;

int sched_yield(void)
{
  _Atomic uint32_t *leaf = atomic_load(&busy);
  atomic_fetch_add(&yields, 1);
  if (leaf) atomic_store(leaf, frame); /* the other one is done */
  return 0;
}

/* Ends the waiting of a thread that does not yield. */
static void *open_late(void *data)
{
  (void)data;
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  atomic_store(atomic_load(&busy), frame);
  return NULL;
}

static void waiting_for_a_leaf_yields(void **state)
{
  (void)state;
  pl_context *context = context_with(1);
  pl_body *body = triangle_body(context, 0, 0, 0);
  uint64_t made = 0;
  pthread_t other;
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(sweep_update(body, &made), PL_OK);
  frame = body->sweep->frame;
  atomic_store(&body->sweep->boxes.opened[0], STAMP_BUSY);
  atomic_store(&busy, &body->sweep->boxes.opened[0]);
  assert_int_equal(pthread_create(&other, NULL, open_late, NULL), 0);
  sweep_open(body, &body->sweep->boxes, 0, true);
  assert_int_equal(pthread_join(other, NULL), 0);
  assert_true(atomic_load(&yields) > 0);
  atomic_store(&busy, NULL);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_that_come_near_nothing_are_not_evaluated),
      cmocka_unit_test(the_whole_way_is_near),
      cmocka_unit_test(waiting_for_a_leaf_yields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
