/* The search for the least distance as a question of the runner. It begins on one worker, until
 * it has made FIRST_TESTS volume tests. What is left is cut into pieces that any worker takes,
 * each with the best pair so far. A piece does not see the results of the others before the
 * round ends: so the tests that are made, and not only the result, are the same for any number
 * of threads. The search goes nearest first and has found a pair near the best by then, so that
 * few tests are wasted. Between rounds the search asks whether its tolerance is proven or its
 * budget used up: a round makes about as many tests as are left until then. With a budget of
 * time, pieces also read the clock. */
#include "core/timer.h"
#include "query/query.h"

#include <string.h>

enum {
  FIRST_TESTS = 1000,
  PART_TESTS = 2000,
  LEAST_TESTS = 64,   /* of a piece: about one step of a walk */
  CLOCK_EVERY = 1000, /* tests of a piece between two reads of the clock */
  WORTH_IT = 8,       /* pieces: fewer are mostly a few leaves */
};

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

/* ------------------------------------------------------------------------------ the question -- */

static row_list stack_of(const runner *r, int worker)
{
  const distance_scratch *q = r->state;
  return ROWS(&q->walks->workers[worker]->distance.stack);
}

/* The first piece goes on with the walk that distance_run_rounds() was given. */
static void begin(runner *r, uint32_t index, bool first, int worker)
{
  (void)index;
  distance_scratch *q = r->state;
  const distance_search_state *s = &q->search;
  if (!first) set_best(r->context, distance_begin(q->walks, s->plan, worker, s->serial), &s->best);
}

/* Runs a walk until it has made `tests`, is done, or the time is over. */
static void walk_until(runner *r, const distance_limits *l, distance_walk *d, uint64_t tests)
{
  walk *w = d->walk;
  bool timed = l->def->budget_ms > 0;
  do {
    w->pause_at = timed && w->n_v + CLOCK_EVERY < tests ? w->n_v + CLOCK_EVERY : tests;
    distance_run(r->context, d);
    if (timed && timer_ms() - l->start >= l->def->budget_ms) return;
  } while (d->stack.count && !w->stopped && w->status == PL_OK && w->n_v < tests);
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  distance_scratch *q = r->state;
  distance_search_state *s = &q->search;
  distance_walk *d = &q->walks->workers[worker]->distance;
  if (piece < r->jobs)
    s->ended = distance_run_until(r->context, d, s->limits, tests);
  else
    walk_until(r, s->limits, d, tests);
  s->parts[piece - r->round] = (distance_part){best_of(d), d->walk->stopped};
  if (d->walk->stopped) d->stack.count = 0;
  runner_count(r, worker, d->walk->n_v, d->walk->n_p, d->walk->n_u);
  return d->walk->status;
}

/* How many tests each of the next pieces may make, so that about as many are made as are left. */
static uint64_t tests_of_part(const runner *r, const distance_limits *l, uint64_t tests)
{
  const size_t parts = r->left < DISTANCE_PARTS ? r->left : DISTANCE_PARTS;
  uint64_t end = l->look_at;
  if (l->def->budget_tests && l->def->budget_tests < end) end = l->def->budget_tests;
  uint64_t share = (end > tests ? end - tests : 0) / parts;
  return share > PART_TESTS ? PART_TESTS : share < LEAST_TESTS ? LEAST_TESTS : share;
}

/* Joins what the pieces of a round have found. */
static bool between(runner *r, size_t first, size_t end)
{
  distance_scratch *q = r->state;
  distance_search_state *s = &q->search;
  bool stopped = false;
  for (size_t i = 0; i < end - first; ++i) {
    if (first == 0 || is_better(&s->parts[i].best, &s->best)) s->best = s->parts[i].best;
    stopped = stopped || s->parts[i].stopped;
  }
  if (stopped || s->ended || !r->left) return false;
  uint64_t tests = 0;
  for (int i = 0; i < r->context->threads; ++i) tests += r->workers[i].counters.n_v;
  set_best(r->context, s->walk, &s->best);
  if (distance_may_end(r->context, s->walk, s->limits, tests)) return false;
  r->part_tests = tests_of_part(r, s->limits, tests);
  return true;
}

const question distance_question_row = {.first_tests = FIRST_TESTS,
                                        .part_tests = PART_TESTS,
                                        .step = DISTANCE_STEP,
                                        .most_pieces = DISTANCE_PARTS,
                                        .wake_from = WORTH_IT,
                                        .stack = stack_of,
                                        .begin = begin,
                                        .walk = walk_piece,
                                        .between = between};

pl_status distance_run_rounds(pl_context *context, distance_scratch *q, distance_walk *d, distance_limits *limits)
{
  pl_counters sum = {0};
  distance_search_state *s = &q->search;
  s->walk = d;
  s->plan = d->plan;
  s->serial = d->walk->serial;
  s->limits = limits;
  s->ended = false;
  q->run.jobs = 1;
  pl_status status = runner_run(&q->run, &sum);
  if (status != PL_OK) return status;
  set_best(context, d, &s->best);
  d->walk->n_v = sum.n_v;
  d->walk->n_p = sum.n_p;
  d->walk->n_u = sum.n_u;
  return PL_OK;
}
