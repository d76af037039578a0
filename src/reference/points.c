/* Points without a tree: every point against every triangle. Shares with the engine only the functions of one point and one triangle.
 * Cost: O(points * triangles). */
#include "query/probe/points.h"

#include "core/timer.h"
#include "mesh/mesh.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

/* A lower bound of the squared distance of a box. */
static double apart(const soup *s, size_t i, const double p[3])
{
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double gap = fmax(0, fmax(s->box[k][i] - p[k], p[k] - s->box[k + 3][i]));
    square += gap * gap;
  }
  return square * (1 - 0x1p-40) - 0x1p-1000;
}

void reference_closest(const soup *s, const double p[3], size_t index, const pl_point_def *def, pl_point_result *out,
                       pl_counters *counters)
{
  double cut = def->limit * def->limit * (1 + 0x1p-40);
  *out = (pl_point_result){.distance = INFINITY, .triangle = PL_NONE};
  for (size_t i = 0; i < s->count; ++i) {
    if (apart(s, i, p) > cut) continue;
    if (def->filter && !def->filter(def->user, index, (uint32_t)i)) continue;
    point_nearest n;
    point_tri_distance(p, (const double(*)[3])s->corners[i], &n);
    ++counters->n_p;
    if (!(n.distance <= def->limit) || (out->triangle != PL_NONE && !(n.distance < out->distance))) continue;
    *out = (pl_point_result){.distance = n.distance, .u = n.u, .v = n.v, .triangle = (uint32_t)i};
    memcpy(out->point, n.at, sizeof n.at);
    cut = n.distance * n.distance * (1 + 0x1p-40);
  }
}

static void find_side(const soup *s, pl_closure kind, const double p[3], pl_point_result *out)
{
  int crossings = 0;
  double angle = 0;
  out->winding = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const double(*t)[3] = (const double(*)[3])s->corners[i];
    if (point_tri_touch(p, t)) {
      out->side = PL_SIDE_ON;
      return;
    }
    crossings += point_tri_crossing(p, t, 0, 1);
    if (kind == PL_CLOSURE_OPEN) angle += point_tri_angle(p, t);
  }
  out->winding = kind == PL_CLOSURE_CLOSED ? crossings : kind == PL_CLOSURE_UNORIENTED ? abs(crossings) % 2 : angle;
  bool inside = kind == PL_CLOSURE_OPEN ? fabs(angle) >= 0.5 : out->winding != 0;
  out->side = inside ? PL_SIDE_INSIDE : PL_SIDE_OUTSIDE;
}

static pl_status run(const points_question *asked, const pl_point_def *def, const pl_point_results **out)
{
  pl_body *body = asked->body;
  pl_context *context = body->context;
  const pl_positions at = asked->at;
  const bool distances = asked->distances, sides = asked->sides;
  point_scratch *q = query_scratch(context, QUERY_POINTS);
  if (!q) return PL_ERROR_MEMORY;
  const closure *c = sides ? body_closure(body) : NULL;
  if (sides && !c) return PL_ERROR_MEMORY;
  if (!def->results && !array_reserve(&context->def.allocator, &q->results, at.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", at.count);
  soup s = {0};
  pl_status status = soup_create(body, &s);
  if (status != PL_OK) return status;
  double start = timer_ms();
  pl_point_results answer = {.count = at.count, .closure = c ? c->kind : PL_CLOSURE_CLOSED};
  pl_point_result *results = def->results ? def->results : q->results.data;
  for (size_t i = 0; i < at.count; ++i) {
    double p[3];
    positions_get(at, i, p);
    results[i] = (pl_point_result){.triangle = PL_NONE};
    if (distances) reference_closest(&s, p, i, def, &results[i], &answer.counters);
    if (sides) find_side(&s, c->kind, p, &results[i]);
    if (distances && results[i].side == PL_SIDE_INSIDE) results[i].distance = -results[i].distance;
  }
  soup_free(context, &s);
  answer.results = results;
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status reference_signed(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return run(&(points_question){body, at, true, true}, def, out);
}

pl_status pl_reference_closest(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return points_query(&(points_question){body, at, true, false}, def, run, out);
}

pl_status pl_reference_inside(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out)
{
  return points_query(&(points_question){body, at, false, true}, def, run, out);
}

pl_status pl_reference_signed_distance(pl_body *body, pl_positions at, const pl_point_def *def,
                                       const pl_point_results **out)
{
  return points_query(&(points_question){body, at, true, true}, def, run, out);
}
