/* Kinetic trees: at random moments every volume equals the box of the positions below it, over
 * every setting, both kinds of paths and coordinates of every kind. Many events at one time are
 * one pass. */
#include "motion/flight.h"
#include "update/kinetic.h"

#include "support/plans.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void volumes_equal_refitted_ones(void **state)
{
  (void)state;
  test_rng rng = {1};
  static const int leaves[] = {1, 2, 5, 8};
  for (int turn = 0; turn < 2 * MOTIONS * 2; ++turn) {
    int how = turn / 2 % MOTIONS;
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    const bool slow = how == TINY && path == PL_PATH_QUADRATIC; /* denormals: all in integers */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, slow ? 1 : 1 + turn % 3, how, turn % 3 == 1);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, leaves[turn % 4], false);
    def.builder = (pl_builder)(turn % PL_BUILDER_COUNT);
    pl_body *body = plan_body(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_BOTTOM_UP;
    pl_body *stored = plan_body(context, &p, path, 4, &def);
    assert_int_equal(pl_body_strategy(body), PL_STRATEGY_KINETIC);
    assert_tight(body, "at the start");
    for (int i = 0; i < (slow ? 3 : 14); ++i) {
      double time = plan_time(&rng, body, i % 7 < 6);
      assert_int_equal(pl_body_set_time(body, time), PL_OK);
      assert_int_equal(pl_body_set_time(stored, time), PL_OK);
      if (test_below(&rng, 4) == 0) continue; /* times that nobody asks about */
      assert_same_positions(body, stored);
      assert_tight(body, "at a random moment");
      assert_tight(stored, "refitted");
      assert_int_equal(pl_body_validate(body), PL_OK);
    }
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* Event by event: the structure is right at each of them, and time only moves on. */
static void every_event_leaves_it_right(void **state)
{
  (void)state;
  test_rng rng = {2};
  for (int how = 0; how < 2 * MOTIONS; ++how) {
    if (how == 2 * TINY + 1) continue; /* quadratic denormals: all in integers */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1, how / 2, false);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 4, 2, false);
    pl_body *body = plan_body(context, &p, how % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 2, &def);
    flight *f = body->motion.controls;
    uint64_t made = 0;
    assert_int_equal(body_update(body, &made), PL_OK);
    kinetic *k = body->update->state;
    double before = 0;
    int moments = 0;
    for (; kinetic_next(k) <= 1; ++moments) {
      assert_true(kinetic_next(k) > before);
      before = kinetic_next(k);
      f->s = before;
      kinetic_go(k, before);
      if (moments % 64 == 0) {
        body_moved(body);
        assert_tight(body, "after an event");
      }
      assert_true(moments < 60000);
    }
    f->s = 1;
    kinetic_go(k, 1);
    body_moved(body);
    assert_tight(body, "at the end");
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* A flat sheet that is mirrored: all its certificates fail at the same moment. */
static void simultaneous_events_are_one_pass(void **state)
{
  (void)state;
  enum { SIDE = 144 };
  size_t n = (SIDE + 1) * (SIDE + 1), count = 0;
  plan p = {.vertex_count = n, .triangle_count = 2 * SIDE * SIDE};
  p.triangles = malloc(6 * SIDE * SIDE * sizeof *p.triangles);
  for (int i = 0; i < MOST_POSES; ++i) p.pose[i] = malloc(3 * n * sizeof(double));
  for (uint32_t y = 0; y <= SIDE; ++y)
    for (uint32_t x = 0; x <= SIDE; ++x) {
      uint32_t v = y * (SIDE + 1) + x;
      const double at[3] = {x - SIDE / 2.0, y - SIDE / 2.0, 0};
      for (int i = 0; i < MOST_POSES; ++i)
        for (int k = 0; k < 3; ++k) p.pose[i][3 * v + (uint32_t)k] = i % 2 ? -at[k] : at[k];
      if (x == SIDE || y == SIDE) continue;
      const uint32_t corner[6] = {v, v + 1, v + SIDE + 2, v, v + SIDE + 2, v + SIDE + 1};
      memcpy(p.triangles + count, corner, sizeof corner);
      count += 6;
    }
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2, 1, false);
  /* from -1 to 0.5; all meet at -0.25 */
  pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 2, &def);
  pl_body_info info;
  assert_tight(body, "before");
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  assert_true(info.certificates >= 100000);
  const double times[] = {nextafter(-0.25, -1), -0.25, nextafter(-0.25, 1), 0, 0.5};
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(pl_body_set_time(body, times[i]), PL_OK);
    assert_tight(body, "around the moment");
  }
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  assert_true(info.events >= 100000 && info.updates >= 100000 && info.starts == 1);
  assert_int_equal(info.certificates, 0);
  pl_context_destroy(context);
  plan_free(&p);
}

/* A sheet that moves as one: equal paths up to a shift have no certificates at all. */
static void rigid_motion_has_no_events(void **state)
{
  (void)state;
  test_rng rng = {6};
  plan p = plan_of(&rng, 4, NOISE, false);
  for (size_t c = 0; c < 3 * p.vertex_count; ++c) {
    p.pose[0][c] = rint(p.pose[0][c] * 1024) / 1024; /* so that the shift is exact */
    p.pose[1][c] = p.pose[0][c] + 5;
  }
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 8, false);
  pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 2, &def);
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(pl_body_set_time(body, -1 + 0.3 * i), PL_OK);
    assert_tight(body, "on the way");
  }
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  assert_int_equal(info.events, 0);
  assert_int_equal(info.certificates, 0);
  pl_context_destroy(context);
  plan_free(&p);
}

/* Queries on kinetic bodies report what the reference does, with every volume, on threads and
 * without. */
static void queries_agree_with_the_reference(void **state)
{
  (void)state;
  test_rng rng = {7};
  size_t found = 0;
  for (int turn = 0; turn < 2 * PL_VOLUME_COUNT; ++turn) {
    pl_context_def c = pl_context_def_default();
    c.threads = 1 + turn % 3;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    plan p = plan_of(&rng, 3, turn % 3, false), q = plan_of(&rng, 3, (turn + 1) % 3, true);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, 1 + turn % 8, false);
    def.volume = (pl_volume)(turn % PL_VOLUME_COUNT);
    def.lazy_levels = 1 + turn % 3;
    pl_body *a = plan_body(context, &p, PL_PATH_LINEAR, 4, &def),
            *b = plan_body(context, &q, PL_PATH_QUADRATIC, 4, &def);
    for (int i = 0; i < 4; ++i) {
      assert_int_equal(pl_body_set_time(a, plan_time(&rng, a, true)), PL_OK);
      assert_int_equal(pl_body_set_time(b, plan_time(&rng, b, true)), PL_OK);
      found += assert_like_reference(a, b, "kinetic bodies");
      assert_int_equal(pl_body_validate(a), PL_OK);
    }
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
  assert_true(found > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes_equal_refitted_ones),      cmocka_unit_test(every_event_leaves_it_right),
      cmocka_unit_test(simultaneous_events_are_one_pass), cmocka_unit_test(rigid_motion_has_no_events),
      cmocka_unit_test(queries_agree_with_the_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
