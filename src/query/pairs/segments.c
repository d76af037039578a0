/* Common segments of pairs of triangles. */
#include "query/pairs/segments.h"

#include "exact/tri_tri_segment.h"

enum { PIECE_PAIRS = 64 }; /* some 100 us */

static void destroy(pl_context *context, void *scratch)
{
  segment_scratch *q = scratch;
  for (int i = 0; i < 2; ++i) array_free(&context->def.allocator, &q->place[i]);
  result_store_free(context, &q->pairs);
}

const query_slot pl_inside_query_SEGMENTS = {sizeof(segment_scratch), NULL, destroy};

typedef struct segment_run {
  const segment_scratch *scratch;
  const pl_body *body[2];
  const pl_pair *pairs;
  size_t count;
  pl_segment *out;
} segment_run;

static void piece_task(void *data, int task, int worker)
{
  const segment_run *r = data;
  (void)worker;
  size_t begin = (size_t)task * PIECE_PAIRS, end = begin + PIECE_PAIRS < r->count ? begin + PIECE_PAIRS : r->count;
  for (size_t i = begin; i < end; ++i) {
    double t[2][3][3];
    for (int s = 0; s < 2; ++s) {
      const pl_body *body = r->body[s];
      size_t at = r->scratch->place[s].data[s ? r->pairs[i].b : r->pairs[i].a];
      for (size_t c = 0; c < 3; ++c) points_world(&body->motion.now, body->tree->prims.tri[3 * at + c], t[s][c]);
    }
    tri_tri_segment((const double(*)[3])t[0], (const double(*)[3])t[1], &r->out[i]);
  }
}

pl_status segments_of(pl_body *a, pl_body *b, const pl_pair *pairs, size_t count, pl_segment *segments)
{
  pl_context *context = a->context;
  const pl_body *body[2] = {a, b};
  segment_scratch *q = query_scratch(context, QUERY_SEGMENTS);
  if (!q) return PL_ERROR_MEMORY;
  for (int s = 0; s < 2; ++s) {
    const primitives *p = &body[s]->tree->prims;
    if (!array_reserve(&context->def.allocator, &q->place[s], p->triangle_count))
      return fail(context, PL_ERROR_MEMORY, "no memory for %u triangles", p->triangle_count);
    for (uint32_t i = 0; i < p->triangle_count; ++i) q->place[s].data[p->tri_id[i]] = i;
  }
  segment_run r = {q, {a, b}, pairs, count, segments};
  size_t pieces = (count + PIECE_PAIRS - 1) / PIECE_PAIRS;
  return parallel_for(context, pieces > 1, piece_task, &r, (int)pieces);
}
