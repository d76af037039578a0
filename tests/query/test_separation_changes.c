/* Separation lists that begin in the middle of a segment, and plans and triangles that change
 * there: contact by contact as all pairs of features, one after the other, with the known ones
 * left out. */
#include "body/body.h"
#include "exact/crossing.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"

#include "support/separation_model.h"
#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 9, TRIANGLES = 8, KEYS = 3, SEGMENTS = KEYS - 1 };

/* A body, and where its vertices go: coefficients of each segment. */
typedef struct mover {
  pl_body *body;
  uint32_t pool[TRIANGLES][3]; /* different ones: its triangles are some of them */
  uint32_t triangles[TRIANGLES][3];
  size_t count;
  double path[SEGMENTS][VERTICES][3][2];
} mover;

/* Two bodies, or one twice, and the way of a list. */
typedef struct journey {
  model model;
  mover *side[2];
  const double *times;
  double time;
  int segment;
  double from, to; /* parameters of the model's interval */
  /* contacts of features whose plans met in the segment before the list knew them */
  size_t after_another;
} journey;

/* ------------------------------------------------------------------------------------- model -- */

static double parameter_of(const journey *j, double time)
{
  const double *t = j->times + j->segment;
  return time < t[1] ? path_parameter((time - t[0]) / (t[1] - t[0])) : 1;
}

static bool touch(void *user, bool edges, const uint32_t vertex[4], int first, double *time)
{
  journey *j = user;
  double start[4][3], end[4][3], earlier;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *path = j->side[i < (edges ? 2 : 1) ? first : !first]->path[j->segment][vertex[i]][k];
      start[i][k] = path[0];
      end[i][k] = path[1];
    }
  const crossing_kind kind = edges ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  const double(*x)[3] = (const double(*)[3])start, (*y)[3] = (const double(*)[3])end;
  if (!crossing_since(kind, x, y, j->from, time) || *time > j->to) return false;
  j->after_another += crossing_first(kind, x, y, 1, &earlier) && earlier < j->from;
  *time += j->segment; /* right if segments are units */
  return true;
}

static void follow_triangles(journey *j)
{
  for (int i = 0; i < 2; ++i) j->model.side[i] = (model_side){VERTICES, j->side[i]->count, j->side[i]->triangles[0]};
}

static void enter(journey *j)
{
  ++j->segment;
  j->model.known_count = 0;
}

static void model_go(journey *j, double time)
{
  for (;;) {
    const double end = j->times[j->segment + 1], to = time < end ? time : end;
    j->from = parameter_of(j, j->time);
    j->to = parameter_of(j, to);
    model_interval(&j->model);
    j->time = to;
    if (to == time) return;
    enter(j);
  }
}

/* At a key, a change belongs to the segment after it. */
static void enter_at_key(journey *j)
{
  if (j->segment + 1 < SEGMENTS && j->time >= j->times[j->segment + 1]) enter(j);
}

/* ------------------------------------------------------------------------------------ bodies -- */

static double coordinate(test_rng *rng, bool snapped)
{
  return snapped ? test_below(rng, 9) - 4 : test_uniform(rng, -1, 1);
}

static void make_pool(test_rng *rng, mover *b)
{
  for (size_t i = 0; i < TRIANGLES;) {
    uint32_t *t = b->pool[i];
    for (int k = 0; k < 3; ++k) t[k] = (uint32_t)test_below(rng, VERTICES);
    bool fresh = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    for (size_t j = 0; j < i; ++j) {
      int same = 0;
      for (int k = 0; k < 9; ++k) same += t[k / 3] == b->pool[j][k % 3];
      fresh = fresh && same < 3;
    }
    i += fresh;
  }
}

/* Some of the pool, in any order, from any corner on. */
static void choose_triangles(test_rng *rng, mover *b)
{
  const size_t first = (size_t)test_below(rng, TRIANGLES);
  b->count = 1 + (size_t)test_below(rng, TRIANGLES);
  for (size_t i = 0; i < b->count; ++i)
    for (size_t k = 0, turn = (size_t)test_below(rng, 3); k < 3; ++k)
      b->triangles[i][k] = b->pool[(first + 3 * i) % TRIANGLES][(k + turn) % 3];
}

static void make_mover(test_rng *rng, pl_context *context, const double *times, bool snapped, mover *b)
{
  double pose[KEYS][VERTICES][3];
  pl_positions poses[KEYS];
  for (int i = 0; i < KEYS * VERTICES * 3; ++i)
    pose[i / (3 * VERTICES)][i / 3 % VERTICES][i % 3] = coordinate(rng, snapped);
  for (int i = 0; i < KEYS; ++i) poses[i] = pl_positions_f64(pose[i][0], VERTICES);
  for (int s = 0; s < SEGMENTS; ++s)
    for (int i = 0; i < 3 * VERTICES * 2; ++i) b->path[s][i / 6][i / 2 % 3][i % 2] = pose[s + i % 2][i / 6][i / 2 % 3];
  make_pool(rng, b);
  choose_triangles(rng, b);
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.key_count = plans.pose_count = KEYS;
  plans.poses = poses;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = b->triangles[0];
  mesh.triangle_count = b->count;
  const pl_body_def def = body_def_of(test_below(rng, 2) ? PL_STRATEGY_KINETIC : PL_STRATEGY_AUTO,
                                      2 << test_below(rng, 3), 1 + test_below(rng, 3), false);
  assert_int_equal(pl_body_create_flight(context, &mesh, &plans, &def, &b->body), PL_OK);
}

/* New plans for some vertices, at the model's time. */
static void change_plans(test_rng *rng, journey *j, int side, bool snapped)
{
  uint32_t vertices[VERTICES];
  double target[SEGMENTS][VERTICES][3];
  pl_positions poses[SEGMENTS];
  size_t count = 0;
  mover *b = j->side[side];
  enter_at_key(j);
  const size_t left = (size_t)(SEGMENTS - j->segment);
  for (uint32_t v = 0; v < VERTICES; ++v)
    if (test_below(rng, 3) == 0) vertices[count++] = v;
  for (size_t p = 0; p < left; ++p) {
    for (size_t i = 0; i < 3 * count; ++i) target[p][i / 3][i % 3] = coordinate(rng, snapped);
    poses[p] = pl_positions_f64(target[p][0], count);
  }
  assert_int_equal(pl_body_change_plans(b->body, vertices, count, poses, left), PL_OK);
  const flight *f = b->body->motion.controls;
  for (size_t i = 0; i < count; ++i) {
    model_forget(&j->model, side, vertices[i]);
    for (int k = 0; k < 3; ++k) {
      memcpy(b->path[j->segment][vertices[i]][k], flight_path(f, vertices[i], k), 2 * sizeof(double));
      for (size_t p = 1; p < left; ++p) {
        b->path[(size_t)j->segment + p][vertices[i]][k][0] = target[p - 1][i][k];
        b->path[(size_t)j->segment + p][vertices[i]][k][1] = target[p][i][k];
      }
    }
  }
}

/* ------------------------------------------------------------------------------------ rounds -- */

/* The times of segments from 0 to 1 are compared to the bit. */
static void assert_found(journey *j, pl_separation *list, double time)
{
  const pl_result *got;
  const bool timed = j->times[0] == 0 && j->times[1] == 1 && time <= 1;
  assert_int_equal(pl_separation_advance(list, time, &got), PL_OK);
  assert_int_equal(got->count, j->model.found_count);
  assert_true(model_agrees(&j->model, got, timed));
}

/* A list that begins somewhere, and what happens to its bodies while it goes on. */
static void go_with_changes(test_rng *rng, journey *j, mover movers[2], bool snapped)
{
  const double first = j->times[0], last = j->times[KEYS - 1], part = (last - first) / 16 * (snapped ? 1 : 0.9);
  pl_separation *list = NULL;
  j->time = first + part * test_below(rng, 10);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_time(movers[i].body, j->time), PL_OK);
  assert_int_equal(pl_separation_create(j->side[0]->body, j->side[1]->body, false, &list), PL_OK);
  enter_at_key(j);
  for (double time = j->time; time < last; time += part * test_below(rng, 4)) {
    const int side = test_below(rng, 2), what = test_below(rng, 4);
    mover *b = j->side[side];
    for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_time(movers[i].body, time), PL_OK);
    model_go(j, time);
    if (what == 0) change_plans(rng, j, side, snapped);
    if (what == 1) {
      enter_at_key(j);
      choose_triangles(rng, b);
      follow_triangles(j);
      assert_int_equal(pl_body_set_triangles(b->body, b->triangles[0], b->count), PL_OK);
    }
    /* ahead of its list */
    if (test_below(rng, 4) == 0) assert_int_equal(pl_body_set_time(b->body, last), PL_OK);
    if (what < 2) model_go(j, time);
    if (what != 2) assert_found(j, list, time);
  }
  model_go(j, last);
  assert_found(j, list, last);
}

static size_t run(test_rng *rng, bool self, bool snapped, const double times[KEYS])
{
  static mover movers[2];
  static journey j;
  pl_context *context = context_of(NULL);
  j = (journey){.side = {&movers[0], &movers[!self]}, .times = times};
  j.model.self = self;
  j.model.touch = touch;
  j.model.user = &j;
  for (int i = 0; i < 2; ++i) make_mover(rng, context, times, snapped, &movers[i]);
  follow_triangles(&j);
  go_with_changes(rng, &j, movers, snapped);
  pl_context_destroy(context);
  return j.after_another;
}

static const double units[KEYS] = {0, 1, 2}, others[KEYS] = {-3, 0.5, 11};

static void contacts_after_the_plans_met_before(void **state)
{
  (void)state;
  test_rng rng = {21};
  size_t again = 0;
  for (int turn = 0; turn < 120; ++turn) again += run(&rng, turn % 3 == 2, turn & 1, turn % 4 < 2 ? units : others);
  assert_true(again > 100);
}

/* ----------------------------------------------------------------------------- one at a time -- */

/* Edge 0 1 of a is at x = 0 where z = (t - 1/4) (t - 3/4) / (1 + t): it meets the edge of b
 * twice. Vertices 3 to 5 are far away. */
static const double twice[2][6][3] = {
    {{-1, 0, 0}, {1, 0, .375}, {.5, 0, -100}, {500, 500, 500}, {501, 500, 500}, {500, 501, 500}},
    {{-1, 0, 1}, {3, 0, -2.625}, {.5, 0, -100}, {500, 500, 500}, {501, 500, 500}, {500, 501, 500}}};
static const double still[3][3] = {{0, -1, 0}, {0, 1, 0}, {0, 0, 50}};
static const uint32_t far_one[] = {3, 4, 5}, both_of_them[] = {3, 4, 5, 0, 1, 2}, only[] = {0, 1, 2};

static pl_body *body_of(pl_context *context, const double *from, const double *to, size_t n, const uint32_t *triangles,
                        size_t count)
{
  const double times[2] = {0, 1};
  const pl_positions poses[2] = {pl_positions_f64(from, n), pl_positions_f64(to, n)};
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.key_count = plans.pose_count = 2;
  plans.poses = poses;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = triangles;
  mesh.triangle_count = count;
  pl_body *body;
  assert_int_equal(pl_body_create_flight(context, &mesh, &plans, NULL, &body), PL_OK);
  return body;
}

static void assert_one_at(pl_separation *list, double until, double time)
{
  const pl_result *got;
  assert_int_equal(pl_separation_advance(list, until, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(got->impacts[0].time == time && got->impacts[0].kind == PL_FEATURE_EDGE_EDGE);
}

static void assert_none(pl_separation *list, double until)
{
  const pl_result *got;
  assert_int_equal(pl_separation_advance(list, until, &got), PL_OK);
  assert_int_equal(got->count, 0);
}

static void list_created_midway_reports_the_second_contact(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = body_of(context, twice[0][0], twice[1][0], 6, both_of_them, 2),
          *b = body_of(context, still[0], still[0], 3, only, 1);
  pl_separation *whole, *half;
  assert_int_equal(pl_separation_create(a, b, false, &whole), PL_OK);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  assert_int_equal(pl_body_set_time(b, 0.5), PL_OK);
  assert_int_equal(pl_separation_create(a, b, false, &half), PL_OK);
  assert_one_at(whole, 1, 0.25); /* once per segment */
  assert_one_at(half, 1, 0.75);
  pl_context_destroy(context);
}

static void inserted_triangle_reports_its_first_contact(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = body_of(context, twice[0][0], twice[1][0], 6, far_one, 1),
          *b = body_of(context, still[0], still[0], 3, only, 1);
  pl_separation *list;
  assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
  assert_none(list, 0.5);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  assert_int_equal(pl_body_set_triangles(a, both_of_them, 2), PL_OK);
  assert_one_at(list, 1, 0.75);
  pl_context_destroy(context);
}

/* Triangles come and go elsewhere: a contact that was reported is not reported again. */
static void other_triangles_repeat_no_contact(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = body_of(context, twice[0][0], twice[1][0], 6, both_of_them + 3, 1),
          *b = body_of(context, still[0], still[0], 3, only, 1);
  pl_separation *list;
  assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
  assert_one_at(list, 0.5, 0.25);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  assert_int_equal(pl_body_set_triangles(a, both_of_them, 2), PL_OK);
  assert_none(list, 1);
  pl_context_destroy(context);
}

static void assert_one_near(pl_separation *list, double until, double time)
{
  const pl_result *got;
  assert_int_equal(pl_separation_advance(list, until, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(fabs(got->impacts[0].time - time) < 1e-8);
}

/* A key is added to one body, and its first one dropped, which the list has not left: it goes on
 * in the next segment of both. */
static void keys_dropped_on_one_side(void **state)
{
  (void)state;
  static const double high[3][3] = {{0, -1, 1000}, {0, 1, 1000}, {0, 0, 1050}};
  pl_context *context = context_of(NULL);
  pl_body *a = body_of(context, twice[0][0], twice[0][0], 6, both_of_them, 2),
          *b = body_of(context, high[0], still[0], 3, only, 1);
  pl_separation *list;
  const pl_positions start = pl_positions_f64(twice[0][0], 6), end = pl_positions_f64(twice[1][0], 6),
                     rest = pl_positions_f64(still[0], 3), above = pl_positions_f64(high[0], 3);
  assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
  assert_int_equal(pl_body_add_key(a, 2, &end, 1), PL_OK);
  assert_int_equal(pl_body_add_key(b, 2, &rest, 1), PL_OK);
  assert_int_equal(pl_body_add_key(b, 3, &above, 1), PL_OK);
  assert_int_equal(pl_body_set_time(a, 1.5), PL_OK);
  assert_int_equal(pl_body_add_key(a, 3, &start, 1), PL_OK); /* the key at 0 is dropped */
  assert_one_near(list, 1, 1 - 0.0001875);
  assert_one_near(list, 2, 1.25);
  /* on its way up b passes the edge of a, which is above it again */
  assert_one_near(list, 3, 2 + 0.1875 / 2001);
  pl_context_destroy(context);
}

static void every_failure_of_create_has_a_message(void **state)
{
  (void)state;
  for (long until = 0, done = 0; !done; ++until) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.threads = 1;
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    pl_separation *list;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *a = body_of(context, twice[0][0], twice[1][0], 6, both_of_them, 2),
            *b = body_of(context, still[0], still[0], 3, only, 1);
    memory.until = until;
    const pl_status status = pl_separation_create(a, b, false, &list);
    memory.until = -1;
    done = status == PL_OK;
    if (!done) assert_refused(context, status, PL_ERROR_MEMORY, "no memory");
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_after_the_plans_met_before),
      cmocka_unit_test(list_created_midway_reports_the_second_contact),
      cmocka_unit_test(inserted_triangle_reports_its_first_contact),
      cmocka_unit_test(other_triangles_repeat_no_contact),
      cmocka_unit_test(keys_dropped_on_one_side),
      cmocka_unit_test(every_failure_of_create_has_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
