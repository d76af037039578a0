/* Which vertices and pairs belong to one part of the surface; see penetration.h. Cost: O(vertices +
 * triangles) for the surface, a microsecond for each pair, and one ray for each of the connected
 * pieces that the pairs leave of the surface. */
#include "query/pairs/penetration.h"

#include "core/sort.h"
#include "exact/tri_tri_segment.h"

#include <math.h>
#include <string.h>

static void join(penetration_work *w, uint32_t a, uint32_t b)
{
  a = class_of(w, a);
  b = class_of(w, b);
  if (a != b) w->parent.data[a > b ? a : b] = a > b ? b : a;
}

/* ---------------------------------------------------------------------------- pairs and cuts -- */

/* The touching pairs by the surface's triangle; within one body each of them both ways. */
static pl_status take_pairs(penetration_run *r, const pl_pair *rows, size_t count)
{
  penetration_work *w = r->work;
  const penetration_job *j = r->job;
  const bool itself = j->of == j->other;
  const size_t triangles = j->fans[0]->triangle_count, n = itself ? 2 * count : count;
  if (r->vertices + n >= UINT32_MAX || !penetration_reserve(r, &w->pairs, n) || !penetration_reserve(r, &w->keys, n) ||
      !penetration_reserve(r, &w->sorting, n) || !penetration_reserve(r, &w->first, triangles + 1))
    return penetration_no_memory(r);
  for (size_t i = 0; i < count; ++i) {
    w->keys.data[i] = j->turned ? runner_pair_key(rows[i].b, rows[i].a) : runner_pair_key(rows[i].a, rows[i].b);
    if (itself) w->keys.data[count + i] = runner_pair_key(rows[i].b, rows[i].a);
  }
  sort_keys(w->keys.data, w->sorting.data, n);
  memset(w->first.data, 0, (triangles + 1) * sizeof *w->first.data);
  for (size_t i = 0; i < n; ++i) {
    w->pairs.data[i] = (pl_pair){(uint32_t)(w->keys.data[i] >> 32), (uint32_t)w->keys.data[i]};
    ++w->first.data[w->pairs.data[i].a + 1];
  }
  for (size_t t = 0; t < triangles; ++t) w->first.data[t + 1] += w->first.data[t];
  w->pairs.count = n;
  return PL_OK;
}

static bool cut_before(const edge_cut *a, const edge_cut *b)
{
  if (a->edge != b->edge) return a->edge < b->edge;
  if (a->at != b->at) return a->at < b->at;
  return a->triangle != b->triangle ? a->triangle < b->triangle : a->pair < b->pair;
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

/* A triangle with the vertices of one surface, whose edges are cut by one of the other. */
typedef struct cut_side {
  const double *xyz;
  const uint32_t *corner;
} cut_side;

/* Adds the cuts of the edges of a triangle, and their points; there is room for three. */
static size_t cut_edges(penetration_work *w, const cut_side *s, const cut_side *with, edge_cut cut, edge_cut *out)
{
  double t[3][3];
  size_t count = 0;
  for (int c = 0; c < 3; ++c) memcpy(t[c], with->xyz + 3 * (size_t)with->corner[c], sizeof t[c]);
  for (int c = 0; c < 3; ++c) {
    const uint32_t u = s->corner[c], v = s->corner[(c + 1) % 3], lo = u < v ? u : v, hi = u < v ? v : u;
    const double *x = s->xyz + 3 * (size_t)lo, *y = s->xyz + 3 * (size_t)hi;
    cut.edge = (uint64_t)lo << 32 | hi;
    if (!edge_tri_meet(x, y, (const double(*)[3])t, &cut.at)) continue;
    out[count++] = cut;
    for (int k = 0; k < 3; ++k) w->points.data[w->points.count++] = (1 - cut.at) * x[k] + cut.at * y[k];
  }
  return count;
}

/* Lists all edges of triangles with a pair, where they are cut, and where those of the other
 * surface are. */
static pl_status list_cuts(penetration_run *r)
{
  penetration_work *w = r->work;
  const size_t n = w->pairs.count;
  const double *other = r->job->of == r->job->other ? w->xyz.data : w->xyz_other.data;
  if (!penetration_reserve(r, &w->cuts, 6 * n) || !penetration_reserve(r, &w->others, 3 * n) ||
      !penetration_reserve(r, &w->points, 18 * n) || !penetration_reserve(r, &w->first_point, n + 1))
    return penetration_no_memory(r);
  w->cuts.count = w->others.count = w->points.count = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t a = w->pairs.data[i].a, b = w->pairs.data[i].b;
    const cut_side own = {w->xyz.data, corners_of(r, a)}, by = {other, r->job->fans[1]->corner + 3 * (size_t)b};
    edge_cut cut = {.triangle = b, .pair = (uint32_t)i};
    w->first_point.data[i] = (uint32_t)(w->points.count / 3);
    w->cuts.count += cut_edges(w, &own, &by, cut, w->cuts.data + w->cuts.count);
    cut.triangle = a;
    w->others.count += cut_edges(w, &by, &own, cut, w->others.data + w->others.count);
    for (int c = 0; c < 3 && (!i || w->pairs.data[i - 1].a != a); ++c) {
      const uint32_t u = own.corner[c], v = own.corner[(c + 1) % 3];
      w->cuts.data[w->cuts.count++] = (edge_cut){(uint64_t)(u < v ? u : v) << 32 | (u < v ? v : u), -1, 0, UINT32_MAX};
    }
  }
  w->first_point.data[n] = (uint32_t)(w->points.count / 3);
  sort_cuts(w->cuts.data, w->cuts.count);
  return PL_OK;
}

/* One past the cuts of the edge that begins at `begin`; *uncut: there is none. */
static size_t edge_end(const penetration_work *w, size_t begin, bool *uncut)
{
  size_t end = begin;
  while (end < w->cuts.count && w->cuts.data[end].edge == w->cuts.data[begin].edge) ++end;
  *uncut = w->cuts.data[end - 1].at < 0;
  return end;
}

/* ------------------------------------------------------------------------------------- sides -- */

/* A triangle at a vertex, one without a pair if there is such; PL_NONE: none. */
static uint32_t triangle_at(const penetration_run *r, uint32_t vertex)
{
  const mesh_fans *f = r->job->fans[0];
  uint32_t found = PL_NONE;
  for (uint32_t i = f->first[vertex]; i < f->first[vertex + 1]; ++i) {
    found = f->around[i];
    if (!is_cut(r->work, found)) break;
  }
  return found;
}

/* With a closed surface, what is joined without a cut is on one side. */
static void join_uncut(penetration_run *r)
{
  penetration_work *w = r->work;
  const uint32_t triangles = (uint32_t)r->job->fans[0]->triangle_count;
  const bool open = r->job->closure->kind == PL_CLOSURE_OPEN;
  for (uint32_t t = 0; t < triangles; ++t) {
    const uint32_t *v = corners_of(r, t);
    if (v[0] == NO_VERTEX || is_cut(w, t)) continue;
    for (int c = 0; c < 3; ++c) {
      const uint32_t next = v[(c + 1) % 3];
      const bool out = w->side.data[v[c]] == VERTEX_OUTSIDE || w->side.data[next] == VERTEX_OUTSIDE;
      if (open ? !out : !(w->side.data[v[c]] == VERTEX_OUTSIDE && w->side.data[next] == VERTEX_OUTSIDE))
        join(w, v[c], next);
    }
  }
  bool uncut;
  for (size_t i = 0, end; i < w->cuts.count; i = end) {
    end = edge_end(w, i, &uncut);
    const uint32_t lo = (uint32_t)(w->cuts.data[i].edge >> 32), hi = (uint32_t)w->cuts.data[i].edge;
    if (uncut && (!open || (is_inside(w, lo) && is_inside(w, hi)))) join(w, lo, hi);
  }
}

static void decide_vertex(penetration_run *r, uint32_t v)
{
  const uint32_t triangle = triangle_at(r, v);
  const bool inside = triangle != PL_NONE && penetration_inside(r, vertex_of(r, v), triangle);
  r->work->side.data[v] = inside ? VERTEX_INSIDE : VERTEX_OUTSIDE;
}

/* Vertices beyond the other surface's box are outside. The root of a class is its first vertex. */
static void decide_sides(penetration_run *r)
{
  penetration_work *w = r->work;
  const bool open = r->job->closure->kind == PL_CLOSURE_OPEN;
  for (uint32_t v = 0; v < r->vertices; ++v)
    w->side.data[v] = penetration_in_box(r, vertex_of(r, v)) ? VERTEX_UNKNOWN : VERTEX_OUTSIDE;
  for (uint32_t v = 0; open && v < r->vertices; ++v)
    if (w->side.data[v] == VERTEX_UNKNOWN) decide_vertex(r, v);
  join_uncut(r);
  for (uint32_t v = 0; !open && v < r->vertices; ++v)
    if (w->side.data[v] == VERTEX_OUTSIDE) w->side.data[class_of(w, v)] = VERTEX_OUTSIDE;
  for (uint32_t v = 0; !open && v < r->vertices; ++v) {
    const uint32_t root = class_of(w, v);
    if (root != v)
      w->side.data[v] = w->side.data[root];
    else if (w->side.data[v] == VERTEX_UNKNOWN)
      decide_vertex(r, v);
  }
}

/* ----------------------------------------------------------------------------------- classes -- */

/* Edges of the other body join the pairs of one triangle of the surface. */
static void follow_curves(penetration_run *r)
{
  penetration_work *w = r->work;
  for (size_t i = 0; i < w->others.count; ++i) w->others.data[i].at = 0; /* by edge and triangle */
  sort_cuts(w->others.data, w->others.count);
  for (size_t i = 1; i < w->others.count; ++i) {
    const edge_cut *a = &w->others.data[i - 1], *b = &w->others.data[i];
    if (a->edge == b->edge && a->triangle == b->triangle) join(w, r->vertices + a->pair, r->vertices + b->pair);
  }
}

/* Is the piece of an edge between two cuts inside? */
static bool piece_is_inside(penetration_run *r, const edge_cut *a, const edge_cut *b)
{
  const double *x = vertex_of(r, (uint32_t)(a->edge >> 32)), *y = vertex_of(r, (uint32_t)a->edge);
  const double piece = 0.5 * (a->at + b->at);
  double middle[3];
  for (int k = 0; k < 3; ++k) middle[k] = (1 - piece) * x[k] + piece * y[k];
  return penetration_inside(r, middle, r->work->pairs.data[a->pair].a);
}

/* The cuts [begin, end) of one edge: joins its ends to the first and last cut, cuts at one place,
 * and the ends of pieces between them that are inside. */
static void join_cuts(penetration_run *r, size_t begin, size_t end)
{
  const double same = 0x1p-43;
  penetration_work *w = r->work;
  const uint32_t lo = (uint32_t)(w->cuts.data[begin].edge >> 32), hi = (uint32_t)w->cuts.data[begin].edge;
  while (begin < end && w->cuts.data[begin].at < 0) ++begin;
  if (begin == end) return;
  if (is_inside(w, lo)) join(w, lo, r->vertices + w->cuts.data[begin].pair);
  if (is_inside(w, hi)) join(w, hi, r->vertices + w->cuts.data[end - 1].pair);
  for (size_t i = begin + 1; i < end; ++i) {
    const edge_cut *a = &w->cuts.data[i - 1], *b = &w->cuts.data[i];
    const uint32_t m = r->vertices + a->pair, n = r->vertices + b->pair;
    if (class_of(w, m) == class_of(w, n)) continue;
    if (b->at - a->at <= same || piece_is_inside(r, a, b)) join(w, m, n);
  }
}

/* The pair (b, a) of a pair (a, b) within one body. */
static uint32_t pair_back(const penetration_work *w, pl_pair pair)
{
  uint32_t low = w->first.data[pair.b], high = w->first.data[pair.b + 1];
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (w->pairs.data[middle].b <= pair.a)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Which parts of one body cross each other. */
static pl_status list_partners(penetration_run *r)
{
  penetration_work *w = r->work;
  const size_t n = w->pairs.count;
  if (!penetration_reserve(r, &w->partners, n)) return penetration_no_memory(r);
  for (size_t i = 0; i < n; ++i)
    w->partners.data[i] = runner_pair_key(class_of(w, r->vertices + (uint32_t)i),
                                          class_of(w, r->vertices + pair_back(w, w->pairs.data[i])));
  w->partners.count = n;
  sort_keys(w->partners.data, w->sorting.data, n);
  return PL_OK;
}

/* Positions of all vertices, and the box of those of the other surface. */
static pl_status take_positions(penetration_run *r)
{
  penetration_work *w = r->work;
  const penetration_job *j = r->job;
  const bool itself = j->of == j->other;
  const size_t others = j->fans[1]->vertex_count;
  double most = 0;
  if (!penetration_reserve(r, &w->xyz, 3 * (size_t)r->vertices) ||
      (!itself && !penetration_reserve(r, &w->xyz_other, 3 * others)))
    return penetration_no_memory(r);
  for (uint32_t v = 0; v < r->vertices; ++v) points_world(&j->of->motion.now, v, w->xyz.data + 3 * (size_t)v);
  double *other = itself ? w->xyz.data : w->xyz_other.data;
  for (int k = 0; k < 3; ++k) {
    r->lower[k] = INFINITY;
    r->upper[k] = -INFINITY;
  }
  for (uint32_t v = 0; v < others; ++v) {
    double *x = other + 3 * (size_t)v;
    if (!itself) points_world(&j->other->motion.now, v, x);
    for (int k = 0; k < 3; ++k) {
      r->lower[k] = fmin(r->lower[k], x[k]);
      r->upper[k] = fmax(r->upper[k], x[k]);
    }
  }
  for (int k = 0; k < 3; ++k) most = fmax(most, fmax(fabs(r->lower[k]), fabs(r->upper[k])));
  r->slack = most * 0x1p-48;
  return PL_OK;
}

pl_status penetration_classes(penetration_run *r, const pl_pair *pairs, size_t count)
{
  penetration_work *w = r->work;
  pl_status status = take_positions(r);
  if (status == PL_OK) status = take_pairs(r, pairs, count);
  if (status == PL_OK) status = list_cuts(r);
  if (status != PL_OK) return status;
  const size_t nodes = r->vertices + w->pairs.count;
  if (!penetration_reserve(r, &w->parent, nodes) || !penetration_reserve(r, &w->part, nodes) ||
      !penetration_reserve(r, &w->side, r->vertices))
    return penetration_no_memory(r);
  for (size_t i = 0; i < nodes; ++i) {
    w->parent.data[i] = (uint32_t)i;
    w->part.data[i] = UINT32_MAX;
  }
  decide_sides(r);
  follow_curves(r);
  bool uncut;
  for (size_t begin = 0, end; begin < w->cuts.count; begin = end) {
    end = edge_end(w, begin, &uncut);
    if (!uncut) join_cuts(r, begin, end);
  }
  return r->job->of == r->job->other ? list_partners(r) : PL_OK;
}
