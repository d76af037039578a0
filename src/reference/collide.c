/* Touching triangles without a tree: every triangle of one body against every triangle of the other, boxes first, then the exact test.
 * Shares with the engine only the exact triangle test and the list of triangles. Cost: O(n m). */
#include "core/timer.h"
#include "exact/tri_tri.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <string.h>

pl_status soup_create(pl_body *body, soup *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  size_t n = body->tree->prims.triangle_count;
  memset(out, 0, sizeof *out);
  out->count = n;
  out->corners = mem_raw(allocator, n, sizeof *out->corners);
  for (int k = 0; k < 6; ++k) out->box[k] = mem_raw(allocator, n, sizeof *out->box[k]);
  bool all = out->corners != NULL;
  for (int k = 0; k < 6; ++k) all = all && out->box[k];
  if (!all) {
    soup_free(body->context, out);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  }
  for (size_t i = 0; i < n; ++i) {
    uint32_t id = body->tree->prims.tri_id[i];
    for (int c = 0; c < 3; ++c)
      points_world(&body->motion.now, body->tree->prims.tri[3 * i + (size_t)c], out->corners[id][c]);
    for (int k = 0; k < 3; ++k) {
      double x = out->corners[id][0][k], y = out->corners[id][1][k], z = out->corners[id][2][k];
      out->box[k][id] = fmin(x, fmin(y, z));
      out->box[k + 3][id] = fmax(x, fmax(y, z));
    }
  }
  return PL_OK;
}

void soup_free(pl_context *context, soup *s)
{
  mem_free(&context->def.allocator, s->corners);
  for (int k = 0; k < 6; ++k) mem_free(&context->def.allocator, s->box[k]);
  memset(s, 0, sizeof *s);
}

/* Appends the pairs of triangle i of a. Returns false if out of memory. */
static bool pairs_of(pl_context *context, collide_scratch *q, const soup *a, size_t i, const soup *b,
                     const pl_collide_def *def, pl_pairs *answer)
{
  for (size_t j = 0; j < b->count && !answer->partial; ++j) {
    if (soup_boxes_apart(a, i, b, j)) continue;
    pl_pair pair = {(uint32_t)i, (uint32_t)j};
    if (def->filter && !def->filter(def->user, pair)) continue;
    ++answer->counters.n_p;
    if (!tri_tri_touch((const double(*)[3])a->corners[i], (const double(*)[3])b->corners[j])) continue;
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

pl_status reference_pairs(pl_body *a, pl_body *b, collide_scratch *q, const pl_collide_def *def, pl_pairs *answer)
{
  soup s = {0}, t = {0};
  pl_status status = soup_create(a, &s);
  if (status == PL_OK) status = soup_create(b, &t);
  bool memory = true;
  for (size_t i = 0; status == PL_OK && memory && i < s.count && !answer->partial; ++i) {
    memory = pairs_of(a->context, q, &s, i, &t, def, answer);
    if (def->first && answer->count) break;
  }
  soup_free(a->context, &s);
  soup_free(a->context, &t);
  if (!memory) return fail(a->context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
  return status;
}

pl_status reference_collide(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out)
{
  collide_scratch *q = query_scratch(a->context, QUERY_COLLIDE);
  if (!q) return PL_ERROR_MEMORY;
  pl_pairs answer = {0};
  double start = timer_ms();
  q->pairs.count = 0;
  pl_status status = reference_pairs(a, b, q, def, &answer);
  if (status != PL_OK) return status;
  if (!def->callback) status = query_publish_pairs(a->context, q, def, &answer);
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return status;
}

pl_status pl_reference_collide(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out)
{
  return collide_query(a, b, def, reference_collide, out);
}
