/* All pairs of touching triangles of two bodies, or the first. */
#include "query/query.h"

#include <string.h>

pl_status query_check_def(pl_context *context, const pl_collide_def *def, pl_collide_def *out)
{
  pl_status status = def_take(context, pl_collide_def, def, out);
  if (status == PL_OK && out->pairs && out->callback)
    status = fail(context, PL_ERROR_ARGUMENT, "a callback and an array of pairs: give one of them");
  return status == PL_OK ? query_check_amount(context, out->budget_ms, "the time budget") : status;
}

/* Walks in slices, so that the callback gets pairs early and may end the query. */
static pl_status run_callback(pl_context *context, collide_scratch *q, job *j, const pl_collide_def *def,
                              pl_pairs *answer)
{
  enum { SLICE = 4096 };
  walk *w = query_walk(q->walks, &j->plan, 0);
  w->serial = ++q->walks->serial;
  w->pairs.count = 0;
  w->leaf_limit = 0;
  if (!array_reserve(&context->locked, &w->stack, WALK_STEP))
    return fail(context, PL_ERROR_MEMORY, "no memory for a walk");
  w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
  while (w->stack.count && !w->stopped && !answer->partial) {
    w->pause_at = w->n_v + SLICE;
    query_step(context, w);
    for (size_t i = 0; i < w->pairs.count && !answer->partial; ++i) {
      ++answer->count;
      answer->partial = !def->callback(def->user, w->pairs.data[i]);
    }
    w->pairs.count = 0;
  }
  if (w->status != PL_OK) return fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
  answer->counters.n_v += w->n_v;
  answer->counters.n_p += w->n_p;
  answer->counters.n_u += w->n_u;
  return PL_OK;
}

/* Passes the gathered pairs to the callback one by one. */
static void hand_on(const collide_scratch *q, const pl_collide_def *def, pl_pairs *answer)
{
  while (answer->count < q->pairs.count) {
    pl_pair pair = q->pairs.data[answer->count++];
    if (def->callback(def->user, pair)) continue;
    answer->partial = true;
    return;
  }
}

pl_status query_publish_pairs(pl_context *context, const collide_scratch *q, const pl_collide_def *def,
                              pl_pairs *answer)
{
  size_t count = q->pairs.count, kept = def->pairs && count > def->capacity ? def->capacity : count;
  answer->pairs = def->pairs ? def->pairs : q->pairs.data;
  answer->count = count;
  if (def->pairs && kept) memcpy(def->pairs, q->pairs.data, kept * sizeof *def->pairs);
  return kept == count
             ? PL_OK
             : fail(context, PL_ERROR_BUFFER, "%zu pairs, but room for %zu: give a larger array", count, def->capacity);
}

pl_status query_hand_on(pl_context *context, collide_scratch *q, const pl_collide_def *def, pl_pairs *answer)
{
  pl_status status = def->sorted ? query_sort(context, q, 0, q->pairs.count) : PL_OK;
  if (status != PL_OK) return status;
  if (def->callback) {
    hand_on(q, def, answer);
    return PL_OK;
  }
  return query_publish_pairs(context, q, def, answer);
}

pl_status query_run_one(pl_context *context, collide_scratch *q, const pl_collide_def *def, double start,
                        pl_pairs *answer)
{
  job *j = &q->jobs.data[0];
  bool budget = def->budget_tests || def->budget_ms > 0;
  q->pairs.count = 0;
  if (def->callback && !budget && !def->sorted) return run_callback(context, q, j, def, answer);
  pl_status status;
  if (budget)
    status = query_run_budget(context, q, j, def, &answer->counters, start, &answer->partial, &answer->level);
  else
    status = query_run(context, q, def, &answer->counters);
  if (status == PL_OK) status = query_gather(context, q, j);
  return status == PL_OK ? query_hand_on(context, q, def, answer) : status;
}

pl_status collide_bodies(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out)
{
  collide_scratch *q = query_scratch(a->context, QUERY_COLLIDE);
  if (!q) return PL_ERROR_MEMORY;
  pl_pairs answer = {.pairs = def->pairs};
  query_stages stages = query_start(a->context, &answer.counters);
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, 2);
  if (status != PL_OK) return status;
  if (!array_reserve(&a->context->def.allocator, &q->jobs, 1))
    return fail(a->context, PL_ERROR_MEMORY, "no memory for a query");
  place at_a, at_b;
  place_make(&at_a, a);
  place_make(&at_b, b);
  q->jobs.count = job_prepare(&q->jobs.data[0], a, b, &at_a, &at_b, def, &answer.counters.n_v);
  if (q->jobs.count) status = query_run_one(a->context, q, def, stages.start, &answer);
  if (status != PL_OK && status != PL_ERROR_BUFFER) return status;
  query_end(&stages);
  q->answer = answer;
  *out = &q->answer;
  return status;
}

pl_status collide_query(pl_body *a, pl_body *b, const pl_collide_def *def, collide_function *run, const pl_pairs **out)
{
  if (out) *out = NULL;
  pl_collide_def d;
  call c;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = query_check_def(a->context, def, &d);
  if (status == PL_OK) status = query_enter(&c, a, b);
  if (status != PL_OK) return status;
  status = run(a, b, &d, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_collide(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out)
{
  return collide_query(a, b, def, collide_bodies, out);
}
