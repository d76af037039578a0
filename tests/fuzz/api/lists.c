/* Separation lists that begin anywhere, while plans and triangles of their bodies change:
 * against all pairs of features, one after the other. Coordinates are small integers times a
 * power of two, times eighths of a segment: so positions are exact in double, and the public
 * functions of single features can be asked about any part of the way. */
#include "world.h"

#include "../../support/separation_model.h"

enum { VERTICES = 6, TRIANGLES = 5, KEYS = 3, SEGMENTS = KEYS - 1, EIGHTHS = 8 };

typedef struct flyer {
  pl_body *body;
  uint32_t pool[TRIANGLES][3],
      triangles[TRIANGLES][3]; /* the triangles are some of the pool, which are all different */
  size_t count;
  double path[SEGMENTS][VERTICES][3][2];
} flyer;

typedef struct journey {
  model model;
  flyer flyers[2];
  pl_separation *list;
  double unit;          /* of coordinates */
  double begin, length; /* of time: segments are as long */
  int eighth, segment;  /* where the model is; it counts from the first key on */
  int from, to;         /* of the model's interval, in eighths of the segment */
} journey;

static flyer *flyer_of(journey *j, int side) { return &j->flyers[j->model.self ? 0 : side]; }
static double time_of(const journey *j, int eighth) { return j->begin + j->length * eighth / EIGHTHS; }

/* ------------------------------------------------------------------------------------- model -- */

static double position(const double path[2], int eighth)
{
  return (path[0] * (EIGHTHS - eighth) + path[1] * eighth) / EIGHTHS;
}

static bool touch(void *user, bool edges, const uint32_t vertex[4], int first, double *time)
{
  journey *j = user;
  double start[4][3], end[4][3];
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      const flyer *f = flyer_of(j, i < (edges ? 2 : 1) ? first : !first);
      start[i][k] = position(f->path[j->segment][vertex[i]][k], j->from);
      end[i][k] = position(f->path[j->segment][vertex[i]][k], j->to);
    }
  return (edges ? pl_edge_edge_time : pl_vertex_face_time)((const double(*)[3])start, (const double(*)[3])end, time);
}

static void follow_triangles(journey *j)
{
  for (int i = 0; i < 2; ++i)
    j->model.side[i] = (model_side){VERTICES, flyer_of(j, i)->count, flyer_of(j, i)->triangles[0]};
}

static void enter(journey *j)
{
  ++j->segment;
  j->model.known_count = 0;
}

static void model_go(journey *j, int eighth)
{
  for (;;) {
    const int first = EIGHTHS * j->segment, end = first + EIGHTHS, to = eighth < end ? eighth : end;
    j->from = j->eighth - first;
    j->to = to - first;
    model_interval(&j->model);
    j->eighth = to;
    if (to == eighth) return;
    enter(j);
  }
}

/* At a key, a change belongs to the segment after it. */
static void enter_at_key(journey *j)
{
  if (j->segment + 1 < SEGMENTS && j->eighth >= EIGHTHS * (j->segment + 1)) enter(j);
}

/* ------------------------------------------------------------------------------------ bodies -- */

static double coordinate(world *w, const journey *j) { return j->unit * (below(w, 9) - 4); }

static void make_pool(world *w, flyer *f)
{
  for (size_t i = 0; i < TRIANGLES;) {
    uint32_t *t = f->pool[i];
    for (int k = 0; k < 3; ++k) t[k] = (uint32_t)below(w, VERTICES);
    bool fresh = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    for (size_t other = 0; other < i; ++other) {
      int same = 0;
      for (int k = 0; k < 9; ++k) same += t[k / 3] == f->pool[other][k % 3];
      fresh = fresh && same < 3;
    }
    i += fresh;
  }
}

/* Some of the pool, in another order, from any corner on. */
static void choose_triangles(world *w, flyer *f)
{
  const size_t first = (size_t)below(w, TRIANGLES);
  f->count = 1 + (size_t)below(w, TRIANGLES);
  for (size_t i = 0; i < f->count; ++i)
    for (size_t k = 0, turn = (size_t)below(w, 3); k < 3; ++k)
      f->triangles[i][k] = f->pool[(first + 2 * i) % TRIANGLES][(k + turn) % 3];
}

static pl_status create_flyer(world *w, journey *j, int number)
{
  static const pl_strategy strategies[] = {PL_STRATEGY_AUTO, PL_STRATEGY_KINETIC, PL_STRATEGY_BOXTREE,
                                           PL_STRATEGY_HYBRID};
  flyer *f = &j->flyers[number];
  double pose[KEYS][3 * VERTICES], times[KEYS];
  pl_positions poses[KEYS];
  for (int i = 0; i < KEYS; ++i) {
    for (int c = 0; c < 3 * VERTICES; ++c) pose[i][c] = coordinate(w, j);
    poses[i] = pl_positions_f64(pose[i], VERTICES);
    times[i] = time_of(j, EIGHTHS * i);
    trace_doubles(w, i == 0 ? "p0" : i == 1 ? "p1" : "p2", pose[i], 3 * VERTICES);
  }
  for (int s = 0; s < SEGMENTS; ++s)
    for (int c = 0; c < 6 * VERTICES; ++c) f->path[s][c / 6][c / 2 % 3][c % 2] = pose[s + c % 2][c / 2];
  make_pool(w, f);
  choose_triangles(w, f);
  pl_body_def d = pl_body_def_default();
  d.strategy = strategies[below(w, 4)];
  d.arity = 2 << below(w, 3);
  d.leaf_size = 1 + below(w, 4);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = f->triangles[0];
  mesh.triangle_count = f->count;
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.key_count = plans.pose_count = KEYS;
  plans.poses = poses;
  trace_doubles(w, "times", times, KEYS);
  trace_indices(w, "triangles", f->triangles[0], 3 * f->count);
  trace(
      w,
      "  const pl_positions poses[] = {pl_positions_f64(p0, %d), pl_positions_f64(p1, %d), pl_positions_f64(p2, %d)};\n"
      "  pl_body_def d = pl_body_def_default(); d.strategy = %d; d.arity = %d; d.leaf_size = %d;\n"
      "  pl_mesh_def mesh = pl_mesh_def_default(); mesh.triangles = triangles; mesh.triangle_count = %zu;\n"
      "  pl_flight_def plans = pl_flight_def_default(); plans.times = times; plans.poses = poses;\n"
      "  plans.key_count = plans.pose_count = %d; pl_body_create_flight(context, &mesh, &plans, &d, &flyer[%d]);\n",
      VERTICES, VERTICES, VERTICES, (int)d.strategy, d.arity, d.leaf_size, f->count, KEYS, number);
  return CALL(w, pl_body_create_flight(w->context, &mesh, &plans, &d, &f->body));
}

/* Exact where the rest of the segment is a power of two. */
static bool may_change(const journey *j)
{
  const int left = EIGHTHS - (j->eighth - EIGHTHS * j->segment);
  return left == 8 || left == 4 || left == 2 || left == 1;
}

static void change_plans(world *w, journey *j, int side)
{
  flyer *f = flyer_of(j, side);
  uint32_t vertices[VERTICES];
  double target[SEGMENTS][3 * VERTICES];
  pl_positions poses[SEGMENTS];
  size_t count = 0;
  enter_at_key(j);
  const int at = j->eighth - EIGHTHS * j->segment, left = SEGMENTS - j->segment;
  for (uint32_t v = 0; v < VERTICES; ++v)
    if (below(w, 3) == 0) vertices[count++] = v;
  trace(w, "  {\n");
  for (int p = 0; p < left; ++p) {
    for (size_t c = 0; c < 3 * count; ++c) target[p][c] = coordinate(w, j);
    poses[p] = pl_positions_f64(target[p], count);
    trace_doubles(w, p ? "t1" : "t0", target[p], 3 * count);
  }
  trace_indices(w, "vertices", vertices, count);
  trace(w,
        "  const pl_positions poses[] = {pl_positions_f64(t0, %zu), pl_positions_f64(%s, %zu)};\n"
        "  pl_body_change_plans(flyer[%d], vertices, %zu, poses, %d);\n  }\n",
        count, left > 1 ? "t1" : "t0", count, side, count, left);
  pl_status status = CALL(w, pl_body_change_plans(f->body, vertices, count, poses, (size_t)left));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "change_plans: %s", pl_context_message(w->context));
  for (size_t i = 0; i < 3 * count; ++i) {
    double *path = f->path[j->segment][vertices[i / 3]][i % 3];
    path[0] = (position(path, at) * EIGHTHS - target[0][i] * at) / (EIGHTHS - at);
    path[1] = target[0][i];
    for (int p = 1; p < left; ++p) {
      f->path[j->segment + p][vertices[i / 3]][i % 3][0] = target[p - 1][i];
      f->path[j->segment + p][vertices[i / 3]][i % 3][1] = target[p][i];
    }
    if (i % 3 == 0) model_forget(&j->model, side, vertices[i / 3]);
  }
}

static void change_triangles(world *w, journey *j, int side)
{
  flyer *f = flyer_of(j, side), before = *f;
  enter_at_key(j);
  choose_triangles(w, f);
  trace(w, "  {\n");
  trace_indices(w, "triangles", f->triangles[0], 3 * f->count);
  trace(w, "  pl_body_set_triangles(flyer[%d], triangles, %zu);\n  }\n", side, f->count);
  pl_status status = CALL(w, pl_body_set_triangles(f->body, f->triangles[0], f->count));
  if (status == PL_ERROR_MEMORY) *f = before;
  require(w, status == PL_OK || status == PL_ERROR_MEMORY, "set_triangles: %s", pl_context_message(w->context));
  follow_triangles(j);
}

/* ---------------------------------------------------------------------------------- the call -- */

static bool set_times(world *w, journey *j, int eighth)
{
  for (int i = 0; i < 2; ++i) {
    trace(w, "  pl_body_set_time(flyer[%d], %a);\n", i, time_of(j, eighth));
    pl_status status = CALL(w, pl_body_set_time(j->flyers[i].body, time_of(j, eighth)));
    require(w, status == PL_OK, "set_time: %s", pl_context_message(w->context));
  }
  return true;
}

static void compare(world *w, journey *j)
{
  const pl_result *got = NULL;
  const double time = time_of(j, j->eighth);
  trace(w, "  pl_separation_advance(list, %a, &touches);\n", time);
  pl_status status = CALL(w, pl_separation_advance(j->list, time, &got));
  if (status == PL_ERROR_MEMORY) return; /* the next report has them as well */
  require(w, status == PL_OK, "advance: %s", pl_context_message(w->context));
  const size_t wanted = j->model.found_count;
  for (size_t i = 0; i < got->count; ++i) {
    const pl_impact *p = &got->impacts[i];
    note(w, &p->time, sizeof p->time);
    note(w, p->feature_a, sizeof p->feature_a);
    note(w, p->feature_b, sizeof p->feature_b);
    require(w, p->time <= time && p->time >= got->from - 1e-12 * (1 + fabs(got->from)),
            "a contact at %a of a report from %a to %a", p->time, got->from, got->to);
  }
  require(w, model_agrees(&j->model, got, false), "lists: %zu contacts, or others, instead of %zu at time %a",
          got->count, wanted, time);
}

static void go(world *w, journey *j)
{
  for (int step = 0; step < 8; ++step) {
    const int eighth = j->eighth + below(w, 4), side = below(w, 2), what = below(w, 5);
    if (eighth >= SEGMENTS * EIGHTHS || !set_times(w, j, eighth)) break;
    model_go(j, eighth);
    if (what == 0 && may_change(j)) change_plans(w, j, side && !j->model.self);
    if (what == 1) change_triangles(w, j, side && !j->model.self);
    if (what < 2) model_go(j, eighth);
    if (what != 2) compare(w, j);
  }
  model_go(j, SEGMENTS * EIGHTHS);
  compare(w, j);
}

void call_list(world *w)
{
  static journey all;
  journey *j = &all;
  memset(j, 0, sizeof *j);
  const int exponent = w->profile == PROFILE_ORDINARY ? 0
                       : w->profile == PROFILE_SCALED ? w->exponent
                                                      : pick(w, 256) * 7 - 950;
  j->unit = ldexp(1, exponent < -950 ? -950 : exponent > 850 ? 850 : exponent);
  j->model.self = chance(w, 4);
  j->model.touch = touch;
  j->model.user = j;
  seed_of(w);
  j->length = below(w, 2) ? 1 : ldexp(1, below(w, 20) - 10);
  j->begin = below(w, 2) ? 0 : j->length * (below(w, 9) - 4);
  trace(w, "  { pl_body *flyer[2]; pl_separation *list; const pl_result *touches;\n  {\n");
  pl_status status = create_flyer(w, j, 0);
  trace(w, "  }\n  {\n");
  if (status == PL_OK) status = create_flyer(w, j, 1);
  trace(w, "  }\n");
  if (status == PL_OK) {
    follow_triangles(j);
    j->eighth = below(w, 12);
    set_times(w, j, j->eighth);
    enter_at_key(j);
    trace(w, "  pl_separation_create(flyer[0], flyer[%d], false, &list);\n", !j->model.self);
    status = CALL(w, pl_separation_create(j->flyers[0].body, flyer_of(j, 1)->body, false, &j->list));
  }
  require(w, status == PL_OK || status == PL_ERROR_MEMORY, "a list: %s", pl_context_message(w->context));
  if (status == PL_OK) go(w, j);
  trace(w, "  pl_body_destroy(flyer[0]); pl_body_destroy(flyer[1]); }\n");
  for (int i = 0; i < 2; ++i) pl_body_destroy(j->flyers[i].body);
}
