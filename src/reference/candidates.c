/* Candidates without a tree: every feature against every other, in the caller's numbers. The order of the loops is that of sorted lists. */
#include "query/time/candidates.h"

#include "core/timer.h"
#include "reference/reference.h"

#include <string.h>

static bool edges_join(const uint32_t e[2], const uint32_t f[2])
{
  return e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1];
}

/* A body's features by the caller's indices, with their boxes. */
typedef struct parts {
  size_t triangles, edges, vertices;
  uint32_t (*triangle)[3];
  const uint32_t (*edge)[2]; /* of the sweep */
  uint32_t *vertex;          /* those that a triangle has, in ascending order */
  exact_box *triangle_box, *edge_box, *vertex_box;
} parts;

typedef struct reference_scratch {
  parts part[2];
  pair_list found[PL_IMPACT_COUNT];
  pl_candidates answer;
} reference_scratch;

static void parts_free(const pl_allocator *allocator, parts *p)
{
  mem_free(allocator, p->triangle);
  mem_free(allocator, p->vertex);
  mem_free(allocator, p->triangle_box);
  mem_free(allocator, p->edge_box);
  mem_free(allocator, p->vertex_box);
  memset(p, 0, sizeof *p);
}

static void destroy(pl_context *context, void *scratch)
{
  reference_scratch *q = scratch;
  for (int i = 0; i < 2; ++i) parts_free(&context->def.allocator, &q->part[i]);
  for (int k = 0; k < PL_IMPACT_COUNT; ++k) array_free(&context->def.allocator, &q->found[k]);
}

const query_slot pl_inside_query_REFERENCE_CANDIDATES = {sizeof(reference_scratch), NULL, destroy};

static void fill(parts *p, const pl_body *body)
{
  const primitives *prims = &body->tree->prims;
  const sweep *s = body->sweep;
  bool *used = (bool *)(void *)p->vertex_box; /* read before the boxes are written */
  memset(used, 0, body->motion.vertex_count * sizeof *used);
  for (size_t i = 0; i < p->triangles; ++i) {
    memcpy(p->triangle[prims->tri_id[i]], prims->tri + 3 * i, sizeof *p->triangle);
    for (int k = 0; k < 3; ++k) used[prims->tri[3 * i + (size_t)k]] = true;
  }
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v)
    if (used[v]) p->vertex[p->vertices++] = v;
  for (size_t i = 0; i < p->vertices; ++i) p->vertex_box[i] = exact_box_of(s, &p->vertex[i], 1);
  for (size_t i = 0; i < p->triangles; ++i) p->triangle_box[i] = exact_box_of(s, p->triangle[i], 3);
  for (size_t i = 0; i < p->edges; ++i) p->edge_box[i] = exact_box_of(s, p->edge[i], 2);
}

static pl_status parts_create(pl_body *body, parts *p)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  uint64_t made = 0;
  pl_status status = sweep_update(body, &made);
  if (status != PL_OK) return status;
  *p = (parts){.triangles = body->tree->prims.triangle_count,
               .edges = body->sweep->edge_count,
               .edge = (const uint32_t(*)[2])body->sweep->edges};
  p->triangle = mem_raw(allocator, p->triangles, sizeof *p->triangle);
  p->vertex = mem_raw(allocator, body->motion.vertex_count, sizeof *p->vertex);
  p->triangle_box = mem_raw(allocator, p->triangles, sizeof *p->triangle_box);
  p->edge_box = mem_raw(allocator, p->edges + 1, sizeof *p->edge_box);
  p->vertex_box = mem_raw(allocator, body->motion.vertex_count, sizeof *p->vertex_box);
  if (p->triangle && p->vertex && p->triangle_box && p->edge_box && p->vertex_box) {
    fill(p, body);
    return PL_OK;
  }
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", p->triangles);
}

/* What the loops need. */
typedef struct search {
  pl_body *a, *b;
  const pl_candidates_def *def;
  reference_scratch *scratch;
} search;

static bool put(search *s, pl_impact_kind kind, pl_pair pair)
{
  pair_list *list = &s->scratch->found[kind];
  if (s->def->filter && !candidates_wanted(s->def, s->a, s->b, kind, pair)) return true;
  if (!array_reserve(&s->a->context->def.allocator, list, list->count + 1)) return false;
  list->data[list->count++] = pair;
  return true;
}

static bool vertices_faces(search *s, const parts *x, const parts *y)
{
  for (size_t i = 0; i < x->vertices; ++i)
    for (size_t k = 0; k < y->triangles; ++k) {
      const uint32_t v = x->vertex[i], *t = y->triangle[k];
      if (s->a == s->b && (t[0] == v || t[1] == v || t[2] == v)) continue;
      if (exact_boxes_near(&x->vertex_box[i], &y->triangle_box[k], s->def->separation) &&
          !put(s, PL_IMPACT_VERTEX_FACE, (pl_pair){v, (uint32_t)k}))
        return false;
    }
  return true;
}

static bool faces_vertices(search *s, const parts *x, const parts *y)
{
  for (size_t i = 0; i < x->triangles; ++i)
    for (size_t k = 0; k < y->vertices; ++k)
      if (exact_boxes_near(&x->triangle_box[i], &y->vertex_box[k], s->def->separation) &&
          !put(s, PL_IMPACT_FACE_VERTEX, (pl_pair){(uint32_t)i, y->vertex[k]}))
        return false;
  return true;
}

static bool edges_edges(search *s, const parts *x, const parts *y)
{
  const bool self = s->a == s->b;
  for (size_t i = 0; i < x->edges; ++i)
    for (size_t k = self ? i + 1 : 0; k < y->edges; ++k) {
      if (self && edges_join(x->edge[i], y->edge[k])) continue;
      if (exact_boxes_near(&x->edge_box[i], &y->edge_box[k], s->def->separation) &&
          !put(s, PL_IMPACT_EDGE_EDGE, (pl_pair){(uint32_t)i, (uint32_t)k}))
        return false;
    }
  return true;
}

static pl_status run(reference_scratch *q, pl_body *a, pl_body *b, const pl_candidates_def *def)
{
  search s = {a, b, def, q};
  pl_status status = parts_create(a, &q->part[0]);
  if (status == PL_OK && b != a) status = parts_create(b, &q->part[1]);
  if (status != PL_OK) return status;
  const parts *x = &q->part[0], *y = &q->part[a != b];
  for (int k = 0; k < PL_IMPACT_COUNT; ++k) q->found[k].count = 0;
  bool good = !def->vertex_face || (vertices_faces(&s, x, y) && (a == b || faces_vertices(&s, x, y)));
  good = good && (!def->edge_edge || edges_edges(&s, x, y));
  return good ? PL_OK : fail(a->context, PL_ERROR_MEMORY, "no memory for the pairs of features that were found");
}

pl_status pl_reference_impact_candidates(pl_body *a, pl_body *b, const pl_candidates_def *def,
                                         const pl_candidates **out)
{
  pl_candidates_def d;
  call c;
  pl_status status = candidates_prepare(a, b, def, out, &d, &c);
  if (status != PL_OK) return status;
  reference_scratch *q = query_scratch(a->context, QUERY_REFERENCE_CANDIDATES);
  double start = timer_ms();
  status = q ? run(q, a, b, &d) : PL_ERROR_MEMORY;
  if (status == PL_OK) {
    const pair_list *lists = q->found;
    q->answer = (pl_candidates){lists[0].data,
                                lists[0].count,
                                lists[1].data,
                                lists[1].count,
                                lists[2].data,
                                lists[2].count,
                                (const uint32_t(*)[2])a->sweep->edges,
                                (const uint32_t(*)[2])b->sweep->edges,
                                a->sweep->edge_count,
                                b->sweep->edge_count,
                                {.ms_query = timer_ms() - start}};
    *out = &q->answer;
  }
  for (int i = 0; q && i < 2; ++i) parts_free(&a->context->def.allocator, &q->part[i]);
  call_query_end(&c);
  return status;
}
