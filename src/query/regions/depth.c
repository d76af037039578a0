/* The deepest vertex of a part: its vertices from the last one that the fill reached, the
 * furthest from the contours, to the first. A search ends as soon as it has proven that a vertex
 * is not deeper than the deepest so far; most do in the leaf where the one before them ended.
 *
 * The other surface is all of the other body. Within one body it is all but the triangles at the
 * part itself. */
#include "query/probe/points.h"
#include "query/regions/regions.h"

#include <math.h>
#include <string.h>

/* The triangles that a search leaves out, within one body. */
typedef struct own_part {
  const regions_scratch *q;
  const region_surface *surface;
  uint64_t part;      /* as in surface->part; 0: none */
  uint32_t vertex[2]; /* if there is no part: triangles at these */
} own_part;

static bool is_other(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  const own_part *own = user;
  const uint32_t *corner = surface_corners(own->surface, triangle);
  for (int c = 0; c < 3; ++c) {
    if (own->part && own->surface->part.data[corner[c]] == own->part) return false;
    if (!own->part && (corner[c] == own->vertex[0] || corner[c] == own->vertex[1])) return false;
  }
  return true;
}

/* The search of points, ready for one body. */
typedef struct depth_search {
  pl_context *context;
  region_surface *other;
  bool reference;
  own_part own;
  bool filtered;
  probe_target target;
  probe_walk *walk;
} depth_search;

static pl_status search_begin(regions_run *r, unsigned other, depth_search *d)
{
  d->context = r->context;
  d->other = surface_of(r, other);
  d->reference = r->def->reference;
  d->filtered = r->self;
  d->own.q = r->q;
  d->own.surface = d->other;
  if (d->reference) return PL_OK;
  pl_counters unused = {0};
  query_stages stages = query_start(r->context, &unused);
  pl_body *body = d->other->body;
  pl_status status = query_update(&stages, &body, 1);
  if (status != PL_OK) return status;
  r->counters->n_u += unused.n_u;
  probe_take_target(&d->target, body, 0);
  d->walk = points_walk(r->context, &d->target);
  if (!d->walk) return PL_ERROR_MEMORY;
  d->walk->follows = true;
  d->walk->filter = d->filtered ? is_other : NULL;
  d->walk->user = &d->own;
  return PL_OK;
}

static void search_end(regions_run *r, const depth_search *d)
{
  if (d->reference) return;
  counters_count(r->counters, d->walk->n_v, d->walk->n_p, d->walk->n_u);
}

static void corners_at(const region_surface *s, uint32_t triangle, double out[3][3])
{
  for (int c = 0; c < 3; ++c) points_world(&s->body->motion.now, surface_corners(s, triangle)[c], out[c]);
}

/* Without trees: all triangles. */
static void nearest_plainly(depth_search *d, const double p[3], pl_point *out)
{
  out->distance = INFINITY;
  for (uint32_t t = 0; t < d->other->fans->triangle_count; ++t) {
    double corner[3][3];
    if (surface_corners(d->other, t)[0] == NO_VERTEX) continue;
    point_nearest found;
    if (d->filtered && !is_other(&d->own, 0, d->other->body, t)) continue;
    corners_at(d->other, t, corner);
    point_tri_distance(p, (const double(*)[3])corner, &found);
    if (!(found.distance < out->distance)) continue;
    out->distance = found.distance;
    out->triangle = t;
    memcpy(out->point, found.at, sizeof out->point);
  }
}

/* enough: what is certainly not further away need not be found. */
static void nearest(depth_search *d, const double p[3], double enough, pl_point *out)
{
  *out = (pl_point){.triangle = PL_NONE};
  if (d->reference) {
    nearest_plainly(d, p, out);
    return;
  }
  d->walk->enough = enough;
  kernels_of(d->context->isa)->probe->nearest(d->walk, p, 0, INFINITY, out);
}

pl_status regions_measure(regions_run *r, region_part *part)
{
  regions_scratch *q = r->q;
  const region_surface *s = &q->surface[part->surface];
  depth_search d;
  if (part->measured) return PL_OK;
  pl_status status = search_begin(r, !part->side, &d);
  if (status != PL_OK) return status;
  d.own.part = s->part.data[q->part_vertices.data[part->vertex_begin]];
  part->measured = true;
  for (size_t i = part->vertex_end; i-- > part->vertex_begin;) {
    const double *p = surface_vertex(s, q->part_vertices.data[i]);
    pl_point found;
    nearest(&d, p, part->depth, &found);
    if (found.triangle == PL_NONE || !(found.distance > part->depth)) continue;
    part->depth = found.distance;
    memcpy(part->deepest, p, sizeof part->deepest);
    memcpy(part->nearest, found.point, sizeof part->nearest);
  }
  search_end(r, &d);
  return PL_OK;
}

pl_status regions_measure_span(regions_run *r, const region_span *span, double point[3], double surface[3],
                               double *depth)
{
  const region_edge *e = &r->q->edges.data[span->edge];
  const region_surface *s = &r->q->surface[e->surface];
  depth_search d;
  pl_status status = search_begin(r, !(span->owner & 1), &d);
  if (status != PL_OK) return status;
  d.own.part = 0;
  d.own.vertex[0] = feature_low(e->feature);
  d.own.vertex[1] = feature_high(e->feature);
  edge_point(surface_vertex(s, d.own.vertex[0]), surface_vertex(s, d.own.vertex[1]), span->middle, point);
  pl_point found;
  nearest(&d, point, 0, &found);
  *depth = found.triangle == PL_NONE ? 0 : found.distance;
  memcpy(surface, found.point, sizeof found.point);
  search_end(r, &d);
  return PL_OK;
}

pl_status regions_inside(regions_run *r, unsigned s, uint32_t vertex, bool *inside)
{
  depth_search d;
  pl_status status = search_begin(r, !s, &d);
  if (status != PL_OK) return status;
  const double *p = surface_vertex(surface_of(r, s), vertex);
  int crossings = 0;
  bool on = false;
  const probe_ray ray = {p, 0, 1, 0};
  if (!d.reference) crossings = kernels_of(r->context->isa)->probe->crossings(d.walk, &ray, &on);
  for (uint32_t t = 0; d.reference && t < d.other->fans->triangle_count; ++t) {
    double corner[3][3];
    if (surface_corners(d.other, t)[0] == NO_VERTEX) continue;
    corners_at(d.other, t, corner);
    crossings += point_tri_crossing(p, (const double(*)[3])corner, 0, 1);
  }
  *inside = crossings != 0;
  search_end(r, &d);
  return PL_OK;
}
