/* Separation lists that begin in the middle of a segment, and plans and triangles that change there: contact by contact as all pairs of
 * features, one after the other, with the known ones left out. */
#include "body/body.h"
#include "exact/crossing.h"
#include "motion/flight.h"
#include "pliant/separation.h"

#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 9, TRIANGLES = 8, KEYS = 3, SEGMENTS = KEYS - 1, MOST = 4096 };

/* A body, and where its vertices go: coefficients of each segment. */
typedef struct mover {
  pl_body *body;
  uint32_t pool[TRIANGLES][3]; /* different ones: its triangles are some of them */
  uint32_t triangles[TRIANGLES][3];
  size_t count;
  double path[SEGMENTS][VERTICES][3][2];
} mover;

typedef struct contact {
  double s;
  pl_impact_kind kind;
  uint32_t feature[4], vertex[4]; /* as reported; and the vertices of both, a face's in ascending order */
} contact;

/* What a list must have reported. */
typedef struct model {
  mover *side[2]; /* equal: one body */
  const double *times;
  double time;
  int segment;
  contact known[MOST], found[MOST];
  size_t known_count, found_count;
  size_t after_another; /* contacts of features whose plans met in the segment before the list knew them */
} model;

/* --------------------------------------------------------------------------------------------------------- model -- */

static double parameter_of(const model *m, double time)
{
  const double *t = m->times + m->segment;
  return time < t[1] ? path_parameter((time - t[0]) / (t[1] - t[0])) : 1;
}

static bool is_known(const model *m, const contact *c)
{
  for (size_t i = 0; i < m->known_count; ++i)
    if (m->known[i].kind == c->kind && !memcmp(m->known[i].vertex, c->vertex, sizeof c->vertex)) return true;
  return false;
}

static int of_a(pl_impact_kind kind)
{
  return kind == PL_IMPACT_VERTEX_FACE ? 1 : kind == PL_IMPACT_FACE_VERTEX ? 3 : 2;
}

/* Two features; `corners` are in the order of exact/crossing.h, `first` the side of the first of them. */
static void try_pair(model *m, contact *c, const uint32_t corners[4], int first, double from, double to)
{
  double start[4][3], end[4][3], earlier;
  const int leading = c->kind == PL_IMPACT_EDGE_EDGE ? 2 : 1;
  if (is_known(m, c)) return;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *path = m->side[i < leading ? first : !first]->path[m->segment][corners[i]][k];
      start[i][k] = path[0];
      end[i][k] = path[1];
    }
  const crossing_kind kind = c->kind == PL_IMPACT_EDGE_EDGE ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  const double(*x)[3] = (const double(*)[3])start, (*y)[3] = (const double(*)[3])end;
  if (!crossing_since(kind, x, y, from, &c->s) || c->s > to) return;
  m->after_another += crossing_first(kind, x, y, 1, &earlier) && earlier < from;
  c->s += m->segment; /* the time, if segments are units */
  m->known[m->known_count++] = m->found[m->found_count++] = *c;
  assert_true(m->found_count < MOST && m->known_count < MOST);
}

static int by_number(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

static bool uses(const mover *b, uint32_t v)
{
  for (size_t i = 0; i < 3 * b->count; ++i)
    if (b->triangles[i / 3][i % 3] == v) return true;
  return false;
}

static void vertices_faces(model *m, int side, double from, double to)
{
  const bool self = m->side[0] == m->side[1];
  const mover *x = m->side[side], *y = m->side[!side];
  for (uint32_t v = 0; v < VERTICES; ++v)
    for (uint32_t f = 0; f < y->count && uses(x, v); ++f) {
      const uint32_t *t = y->triangles[f];
      if (self && (v == t[0] || v == t[1] || v == t[2])) continue;
      const uint32_t corners[4] = {v, t[0], t[1], t[2]}, at = side ? 3 : 0;
      contact c = {.kind = side ? PL_IMPACT_FACE_VERTEX : PL_IMPACT_VERTEX_FACE,
                   .feature = {side ? f : v, side ? f : v, side ? v : f, side ? v : f}};
      c.vertex[at] = v;
      memcpy(c.vertex + !side, t, 3 * sizeof *t);
      qsort(c.vertex + !side, 3, sizeof *t, by_number);
      try_pair(m, &c, corners, side, from, to);
    }
}

static bool has_edge(const mover *b, uint32_t low, uint32_t high)
{
  for (size_t i = 0; i < 3 * b->count; ++i) {
    uint32_t x = b->triangles[i / 3][i % 3], y = b->triangles[i / 3][(i + 1) % 3];
    if ((x == low && y == high) || (x == high && y == low)) return true;
  }
  return false;
}

static void edges_edges(model *m, double from, double to)
{
  const bool self = m->side[0] == m->side[1];
  for (uint32_t i = 0; i < VERTICES * VERTICES; ++i)
    for (uint32_t j = 0; j < VERTICES * VERTICES; ++j) {
      const uint32_t e[4] = {i / VERTICES, i % VERTICES, j / VERTICES, j % VERTICES};
      if (e[0] >= e[1] || e[2] >= e[3] || !has_edge(m->side[0], e[0], e[1]) || !has_edge(m->side[1], e[2], e[3]))
        continue;
      if (self && (j <= i || e[0] == e[2] || e[0] == e[3] || e[1] == e[2] || e[1] == e[3])) continue;
      contact c = {.kind = PL_IMPACT_EDGE_EDGE};
      memcpy(c.feature, e, sizeof e);
      memcpy(c.vertex, e, sizeof e);
      try_pair(m, &c, e, 0, from, to);
    }
}

static void model_go(model *m, double time)
{
  for (;;) {
    const double end = m->times[m->segment + 1], to = time < end ? time : end;
    const double from = parameter_of(m, m->time), until = parameter_of(m, to);
    vertices_faces(m, 0, from, until);
    if (m->side[0] != m->side[1]) vertices_faces(m, 1, from, until);
    edges_edges(m, from, until);
    m->time = to;
    if (to == time) return;
    ++m->segment;
    m->known_count = 0;
  }
}

/* At a key, a change belongs to the segment after it. */
static void model_enter(model *m)
{
  if (m->segment + 1 >= SEGMENTS || m->time < m->times[m->segment + 1]) return;
  ++m->segment;
  m->known_count = 0;
}

static void model_forget(model *m, const mover *b, uint32_t v)
{
  size_t left = 0;
  for (size_t i = 0; i < m->known_count; ++i) {
    const contact *c = &m->known[i];
    bool gone = false;
    for (int k = 0; k < 4; ++k) gone = gone || (c->vertex[k] == v && m->side[k >= of_a(c->kind)] == b);
    if (!gone) m->known[left++] = *c;
  }
  m->known_count = left;
}

/* -------------------------------------------------------------------------------------------------------- bodies -- */

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
static void change_plans(test_rng *rng, model *m, mover *b, bool snapped)
{
  uint32_t vertices[VERTICES];
  double target[SEGMENTS][VERTICES][3];
  pl_positions poses[SEGMENTS];
  size_t count = 0;
  model_enter(m);
  const size_t left = (size_t)(SEGMENTS - m->segment);
  for (uint32_t v = 0; v < VERTICES; ++v)
    if (test_below(rng, 3) == 0) vertices[count++] = v;
  for (size_t p = 0; p < left; ++p) {
    for (size_t i = 0; i < 3 * count; ++i) target[p][i / 3][i % 3] = coordinate(rng, snapped);
    poses[p] = pl_positions_f64(target[p][0], count);
  }
  assert_int_equal(pl_body_change_plans(b->body, vertices, count, poses, left), PL_OK);
  const flight *f = b->body->motion.controls;
  for (size_t i = 0; i < count; ++i) {
    model_forget(m, b, vertices[i]);
    for (int k = 0; k < 3; ++k) {
      memcpy(b->path[m->segment][vertices[i]][k], flight_path(f, vertices[i], k), 2 * sizeof(double));
      for (size_t p = 1; p < left; ++p) {
        b->path[(size_t)m->segment + p][vertices[i]][k][0] = target[p - 1][i][k];
        b->path[(size_t)m->segment + p][vertices[i]][k][1] = target[p][i][k];
      }
    }
  }
}

/* --------------------------------------------------------------------------------------------------------- rounds -- */

static int by_feature(const void *x, const void *y)
{
  const contact *a = x, *b = y;
  if (a->s != b->s) return a->s < b->s ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  for (int i = 0; i < 4; ++i)
    if (a->feature[i] != b->feature[i]) return a->feature[i] < b->feature[i] ? -1 : 1;
  return 0;
}

/* A report is what the model has found; s holds times then, those of segments from 0 to 1 to the bit. */
static void assert_found(model *m, pl_separation *list, double time)
{
  const pl_separation_result *got;
  const bool exact = m->times[0] == 0 && m->times[1] == 1 && time <= 1;
  assert_int_equal(pl_separation_advance(list, time, &got), PL_OK);
  assert_int_equal(got->count, m->found_count);
  contact *all = malloc((got->count + 1) * sizeof *all);
  for (size_t i = 0; i < got->count; ++i) {
    const pl_impact *p = &got->impacts[i];
    all[i] = (contact){.s = exact ? p->time : 0, .kind = p->kind};
    memcpy(all[i].feature, p->feature_a, sizeof p->feature_a);
    memcpy(all[i].feature + 2, p->feature_b, sizeof p->feature_b);
    if (i) assert_true(p->time >= p[-1].time);
    if (!exact) m->found[i].s = 0;
  }
  qsort(all, got->count, sizeof *all, by_feature);
  qsort(m->found, m->found_count, sizeof *m->found, by_feature);
  for (size_t i = 0; i < got->count; ++i) assert_int_equal(by_feature(&all[i], &m->found[i]), 0);
  m->found_count = 0;
  free(all);
}

/* A list that begins somewhere, and what happens to its bodies while it goes on. */
static void go_with_changes(test_rng *rng, model *m, mover movers[2], bool snapped)
{
  const double first = m->times[0], last = m->times[KEYS - 1], part = (last - first) / 16;
  pl_separation *list = NULL;
  m->time = first + part * test_below(rng, 10) * (snapped ? 1 : 0.9);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_time(movers[i].body, m->time), PL_OK);
  assert_int_equal(pl_separation_create(m->side[0]->body, m->side[1]->body, NULL, &list), PL_OK);
  model_enter(m);
  for (double time = m->time; time < last; time += part * test_below(rng, 4) * (snapped ? 1 : 0.9)) {
    mover *b = m->side[test_below(rng, 2)];
    for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_time(movers[i].body, time), PL_OK);
    model_go(m, time);
    const int what = test_below(rng, 4);
    if (what == 0) change_plans(rng, m, b, snapped);
    if (what == 1) {
      model_enter(m);
      choose_triangles(rng, b);
      assert_int_equal(pl_body_set_triangles(b->body, b->triangles[0], b->count), PL_OK);
    }
    if (test_below(rng, 4) == 0) assert_int_equal(pl_body_set_time(b->body, last), PL_OK); /* ahead of its list */
    if (what < 2) model_go(m, time);
    if (what != 2) assert_found(m, list, time);
  }
  model_go(m, last);
  assert_found(m, list, last);
}

static size_t run(test_rng *rng, bool self, bool snapped, const double times[KEYS])
{
  static mover movers[2];
  static model m;
  pl_context *context = context_of(NULL);
  m = (model){.side = {&movers[0], &movers[!self]}, .times = times};
  for (int i = 0; i < 2; ++i) make_mover(rng, context, times, snapped, &movers[i]);
  go_with_changes(rng, &m, movers, snapped);
  pl_context_destroy(context);
  return m.after_another;
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

/* ------------------------------------------------------------------------------------------------- one at a time -- */

/* Edge 0 1 of a is at x = 0 where z = (t - 1/4) (t - 3/4) / (1 + t): it meets the edge of b twice. Vertices 3 to 5 are far away. */
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
  const pl_separation_result *got;
  assert_int_equal(pl_separation_advance(list, until, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(got->impacts[0].time == time && got->impacts[0].kind == PL_IMPACT_EDGE_EDGE);
}

static void assert_none(pl_separation *list, double until)
{
  const pl_separation_result *got;
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
  assert_int_equal(pl_separation_create(a, b, NULL, &whole), PL_OK);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  assert_int_equal(pl_body_set_time(b, 0.5), PL_OK);
  assert_int_equal(pl_separation_create(a, b, NULL, &half), PL_OK);
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
  assert_int_equal(pl_separation_create(a, b, NULL, &list), PL_OK);
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
  assert_int_equal(pl_separation_create(a, b, NULL, &list), PL_OK);
  assert_one_at(list, 0.5, 0.25);
  assert_int_equal(pl_body_set_time(a, 0.5), PL_OK);
  assert_int_equal(pl_body_set_triangles(a, both_of_them, 2), PL_OK);
  assert_none(list, 1);
  pl_context_destroy(context);
}

static void assert_one_near(pl_separation *list, double until, double time)
{
  const pl_separation_result *got;
  assert_int_equal(pl_separation_advance(list, until, &got), PL_OK);
  assert_int_equal(got->count, 1);
  assert_true(fabs(got->impacts[0].time - time) < 1e-8);
}

/* A key is added to one body, and its first one dropped, which the list has not left: it goes on in the next segment of both. */
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
  assert_int_equal(pl_separation_create(a, b, NULL, &list), PL_OK);
  assert_int_equal(pl_body_add_key(a, 2, &end, 1), PL_OK);
  assert_int_equal(pl_body_add_key(b, 2, &rest, 1), PL_OK);
  assert_int_equal(pl_body_add_key(b, 3, &above, 1), PL_OK);
  assert_int_equal(pl_body_set_time(a, 1.5), PL_OK);
  assert_int_equal(pl_body_add_key(a, 3, &start, 1), PL_OK); /* the key at 0 is dropped */
  assert_one_near(list, 1, 1 - 0.0001875);
  assert_one_near(list, 2, 1.25);
  assert_one_near(list, 3, 2 + 0.1875 / 2001); /* on its way up b passes the edge of a, which is above it again */
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
    const pl_status status = pl_separation_create(a, b, NULL, &list);
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
