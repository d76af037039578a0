/* Near pairs without a tree: every triangle of one body against every triangle of the other, boxes first. Shares with the engine only the
 * distances of two triangles, of a vertex and a face, and of two edges. Cost: O(n m). */
#include "core/timer.h"
#include "exact/feature_distance.h"
#include "pliant/reference.h"
#include "reference/reference.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- triangles of features -- */

/* A body's triangles with their vertices, and which of them come first: a corner or an edge counts with the first triangle that has it. */
typedef struct mesh {
  soup soup;
  uint32_t *vertex;  /* 3 for each triangle */
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
  mem_free(allocator, m->vertex);
  mem_free(allocator, m->corner);
  mem_free(allocator, m->edge);
  *m = (mesh){0};
}

/* Corners are half-edges from a vertex to itself. */
static void find_first(const mesh *m, half *h, bool corners)
{
  size_t n = 3 * m->soup.count;
  for (size_t i = 0; i < n; ++i) {
    uint32_t v = m->vertex[i], w = m->vertex[i % 3 == 2 ? i - 2 : i + 1];
    if (corners) w = v;
    h[i] = (half){v < w ? v : w, v < w ? w : v, (uint32_t)i};
  }
  qsort(h, n, sizeof *h, by_vertices);
  for (size_t i = 0; i < n; ++i) {
    bool first = i == 0 || h[i].low != h[i - 1].low || h[i].high != h[i - 1].high;
    if (corners)
      m->corner[h[i].index / 3][h[i].index % 3] = first;
    else
      m->edge[h[i].index / 3][h[i].index % 3] = first && h[i].low != h[i].high;
  }
}

static pl_status mesh_create(pl_body *body, mesh *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const primitives *p = &body->tree->prims;
  size_t n = p->triangle_count;
  *out = (mesh){0};
  pl_status status = soup_create(body, &out->soup);
  if (status != PL_OK) return status;
  out->vertex = mem_raw(allocator, 3 * n, sizeof *out->vertex);
  out->corner = mem_raw(allocator, n, sizeof *out->corner);
  out->edge = mem_raw(allocator, n, sizeof *out->edge);
  half *h = mem_raw(allocator, 3 * n, sizeof *h);
  bool all = out->vertex && out->corner && out->edge && h;
  for (size_t i = 0; all && i < n; ++i)
    memcpy(out->vertex + 3 * (size_t)p->tri_id[i], p->tri + 3 * i, 3 * sizeof *p->tri);
  if (all) find_first(out, h, true);
  if (all) find_first(out, h, false);
  mem_free(allocator, h);
  if (all) return PL_OK;
  mesh_free(body->context, out);
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
}

/* ---------------------------------------------------------------------------------------------------- features -- */

/* Two triangles whose features are looked at. */
typedef struct both {
  const mesh *a, *b;
  size_t i, j;
  double margin;
  pl_feature_pair *out; /* room for 15 */
  size_t count;
  bool close[3][3]; /* of one body: few edges join corner c of i and corner e of j */
} both;

static const double *at(const mesh *m, size_t t, int corner) { return m->soup.corners[t][corner % 3]; }

static void name_corners(const mesh *m, size_t t, int first, int second, int third, uint32_t out[3])
{
  const uint32_t *v = m->vertex + 3 * t;
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

static void vertex_of_a(both *p, int c)
{
  pl_feature_pair f = {PL_FEATURE_VERTEX_FACE, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 0, {0}, {0}, {0}};
  nearest_detail n;
  vertex_face_distance(at(p->a, p->i, c), (const double(*)[3])p->b->soup.corners[p->j], INFINITY, &f.distance, &n);
  if (!(f.distance <= p->margin)) return;
  name_corners(p->a, p->i, c, c, c, f.vertex_a);
  name_corners(p->b, p->j, 0, 1, 2, f.vertex_b);
  memcpy(f.weight_a, n.weight_a, sizeof f.weight_a);
  memcpy(f.weight_b, n.weight_b, sizeof f.weight_b);
  memcpy(f.normal, n.normal, sizeof f.normal);
  p->out[p->count++] = f;
}

static void vertex_of_b(both *p, int c)
{
  pl_feature_pair f = {PL_FEATURE_FACE_VERTEX, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 0, {0}, {0}, {0}};
  nearest_detail n;
  vertex_face_distance(at(p->b, p->j, c), (const double(*)[3])p->a->soup.corners[p->i], INFINITY, &f.distance, &n);
  if (!(f.distance <= p->margin)) return;
  name_corners(p->a, p->i, 0, 1, 2, f.vertex_a);
  name_corners(p->b, p->j, c, c, c, f.vertex_b);
  memcpy(f.weight_a, n.weight_b, sizeof f.weight_a);
  memcpy(f.weight_b, n.weight_a, sizeof f.weight_b);
  for (int k = 0; k < 3; ++k) f.normal[k] = 0 - n.normal[k];
  p->out[p->count++] = f;
}

static void edges(both *p, int c, int e)
{
  pl_feature_pair f = {PL_FEATURE_EDGE_EDGE, (uint32_t)p->i, (uint32_t)p->j, {0}, {0}, 0, {0}, {0}, {0}};
  nearest_detail n;
  double u[2][3], v[2][3], side[3], along = 0;
  for (int k = 0; k < 2; ++k) {
    memcpy(u[k], at(p->a, p->i, c + k), sizeof u[k]);
    memcpy(v[k], at(p->b, p->j, e + k), sizeof v[k]);
  }
  edge_edge_distance((const double(*)[3])u, (const double(*)[3])v, INFINITY, &f.distance, &n);
  if (!(f.distance <= p->margin)) return;
  name_corners(p->a, p->i, c, c + 1, c + 1, f.vertex_a);
  name_corners(p->b, p->j, e, e + 1, e + 1, f.vertex_b);
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

/* ---------------------------------------------------------------------------------------------------- gathering -- */

static bool gather_triangles(pl_context *context, near_scratch *q, const both *p)
{
  closest c;
  tri_tri_distance((const double(*)[3])p->a->soup.corners[p->i], (const double(*)[3])p->b->soup.corners[p->j], &c);
  if (!(c.distance <= p->margin)) return true;
  if (!array_reserve(&context->def.allocator, &q->near, q->near.count + 1)) return false;
  pl_near_pair *n = &q->near.data[q->near.count++];
  *n = (pl_near_pair){.a = (uint32_t)p->i, .b = (uint32_t)p->j, .distance = c.distance};
  memcpy(n->point_a, c.a, sizeof c.a);
  memcpy(n->point_b, c.b, sizeof c.b);
  return true;
}

static bool gather_features(pl_context *context, near_scratch *q, both *p, const near_wish *wish)
{
  if (!array_reserve(&context->def.allocator, &q->features, q->features.count + 15)) return false;
  p->out = q->features.data + q->features.count;
  features_of(p, wish);
  q->features.count += p->count;
  return true;
}

static pl_status gather(pl_body *a, pl_body *b, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  pl_context *context = a->context;
  mesh s = {0}, t = {0};
  pl_status status = mesh_create(a, &s);
  if (status == PL_OK) status = mesh_create(b, &t);
  both p = {.a = &s, .b = &t, .margin = wish->margin};
  double cut = soup_square(wish->margin);
  bool room = true;
  surroundings around = {0};
  if (status == PL_OK && wish->rings) status = surroundings_create(a, wish->rings, &around);
  for (p.i = 0; status == PL_OK && room && p.i < s.soup.count; ++p.i) {
    if (wish->rings) surroundings_of(&around, p.i);
    for (p.j = wish->rings ? p.i + 1 : 0; room && p.j < t.soup.count; ++p.j) {
      if (soup_apart(&s.soup, p.i, &t.soup, p.j) > cut) continue;
      if (wish->rings && surroundings_have(&around, p.j, p.close) && !wish->features) continue;
      if (wish->filter && !wish->filter(wish->user, (pl_pair){(uint32_t)p.i, (uint32_t)p.j})) continue;
      ++counters->n_p;
      room = wish->features ? gather_features(context, q, &p, wish) : gather_triangles(context, q, &p);
    }
  }
  surroundings_free(context, &around);
  mesh_free(context, &s);
  mesh_free(context, &t);
  return room ? status : fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
}

/* -------------------------------------------------------------------------------------------------- two bodies -- */

pl_status reference_near(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_near_pairs answer = {0};
  double start = timer_ms();
  q->near.count = 0;
  pl_status status = gather(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->near.data;
  answer.count = q->near.count;
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status reference_near_features(pl_body *a, pl_body *b, const near_wish *wish, const pl_feature_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_feature_pairs answer = {0};
  double start = timer_ms();
  q->features.count = 0;
  pl_status status = gather(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->features.data;
  answer.count = q->features.count;
  answer.counters.ms_query = timer_ms() - start;
  q->feature_answer = answer;
  *out = &q->feature_answer;
  return PL_OK;
}

pl_status pl_reference_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out)
{
  return near_query(a, b, margin, def, reference_near, out);
}

pl_status pl_reference_near_features(pl_body *a, pl_body *b, double margin, const pl_feature_def *def,
                                     const pl_feature_pairs **out)
{
  return near_feature_query(a, b, margin, def, reference_near_features, out);
}

/* ------------------------------------------------------------------------------------------------------ scenes -- */

static pl_status gather_scene(pl_scene *scene, near_scratch *q, const near_wish *wish, size_t *body_pairs,
                              pl_counters *counters)
{
  pl_context *context = scene->context;
  double start = timer_ms();
  pl_status status = PL_OK;
  q->near.count = q->features.count = q->groups.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !(i == k ? a->options.self_rings > 0 : members_meet(a, b))) continue;
      const size_t *count = wish->features ? &q->features.count : &q->near.count, begin = *count;
      *body_pairs += i != k;
      body_filter seen = {wish->contact_filter, wish->user, a->body, b->body};
      near_wish own = *wish;
      if (wish->contact_filter) own.filter = query_filter_contact;
      own.user = &seen;
      own.rings = i == k ? a->options.self_rings : 0;
      status = gather(a->body, b->body, q, &own, counters);
      if (status != PL_OK || *count == begin) continue;
      if (!array_reserve(&context->def.allocator, &q->groups, q->groups.count + 1))
        return fail(context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
      q->groups.data[q->groups.count++] = (pl_contact_group){a->body, b->body, begin, *count};
    }
  counters->ms_query = timer_ms() - start;
  return status;
}

static pl_status near_scene(pl_scene *scene, const near_wish *wish, const pl_scene_near_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_scene_near_pairs answer = {0};
  pl_status status = gather_scene(scene, q, wish, &answer.body_pairs, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->near.data;
  answer.count = q->near.count;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  q->scene_answer = answer;
  *out = &q->scene_answer;
  return PL_OK;
}

static pl_status feature_scene(pl_scene *scene, const near_wish *wish, const pl_scene_feature_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_scene_feature_pairs answer = {0};
  pl_status status = gather_scene(scene, q, wish, &answer.body_pairs, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->features.data;
  answer.count = q->features.count;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  q->scene_feature_answer = answer;
  *out = &q->scene_feature_answer;
  return PL_OK;
}

pl_status pl_reference_scene_near(pl_scene *scene, double margin, const pl_near_def *def,
                                  const pl_scene_near_pairs **out)
{
  return scene_near_query(scene, margin, def, near_scene, out);
}

pl_status pl_reference_scene_near_features(pl_scene *scene, double margin, const pl_feature_def *def,
                                           const pl_scene_feature_pairs **out)
{
  return scene_feature_query(scene, margin, def, feature_scene, out);
}
