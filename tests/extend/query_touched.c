/* A question added from outside, by its line in PL_MORE_QUERIES: which triangles touch something.
 * It is a row of the room `ask` that finds pairs as touching does and gathers triangles, so that
 * who is asked, threads, filters, budgets, groups and the reference come with it. Cost: that of
 * all pairs, and a sort of their triangles. */
#include "extend/query_touched.h"

#include "ask/touching.h"
#include "core/sort.h"

#include <string.h>

typedef struct touched_scratch {
  ARRAY(pl_pair) pairs; /* of one job */
  ARRAY(uint64_t) keys; /* of << 32 | triangle, and as much scratch */
} touched_scratch;

static void destroy(pl_context *context, void *scratch)
{
  touched_scratch *s = scratch;
  array_free(&context->def.allocator, &s->pairs);
  array_free(&context->def.allocator, &s->keys);
}

const query_slot pl_inside_query_TOUCHED = {sizeof(touched_scratch), NULL, destroy};

/* Appends the triangles of s->pairs. */
static pl_status append(ask *q, touched_scratch *s, bool within_one, row_list out)
{
  const pl_allocator *allocator = &q->context->def.allocator;
  const size_t n = 2 * s->pairs.count;
  if (!n) return PL_OK;
  if (!array_reserve(allocator, &s->keys, 2 * n) || !rows_reserve(allocator, out, *out.count + n))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  for (size_t i = 0; i < s->pairs.count; ++i) {
    s->keys.data[2 * i] = s->pairs.data[i].a;
    s->keys.data[2 * i + 1] = (uint64_t)!within_one << 32 | s->pairs.data[i].b;
  }
  sort_keys(s->keys.data, s->keys.data + n, n);
  for (size_t i = 0; i < n; ++i) {
    const pl_pair row = {(uint32_t)(s->keys.data[i] >> 32), (uint32_t)s->keys.data[i]};
    if (i && s->keys.data[i] == s->keys.data[i - 1]) continue;
    memcpy(rows_at(out, (*out.count)++), &row, sizeof row);
  }
  return PL_OK;
}

/* The pairs of a job, or of bodies without trees, and their triangles. */
static pl_status gather(ask *q, uint32_t job, row_list out)
{
  touched_scratch *s = query_scratch(q->context, QUERY_TOUCHED);
  const touching_scratch *jobs = q->scratch;
  s->pairs.count = 0;
  pl_status status = touching_question.gather(q, job, ROWS(&s->pairs));
  return status == PL_OK ? append(q, s, jobs->jobs.data[job].a == jobs->jobs.data[job].b, out) : status;
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  touched_scratch *s = query_scratch(q->context, QUERY_TOUCHED);
  s->pairs.count = 0;
  pl_status status = touching_question.reference(q, a, b, ROWS(&s->pairs));
  return status == PL_OK ? append(q, s, a == b, out) : status;
}

static pl_status answer(ask *q, const pl_result **out)
{
  touching_state *t = (touching_state *)q;
  pl_question pairs = *q->def;
  pairs.first = pairs.sorted = false;
  pairs.callback = NULL;
  q->scratch = query_scratch(q->context, QUERY_TOUCHING);
  if (!q->scratch) return PL_ERROR_MEMORY;
  touching_start(t, &pairs);
  q->keeps = false; /* rows that a scene keeps are pairs */
  pl_status status = ask_run(q);
  if (status != PL_OK) return status;
  pl_result *found = ask_answer(q);
  found->partial = t->partial;
  *out = found;
  return PL_OK;
}

pl_status touched_find(pl_who who, const pl_question *how, const pl_result **out)
{
  pair_question row = touching_question;
  row.name = QUERY_TOUCHED;
  row.answer = answer;
  row.gather = gather;
  row.reference = refer;
  touching_state t = {.asked = {.question = &row, .who = who}};
  return ask_question(&t.asked, how, out);
}
