/* The regions of one surface that lie inside another body; see penetration.h. */
#include "query/pairs/penetration.h"

#include "core/sort.h"
#include "exact/tri_tri_segment.h"

#include <string.h>

static void destroy(pl_context *context, void *scratch)
{
  penetration_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; i < 2; ++i) {
    array_free(allocator, &q->side[i].tri);
    array_free(allocator, &q->side[i].xyz);
  }
  array_free(allocator, &q->pairs);
  array_free(allocator, &q->segment);
  array_free(allocator, &q->first);
  array_free(allocator, &q->parent);
  array_free(allocator, &q->region);
  array_free(allocator, &q->vertex);
  array_free(allocator, &q->list);
  array_free(allocator, &q->point);
  array_free(allocator, &q->found);
  array_free(allocator, &q->cuts);
  array_free(allocator, &q->items);
  array_free(allocator, &q->next);
  array_free(allocator, &q->regions);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->results);
  array_free(allocator, &q->jobs);
  result_store_free(context, &q->touching);
}

const query_slot pl_inside_query_PENETRATION = {sizeof(penetration_scratch), NULL, destroy};

static pl_status no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for a penetration");
}

/* ---------------------------------------------------------------------------------- surfaces -- */

static pl_status take_surface(pl_context *context, surface *s, pl_body *body)
{
  const primitives *p = &body->tree->prims;
  const pl_allocator *allocator = &context->def.allocator;
  s->body = body;
  if (!array_reserve(allocator, &s->tri, 3 * (size_t)p->triangle_count) ||
      !array_reserve(allocator, &s->xyz, 3 * (size_t)p->vertex_count))
    return no_memory(context);
  for (size_t i = 0; i < p->triangle_count; ++i)
    memcpy(s->tri.data + 3 * (size_t)p->tri_id[i], p->tri + 3 * i, 3 * sizeof *p->tri);
  for (uint32_t v = 0; v < p->vertex_count; ++v) points_world(&body->motion.now, v, s->xyz.data + 3 * (size_t)v);
  return PL_OK;
}

pl_status penetration_measure(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  size_t n = q->point.count / 3;
  if (!array_reserve(&r->context->def.allocator, &q->found, n)) return no_memory(r->context);
  pl_question def = pl_question_default();
  const pl_result *seen;
  def.margin = INFINITY;
  def.points = q->found.data;
  pl_status status = r->distance(r->other->body, pl_positions_f64(q->point.data, n), &def, &seen);
  if (status != PL_OK) return status;
  r->counters->n_v += seen->counters.n_v;
  r->counters->n_p += seen->counters.n_p;
  r->counters->n_u += seen->counters.n_u;
  return PL_OK;
}

/* Sides and depths of the vertices. Those beyond the other body's box are outside. */
static pl_status measure_vertices(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  const pl_allocator *allocator = &r->context->def.allocator;
  aabb box = body_world_box(r->other->body);
  if (!array_reserve(allocator, &q->vertex, r->vertices) || !array_reserve(allocator, &q->list, r->vertices) ||
      !array_reserve(allocator, &q->point, 3 * (size_t)r->vertices))
    return no_memory(r->context);
  q->list.count = q->point.count = 0;
  for (uint32_t v = 0; v < r->vertices; ++v) {
    const double *x = r->of->xyz.data + 3 * (size_t)v;
    bool in = true;
    for (int k = 0; k < 3; ++k) in = in && x[k] >= (double)box.lower[k] && x[k] <= (double)box.upper[k];
    q->vertex.data[v] = (pl_point){.distance = INFINITY, .triangle = PL_NONE};
    if (!in) continue;
    q->list.data[q->list.count++] = v;
    memcpy(q->point.data + q->point.count, x, 3 * sizeof *x);
    q->point.count += 3;
  }
  pl_status status = penetration_measure(r);
  for (size_t i = 0; status == PL_OK && i < q->list.count; ++i) q->vertex.data[q->list.data[i]] = q->found.data[i];
  return status;
}

static bool is_inside(const penetration_scratch *q, uint32_t v) { return q->vertex.data[v].side == PL_SIDE_INSIDE; }

/* ------------------------------------------------------------------------------------- pairs -- */

/* The touching pairs by the surface's triangle, with their segments. */
static pl_status take_pairs(penetration_run *r, bool turned)
{
  penetration_scratch *q = r->scratch;
  const pl_allocator *allocator = &r->context->def.allocator;
  const pl_pair *rows = (const void *)q->touching.rows.data;
  size_t n = q->touching.rows.count, triangles = r->of->body->tree->prims.triangle_count;
  if (!array_reserve(allocator, &q->pairs, n) || !array_reserve(allocator, &q->segment, n) ||
      !array_reserve(allocator, &q->first, triangles + 1) || !array_reserve(allocator, &q->keys, n) ||
      !array_reserve(allocator, &q->sorting, n))
    return no_memory(r->context);
  for (size_t i = 0; i < n; ++i) {
    uint32_t a = turned ? rows[i].b : rows[i].a, b = turned ? rows[i].a : rows[i].b;
    q->keys.data[i] = (uint64_t)a << 32 | b;
  }
  sort_keys(q->keys.data, q->sorting.data, n);
  memset(q->first.data, 0, (triangles + 1) * sizeof *q->first.data);
  for (size_t i = 0; i < n; ++i) {
    q->pairs.data[i] = (pl_pair){(uint32_t)(q->keys.data[i] >> 32), (uint32_t)q->keys.data[i]};
    ++q->first.data[q->pairs.data[i].a + 1];
  }
  for (size_t t = 0; t < triangles; ++t) q->first.data[t + 1] += q->first.data[t];
  q->pairs.count = n;
  return segments_of(r->of->body, r->other->body, q->pairs.data, n, q->segment.data);
}

static void join(penetration_scratch *q, uint32_t a, uint32_t b)
{
  a = class_of(q, a);
  b = class_of(q, b);
  if (a != b) q->parent.data[a > b ? a : b] = a > b ? b : a;
}

/* -------------------------------------------------------------------------------------- cuts -- */

static bool cut_before(const edge_cut *a, const edge_cut *b)
{
  if (a->edge != b->edge) return a->edge < b->edge;
  if (a->at != b->at) return a->at < b->at;
  return a->other != b->other ? a->other < b->other : a->pair < b->pair;
}

static void sort_cuts(edge_cut *cuts, size_t count)
{
  for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (size_t i = gap; i < count; ++i) {
      edge_cut cut = cuts[i];
      size_t at = i;
      for (; at >= gap && cut_before(&cut, &cuts[at - gap]); at -= gap) cuts[at] = cuts[at - gap];
      cuts[at] = cut;
    }
}

static bool add_cut(penetration_run *r, edge_cut cut)
{
  penetration_scratch *q = r->scratch;
  if (!array_reserve(&r->context->def.allocator, &q->cuts, q->cuts.count + 1)) return false;
  q->cuts.data[q->cuts.count++] = cut;
  return true;
}

/* Edges of triangle t of one surface that meet triangle `with` of the other. */
static bool cut_edges(penetration_run *r, const surface *s, uint32_t t, const surface *other, uint32_t with,
                      uint32_t pair)
{
  double corners[3][3];
  for (int c = 0; c < 3; ++c) memcpy(corners[c], vertex_of(other, with, c), sizeof corners[c]);
  for (int c = 0; c < 3; ++c) {
    uint32_t u = s->tri.data[3 * (size_t)t + (size_t)c], v = s->tri.data[3 * (size_t)t + (size_t)((c + 1) % 3)];
    uint32_t lo = u < v ? u : v, hi = u < v ? v : u;
    double at;
    if (!edge_tri_meet(s->xyz.data + 3 * (size_t)lo, s->xyz.data + 3 * (size_t)hi, (const double(*)[3])corners, &at))
      continue;
    if (!add_cut(r, (edge_cut){(uint64_t)lo << 32 | hi, at, s == r->of ? with : t, pair})) return false;
  }
  return true;
}

/* Edges of the other body join the pairs of one triangle of the surface. */
static pl_status follow_curves(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  q->cuts.count = 0;
  for (size_t i = 0; i < q->pairs.count; ++i)
    if (!cut_edges(r, r->other, q->pairs.data[i].b, r->of, q->pairs.data[i].a, (uint32_t)i))
      return no_memory(r->context);
  for (size_t i = 0; i < q->cuts.count; ++i) { /* by edge and triangle of the surface */
    q->cuts.data[i].other = q->pairs.data[q->cuts.data[i].pair].a;
    q->cuts.data[i].at = 0;
  }
  sort_cuts(q->cuts.data, q->cuts.count);
  for (size_t i = 1; i < q->cuts.count; ++i) {
    const edge_cut *a = &q->cuts.data[i - 1], *b = &q->cuts.data[i];
    if (a->edge == b->edge && a->other == b->other) join(q, r->vertices + a->pair, r->vertices + b->pair);
  }
  return PL_OK;
}

/* Lists all edges of triangles with a pair, and where they are cut. */
static pl_status list_cuts(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  q->cuts.count = 0;
  for (size_t i = 0; i < q->pairs.count; ++i) {
    uint32_t t = q->pairs.data[i].a;
    if (!cut_edges(r, r->of, t, r->other, q->pairs.data[i].b, (uint32_t)i)) return no_memory(r->context);
    for (int c = 0; c < 3 && (!i || q->pairs.data[i - 1].a != t); ++c) {
      uint32_t u = r->of->tri.data[3 * (size_t)t + (size_t)c],
               v = r->of->tri.data[3 * (size_t)t + (size_t)((c + 1) % 3)];
      edge_cut there = {(uint64_t)(u < v ? u : v) << 32 | (u < v ? v : u), -1, 0, UINT32_MAX};
      if (!add_cut(r, there)) return no_memory(r->context);
    }
  }
  sort_cuts(q->cuts.data, q->cuts.count);
  return PL_OK;
}

/* The cuts [begin, end) of one edge: joins its ends to the first and last cut, joins cuts at one
 * place, and lists the middles of the pieces between them. */
static bool join_cuts(penetration_run *r, size_t begin, size_t end)
{
  const double same = 0x1p-43;
  penetration_scratch *q = r->scratch;
  uint32_t lo = (uint32_t)(q->cuts.data[begin].edge >> 32), hi = (uint32_t)q->cuts.data[begin].edge;
  while (begin < end && q->cuts.data[begin].at < 0) ++begin;
  if (begin == end) {
    if (is_inside(q, lo)) join(q, lo, hi);
    return true;
  }
  if (is_inside(q, lo)) join(q, lo, r->vertices + q->cuts.data[begin].pair);
  if (is_inside(q, hi)) join(q, hi, r->vertices + q->cuts.data[end - 1].pair);
  for (size_t i = begin + 1; i < end; ++i) {
    const edge_cut *a = &q->cuts.data[i - 1], *b = &q->cuts.data[i];
    if (b->at - a->at <= same) {
      join(q, r->vertices + a->pair, r->vertices + b->pair);
      continue;
    }
    const pl_allocator *allocator = &r->context->def.allocator;
    if (!array_reserve(allocator, &q->point, q->point.count + 3) ||
        !array_reserve(allocator, &q->list, q->list.count + 2))
      return false;
    const double *x = r->of->xyz.data + 3 * (size_t)lo, *y = r->of->xyz.data + 3 * (size_t)hi;
    double piece = 0.5 * (a->at + b->at);
    for (int k = 0; k < 3; ++k) q->point.data[q->point.count++] = (1 - piece) * x[k] + piece * y[k];
    q->list.data[q->list.count++] = a->pair;
    q->list.data[q->list.count++] = b->pair;
  }
  return true;
}

static pl_status join_edges(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  q->point.count = q->list.count = 0;
  for (size_t begin = 0, end; begin < q->cuts.count; begin = end) {
    for (end = begin + 1; end < q->cuts.count && q->cuts.data[end].edge == q->cuts.data[begin].edge; ++end) continue;
    if (!join_cuts(r, begin, end)) return no_memory(r->context);
  }
  pl_status status = penetration_measure(r);
  for (size_t i = 0; status == PL_OK && i < q->point.count / 3; ++i)
    if (q->found.data[i].side == PL_SIDE_INSIDE)
      join(q, r->vertices + q->list.data[2 * i], r->vertices + q->list.data[2 * i + 1]);
  return status;
}

static pl_status make_classes(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  const pl_allocator *allocator = &r->context->def.allocator;
  size_t nodes = r->vertices + q->pairs.count, triangles = r->of->body->tree->prims.triangle_count;
  if (nodes >= UINT32_MAX || !array_reserve(allocator, &q->parent, nodes) ||
      !array_reserve(allocator, &q->region, nodes))
    return no_memory(r->context);
  for (size_t i = 0; i < nodes; ++i) {
    q->parent.data[i] = (uint32_t)i;
    q->region.data[i] = UINT32_MAX;
  }
  for (size_t t = 0; t < triangles; ++t) {
    const uint32_t *v = r->of->tri.data + 3 * t;
    if (q->first.data[t] != q->first.data[t + 1] || !is_inside(q, v[0])) continue;
    join(q, v[0], v[1]);
    join(q, v[0], v[2]);
  }
  pl_status status = follow_curves(r);
  if (status == PL_OK) status = list_cuts(r);
  return status == PL_OK ? join_edges(r) : status;
}

/* ------------------------------------------------------------------------------------- query -- */

/* Appends the regions of this direction to the results, the deepest first. */
static pl_status append_results(penetration_run *r)
{
  penetration_scratch *q = r->scratch;
  size_t begin = q->results.count;
  if (!array_reserve(&r->context->def.allocator, &q->results, begin + q->regions.count)) return no_memory(r->context);
  for (size_t i = 0; i < q->regions.count; ++i) {
    pl_penetration p = q->regions.data[i].result;
    if (!(p.depth > 0)) continue;
    p.body = r->of->body;
    p.other = r->other->body;
    double length = 0;
    for (int k = 0; k < 3; ++k) length = fmax(length, fabs(p.direction[k] = p.surface[k] - p.point[k]));
    double scale = length > 0 ? 1 / length : 0, square = 0;
    for (int k = 0; k < 3; ++k) square += (p.direction[k] * scale) * (p.direction[k] * scale);
    for (int k = 0; k < 3; ++k) p.direction[k] = square > 0 ? p.direction[k] * scale / sqrt(square) : 0;
    size_t at = q->results.count++;
    for (; at > begin && q->results.data[at - 1].depth < p.depth; --at) q->results.data[at] = q->results.data[at - 1];
    q->results.data[at] = p;
  }
  return PL_OK;
}

static pl_status run_side(penetration_run *r, bool turned)
{
  pl_status status = take_pairs(r, turned);
  if (status == PL_OK) status = measure_vertices(r);
  if (status == PL_OK) status = make_classes(r);
  if (status == PL_OK) status = penetration_search(r);
  return status == PL_OK ? append_results(r) : status;
}

pl_status penetration_bodies(pl_context *context, penetration_scratch *q, pl_body *a, pl_body *b,
                             penetration_distance *distance, const pl_question *def, pl_counters *counters)
{
  pl_status status = take_surface(context, &q->side[0], a);
  if (status == PL_OK) status = take_surface(context, &q->side[1], b);
  for (int side = 0; side < 2 && status == PL_OK; ++side) {
    penetration_run r = {context, q, distance, def, &q->side[side], &q->side[!side], 0, counters};
    const closure *inside = body_closure(r.other->body);
    if (!inside) return PL_ERROR_MEMORY;
    if (inside->kind == PL_CLOSURE_OPEN) continue;
    r.vertices = r.of->body->tree->prims.vertex_count;
    status = run_side(&r, side);
  }
  return status;
}
