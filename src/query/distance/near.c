/* All pairs of triangles within a margin, or of vertices, faces and edges, as questions of the
 * runner. */
#include "query/query.h"

/* about 10 and 20 us: much work follows where bodies are near */
enum { FIRST_TESTS = 100, PART_TESTS = 200 };

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
  const double margin = wish->margin + 2 * body->thickness.most;
  pl_status status = near_patches_prepare(n, body, q->walks, margin, wish->rings, &q->made);
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
  *j = (near_job){.a = a, .b = b, .margin = wish->margin};
  if (!wish->features && (thickness_update(a) != PL_OK || thickness_update(b) != PL_OK)) return PL_ERROR_MEMORY;
  distance_plan_places(context, &j->plan, a, b, at_a, at_b);
  j->plan.gather = true;
  j->plan.limit = wish->margin + (a->thickness.most + b->thickness.most);
  j->plan.vertex_face = wish->vertex_face;
  j->plan.edge_edge = wish->edge_edge;
  if (wish->features) {
    j->plan.owners[0] = body_owners(a);
    j->plan.owners[1] = body_owners(b);
    if (!j->plan.owners[0] || !j->plan.owners[1]) return PL_ERROR_MEMORY;
  }
  pl_status status = a == b ? self_near_plan(&j->plan, q->walks, a, wish->rings) : PL_OK;
  if (status != PL_OK) return status;
  if (within) near_patches_plan(within, a, &j->plan);
  ++q->jobs.count;
  return PL_OK;
}

/* ----------------------------------------------------------------------------- the questions -- */

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

/* The bodies of a job are thick in some places only: of rows within its largest margin, those that
 * are within their own stay. */
static void leave_thick(const near_job *j, distance_walk *d, size_t triangles, size_t features)
{
  const body_thickness *a = &j->a->thickness, *b = &j->b->thickness;
  size_t kept = triangles;
  if (!a->radius && !b->radius) return;
  for (size_t i = triangles; i < d->near.count; ++i) {
    const pl_near_pair *row = &d->near.data[i];
    if (row->distance <= j->margin + (thickness_of_face(a, row->a) + thickness_of_face(b, row->b)))
      d->near.data[kept++] = *row;
  }
  d->near.count = kept;
  kept = features;
  for (size_t i = features; i < d->features.count; ++i) {
    const pl_feature_pair *row = &d->features.data[i];
    if (row->distance <= j->margin + (thickness_of(a, row->vertex_a, 3) + thickness_of(b, row->vertex_b, 3)))
      d->features.data[kept++] = *row;
  }
  d->features.count = kept;
}

static void begin(runner *r, uint32_t index, bool first, int worker)
{
  near_scratch *q = r->state;
  distance_walk *d = distance_begin(q->walks, &q->jobs.data[index].plan, worker, q->walks->serial + index);
  kernels_of(r->context->isa)->distance->reach(d, q->jobs.data[index].plan.limit);
  if (first) d->stack.data[d->stack.count++] = (distance_item){0, {TREE_ROOT, TREE_ROOT}};
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  const near_scratch *q = r->state;
  distance_walk *d = walk_of(r, worker);
  const size_t triangles = d->near.count, features = d->features.count;
  d->walk->pause_at = tests;
  distance_run(r->context, d);
  leave_thick(&q->jobs.data[r->pieces.data[piece].job], d, triangles, features);
  runner_count(r, worker, d->walk->n_v, d->walk->n_p, d->walk->n_u);
  const walk_plan *plan = &q->jobs.data[r->pieces.data[piece].job].plan.walk;
  update_walked_two(plan->side[0]->owner, plan->side[1]->owner, d->walk->n_v, d->walk->n_p);
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

static bool create(pl_context *context, near_scratch *q, const question *asked)
{
  q->walks = query_scratch(context, QUERY_WALKS);
  return q->walks && runner_create(&q->run, context, asked, q);
}

static bool create_triangles(pl_context *context, void *scratch)
{
  return create(context, scratch, &near_questions[0]);
}

static bool create_features(pl_context *context, void *scratch) { return create(context, scratch, &near_questions[1]); }

static void destroy(pl_context *context, void *scratch)
{
  near_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  for (size_t i = 0; i < q->within.count; ++i) {
    mem_free(allocator, q->within.data[i]->cones.cone);
    mem_free(allocator, q->within.data[i]);
  }
  array_free(allocator, &q->within);
  array_free(allocator, &q->jobs);
}

const query_slot pl_inside_query_NEAR_TRIANGLES = {sizeof(near_scratch), create_triangles, destroy};
const query_slot pl_inside_query_NEAR = {sizeof(near_scratch), create_features, destroy};

/* --------------------------------------------------------------------------------- gathering -- */

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

pl_status near_run(pl_context *context, near_scratch *q, pl_counters *counters)
{
  q->run.jobs = q->jobs.count;
  q->run.wake = q->jobs.count > 1;
  q->walks->serial += 1;
  counters->n_u += q->made;
  pl_status status = runner_run(&q->run, counters);
  q->walks->serial += q->jobs.count;
  return status == PL_ERROR_MEMORY ? fail(context, status, "no memory for the pairs that were found") : status;
}

bool near_gather(near_scratch *q, size_t job, bool sorted, row_list out)
{
  const size_t begin = *out.count;
  runner_key *key = q->run.asked == &near_questions[1] ? feature_key : near_key;
  return runner_gather(&q->run, job, 0, out) && (!sorted || runner_sort(&q->run, out, begin, *out.count, key));
}

/* ---------------------------------------------------------------------------------- one body -- */

/* What shares no vertex needs neither edges nor marks: any list of edges says that the plan is
 * of one body. */
pl_status self_near_plan(distance_plan *p, query *walks, pl_body *body, uint32_t rings)
{
  static const vertex_rings unused;
  pl_context *context = body->context;
  tree *t = p->walk.side[0]->tree; /* its own, or that of its patches */
  p->ring_edges = rings - 1;
  p->rings = &unused;
  p->leaves_out = t->hubs != NULL;
  /* Features of triangles that share a hub may be pairs, unless all their vertices are two edges
   * apart. */
  p->by_arcs = p->leaves_out && p->owners[0] && p->ring_edges < 2;
  if (p->ring_edges >= t->prims.vertex_count) {
    p->parts = tree_parts_of(context, t);
    p->leaves_out = true;
    return p->parts ? PL_OK : PL_ERROR_MEMORY;
  }
  if (rings > 1) p->rings = body_rings(body);
  if (!p->rings) return PL_ERROR_MEMORY;
  if (p->by_arcs && !arcs_update(context, t, &body->motion.now, body->moves)) return PL_ERROR_MEMORY;
  for (int i = 0; i < context->threads; ++i)
    if (!ring_search_reserve(&context->locked, &walks->workers[i]->distance.around, p->rings->vertex_count))
      return fail(context, PL_ERROR_MEMORY, "no memory for the marks of %zu vertices", p->rings->vertex_count);
  return PL_OK;
}
