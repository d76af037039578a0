/* The common segments of triangles that touch. */
#include "query/pairs/segments.h"
#include "ask/touching.h"
#include "core/timer.h"

#include <string.h>

enum { MOST_PAIRS = 1 << 30 };

static pl_status check_group(pl_context *context, const pl_who *who, const pl_result *given, const pl_group *g)
{
  if (!given->pairs)
    return fail(context, PL_ERROR_ARGUMENT, "the given result has no pairs: give one of pl_touching()");
  if (g->begin > g->end || g->end > given->count)
    return fail(context, PL_ERROR_ARGUMENT, "a group has rows %zu to %zu of %zu", g->begin, g->end, given->count);
  if (!who_has(*who, g->a, g->b))
    return fail(context, PL_ERROR_MISMATCH, "the given pairs belong to other bodies than the question");
  const primitives *a = &g->a->tree->prims, *b = &g->b->tree->prims;
  for (size_t i = g->begin; i < g->end; ++i)
    if (!prims_have(a, given->pairs[i].a) || !prims_have(b, given->pairs[i].b))
      return fail(context, PL_ERROR_ARGUMENT, "pair %zu names triangles %u and %u of %u and %u", i, given->pairs[i].a,
                  given->pairs[i].b, prims_ids(a), prims_ids(b));
  return PL_OK;
}

/* Copies the caller's pairs and groups, which may be in the holder that is written to. */
static pl_status take_given(pl_context *context, const pl_who *who, const pl_result *given, result_store *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  const row_list rows = STORE_ROWS(out, pl_pair);
  out->rows.count = out->groups.count = out->version = 0;
  for (size_t g = 0; g < given->group_count; ++g) {
    pl_status status = check_group(context, who, given, &given->groups[g]);
    if (status != PL_OK) return status;
  }
  if (!array_reserve(allocator, &out->groups, given->group_count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", given->group_count);
  for (size_t g = 0; g < given->group_count; ++g) {
    const pl_group *from = &given->groups[g];
    pl_group to = {from->a, from->b, out->rows.count, out->rows.count + (from->end - from->begin)};
    if (!rows_append(allocator, rows, given->pairs + from->begin, from->end - from->begin))
      return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs", given->count);
    out->groups.data[out->groups.count++] = to;
  }
  return PL_OK;
}

/* The pairs, their groups and their segments, into the place of the result. */
static pl_status find_segments(ask *q, const result_store *found)
{
  const pl_allocator *allocator = &q->context->def.allocator;
  result_store *store = q->store;
  const row_list rows = STORE_ROWS(store, pl_segment), pairs = STORE_MORE(store, pl_pair);
  store->rows.count = store->more.count = store->groups.count = store->version = 0;
  if (found->rows.count >= MOST_PAIRS)
    return fail(q->context, PL_ERROR_ARGUMENT, "%zu pairs are too many", found->rows.count);
  if (!rows_reserve(allocator, rows, found->rows.count) ||
      !rows_append(allocator, pairs, found->rows.data, found->rows.count) ||
      !array_reserve(allocator, &store->groups, found->groups.count))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu segments", found->rows.count);
  pl_status status = PL_OK;
  for (size_t g = 0; g < found->groups.count && status == PL_OK; ++g) {
    const pl_group *group = &found->groups.data[g];
    store->groups.data[store->groups.count++] = *group;
    status = segments_of(group->a, group->b, (const pl_pair *)(const void *)store->more.data + group->begin,
                         group->end - group->begin, (pl_segment *)(void *)store->rows.data + group->begin);
  }
  store->rows.count = found->rows.count;
  return status;
}

static pl_status check(const ask *q)
{
  if (!q->def->given || !q->def->filter) return PL_OK;
  return fail(q->context, PL_ERROR_ARGUMENT, "use a filter or given pairs, not both");
}

static pl_status answer(ask *q, const pl_result **out)
{
  const double start = timer_ms();
  segment_scratch *s = q->scratch;
  bool partial; /* there is no budget */
  const pl_result *given = q->def->given;
  pl_status status = given ? take_given(q->context, &q->who, given, &s->pairs) : touching_find(q, &s->pairs, &partial);
  if (status == PL_OK) status = find_segments(q, &s->pairs);
  q->counters.ms_query = timer_ms() - start;
  if (status != PL_OK) return status;
  pl_result *answer = ask_answer(q);
  answer->pairs = (const void *)q->store->more.data;
  *out = answer;
  return PL_OK;
}

pl_status pl_segments(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {.name = QUERY_SEGMENTS,
                                    .member = offsetof(pl_result, segments),
                                    .asked = ASKED_SEGMENTS,
                                    .check = check,
                                    .answer = answer};
  return ask_question(&(ask){.question = &row, .who = who}, how, out);
}
