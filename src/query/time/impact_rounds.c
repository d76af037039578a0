/* The search for the first contact on all workers.
 *
 * First nodes are opened level by level until there are PARTS pairs of them that overlap at the
 * start; then these are walked, and after them the pairs that overlap later, LATER of them at a
 * time in the order of their windows, until they begin after the first contact so far. What is
 * walked together is a part. Parts are jobs of the runner that are taken in turn: a part does
 * not see what the others of its round have found. So the tests that are made, and not only the
 * result, are the same for any number of threads.
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

/* ------------------------------------------------------------------------------------- parts -- */

static impact_search *search_of(const runner *r, int worker)
{
  return &((const impact_scratch *)r->state)->searches[worker];
}

static row_list now_of(const runner *r, int worker) { return ROWS(&search_of(r, worker)->now); }

static row_list later_of(const runner *r, int worker) { return ROWS(&search_of(r, worker)->later); }

static row_list later_list(const runner *r, int worker, int list)
{
  (void)list;
  return later_of(r, worker);
}

/* A worker begins a part: it knows what was found before the round. */
static impact_search *begin_part(const runner *r, size_t number, int worker)
{
  const impact_scratch *q = r->state;
  impact_search *s = &q->searches[worker];
  impact_lower(s, q->most);
  s->sequence = (uint64_t)(number + 1) << 40;
  s->now.count = s->found.count = 0;
  return s;
}

static pl_status end_part(runner *r, int worker)
{
  impact_search *s = search_of(r, worker);
  impact_count(s, &r->workers[worker].counters);
  if (s->found.count && (!s->has_best || impact_first(&s->found.data[0], &s->best))) {
    s->best = s->found.data[0];
    s->has_best = true;
  }
  return s->status;
}

/* Keeps the first contact of a round. Rounds go on in the order of one thread alone, so that a
 * contact at the very start, which ends the search, is never replaced. */
static bool end_round(runner *r, size_t begin, size_t end)
{
  (void)begin;
  (void)end;
  impact_scratch *q = r->state;
  for (int w = 0; w < r->context->threads; ++w) {
    impact_search *s = &q->searches[w];
    if (s->has_best && (!q->found.count || impact_first(&s->best, &q->found.data[0]))) {
      q->found.data[0] = s->best;
      q->found.count = 1;
      q->most = s->best.impact.time;
    }
    s->has_best = false;
  }
  return q->most > 0;
}

static pl_status run_parts(impact_scratch *q, const question *asked, size_t count, pl_counters *counters)
{
  q->first.asked = asked;
  q->first.jobs = count;
  q->first.wake = true;
  return runner_run(&q->first, counters);
}

/* ----------------------------------------------------------- pairs that overlap at the start -- */

static pl_status walk_now(runner *r, size_t number, int worker, uint64_t tests)
{
  const impact_scratch *q = r->state;
  impact_search *s = begin_part(r, number, worker);
  if (s->status == PL_OK && impact_push(s, &q->parts.data[number])) impact_walk_now(s, tests);
  return end_part(r, worker);
}

static const question overlapping = {.first_tests = UINT64_MAX,
                                     .ahead = IMPACT_STEP,
                                     .stack = now_of,
                                     .lists = 1,
                                     .found = later_list,
                                     .walk = walk_now,
                                     .between = end_round,
                                     .in_turn = true};

/* The pairs of the first search as parts, in the order in which it would go on. */
static pl_status find_now(impact_scratch *q, pl_counters *counters)
{
  const pl_allocator *allocator = &q->first.context->def.allocator;
  impact_search *s = &q->searches[0];
  const size_t count = s->now.count;
  q->spread.count = 0;
  if (!array_reserve(allocator, &q->parts, count) ||
      !rows_append(allocator, ROWS(&q->spread), s->later.data, s->later.count))
    return PL_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) q->parts.data[i] = s->now.data[count - 1 - i];
  s->later.count = 0;
  return run_parts(q, &overlapping, q->most > 0 ? count : 0, counters);
}

/* ------------------------------------------------------------------ pairs that overlap later -- */

static const impact_item *later_item(const impact_scratch *q, size_t i)
{
  return &q->parts.data[(uint32_t)q->keys.data[i]];
}

static pl_status walk_later(runner *r, size_t number, int worker, uint64_t tests)
{
  (void)tests;
  const impact_scratch *q = r->state;
  impact_search *s = begin_part(r, number, worker);
  s->later.count = 0;
  for (size_t i = LATER * number; i < LATER * (number + 1) && i < q->parts.count; ++i)
    if ((double)later_item(q, i)->start <= s->most && !impact_push(s, later_item(q, i))) return s->status;
  if (s->status == PL_OK) impact_walk_later(s);
  return end_part(r, worker);
}

static bool end_later(runner *r, size_t begin, size_t end)
{
  const impact_scratch *q = r->state;
  return end_round(r, begin, end) && end < r->jobs && !((double)later_item(q, LATER * end)->start > q->most);
}

static const question others = {
    .first_tests = UINT64_MAX, .stack = later_of, .walk = walk_later, .between = end_later, .in_turn = true};

/* Those of all parts, in the order of the parts, that do not begin after the first contact so
 * far. */
static bool collect_later(impact_scratch *q)
{
  const pl_allocator *allocator = &q->first.context->def.allocator;
  const row_list parts = ROWS(&q->parts);
  q->parts.count = 0;
  for (size_t i = 0; i < q->first.jobs; ++i)
    if (!runner_gather(&q->first, i, 0, parts)) return false;
  if (!rows_append(allocator, parts, q->spread.data, q->spread.count)) return false;
  size_t count = 0;
  for (size_t i = 0; i < q->parts.count; ++i)
    if ((double)q->parts.data[i].start <= q->most) q->parts.data[count++] = q->parts.data[i];
  q->parts.count = count;
  return array_reserve(allocator, &q->keys, count) && array_reserve(allocator, &q->sorting, count);
}

/* In the order of their windows; floats that are not negative are in the order of their bits. */
static pl_status find_later(impact_scratch *q, pl_counters *counters)
{
  if (!collect_later(q)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < q->parts.count; ++i) {
    uint32_t bits;
    memcpy(&bits, &q->parts.data[i].start, sizeof bits);
    q->keys.data[i] = (uint64_t)bits << 32 | i;
  }
  sort_keys(q->keys.data, q->sorting.data, q->parts.count);
  for (int w = 0; w < q->first.context->threads; ++w) q->searches[w].by_time = true;
  return run_parts(q, &others, q->most > 0 ? (q->parts.count + LATER - 1) / LATER : 0, counters);
}

pl_status impact_rounds(pl_context *context, impact_scratch *q, pl_counters *counters)
{
  bool room = array_reserve(&context->def.allocator, &q->found, 1);
  for (int w = 0; w < context->threads && room; ++w) room = array_reserve(&context->locked, &q->searches[w].found, 1);
  if (!room) return PL_ERROR_MEMORY;
  q->most = 1;
  impact_shrink(q);
  pl_status status = impact_spread(context, q, PARTS);
  impact_count(&q->searches[0], counters);
  if (status == PL_OK) status = find_now(q, counters);
  if (status == PL_OK) status = find_later(q, counters);
  return status;
}
