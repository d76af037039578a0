/* All pairs of triangles within a margin. The walk goes on alone until it is done or has made PAUSE_TESTS volume tests; what is
 * left on its stack then becomes parts that any worker takes, gathered in the order of the stack: the same bytes for any number
 * of threads. */
#include "core/sort.h"
#include "core/timer.h"
#include "query/query.h"

#include <string.h>

enum { PAUSE_TESTS = 20000 }; /* some 50 us */

pl_near_def pl_near_def_default(void) { return (pl_near_def){.struct_size = sizeof(pl_near_def)}; }

static pl_status check_def(pl_context *context, double margin, const pl_near_def *def, pl_near_def *out)
{
  *out = def ? *def : pl_near_def_default();
  if (out->struct_size != sizeof *out)
    return fail(context, PL_ERROR_ARGUMENT,
                "the query definition is of another version: start from pl_near_def_default()");
  if (!(margin >= 0)) return fail(context, PL_ERROR_ARGUMENT, "the margin is not 0 or more");
  return PL_OK;
}

typedef struct near_run {
  pl_context *context;
  query *q;
  const distance_plan *plan;
  pl_counters *totals; /* per worker */
  pl_status *status;   /* per worker */
} near_run;

static void run_part(void *data, int task, int worker)
{
  near_run *r = data;
  near_part *p = &r->q->near_parts.data[task];
  distance_walk *d = &r->q->workers[worker]->d;
  walk *w = d->w;
  p->own = (found){worker, d->near.count, 0};
  uint64_t n_v = w->n_v, n_p = w->n_p, n_u = w->n_u;
  if (!array_reserve(w->allocator, &d->stack, DISTANCE_STEP)) w->status = PL_ERROR_MEMORY;
  if (w->status == PL_OK) {
    d->stack.count = 0;
    d->stack.data[d->stack.count++] = p->item;
    distance_run(r->context, d);
  }
  if (!query_share_near(r->context, r->q, worker, &p->own)) w->status = PL_ERROR_MEMORY;
  r->totals[worker].n_v += w->n_v - n_v;
  r->totals[worker].n_p += w->n_p - n_p;
  r->totals[worker].n_u += w->n_u - n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

static bool append(pl_context *context, query *q, const found *f)
{
  size_t n = f->end - f->begin;
  if (!array_reserve(&context->def.allocator, &q->near, q->near.count + n)) return false;
  const pl_near_pair *from = f->worker == SHARED_LIST ? q->near_shared.data : q->workers[f->worker]->d.near.data;
  if (n) memcpy(q->near.data + q->near.count, from + f->begin, n * sizeof(pl_near_pair));
  q->near.count += n;
  return true;
}

/* The rest of the stack as parts, on all workers. */
static pl_status run_parts(near_run *r, distance_walk *d)
{
  query *q = r->q;
  pl_context *context = r->context;
  if (!array_reserve(&context->def.allocator, &q->near_parts, d->stack.count)) return PL_ERROR_MEMORY;
  q->near_parts.count = 0;
  while (d->stack.count) q->near_parts.data[q->near_parts.count++] = (near_part){d->stack.data[--d->stack.count], {0}};
  d->w->pause_at = UINT64_MAX;
  for (int i = 1; i < context->threads; ++i)
    kernels_of(context->isa)->distance->reach(distance_begin(q, r->plan, i, d->w->serial), r->plan->limit);
  return parallel_for(context, true, run_part, r, (int)q->near_parts.count);
}

static pl_status search(near_run *r, distance_walk *d, pl_counters *counters)
{
  pl_context *context = r->context;
  walk *w = d->w;
  if (!array_reserve(w->allocator, &d->stack, DISTANCE_STEP)) return PL_ERROR_MEMORY;
  d->stack.data[d->stack.count++] = (distance_item){0, {TREE_ROOT, TREE_ROOT}};
  if (context->threads > 1) w->pause_at = PAUSE_TESTS;
  distance_run(context, d);
  if (w->status != PL_OK) return w->status;
  counters->n_v += w->n_v;
  counters->n_p += w->n_p;
  counters->n_u += w->n_u;
  found own = {0};
  r->q->near_shared.count = r->q->near_parts.count = 0;
  if (!query_share_near(context, r->q, 0, &own)) return PL_ERROR_MEMORY;
  pl_status status = d->stack.count ? run_parts(r, d) : PL_OK;
  for (int i = 0; i < context->threads; ++i) {
    if (r->status[i] != PL_OK) status = r->status[i];
    counters->n_v += r->totals[i].n_v;
    counters->n_p += r->totals[i].n_p;
    counters->n_u += r->totals[i].n_u;
  }
  if (status == PL_OK && !query_level_workers(context, r->q, 0)) status = PL_ERROR_MEMORY;
  bool room = status == PL_OK && append(context, r->q, &own);
  for (size_t i = 0; room && i < r->q->near_parts.count; ++i)
    room = append(context, r->q, &r->q->near_parts.data[i].own);
  return status == PL_OK && !room ? PL_ERROR_MEMORY : status;
}

static size_t place_of(const uint64_t *keys, size_t n, uint64_t key)
{
  size_t low = 0, high = n;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (keys[middle] <= key)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* By a, then b: keys are sorted, which are all different, and each pair then goes to the place of its key. */
static pl_status sort_near(pl_context *context, query *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = q->near.count;
  if (!array_reserve(allocator, &q->keys, n) || !array_reserve(allocator, &q->sorting, n) ||
      !array_reserve(allocator, &q->near_sorted, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", n);
  for (size_t i = 0; i < n; ++i) q->keys.data[i] = (uint64_t)q->near.data[i].a << 32 | q->near.data[i].b;
  sort_keys(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = (uint64_t)q->near.data[i].a << 32 | q->near.data[i].b;
    q->near_sorted.data[place_of(q->keys.data, n, key)] = q->near.data[i];
  }
  return PL_OK;
}

pl_status pl_body_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out)
{
  if (out) *out = NULL;
  if (!a || !b || !out)
    return a ? fail(a->context, PL_ERROR_ARGUMENT, "a body or the place for the answer is NULL") : PL_ERROR_ARGUMENT;
  pl_context *context = a->context;
  if (b->context != context) return fail(context, PL_ERROR_MISMATCH, "the bodies are of different contexts");
  if (a == b) return fail(context, PL_ERROR_UNSUPPORTED, "a body against itself is not supported yet");
  pl_near_def n;
  pl_status status = check_def(context, margin, def, &n);
  query *q = status == PL_OK ? query_get(context) : NULL;
  if (!q) return status == PL_OK ? PL_ERROR_MEMORY : status;
  pl_near_pairs answer = {0};
  double start;
  status = distance_bring_up(context, a, b, &answer.counters, &start);
  if (status != PL_OK) return status;
  pl_counters totals[256] = {0};
  pl_status per_worker[256] = {0};
  place at[2];
  distance_plan plan;
  distance_plan_bodies(context, &plan, a, b, at);
  plan.gather = true;
  plan.limit = margin;
  plan.walk.filter = n.filter;
  plan.walk.filter_user = n.user;
  near_run r = {context, q, &plan, totals, per_worker};
  distance_walk *d = distance_begin(q, &plan, 0, ++q->serial);
  kernels_of(context->isa)->distance->reach(d, margin);
  q->near.count = 0;
  status = search(&r, d, &answer.counters);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  if (status != PL_OK) return status;
  if (n.sorted) status = sort_near(context, q);
  if (status != PL_OK) return status;
  answer.pairs = n.sorted ? q->near_sorted.data : q->near.data;
  answer.count = q->near.count;
  answer.counters.ms_query = timer_ms() - start - answer.counters.ms_update;
  q->near_answer = answer;
  *out = &q->near_answer;
  return PL_OK;
}
