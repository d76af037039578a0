/* Near pairs without a tree: every triangle of one body against every triangle of the other,
 * boxes first. Shares with the engine only the distances of two triangles, of a vertex and a
 * face, and of two edges. Cost: O(n m). */
#include "exact/feature_distance.h"
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- triangles of features -- */

/* A body's triangles with their vertices, and which of them come first: a corner or an edge
 * counts with the first triangle that has it. */
typedef struct mesh {
  soup soup;
  bool (*corner)[3]; /* this is the vertex's first triangle, and place in it */
  bool (*edge)[3];   /* the same of the edge from corner i to corner i + 1 */
} mesh;

typedef struct half {
  uint32_t low, high, index; /* 3 * triangle + corner */
} half;

static int by_vertices(const void *a, const void *b)
{
  const half *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return p->index < q->index ? -1 : 1;
}

static void mesh_free(pl_context *context, mesh *m)
{
  const pl_allocator *allocator = &context->def.allocator;
  soup_free(context, &m->soup);
  mem_free_all(allocator, m->corner, m->edge);
  *m = (mesh){0};
}

/* Corners are half-edges from a vertex to itself. */
static void find_first(const mesh *m, half *h, bool corners)
{
  size_t n = 3 * m->soup.count;
  for (size_t i = 0; i < n; ++i) {
    uint32_t v = m->soup.vertex[i], w = m->soup.vertex[i % 3 == 2 ? i - 2 : i + 1];
    if (corners) w = v;
    h[i] = (half){v < w ? v : w, v < w ? w : v, (uint32_t)i};
  }
  qsort(h, n, sizeof *h, by_vertices);
  for (size_t i = 0; i < n; ++i) {
    bool first = i == 0 || h[i].low != h[i - 1].low || h[i].high != h[i - 1].high;
    if (corners)
      m->corner[h[i].index / 3][h[i].index % 3] = first && h[i].low != NO_VERTEX;
    else
      m->edge[h[i].index / 3][h[i].index % 3] = first && h[i].low != h[i].high;
  }
}

static pl_status mesh_create(pl_body *body, mesh *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const size_t n = body->tree->prims.triangle_count;
  *out = (mesh){0};
  pl_status status = soup_create(body, &out->soup);
  if (status != PL_OK) return status;
  half *h = mem_raw(allocator, 3 * n, sizeof *h);
  bool all = h && mem_take(allocator, &out->corner, n) && mem_take(allocator, &out->edge, n);
  if (all) find_first(out, h, true);
  if (all) find_first(out, h, false);
  mem_free(allocator, h);
  if (all) return PL_OK;
  mesh_free(body->context, out);
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
}

/* ---------------------------------------------------------------------------------- features -- */

/* Two triangles whose features are looked at. */
typedef struct both {
  const mesh *a, *b;
  size_t i, j;
  double margin;
  const body_thickness *thick[2]; /* of both bodies */
  pl_feature_pair *out;           /* room for 15 */
  size_t count;
  bool close[3][3]; /* of one body: few edges join corner c of i and corner e of j */
} both;

static const double *at(const mesh *m, size_t t, int corner) { return m->soup.corners[t][corner % 3]; }

static void name_corners(const mesh *m, size_t t, int first, int second, int third, uint32_t out[3])
{
  const uint32_t *v = m->soup.vertex + 3 * t;
  out[0] = v[first % 3];
  out[1] = v[second % 3];
  out[2] = v[third % 3];
}

/* The normal of a face, of length 1 or 0. */
static void face_normal(const mesh *m, size_t t, double out[3])
{
  double u[2][3], v[2][3];
  for (int k = 0; k < 3; ++k) {
    u[0][k] = v[0][k] = at(m, t, 0)[k];
    u[1][k] = at(m, t, 1)[k];
    v[1][k] = at(m, t, 2)[k];
  }
  nearest_cross((const double(*)[3])u, (const double(*)[3])v, out);
}

/* Is a pair within the margin and the thickness of both? */
static bool is_near(const both *p, const pl_feature_pair *f)
{
  return f->distance <=
         p->margin + (thickness_of(p->thick[0], f->vertex_a, 3) + thickness_of(p->thick[1], f->vertex_b, 3));
}

static void vertex_of_a(both *p, int c)
{
  pl_feature_pair f = {PL_FEATURE_VERTEX_FACE, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 1, 0, {0}, {0}, {0}};
  nearest_detail n;
  vertex_face_distance(at(p->a, p->i, c), (const double(*)[3])p->b->soup.corners[p->j], INFINITY, &f.distance, &n);
  name_corners(p->a, p->i, c, c, c, f.vertex_a);
  name_corners(p->b, p->j, 0, 1, 2, f.vertex_b);
  if (!is_near(p, &f)) return;
  memcpy(f.weight_a, n.weight_a, sizeof f.weight_a);
  memcpy(f.weight_b, n.weight_b, sizeof f.weight_b);
  memcpy(f.normal, n.normal, sizeof f.normal);
  p->out[p->count++] = f;
}

static void vertex_of_b(both *p, int c)
{
  pl_feature_pair f = {PL_FEATURE_FACE_VERTEX, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 1, 0, {0}, {0}, {0}};
  nearest_detail n;
  vertex_face_distance(at(p->b, p->j, c), (const double(*)[3])p->a->soup.corners[p->i], INFINITY, &f.distance, &n);
  name_corners(p->a, p->i, 0, 1, 2, f.vertex_a);
  name_corners(p->b, p->j, c, c, c, f.vertex_b);
  if (!is_near(p, &f)) return;
  memcpy(f.weight_a, n.weight_b, sizeof f.weight_a);
  memcpy(f.weight_b, n.weight_a, sizeof f.weight_b);
  for (int k = 0; k < 3; ++k) f.normal[k] = 0 - n.normal[k];
  p->out[p->count++] = f;
}

static void edges(both *p, int c, int e)
{
  pl_feature_pair f = {PL_FEATURE_EDGE_EDGE, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 1, 0, {0}, {0}, {0}};
  nearest_detail n;
  double u[2][3], v[2][3], side[3], along = 0;
  for (int k = 0; k < 2; ++k) {
    memcpy(u[k], at(p->a, p->i, c + k), sizeof u[k]);
    memcpy(v[k], at(p->b, p->j, e + k), sizeof v[k]);
  }
  edge_edge_distance((const double(*)[3])u, (const double(*)[3])v, INFINITY, &f.distance, &n);
  name_corners(p->a, p->i, c, c + 1, c + 1, f.vertex_a);
  name_corners(p->b, p->j, e, e + 1, e + 1, f.vertex_b);
  if (!is_near(p, &f)) return;
  memcpy(f.weight_a, n.weight_a, sizeof f.weight_a);
  memcpy(f.weight_b, n.weight_b, sizeof f.weight_b);
  memcpy(f.normal, n.normal, sizeof f.normal);
  if (f.distance == 0) {
    face_normal(p->b, p->j, side);
    for (int k = 0; k < 3; ++k) along += side[k] * f.normal[k];
    for (int k = 0; k < 3 && along < 0; ++k) f.normal[k] = 0 - f.normal[k];
  }
  p->out[p->count++] = f;
}

static bool vertex_is_close(const both *p, int c) { return p->close[c][0] || p->close[c][1] || p->close[c][2]; }

static bool face_is_close(const both *p, int e) { return p->close[0][e] || p->close[1][e] || p->close[2][e]; }

static bool edges_are_close(const both *p, int c, int e)
{
  int d = (c + 1) % 3, f = (e + 1) % 3;
  return p->close[c][e] || p->close[c][f] || p->close[d][e] || p->close[d][f];
}

static void features_of(both *p, const near_wish *wish)
{
  p->count = 0;
  for (int c = 0; c < 3 && wish->vertex_face; ++c)
    if (p->a->corner[p->i][c] && !vertex_is_close(p, c)) vertex_of_a(p, c);
  for (int c = 0; c < 3 && wish->vertex_face; ++c)
    if (p->b->corner[p->j][c] && !face_is_close(p, c)) vertex_of_b(p, c);
  for (int c = 0; c < 3 && wish->edge_edge; ++c)
    for (int e = 0; e < 3 && p->a->edge[p->i][c]; ++e)
      if (p->b->edge[p->j][e] && !edges_are_close(p, c, e)) edges(p, c, e);
}

/* --------------------------------------------------------------------------------- gathering -- */

static bool gather_triangles(pl_context *context, row_list out, const both *p)
{
  closest c;
  tri_tri_distance((const double(*)[3])p->a->soup.corners[p->i], (const double(*)[3])p->b->soup.corners[p->j], &c);
  const double thick = thickness_of(p->thick[0], p->a->soup.vertex + 3 * p->i, 3) +
                       thickness_of(p->thick[1], p->b->soup.vertex + 3 * p->j, 3);
  if (!(c.distance <= p->margin + thick)) return true;
  pl_near_pair n = {.a = (uint32_t)p->i, .b = (uint32_t)p->j, .distance = c.distance};
  memcpy(n.point_a, c.a, sizeof c.a);
  memcpy(n.point_b, c.b, sizeof c.b);
  return reference_append(context, out, &n);
}

static bool gather_features(pl_context *context, row_list out, both *p, const near_wish *wish)
{
  pl_feature_pair found[15];
  p->out = found;
  features_of(p, wish);
  for (size_t i = 0; i < p->count; ++i)
    if (!reference_append(context, out, &found[i])) return false;
  return true;
}

pl_status reference_near(pl_body *a, pl_body *b, const near_wish *wish, const reference_wish *leave, row_list out,
                         pl_counters *counters)
{
  pl_context *context = a->context;
  const bool is_one = a == b;
  mesh s = {0}, t = {0};
  pl_status status = mesh_create(a, &s);
  if (status == PL_OK) status = mesh_create(b, &t);
  both p = {.a = &s, .b = &t, .margin = wish->margin, .thick = {&a->thickness, &b->thickness}};
  double cut = soup_square(wish->margin + (a->thickness.most + b->thickness.most));
  bool room = true;
  surroundings around = {0};
  if (status == PL_OK && is_one) status = surroundings_create(a, &s.soup, wish->rings, &around);
  for (p.i = 0; status == PL_OK && room && p.i < s.soup.count; ++p.i) {
    if (is_one) surroundings_of(&around, p.i);
    for (p.j = is_one ? p.i + 1 : 0; room && p.j < t.soup.count; ++p.j) {
      if (soup_lacks(&s.soup, p.i) || soup_lacks(&t.soup, p.j)) continue;
      if (soup_apart(&s.soup, p.i, &t.soup, p.j) > cut) continue;
      if (is_one && surroundings_have(&around, p.j, p.close) && !wish->features) continue;
      if (leave->filter && !leave->filter(leave->user, (pl_pair){(uint32_t)p.i, (uint32_t)p.j})) continue;
      ++counters->n_p;
      room = wish->features ? gather_features(context, out, &p, wish) : gather_triangles(context, out, &p);
    }
  }
  surroundings_free(context, &around);
  mesh_free(context, &s);
  mesh_free(context, &t);
  return room ? status : PL_ERROR_MEMORY;
}
