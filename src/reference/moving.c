/* Contacts and candidates without a tree: every vertex against every triangle, every edge
 * against every edge, boxes in the caller's numbers first. The order of the loops is that of
 * sorted lists. Cost: O(n m). */
#include "reference/moving.h"

#include "core/timer.h"

#include <math.h>
#include <string.h>

void reference_close(const pl_body *body, const uint32_t *vertices, int count, uint32_t rings, uint32_t *close)
{
  const primitives *p = &body->tree->prims;
  memset(close, 0, body->motion.vertex_count * sizeof *close);
  for (int i = 0; i < count; ++i) close[vertices[i]] = 1;
  bool grown = true;
  for (uint32_t ring = 1; ring < rings && grown; ++ring) {
    grown = false;
    for (size_t i = 0; i < 3 * (size_t)p->triangle_count; ++i) {
      if (prims_hole(p, i / 3)) continue;
      const uint32_t *v = p->tri + i / 3 * 3, at = p->tri[i];
      const bool near = (close[v[0]] && close[v[0]] <= ring) || (close[v[1]] && close[v[1]] <= ring) ||
                        (close[v[2]] && close[v[2]] <= ring);
      if (close[at] || !near) continue;
      close[at] = ring + 1;
      grown = true;
    }
  }
}

/* ---------------------------------------------------------------------------------- features -- */

/* A body's features by the caller's indices, with their boxes. */
typedef struct parts {
  size_t triangles, edges, vertices;
  uint32_t (*triangle)[3];
  const uint32_t (*edge)[2]; /* of the sweep */
  uint32_t *vertex;          /* those that a triangle has, in ascending order */
  exact_box *triangle_box, *edge_box, *vertex_box;
} parts;

static void parts_free(const pl_allocator *allocator, parts *p)
{
  mem_free_all(allocator, p->triangle, p->vertex, p->triangle_box, p->edge_box, p->vertex_box);
  memset(p, 0, sizeof *p);
}

static void fill(parts *p, const pl_body *body)
{
  const primitives *prims = &body->tree->prims;
  const sweep *s = body->sweep;
  bool *used = (bool *)(void *)p->vertex_box; /* read before the boxes are written */
  memset(used, 0, body->motion.vertex_count * sizeof *used);
  for (size_t i = 0; i < p->triangles; ++i) {
    memcpy(p->triangle[prims->tri_id[i]], prims->tri + 3 * i, sizeof *p->triangle);
    for (int k = 0; k < 3 && !prims_hole(prims, i); ++k) used[prims->tri[3 * i + (size_t)k]] = true;
  }
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v)
    if (used[v]) p->vertex[p->vertices++] = v;
  for (size_t i = 0; i < p->vertices; ++i) p->vertex_box[i] = exact_box_of(s, &p->vertex[i], 1);
  for (size_t i = 0; i < p->triangles; ++i)
    if (p->triangle[i][0] != NO_VERTEX) p->triangle_box[i] = exact_box_of(s, p->triangle[i], 3);
  for (size_t i = 0; i < p->edges; ++i) p->edge_box[i] = exact_box_of(s, p->edge[i], 2);
}

static pl_status parts_create(pl_body *body, parts *p)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  uint64_t made = 0;
  pl_status status = sweep_update(body, &made);
  if (status == PL_OK) status = sweep_need_all(body);
  if (status != PL_OK) return status;
  *p = (parts){.triangles = body->tree->prims.triangle_count,
               .edges = body->sweep->edge_count,
               .edge = (const uint32_t(*)[2])body->sweep->edges};
  if (mem_take(allocator, &p->triangle, p->triangles) && mem_take(allocator, &p->vertex, body->motion.vertex_count) &&
      mem_take(allocator, &p->triangle_box, p->triangles) && mem_take(allocator, &p->edge_box, p->edges + 1) &&
      mem_take(allocator, &p->vertex_box, body->motion.vertex_count)) {
    fill(p, body);
    return PL_OK;
  }
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", p->triangles);
}

/* ------------------------------------------------------------------------------------- loops -- */

/* What the loops need. */
typedef struct search {
  const impact_job *job;
  parts part[2];
  const parts *x, *y;
  /* within one body: by vertex, not 0: too few edges join it to the present feature */
  uint32_t *close;
  uint32_t rings;
  double margin; /* infinite: boxes say nothing */
  bool thick;    /* candidates: the thickness of features is added */
  bool vertex_face, edge_edge;
  /* Called for two features whose boxes are within the margin, by their numbers. Returns false
   * to end the search. */
  bool (*visit)(const struct search *s, pl_feature kind, pl_pair pair);
  void *user;
} search;

static bool is_close(const search *s, const uint32_t *vertices, int count)
{
  for (int i = 0; i < count && s->close; ++i)
    if (s->close[vertices[i]]) return true;
  return false;
}

static void mark(const search *s, const uint32_t *vertices, int count)
{
  if (s->close) reference_close(s->job->a, vertices, count, s->rings, s->close);
}

static double margin_of(const search *s, const uint32_t *one, int corners_of_one, const uint32_t *other,
                        int corners_of_other)
{
  if (!s->thick) return s->margin;
  return s->margin + (thickness_of(&s->job->a->thickness, one, corners_of_one) +
                      thickness_of(&s->job->b->thickness, other, corners_of_other));
}

static bool vertices_faces(const search *s)
{
  const parts *x = s->x, *y = s->y;
  for (size_t i = 0; i < x->vertices; ++i) {
    mark(s, &x->vertex[i], 1);
    for (size_t k = 0; k < y->triangles; ++k)
      if (y->triangle[k][0] != NO_VERTEX && !is_close(s, y->triangle[k], 3) &&
          exact_boxes_near(&x->vertex_box[i], &y->triangle_box[k], margin_of(s, &x->vertex[i], 1, y->triangle[k], 3)) &&
          !s->visit(s, PL_FEATURE_VERTEX_FACE, (pl_pair){x->vertex[i], (uint32_t)k}))
        return false;
  }
  return true;
}

/* Of two bodies. */
static bool faces_vertices(const search *s)
{
  const parts *x = s->x, *y = s->y;
  for (size_t i = 0; i < x->triangles; ++i)
    for (size_t k = 0; k < y->vertices && x->triangle[i][0] != NO_VERTEX; ++k)
      if (exact_boxes_near(&x->triangle_box[i], &y->vertex_box[k], margin_of(s, x->triangle[i], 3, &y->vertex[k], 1)) &&
          !s->visit(s, PL_FEATURE_FACE_VERTEX, (pl_pair){(uint32_t)i, y->vertex[k]}))
        return false;
  return true;
}

static bool edges_edges(const search *s)
{
  const parts *x = s->x, *y = s->y;
  for (size_t i = 0; i < x->edges; ++i) {
    mark(s, x->edge[i], 2);
    for (size_t k = s->close ? i + 1 : 0; k < y->edges; ++k)
      if (!is_close(s, y->edge[k], 2) &&
          exact_boxes_near(&x->edge_box[i], &y->edge_box[k], margin_of(s, x->edge[i], 2, y->edge[k], 2)) &&
          !s->visit(s, PL_FEATURE_EDGE_EDGE, (pl_pair){(uint32_t)i, (uint32_t)k}))
        return false;
  }
  return true;
}

static pl_status run(search *s)
{
  const bool self = s->job->a == s->job->b;
  const pl_allocator *allocator = &s->job->a->context->def.allocator;
  pl_status status = parts_create(s->job->a, &s->part[0]);
  if (status == PL_OK && !self) status = parts_create(s->job->b, &s->part[1]);
  if (status == PL_OK && self) {
    s->close = mem_new(allocator, s->job->a->motion.vertex_count, sizeof *s->close);
    if (!s->close) status = PL_ERROR_MEMORY;
  }
  s->x = &s->part[0];
  s->y = &s->part[!self];
  if (status == PL_OK && s->vertex_face && !(vertices_faces(s) && (self || faces_vertices(s))))
    status = PL_ERROR_MEMORY;
  if (status == PL_OK && s->edge_edge && !edges_edges(s)) status = PL_ERROR_MEMORY;
  mem_free(allocator, s->close);
  s->close = NULL;
  for (int i = 0; i < 2; ++i) parts_free(allocator, &s->part[i]);
  return status;
}

/* ----------------------------------------------------------------------------------- impacts -- */

typedef struct impact_visit {
  impact_search *search;
  uint32_t job;
} impact_visit;

static bool test(const search *s, pl_feature kind, pl_pair pair)
{
  const impact_visit *v = s->user;
  impact_pair p = {.job = v->job, .kind = kind};
  if (kind == PL_FEATURE_EDGE_EDGE) {
    memcpy(p.a, s->x->edge[pair.a], sizeof s->x->edge[0]);
    memcpy(p.b, s->y->edge[pair.b], sizeof s->y->edge[0]);
    if (s->close && (p.b[0] < p.a[0] || (p.b[0] == p.a[0] && p.b[1] < p.a[1]))) { /* lesser vertices first */
      memcpy(p.a, s->y->edge[pair.b], sizeof s->x->edge[0]);
      memcpy(p.b, s->x->edge[pair.a], sizeof s->y->edge[0]);
    }
  } else {
    const bool turned = kind == PL_FEATURE_FACE_VERTEX;
    memcpy(turned ? p.a : p.b, turned ? s->x->triangle[pair.a] : s->y->triangle[pair.b], sizeof s->x->triangle[0]);
    *(turned ? p.b : p.a) = turned ? pair.b : pair.a;
    p.id_a = pair.a;
    p.id_b = pair.b;
  }
  if (impact_wanted(v->search, &p)) impact_test(v->search, &p);
  return v->search->status == PL_OK;
}

pl_status reference_impacts(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                            result_store *store)
{
  impact_search *found = &q->searches[0];
  const double start = timer_ms();
  pl_status status = PL_OK;
  bool arcs;
  impact_begin(context, q, def, found);
  status = impact_set_arcs(context, q, def->margin, &arcs);
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    impact_visit visit = {found, (uint32_t)i};
    search s = {.job = &q->jobs.data[i],
                .rings = def->rings,
                /* contacts may be as much farther apart, or less */
                .margin =
                    q->jobs.data[i].arc.a ? INFINITY : impact_margin(q, &q->jobs.data[i], def->margin) * (1 + 0x1p-9),
                .vertex_face = true,
                .edge_edge = true,
                .visit = test,
                .user = &visit};
    status = run(&s);
  }
  q->found.count = 0;
  if (status == PL_OK && !array_reserve(&context->def.allocator, &q->found, found->found.count))
    status = PL_ERROR_MEMORY;
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the contacts that were found");
  if (status != PL_OK) return status;
  if (found->found.count) memcpy(q->found.data, found->found.data, found->found.count * sizeof *q->found.data);
  q->found.count = found->found.count;
  counters->n_p = found->counters.n_p;
  counters->ms_query = timer_ms() - start;
  return impact_publish(context, q, counters, 2, store);
}

/* -------------------------------------------------------------------------------- candidates -- */

typedef struct candidate_visit {
  const pl_question *def;
  result_store *store;
  size_t *ends; /* of kinds */
} candidate_visit;

static bool put(const search *s, pl_feature kind, pl_pair pair)
{
  const candidate_visit *v = s->user;
  const row_list rows = store_rows(v->store, sizeof pair);
  if (v->def->feature_filter && !candidates_wanted(v->def, s->job->a, s->job->b, kind, pair)) return true;
  if (!rows_reserve(&s->job->a->context->def.allocator, rows, *rows.count + 1)) return false;
  memcpy(rows_at(rows, (*rows.count)++), &pair, sizeof pair);
  for (int k = kind + 1; k <= CANDIDATE_KINDS; ++k) v->ends[k] = *rows.count;
  return true;
}

static pl_status list_job(pl_context *context, candidates_scratch *q, size_t index, result_store *store)
{
  const impact_job *j = &q->jobs.data[index];
  const size_t at = store->rows.count;
  size_t ends[CANDIDATE_KINDS + 1] = {at, at, at, at};
  candidate_visit visit = {q->def, store, ends};
  search s = {.job = j,
              .rings = q->def->rings,
              .margin = q->def->margin,
              .thick = true,
              .vertex_face = q->def->vertex_face,
              .edge_edge = q->def->edge_edge,
              .visit = put,
              .user = &visit};
  pl_status status = run(&s);
  if (status == PL_OK) status = candidates_begin_lists(context, j, store);
  return status == PL_OK ? candidates_end_lists(context, j, ends, q->always, store) : status;
}

pl_status reference_candidates(pl_context *context, candidates_scratch *q, const pl_question *def,
                               pl_counters *counters, result_store *store)
{
  const double start = timer_ms();
  pl_status status = PL_OK;
  q->def = def;
  store->rows.count = store->more.count = store->groups.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) status = list_job(context, q, i, store);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs of features that were found");
  if (status != PL_OK) return status;
  counters->ms_query = timer_ms() - start;
  candidates_publish(counters, store);
  return PL_OK;
}
