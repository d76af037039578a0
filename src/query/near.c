/* All pairs of triangles within a margin. The walk goes on alone until it is done or has made PAUSE_TESTS volume tests; what is
 * left on its stack then becomes parts that any worker takes, gathered in the order of the stack: the same bytes for any number
 * of threads. */
#include "core/sort.h"
#include "query/query.h"

#include <string.h>

enum { PAUSE_TESTS = 20000 }; /* some 50 us */

void pl_near_def_init(pl_near_def *def, size_t struct_size)
{
  const pl_near_def full = {0};
  def_fill(def, struct_size, &full, sizeof full);
}

static bool create(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  return (q->walks = query_scratch(context, QUERY_WALKS)) != NULL;
}

static void destroy(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &q->shared);
  array_free(allocator, &q->near);
  array_free(allocator, &q->sorted);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
}

const query_slot pl_inside_query_NEAR = {sizeof(near_scratch), create, destroy};

typedef struct near_run {
  pl_context *context;
  near_scratch *scratch;
  const distance_plan *plan;
  pl_counters *totals; /* per worker */
  pl_status *status;   /* per worker */
} near_run;

static void run_part(void *data, int task, int worker)
{
  near_run *r = data;
  near_part *p = &r->scratch->parts.data[task];
  distance_walk *d = &r->scratch->walks->workers[worker]->distance;
  walk *w = d->walk;
  p->own = (found){worker, d->near.count, 0};
  uint64_t n_v = w->n_v, n_p = w->n_p, n_u = w->n_u;
  if (!array_reserve(w->allocator, &d->stack, DISTANCE_STEP)) w->status = PL_ERROR_MEMORY;
  if (w->status == PL_OK) {
    d->stack.count = 0;
    d->stack.data[d->stack.count++] = p->item;
    distance_run(r->context, d);
  }
  if (!query_share_near(r->context, r->scratch, worker, &p->own)) w->status = PL_ERROR_MEMORY;
  r->totals[worker].n_v += w->n_v - n_v;
  r->totals[worker].n_p += w->n_p - n_p;
  r->totals[worker].n_u += w->n_u - n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

static bool append(pl_context *context, near_scratch *q, const found *f)
{
  size_t n = f->end - f->begin;
  if (!array_reserve(&context->def.allocator, &q->near, q->near.count + n)) return false;
  const pl_near_pair *from =
      f->worker == SHARED_LIST ? q->shared.data : q->walks->workers[f->worker]->distance.near.data;
  if (n) memcpy(q->near.data + q->near.count, from + f->begin, n * sizeof(pl_near_pair));
  q->near.count += n;
  return true;
}

/* The rest of the stack as parts, on all workers. */
static pl_status run_parts(near_run *r, distance_walk *d)
{
  near_scratch *q = r->scratch;
  pl_context *context = r->context;
  if (!array_reserve(&context->def.allocator, &q->parts, d->stack.count)) return PL_ERROR_MEMORY;
  q->parts.count = 0;
  while (d->stack.count) q->parts.data[q->parts.count++] = (near_part){d->stack.data[--d->stack.count], {0}};
  d->walk->pause_at = UINT64_MAX;
  for (int i = 1; i < context->threads; ++i)
    kernels_of(context->isa)->distance->reach(distance_begin(q->walks, r->plan, i, d->walk->serial), r->plan->limit);
  return parallel_for(context, true, run_part, r, (int)q->parts.count);
}

static pl_status search(near_run *r, distance_walk *d, pl_counters *counters)
{
  pl_context *context = r->context;
  walk *w = d->walk;
  if (!array_reserve(w->allocator, &d->stack, DISTANCE_STEP)) return PL_ERROR_MEMORY;
  d->stack.data[d->stack.count++] = (distance_item){0, {TREE_ROOT, TREE_ROOT}};
  if (context->threads > 1) w->pause_at = PAUSE_TESTS;
  distance_run(context, d);
  if (w->status != PL_OK) return w->status;
  counters->n_v += w->n_v;
  counters->n_p += w->n_p;
  counters->n_u += w->n_u;
  found own = {0};
  r->scratch->shared.count = r->scratch->parts.count = 0;
  if (!query_share_near(context, r->scratch, 0, &own)) return PL_ERROR_MEMORY;
  pl_status status = d->stack.count ? run_parts(r, d) : PL_OK;
  for (int i = 0; i < context->threads; ++i) {
    if (r->status[i] != PL_OK) status = r->status[i];
    counters->n_v += r->totals[i].n_v;
    counters->n_p += r->totals[i].n_p;
    counters->n_u += r->totals[i].n_u;
  }
  if (status == PL_OK && !query_level_workers(context, r->scratch->walks, 0)) status = PL_ERROR_MEMORY;
  bool room = status == PL_OK && append(context, r->scratch, &own);
  for (size_t i = 0; room && i < r->scratch->parts.count; ++i)
    room = append(context, r->scratch, &r->scratch->parts.data[i].own);
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
static pl_status sort_near(pl_context *context, near_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = q->near.count;
  if (!array_reserve(allocator, &q->keys, n) || !array_reserve(allocator, &q->sorting, n) ||
      !array_reserve(allocator, &q->sorted, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", n);
  for (size_t i = 0; i < n; ++i) q->keys.data[i] = (uint64_t)q->near.data[i].a << 32 | q->near.data[i].b;
  sort_keys(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = (uint64_t)q->near.data[i].a << 32 | q->near.data[i].b;
    q->sorted.data[place_of(q->keys.data, n, key)] = q->near.data[i];
  }
  return PL_OK;
}

static pl_status near_bodies(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_context *context = a->context;
  pl_near_pairs answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, 2);
  if (status != PL_OK) return status;
  pl_counters totals[256] = {0};
  pl_status per_worker[256] = {0};
  place at[2];
  distance_plan plan;
  distance_plan_bodies(context, &plan, a, b, at);
  plan.gather = true;
  plan.limit = margin;
  plan.walk.filter = def->filter;
  plan.walk.filter_user = def->user;
  near_run r = {context, q, &plan, totals, per_worker};
  distance_walk *d = distance_begin(q->walks, &plan, 0, ++q->walks->serial);
  kernels_of(context->isa)->distance->reach(d, margin);
  q->near.count = 0;
  status = search(&r, d, &answer.counters);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  if (status != PL_OK) return status;
  if (def->sorted) status = sort_near(context, q);
  if (status != PL_OK) return status;
  answer.pairs = def->sorted ? q->sorted.data : q->near.data;
  answer.count = q->near.count;
  query_end(&stages);
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status pl_body_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out)
{
  if (out) *out = NULL;
  pl_near_def n;
  call c;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = def_take(a->context, pl_near_def, def, &n);
  if (status == PL_OK) status = query_check_amount(a->context, margin, "the margin");
  if (status == PL_OK) status = query_enter(&c, a, b);
  if (status != PL_OK) return status;
  status = near_bodies(a, b, margin, &n, out);
  call_query_end(&c);
  return status;
}
