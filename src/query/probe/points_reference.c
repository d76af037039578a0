/* Points without a tree: every point against every triangle, one body after the other. Shares
 * with the engine only the functions of one point and one triangle. Cost: O(points * triangles). */
#include "exact/point_tri.h"
#include "mesh/mesh.h"
#include "query/probe/points.h"
#include "query/soup.h"

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

/* The triangle of a body that is closest to a point, within the margin. */
void point_nearest_plainly(const soup *s, pl_body *body, const double p[3], size_t index, const pl_question *def,
                           pl_point *out, pl_counters *counters)
{
  double cut = def->margin * def->margin * (1 + 0x1p-40);
  out->distance = INFINITY;
  for (size_t i = 0; i < s->count; ++i) {
    if (soup_lacks(s, i) || apart(s, i, p) > cut) continue;
    if (def->point_filter && !def->point_filter(def->user, index, body, (uint32_t)i)) continue;
    point_nearest n;
    point_tri_distance(p, (const double(*)[3])s->corners[i], &n);
    ++counters->n_p;
    if (!(n.distance <= def->margin) || (out->triangle != PL_NONE && !(n.distance < out->distance))) continue;
    *out = (pl_point){.distance = n.distance, .u = n.u, .v = n.v, .triangle = (uint32_t)i};
    memcpy(out->point, n.at, sizeof n.at);
    cut = n.distance * n.distance * (1 + 0x1p-40);
  }
}

void point_side_plainly(const soup *s, pl_closure kind, const double p[3], pl_point *out)
{
  int crossings = 0;
  double angle = 0;
  out->winding = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const double(*t)[3] = (const double(*)[3])s->corners[i];
    if (soup_lacks(s, i)) continue;
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

/* Is `own`, of a body that was added later, the row instead of `row`? */
static bool comes_first(const point_kind *kind, const pl_point *own, const pl_point *row)
{
  if (kind->distances) return own->distance < row->distance;
  return (own->side == PL_SIDE_INSIDE && row->side != PL_SIDE_INSIDE) ||
         (own->side == PL_SIDE_ON && row->side == PL_SIDE_OUTSIDE);
}

static void take(const point_kind *kind, const pl_point *own, pl_point *row)
{
  const pl_point before = *row;
  if (comes_first(kind, own, row)) *row = *own;
  if (own->side == PL_SIDE_OUTSIDE && before.side == PL_SIDE_OUTSIDE)
    row->winding = fabs(own->winding) > fabs(before.winding) ? own->winding : before.winding;
}

/* All points against one body. */
static pl_status points_of_body(const point_question *q, const probe_body *b, pl_point *rows, pl_result *answer)
{
  const point_kind *kind = q->kind;
  const closure *c = kind->sides ? body_closure(b->body) : NULL;
  soup s = {0};
  if (kind->sides && !c) return PL_ERROR_MEMORY;
  pl_status status = soup_create(b->body, &s);
  if (status != PL_OK) return status;
  if (c && c->kind > answer->closure) answer->closure = c->kind;
  for (size_t i = 0; i < q->at.count; ++i) {
    pl_point own = {.triangle = PL_NONE, .side = PL_SIDE_OUTSIDE};
    double p[3];
    positions_get(q->at, i, p);
    if (kind->distances) point_nearest_plainly(&s, b->body, p, i, q->def, &own, &answer->counters);
    if (kind->sides) point_side_plainly(&s, c->kind, p, &own);
    if (kind->distances && own.side == PL_SIDE_INSIDE) own.distance = -own.distance;
    own.member = b->member;
    own.body = b->body;
    if (own.side != PL_SIDE_OUTSIDE) own.closure = c->kind;
    take(kind, &own, &rows[i]);
  }
  soup_free(q->context, &s);
  return PL_OK;
}

pl_status points_reference(const point_question *q, const probe_bodies *bodies, const pl_result **out)
{
  pl_status status = PL_OK;
  pl_point *rows = points_rows(q);
  if (!rows) return PL_ERROR_MEMORY;
  const double start = timer_ms();
  pl_result answer = {.points = rows, .count = q->at.count, .done = q->at.count};
  for (size_t i = 0; i < q->at.count; ++i)
    rows[i] = (pl_point){.distance = q->kind->distances ? INFINITY : 0, .triangle = PL_NONE, .member = PL_NONE};
  for (size_t i = 0; i < bodies->list.count && status == PL_OK; ++i)
    status = points_of_body(q, &bodies->list.data[i], rows, &answer);
  if (status != PL_OK) return status;
  answer.counters.ms_query = timer_ms() - start;
  *out = result_publish(q->store, &answer);
  return PL_OK;
}
