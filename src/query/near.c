/* All pairs of triangles within a margin, or of vertices, faces and edges. As in jobs.c: the walk of each job runs
 * alone until it is done or has made FIRST_TESTS volume tests. The rest of its stack becomes parts that any worker
 * takes, which are cut again after PART_TESTS. Pairs are gathered by job and in the order of the stack: the same bytes
 * for any number of threads. */
#include "query/query.h"

#include "core/sort.h"

#include <string.h>

enum { FIRST_TESTS = 100, PART_TESTS = 200 }; /* some 10 and 20 us: much work follows where bodies are near */

void pl_near_def_init(pl_near_def *def, size_t struct_size)
{
  const pl_near_def full = {0};
  def_fill(def, struct_size, &full, sizeof full);
}

void pl_feature_def_init(pl_feature_def *def, size_t struct_size)
{
  const pl_feature_def full = {.vertex_face = true, .edge_edge = true};
  def_fill(def, struct_size, &full, sizeof full);
}

pl_status near_take(pl_context *context, double margin, const pl_near_def *def, near_wish *out)
{
  pl_near_def d;
  pl_status status = def_take(context, pl_near_def, def, &d);
  if (status == PL_OK) status = query_check_amount(context, margin, "the margin");
  if (status == PL_OK)
    *out = (near_wish){
        .margin = margin, .sorted = d.sorted, .filter = d.filter, .user = d.user, .contact_filter = d.contact_filter};
  return status;
}

pl_status near_take_features(pl_context *context, double margin, const pl_feature_def *def, near_wish *out)
{
  pl_feature_def d;
  pl_status status = def_take(context, pl_feature_def, def, &d);
  if (status == PL_OK) status = query_check_amount(context, margin, "the margin");
  if (status != PL_OK) return status;
  *out = (near_wish){margin, true, d.vertex_face, d.edge_edge, d.sorted, d.filter, d.user, d.contact_filter, 0};
  return PL_OK;
}

/* --------------------------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  return (q->walks = query_scratch(context, QUERY_WALKS)) != NULL;
}

static void destroy(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->left);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->shared);
  array_free(allocator, &q->near);
  array_free(allocator, &q->sorted);
  array_free(allocator, &q->shared_features);
  array_free(allocator, &q->features);
  array_free(allocator, &q->sorted_features);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->places);
  array_free(allocator, &q->groups);
}

const query_slot pl_inside_query_NEAR = {sizeof(near_scratch), create, destroy};

/* --------------------------------------------------------------------------------------------------- running -- */

pl_status near_add(pl_context *context, near_scratch *q, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                   const near_wish *wish)
{
  if (!array_reserve(&context->def.allocator, &q->jobs, q->jobs.count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  near_job *j = &q->jobs.data[q->jobs.count];
  *j = (near_job){.a = a, .b = b};
  distance_plan_places(context, &j->plan, a, b, at_a, at_b);
  j->plan.gather = true;
  j->plan.limit = wish->margin;
  j->plan.vertex_face = wish->vertex_face;
  j->plan.edge_edge = wish->edge_edge;
  j->plan.walk.filter = wish->filter;
  j->plan.walk.filter_user = wish->user;
  if (wish->features) {
    j->plan.owners[0] = body_owners(a);
    j->plan.owners[1] = body_owners(b);
    if (!j->plan.owners[0] || !j->plan.owners[1]) return PL_ERROR_MEMORY;
  }
  pl_status status = wish->rings ? self_near_plan(&j->plan, q->walks, a, wish->rings) : PL_OK;
  if (status != PL_OK) return status;
  ++q->jobs.count;
  return PL_OK;
}

typedef struct run {
  pl_context *context;
  near_scratch *scratch;
  const near_wish *wish;
  pl_counters *totals; /* per worker */
  pl_status *status;   /* per worker */
  size_t first;        /* first part of this round */
} run;

/* Runs one item and all items that it leads to on one worker: to the end, or until it has made `tests` volume tests. */
static void go(run *r, uint32_t task, distance_item item, int worker, uint64_t tests, found *own, rest *left)
{
  near_scratch *q = r->scratch;
  distance_walk *d = distance_begin(q->walks, &q->jobs.data[task].plan, worker, q->walks->serial + task);
  walk *w = d->walk;
  kernels_of(r->context->isa)->distance->reach(d, r->wish->margin);
  *own = (found){worker, r->wish->features ? d->features.count : d->near.count, 0};
  if (r->context->threads > 1) w->pause_at = tests;
  if (array_reserve(w->allocator, &d->stack, DISTANCE_STEP)) {
    d->stack.data[d->stack.count++] = item;
    distance_run(r->context, d);
  } else
    w->status = PL_ERROR_MEMORY;
  if (!query_share_near(r->context, q, worker, r->wish->features, own)) w->status = PL_ERROR_MEMORY;
  size_t n = w->status == PL_OK ? d->stack.count : 0;
  for (size_t i = 0; i < n / 2; ++i) { /* the top comes first */
    distance_item swapped = d->stack.data[i];
    d->stack.data[i] = d->stack.data[n - 1 - i];
    d->stack.data[n - 1 - i] = swapped;
  }
  *left = (rest){0};
  if (n && !shared_append(r->context, &q->left, d->stack.data, n, &left->begin)) w->status = PL_ERROR_MEMORY;
  left->end = left->begin + (w->status == PL_OK ? n : 0);
  r->totals[worker].n_v += w->n_v;
  r->totals[worker].n_p += w->n_p;
  r->totals[worker].n_u += w->n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

static void run_job(void *data, int task, int worker)
{
  run *r = data;
  near_job *j = &r->scratch->jobs.data[task];
  go(r, (uint32_t)task, (distance_item){0, {TREE_ROOT, TREE_ROOT}}, worker, FIRST_TESTS, &j->own, &j->rest);
}

static void run_part(void *data, int task, int worker)
{
  run *r = data;
  near_part *p = &r->scratch->parts.data[r->first + (size_t)task];
  go(r, p->job, p->item, worker, PART_TESTS, &p->own, &p->rest);
}

static pl_status make_parts(pl_context *context, near_scratch *q, uint32_t of_job, rest *left)
{
  size_t n = left->end - left->begin;
  left->part = q->parts.count;
  if (!array_reserve(&context->def.allocator, &q->parts, q->parts.count + n)) return PL_ERROR_MEMORY;
  for (size_t k = 0; k < n; ++k)
    q->parts.data[q->parts.count++] = (near_part){.job = of_job, .item = q->left.data[left->begin + k]};
  return PL_OK;
}

static pl_status worst_of(const run *r, pl_status status)
{
  for (int i = 0; i < r->context->threads; ++i)
    if (r->status[i] != PL_OK) status = r->status[i];
  return status;
}

/* Parts of all jobs, then parts of parts. */
static pl_status run_parts(run *r)
{
  pl_context *context = r->context;
  near_scratch *q = r->scratch;
  pl_status status = PL_OK;
  q->parts.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    status = make_parts(context, q, (uint32_t)i, &q->jobs.data[i].rest);
  for (r->first = 0; status == PL_OK && r->first < q->parts.count;) {
    size_t end = q->parts.count;
    q->left.count = 0;
    status = worst_of(r, parallel_for(context, true, run_part, r, (int)(end - r->first)));
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
  near_scratch *q = r->scratch;
  for (int i = 0; i < context->threads; ++i) {
    distance_walk *d = &q->walks->workers[i]->distance;
    d->near.count = d->features.count = 0;
  }
  q->shared.count = q->shared_features.count = q->left.count = 0;
  q->walks->serial += 1;
  pl_status status = worst_of(r, parallel_for(context, q->jobs.count > 1, run_job, r, (int)q->jobs.count));
  if (status == PL_OK) status = run_parts(r);
  q->walks->serial += q->jobs.count;
  if (status == PL_OK && !query_level_workers(context, q->walks, 0)) status = PL_ERROR_MEMORY;
  return status;
}

/* ------------------------------------------------------------------------------------------------- gathering -- */

static bool append(pl_context *context, near_scratch *q, bool features, const found *f)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = f->end - f->begin;
  if (!n) return true;
  const distance_walk *d = f->worker == SHARED_LIST ? NULL : &q->walks->workers[f->worker]->distance;
  if (features) {
    if (!array_reserve(allocator, &q->features, q->features.count + n)) return false;
    const pl_feature_pair *from = d ? d->features.data : q->shared_features.data;
    memcpy(q->features.data + q->features.count, from + f->begin, n * sizeof *from);
    q->features.count += n;
  } else {
    if (!array_reserve(allocator, &q->near, q->near.count + n)) return false;
    const pl_near_pair *from = d ? d->near.data : q->shared.data;
    memcpy(q->near.data + q->near.count, from + f->begin, n * sizeof *from);
    q->near.count += n;
  }
  return true;
}

/* Parts in their order, each with what it found before it was cut first. As deep as there are rounds. */
static bool append_rest(pl_context *context, near_scratch *q, bool features, const rest *left)
{
  bool room = true;
  for (size_t k = 0; room && k < left->end - left->begin; ++k) {
    const near_part *p = &q->parts.data[left->part + k];
    room = append(context, q, features, &p->own) && append_rest(context, q, features, &p->rest);
  }
  return room;
}

static uint64_t key_of(const near_scratch *q, bool features, size_t i)
{
  if (!features) return (uint64_t)q->near.data[i].a << 32 | q->near.data[i].b;
  return (uint64_t)q->features.data[i].triangle_a << 32 | q->features.data[i].triangle_b;
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

static void copy_run(near_scratch *q, bool features, size_t to, size_t from, size_t n)
{
  if (features)
    memcpy(q->sorted_features.data + to, q->features.data + from, n * sizeof *q->features.data);
  else
    memcpy(q->sorted.data + to, q->near.data + from, n * sizeof *q->near.data);
}

/* One past the last pair of the same two triangles. */
static size_t run_end(const near_scratch *q, bool features, size_t i, size_t end)
{
  size_t k = i + 1;
  while (k < end && key_of(q, features, k) == key_of(q, features, i)) ++k;
  return k;
}

/* By a, then b. The pairs of two triangles stand together and stay in their order: only their keys are sorted, which
 * are all different, and each run is then copied to the place of its key. */
static pl_status sort_job(pl_context *context, near_scratch *q, bool features, size_t begin, size_t end)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = end - begin, runs = 0;
  bool room =
      array_reserve(allocator, &q->keys, n) && array_reserve(allocator, &q->sorting, n) &&
      array_reserve(allocator, &q->places, n + 1) &&
      (features ? array_reserve(allocator, &q->sorted_features, end) : array_reserve(allocator, &q->sorted, end));
  if (!room) return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", n);
  for (size_t i = begin; i < end; i = run_end(q, features, i, end)) q->keys.data[runs++] = key_of(q, features, i);
  sort_keys(q->keys.data, q->sorting.data, runs);
  for (size_t i = begin, next; i < end; i = next) {
    next = run_end(q, features, i, end);
    q->places.data[place_of(q->keys.data, runs, key_of(q, features, i))] = next - i;
  }
  for (size_t i = 0, at = begin; i < runs; ++i) {
    size_t length = q->places.data[i];
    q->places.data[i] = at;
    at += length;
  }
  for (size_t i = begin, next; i < end; i = next) {
    next = run_end(q, features, i, end);
    copy_run(q, features, q->places.data[place_of(q->keys.data, runs, key_of(q, features, i))], i, next - i);
  }
  *(features ? &q->sorted_features.count : &q->sorted.count) = end;
  return PL_OK;
}

static pl_status gather(pl_context *context, near_scratch *q, const near_wish *wish)
{
  pl_status status = PL_OK;
  q->near.count = q->features.count = q->sorted.count = q->sorted_features.count = 0;
  const size_t *count = wish->features ? &q->features.count : &q->near.count;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    near_job *j = &q->jobs.data[i];
    j->begin = *count;
    if (!append(context, q, wish->features, &j->own) || !append_rest(context, q, wish->features, &j->rest))
      return PL_ERROR_MEMORY;
    j->end = *count;
    if (wish->sorted && j->end > j->begin) status = sort_job(context, q, wish->features, j->begin, j->end);
  }
  return status;
}

void near_filter(near_scratch *q, const near_wish *wish)
{
  for (size_t i = 0; wish->contact_filter && i < q->jobs.count; ++i) {
    near_job *j = &q->jobs.data[i];
    j->seen = (body_filter){wish->contact_filter, wish->user, j->a, j->b};
    j->plan.walk.filter = query_filter_contact;
    j->plan.walk.filter_user = &j->seen;
  }
}

pl_status near_run(pl_context *context, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  pl_counters totals[256];
  pl_status per_worker[256];
  for (int i = 0; i < context->threads; ++i) {
    totals[i] = (pl_counters){0};
    per_worker[i] = PL_OK;
  }
  run r = {context, q, wish, totals, per_worker, 0};
  pl_status status = run_rounds(&r);
  if (status == PL_OK) status = gather(context, q, wish);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  for (int i = 0; i < context->threads; ++i) {
    counters->n_v += totals[i].n_v;
    counters->n_p += totals[i].n_p;
    counters->n_u += totals[i].n_u;
  }
  return status;
}

const pl_near_pair *near_pairs(const near_scratch *q, const near_wish *wish)
{
  return wish->sorted ? q->sorted.data : q->near.data;
}

const pl_feature_pair *near_features_of(const near_scratch *q, const near_wish *wish)
{
  return wish->sorted ? q->sorted_features.data : q->features.data;
}

/* ----------------------------------------------------------------------------------------------- two bodies -- */

static pl_status run_bodies(pl_body *a, pl_body *b, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  pl_context *context = a->context;
  query_stages stages = query_start(context, counters);
  const bool is_one = a == b;
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, is_one ? 1 : 2);
  if (status != PL_OK) return status;
  place at[2];
  place_make(&at[0], a);
  if (!is_one) place_make(&at[1], b);
  q->jobs.count = 0;
  status = near_add(context, q, a, b, &at[0], &at[!is_one], wish);
  if (status == PL_OK) status = near_run(context, q, wish, counters);
  if (status == PL_OK) query_end(&stages);
  return status;
}

pl_status near_bodies(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_near_pairs answer = {0};
  pl_status status = run_bodies(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = near_pairs(q, wish);
  answer.count = q->near.count;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status near_feature_bodies(pl_body *a, pl_body *b, const near_wish *wish, const pl_feature_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_feature_pairs answer = {0};
  pl_status status = run_bodies(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = near_features_of(q, wish);
  answer.count = q->features.count;
  q->feature_answer = answer;
  *out = &q->feature_answer;
  return PL_OK;
}

pl_status near_query(pl_body *a, pl_body *b, double margin, const pl_near_def *def, near_function *find,
                     const pl_near_pairs **out)
{
  if (out) *out = NULL;
  near_wish wish;
  call c;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = near_take(a->context, margin, def, &wish);
  if (status == PL_OK) status = query_enter(&c, a, b);
  if (status != PL_OK) return status;
  status = find(a, b, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status near_feature_query(pl_body *a, pl_body *b, double margin, const pl_feature_def *def,
                             near_feature_function *find, const pl_feature_pairs **out)
{
  if (out) *out = NULL;
  near_wish wish;
  call c;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = near_take_features(a->context, margin, def, &wish);
  if (status == PL_OK) status = query_enter(&c, a, b);
  if (status != PL_OK) return status;
  status = find(a, b, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out)
{
  return near_query(a, b, margin, def, near_bodies, out);
}

pl_status pl_body_near_features(pl_body *a, pl_body *b, double margin, const pl_feature_def *def,
                                const pl_feature_pairs **out)
{
  return near_feature_query(a, b, margin, def, near_feature_bodies, out);
}
