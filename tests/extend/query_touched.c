/* A query added from outside, by its line in PL_MORE_QUERIES: its scratch is a flag per
 * triangle; the stages and the walk are those of pairs. Cost: that of all pairs, and O(triangles
 * of a) to clear the flags. */
#include "extend/query_touched.h"
#include "scenes/ask.h"

#include "query/query.h"

#include <string.h>

typedef struct touched_scratch {
  ARRAY(uint8_t) flags;
} touched_scratch;

static void destroy(pl_context *context, void *scratch)
{
  touched_scratch *s = scratch;
  array_free(&context->def.allocator, &s->flags);
}

const query_slot pl_inside_query_TOUCHED = {sizeof(touched_scratch), NULL, destroy};

static pl_status walk_pairs(pl_context *context, touching_scratch *q, pl_body *a, pl_body *b, pl_counters *counters)
{
  const pl_question def = pl_question_default();
  place at_a, at_b;
  if (!array_reserve(&context->def.allocator, &q->jobs, 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for a query");
  counters->n_u += place_make(&at_a, a) + place_make(&at_b, b);
  q->pairs.count = 0;
  q->jobs.count = touching_prepare(&q->jobs.data[0], a, b, &at_a, &at_b, &def, &counters->n_v);
  pl_status status = q->jobs.count ? touching_run_jobs(context, q, false, counters) : PL_OK;
  if (status != PL_OK || !q->jobs.count) return status;
  return touching_gather(q, 0, ROWS(&q->pairs)) ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the pairs");
}

static size_t set_flags(uint8_t *flags, const pl_pair *pairs, size_t count)
{
  size_t set = 0;
  for (size_t i = 0; i < count; ++i) {
    set += !flags[pairs[i].a];
    flags[pairs[i].a] = 1;
  }
  return set;
}

static pl_status find(pl_body *a, pl_body *b, const uint8_t **out, size_t *count, pl_counters *counters)
{
  pl_context *context = a->context;
  size_t n = pl_body_triangle_count(a);
  touched_scratch *s = query_scratch(context, QUERY_TOUCHED);
  touching_scratch *q = s ? query_scratch(context, QUERY_TOUCHING) : NULL;
  if (!q) return PL_ERROR_MEMORY;
  if (!array_reserve(&context->def.allocator, &s->flags, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  pl_counters work = {0};
  pl_body *const bodies[2] = {a, b};
  query_stages stages = query_start(context, &work);
  pl_status status = query_update(&stages, bodies, 2);               /* update */
  if (status == PL_OK) status = walk_pairs(context, q, a, b, &work); /* walk */
  if (status != PL_OK) return status;
  memset(s->flags.data, 0, n);
  *count = set_flags(s->flags.data, q->pairs.data, q->pairs.count); /* gather */
  *out = s->flags.data;
  query_end(&stages);
  if (counters) *counters = work;
  return PL_OK;
}

pl_status touched_find(pl_body *a, pl_body *b, const uint8_t **out, size_t *count, pl_counters *counters)
{
  call c;
  pl_status status = query_check_bodies(a, b, out);    /* checks */
  if (status == PL_OK) status = query_enter(&c, a, b); /* begin: no change of a or b from here on */
  if (status != PL_OK) return status;
  status = find(a, b, out, count, counters);
  call_query_end(&c);
  return status;
}

pl_status touched_reference(pl_body *a, pl_body *b, uint8_t *flags, size_t *count)
{
  const pl_result *pairs;
  pl_status status = refer_touching(pl_two(a, b), NULL, &pairs);
  if (status != PL_OK) return status;
  memset(flags, 0, pl_body_triangle_count(a));
  *count = set_flags(flags, pairs->pairs, pairs->count);
  return PL_OK;
}
