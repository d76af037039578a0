/* Common segments of pairs of triangles. */
#include "query/pairs/segments.h"

#include "exact/tri_tri_segment.h"
#include "query/probe/probe.h"

enum { PIECE_PAIRS = 64 }; /* some 100 us */

static const question pairs_question;

static bool create(pl_context *context, void *scratch)
{
  segment_scratch *q = scratch;
  return runner_create(&q->run, context, &pairs_question, NULL);
}

static void destroy(pl_context *context, void *scratch)
{
  segment_scratch *q = scratch;
  runner_destroy(&q->run);
  for (int i = 0; i < 2; ++i) array_free(&context->def.allocator, &q->place[i]);
  result_store_free(context, &q->pairs);
}

const query_slot pl_inside_query_SEGMENTS = {sizeof(segment_scratch), create, destroy};

typedef struct segment_run {
  const segment_scratch *scratch;
  const pl_body *body[2];
  const pl_pair *pairs;
  batch batch;
  pl_segment *out;
} segment_run;

static pl_status walk_piece(runner *run, size_t piece, int worker, uint64_t tests)
{
  const segment_run *r = run->state;
  (void)worker;
  (void)tests;
  for (size_t i = batch_begin(&r->batch, piece); i < batch_end(&r->batch, piece); ++i) {
    double t[2][3][3];
    for (int s = 0; s < 2; ++s) {
      const pl_body *body = r->body[s];
      size_t at = r->scratch->place[s].data[s ? r->pairs[i].b : r->pairs[i].a];
      for (size_t c = 0; c < 3; ++c) points_world(&body->motion.now, body->tree->prims.tri[3 * at + c], t[s][c]);
    }
    tri_tri_segment((const double(*)[3])t[0], (const double(*)[3])t[1], &r->out[i]);
  }
  return PL_OK;
}

static const question pairs_question = {.walk = walk_piece};

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
  segment_run r = {q, {a, b}, pairs, {.count = count}, segments};
  q->run.state = &r;
  pl_status status = batch_run(&r.batch, &q->run, PIECE_PAIRS, count > PIECE_PAIRS, &(pl_counters){0});
  return status == PL_OK ? PL_OK : fail(context, status, "no memory for %zu segments", count);
}
