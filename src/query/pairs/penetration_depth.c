/* The deepest point of every region: first vertices, then triangles in rounds. A triangle that
 * may hold a deeper point is cut into four. */
#include "query/pairs/penetration.h"

#include <string.h>

enum { LOST_LEVELS = 3 }; /* cuts of a triangle in which no region has been seen yet */

static pl_status no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for a penetration");
}

/* The region of a class, created at first use; NULL: out of memory. */
static region_best *region_of(penetration_run *r, uint32_t node)
{
  penetration_scratch *q = r->scratch;
  uint32_t root = class_of(q, node);
  if (q->region.data[root] == UINT32_MAX) {
    if (!array_reserve(&r->context->def.allocator, &q->regions, q->regions.count + 1)) return NULL;
    q->region.data[root] = (uint32_t)q->regions.count;
    q->regions.data[q->regions.count++] = (region_best){.node = root};
  }
  return &q->regions.data[q->region.data[root]];
}

static void offer(region_best *best, const double p[3], uint32_t triangle, const pl_point *seen)
{
  if (seen->side != PL_SIDE_INSIDE || !(-seen->distance > best->result.depth)) return;
  best->result.depth = -seen->distance;
  best->result.triangle = triangle;
  best->result.other_triangle = seen->triangle;
  memcpy(best->result.point, p, sizeof best->result.point);
  memcpy(best->result.surface, seen->point, sizeof best->result.surface);
}

static double distance_to_segment(const double p[3], const pl_segment *s)
{
  double along = 0, length = 0, square = 0;
  for (int k = 0; k < 3; ++k) {
    along += (p[k] - s->from[k]) * (s->to[k] - s->from[k]);
    length += (s->to[k] - s->from[k]) * (s->to[k] - s->from[k]);
  }
  double piece = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
  for (int k = 0; k < 3; ++k) {
    double x = p[k] - s->from[k] - piece * (s->to[k] - s->from[k]);
    square += x * x;
  }
  return square;
}

/* The node that a point of a triangle belongs to: a vertex where the triangle is not cut;
 * otherwise the pair whose segment is nearest: the straight way to it crosses no other. */
static uint32_t node_at(const penetration_run *r, uint32_t triangle, const double p[3])
{
  const penetration_scratch *q = r->scratch;
  uint32_t begin = q->first.data[triangle], end = q->first.data[triangle + 1], best = begin;
  if (begin == end) return r->of->tri.data[3 * (size_t)triangle];
  double least = INFINITY;
  for (uint32_t i = begin; i < end; ++i) {
    double d = distance_to_segment(p, &q->segment.data[i]);
    if (!(d < least)) continue;
    least = d;
    best = i;
  }
  return r->vertices + best;
}

static bool add_item(penetration_run *r, const depth_item *item)
{
  penetration_scratch *q = r->scratch;
  if (!array_reserve(&r->context->def.allocator, &q->next, q->next.count + 1)) return false;
  q->next.data[q->next.count++] = *item;
  return true;
}

/* Vertices are samples. A triangle that is inside or cut is the first part as a whole. */
static pl_status begin_search(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  size_t triangles = r->of->body->tree->prims.triangle_count;
  q->regions.count = q->next.count = 0;
  for (uint32_t t = 0; t < triangles; ++t) {
    const uint32_t *v = r->of->tri.data + 3 * (size_t)t;
    bool cut = q->first.data[t] != q->first.data[t + 1], any = cut;
    for (int c = 0; c < 3; ++c) {
      if (q->vertex.data[v[c]].side != PL_SIDE_INSIDE) continue;
      region_best *best = region_of(r, v[c]);
      if (!best) return no_memory(r->context);
      offer(best, vertex_of(r->of, t, c), t, &q->vertex.data[v[c]]);
      any = true;
    }
    depth_item item = {.triangle = t};
    for (int c = 0; c < 3; ++c) memcpy(item.corner[c], vertex_of(r->of, t, c), sizeof item.corner[c]);
    if (any && !add_item(r, &item)) return no_memory(r->context);
  }
  return PL_OK;
}

/* Samples on both sides of the curve beside the middle of every segment: one of them is inside,
 * also where a region has no vertex. */
static pl_status look_beside_curves(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  size_t n = q->pairs.count;
  if (!array_reserve(&r->context->def.allocator, &q->point, 6 * n)) return no_memory(r->context);
  q->point.count = 6 * n;
  for (size_t i = 0; i < n; ++i) {
    const pl_segment *s = &q->segment.data[i];
    double e[3], f[3], d[3], m[3], normal[3], side[3], length = 0, own = 0;
    const double *a = vertex_of(r->of, q->pairs.data[i].a, 0), *b = vertex_of(r->of, q->pairs.data[i].a, 1),
                 *c = vertex_of(r->of, q->pairs.data[i].a, 2);
    for (int k = 0; k < 3; ++k) {
      e[k] = b[k] - a[k];
      f[k] = c[k] - a[k];
      d[k] = s->to[k] - s->from[k];
      m[k] = 0.5 * s->from[k] + 0.5 * s->to[k];
    }
    for (int k = 0; k < 3; ++k) normal[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    for (int k = 0; k < 3; ++k) {
      side[k] = normal[(k + 1) % 3] * d[(k + 2) % 3] - normal[(k + 2) % 3] * d[(k + 1) % 3];
      length += d[k] * d[k];
      own += side[k] * side[k];
    }
    double step = own > 0 && own < INFINITY ? 0x1p-7 * sqrt(length / own) : 0;
    for (int k = 0; k < 6; ++k) q->point.data[6 * i + (size_t)k] = m[k % 3] + (k < 3 ? step : -step) * side[k % 3];
  }
  pl_status status = penetration_measure(r);
  for (size_t i = 0; status == PL_OK && i < 2 * n; ++i) {
    if (q->found.data[i].side != PL_SIDE_INSIDE) continue;
    uint32_t t = q->pairs.data[i / 2].a;
    const double p[3] = {q->point.data[3 * i], q->point.data[3 * i + 1], q->point.data[3 * i + 2]};
    region_best *best = region_of(r, r->vertices + (uint32_t)(i / 2));
    if (!best) return no_memory(r->context);
    offer(best, p, t, &q->found.data[i]);
  }
  return status;
}

/* The least depth that a part of a triangle must exceed to be of interest to a region that it
 * may belong to; 0: none is known. */
static double depth_to_beat(penetration_run *r, uint32_t triangle)
{
  penetration_scratch *q = r->scratch;
  uint32_t begin = q->first.data[triangle], end = q->first.data[triangle + 1];
  double least = INFINITY;
  for (uint32_t i = begin; i < end || (begin == end && i == begin); ++i) {
    uint32_t root = class_of(q, begin == end ? r->of->tri.data[3 * (size_t)triangle] : r->vertices + i);
    uint32_t region = q->region.data[root];
    if (region != UINT32_MAX && q->regions.data[region].result.depth > 0)
      least = fmin(least, q->regions.data[region].result.depth);
  }
  return least < INFINITY ? least : 0;
}

/* Raises the bounds of the regions that the part may belong to. */
static void raise_bounds(penetration_run *r, uint32_t triangle, double bound)
{
  penetration_scratch *q = r->scratch;
  uint32_t begin = q->first.data[triangle], end = q->first.data[triangle + 1];
  for (uint32_t i = begin; i < end || (begin == end && i == begin); ++i) {
    uint32_t root = class_of(q, begin == end ? r->of->tri.data[3 * (size_t)triangle] : r->vertices + i);
    if (q->region.data[root] == UINT32_MAX) continue;
    pl_penetration *p = &q->regions.data[q->region.data[root]].result;
    p->bound = fmax(p->bound, bound);
  }
}

static bool cut_in_four(penetration_run *r, const depth_item *item)
{
  double middle[3][3]; /* of the edges c, c + 1 */
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) middle[c][k] = 0.5 * item->corner[c][k] + 0.5 * item->corner[(c + 1) % 3][k];
  depth_item piece = {.triangle = item->triangle, .level = item->level + 1};
  memcpy(piece.corner, middle, sizeof middle);
  if (!add_item(r, &piece)) return false;
  for (int c = 0; c < 3; ++c) {
    memcpy(piece.corner[0], item->corner[c], sizeof piece.corner[0]);
    memcpy(piece.corner[1], middle[c], sizeof piece.corner[1]);
    memcpy(piece.corner[2], middle[(c + 2) % 3], sizeof piece.corner[2]);
    if (!add_item(r, &piece)) return false;
  }
  return true;
}

static void centre_of(const depth_item *item, double centre[3], double *radius)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) centre[k] = (item->corner[0][k] + item->corner[1][k] + item->corner[2][k]) / 3;
  for (int c = 0; c < 3; ++c) {
    double own = 0;
    for (int k = 0; k < 3; ++k) own += (item->corner[c][k] - centre[k]) * (item->corner[c][k] - centre[k]);
    square = fmax(square, own);
  }
  *radius = sqrt(square) * (1 + 0x1p-40);
}

/* Measures the centres of all parts. */
static pl_status measure_items(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  if (!array_reserve(&r->context->def.allocator, &q->point, 3 * q->items.count)) return no_memory(r->context);
  q->point.count = 3 * q->items.count;
  for (size_t i = 0; i < q->items.count; ++i) {
    double radius;
    centre_of(&q->items.data[i], q->point.data + 3 * i, &radius);
  }
  pl_status status = penetration_measure(r);
  for (size_t i = 0; status == PL_OK && i < q->items.count; ++i) {
    if (q->found.data[i].side != PL_SIDE_INSIDE) continue;
    const double *p = q->point.data + 3 * i;
    region_best *best = region_of(r, node_at(r, q->items.data[i].triangle, p));
    if (!best) return no_memory(r->context);
    offer(best, p, q->items.data[i].triangle, &q->found.data[i]);
  }
  return status;
}

/* Cuts the parts that may hold a deeper point; the others bound their regions. `more`: there is
 * room for samples. */
static pl_status cut_items(penetration_run *r, size_t *samples)
{
  penetration_scratch *q = r->scratch;
  q->next.count = 0;
  for (size_t i = 0; i < q->items.count; ++i) {
    const depth_item *item = &q->items.data[i];
    double centre[3], radius, bound = 0, beat = depth_to_beat(r, item->triangle);
    centre_of(item, centre, &radius);
    bound = radius - q->found.data[i].distance;
    bool deeper = beat > 0 ? bound > beat * (1 + r->def->relative) : bound > 0 && item->level < LOST_LEVELS;
    if (deeper && *samples + 4 <= r->def->samples) {
      *samples += 4;
      if (!cut_in_four(r, item)) return no_memory(r->context);
    } else {
      raise_bounds(r, item->triangle, bound);
    }
  }
  return PL_OK;
}

pl_status penetration_search(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  size_t samples = 0;
  pl_status status = begin_search(r);
  if (status == PL_OK) status = look_beside_curves(r);
  while (status == PL_OK && q->next.count) {
    char other[sizeof q->items];
    memcpy(other, &q->items, sizeof other);
    memcpy(&q->items, &q->next, sizeof other);
    memcpy(&q->next, other, sizeof other);
    status = measure_items(r);
    if (status == PL_OK) status = cut_items(r, &samples);
  }
  for (size_t i = 0; i < q->regions.count; ++i)
    q->regions.data[i].result.bound = fmax(q->regions.data[i].result.bound, q->regions.data[i].result.depth);
  return status;
}
