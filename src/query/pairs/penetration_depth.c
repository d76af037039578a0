/* The deepest points of all parts of a surface, best first. Vertices that are inside come first:
 * most are proven to be less deep than the deepest so far by what was closest to a neighbour.
 * Then come the items, the one with the greatest bound first, which is cut in two at its longest
 * side, until no bound is much deeper than the deepest point. Cost: a search of the nearest point
 * for each vertex and cut that may be deeper, about a microsecond; half of that for each bound. */
#include "query/pairs/penetration.h"

#include "core/heap.h"

#include <math.h>
#include <string.h>

enum { LOST_LEVELS = 6, HINTS = 4 }; /* cuts of an item in which nothing inside has been seen yet */

#define DEEPER(o, x, y) ((void)(o), (x).bound > (y).bound)
HEAP(items, depth_item, void, DEEPER, HEAP_PUT)

/* ------------------------------------------------------------------------------------- parts -- */

/* The part of a class, created at first use; NULL: out of memory. */
static part_best *part_of(penetration_run *r, uint32_t node)
{
  penetration_work *w = r->work;
  const uint32_t root = class_of(w, node);
  if (w->part.data[root] == UINT32_MAX) {
    if (!penetration_reserve(r, &w->parts, w->parts.count + 1)) return NULL;
    w->part.data[root] = (uint32_t)w->parts.count;
    w->parts.data[w->parts.count++] = (part_best){.node = root};
  }
  return &w->parts.data[w->part.data[root]];
}

static void offer(part_best *best, const double p[3], uint32_t triangle, const pl_point *seen)
{
  if (!(seen->distance > best->result.depth)) return;
  best->result.depth = seen->distance;
  best->result.triangle = triangle;
  best->result.other_triangle = seen->triangle;
  memcpy(best->result.point, p, sizeof best->result.point);
  memcpy(best->result.surface, seen->point, sizeof best->result.surface);
}

static double reach(const penetration_run *r, const part_best *best)
{
  return best->result.depth * (1 + r->def->relative);
}

static void raise_bound(part_best *best, double bound) { best->result.bound = fmax(best->result.bound, bound); }

/* ----------------------------------------------------------------------------------- points -- */

/* Replaces the foot by one on a triangle of the other surface, if that is nearer. */
static void try_foot(penetration_run *r, const double p[3], uint32_t triangle, foot *best)
{
  foot own;
  if (triangle == best->triangle || triangle == PL_NONE) return;
  penetration_foot(r, p, triangle, &own);
  if (own.distance < best->distance) *best = own;
}

/* Finds the foot of a point of a triangle, unless the one that it has proves that the point is not
 * deeper than the deepest of its part. */
static pl_status look(penetration_run *r, part_best *best, uint32_t triangle, bool inside, depth_corner *c)
{
  pl_point seen;
  if (c->foot.distance <= best->result.depth) return PL_OK;
  r->node = best->node;
  const bool known = c->foot.distance < INFINITY;
  if (!penetration_nearest(r, c->at, known ? points_near_by(c->at, c->foot.at) : INFINITY, &seen)) return PL_OK;
  memcpy(c->foot.at, seen.point, sizeof c->foot.at);
  c->foot.distance = seen.distance;
  c->foot.triangle = seen.triangle;
  if (!(seen.distance > best->result.depth)) return PL_OK;
  if (inside || penetration_inside(r, c->at, triangle))
    offer(best, c->at, triangle, &seen);
  else
    c->clear = seen.distance;
  return PL_OK;
}

/* The foot of a vertex that is inside, from those of other corners of the triangle, and from what
 * cuts it. */
static pl_status look_at_vertex(penetration_run *r, uint32_t triangle, uint32_t vertex)
{
  penetration_work *w = r->work;
  const uint32_t *v = corners_of(r, triangle), begin = w->first.data[triangle];
  depth_corner c = {.foot = NO_FOOT};
  if (w->feet.data[vertex].triangle != PL_NONE) return PL_OK;
  part_best *best = part_of(r, vertex);
  if (!best) return penetration_no_memory(r);
  memcpy(c.at, vertex_of(r, vertex), sizeof c.at);
  for (int i = 0; i < 3; ++i)
    if (w->feet.data[v[i]].triangle != PL_NONE && class_of(w, v[i]) == best->node)
      try_foot(r, c.at, w->feet.data[v[i]].triangle, &c.foot);
  r->node = best->node;
  for (uint32_t i = begin; i < w->first.data[triangle + 1] && i < begin + HINTS; ++i)
    if (penetration_is_other(r, w->pairs.data[i].b)) try_foot(r, c.at, w->pairs.data[i].b, &c.foot);
  pl_status status = look(r, best, triangle, true, &c);
  w->feet.data[vertex] = c.foot;
  return status;
}

static pl_status look_at_vertices(penetration_run *r)
{
  penetration_work *w = r->work;
  pl_status status = PL_OK;
  for (uint32_t v = 0; v < r->vertices; ++v) w->feet.data[v] = NO_FOOT;
  for (uint32_t t = 0; t < r->job->fans[0]->triangle_count; ++t)
    for (int c = 0; c < 3 && status == PL_OK; ++c) {
      const uint32_t v = corners_of(r, t)[c];
      if (v != NO_VERTEX && is_inside(w, v)) status = look_at_vertex(r, t, v);
    }
  return status;
}

/* ------------------------------------------------------------------------------------- items -- */

static double apart(const depth_corner *a, const depth_corner *b)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) square += (a->at[k] - b->at[k]) * (a->at[k] - b->at[k]);
  return sqrt(square);
}

/* Is no point of the item inside? A point outside of a closed surface has none of it around as far
 * as its distance. Open ones have no such border: then as far as corners tell. */
static bool is_outside(const penetration_run *r, const depth_item *item)
{
  const depth_corner *c = item->corner;
  if (r->job->closure->kind == PL_CLOSURE_OPEN) return c[0].clear > 0 && c[1].clear > 0 && c[2].clear > 0;
  for (int i = 0; i < 3; ++i)
    if (c[i].clear > fmax(apart(&c[i], &c[(i + 1) % 3]), apart(&c[i], &c[(i + 2) % 3])) + r->slack) return true;
  return false;
}

/* Adds an item to those that are searched, or raises the bound of its part. */
static pl_status add_item(penetration_run *r, depth_item *item)
{
  penetration_work *w = r->work;
  part_best *best = part_of(r, item->node);
  if (!best) return penetration_no_memory(r);
  if (!item->inside && is_outside(r, item)) return PL_OK;
  item->bound = fmin(item->bound, penetration_bound(r, item));
  const double least = best->result.depth > 0 ? reach(r, best) : 2 * r->slack; /* such depths are rounding */
  if (item->bound <= least) {
    raise_bound(best, item->bound);
    return PL_OK;
  }
  if (!penetration_reserve(r, &w->items, w->items.count + 1)) return penetration_no_memory(r);
  items_push(NULL, w->items.data, &w->items.count, *item);
  return PL_OK;
}

depth_corner penetration_corner(const penetration_run *r, uint32_t vertex)
{
  depth_corner c = {.foot = r->work->feet.data[vertex]};
  memcpy(c.at, vertex_of(r, vertex), sizeof c.at);
  return c;
}

/* The same of an item whose corners may have no feet yet: they are beyond the part. */
static pl_status look_and_add(penetration_run *r, depth_item *item)
{
  part_best *best = part_of(r, item->node);
  if (!best) return penetration_no_memory(r);
  for (int c = 0; c < 3; ++c) {
    depth_corner *own = &item->corner[c];
    if (own->foot.triangle != PL_NONE) continue;
    for (int i = 0; i < 3; ++i) try_foot(r, own->at, item->corner[i].foot.triangle, &own->foot);
    pl_status status = look(r, best, item->triangle, false, own);
    if (status != PL_OK) return status;
    if (own->foot.triangle == PL_NONE) return PL_OK; /* nothing else is there */
  }
  return add_item(r, item);
}

/* All of a triangle. */
static pl_status add_whole(penetration_run *r, uint32_t triangle, uint32_t node, bool inside)
{
  const uint32_t *v = corners_of(r, triangle);
  depth_item item = {.bound = INFINITY, .node = node, .triangle = triangle, .inside = inside};
  for (int c = 0; c < 3; ++c) item.corner[c] = penetration_corner(r, v[c]);
  return look_and_add(r, &item);
}

/* What a class has of a triangle that is cut: the hull, as a fan. */
static pl_status add_hull(penetration_run *r, uint32_t triangle, uint32_t node)
{
  size_t count = 0;
  const depth_corner *corner = penetration_hull(r, triangle, node, &count);
  pl_status status = corner ? PL_OK : penetration_no_memory(r);
  for (size_t i = 1; i + 1 < count && status == PL_OK; ++i) {
    depth_item item = {{corner[0], corner[i], corner[i + 1]}, INFINITY, node, triangle, 0, false};
    status = look_and_add(r, &item);
  }
  return status;
}

/* The class of node i of a triangle: of a corner, or of a pair; UINT32_MAX: of none. */
static uint32_t class_at(const penetration_run *r, uint32_t triangle, uint32_t i)
{
  const penetration_work *w = r->work;
  if (i >= 3) return class_of(w, r->vertices + w->first.data[triangle] + i - 3);
  const uint32_t v = corners_of(r, triangle)[i];
  return is_inside(w, v) ? class_of(w, v) : UINT32_MAX;
}

/* The items of all classes of a triangle that is cut. */
static pl_status add_cut(penetration_run *r, uint32_t triangle)
{
  const penetration_work *w = r->work;
  const bool whole = r->job->closure->kind == PL_CLOSURE_OPEN || penetration_is_flat(r, triangle);
  const uint32_t nodes = 3 + w->first.data[triangle + 1] - w->first.data[triangle];
  pl_status status = PL_OK;
  for (uint32_t i = 0; i < nodes && status == PL_OK; ++i) {
    const uint32_t node = class_at(r, triangle, i);
    bool again = node == UINT32_MAX;
    for (uint32_t k = 0; k < i && !again; ++k) again = class_at(r, triangle, k) == node;
    if (!again) status = whole ? add_whole(r, triangle, node, false) : add_hull(r, triangle, node);
  }
  return status;
}

static pl_status add_items(penetration_run *r)
{
  penetration_work *w = r->work;
  pl_status status = PL_OK;
  for (uint32_t t = 0; t < r->job->fans[0]->triangle_count && status == PL_OK; ++t) {
    const uint32_t *v = corners_of(r, t);
    if (v[0] == NO_VERTEX) continue;
    if (is_cut(w, t)) {
      status = add_cut(r, t);
      continue;
    }
    const bool in[3] = {is_inside(w, v[0]), is_inside(w, v[1]), is_inside(w, v[2])};
    if (in[0] || in[1] || in[2])
      status = add_whole(r, t, class_of(w, v[in[0] ? 0 : in[1] ? 1 : 2]), r->job->closure->kind != PL_CLOSURE_OPEN);
  }
  return status;
}

/* ------------------------------------------------------------------------------------ search -- */

static void middle_of(const depth_corner *a, const depth_corner *b, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = 0.5 * a->at[k] + 0.5 * b->at[k];
}

static pl_status look_between(penetration_run *r, const depth_item *item, depth_corner *c)
{
  part_best *best = part_of(r, item->node);
  if (!best) return penetration_no_memory(r);
  c->foot = NO_FOOT;
  c->clear = 0;
  for (int i = 0; i < 3; ++i) try_foot(r, c->at, item->corner[i].foot.triangle, &c->foot);
  return look(r, best, item->triangle, item->inside, c);
}

/* Cuts an item at the middle of its longest side. */
static pl_status cut_item(penetration_run *r, const depth_item *item)
{
  const depth_corner *c = item->corner;
  const double length[3] = {apart(&c[0], &c[1]), apart(&c[1], &c[2]), apart(&c[2], &c[0])};
  const int longer = length[1] > length[0] ? 1 : 0, side = length[2] > length[longer] ? 2 : longer;
  depth_corner middle;
  middle_of(&c[side], &c[(side + 1) % 3], middle.at);
  pl_status status = look_between(r, item, &middle);
  for (int half = 0; half < 2 && status == PL_OK; ++half) {
    depth_item piece = *item;
    ++piece.level;
    piece.corner[(side + half) % 3] = middle;
    status = add_item(r, &piece);
  }
  return status;
}

/* Nothing of the part has been seen yet: looks at the middle of the item. */
static pl_status look_inside(penetration_run *r, const depth_item *item)
{
  depth_corner middle;
  for (int k = 0; k < 3; ++k)
    middle.at[k] = item->corner[0].at[k] / 3 + item->corner[1].at[k] / 3 + item->corner[2].at[k] / 3;
  return look_between(r, item, &middle);
}

static pl_status search_item(penetration_run *r, const depth_item *item, size_t *samples)
{
  part_best *best = part_of(r, item->node);
  if (!best) return penetration_no_memory(r);
  if (!(best->result.depth > 0)) {
    pl_status status = look_inside(r, item);
    if (status != PL_OK) return status;
    if (!(best->result.depth > 0) && item->level < LOST_LEVELS) return cut_item(r, item);
  }
  const bool deeper = best->result.depth > 0 && item->bound > reach(r, best) && item->bound < INFINITY;
  if (deeper && (*samples)++ < r->def->samples) return cut_item(r, item);
  raise_bound(best, item->bound);
  return PL_OK;
}

pl_status penetration_search(penetration_run *r)
{
  penetration_work *w = r->work;
  size_t samples = 0;
  w->parts.count = w->items.count = 0;
  if (!penetration_reserve(r, &w->feet, r->vertices)) return penetration_no_memory(r);
  pl_status status = look_at_vertices(r);
  if (status == PL_OK) status = add_items(r);
  while (status == PL_OK && w->items.count) {
    const depth_item item = items_pop(NULL, w->items.data, &w->items.count);
    status = search_item(r, &item, &samples);
  }
  for (size_t i = 0; i < w->parts.count; ++i) raise_bound(&w->parts.data[i], w->parts.data[i].result.depth);
  return status;
}
