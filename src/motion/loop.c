/* Loop subdivision as sparse weights: every vertex of the finest level is a row over the control
 * points. After C. Loop, Smooth Subdivision Surfaces Based on Triangles, 1987; boundaries and
 * edges of more than two triangles are creases, after H. Hoppe and others, Piecewise Smooth
 * Surface Reconstruction, 1994. Invariant: all weights are 0 or more, and a row adds up to 1 but
 * for rounding. Cost: O(weights) for each level. */
#include "core/array.h"
#include "mesh/mesh.h"
#include "motion/governed.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 8 };

typedef struct rows {
  uint32_t *first;
  ARRAY(uint32_t) governor;
  ARRAY(double) weight;
} rows;

typedef struct level {
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  rows rows;
} level;

/* One edge: its vertices, those across it, and how many triangles have it. */
typedef struct edge {
  uint32_t ends[2], across[2], triangles;
} edge;

static void rows_free(const pl_allocator *allocator, rows *r)
{
  mem_free(allocator, r->first);
  array_free_all(allocator, &r->governor, &r->weight);
  memset(r, 0, sizeof *r);
}

static void level_free(const pl_allocator *allocator, level *l)
{
  mem_free(allocator, l->triangles);
  rows_free(allocator, &l->rows);
  memset(l, 0, sizeof *l);
}

/* ------------------------------------------------------------------------------ sums of rows -- */

/* A row under construction: weights by governor, and which of them are not 0. */
typedef struct summing {
  const pl_allocator *allocator;
  double *at; /* per governor */
  uint32_t *touched;
  bool *is_touched;
  uint32_t count;
} summing;

static void sum_add(summing *s, const rows *from, uint32_t row, double by)
{
  for (uint32_t e = from->first[row]; e < from->first[row + 1]; ++e) {
    uint32_t k = from->governor.data[e];
    if (!s->is_touched[k]) s->touched[s->count++] = k;
    s->is_touched[k] = true;
    s->at[k] += by * from->weight.data[e];
  }
}

/* Appends it as row number `row`, and begins again. */
static bool sum_end(summing *s, rows *to, size_t row)
{
  size_t n = to->governor.count;
  if (n + s->count >= UINT32_MAX || !array_reserve(s->allocator, &to->governor, n + s->count) ||
      !array_reserve(s->allocator, &to->weight, n + s->count))
    return false;
  to->first[row] = (uint32_t)n;
  for (uint32_t i = 0; i < s->count; ++i) {
    uint32_t k = s->touched[i];
    to->governor.data[n + i] = k;
    to->weight.data[n + i] = s->at[k];
    s->at[k] = 0;
    s->is_touched[k] = false;
  }
  to->governor.count = to->weight.count = n + s->count;
  to->first[row + 1] = (uint32_t)(n + s->count);
  s->count = 0;
  return true;
}

/* --------------------------------------------------------------------------------- one level -- */

static void list_edges(const level *l, const mesh_edges *e, edge *out)
{
  for (size_t t = 0; t < l->triangle_count; ++t)
    for (size_t c = 0; c < 3; ++c) {
      edge *x = &out[e->of[3 * t + c]];
      x->ends[0] = l->triangles[3 * t + c];
      x->ends[1] = l->triangles[3 * t + (c + 1) % 3];
      if (x->triangles < 2) x->across[x->triangles] = l->triangles[3 * t + (c + 2) % 3];
      ++x->triangles;
    }
}

static bool is_crease(const edge *x) { return x->triangles != 2; }

static bool make_edge_rows(const level *l, const edge *edges, size_t count, summing *s, rows *out)
{
  for (size_t i = 0; i < count; ++i) {
    const edge *x = &edges[i];
    double half = is_crease(x) ? 1.0 / 2 : 3.0 / 8;
    for (int k = 0; k < 2; ++k) sum_add(s, &l->rows, x->ends[k], half);
    for (int k = 0; !is_crease(x) && k < 2; ++k) sum_add(s, &l->rows, x->across[k], 1.0 / 8);
    if (!sum_end(s, out, l->vertex_count + i)) return false;
  }
  return true;
}

/* Edges by vertex: list[first[v], first[v + 1]). */
typedef struct stars {
  uint32_t *first, *list;
} stars;

static bool stars_create(const pl_allocator *allocator, size_t vertices, const edge *edges, size_t count, stars *out)
{
  if (!(mem_take_new(allocator, &out->first, vertices + 2) && mem_take(allocator, &out->list, 2 * count + 1)))
    return false;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) ++out->first[edges[i].ends[k] + 2];
  for (size_t v = 0; v < vertices; ++v) out->first[v + 2] += out->first[v + 1];
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) out->list[out->first[edges[i].ends[k] + 1]++] = (uint32_t)i;
  return true;
}

static bool make_vertex_rows(const level *l, const edge *edges, const stars *star, summing *s, rows *out)
{
  const double pi = 3.14159265358979323846;
  for (uint32_t v = 0; v < l->vertex_count; ++v) {
    uint32_t begin = star->first[v], end = star->first[v + 1], n = end - begin, creases = 0;
    for (uint32_t k = begin; k < end; ++k) creases += is_crease(&edges[star->list[k]]);
    double ring = 3.0 / 8 + cos(2 * pi / n) / 4, beta = n ? (5.0 / 8 - ring * ring) / n : 0;
    double own = creases == 0 ? 1 - n * beta : creases == 2 ? 3.0 / 4 : 1;
    sum_add(s, &l->rows, v, own);
    for (uint32_t k = begin; k < end; ++k) {
      const edge *x = &edges[star->list[k]];
      double by = creases == 0 ? beta : creases == 2 && is_crease(x) ? 1.0 / 8 : 0;
      if (by > 0) sum_add(s, &l->rows, x->ends[x->ends[0] == v], by);
    }
    if (!sum_end(s, out, v)) return false;
  }
  return true;
}

static void make_triangles(const level *l, const mesh_edges *e, uint32_t *out)
{
  for (size_t t = 0; t < l->triangle_count; ++t) {
    const uint32_t *c = l->triangles + 3 * t, *of = e->of + 3 * t;
    uint32_t m[3], *to = out + 12 * t;
    for (int k = 0; k < 3; ++k) m[k] = (uint32_t)l->vertex_count + of[k];
    const uint32_t all[12] = {c[0], m[0], m[2], m[0], c[1], m[1], m[2], m[1], c[2], m[0], m[1], m[2]};
    memcpy(to, all, sizeof all);
  }
}

/* Replaces *l by the next level. */
static pl_status refine(pl_context *context, level *l, summing *s)
{
  const pl_allocator *allocator = &context->def.allocator;
  mesh_edges e;
  pl_status status = mesh_edges_create(context, l->triangles, l->triangle_count, l->vertex_count, &e);
  if (status != PL_OK) return status;
  level next = {.vertex_count = l->vertex_count + e.count, .triangle_count = 4 * l->triangle_count};
  stars star = {0};
  edge *edges = mem_new(allocator, e.count, sizeof *edges);
  next.triangles = mem_raw(allocator, next.triangle_count, 3 * sizeof *next.triangles);
  next.rows.first = mem_raw(allocator, next.vertex_count + 1, sizeof *next.rows.first);
  bool made = edges && next.triangles && next.rows.first;
  if (made) {
    list_edges(l, &e, edges);
    make_triangles(l, &e, next.triangles);
    made = stars_create(allocator, l->vertex_count, edges, e.count, &star) &&
           make_vertex_rows(l, edges, &star, s, &next.rows) && make_edge_rows(l, edges, e.count, s, &next.rows);
  }
  mem_free_all(allocator, edges, star.first, star.list);
  mesh_edges_free(context, &e);
  level_free(allocator, made ? l : &next);
  if (made) *l = next;
  return made ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for %zu triangles", next.triangle_count);
}

/* --------------------------------------------------------------------------------------- all -- */

static pl_status check(pl_context *context, const pl_mesh_def *m, int levels)
{
  const size_t most = (size_t)1 << 30;
  if (levels < 0 || levels > MOST_LEVELS)
    return fail(context, PL_ERROR_ARGUMENT, "%d levels of subdivision: 0 to %d", levels, MOST_LEVELS);
  if (m->segment_count || m->point_count)
    return fail(context, PL_ERROR_MESH, "a control mesh of triangles is subdivided: segments and points cannot be");
  if (m->triangle_count > most >> 2 * levels)
    return fail(context, PL_ERROR_ARGUMENT, "%zu triangles with %d levels are more than 2^30: take fewer levels",
                m->triangle_count, levels);
  for (size_t t = 0; t < m->triangle_count; ++t) {
    const uint32_t *c = m->triangles + 3 * t;
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
      return fail(context, PL_ERROR_MESH, "triangle %zu of the control mesh names a vertex twice", t);
  }
  return PL_OK;
}

/* The control mesh itself: each vertex is its own governor. */
static bool first_level(const pl_allocator *allocator, const pl_mesh_def *m, level *l)
{
  size_t n = m->positions.count;
  *l = (level){.vertex_count = n, .triangle_count = m->triangle_count};
  if (!(mem_take(allocator, &l->triangles, 3 * m->triangle_count) && mem_take(allocator, &l->rows.first, n + 1) &&
        array_reserve(allocator, &l->rows.governor, n) && array_reserve(allocator, &l->rows.weight, n)))
    return false;
  memcpy(l->triangles, m->triangles, m->triangle_count * 3 * sizeof *l->triangles);
  for (uint32_t v = 0; v <= n; ++v) {
    l->rows.first[v] = v;
    if (v == n) break;
    l->rows.governor.data[v] = v;
    l->rows.weight.data[v] = 1;
  }
  l->rows.governor.count = l->rows.weight.count = n;
  return true;
}

pl_status subdivision_create(pl_context *context, const pl_mesh_def *control, int levels, subdivision *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  memset(out, 0, sizeof *out);
  pl_status status = check(context, control, levels);
  if (status != PL_OK) return status;
  size_t n = control->positions.count;
  level l = {0};
  summing s = {.allocator = allocator};
  if (!(mem_take_new(allocator, &s.at, n) && mem_take(allocator, &s.touched, n) &&
        mem_take_new(allocator, &s.is_touched, n) && first_level(allocator, control, &l)))
    status = fail(context, PL_ERROR_MEMORY, "no memory for a control mesh of %zu vertices", n);
  for (int i = 0; status == PL_OK && i < levels; ++i) status = refine(context, &l, &s);
  mem_free_all(allocator, s.at, s.touched, s.is_touched);
  if (status != PL_OK) {
    level_free(allocator, &l);
    return status;
  }
  *out = (subdivision){.vertex_count = l.vertex_count,
                       .triangle_count = l.triangle_count,
                       .triangles = l.triangles,
                       .first = l.rows.first,
                       .governor = l.rows.governor.data,
                       .weight = l.rows.weight.data};
  return PL_OK;
}

void subdivision_free(pl_context *context, subdivision *s)
{
  mem_free_all(&context->def.allocator, s->triangles, s->first, s->governor, s->weight);
  memset(s, 0, sizeof *s);
}
