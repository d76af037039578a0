/* Depths and areas of regions by brute force: what a part is cut off by is followed over the edges
 * of the meshes, inside is a sum of solid angles, every vertex is compared with every triangle, and
 * points of touching triangles are counted. */
#ifndef TESTS_REGION_DEPTHS_H
#define TESTS_REGION_DEPTHS_H

#include "support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh, and what is found out about it. */
typedef struct depth_mesh {
  const double *xyz;
  const uint32_t *triangles;
  size_t vertices, count;
  bool closed;
  bool *on;       /* by vertex: it lies on the other surface */
  uint32_t *part; /* by vertex: the first of those that uncut edges join to it */
} depth_mesh;

/* Where an edge meets the other surface. */
typedef struct depth_cut {
  uint32_t mesh, low, high; /* vertices of the edge */
  double at;                /* from low to high: 0 to 1 */
  size_t region;
  int side;
  int lower; /* where low is: 1 in front, -1 behind, 0 not clear */
} depth_cut;

typedef struct depth_cuts {
  depth_cut *all;
  size_t count;
} depth_cuts;

/* Where a triangle meets another one. */
typedef struct depth_segment {
  uint32_t mesh, triangle;
  size_t region;
  double end[2][3];
  bool flat; /* an area */
} depth_segment;

typedef struct depth_segments {
  depth_segment *all;
  size_t count;
} depth_segments;

static inline int depth_cut_edge(const depth_cut *a, const depth_cut *b)
{
  if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

static inline int depth_cut_compare(const void *x, const void *y)
{
  const depth_cut *a = x, *b = y;
  int edge = depth_cut_edge(a, b);
  if (edge) return edge;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return (a->region > b->region) - (a->region < b->region);
}

static inline int depth_compare_wholes(const void *x, const void *y)
{
  const uint64_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

/* As often in one direction as in the other, every edge. */
static inline bool depth_is_closed(const depth_mesh *m)
{
  size_t n = 3 * m->count;
  uint64_t *edge[2] = {malloc((n + 1) * sizeof(uint64_t)), malloc((n + 1) * sizeof(uint64_t))};
  for (size_t i = 0; i < n; ++i) {
    uint64_t u = m->triangles[i], v = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
    edge[0][i] = u << 32 | v;
    edge[1][i] = v << 32 | u;
  }
  for (int k = 0; k < 2; ++k) qsort(edge[k], n, sizeof(uint64_t), depth_compare_wholes);
  bool closed = memcmp(edge[0], edge[1], n * sizeof(uint64_t)) == 0;
  free(edge[0]);
  free(edge[1]);
  return closed;
}

static inline double depth_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void depth_minus(double r[3], const double a[3], const double b[3])
{
  for (int k = 0; k < 3; ++k) r[k] = a[k] - b[k];
}

static inline void depth_cross(double r[3], const double a[3], const double b[3])
{
  for (int k = 0; k < 3; ++k) r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline double depth_to_segment(const double p[3], const double a[3], const double b[3])
{
  double d[3], e[3];
  depth_minus(d, b, a);
  depth_minus(e, p, a);
  double t = depth_dot(d, d) > 0 ? fmin(1, fmax(0, depth_dot(d, e) / depth_dot(d, d))) : 0;
  for (int k = 0; k < 3; ++k) e[k] -= t * d[k];
  return sqrt(depth_dot(e, e));
}

static inline double depth_to_triangle(const double p[3], const double *const t[3])
{
  double u[3], v[3], n[3], w[3], best = INFINITY;
  bool above = true;
  depth_minus(u, t[1], t[0]);
  depth_minus(v, t[2], t[0]);
  depth_cross(n, u, v);
  for (int i = 0; i < 3; ++i) {
    depth_minus(u, t[(i + 1) % 3], t[i]);
    depth_minus(v, p, t[i]);
    depth_cross(w, u, v);
    above = above && depth_dot(w, n) >= 0;
    best = fmin(best, depth_to_segment(p, t[i], t[(i + 1) % 3]));
  }
  double square = depth_dot(n, n);
  return above && square > 0 ? fmin(best, fabs(depth_dot(v, n)) / sqrt(square)) : best;
}

static inline void depth_corners(const depth_mesh *m, size_t t, const double *out[3])
{
  for (int c = 0; c < 3; ++c) out[c] = m->xyz + 3 * (size_t)m->triangles[3 * t + (size_t)c];
}

/* Turns of the surface around a point that is not on it. */
static inline bool depth_is_inside(const depth_mesh *m, const double p[3])
{
  double sum = 0;
  for (size_t t = 0; t < m->count; ++t) {
    const double *corner[3];
    double d[3][3], length[3], n[3];
    depth_corners(m, t, corner);
    for (int c = 0; c < 3; ++c) {
      depth_minus(d[c], corner[c], p);
      length[c] = sqrt(depth_dot(d[c], d[c]));
    }
    depth_cross(n, d[1], d[2]);
    double down = length[0] * length[1] * length[2] + depth_dot(d[0], d[1]) * length[2] +
                  depth_dot(d[1], d[2]) * length[0] + depth_dot(d[2], d[0]) * length[1];
    sum += 2 * atan2(depth_dot(d[0], n), down);
  }
  return fabs(sum) > 6.283185307179586;
}

static inline uint32_t depth_root(const depth_mesh *m, uint32_t v)
{
  while (m->part[v] != v) v = m->part[v] = m->part[m->part[v]];
  return v;
}

/* Joins the vertices that uncut edges join. */
static inline void depth_join(depth_mesh *m, uint32_t number, const depth_cuts *cuts)
{
  for (uint32_t v = 0; v < m->vertices; ++v) m->part[v] = v;
  for (size_t i = 0; i < 3 * m->count; ++i) {
    uint32_t u = m->triangles[i], v = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
    bool cut = m->on[u] || m->on[v];
    for (size_t k = 0; k < cuts->count && !cut; ++k) {
      const depth_cut *c = &cuts->all[k];
      cut = c->mesh == number && c->low == (u < v ? u : v) && c->high == (u < v ? v : u);
    }
    uint32_t a = depth_root(m, u), b = depth_root(m, v);
    if (!cut && a != b) m->part[a > b ? a : b] = a > b ? b : a;
  }
}

/* From the surface of o; within one body (m is o) from all triangles without a vertex in the part
 * (UINT32_MAX: at u and v). */
static inline double depth_at(const depth_mesh *m, const depth_mesh *o, const double p[3], uint32_t part, uint32_t u,
                              uint32_t v)
{
  double best = INFINITY;
  for (size_t t = 0; t < o->count; ++t) {
    const double *corner[3];
    bool own = false;
    for (int c = 0; c < 3 && m == o; ++c) {
      uint32_t at = o->triangles[3 * t + (size_t)c];
      own = own || (part != UINT32_MAX ? depth_root(m, at) == part && !m->on[at] : at == u || at == v);
    }
    if (own) continue;
    depth_corners(o, t, corner);
    best = fmin(best, depth_to_triangle(p, corner));
  }
  return best;
}

static inline double depth_of_part(const depth_mesh *m, const depth_mesh *o, uint32_t part)
{
  double depth = 0;
  for (uint32_t v = 0; v < m->vertices; ++v)
    if (depth_root(m, v) == part) {
      double d = depth_at(m, o, m->xyz + 3 * (size_t)v, part, 0, 0);
      if (d < INFINITY && d > depth) depth = d;
    }
  return depth;
}

static inline size_t depth_size(const depth_mesh *m, uint32_t part)
{
  size_t n = 0;
  for (uint32_t v = 0; v < m->vertices; ++v) n += depth_root(m, v) == part;
  return n;
}

/* One side of a region while it is looked at. */
typedef struct depth_side {
  const depth_mesh *m, *o;
  const depth_cuts *cuts;
  const depth_segments *segments;
  size_t region;
  int side;
  uint32_t parts[64];
  bool behind[64];
  int count;
  bool any; /* an end of an edge is clearly on one side, though it may be on the surface elsewhere */
} depth_side;

/* The part at an end of an edge, if its nearest cut is of this region. */
static inline void depth_seed(depth_side *s, const depth_cut *c, uint32_t vertex, bool behind)
{
  if (c->region != s->region || c->side != s->side || !c->lower) return;
  s->any = true;
  if (s->m->on[vertex]) return;
  uint32_t part = depth_root(s->m, vertex);
  for (int i = 0; i < s->count; ++i)
    if (s->parts[i] == part && s->behind[i] == behind) return;
  assert_true(s->count < 64);
  s->parts[s->count] = part;
  s->behind[s->count++] = behind;
}

/* The middle of a piece of an edge between two cuts, one of them of this region. */
static inline double depth_of_span(const depth_side *s, const depth_cut *from, const depth_cut *to, bool behind)
{
  bool mine = (from->region == s->region && from->side == s->side) || (to->region == s->region && to->side == s->side);
  if (!mine || !from->lower || to->lower != -from->lower || (from->lower > 0) != behind) return 0;
  double p[3], at = 0.5 * (from->at + to->at);
  for (size_t k = 0; k < 3; ++k) {
    double low = s->m->xyz[3 * (size_t)from->low + k];
    p[k] = low + at * (s->m->xyz[3 * (size_t)from->high + k] - low);
  }
  double d = depth_at(s->m, s->o, p, UINT32_MAX, from->low, from->high);
  return d < INFINITY ? d : 0;
}

/* ------------------------------------------------------------------------------------- areas -- */

static inline double depth_area(const depth_mesh *m, size_t t)
{
  const double *corner[3];
  double u[3], v[3], n[3];
  depth_corners(m, t, corner);
  depth_minus(u, corner[1], corner[0]);
  depth_minus(v, corner[2], corner[0]);
  depth_cross(n, u, v);
  return 0.5 * sqrt(depth_dot(n, n));
}

/* Where a corner is by the nearest cut of one of its edges: 1 in front, -1 behind, 0 not known. */
static inline int depth_corner_side(const depth_side *s, uint32_t number, uint32_t corner, const uint32_t t[3])
{
  const depth_cut *best = NULL;
  for (size_t i = 0; i < s->cuts->count; ++i) {
    const depth_cut *c = &s->cuts->all[i];
    if (c->mesh != number || (c->low != corner && c->high != corner)) continue;
    uint32_t other = c->low == corner ? c->high : c->low;
    if (other != t[0] && other != t[1] && other != t[2]) continue;
    if (best && depth_cut_edge(best, c)) return best->low == corner ? best->lower : -best->lower;
    if (!best || c->high == corner) best = c;
  }
  return best ? best->low == corner ? best->lower : -best->lower : 0;
}

static inline double depth_turn(const double a[2], const double b[2], const double c[2])
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The fraction of a triangle that is behind the other surface: of points spread over it, by how
 * many segments are between each and a corner whose side is known. Negative: none is, or several
 * regions meet there. */
static inline double depth_fraction(const depth_side *s, uint32_t number, uint32_t t)
{
  enum { POINTS = 60, MOST = 256 };
  const double unit[3][2] = {{0, 0}, {1, 0}, {0, 1}};
  const uint32_t *corner = s->m->triangles + 3 * (size_t)t;
  double ends[MOST][2][2], u[3], v[3];
  int from = -1, side = 0, count = 0, behind = 0, all = 0;
  for (int c = 0; c < 3 && !side; ++c)
    if ((side = depth_corner_side(s, number, corner[c], corner))) from = c;
  if (!side || s->m->on[corner[0]] || s->m->on[corner[1]] || s->m->on[corner[2]]) return -1;
  const double *at[3];
  depth_corners(s->m, t, at);
  depth_minus(u, at[1], at[0]);
  depth_minus(v, at[2], at[0]);
  double uu = depth_dot(u, u), uv = depth_dot(u, v), vv = depth_dot(v, v), d = uu * vv - uv * uv;
  for (size_t i = 0; i < s->segments->count; ++i) {
    const depth_segment *g = &s->segments->all[i];
    if (g->mesh != number || g->triangle != t) continue;
    if (g->flat || g->region != s->region || count == MOST || !(d > 1e-12 * uu * vv)) return -1;
    for (int k = 0; k < 2; ++k) {
      double w[3];
      depth_minus(w, g->end[k], at[0]);
      ends[count][k][0] = (vv * depth_dot(w, u) - uv * depth_dot(w, v)) / d;
      ends[count][k][1] = (uu * depth_dot(w, v) - uv * depth_dot(w, u)) / d;
    }
    ++count;
  }
  for (int i = 0; i < POINTS; ++i)
    for (int k = 0; k + i < POINTS; ++k, ++all) {
      const double p[2] = {(i + 0.31) / POINTS, (k + 0.37) / POINTS};
      int crossed = side < 0;
      for (int g = 0; g < count; ++g)
        crossed += depth_turn(p, unit[from], ends[g][0]) * depth_turn(p, unit[from], ends[g][1]) < 0 &&
                   depth_turn(ends[g][0], ends[g][1], p) * depth_turn(ends[g][0], ends[g][1], unit[from]) < 0;
      behind += crossed & 1;
    }
  return (double)behind / all;
}

/* The area that is cut off, within a tenth of the touching triangles. */
static inline void depth_check_area(const depth_side *s, const pl_result *found, const pl_region *row, uint32_t number,
                                    bool behind, const char *what)
{
  const pl_region_side *given = &row->side[s->side];
  double want = 0, touching = 0;
  for (size_t i = given->triangle_begin; i < given->triangle_end; ++i) {
    uint32_t t = found->parts->triangles[i];
    double fraction = depth_fraction(s, number, t), area = depth_area(s->m, t);
    if (fraction < 0) return;
    touching += area;
    want += area * (behind ? fraction : 1 - fraction);
  }
  for (size_t t = 0; t < s->m->count; ++t) {
    bool inside = false, touched = false;
    uint32_t part = depth_root(s->m, s->m->triangles[3 * t]);
    for (int i = 0; i < s->count; ++i) inside = inside || (s->behind[i] == behind && s->parts[i] == part);
    if (!inside || s->m->on[s->m->triangles[3 * t]]) continue;
    for (size_t i = 0; i < s->segments->count && !touched; ++i)
      touched = s->segments->all[i].mesh == number && s->segments->all[i].triangle == t;
    if (!touched) want += depth_area(s->m, t);
  }
  if (!(fabs(given->area - want) <= 0.03 * touching))
    fail_msg("%s: side %d of region %zu cuts off %g instead of %g, of touching triangles of %g", what, s->side,
             s->region, given->area, want, touching);
}

/* The depth of a side of a region. The cuts are sorted; row says which part of an open body is the
 * smaller one, and whether the contour is closed. */
static inline double depth_expected(depth_side *s, const pl_result *found, const pl_region *row, bool self,
                                    const char *what)
{
  const uint32_t number = self ? 0 : (uint32_t)s->side;
  const pl_region_side *given = &row->side[s->side];
  const depth_cut *all = s->cuts->all;
  const size_t n = s->cuts->count;
  double depth = 0;
  bool behind = given->behind, torn = false, large = false;
  s->count = 0;
  s->any = false;
  for (size_t i = 0; i < n; ++i) {
    if (all[i].mesh != number) continue;
    if (i == 0 || depth_cut_edge(&all[i - 1], &all[i])) depth_seed(s, &all[i], all[i].low, all[i].lower < 0);
    if (i + 1 == n || depth_cut_edge(&all[i], &all[i + 1])) depth_seed(s, &all[i], all[i].high, all[i].lower > 0);
  }
  for (int i = 0; i < s->count; ++i) {
    for (int k = 0; k < i; ++k) torn = torn || s->parts[i] == s->parts[k];
    large = large || (s->behind[i] && self && 2 * depth_size(s->m, s->parts[i]) > s->m->vertices);
  }
  bool slit = !s->any && (row->ends || row->contour_begin == row->contour_end);
  if (given->cut_off == (torn || slit)) fail_msg("%s: region %zu, side %d: cut off or not", what, s->region, s->side);
  if (torn || slit) return 0;
  if (s->o->closed && !self && s->count) /* a body that faces inwards */
    behind = s->behind[0] == depth_is_inside(s->o, s->m->xyz + 3 * (size_t)s->parts[0]);
  if (s->o->closed && self && behind == large) fail_msg("%s: region %zu: the wrong part", what, s->region);
  for (int i = 0; i < s->count; ++i) {
    bool wanted = s->behind[i] == behind;
    if (s->o->closed && !self && wanted != depth_is_inside(s->o, s->m->xyz + 3 * (size_t)s->parts[i]))
      fail_msg("%s: region %zu, side %d: vertex %u is inside, or not", what, s->region, s->side, s->parts[i]);
    if (wanted) depth = fmax(depth, depth_of_part(s->m, s->o, s->parts[i]));
  }
  for (size_t i = 0; i + 1 < n; ++i)
    if (all[i].mesh == number && !depth_cut_edge(&all[i], &all[i + 1]))
      depth = fmax(depth, depth_of_span(s, &all[i], &all[i + 1], behind));
  /* Sheets that are in one plane but for rounding have no sides in double. */
  double d[3];
  depth_minus(d, row->upper, row->lower);
  if (!row->folded && depth > 1e-9 * sqrt(depth_dot(d, d))) depth_check_area(s, found, row, number, behind, what);
  return depth;
}

#endif
