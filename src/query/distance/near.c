/* All pairs of triangles within a margin, or of vertices, faces and edges, as questions of the runner. */
#include "query/query.h"

#include "core/timer.h"

enum { FIRST_TESTS = 100, PART_TESTS = 200 }; /* about 10 and 20 us: much work follows where bodies are near */

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

/* --------------------------------------------------------------------------------------------------- running -- */

void near_clear(near_scratch *q)
{
  q->jobs.count = q->within_count = 0;
  q->made = 0;
}

pl_status near_within(near_scratch *q, pl_body *body, const near_wish *wish, near_patches **out)
{
  pl_context *context = body->context;
  const pl_allocator *allocator = &context->def.allocator;
  const size_t at = q->within_count;
  *out = NULL;
  if (at == q->within.count) {
    near_patches *more = array_reserve(allocator, &q->within, at + 1) ? mem_new(allocator, 1, sizeof *more) : NULL;
    if (!more) return fail(context, PL_ERROR_MEMORY, "no memory for the patches of a body");
    q->within.data[q->within.count++] = more;
  }
  near_patches *n = q->within.data[at];
  pl_status status = near_patches_prepare(n, body, q->walks, wish->margin, wish->rings, &q->made);
  if (status != PL_OK || !n->good) return status;
  ++q->within_count;
  *out = n;
  return PL_OK;
}

pl_status near_add(pl_context *context, near_scratch *q, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                   near_patches *within, const near_wish *wish)
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
  if (within) near_patches_plan(within, a, &j->plan);
  ++q->jobs.count;
  return PL_OK;
}

/* ------------------------------------------------------------------------------------------------- the questions -- */

static distance_walk *walk_of(const runner *r, int worker)
{
  const near_scratch *q = r->state;
  return &q->walks->workers[worker]->distance;
}

static row_list stack_of(const runner *r, int worker) { return ROWS(&walk_of(r, worker)->stack); }

static row_list near_of(const runner *r, int worker, int list)
{
  (void)list;
  return ROWS(&walk_of(r, worker)->near);
}

static row_list features_of(const runner *r, int worker, int list)
{
  (void)list;
  return ROWS(&walk_of(r, worker)->features);
}

static void begin(runner *r, uint32_t index, bool first, int worker)
{
  near_scratch *q = r->state;
  distance_walk *d = distance_begin(q->walks, &q->jobs.data[index].plan, worker, q->walks->serial + index);
  kernels_of(r->context->isa)->distance->reach(d, q->wish->margin);
  if (first) d->stack.data[d->stack.count++] = (distance_item){0, {TREE_ROOT, TREE_ROOT}};
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  (void)piece;
  distance_walk *d = walk_of(r, worker);
  d->walk->pause_at = tests;
  distance_run(r->context, d);
  runner_count(r, worker, d->walk->n_v, d->walk->n_p, d->walk->n_u);
  return d->walk->status;
}

static const question near_questions[2] = {{.first_tests = FIRST_TESTS,
                                            .part_tests = PART_TESTS,
                                            .step = DISTANCE_STEP,
                                            .ahead = MEASURED,
                                            .stack = stack_of,
                                            .lists = 1,
                                            .found = near_of,
                                            .begin = begin,
                                            .walk = walk_piece},
                                           {.first_tests = FIRST_TESTS,
                                            .part_tests = PART_TESTS,
                                            .step = DISTANCE_STEP,
                                            .ahead = WAITING * PAIR_FEATURES,
                                            .stack = stack_of,
                                            .lists = 1,
                                            .found = features_of,
                                            .begin = begin,
                                            .walk = walk_piece}};

static bool create(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  q->walks = query_scratch(context, QUERY_WALKS);
  return q->walks && runner_create(&q->run[0], context, &near_questions[0], q) &&
         runner_create(&q->run[1], context, &near_questions[1], q);
}

static void destroy(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; i < 2; ++i) runner_destroy(&q->run[i]);
  for (size_t i = 0; i < q->within.count; ++i) {
    mem_free(allocator, q->within.data[i]->cones.cone);
    mem_free(allocator, q->within.data[i]);
  }
  array_free(allocator, &q->within);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->near);
  array_free(allocator, &q->features);
  array_free(allocator, &q->groups);
}

const query_slot pl_inside_query_NEAR = {sizeof(near_scratch), create, destroy};

/* ------------------------------------------------------------------------------------------------- gathering -- */

static uint64_t near_key(const void *row)
{
  const pl_near_pair *pair = row;
  return runner_pair_key(pair->a, pair->b);
}

static uint64_t feature_key(const void *row)
{
  const pl_feature_pair *pair = row;
  return runner_pair_key(pair->triangle_a, pair->triangle_b);
}

static pl_status gather(pl_context *context, near_scratch *q, const near_wish *wish)
{
  runner *r = &q->run[wish->features];
  const row_list out = wish->features ? ROWS(&q->features) : ROWS(&q->near);
  q->near.count = q->features.count = 0;
  for (size_t i = 0; i < q->jobs.count; ++i) {
    near_job *j = &q->jobs.data[i];
    j->begin = *out.count;
    if (!runner_gather(r, i, 0, out)) return PL_ERROR_MEMORY;
    j->end = *out.count;
    if (wish->sorted && !runner_sort(r, out, j->begin, j->end, wish->features ? feature_key : near_key))
      return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", j->end - j->begin);
  }
  return PL_OK;
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
  runner *r = &q->run[wish->features];
  q->wish = wish;
  r->jobs = q->jobs.count;
  r->wake = q->jobs.count > 1;
  q->walks->serial += 1;
  counters->n_u += q->made;
  pl_status status = runner_run(r, counters);
  q->walks->serial += q->jobs.count;
  if (status == PL_OK) status = gather(context, q, wish);
  return status == PL_ERROR_MEMORY ? fail(context, status, "no memory for the pairs that were found") : status;
}

/* ----------------------------------------------------------------------------------------------- two bodies -- */

static pl_status run_job(query_stages *stages, near_scratch *q, const near_wish *wish)
{
  pl_status status = near_run(stages->context, q, wish, stages->counters);
  if (status == PL_OK) query_end(stages);
  return status;
}

static pl_status run_bodies(pl_body *a, pl_body *b, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  pl_context *context = a->context;
  query_stages stages = query_start(context, counters);
  const bool is_one = a == b;
  near_clear(q);
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, is_one ? 1 : 2);
  if (status != PL_OK) return status;
  place at[2];
  place_make(&at[0], a);
  if (!is_one) place_make(&at[1], b);
  updating_begin(context);
  status = near_add(context, q, a, b, &at[0], &at[!is_one], NULL, wish);
  updating_end(context);
  return status == PL_OK ? run_job(&stages, q, wish) : status;
}

/* One body over its patches, if they serve: its own tree stays as it is. */
static pl_status run_within(pl_body *body, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  pl_context *context = body->context;
  query_stages stages = query_start(context, counters);
  near_patches *n;
  near_clear(q);
  updating_begin(context);
  pl_status status = near_within(q, body, wish, &n);
  if (status == PL_OK && n) status = near_add(context, q, body, body, &n->at, &n->at, n, wish);
  updating_end(context);
  if (status != PL_OK) return status;
  if (!n) return run_bodies(body, body, q, wish, counters);
  stages.updated = timer_ms();
  return run_job(&stages, q, wish);
}

static pl_status run_near(pl_body *a, pl_body *b, near_scratch *q, const near_wish *wish, pl_counters *counters)
{
  return wish->rings ? run_within(a, q, wish, counters) : run_bodies(a, b, q, wish, counters);
}

pl_status near_bodies(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out)
{
  near_scratch *q = query_scratch(a->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_near_pairs answer = {0};
  pl_status status = run_near(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->near.data;
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
  pl_status status = run_near(a, b, q, wish, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = q->features.data;
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
