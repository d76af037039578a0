/* Windows of time over flight plans: boxes at both ends of the way that move linearly, a walk in
 * space and time, and a list in the order of time. After R. Weller and G. Zachmann's kinetic
 * separation lists, without events: docs/kinetic.md has the reasons.
 *
 * There is no heap: the caller always gets the whole list, so that pairs are found in the order
 * of a stack and sorted once by the start of their windows.
 *
 * Cutting the way into parts with boxes of their own was tried and dropped: from key to key
 * boxes are so tight that parts gained nothing in the walk, and each part costs a refit. */
#include "query/time/windows.h"

#include "core/sort.h"
#include "core/stamp.h"
#include "core/timer.h"
#include "query/time/open.h"
#include "query/time/separation.h"

#include <math.h>
#include <string.h>

enum { FIRST_TESTS = 1000, PART_TESTS = 4000 }; /* volume tests of pieces: about 20 and 80 us */

/* ------------------------------------------------------------------------------------ checks -- */

static pl_status check_body(const pl_body *body)
{
  if (!(body->motion.kind->traits & MOTION_PLANS) || windows_plans(body)->degree != 1)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "windows of time are for bodies with linear flight plans");
  if (body->motion.transforms)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "windows of time need bodies in world space: not bergen");
  if (windows_plans(body)->times.count < 2)
    return fail(body->context, PL_ERROR_ARGUMENT, "a flight plan needs at least two keys");
  return PL_OK;
}

static pl_status check_both(const pl_body *a, const pl_body *b)
{
  const flight *f = windows_plans(a), *g = windows_plans(b);
  const double *x = f->times.data + f->segment, *y = g->times.data + g->segment;
  if (f->time == g->time && x[0] == y[0] && x[1] == y[1]) return PL_OK;
  return fail(a->context, PL_ERROR_MISMATCH, "windows of time need bodies with the same keys, at the same time");
}

void windows_begin(windows_scratch *q, const pl_question *def)
{
  q->def = def;
  q->side_count = q->jobs.count = 0;
  q->from = 0;
}

pl_status windows_add(pl_context *context, windows_scratch *q, pl_body *body)
{
  pl_status status = check_body(body);
  if (status == PL_OK && q->side_count) status = check_both(q->sides.data[0].body, body);
  if (status != PL_OK) return status;
  if (q->side_count == q->sides.capacity) { /* sides beyond the count keep their memory */
    const size_t old = q->sides.capacity;
    q->sides.count = old;
    if (!array_reserve(&context->def.allocator, &q->sides, q->side_count + 1))
      return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies", q->side_count + 1);
    memset(q->sides.data + old, 0, (q->sides.capacity - old) * sizeof *q->sides.data);
  }
  q->sides.data[q->side_count++].body = body;
  q->from = windows_plans(body)->s;
  return PL_OK;
}

pl_status windows_add_job(pl_context *context, windows_scratch *q, uint32_t a, uint32_t b)
{
  if (!array_reserve(&context->def.allocator, &q->jobs, q->jobs.count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", q->jobs.count);
  windows_job j = {.a = a, .b = b};
  if (a == b && q->def->rings > 1) {
    j.rings = body_rings(q->sides.data[a].body);
    if (!j.rings) return PL_ERROR_MEMORY;
    for (int i = 0; i < context->threads; ++i)
      if (!ring_search_reserve(&context->locked, &q->walks[i].rings, j.rings->vertex_count))
        return fail(context, PL_ERROR_MEMORY, "no memory for the rings of %zu vertices", j.rings->vertex_count);
  }
  q->jobs.data[q->jobs.count++] = j;
  return PL_OK;
}

/* ------------------------------------------------------------------------------------- boxes -- */

/* The positions at `from`, rounded. Returns the greatest coordinate of the whole segment. */
static double cut_start(const flight *f, double from, double *out)
{
  const double *x = f->poses.data[f->segment][0], *y = f->poses.data[f->segment + 1][0];
  double most = 0;
  for (size_t i = 0; i < 3 * f->vertex_count; ++i) {
    const double size = fabs(x[i]) > fabs(y[i]) ? fabs(x[i]) : fabs(y[i]);
    out[i] = (1 - from) * x[i] + from * y[i];
    most = size > most ? size : most;
  }
  return most;
}

static float (*boxes_in(float *data))[SWEEP_BOX] { return (float(*)[SWEEP_BOX])(void *)data; }

/* The boxes of a side's vertices. */
static void reach_side(const pl_context *context, const windows_side *side, double from, moving_scale by)
{
  const flight *f = windows_plans(side->body);
  const double(*start)[3] = (const double(*)[3])(from > 0 ? side->start.data : f->poses.data[f->segment][0]);
  kernels_of(context->isa)
      ->moving->reach(start, (const double(*)[3])f->poses.data[f->segment + 1], f->vertex_count, by,
                      boxes_in(side->reach.data), NULL);
}

pl_status windows_reach(pl_context *context, windows_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  const double from = q->from;
  double most = 0;
  for (size_t i = 0; i < q->side_count; ++i) {
    windows_side *side = &q->sides.data[i];
    const flight *f = windows_plans(side->body);
    if (!array_reserve(allocator, &side->reach, SWEEP_BOX * f->vertex_count + 4) ||
        (from > 0 && !array_reserve(allocator, &side->start, 3 * f->vertex_count + 1)))
      return fail(context, PL_ERROR_MEMORY, "no memory for the boxes of %zu vertices", f->vertex_count);
    const double size = from > 0 ? cut_start(f, from, side->start.data) : flight_reach(f, f->segment);
    most = size > most ? size : most;
  }
  int exponent;
  moving_scale by = sweep_scale(most, &exponent);
  if (from > 0) by.more += ldexp(most, -exponent) * 0x1p-50;
  for (size_t i = 0; i < q->side_count; ++i) reach_side(context, &q->sides.data[i], from, by);
  return PL_OK;
}

static const float (*reach_of(const windows_side *side))[SWEEP_BOX]
{
  return (const float(*)[SWEEP_BOX])boxes_in(side->reach.data);
}

/* The boxes of a side's tree. Lanes without a child have none. */
static void box_side(const pl_context *context, windows_side *side)
{
  const tree *t = side->body->tree;
  side->over = (sweep_tree){.of = t, .blocks = side->blocks.data, .own = boxes_in(side->own.data)};
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node)
    for (int c = 0; c < SWEEP_BLOCK && t->nodes.children[node] < 8; ++c)
      side->over.blocks[(size_t)SWEEP_BLOCK * node + (size_t)c] = -INFINITY;
  kernels_of(context->isa)
      ->moving->refit(t, reach_of(side), TREE_ROOT, t->nodes.inner_count, side->over.blocks, side->over.own);
}

pl_status windows_boxes(pl_context *context, windows_scratch *q, uint64_t *n_u)
{
  const pl_allocator *allocator = &context->def.allocator;
  pl_status status = windows_reach(context, q);
  for (size_t i = 0; i < q->side_count && status == PL_OK; ++i) {
    windows_side *side = &q->sides.data[i];
    const size_t inner = side->body->tree->nodes.inner_count, leaves = side->body->tree->nodes.leaf_count;
    if (!array_reserve(allocator, &side->blocks, SWEEP_BLOCK * inner) ||
        !array_reserve(allocator, &side->own, SWEEP_BOX * inner) ||
        !array_reserve(allocator, &side->leaves, SWEEP_BLOCK * leaves) ||
        !array_reserve(allocator, &side->opened, leaves))
      return fail(context, PL_ERROR_MEMORY, "no memory for the boxes of %zu nodes", inner + leaves);
    memset((void *)side->opened.data, 0, leaves * sizeof *side->opened.data);
    box_side(context, side);
    *n_u += inner + leaves - 1;
  }
  return status;
}

aabb windows_box(const windows_scratch *q, size_t side)
{
  const float *own = q->sides.data[side].over.own[TREE_ROOT];
  aabb box;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = -fmaxf(own[k], own[k + 6]);
    box.upper[k] = fmaxf(own[k + 3], own[k + 9]);
  }
  return box;
}

/* -------------------------------------------------------------------------------------- walk -- */

static const float *open_leaf(pl_context *context, windows_side *side, uint32_t leaf)
{
  enum { OPENED = 1 };
  float *block = side->leaves.data + (size_t)SWEEP_BLOCK * leaf;
  if (!stamp_claim(&side->opened.data[leaf], OPENED)) return block;
  kernels_of(context->isa)->moving->leaf(side->body->tree, reach_of(side), leaf, block);
  stamp_set(&side->opened.data[leaf], OPENED);
  return block;
}

static impact_view view_of(const windows_side *side) { return (impact_view){.body = side->body, .over = &side->over}; }

/* Are two triangles of one body, in tree order, left out? */
static bool left_out(windows_walk *w, const pl_question *def, const uint32_t *a, const uint32_t *b)
{
  if (!w->job->rings) return windows_joined(a, b);
  w->rings.around = NULL;
  return rings_join(&w->rings, w->job->rings, def->rings - 1, a, b);
}

/* Appends the hits of two leaves, whose triangles begin at x and y in tree order. Returns how
 * many there are. */
static size_t take_hits(const windows_scratch *q, windows_walk *w, const moving_met *hits, int count, uint32_t x,
                        uint32_t y)
{
  const primitives *a = &q->sides.data[w->job->a].body->tree->prims, *b = &q->sides.data[w->job->b].body->tree->prims;
  const uint32_t *first = a->tri_id + x, *second = b->tri_id + y;
  const double from = q->from;
  windows_found *out = w->found.data + w->found.count;
  for (int i = 0; i < count; ++i)
    out[i] = (windows_found){windows_parameter(from, hits[i].start), first[hits[i].a], second[hits[i].b]};
  return (size_t)count;
}

/* The same of one body: each pair once, the lesser index first, without neighbours. */
static size_t take_own_hits(const windows_scratch *q, windows_walk *w, const moving_met *hits, int count, uint32_t x,
                            uint32_t y)
{
  const primitives *p = &q->sides.data[w->job->a].body->tree->prims;
  windows_found *out = w->found.data + w->found.count;
  size_t taken = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t one = x + hits[i].a, two = y + hits[i].b, a = p->tri_id[one], b = p->tri_id[two];
    if ((x == y && one >= two) || left_out(w, q->def, p->tri + 3 * (size_t)one, p->tri + 3 * (size_t)two)) continue;
    out[taken++] = (windows_found){windows_parameter(q->from, hits[i].start), a < b ? a : b, a < b ? b : a};
  }
  return taken;
}

static bool test_leaves(pl_context *context, windows_scratch *q, windows_walk *w, node_pair pair)
{
  const moving_test *test = &kernels_of(context->isa)->moving->window;
  const uint32_t x = (uint32_t)~pair.a, y = (uint32_t)~pair.b;
  windows_side *a = &q->sides.data[w->job->a], *b = &q->sides.data[w->job->b];
  const impact_view view = view_of(b);
  float around[SWEEP_BOX], start[8];
  moving_met hits[MOVING_MET];
  impact_box(&view, pair.b, around);
  const float *block = open_leaf(context, a, x), *other = open_leaf(context, b, y);
  const int count = test->cross(block, test->one(around, block, 0, 1, start), other, 0, 1, hits);
  w->n_p += 16;
  if (!array_reserve(&context->locked, &w->found, w->found.count + MOVING_MET)) return false;
  w->found.count += (a == b ? take_own_hits : take_hits)(q, w, hits, count, a->body->tree->prims.tri_first[x],
                                                         b->body->tree->prims.tri_first[y]);
  return true;
}

static void push(void *asker, float start, int32_t a, int32_t b)
{
  windows_walk *w = asker;
  (void)start;
  w->stack.data[w->stack.count++] = (node_pair){a, b};
}

static void open_pair(const pl_context *context, const windows_scratch *q, windows_walk *w, node_pair pair)
{
  moving_opener o = {&kernels_of(context->isa)->moving->window, 0, 1, 0, 0};
  const impact_view a = view_of(&q->sides.data[w->job->a]), b = view_of(&q->sides.data[w->job->b]);
  moving_open(&o, &a, &b, pair.a, pair.b, push, w);
  w->n_v += o.n_v;
}

/* ------------------------------------------------------------------------------ the question -- */

static windows_walk *walk_of(const runner *r, int worker)
{
  return &((const windows_scratch *)r->state)->walks[worker];
}

static row_list stack_of(const runner *r, int worker) { return ROWS(&walk_of(r, worker)->stack); }

static row_list found_of(const runner *r, int worker, int list)
{
  (void)list;
  return ROWS(&walk_of(r, worker)->found);
}

static void begin(runner *r, uint32_t index, bool first, int worker)
{
  windows_walk *w = walk_of(r, worker);
  w->job = &((const windows_scratch *)r->state)->jobs.data[index];
  w->n_v = w->n_p = 0;
  w->stack.count = 0;
  if (first) w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  windows_scratch *q = r->state;
  windows_walk *w = walk_of(r, worker);
  pl_status status = PL_OK;
  (void)piece;
  while (w->stack.count && w->n_v < tests && status == PL_OK) {
    const node_pair pair = w->stack.data[--w->stack.count];
    if (!array_reserve(&r->context->locked, &w->stack, w->stack.count + MOVING_STEP))
      status = PL_ERROR_MEMORY;
    else if (pair.a >= 0 || pair.b >= 0)
      open_pair(r->context, q, w, pair);
    else if (!test_leaves(r->context, q, w, pair))
      status = PL_ERROR_MEMORY;
  }
  runner_count(r, worker, w->n_v, w->n_p, 0);
  return status;
}

static const question windows_question = {.first_tests = FIRST_TESTS,
                                          .part_tests = PART_TESTS,
                                          .step = MOVING_STEP,
                                          .ahead = MOVING_MET,
                                          .stack = stack_of,
                                          .lists = 1,
                                          .found = found_of,
                                          .begin = begin,
                                          .walk = walk_piece};

static bool create(pl_context *context, void *scratch)
{
  windows_scratch *q = scratch;
  q->walks = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->walks);
  return q->walks && runner_create(&q->run, context, &windows_question, q);
}

static void destroy(pl_context *context, void *scratch)
{
  windows_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  for (size_t i = 0; i < q->sides.capacity; ++i) {
    windows_side *side = &q->sides.data[i];
    array_free(allocator, &side->start);
    array_free(allocator, &side->reach);
    array_free(allocator, &side->blocks);
    array_free(allocator, &side->own);
    array_free(allocator, &side->leaves);
    array_free(allocator, &side->opened);
  }
  for (int i = 0; q->walks && i < context->threads; ++i) {
    array_free(allocator, &q->walks[i].stack);
    array_free(allocator, &q->walks[i].found);
    ring_search_free(allocator, &q->walks[i].rings);
  }
  mem_free(allocator, q->walks);
  array_free(allocator, &q->sides);
  array_free(allocator, &q->side_of);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->found);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
}

const query_slot pl_inside_query_FLIGHT_WINDOWS = {sizeof(windows_scratch), create, destroy};

/* ------------------------------------------------------------------------------------ answer -- */

/* By the start; floats that are not negative are in the order of their bits. */
static void sort_found(windows_scratch *q, const windows_list *found)
{
  for (size_t i = 0; i < found->count; ++i) {
    uint32_t bits;
    memcpy(&bits, &found->data[i].from, sizeof bits);
    q->keys.data[i] = (uint64_t)bits << 32 | (uint32_t)i;
  }
  /* Already ordered by index. For few keys, short radix digits are faster. */
  (found->count < 4096 ? sort_keys : sort_keys_high)(q->keys.data, q->sorting.data, found->count);
}

pl_status windows_append(pl_context *context, windows_scratch *q, const windows_job *j, const windows_list *found,
                         result_store *store)
{
  const pl_allocator *allocator = &context->def.allocator;
  const size_t count = found->count, begin = store->rows.count;
  const windows_side *a = &q->sides.data[j->a], *b = &q->sides.data[j->b];
  const row_list rows = store_rows(store, sizeof(pl_window));
  if (!count) return PL_OK;
  if (!array_reserve(allocator, &q->keys, count) || !array_reserve(allocator, &q->sorting, count) ||
      !array_reserve(allocator, &store->groups, store->groups.count + 1) ||
      !rows_reserve(allocator, rows, begin + count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of triangles", count);
  const bool sorted = q->def->sorted || q->def->reference;
  if (sorted) sort_found(q, found);
  pl_window *out = (pl_window *)(void *)rows_at(rows, begin);
  const flight *f = windows_plans(a->body);
  for (size_t i = 0; i < count; ++i) {
    const windows_found *x = &found->data[sorted ? (uint32_t)q->keys.data[i] : i];
    out[i] = (pl_window){separation_time(f, (double)x->from), x->a, x->b};
  }
  store->rows.count += count;
  store->groups.data[store->groups.count++] = (pl_group){a->body, b->body, begin, begin + count};
  return PL_OK;
}

void windows_publish(const pl_counters *counters, result_store *store)
{
  pl_result answer = result_of(store, counters);
  answer.windows = (const pl_window *)(void *)store->rows.data;
  result_publish(store, &answer);
}

pl_status windows_answer(pl_context *context, windows_scratch *q, pl_counters *counters, result_store *store)
{
  q->run.jobs = q->jobs.count;
  q->run.wake = true;
  pl_status status = runner_run(&q->run, counters);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for pairs of boxes");
  if (status == PL_OK && q->jobs.count == 1 && context->threads == 1) /* all rows are in one list, in order */
    return windows_append(context, q, &q->jobs.data[0], &q->walks[0].found, store);
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    q->found.count = 0;
    if (!runner_gather(&q->run, i, 0, ROWS(&q->found)))
      return fail(context, PL_ERROR_MEMORY, "no memory for the pairs of triangles that were found");
    status = windows_append(context, q, &q->jobs.data[i], &q->found, store);
  }
  return status;
}
