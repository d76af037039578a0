/* Touching triangles of one body without a tree: every triangle against every later one, boxes first, then the exact test.
 * Shares with the engine only the exact tests and the list of triangles. Cost: O(n^2). */
#include "core/timer.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "reference/reference.h"

typedef struct checker {
  const pl_self_def *def;
  soup all;
  uint32_t *corner; /* 3 for each triangle, by the caller's index: its vertices */
} checker;

static bool share_vertex(const uint32_t *a, const uint32_t *b)
{
  for (int c = 0; c < 9; ++c)
    if (a[c / 3] == b[c % 3]) return true;
  return false;
}

static bool is_pair(const checker *c, size_t i, size_t j)
{
  const uint32_t *a = c->corner + 3 * i, *b = c->corner + 3 * j;
  const double(*p)[3] = (const double(*)[3])c->all.corners[i], (*q)[3] = (const double(*)[3])c->all.corners[j];
  return share_vertex(a, b) ? tri_tri_beyond(p, a, q, b) : tri_tri_touch(p, q);
}

/* Appends the pairs of triangle i and later ones. Returns false if out of memory. */
static bool pairs_of(pl_context *context, collide_scratch *q, const checker *c, size_t i, pl_pairs *answer)
{
  const pl_self_def *def = c->def;
  for (size_t j = i + 1; j < c->all.count && !answer->partial; ++j) {
    if (soup_boxes_apart(&c->all, i, &c->all, j)) continue;
    pl_pair pair = {(uint32_t)i, (uint32_t)j};
    if (!def->neighbours && share_vertex(c->corner + 3 * i, c->corner + 3 * j)) continue;
    if (def->filter && !def->filter(def->user, pair)) continue;
    ++answer->counters.n_p;
    if (!is_pair(c, i, j)) continue;
    ++answer->count;
    if (def->callback) {
      answer->partial = !def->callback(def->user, pair);
    } else {
      if (!array_reserve(&context->def.allocator, &q->pairs, q->pairs.count + 1)) return false;
      q->pairs.data[q->pairs.count++] = pair;
    }
    if (def->first) return true;
  }
  return true;
}

pl_status reference_self(pl_body *body, collide_scratch *q, const pl_self_def *def, pl_pairs *answer)
{
  pl_context *context = body->context;
  const primitives *p = &body->tree->prims;
  checker c = {.def = def};
  pl_status status = soup_create(body, &c.all);
  if (status != PL_OK) return status;
  c.corner = mem_raw(&context->def.allocator, 3 * (size_t)p->triangle_count, sizeof *c.corner);
  bool memory = c.corner;
  for (size_t t = 0; memory && t < 3 * (size_t)p->triangle_count; ++t)
    c.corner[3 * (size_t)p->tri_id[t / 3] + t % 3] = p->tri[t];
  for (size_t i = 0; memory && i < c.all.count && !answer->partial && !(def->first && answer->count); ++i)
    memory = pairs_of(context, q, &c, i, answer);
  mem_free(&context->def.allocator, c.corner);
  soup_free(context, &c.all);
  return memory ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
}

static pl_status self(pl_body *body, const pl_self_def *def, const pl_pairs **out)
{
  collide_scratch *q = query_scratch(body->context, QUERY_COLLIDE);
  if (!q) return PL_ERROR_MEMORY;
  pl_pairs answer = {0};
  double start = timer_ms();
  q->pairs.count = 0;
  pl_status status = reference_self(body, q, def, &answer);
  if (status != PL_OK) return status;
  answer.pairs = def->callback ? NULL : q->pairs.data;
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status pl_reference_self(pl_body *body, const pl_self_def *def, const pl_pairs **out)
{
  return self_query(body, def, self, out);
}
