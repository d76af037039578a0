/* When bodies first meet: a walk in space and time over boxes that move linearly.
 *
 * A pair of nodes overlaps during one window of time. For the first contact the pairs stand in a heap by the start of their windows;
 * the walk ends when the next pair starts after the best contact so far. For all contacts every pair with a window is walked, on all
 * workers, and what was found is sorted. Times are exact, so neither result depends on the tree or on the order of the walk; only a
 * contact at the very start ends the search at once, whichever it is. */
#include "query/impact.h"

#include "core/timer.h"
#include "core/version.h"

#include <math.h>
#include <string.h>

enum { PARTS = 256, STEP = 80 }; /* pairs before workers share them; pairs that one step may add */

void pl_impact_def_init(pl_impact_def *def, size_t struct_size)
{
  const pl_impact_def full = {0};
  def_fill(def, struct_size, &full, sizeof full);
}

/* ------------------------------------------------------------------------------------------------------ scratch -- */

static bool create(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  q->searches = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->searches);
  return q->searches != NULL;
}

static void destroy(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; q->searches && i < context->threads; ++i) {
    array_free(allocator, &q->searches[i].items);
    array_free(allocator, &q->searches[i].found);
  }
  mem_free(allocator, q->searches);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->found);
  array_free(allocator, &q->impacts);
}

const query_slot pl_inside_query_IMPACT = {sizeof(impact_scratch), create, destroy};

/* -------------------------------------------------------------------------------------------------------- items -- */

static bool comes_first(const impact_item *x, const impact_item *y)
{
  return x->start != y->start ? x->start < y->start : x->depth > y->depth;
}

static void push(impact_search *s, impact_item item)
{
  impact_item *heap = s->items.data;
  size_t at = s->items.count++;
  for (; !s->all && at && comes_first(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = item;
}

static impact_item pop(impact_search *s)
{
  impact_item *heap = s->items.data, last = heap[--s->items.count];
  if (s->all) return last;
  impact_item top = heap[0];
  size_t count = s->items.count, at = 0;
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && comes_first(&heap[child + 1], &heap[child])) ++child;
    if (!comes_first(&heap[child], &last)) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return count ? top : last;
}

/* --------------------------------------------------------------------------------------------------------- walk -- */

static void box_of(const pl_body *body, int32_t reference, float box[SWEEP_BOX])
{
  const structure *n = &body->tree->nodes;
  if (reference == TREE_ROOT) {
    memcpy(box, body->sweep->root, sizeof body->sweep->root);
    return;
  }
  uint32_t slot = reference >= 0 ? n->slot[reference] : n->leaf_slot[~reference];
  sweep_lane(body->sweep->blocks + (size_t)SWEEP_BLOCK * (slot >> 3), (int)(slot & 7), box);
}

/* Which children of a node come near a box. */
static unsigned children_near(impact_search *s, const pl_body *body, int32_t node, const float box[SWEEP_BOX],
                              float start[8])
{
  int children = body->tree->nodes.children[node];
  const float *block = body->sweep->blocks + (size_t)SWEEP_BLOCK * (uint32_t)node;
  s->counters.n_v += (uint64_t)children;
  return s->kernels->windows(box, block, s->wide, s->limit, start) & ((1u << children) - 1);
}

static void push_pair(impact_search *s, const impact_item *from, int32_t a, int32_t b, float start)
{
  if ((double)start <= s->most)
    push(s, (impact_item){.start = start, .depth = from->depth + 1, .job = from->job, .a = a, .b = b});
}

/* Two inner nodes: the children of a that come near b, each against the children of b. */
static void open_both(impact_search *s, const impact_item *item)
{
  const impact_job *j = &s->jobs[item->job];
  const bool same = j->a == j->b && item->a == item->b;
  const int32_t *child_a = tree_children(j->a->tree, (uint32_t)item->a),
                *child_b = tree_children(j->b->tree, (uint32_t)item->b);
  const float *block = j->a->sweep->blocks + (size_t)SWEEP_BLOCK * (uint32_t)item->a;
  float box[SWEEP_BOX], start[8];
  box_of(j->b, item->b, box);
  unsigned open = same ? (1u << j->a->tree->nodes.children[item->a]) - 1 : children_near(s, j->a, item->a, box, start);
  for (; open; open &= open - 1) {
    int i = __builtin_ctz(open);
    sweep_lane(block, i, box);
    unsigned near = children_near(s, j->b, item->b, box, start);
    if (same) near &= ~0u << i;
    for (; near; near &= near - 1) {
      int k = __builtin_ctz(near);
      push_pair(s, item, child_a[i], child_b[k], start[k]);
    }
  }
}

/* An inner node and a leaf. */
static void open_one(impact_search *s, const impact_item *item, bool open_a)
{
  const impact_job *j = &s->jobs[item->job];
  const pl_body *body = open_a ? j->a : j->b;
  int32_t node = open_a ? item->a : item->b;
  const int32_t *child = tree_children(body->tree, (uint32_t)node);
  float box[SWEEP_BOX], start[8];
  box_of(open_a ? j->b : j->a, open_a ? item->b : item->a, box);
  for (unsigned near = children_near(s, body, node, box, start); near; near &= near - 1) {
    int i = __builtin_ctz(near);
    push_pair(s, item, open_a ? child[i] : item->a, open_a ? item->b : child[i], start[i]);
  }
}

static void step(impact_search *s, const impact_item *item)
{
  if (item->a < 0 && item->b < 0)
    impact_leaves(s, item);
  else if (item->a < 0 || item->b < 0)
    open_one(s, item, item->b < 0);
  else
    open_both(s, item);
}

/* Walks until nothing is left, or until there are `pause` pairs for others. */
static void walk_items(impact_search *s, size_t pause)
{
  while (s->items.count && s->items.count < pause && s->status == PL_OK) {
    impact_item item = pop(s);
    if (!s->all && ((double)item.start > s->most || (s->found.count && s->most == 0))) {
      s->items.count = 0;
      return;
    }
    if (array_reserve(s->allocator, &s->items, s->items.count + STEP))
      step(s, &item);
    else
      s->status = PL_ERROR_MEMORY;
  }
}

/* ------------------------------------------------------------------------------------------------------ workers -- */

typedef struct impact_parts {
  impact_scratch *scratch;
} impact_parts;

static void run_part(void *data, int task, int worker)
{
  impact_scratch *q = ((impact_parts *)data)->scratch;
  impact_search *s = &q->searches[worker];
  if (s->status != PL_OK) return;
  s->items.count = 0;
  if (!array_reserve(s->allocator, &s->items, 1)) {
    s->status = PL_ERROR_MEMORY;
    return;
  }
  push(s, q->parts.data[task]);
  walk_items(s, SIZE_MAX);
}

void impact_begin(pl_context *context, impact_scratch *q, const pl_impact_def *def, impact_search *s)
{
  s->allocator = &context->locked;
  s->kernels = kernels_of(context->isa)->impact;
  s->jobs = q->jobs.data;
  s->all = def->all;
  s->separation = def->separation;
  s->wide = def->separation > 0 ? round_up(def->separation * (1 + 0x1p-9)) : 0;
  s->most = s->limit = 1;
  s->items.count = s->found.count = 0;
  s->counters = (pl_counters){0};
  s->status = PL_OK;
}

/* All pairs of the first search as parts of all workers. */
static pl_status share(pl_context *context, impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  size_t count = s->items.count;
  if (!array_reserve(&context->def.allocator, &q->parts, count)) return PL_ERROR_MEMORY;
  memcpy(q->parts.data, s->items.data, count * sizeof *q->parts.data);
  s->items.count = 0;
  impact_parts parts = {q};
  return parallel_for(context, true, run_part, &parts, (int)count);
}

static pl_status update_bodies(impact_scratch *q, pl_counters *counters)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    for (int side = 0; side < 2 && status == PL_OK; ++side) {
      pl_body *body = side ? q->jobs.data[i].b : q->jobs.data[i].a;
      bool done = side && body == q->jobs.data[i].a;
      for (size_t k = 0; k < i && !done; ++k) done = q->jobs.data[k].a == body || q->jobs.data[k].b == body;
      if (!done) status = sweep_update(body, &counters->n_u);
    }
  return status;
}

static pl_status start_items(impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  if (!array_reserve(s->allocator, &s->items, q->jobs.count + STEP)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const impact_job *j = &q->jobs.data[i];
    float block[SWEEP_BLOCK] = {0}, start[8] = {0};
    for (int c = 0; c < SWEEP_BOX; ++c) block[8 * c] = j->b->sweep->root[c];
    ++s->counters.n_v;
    bool near = j->a == j->b || (s->kernels->windows(j->a->sweep->root, block, s->wide, 1, start) & 1);
    if (near) push(s, (impact_item){start[0], 0, (uint32_t)i, TREE_ROOT, TREE_ROOT});
  }
  return PL_OK;
}

static pl_status gather(pl_context *context, impact_scratch *q, pl_counters *counters)
{
  q->found.count = 0;
  for (int i = 0; i < context->threads; ++i) {
    const impact_search *s = &q->searches[i];
    if (s->status != PL_OK) return s->status;
    counters->n_v += s->counters.n_v;
    counters->n_p += s->counters.n_p;
    if (!array_reserve(&context->def.allocator, &q->found, q->found.count + s->found.count)) return PL_ERROR_MEMORY;
    if (s->found.count) memcpy(q->found.data + q->found.count, s->found.data, s->found.count * sizeof *q->found.data);
    q->found.count += s->found.count;
  }
  return PL_OK;
}

static pl_status run_jobs(pl_context *context, impact_scratch *q, const pl_impact_def *def, pl_counters *counters)
{
  double start = timer_ms();
  pl_status status = update_bodies(q, counters);
  if (status != PL_OK) return status;
  counters->ms_update = timer_ms() - start;
  for (int i = 0; i < context->threads; ++i) impact_begin(context, q, def, &q->searches[i]);
  status = start_items(q);
  if (status == PL_OK) walk_items(&q->searches[0], def->all && context->threads > 1 ? PARTS : SIZE_MAX);
  if (status == PL_OK && q->searches[0].items.count && q->searches[0].status == PL_OK) status = share(context, q);
  if (status == PL_OK) status = gather(context, q, counters);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the contacts that were found");
  counters->ms_query = timer_ms() - start - counters->ms_update;
  return status;
}

/* ----------------------------------------------------------------------------------------------------- the answer -- */

/* In place: no two are equal, so the order does not depend on the method. */
static void sort_found(impact_found *data, size_t count)
{
  for (size_t root = count / 2 + count; root-- > 1;) { /* first the heap, then the greatest to the end */
    size_t size = root < count ? root : count, at = root < count ? 0 : root - count;
    if (root < count) {
      impact_found top = data[0];
      data[0] = data[root];
      data[root] = top;
    }
    impact_found item = data[at];
    for (size_t child; (child = 2 * at + 1) < size; at = child) {
      if (child + 1 < size && impact_compare(&data[child + 1], &data[child]) > 0) ++child;
      if (impact_compare(&data[child], &item) <= 0) break;
      data[at] = data[child];
    }
    data[at] = item;
  }
}

pl_status impact_publish(pl_context *context, impact_scratch *q, const pl_counters *counters, const pl_impacts **out)
{
  size_t count = q->found.count;
  if (!array_reserve(&context->def.allocator, &q->impacts, count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", count);
  sort_found(q->found.data, count);
  pl_impacts answer = {
      .impacts = q->impacts.data, .count = count, .time = INFINITY, .safe_step = 1, .counters = *counters};
  for (size_t i = 0; i < count; ++i) {
    q->impacts.data[i] = q->found.data[i].impact;
    ++*(q->impacts.data[i].kind == PL_IMPACT_EDGE_EDGE ? &answer.edge_edge : &answer.vertex_face);
  }
  q->impacts.count = count;
  if (count) answer.time = q->impacts.data[0].time;
  if (count) answer.safe_step = answer.time > 0 ? nextafter(answer.time, 0) : 0;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status impact_check_def(pl_context *context, const pl_impact_def *def, pl_impact_def *out)
{
  pl_status status = def_take(context, pl_impact_def, def, out);
  if (status == PL_OK) status = query_check_amount(context, out->separation, "the separation");
  if (status == PL_OK && isinf(out->separation))
    status = fail(context, PL_ERROR_ARGUMENT, "the separation is infinite");
  return status;
}

static pl_status check_bodies(const pl_body *a, const pl_body *b, const void *out)
{
  if (a && a == b) return out ? PL_OK : query_refuse_null(a->context, "out");
  return query_check_bodies(a, b, out);
}

pl_status impact_prepare(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                         call *c)
{
  if (out) *out = NULL;
  pl_status status = check_bodies(a, b, out);
  if (status == PL_OK) status = impact_check_def(a->context, def, full);
  if (status != PL_OK) return status;
  return a == b ? body_query(c, a) : query_enter(c, a, b);
}

impact_scratch *impact_one_job(pl_body *a, pl_body *b)
{
  impact_scratch *q = query_scratch(a->context, QUERY_IMPACT);
  if (!q) return NULL;
  if (!array_reserve(&a->context->def.allocator, &q->jobs, 1)) {
    fail(a->context, PL_ERROR_MEMORY, "no memory for a query");
    return NULL;
  }
  q->jobs.data[0] = (impact_job){a, b};
  q->jobs.count = 1;
  return q;
}

pl_status impact_answer(pl_context *context, impact_scratch *q, const pl_impact_def *def, const pl_impacts **out)
{
  if (!q) return PL_ERROR_MEMORY;
  pl_counters counters = {0};
  pl_status status = run_jobs(context, q, def, &counters);
  return status == PL_OK ? impact_publish(context, q, &counters, out) : status;
}

pl_status pl_first_contact(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = impact_prepare(a, b, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = impact_answer(a->context, impact_one_job(a, b), &d, out);
  call_query_end(&c);
  return status;
}
