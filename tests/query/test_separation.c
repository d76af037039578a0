/* Kinetic separation lists against brute force: all contacts, between two bodies and within one,
 * in the same order and at the same times, however often one asks; over several segments, after
 * changes of plans and triangles, on coordinates that meet at once. */
#include "body/body.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"
#include "query/time/separation.h"

#include "support/moving.h"
#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 3 };

typedef struct plan {
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  double *pose[KEYS];
} plan;

enum { NOISE, APPROACH, GRID, FAST, REST, MOTIONS };

/* A bumpy sphere that comes from one side. */
static plan plan_of(test_rng *rng, int size, int how, int side)
{
  world w;
  world_create(WORLD_SPHERES, size, &w);
  w.pose(&w, 0);
  plan p = {.vertex_count = w.mesh[0].vertex_count, .triangle_count = w.mesh[0].triangle_count};
  p.triangles = malloc(3 * p.triangle_count * sizeof *p.triangles);
  memcpy(p.triangles, w.mesh[0].triangles, 3 * p.triangle_count * sizeof *p.triangles);
  for (int i = 0; i < KEYS; ++i) {
    p.pose[i] = malloc(3 * p.vertex_count * sizeof(double));
    double angle = how == FAST ? 1.5 * i * side : 0.2 * i, noise = how == NOISE ? 0.2 : 0.02;
    for (size_t v = 0; v < p.vertex_count; ++v) {
      const double *rest = w.mesh[0].xyz + 3 * v;
      double *out = p.pose[i] + 3 * v;
      out[0] = cos(angle) * rest[0] - sin(angle) * rest[1] + side * (1.15 - 0.25 * i);
      out[1] = sin(angle) * rest[0] + cos(angle) * rest[1];
      out[2] = rest[2];
      for (int k = 0; k < 3; ++k) {
        out[k] += test_uniform(rng, -noise, noise);
        if (how == GRID) out[k] = rint(out[k] * 8) / 8;
        if (how == REST && i) out[k] = side > 0 ? p.pose[0][3 * v + (size_t)k] : out[k];
      }
    }
  }
  world_free(&w);
  return p;
}

static void plan_free(plan *p)
{
  free(p->triangles);
  for (int i = 0; i < KEYS; ++i) free(p->pose[i]);
}

static pl_body *flight_of(pl_context *context, const plan *p, const double *times, const pl_body_def *def)
{
  pl_positions poses[KEYS];
  for (int i = 0; i < KEYS; ++i) poses[i] = pl_positions_f64(p->pose[i], p->vertex_count);
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.key_count = plans.pose_count = KEYS;
  plans.poses = poses;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_body *body;
  if (pl_body_create_flight(context, &mesh, &plans, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* A free body on its way from one pose to another. */
static pl_body *mover(pl_context *context, const plan *p, const double *from, const double *to)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(from, p->vertex_count);
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(to, p->vertex_count)), PL_OK);
  return body;
}

typedef struct contacts {
  pl_impact *list;
  size_t count;
} contacts;

static void append(contacts *c, const pl_impact *list, size_t count)
{
  c->list = realloc(c->list, (c->count + count + 1) * sizeof *c->list);
  if (count) memcpy(c->list + c->count, list, count * sizeof *list);
  c->count += count;
}

/* All contacts of a step by brute force; b may be NULL: within a. */
static contacts by_force(pl_context *context, const plan *a, const double *a_from, const double *a_to, const plan *b,
                         const double *b_from, const double *b_to)
{
  pl_body *x = mover(context, a, a_from, a_to), *y = b ? mover(context, b, b_from, b_to) : x;
  pl_question def = pl_question_default();
  def.all = true;
  const pl_result *all;
  assert_int_equal(impacts_reference(pl_two(x, y), &def, &all), PL_OK);
  contacts c = {0};
  append(&c, all->impacts, all->count);
  if (b) pl_body_destroy(y);
  pl_body_destroy(x);
  return c;
}

static void assert_features(const pl_impact *got, const pl_impact *want, size_t i)
{
  if (got->kind != want->kind || memcmp(got->feature_a, want->feature_a, sizeof got->feature_a) ||
      memcmp(got->feature_b, want->feature_b, sizeof got->feature_b))
    fail_msg("contact %zu: kind %d of %u %u and %u %u at %a, not kind %d of %u %u and %u %u at %a", i, got->kind,
             got->feature_a[0], got->feature_a[1], got->feature_b[0], got->feature_b[1], got->time, want->kind,
             want->feature_a[0], want->feature_a[1], want->feature_b[0], want->feature_b[1], want->time);
}

/* The list until `end`, in some steps. */
static contacts by_list(test_rng *rng, pl_separation *list, double end, int steps)
{
  contacts c = {0};
  pl_kinetic_info info;
  const pl_result *touches;
  for (int i = 0; i < steps; ++i) {
    assert_int_equal(pl_separation_get_info(list, &info), PL_OK);
    double from = info.time, to = i + 1 == steps ? end : from + (end - from) * test_uniform(rng, 0, 0.7);
    assert_int_equal(pl_separation_advance(list, to, &touches), PL_OK);
    assert_true((i ? touches->from == from : touches->from <= from) && touches->to == to);
    from = touches->from; /* a change of plans may have moved the list on */
    size_t edges = 0;
    for (size_t k = 0; k < touches->count; ++k) {
      const pl_impact *t = &touches->impacts[k];
      assert_true(t->time >= from - 1e-12 && t->time <= to);
      if (c.count + k && k) assert_true(t->time >= t[-1].time);
      edges += t->kind == PL_FEATURE_EDGE_EDGE;
    }
    assert_int_equal(touches->edge_edge, edges);
    assert_int_equal(touches->vertex_face + touches->edge_edge, touches->count);
    append(&c, touches->impacts, touches->count);
  }
  return c;
}

static const double units[KEYS] = {0, 1, 2};

/* Contacts of the first segment, which goes from 0 to 1: the same bits of time. */
static size_t compare_first(test_rng *rng, int how, bool self, int size, int arity, int leaf, int steps)
{
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(steps % 2 ? PL_STRATEGY_KINETIC : PL_STRATEGY_AUTO, arity, leaf, false);
  plan p = plan_of(rng, size, how, -1), q = plan_of(rng, size, how, 1);
  pl_body *a = flight_of(context, &p, units, &def), *b = self ? a : flight_of(context, &q, units, &def);
  contacts want = by_force(context, &p, p.pose[0], p.pose[1], self ? NULL : &q, q.pose[0], q.pose[1]);
  pl_separation *list;
  assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
  contacts got = by_list(rng, list, 1, steps);
  for (size_t i = 0; i < want.count && i < got.count; ++i) {
    assert_features(&got.list[i], &want.list[i], i);
    assert_true(got.list[i].time == want.list[i].time);
    double along = 0;
    for (int k = 0; k < 3; ++k) along += got.list[i].normal[k] * want.list[i].normal[k];
    if (how != GRID && along != 0) assert_true(along > 1 - 1e-6);
    assert_true(got.list[i].a == a && got.list[i].b == b);
  }
  assert_int_equal(got.count, want.count);
  size_t count = want.count;
  free(want.list);
  free(got.list);
  pl_context_destroy(context);
  plan_free(&p);
  plan_free(&q);
  return count;
}

static void contacts_of_two_bodies(void **state)
{
  (void)state;
  test_rng rng = {1};
  size_t found = 0;
  for (int turn = 0; turn < 6 * MOTIONS; ++turn)
    found += compare_first(&rng, turn % MOTIONS, false, 1 + turn % 3, 2 << turn % 3, 1 + turn % 8, 1 + turn % 4 * 3);
  assert_true(found > 2000);
}

static void contacts_within_a_body(void **state)
{
  (void)state;
  test_rng rng = {2};
  size_t found = 0;
  for (int turn = 0; turn < 4 * MOTIONS; ++turn)
    found += compare_first(&rng, turn % MOTIONS, true, 1 + turn % 2, 2 << turn % 3, 1 + turn % 8, 1 + turn % 3 * 4);
  assert_true(found > 500);
}

/* Coordinates snapped to a coarse grid: all at once, again and again; it ends, and nothing is
 * lost. */
static void everything_at_once(void **state)
{
  (void)state;
  test_rng rng = {3};
  size_t found = 0;
  for (int turn = 0; turn < 3; ++turn) found += compare_first(&rng, GRID, turn == 2, 3, 2 << turn, 1 + turn, 2);
  assert_true(found > 500);
}

/* Both segments, with times that are no parameters: the same contacts, never late. */
static void contacts_of_several_segments(void **state)
{
  (void)state;
  test_rng rng = {4};
  const double times[KEYS] = {-3.7, 0.1, 19.3};
  for (int turn = 0; turn < 4; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 2, -1), q = plan_of(&rng, 2, turn % 2, 1);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 4, 4, false);
    pl_body *a = flight_of(context, &p, times, &def), *b = flight_of(context, &q, times, &def);
    pl_separation *list;
    assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
    contacts got = by_list(&rng, list, times[2], 1 + 5 * (turn / 2));
    size_t at = 0;
    for (int s = 0; s < 2; ++s) {
      contacts want = by_force(context, &p, p.pose[s], p.pose[s + 1], &q, q.pose[s], q.pose[s + 1]);
      for (size_t i = 0; i < want.count; ++i, ++at) {
        assert_true(at < got.count);
        assert_features(&got.list[at], &want.list[i], i);
        double exact = times[s] + want.list[i].time * (times[s + 1] - times[s]);
        assert_true(got.list[at].time <= exact && got.list[at].time >= exact - 1e-13);
      }
      free(want.list);
    }
    assert_int_equal(at, got.count);
    free(got.list);
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
}

static double *positions_of(pl_body *body)
{
  double *xyz = malloc(3 * pl_body_vertex_count(body) * sizeof *xyz);
  assert_int_equal(pl_body_positions(body, NULL, pl_body_vertex_count(body), PL_F64, xyz, 0), PL_OK);
  return xyz;
}

static int by_features(const void *x, const void *y)
{
  const pl_impact *a = x, *b = y;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  int order = memcmp(a->feature_a, b->feature_a, sizeof a->feature_a);
  return order ? order : memcmp(a->feature_b, b->feature_b, sizeof a->feature_b);
}

/* New plans in the middle: before, the contacts of the old ones; afterwards those of a step from
 * where the bodies are. */
static void plans_change_on_the_way(void **state)
{
  (void)state;
  test_rng rng = {5};
  size_t found = 0;
  for (int turn = 0; turn < 8; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 2, -1), q = plan_of(&rng, 2, turn % 2, 1);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, 1 + turn % 4, false);
    pl_body *a = flight_of(context, &p, units, &def), *b = flight_of(context, &q, units, &def);
    pl_separation *list;
    assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
    const double time = 0.3 + 0.05 * turn;
    contacts before = by_force(context, &p, p.pose[0], p.pose[1], &q, q.pose[0], q.pose[1]);
    assert_int_equal(pl_body_set_time(a, time), PL_OK);
    assert_int_equal(pl_body_set_time(b, time), PL_OK);
    double *here_a = positions_of(a), *here_b = positions_of(b);
    uint32_t *all = malloc(p.vertex_count * sizeof *all);
    for (uint32_t v = 0; v < p.vertex_count; ++v) all[v] = v;
    for (size_t c = 0; c < 3 * p.vertex_count; ++c) p.pose[1][c] += test_uniform(&rng, -0.1, 0.1);
    pl_positions poses[2] = {pl_positions_f64(p.pose[1], p.vertex_count), pl_positions_f64(p.pose[2], p.vertex_count)};
    assert_int_equal(pl_body_change_plans(a, all, p.vertex_count, poses, 2), PL_OK);
    contacts got = by_list(&rng, list, 1, 3), after = by_force(context, &p, here_a, p.pose[1], &q, here_b, q.pose[1]);
    size_t early = 0;
    for (; early < before.count && before.list[early].time <= time; ++early) {
      assert_features(&got.list[early], &before.list[early], early);
      assert_true(got.list[early].time == before.list[early].time);
    }
    found += got.count - early;
    assert_int_equal(got.count - early, after.count);
    qsort(got.list + early, got.count - early, sizeof *got.list, by_features);
    qsort(after.list, after.count, sizeof *after.list, by_features);
    for (size_t i = 0; i < after.count; ++i) {
      assert_features(&got.list[early + i], &after.list[i], i);
      assert_true(fabs(got.list[early + i].time - (time + after.list[i].time * (1 - time))) < 1e-9);
    }
    free(before.list);
    free(after.list);
    free(got.list);
    free(here_a);
    free(here_b);
    free(all);
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
  assert_true(found > 200);
}

/* Half of the triangles go: contacts from then on are those of the others. */
static void triangles_go_on_the_way(void **state)
{
  (void)state;
  test_rng rng = {6};
  pl_context *context = context_of(NULL);
  plan p = plan_of(&rng, 2, NOISE, -1), q = plan_of(&rng, 2, NOISE, 1);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 4, false);
  pl_body *a = flight_of(context, &p, units, &def), *b = flight_of(context, &q, units, &def);
  pl_separation *list;
  const pl_result *touches;
  assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  p.triangle_count /= 2;
  assert_int_equal(pl_body_set_triangles(a, p.triangles, p.triangle_count), PL_OK);
  assert_int_equal(pl_separation_advance(list, 0.5, &touches), PL_OK);
  contacts got = by_list(&rng, list, 1, 2),
           want = by_force(context, &p, p.pose[0], p.pose[1], &q, q.pose[0], q.pose[1]);
  size_t first = 0;
  while (first < want.count && want.list[first].time <= 0.5) ++first;
  assert_int_equal(got.count, want.count - first);
  assert_true(got.count > 0);
  for (size_t i = 0; i < got.count; ++i) assert_features(&got.list[i], &want.list[first + i], i);
  free(got.list);
  free(want.list);
  pl_context_destroy(context);
  plan_free(&p);
  plan_free(&q);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  test_rng rng = {7};
  failing memory = {.until = -1};
  pl_context_def c = pl_context_def_default();
  c.threads = 1;
  c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  plan p = plan_of(&rng, 1, NOISE, -1);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 4, false);
  const double other[KEYS] = {0, 1.5, 2};
  pl_body *a = flight_of(context, &p, units, &def), *b = flight_of(context, &p, other, &def),
          *still = mover(context, &p, p.pose[0], p.pose[1]);
  pl_separation *list = NULL;
  const pl_result *touches;
  assert_refused(context, pl_separation_create(a, b, false, &list), PL_ERROR_MISMATCH, "same keys");
  assert_refused(context, pl_separation_create(a, still, false, &list), PL_ERROR_UNSUPPORTED, "flight plans");
  assert_null(list);
  assert_int_equal(pl_separation_create(a, a, false, &list), PL_OK);
  assert_int_equal(pl_separation_advance(list, 0.7, &touches), PL_OK);
  assert_refused(context, pl_separation_advance(list, 0.5, &touches), PL_ERROR_ARGUMENT, "before that of");
  assert_refused(context, pl_separation_advance(list, 2.5, &touches), PL_ERROR_ARGUMENT, "beyond");
  uint32_t one = 0;
  pl_positions poses[2] = {pl_positions_f64(p.pose[1], 1), pl_positions_f64(p.pose[2], 1)};
  assert_refused(context, pl_body_change_plans(a, &one, 1, poses, 2), PL_ERROR_UNSUPPORTED, "already");
  pl_separation_destroy(list);
  assert_int_equal(pl_body_change_plans(a, &one, 1, poses, 2), PL_OK);
  for (long until = 0; until < 40; ++until) { /* out of memory: refused, and the next call is right */
    memory.until = until;
    pl_status status = pl_separation_create(a, a, false, &list);
    memory.until = -1;
    assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && !list));
    if (!list) continue;
    pl_separation_destroy(list);
  }
  contacts want = {0}, got = {0};
  for (int turn = 0; turn < 2; ++turn) {
    assert_int_equal(pl_separation_create(a, a, false, &list), PL_OK);
    pl_status status = PL_OK;
    if (turn) memory.until = 1;
    if (turn) status = pl_separation_advance(list, 2, &touches);
    memory.until = -1;
    if (turn) assert_true(status == PL_ERROR_MEMORY || status == PL_OK);
    if (!turn || status != PL_OK) assert_int_equal(pl_separation_advance(list, 2, &touches), PL_OK);
    append(turn ? &got : &want, touches->impacts, touches->count);
    pl_separation_destroy(list);
  }
  assert_int_equal(got.count, want.count);
  for (size_t i = 0; i < got.count; ++i) assert_features(&got.list[i], &want.list[i], i);
  free(got.list);
  free(want.list);
  assert_int_equal(pl_separation_create(a, a, false, &list), PL_OK);
  pl_body_destroy(a); /* and the list with it */
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
  plan_free(&p);
}

/* Bodies that stay apart cost nothing for each vertex; plans that change on the way are seen. */
static void far_bodies_are_left_alone(void **state)
{
  (void)state;
  const double times[KEYS] = {0, 1, 2};
  test_rng rng = {5};
  pl_context *context = context_of(NULL);
  for (int changed = 0; changed < 2; ++changed) {
    plan p[2] = {plan_of(&rng, 80, APPROACH, 1), plan_of(&rng, 80, APPROACH, -1)};
    for (int i = 0; i < 2; ++i)
      for (int key = 0; key < KEYS; ++key)
        for (size_t v = 0; (changed || key < 2) && v < p[i].vertex_count; ++v) p[i].pose[key][3 * v] += i ? -3 : 3;
    pl_body *a = flight_of(context, &p[0], times, NULL), *b = flight_of(context, &p[1], times, NULL);
    pl_separation *list;
    const pl_result *found;
    assert_int_equal(pl_separation_create(a, b, false, &list), PL_OK);
    assert_int_equal(pl_separation_advance(list, 1, &found), PL_OK);
    assert_int_equal(found->count, 0);
    assert_int_equal(list->listed, 1);
    assert_false(list->side[0].loaded || list->side[1].loaded);
    if (changed) { /* one vertex flies through the other body */
      const uint32_t vertex = 0;
      const double to[3] = {-9, 0, 0};
      const pl_positions poses = pl_positions_f64(to, 1);
      assert_int_equal(pl_body_set_time(a, 1), PL_OK);
      assert_int_equal(pl_body_set_time(b, 1), PL_OK);
      assert_int_equal(pl_body_change_plans(a, &vertex, 1, &poses, 1), PL_OK);
    }
    assert_int_equal(pl_separation_advance(list, 2, &found), PL_OK);
    assert_true(found->count > 0);
    assert_true(list->side[0].loaded && list->side[1].loaded);
    pl_body_destroy(a);
    pl_body_destroy(b);
    for (int i = 0; i < 2; ++i) plan_free(&p[i]);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_of_two_bodies),  cmocka_unit_test(contacts_within_a_body),
      cmocka_unit_test(everything_at_once),      cmocka_unit_test(contacts_of_several_segments),
      cmocka_unit_test(plans_change_on_the_way), cmocka_unit_test(triangles_go_on_the_way),
      cmocka_unit_test(wrong_calls_are_refused), cmocka_unit_test(far_bodies_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
