/* Batches of points against one body: closest points, inside and outside, signed distances. A batch is cut into pieces
 * whose number depends on the batch only. Each point is decided alone, but for a bound from the point before it in its
 * piece: so the results and their counts are the same for any number of threads. */
#include "query/probe/points.h"

#include "core/sort.h"
#include "core/timer.h"
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  point_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  s->walks = mem_new(allocator, (size_t)context->threads, sizeof *s->walks);
  bool all = s->walks;
  for (int i = 0; all && i < context->threads; ++i)
    all = (s->walks[i].leaves = mem_new(allocator, PROBE_LEAVES, sizeof *s->walks[i].leaves)) != NULL;
  return all;
}

static void destroy(pl_context *context, void *scratch)
{
  point_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; s->walks && i < context->threads; ++i) mem_free(allocator, s->walks[i].leaves);
  mem_free(allocator, s->walks);
  array_free(allocator, &s->pieces);
  array_free(allocator, &s->results);
  array_free(allocator, &s->keys);
  array_free(allocator, &s->sorting);
}

const query_slot pl_inside_query_POINTS = {sizeof(point_scratch), create, destroy};

/* ---------------------------------------------------------------------------------------------------- checks -- */

pl_status points_check_at(pl_context *context, pl_positions at)
{
  pl_status status = positions_check_points(context, at);
  if (status != PL_OK) return status;
  if (at.count / PIECE_POINTS >= INT32_MAX || at.count > SIZE_MAX / 2 / sizeof(pl_scene_point))
    return fail(context, PL_ERROR_ARGUMENT, "%zu points are more than fit into memory", at.count);
  return PL_OK;
}

static pl_status check(const points_question *q, const pl_point_def *def, pl_point_def *out)
{
  pl_context *context = q->body->context;
  pl_status status = def_take(context, pl_point_def, def, out);
  if (status == PL_OK) status = query_check_amount(context, out->limit, "the limit");
  if (status == PL_OK) status = query_check_amount(context, out->budget_ms, "the time budget");
  if (status == PL_OK) status = points_check_at(context, q->at);
  if (status != PL_OK) return status;
  if (q->sides && out->filter)
    return fail(context, PL_ERROR_UNSUPPORTED, "a side is that of the whole surface: the filter must be NULL");
  if (!q->distances && out->limit < INFINITY)
    return fail(context, PL_ERROR_UNSUPPORTED, "a side has no distance: the limit must be infinite");
  return PL_OK;
}

/* --------------------------------------------------------------------------------------------------- targets -- */

void probe_take_target(probe_target *t, pl_body *body)
{
  space at;
  *t = (probe_target){0};
  walk_take_side(&t->side, body);
  t->side.lanes = NULL; /* the error bound of points allows for one rounding of each coordinate */
  body_space(body, &at);
  t->box = at.world;
  bool exact = points_are_floats(&body->motion.now);
  double most;
  int exponent = spaces_unit(&at, &at);
  t->unit = ldexp(1, -exponent);
  t->irregular = !space_origin(&t->box, &t->box, exact, t->origin, &most) || exponent;
  t->delta = exact ? 0 : most * 0x1p-24 * (1 + 0x1p-10) + 0x1p-126;
  t->transformed = at.moved || exponent || !at.plain;
  frame_change both[2];
  if (!t->transformed) return;
  spaces_to_world(&at, &at, exponent, both);
  t->to_world = both[1];
}

/* ----------------------------------------------------------------------------------------------------- sides -- */

/* The rays of a point, those with the shortest way out of the body first. */
static void order_rays(const probe_target *t, const double p[3], probe_ray rays[6])
{
  double way_out[6];
  for (int i = 0; i < 6; ++i) {
    int axis = i % 3, way = i < 3 ? 1 : -1, at = i;
    double out = way > 0 ? (double)t->box.upper[axis] - p[axis] : p[axis] - (double)t->box.lower[axis];
    for (; at > 0 && out < way_out[at - 1]; --at) {
      way_out[at] = way_out[at - 1];
      rays[at] = rays[at - 1];
    }
    way_out[at] = out;
    rays[at] = (probe_ray){p, axis, way};
  }
}

/* What the edges of the border add to the crossings of a ray: the generalised winding number is the number of crossings of a ray plus the
 * solid angles between the border and the direction against the ray. For on the sphere of directions, the number of times that the surface
 * covers a direction changes at the border only: it is known in the direction of the ray, and differs from that elsewhere by the triangles
 * that the border and any other direction span. */
static double border_angle(const pl_body *body, const closure *c, const probe_ray *ray, double *sure)
{
  double sum = 0;
  *sure = 1;
  for (size_t i = 0; i < c->border_count; ++i) {
    double a[3], b[3], own;
    points_world(&body->motion.now, c->border[i].from, a);
    points_world(&body->motion.now, c->border[i].to, b);
    sum += c->border[i].times * point_edge_angle(ray->point, a, b, ray->axis, -ray->way, &own);
    *sure = fmin(*sure, own);
  }
  return sum;
}

/* The solid angle of all triangles: for points whose rays along every axis pass too near the border. */
static double whole_angle(const pl_body *body, const double p[3])
{
  const primitives *all = &body->tree->prims;
  double sum = 0;
  for (size_t i = 0; i < all->triangle_count; ++i) {
    double t[3][3];
    for (size_t k = 0; k < 3; ++k) points_world(&body->motion.now, all->tri[3 * i + k], t[k]);
    sum += point_tri_angle(p, (const double(*)[3])t);
  }
  return sum;
}

static double winding_of_open(const pl_body *body, const closure *c, probe_walk *w, const kernels *k,
                              const probe_ray rays[6], int crossings)
{
  const double good = 0x1p-6, useful = 0x1p-12;
  double best = 0, angle = 0;
  int chosen = 0;
  for (int i = 0; i < 6 && best < good; ++i) {
    double sure, own = border_angle(body, c, &rays[i], &sure);
    if (!(sure > best)) continue;
    best = sure;
    angle = own;
    chosen = i;
  }
  if (best < useful) return whole_angle(body, rays[0].point);
  bool on;
  if (chosen) crossings = k->probe->crossings(w, &rays[chosen], &on);
  return crossings + angle;
}

static void find_side(pl_body *body, const closure *c, probe_walk *w, const kernels *k, const double p[3],
                      pl_point_result *out)
{
  probe_ray rays[6];
  order_rays(w->target, p, rays);
  bool on;
  int crossings = k->probe->crossings(w, &rays[0], &on);
  out->side = PL_SIDE_ON;
  out->winding = 0;
  if (on) return;
  out->winding = c->kind == PL_CLOSURE_CLOSED       ? crossings
                 : c->kind == PL_CLOSURE_UNORIENTED ? abs(crossings) % 2
                                                    : winding_of_open(body, c, w, k, rays, crossings);
  bool inside = c->kind == PL_CLOSURE_OPEN ? fabs(out->winding) >= 0.5 : out->winding != 0;
  out->side = inside ? PL_SIDE_INSIDE : PL_SIDE_OUTSIDE;
}

/* --------------------------------------------------------------------------------------------------- running -- */

typedef struct point_run {
  pl_context *context;
  point_scratch *scratch;
  pl_body *body;
  pl_positions points;
  const pl_point_def *def;
  const closure *closure; /* NULL: no sides */
  bool distances;
  const uint64_t *order; /* point numbers in its lower halves; NULL: the points are not sorted */
  pl_point_result *results;
  double end_ms; /* 0: no limit */
} point_run;

double points_near_by(const double p[3], const double surface[3])
{
  double square = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    double step = p[k] - surface[k];
    square += step * step;
    most = fmax(most, fmax(fabs(p[k]), fabs(surface[k])));
  }
  if (!(square > 0x1p-900 && square < INFINITY)) return INFINITY;
  return sqrt(square) * (1 + 0x1p-40) + most * 0x1p-40;
}

static void answer(point_run *r, probe_walk *w, size_t i, const pl_point_result **last)
{
  const kernels *k = kernels_of(r->context->isa);
  pl_point_result *out = &r->results[i];
  double p[3];
  positions_get(r->points, i, p);
  *out = (pl_point_result){.triangle = PL_NONE};
  if (r->distances) {
    bool known = !r->def->filter && *last && (*last)->triangle != PL_NONE;
    k->probe->nearest(w, p, i, known ? points_near_by(p, (*last)->point) : INFINITY, out);
    *last = out;
  }
  if (!r->closure) return;
  find_side(r->body, r->closure, w, k, p, out);
  if (r->distances && out->side == PL_SIDE_INSIDE) out->distance = -out->distance;
}

static void piece_task(void *data, int task, int worker)
{
  point_run *r = data;
  probe_walk *w = &r->scratch->walks[worker];
  point_piece *piece = &r->scratch->pieces.data[task];
  size_t begin = (size_t)task * PIECE_POINTS,
         end = begin + PIECE_POINTS < r->points.count ? begin + PIECE_POINTS : r->points.count;
  const pl_point_result *last = NULL;
  size_t at = begin;
  w->n_v = w->n_p = w->n_u = 0;
  for (; at < end; ++at) {
    if (r->end_ms > 0 && (at - begin) % CLOCK_EVERY == 0 && timer_ms() >= r->end_ms) break;
    answer(r, w, r->order ? (size_t)(uint32_t)r->order[at] : at, &last);
  }
  *piece = (point_piece){at - begin, {.n_v = w->n_v, .n_p = w->n_p, .n_u = w->n_u}};
}

/* Spreads the bits of a number of 10 bits, with two zeros after each. */
static uint64_t spread(uint64_t x)
{
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

/* Sorts points along a space-filling curve: neighbours then start with each other's bound and read the same nodes. */
pl_status points_sort(pl_context *context, point_scratch *s, pl_positions at)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = at.count;
  if (!array_reserve(allocator, &s->keys, n) || !array_reserve(allocator, &s->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3], p[3];
  for (size_t i = 0; i < n; ++i) {
    positions_get(at, i, p);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], p[k]);
      high[k] = fmax(high[k], p[k]);
    }
  }
  for (int k = 0; k < 3; ++k) scale[k] = 1023.99 / (high[k] - low[k]); /* infinite or 0: no order along this axis */
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = 0;
    positions_get(at, i, p);
    for (int k = 0; k < 3; ++k) {
      double x = (p[k] - low[k]) * scale[k];
      key |= spread(x > 0 && x < 1024 ? (uint64_t)x : 0) << k;
    }
    s->keys.data[i] = key << 32 | i;
  }
  sort_keys(s->keys.data, s->sorting.data, n);
  return PL_OK;
}

static pl_status make_ready(point_run *r, const probe_target *target, size_t pieces)
{
  point_scratch *s = r->scratch;
  const pl_allocator *allocator = &r->context->def.allocator;
  bool own = !r->def->results;
  if (!array_reserve(allocator, &s->pieces, pieces) || (own && !array_reserve(allocator, &s->results, r->points.count)))
    return fail(r->context, PL_ERROR_MEMORY, "no memory for %zu points", r->points.count);
  r->results = own ? s->results.data : r->def->results;
  ++s->serial;
  for (int i = 0; i < r->context->threads; ++i) {
    probe_leaf *leaves = s->walks[i].leaves;
    s->walks[i] = (probe_walk){target, r->def->filter, r->def->user, r->def->limit, s->serial, leaves, 0, 0, 0};
  }
  bool sorts = !r->def->coherent && r->distances && points_worth_sorting(r->points.count);
  if (!sorts || r->def->budget_ms > 0) return PL_OK;
  pl_status status = points_sort(r->context, s, r->points);
  r->order = s->keys.data;
  return status;
}

static void gather(const point_run *r, size_t pieces, pl_point_results *answer)
{
  for (size_t i = 0; i < pieces; ++i) {
    const point_piece *piece = &r->scratch->pieces.data[i];
    if (!answer->partial) answer->count += piece->answered;
    answer->partial = answer->count < (i + 1 < pieces ? (i + 1) * PIECE_POINTS : r->points.count);
    answer->counters.n_v += piece->counters.n_v;
    answer->counters.n_p += piece->counters.n_p;
    answer->counters.n_u += piece->counters.n_u;
  }
  for (size_t i = answer->count; i < r->points.count; ++i) r->results[i] = (pl_point_result){0};
  answer->results = r->results;
}

static pl_status run(const points_question *q, const pl_point_def *def, const pl_point_results **out)
{
  pl_body *body = q->body;
  pl_context *context = body->context;
  point_scratch *s = query_scratch(context, QUERY_POINTS);
  if (!s) return PL_ERROR_MEMORY;
  point_run r = {
      .context = context, .scratch = s, .body = body, .points = q->at, .def = def, .distances = q->distances};
  if (q->sides && !(r.closure = body_closure(body))) return PL_ERROR_MEMORY;
  pl_point_results answer = {.closure = q->sides ? r.closure->kind : PL_CLOSURE_CLOSED};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = query_update(&stages, &body, 1);
  if (status != PL_OK) return status;
  if (def->budget_ms > 0) r.end_ms = stages.start + def->budget_ms;
  probe_target target;
  probe_take_target(&target, body);
  size_t pieces = (q->at.count + PIECE_POINTS - 1) / PIECE_POINTS;
  status = make_ready(&r, &target, pieces);
  if (status == PL_OK) status = points_run(context, piece_task, &r, q->at.count);
  if (status != PL_OK) return status;
  gather(&r, pieces, &answer);
  query_end(&stages);
  s->answer = answer;
  *out = &s->answer;
  return PL_OK;
}

pl_status points_signed(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return run(&(points_question){body, at, true, true}, def, out);
}

pl_status points_query(const points_question *q, const pl_point_def *def, points_function *run_points,
                       const pl_point_results **out)
{
  if (out) *out = NULL;
  if (!q->body || !out) return query_refuse_null(q->body ? q->body->context : NULL, q->body ? "out" : "body");
  pl_point_def d;
  call c;
  pl_status status = check(q, def, &d);
  if (status == PL_OK) status = query_enter(&c, q->body, NULL);
  if (status != PL_OK) return status;
  status = run_points(q, &d, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_closest(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return points_query(&(points_question){body, at, true, false}, def, run, out);
}

pl_status pl_body_inside(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return points_query(&(points_question){body, at, false, true}, def, run, out);
}

pl_status pl_body_signed_distance(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return points_query(&(points_question){body, at, true, true}, def, run, out);
}
