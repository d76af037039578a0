/* First contacts without a tree: every vertex against every triangle, every edge against every edge, boxes first, then the exact
 * decision, which is all that it shares with the engine. Cost: O(n m). */
#include "core/timer.h"
#include "mesh/edges.h"
#include "query/time/impact.h"
#include "reference/reference.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* A body's features by the caller's indices, with the boxes of their ways. */
typedef struct way {
  double low[3], high[3];
} way;

typedef struct parts {
  size_t triangles, edges, vertices;
  uint32_t (*triangle)[3], (*edge)[2], *vertex;
  way *triangle_way, *edge_way, *vertex_way;
} parts;

static void parts_free(pl_context *context, parts *p)
{
  const pl_allocator *allocator = &context->def.allocator;
  mem_free(allocator, p->triangle);
  mem_free(allocator, p->edge);
  mem_free(allocator, p->vertex);
  mem_free(allocator, p->triangle_way);
  mem_free(allocator, p->edge_way);
  mem_free(allocator, p->vertex_way);
  memset(p, 0, sizeof *p);
}

static way way_of(const sweep *s, const uint32_t *vertices, int count)
{
  way w = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = s->start[vertices[i]][k], y = s->end[vertices[i]][k];
      w.low[k] = fmin(w.low[k], fmin(x, y));
      w.high[k] = fmax(w.high[k], fmax(x, y));
    }
  return w;
}

static bool ways_apart(const way *a, const way *b, double separation)
{
  double more = separation * (1 + 0x1p-9);
  for (int k = 0; k < 3; ++k)
    if (a->low[k] - b->high[k] > more || b->low[k] - a->high[k] > more) return true;
  return false;
}

static void fill(parts *p, const pl_body *body, const half_edges *h)
{
  const primitives *prims = &body->tree->prims;
  for (size_t i = 0; i < p->triangles; ++i)
    memcpy(p->triangle[prims->tri_id[i]], prims->tri + 3 * i, sizeof *p->triangle);
  for (size_t i = 0; i < p->triangles; ++i) p->triangle_way[i] = way_of(body->sweep, p->triangle[i], 3);
  for (size_t i = 0; i < h->count; i = half_edges_run(h, i)) {
    if (half_edges_none(h, i)) continue;
    p->edge[p->edges][0] = h->low[h->sorted[i]];
    p->edge[p->edges][1] = h->high[h->sorted[i]];
    p->edge_way[p->edges] = way_of(body->sweep, p->edge[p->edges], 2);
    ++p->edges;
  }
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) {
    bool used = false;
    for (size_t i = 0; i < 3 * p->triangles && !used; ++i) used = prims->tri[i] == v;
    if (!used) continue;
    p->vertex[p->vertices] = v;
    p->vertex_way[p->vertices++] = way_of(body->sweep, &v, 1);
  }
}

static pl_status parts_create(pl_body *body, parts *p)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const primitives *prims = &body->tree->prims;
  size_t n = prims->triangle_count, vertices = body->motion.vertex_count;
  half_edges h = {0};
  uint64_t made = 0;
  *p = (parts){.triangles = n};
  pl_status status = sweep_update(body, &made);
  if (status != PL_OK) return status;
  p->triangle = mem_raw(allocator, n, sizeof *p->triangle);
  p->edge = mem_raw(allocator, 3 * n, sizeof *p->edge);
  p->vertex = mem_raw(allocator, vertices, sizeof *p->vertex);
  p->triangle_way = mem_raw(allocator, n, sizeof *p->triangle_way);
  p->edge_way = mem_raw(allocator, 3 * n, sizeof *p->edge_way);
  p->vertex_way = mem_raw(allocator, vertices, sizeof *p->vertex_way);
  bool good = p->triangle && p->edge && p->vertex && p->triangle_way && p->edge_way && p->vertex_way &&
              half_edges_create(allocator, prims->tri, n, prims->vertex_count, &h);
  if (good) fill(p, body, &h);
  half_edges_free(allocator, &h);
  if (good) return PL_OK;
  parts_free(body->context, p);
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
}

/* Vertices of x against triangles of y. */
static void vertices_faces(impact_search *s, uint32_t number, const parts *x, const parts *y, bool self, bool turned)
{
  for (size_t i = 0; i < x->vertices; ++i)
    for (size_t k = 0; k < y->triangles; ++k) {
      uint32_t v = x->vertex[i];
      const uint32_t *t = y->triangle[k];
      if (self && (t[0] == v || t[1] == v || t[2] == v)) continue;
      if (ways_apart(&x->vertex_way[i], &y->triangle_way[k], s->separation)) continue;
      impact_pair p = {.job = number, .kind = turned ? PL_IMPACT_FACE_VERTEX : PL_IMPACT_VERTEX_FACE};
      memcpy(turned ? p.a : p.b, t, 3 * sizeof *t);
      *(turned ? p.b : p.a) = v;
      p.id_a = turned ? (uint32_t)k : v;
      p.id_b = turned ? v : (uint32_t)k;
      if (impact_wanted(s, &p)) impact_test(s, &p);
    }
}

static void edges_edges(impact_search *s, uint32_t number, const parts *x, const parts *y, bool self)
{
  for (size_t i = 0; i < x->edges; ++i)
    for (size_t k = self ? i + 1 : 0; k < y->edges; ++k) {
      const uint32_t *e = x->edge[i], *f = y->edge[k];
      if (self && (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) continue;
      if (ways_apart(&x->edge_way[i], &y->edge_way[k], s->separation)) continue;
      impact_pair p = {.job = number, .kind = PL_IMPACT_EDGE_EDGE, .a = {e[0], e[1]}, .b = {f[0], f[1]}};
      if (impact_wanted(s, &p)) impact_test(s, &p);
    }
}

static pl_status run_job(impact_search *s, uint32_t number)
{
  const impact_job *j = &s->jobs[number];
  const bool self = j->a == j->b;
  parts x = {0}, y = {0};
  pl_status status = parts_create(j->a, &x);
  if (status == PL_OK && !self) status = parts_create(j->b, &y);
  if (status == PL_OK) {
    const parts *other = self ? &x : &y;
    vertices_faces(s, number, &x, other, self, false);
    if (!self) vertices_faces(s, number, other, &x, false, true);
    edges_edges(s, number, &x, other, self);
  }
  parts_free(j->a->context, &x);
  parts_free(j->a->context, &y);
  return status == PL_OK ? s->status : status;
}

static pl_status run_jobs(pl_context *context, impact_scratch *q, const pl_impact_def *def, const pl_impacts **out)
{
  if (!q) return PL_ERROR_MEMORY;
  impact_search *s = &q->searches[0];
  pl_counters counters = {0};
  double start = timer_ms();
  impact_begin(context, q, def, s);
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) status = run_job(s, (uint32_t)i);
  if (status == PL_OK && !array_reserve(&context->def.allocator, &q->found, s->found.count)) status = PL_ERROR_MEMORY;
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the contacts that were found");
  if (status != PL_OK) return status;
  if (s->found.count) memcpy(q->found.data, s->found.data, s->found.count * sizeof *q->found.data);
  q->found.count = s->found.count;
  counters.n_p = s->counters.n_p;
  counters.ms_query = timer_ms() - start;
  return impact_publish(context, q, &counters, 2, out);
}

pl_status pl_reference_first_contact(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = impact_prepare(a, b, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = run_jobs(a->context, impact_one_job(a, b), &d, out);
  call_query_end(&c);
  return status;
}

pl_status pl_reference_scene_first_contact(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = scene_impact_prepare(scene, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = run_jobs(scene->context, scene_impact_jobs(scene, &d, true), &d, out);
  call_query_end(&c);
  return status;
}
