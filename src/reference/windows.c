/* Windows of time without trees: every triangle against every other, box by box in plain C.
 * Shares with the engine the boxes of single vertices. Cost: O(n m). */
#include "query/time/windows.h"

#include "reference/moving.h"

#include <math.h>

static void box_of(const windows_side *side, uint32_t triangle, float box[SWEEP_BOX])
{
  const uint32_t *v = side->body->tree->prims.tri + 3 * (size_t)triangle;
  for (size_t i = 0; i < SWEEP_BOX; ++i) {
    box[i] = side->reach.data[SWEEP_BOX * (size_t)v[0] + i];
    for (int c = 1; c < 3; ++c) box[i] = fmaxf(box[i], side->reach.data[SWEEP_BOX * (size_t)v[c] + i]);
  }
}

/* The part of the way before which two boxes are apart; false: they are apart all the time. */
static bool window_of(const float a[SWEEP_BOX], const float b[SWEEP_BOX], float *from)
{
  float to = 1;
  *from = 0;
  for (int i = 0; i < 6; ++i) {
    const int k = (i + 3) % 6;
    const float start = a[i] + b[k], end = a[i + 6] + b[k + 6];
    if (start < 0 && end < 0) return false;
    const float t = 1 / (1 - end / start);
    if (start < 0) *from = fmaxf(*from, t * FLOAT_LESS);
    if (end < 0) to = fminf(to, t * FLOAT_MORE + 1e-30f);
  }
  return *from <= to;
}

/* Triangle i of a against all, or within one body against the later ones. */
static void test_one(windows_scratch *q, const windows_job *j, uint32_t i, const uint32_t *close)
{
  const windows_side *side_a = &q->sides.data[j->a], *side_b = &q->sides.data[j->b];
  const primitives *a = &side_a->body->tree->prims, *b = &side_b->body->tree->prims;
  const bool self = side_a == side_b;
  float box[SWEEP_BOX], other[SWEEP_BOX], start;
  box_of(side_a, i, box);
  for (uint32_t k = self ? i + 1 : 0; k < b->triangle_count; ++k) {
    const uint32_t *v = b->tri + 3 * (size_t)k;
    if (prims_hole(b, k)) continue;
    if (self && (close[v[0]] || close[v[1]] || close[v[2]])) continue;
    box_of(side_b, k, other);
    if (!window_of(box, other, &start)) continue;
    const uint32_t p = a->tri_id[i], r = b->tri_id[k];
    const bool turn = self && r < p;
    q->found.data[q->found.count++] = (windows_found){windows_parameter(q->from, start), turn ? r : p, turn ? p : r};
  }
}

static pl_status test_all(pl_context *context, windows_scratch *q, const windows_job *j, pl_counters *counters)
{
  const pl_body *body = q->sides.data[j->a].body;
  const primitives *a = &body->tree->prims, *b = &q->sides.data[j->b].body->tree->prims;
  const bool self = j->a == j->b;
  uint32_t *close = self ? mem_new(&context->def.allocator, body->motion.vertex_count, sizeof *close) : NULL;
  bool good = close || !self;
  q->found.count = 0;
  for (uint32_t i = 0; i < a->triangle_count && good; ++i) {
    if (prims_hole(a, i)) continue;
    if (self) reference_close(body, a->tri + 3 * (size_t)i, 3, q->def->rings, close);
    good = array_reserve(&context->def.allocator, &q->found, q->found.count + b->triangle_count);
    if (good) test_one(q, j, i, close);
    counters->n_p += b->triangle_count;
  }
  mem_free(&context->def.allocator, close);
  return good ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for pairs of boxes");
}

pl_status reference_windows(pl_context *context, windows_scratch *q, pl_counters *counters, result_store *store)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    status = test_all(context, q, &q->jobs.data[i], counters);
    if (status == PL_OK) status = windows_append(context, q, &q->jobs.data[i], &q->found, store);
  }
  return status;
}
