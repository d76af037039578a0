/* A walk that a budget may end early goes level by level, so that the result can say how far it
 * came: all node pairs of the levels above have been tested. Cost beyond a plain walk: the node
 * pairs of one level are kept. */
#include "core/timer.h"
#include "query/query.h"

enum { CLOCK_EVERY = 32 }; /* node pairs between two reads of the clock */

typedef struct budget {
  uint64_t tests; /* 0: no limit */
  double end_ms;  /* 0: no limit */
  int until_clock;
} budget;

static bool used_up(budget *b, const walk *w)
{
  if (b->tests && w->n_v >= b->tests) return true;
  if (b->end_ms == 0 || --b->until_clock > 0) return false;
  b->until_clock = CLOCK_EVERY;
  return timer_ms() >= b->end_ms;
}

/* One node pair: its children go to the next level. */
static bool step(pl_context *context, touching_scratch *q, walk *w, node_pair item, int next)
{
  w->stack.data[0] = item;
  w->stack.count = 1;
  w->pause_at = w->n_v + 1;
  query_step(context, w);
  size_t n = w->stack.count;
  if (w->stopped) return true;
  if (!array_reserve(&context->def.allocator, &q->level[next], q->level[next].count + n)) return false;
  while (w->stack.count) q->level[next].data[q->level[next].count++] = w->stack.data[--w->stack.count];
  return true;
}

pl_status touching_run_budget(pl_context *context, touching_scratch *q, touching_job *j, const pl_question *def,
                              pl_counters *counters, double start, bool *partial, int *level)
{
  const pl_allocator *allocator = &context->def.allocator;
  walk *w = query_walk(q->walks, &j->plan, 0);
  w->serial = ++q->walks->serial;
  w->pairs.count = 0;
  budget b = {def->budget_tests, def->budget_ms > 0 ? start + def->budget_ms : 0, CLOCK_EVERY};
  bool memory = array_reserve(&context->locked, &w->stack, WALK_STEP) && array_reserve(allocator, &q->level[0], 1);
  q->level[0].count = q->level[1].count = 0;
  if (memory) q->level[0].data[q->level[0].count++] = (node_pair){TREE_ROOT, TREE_ROOT};
  for (int now = 0; memory && q->level[now].count && !*partial && !w->stopped; now = !now, ++*level) {
    q->level[!now].count = 0;
    for (size_t i = 0; memory && i < q->level[now].count && !w->stopped; ++i) {
      if ((*partial = used_up(&b, w))) break;
      memory = step(context, q, w, q->level[now].data[i], !now);
    }
    if (!w->stopped) kernels_of(context->isa)->pairs->leaves(w);
    if (*partial) break;
  }
  if (!*partial) *level = 0;
  memory = memory && w->status == PL_OK && rows_append(allocator, ROWS(&q->pairs), w->pairs.data, w->pairs.count);
  if (!memory) return fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
  counters->n_v += w->n_v;
  counters->n_p += w->n_p;
  counters->n_u += w->n_u;
  if (!(def->budget_ms > 0)) update_walked_two(j->plan.side[0]->owner, j->plan.side[1]->owner, w->n_v, w->n_p);
  return PL_OK;
}
