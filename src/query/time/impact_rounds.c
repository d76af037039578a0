/* The search for the first contact on all workers.
 *
 * First nodes are opened level by level until there are PARTS pairs of them that overlap at the
 * start; then these are walked, and after them the pairs that overlap later, LATER of them at a
 * time in the order of their windows, until they begin after the first contact so far. What is
 * walked together is a part. Parts are taken in rounds: a part does not see what the others of
 * its round have found. So the tests that are made, and not only the result, are the same for
 * any number of threads. A round has one part more than a quarter of those before it: what is
 * walked in vain because a part of the same round has found an earlier contact is at most that.
 * A contact at the very start ends the search: it is the one that one thread alone would find
 * first. */
#include "core/sort.h"
#include "query/time/impact.h"

#include <math.h>
#include <string.h>

enum { PARTS = 128, LATER = 8 };

pl_status impact_spread(pl_context *context, impact_scratch *q, size_t enough)
{
  impact_search *s = &q->searches[0];
  for (bool opened = true; opened && s->now.count && s->now.count < enough;) {
    const size_t count = s->now.count;
    if (!array_reserve(&context->def.allocator, &q->parts, count)) return PL_ERROR_MEMORY;
    memcpy(q->parts.data, s->now.data, count * sizeof *q->parts.data);
    s->now.count = 0;
    opened = false;
    for (size_t i = 0; i < count; ++i) {
      const impact_item *item = &q->parts.data[i];
      const bool leaves = item->a < 0 && item->b < 0;
      if (!(leaves ? impact_push(s, item) : impact_step(s, item))) return s->status;
      opened = opened || !leaves;
    }
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ rounds -- */

/* A worker begins a part: it knows what was found before the round. */
static void begin_part(const impact_scratch *q, impact_search *s, size_t number)
{
  impact_lower(s, q->most);
  s->sequence = (uint64_t)(number + 1) << 40;
  s->now.count = s->found.count = 0;
}

static void end_part(impact_search *s)
{
  if (!s->found.count || (s->has_best && !impact_first(&s->found.data[0], &s->best))) return;
  s->best = s->found.data[0];
  s->has_best = true;
}

/* Keeps the first contact of a round. Rounds go on in the order of one thread alone, so that a
 * contact at the very start is never replaced. */
static pl_status end_round(pl_context *context, impact_scratch *q)
{
  for (int w = 0; w < context->threads; ++w) {
    impact_search *s = &q->searches[w];
    if (s->status != PL_OK) return s->status;
    if (s->has_best && (!q->found.count || impact_first(&s->best, &q->found.data[0]))) {
      q->found.data[0] = s->best;
      q->found.count = 1;
      q->most = s->best.impact.time;
    }
    s->has_best = false;
  }
  return PL_OK;
}

/* Runs parts [0, count) in rounds, until there is a contact at the very start or `is_over`. */
static pl_status run_rounds(pl_context *context, impact_scratch *q, pl_task task, size_t count,
                            bool (*is_over)(const impact_scratch *q))
{
  pl_status status = PL_OK;
  for (q->begin = 0; q->begin < count && q->most > 0 && !is_over(q) && status == PL_OK;) {
    const size_t more = 1 + q->begin / 4, parts = more < count - q->begin ? more : count - q->begin;
    status = parallel_for(context, true, task, q, (int)parts);
    if (status == PL_OK) status = end_round(context, q);
    q->begin += parts;
  }
  return status;
}

/* ----------------------------------------------------------- pairs that overlap at the start -- */

static void run_now(void *data, int task, int worker)
{
  impact_scratch *q = data;
  impact_search *s = &q->searches[worker];
  const size_t number = q->begin + (size_t)task, later = s->later.count;
  if (s->status != PL_OK) return;
  begin_part(q, s, number);
  if (impact_push(s, &q->parts.data[number])) impact_walk_now(s, UINT64_MAX);
  q->later.data[number] = (impact_range){worker, later, s->later.count};
  end_part(s);
}

static bool never(const impact_scratch *q)
{
  (void)q;
  return false;
}

/* The pairs of the first search as parts, in the order in which it would go on. */
static pl_status walk_now(pl_context *context, impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  const pl_allocator *allocator = &context->def.allocator;
  const size_t count = s->now.count;
  if (!array_reserve(allocator, &q->parts, count) || !array_reserve(allocator, &q->later, count + 1))
    return PL_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) q->parts.data[i] = s->now.data[count - 1 - i];
  memset(q->later.data, 0, count * sizeof *q->later.data);
  q->later.data[count] = (impact_range){0, 0, s->later.count};
  q->later.count = count + 1;
  return run_rounds(context, q, run_now, count, never);
}

/* ------------------------------------------------------------------ pairs that overlap later -- */

static const impact_item *later_item(const impact_scratch *q, size_t i)
{
  return &q->parts.data[(uint32_t)q->keys.data[i]];
}

static void run_later(void *data, int task, int worker)
{
  impact_scratch *q = data;
  impact_search *s = &q->searches[worker];
  const size_t number = q->begin + (size_t)task;
  if (s->status != PL_OK) return;
  begin_part(q, s, number);
  s->later.count = 0;
  for (size_t i = LATER * number; i < LATER * (number + 1) && i < q->parts.count; ++i)
    if ((double)later_item(q, i)->start <= s->most && !impact_push(s, later_item(q, i))) return;
  impact_walk_later(s);
  end_part(s);
}

static bool later_is_over(const impact_scratch *q) { return (double)later_item(q, LATER * q->begin)->start > q->most; }

/* Those of all parts, in the order of the parts, that do not begin after the first contact so
 * far. */
static pl_status collect_later(pl_context *context, impact_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t count = 0;
  for (size_t i = 0; i < q->later.count; ++i) count += q->later.data[i].end - q->later.data[i].begin;
  if (!array_reserve(allocator, &q->parts, count) || !array_reserve(allocator, &q->keys, count) ||
      !array_reserve(allocator, &q->sorting, count))
    return PL_ERROR_MEMORY;
  q->parts.count = 0;
  for (size_t i = 0; i < q->later.count; ++i) {
    const impact_range *r = &q->later.data[i];
    const impact_item *items = q->searches[r->worker].later.data;
    for (size_t k = r->begin; k < r->end; ++k)
      if ((double)items[k].start <= q->most) q->parts.data[q->parts.count++] = items[k];
  }
  return PL_OK;
}

/* In the order of their windows; floats that are not negative are in the order of their bits. */
static pl_status walk_later(pl_context *context, impact_scratch *q)
{
  pl_status status = collect_later(context, q);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < q->parts.count; ++i) {
    uint32_t bits;
    memcpy(&bits, &q->parts.data[i].start, sizeof bits);
    q->keys.data[i] = (uint64_t)bits << 32 | i;
  }
  sort_keys(q->keys.data, q->sorting.data, q->parts.count);
  for (int w = 0; w < context->threads; ++w) q->searches[w].by_time = true;
  return run_rounds(context, q, run_later, (q->parts.count + LATER - 1) / LATER, later_is_over);
}

pl_status impact_rounds(pl_context *context, impact_scratch *q)
{
  if (!array_reserve(&context->def.allocator, &q->found, 1)) return PL_ERROR_MEMORY;
  q->most = 1;
  impact_shrink(q);
  pl_status status = impact_spread(context, q, PARTS);
  if (status == PL_OK) status = walk_now(context, q);
  if (status == PL_OK) status = walk_later(context, q);
  for (int w = 0; w < context->threads; ++w) q->searches[w].found.count = 0; /* those of parts */
  return status;
}
