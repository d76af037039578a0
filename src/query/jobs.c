/* Jobs: what is fixed before a walk, and the running of many on all cores. */
#include "query/query.h"

#include "core/sort.h"

#include <string.h>

/* Volume tests before a walk, and then each of its parts, is cut; some 5 and 10 us. These numbers do not depend on the
 * number of threads: cutting does not change the result, and neither does the worker that takes a part. */
enum { FIRST_TESTS = 400, PART_TESTS = 1000 };

uint64_t place_make(place *p, pl_body *body)
{
  uint64_t made = body_ensure_root(body);
  p->known = true;
  body_space(body, &p->at);
  walk_take_side(&p->side, body);
  return made;
}

bool job_prepare(job *j, pl_body *a, pl_body *b, const place *at_a, const place *at_b, const pl_collide_def *def,
                 uint64_t *n_v)
{
  ++*n_v;
  if (!aabb_overlap(&at_a->at.world, &at_b->at.world)) return false;
  *j = (job){.a = a, .b = b};
  plan_sides(&j->plan, at_a, at_b);
  j->plan.oriented = !spaces_are_shared(&at_a->at, &at_b->at);
  if (j->plan.oriented) plan_maps(&j->plan, &at_a->at, &at_b->at);
  plan_shapes(a->context, &j->plan, a, b);
  j->plan.first = def->first;
  j->plan.filter = def->filter;
  j->plan.filter_user = def->user;
  return true;
}

/* --------------------------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  collide_scratch *q = scratch;
  q->walks = query_scratch(context, QUERY_WALKS);
  q->seeds = mem_new(&context->def.allocator, SEEDS, sizeof *q->seeds);
  return q->walks && q->seeds;
}

static void destroy(pl_context *context, void *scratch)
{
  collide_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  mem_free(allocator, q->seeds);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->shared);
  array_free(allocator, &q->pairs);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->level[0]);
  array_free(allocator, &q->level[1]);
}

const query_slot pl_inside_query_COLLIDE = {sizeof(collide_scratch), create, destroy};

/* ----------------------------------------------------------------------------------------------------- seeds -- */

/* The serial of the second body; 0 if the walk is over patches, whose tree has other leaves than the body's own. */
static uint64_t second_of(const job *j) { return j->plan.patches ? 0 : j->b->serial; }

static seed *seed_of(collide_scratch *q, const job *j) { return &q->seeds[(j->a->serial * 31 + second_of(j)) % SEEDS]; }

/* Tests the leaves of the last hit first; returns true if they touch again. */
static bool try_seed(collide_scratch *q, const kernels *k, walk *w, const job *j)
{
  const seed *s = seed_of(q, j);
  if (s->a != j->a->serial || s->b != second_of(j)) return false;
  w->leaf_pairs[w->leaf_pair_count++] = s->leaves;
  w->seed = true;
  k->pairs->leaves(w);
  w->seed = false;
  return w->stopped;
}

/* --------------------------------------------------------------------------------------------------- running -- */

typedef struct run {
  pl_context *context;
  collide_scratch *scratch;
  const pl_collide_def *def;
  pl_counters *totals; /* per worker */
  pl_status *status;   /* per worker */
  size_t first;        /* first part of this round */
} run;

static void end_round(run *r, walk *w, int worker)
{
  r->totals[worker].n_v += w->n_v;
  r->totals[worker].n_p += w->n_p;
  r->totals[worker].n_u += w->n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

static void leave_rest(run *r, rest *left, walk *w, int worker)
{
  worker_state *s = r->scratch->walks->workers[worker];
  *left = (rest){.worker = worker, .begin = s->left.count};
  if (!array_reserve(&r->context->locked, &s->left, s->left.count + w->stack.count)) {
    r->status[worker] = PL_ERROR_MEMORY;
    w->stack.count = 0;
  }
  while (w->stack.count) s->left.data[s->left.count++] = w->stack.data[--w->stack.count];
  left->end = s->left.count;
}

static void run_job(void *data, int task, int worker)
{
  run *r = data;
  job *j = &r->scratch->jobs.data[task];
  const kernels *k = kernels_of(r->context->isa);
  walk *w = query_walk(r->scratch->walks, &j->plan, worker);
  w->serial = r->scratch->walks->serial + (uint64_t)task;
  j->own = (found){worker, w->pairs.count, 0};
  if (!array_reserve(w->allocator, &w->stack, WALK_STEP)) {
    r->status[worker] = PL_ERROR_MEMORY;
    j->own.end = j->own.begin;
    return;
  }
  if (!r->def->first || !try_seed(r->scratch, k, w, j)) {
    w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
    if (!r->def->first && r->context->threads > 1) w->pause_at = FIRST_TESTS;
    query_step(r->context, w);
    k->pairs->leaves(w);
  }
  j->has_hit = r->def->first && w->stopped && w->status == PL_OK;
  j->hit = w->hit;
  if (!query_share_pairs(r->context, r->scratch, worker, &j->own)) w->status = PL_ERROR_MEMORY;
  if (w->stopped) w->stack.count = 0;
  leave_rest(r, &j->rest, w, worker);
  end_round(r, w, worker);
}

static void run_part(void *data, int task, int worker)
{
  run *r = data;
  part *p = &r->scratch->parts.data[r->first + (size_t)task];
  const job *j = &r->scratch->jobs.data[p->job];
  walk *w = query_walk(r->scratch->walks, &j->plan, worker);
  w->serial = r->scratch->walks->serial + p->job;
  p->own = (found){worker, w->pairs.count, 0};
  w->stack.data[w->stack.count++] = p->item; /* there is room: every worker's stack has been used */
  w->pause_at = PART_TESTS;
  query_step(r->context, w);
  kernels_of(r->context->isa)->pairs->leaves(w);
  if (!query_share_pairs(r->context, r->scratch, worker, &p->own)) w->status = PL_ERROR_MEMORY;
  if (w->stopped) w->stack.count = 0;
  leave_rest(r, &p->rest, w, worker);
  end_round(r, w, worker);
}

static pl_status make_parts(pl_context *context, collide_scratch *q, uint32_t of_job, rest *left)
{
  size_t n = left->end - left->begin;
  left->part = q->parts.count;
  if (!array_reserve(&context->def.allocator, &q->parts, q->parts.count + n)) return PL_ERROR_MEMORY;
  for (size_t k = 0; k < n; ++k)
    q->parts.data[q->parts.count++] =
        (part){.job = of_job, .item = q->walks->workers[left->worker]->left.data[left->begin + k]};
  return PL_OK;
}

static void forget_left(pl_context *context, collide_scratch *q)
{
  for (int i = 0; i < context->threads; ++i) q->walks->workers[i]->left.count = 0;
}

static pl_status worst_of(const run *r, pl_status status)
{
  for (int i = 0; i < r->context->threads; ++i)
    if (r->status[i] != PL_OK) status = r->status[i];
  return status;
}

/* Parts of all jobs, then parts of parts. *most becomes the greatest number of items that a round left. */
static pl_status run_parts(run *r, size_t *most)
{
  pl_context *context = r->context;
  collide_scratch *q = r->scratch;
  pl_status status = PL_OK;
  q->parts.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    status = make_parts(context, q, (uint32_t)i, &q->jobs.data[i].rest);
  for (r->first = 0; status == PL_OK && r->first < q->parts.count;) {
    size_t end = q->parts.count;
    *most = end - r->first > *most ? end - r->first : *most;
    forget_left(context, q);
    status = worst_of(r, parallel_for_short(context, run_part, r, (int)(end - r->first)));
    for (size_t i = r->first; i < end && status == PL_OK; ++i) {
      rest left = q->parts.data[i].rest;
      status = make_parts(context, q, q->parts.data[i].job, &left);
      if (status == PL_OK) q->parts.data[i].rest = left;
    }
    r->first = end;
  }
  return status;
}

static pl_status run_rounds(run *r)
{
  pl_context *context = r->context;
  collide_scratch *q = r->scratch;
  for (int i = 0; i < context->threads; ++i) {
    q->walks->workers[i]->walk.pairs.count = 0;
    if (!array_reserve(&context->locked, &q->walks->workers[i]->walk.stack, WALK_STEP)) return PL_ERROR_MEMORY;
  }
  forget_left(context, q);
  q->shared.count = 0;
  q->walks->serial += 1;
  size_t triangles = 0, most = 0;
  for (size_t i = 0; i < q->jobs.count; ++i)
    triangles += q->jobs.data[i].a->tree->prims.triangle_count + q->jobs.data[i].b->tree->prims.triangle_count;
  bool worth_it = !r->def->first && triangles > 20000; /* some 20 us, if they touch */
  pl_status status = worst_of(r, parallel_for(context, worth_it, run_job, r, (int)q->jobs.count));
  if (status == PL_OK) status = run_parts(r, &most);
  q->walks->serial += q->jobs.count;
  if (status == PL_OK && !query_level_workers(context, q->walks, most)) status = PL_ERROR_MEMORY;
  return status;
}

pl_status query_run(pl_context *context, collide_scratch *q, const pl_collide_def *def, pl_counters *counters)
{
  pl_counters totals[256];
  pl_status per_worker[256];
  for (int i = 0; i < context->threads; ++i) {
    totals[i] = (pl_counters){0};
    per_worker[i] = PL_OK;
  }
  run r = {context, q, def, totals, per_worker, 0};
  pl_status status = run_rounds(&r);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  if (status != PL_OK) return status;
  for (int i = 0; i < context->threads; ++i) {
    counters->n_v += totals[i].n_v;
    counters->n_p += totals[i].n_p;
    counters->n_u += totals[i].n_u;
  }
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const job *j = &q->jobs.data[i];
    if (j->has_hit) *seed_of(q, j) = (seed){j->a->serial, second_of(j), j->hit};
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------------------- gathering -- */

static bool append(pl_context *context, collide_scratch *q, const found *f)
{
  size_t n = f->end - f->begin;
  if (!array_reserve(&context->def.allocator, &q->pairs, q->pairs.count + n)) return false;
  const pl_pair *from = f->worker == SHARED_LIST ? q->shared.data : q->walks->workers[f->worker]->walk.pairs.data;
  if (n) memcpy(q->pairs.data + q->pairs.count, from + f->begin, n * sizeof(pl_pair));
  q->pairs.count += n;
  return true;
}

/* Parts in their order, each with what it found before it was cut first. As deep as there are rounds. */
static bool append_rest(pl_context *context, collide_scratch *q, const rest *left)
{
  bool room = true;
  for (size_t k = 0; room && k < left->end - left->begin; ++k) {
    const part *p = &q->parts.data[left->part + k];
    room = append(context, q, &p->own) && append_rest(context, q, &p->rest);
  }
  return room;
}

pl_status query_gather(pl_context *context, collide_scratch *q, const job *j)
{
  bool room = append(context, q, &j->own) && append_rest(context, q, &j->rest);
  return room ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs", q->pairs.count);
}

pl_status query_sort(pl_context *context, collide_scratch *q, size_t begin, size_t end)
{
  size_t n = end - begin;
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &q->keys, n) || !array_reserve(allocator, &q->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", n);
  for (size_t i = 0; i < n; ++i)
    q->keys.data[i] = (uint64_t)q->pairs.data[begin + i].a << 32 | q->pairs.data[begin + i].b;
  sort_keys(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i)
    q->pairs.data[begin + i] = (pl_pair){(uint32_t)(q->keys.data[i] >> 32), (uint32_t)q->keys.data[i]};
  return PL_OK;
}
