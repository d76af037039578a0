/* Touching triangles as a question of the runner: what is fixed before the walk of a job, and
 * the walk. */
#include "query/query.h"

/* A first piece of about 5 us, later ones of 10. */
enum { FIRST_TESTS = 400, PART_TESTS = 1000, AHEAD = 64 };

bool touching_prepare(touching_job *j, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                      const pl_question *def, uint64_t *n_v)
{
  ++*n_v;
  if (!aabb_overlap(&at_a->at.world, &at_b->at.world)) return false;
  *j = (touching_job){.a = a, .b = b};
  plan_make(a->context, &j->plan, a, b, at_a, at_b);
  j->plan.first = def->first;
  return true;
}

/* ------------------------------------------------------------------------------------- seeds -- */

/* The serial of the second body; 0 if the walk is over patches, whose tree has other leaves than
 * the body's own. */
static uint64_t second_of(const touching_job *j) { return j->plan.patches ? 0 : j->b->serial; }

static seed *seed_of(touching_scratch *q, const touching_job *j)
{
  return &q->seeds[(j->a->serial * 31 + second_of(j)) % SEEDS];
}

/* Tests the leaves of the last hit first; returns true if they touch again. */
static bool try_seed(touching_scratch *q, const kernels *k, walk *w, const touching_job *j)
{
  const seed *s = seed_of(q, j);
  if (s->a != j->a->serial || s->b != second_of(j)) return false;
  w->leaf_pairs[w->leaf_pair_count++] = s->leaves;
  w->seed = true;
  k->pairs->leaves(w);
  w->seed = false;
  return w->stopped;
}

static void keep_seeds(touching_scratch *q)
{
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const touching_job *j = &q->jobs.data[i];
    if (j->has_hit) *seed_of(q, j) = (seed){j->a->serial, second_of(j), j->hit};
  }
}

/* ------------------------------------------------------------------------------ the question -- */

static walk *walk_of(const runner *r, int worker)
{
  const touching_scratch *q = r->state;
  return &q->walks->workers[worker]->walk;
}

static row_list stack_of(const runner *r, int worker) { return ROWS(&walk_of(r, worker)->stack); }

static row_list found_of(const runner *r, int worker, int list)
{
  (void)list;
  return ROWS(&walk_of(r, worker)->pairs);
}

static void begin(runner *r, uint32_t index, bool first, int worker)
{
  touching_scratch *q = r->state;
  const touching_job *j = &q->jobs.data[index];
  walk *w = query_walk(q->walks, &j->plan, worker);
  w->serial = q->walks->serial + index;
  if (!first) return;
  if (j->plan.first && try_seed(q, kernels_of(r->context->isa), w, j)) return;
  w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  touching_scratch *q = r->state;
  walk *w = walk_of(r, worker);
  touching_job *j = &q->jobs.data[r->pieces.data[piece].job];
  if (!w->stopped) {
    w->pause_at = j->plan.first ? UINT64_MAX : tests;
    query_step(r->context, w);
    kernels_of(r->context->isa)->pairs->leaves(w);
  }
  if (j->plan.first) {
    j->has_hit = w->stopped && w->status == PL_OK;
    j->hit = w->hit;
  }
  if (w->stopped) w->stack.count = 0;
  runner_count(r, worker, w->n_v, w->n_p, w->n_u);
  update_walked_two(j->plan.side[0]->owner, j->plan.side[1]->owner, w->n_v, w->n_p);
  return w->status;
}

static const question pairs_question = {.first_tests = FIRST_TESTS,
                                        .part_tests = PART_TESTS,
                                        .step = WALK_STEP,
                                        .ahead = AHEAD,
                                        .short_pieces = true,
                                        .stack = stack_of,
                                        .lists = 1,
                                        .found = found_of,
                                        .begin = begin,
                                        .walk = walk_piece};

/* Sets plan.far of all jobs. They are sorted by their first bodies, so counting these and the last
 * second one misses few. */
static void find_far(touching_scratch *q)
{
  const size_t many = 80000; /* triangles: 1.1 times faster from 108 000, 1.1 times slower at 41 000 */
  size_t triangles = 0, count = q->jobs.count;
  for (size_t i = 0; i < count; ++i) {
    const touching_job *j = &q->jobs.data[i];
    if (i == 0 || j[-1].a != j->a) triangles += j->a->tree->prims.triangle_count;
    if (i + 1 == count) triangles += j->b->tree->prims.triangle_count;
  }
  for (size_t i = 0; i < count && triangles >= many; ++i) q->jobs.data[i].plan.far = true;
}

pl_status touching_run_jobs(pl_context *context, touching_scratch *q, bool first, pl_counters *counters)
{
  size_t triangles = 0;
  for (size_t i = 0; i < q->jobs.count; ++i)
    triangles += q->jobs.data[i].a->tree->prims.triangle_count + q->jobs.data[i].b->tree->prims.triangle_count;
  find_far(q);
  q->run.jobs = q->jobs.count;
  q->run.wake = !first && triangles > 20000; /* about 20 us, if they touch */
  q->walks->serial += 1;
  pl_status status = runner_run(&q->run, counters);
  q->walks->serial += q->jobs.count;
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  if (status == PL_OK) keep_seeds(q);
  return status;
}

bool touching_gather(touching_scratch *q, size_t number, row_list out)
{
  const touching_job *j = &q->jobs.data[number];
  if (!j->gathered) return runner_gather(&q->run, number, 0, out);
  return rows_append(&q->run.context->def.allocator, out, q->pairs.data + j->begin, j->end - j->begin);
}

static uint64_t key_of(const void *row)
{
  const pl_pair *pair = row;
  return runner_pair_key(pair->a, pair->b);
}

static void row_of(uint64_t key, void *row) { *(pl_pair *)row = (pl_pair){(uint32_t)(key >> 32), (uint32_t)key}; }

bool touching_sort(touching_scratch *q, row_list out, size_t begin, size_t end)
{
  return runner_sort_keys(&q->run, out, begin, end, key_of, row_of);
}

/* ----------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  touching_scratch *q = scratch;
  q->walks = query_scratch(context, QUERY_WALKS);
  q->seeds = mem_new(&context->def.allocator, SEEDS, sizeof *q->seeds);
  return q->walks && q->seeds && runner_create(&q->run, context, &pairs_question, q);
}

static void destroy(pl_context *context, void *scratch)
{
  touching_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  mem_free(allocator, q->seeds);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->pairs);
  array_free(allocator, &q->places);
  array_free(allocator, &q->level[0]);
  array_free(allocator, &q->level[1]);
}

const query_slot pl_inside_query_TOUCHING = {sizeof(touching_scratch), create, destroy};
