/* The search for the least distance on all workers. It begins on one worker, until it has made FIRST_TESTS volume
 * tests. The rest of its stack is then cut into parts that any worker takes, each with the best pair so far, until the
 * part is done or has made PART_TESTS; the rests of all parts are the next round. A part does not see the results of
 * the others before the round ends: so the tests that are made, and not only the result, are the same for any number of
 * threads. The search goes nearest first and has found a pair near the best by then, so that few tests are wasted. Between
 * rounds the search asks whether its tolerance is proven or its budget used up: a round makes about as many tests as are
 * left until then. With a budget of time, parts also read the clock. */
#include "core/timer.h"
#include "query/query.h"

#include <string.h>

enum {
  FIRST_TESTS = 1000,
  PART_TESTS = 2000,
  LEAST_TESTS = 64,   /* of a part: about one step of a walk */
  CLOCK_EVERY = 1000, /* tests of a part between two reads of the clock */
  MOST_PARTS = 32,    /* parts of a round */
  WORTH_IT = 8,       /* items: fewer are mostly a few leaves */
};

typedef struct rounds {
  pl_context *context;
  distance_scratch *scratch;
  const distance_plan *plan;
  uint64_t serial; /* serial of opened leaves */
  distance_best best;
  distance_walk *walk;     /* worker 0's */
  distance_limits *limits; /* what may end the search */
  uint64_t tests;          /* volume tests before this round */
  uint64_t part_tests;     /* of a part in this round */
  pl_counters *totals;     /* per worker */
  pl_status *status;       /* per worker */
} rounds;

static distance_best best_of(const distance_walk *d)
{
  distance_best b = {.found = d->found, .best = d->best, .tri_a = d->tri_a, .tri_b = d->tri_b, .id = d->id};
  memcpy(b.direction, d->direction, sizeof b.direction);
  return b;
}

static void set_best(pl_context *context, distance_walk *d, const distance_best *b)
{
  d->found = b->found;
  d->best = b->best;
  d->tri_a = b->tri_a;
  d->tri_b = b->tri_b;
  d->id = b->id;
  memcpy(d->direction, b->direction, sizeof d->direction);
  kernels_of(context->isa)->distance->reach(d, b->found ? b->best.distance : d->plan->limit);
}

/* Is x nearer, or as near with lesser indices? */
static bool is_better(const distance_best *x, const distance_best *y)
{
  if (!x->found || !y->found) return x->found;
  if (x->best.distance != y->best.distance) return x->best.distance < y->best.distance;
  return x->id.a != y->id.a ? x->id.a < y->id.a : x->id.b < y->id.b;
}

/* Runs a part's walk until it has made its tests, is done, or the time is over. */
static void walk_part(const rounds *r, distance_walk *d)
{
  walk *w = d->walk;
  const distance_limits *l = r->limits;
  bool timed = l->def->budget_ms > 0;
  do {
    w->pause_at = timed && w->n_v + CLOCK_EVERY < r->part_tests ? w->n_v + CLOCK_EVERY : r->part_tests;
    distance_run(r->context, d);
    if (timed && timer_ms() - l->start >= l->def->budget_ms) return;
  } while (d->stack.count && !w->stopped && w->status == PL_OK && w->n_v < r->part_tests);
}

static void run_part(void *data, int task, int worker)
{
  rounds *r = data;
  distance_scratch *q = r->scratch;
  distance_part *p = &q->parts.data[task];
  distance_walk *d = distance_begin(q->walks, r->plan, worker, r->serial);
  walk *w = d->walk;
  size_t n = p->end - p->begin;
  set_best(r->context, d, &r->best);
  if (array_reserve(w->allocator, &d->stack, n + DISTANCE_STEP)) {
    for (size_t i = 0; i < n; ++i) d->stack.data[d->stack.count++] = q->items.data[p->end - 1 - i];
    walk_part(r, d);
  } else
    w->status = PL_ERROR_MEMORY;
  p->best = best_of(d);
  p->stopped = w->stopped;
  p->left = p->left_end = 0;
  n = w->status == PL_OK && !w->stopped ? d->stack.count : 0;
  if (n && !shared_append(r->context, &q->left, d->stack.data, n, &p->left)) w->status = PL_ERROR_MEMORY;
  p->left_end = p->left + (w->status == PL_OK ? n : 0);
  r->totals[worker].n_v += w->n_v;
  r->totals[worker].n_p += w->n_p;
  r->totals[worker].n_u += w->n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

/* How many tests a part may make, so that about as many are made as are left. */
static uint64_t tests_of_part(const rounds *r, size_t parts)
{
  uint64_t end = r->limits->look_at, budget = r->limits->def->budget_tests;
  if (budget && budget < end) end = budget;
  uint64_t share = (end > r->tests ? end - r->tests : 0) / parts;
  return share > PART_TESTS ? PART_TESTS : share < LEAST_TESTS ? LEAST_TESTS : share;
}

/* Parts of about as many items each; their number depends on the number of items only. */
static pl_status cut(rounds *r)
{
  distance_scratch *q = r->scratch;
  size_t n = q->items.count, parts = n < MOST_PARTS ? n : MOST_PARTS;
  q->parts.count = 0;
  if (!array_reserve(&r->context->def.allocator, &q->parts, parts)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < parts; ++i)
    q->parts.data[q->parts.count++] = (distance_part){.begin = i * n / parts, .end = (i + 1) * n / parts};
  r->part_tests = tests_of_part(r, parts);
  return PL_OK;
}

/* Gathers the pairs that the parts of a round have found and the items that they left, in their order; the top of a
 * stack first. *stopped: nothing can be better. */
static pl_status gather(rounds *r, bool *stopped)
{
  distance_scratch *q = r->scratch;
  q->items.count = 0;
  if (!array_reserve(&r->context->def.allocator, &q->items, q->left.count)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < q->parts.count; ++i) {
    const distance_part *p = &q->parts.data[i];
    if (is_better(&p->best, &r->best)) r->best = p->best;
    *stopped = *stopped || p->stopped;
    for (size_t k = p->left_end; k-- > p->left;) q->items.data[q->items.count++] = q->left.data[k];
  }
  return PL_OK;
}

static pl_status run_round(rounds *r, bool *stopped)
{
  distance_scratch *q = r->scratch;
  pl_status status = cut(r);
  q->left.count = 0;
  if (status == PL_OK) status = parallel_for(r->context, q->items.count >= WORTH_IT, run_part, r, (int)q->parts.count);
  for (int i = 0; i < r->context->threads; ++i)
    if (r->status[i] != PL_OK) status = r->status[i];
  return status == PL_OK ? gather(r, stopped) : status;
}

/* The stack of the first walk as items of the first round. */
static pl_status take_stack(rounds *r, const distance_walk *d)
{
  distance_scratch *q = r->scratch;
  q->items.count = 0;
  if (!array_reserve(&r->context->def.allocator, &q->items, d->stack.count)) return PL_ERROR_MEMORY;
  for (size_t i = d->stack.count; i-- > 0;) q->items.data[q->items.count++] = d->stack.data[i];
  return PL_OK;
}

/* Volume tests of the first walk and of all rounds so far. */
static uint64_t all_tests(const rounds *r, uint64_t first)
{
  for (int i = 0; i < r->context->threads; ++i) first += r->totals[i].n_v;
  return first;
}

static pl_status run_rounds(rounds *r)
{
  distance_walk *d = r->walk;
  pl_counters sum = {.n_v = d->walk->n_v, .n_p = d->walk->n_p, .n_u = d->walk->n_u};
  r->best = best_of(d);
  bool stopped = false;
  pl_status status = take_stack(r, d);
  while (status == PL_OK && !stopped && r->scratch->items.count) {
    r->tests = all_tests(r, sum.n_v);
    set_best(r->context, d, &r->best);
    if (distance_may_end(r->context, d, r->limits, r->tests)) break;
    status = run_round(r, &stopped);
  }
  if (status == PL_OK && !query_level_workers(r->context, r->scratch->walks)) status = PL_ERROR_MEMORY;
  if (status != PL_OK) return status;
  for (int i = 0; i < r->context->threads; ++i) {
    sum.n_v += r->totals[i].n_v;
    sum.n_p += r->totals[i].n_p;
    sum.n_u += r->totals[i].n_u;
  }
  set_best(r->context, d, &r->best);
  d->stack.count = 0;
  d->walk->n_v = sum.n_v;
  d->walk->n_p = sum.n_p;
  d->walk->n_u = sum.n_u;
  return PL_OK;
}

pl_status distance_run_rounds(pl_context *context, distance_scratch *q, distance_walk *d, distance_limits *limits)
{
  pl_counters totals[256];
  pl_status per_worker[256];
  rounds r = {.context = context,
              .scratch = q,
              .plan = d->plan,
              .serial = d->walk->serial,
              .walk = d,
              .limits = limits,
              .totals = totals,
              .status = per_worker};
  bool ended = distance_run_until(context, d, limits, FIRST_TESTS);
  if (d->walk->status != PL_OK || d->walk->stopped || !d->stack.count) return d->walk->status;
  if (ended) return limits->partial ? take_stack(&r, d) : PL_OK;
  for (int i = 0; i < context->threads; ++i) {
    totals[i] = (pl_counters){0};
    per_worker[i] = PL_OK;
  }
  return run_rounds(&r);
}
