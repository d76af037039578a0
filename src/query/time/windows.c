/* Windows of time over flight plans: boxes at both ends of the way that move linearly, a walk in space and time, and a
 * list in the order of time. After R. Weller and G. Zachmann's kinetic separation lists, without events:
 * docs/kinetic.md has the reasons.
 *
 * There is no heap: the caller always gets the whole list, so that pairs are found in the order of a stack and sorted
 * once by the start of their windows.
 *
 * Cutting the way into parts with boxes of their own was tried and dropped: from key to key boxes are so tight that
 * parts gained nothing in the walk, and each part costs a refit. */
#include "query/time/windows.h"

#include "core/sort.h"
#include "core/timer.h"
#include "query/time/separation.h"

#include <math.h>
#include <string.h>

static void destroy(pl_context *context, void *scratch)
{
  windows_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; i < 2; ++i) {
    array_free(allocator, &q->side[i].path);
    array_free(allocator, &q->side[i].reach);
    array_free(allocator, &q->side[i].blocks);
    array_free(allocator, &q->side[i].own);
    array_free(allocator, &q->side[i].leaves);
    array_free(allocator, &q->side[i].opened);
  }
  array_free(allocator, &q->stack);
  array_free(allocator, &q->found);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->windows);
}

const query_slot pl_inside_query_FLIGHT_WINDOWS = {sizeof(windows_scratch), NULL, destroy};

/* ---------------------------------------------------------------------------------------------------------- checks -- */

static pl_status check_body(const pl_body *body)
{
  if (!(body->motion.kind->traits & MOTION_PLANS) || windows_plans(body)->degree != 1)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "windows of time are for bodies with linear flight plans");
  if (body->motion.transforms)
    return fail(body->context, PL_ERROR_UNSUPPORTED, "windows of time need bodies in world space: not bergen");
  if (windows_plans(body)->times.count < 2)
    return fail(body->context, PL_ERROR_ARGUMENT, "a flight plan with one key goes nowhere");
  return PL_OK;
}

static pl_status check_both(const pl_body *a, const pl_body *b)
{
  pl_status status = check_body(a);
  if (status == PL_OK) status = check_body(b);
  if (status != PL_OK) return status;
  const flight *f = windows_plans(a), *g = windows_plans(b);
  const double *x = f->times.data + f->segment, *y = g->times.data + g->segment;
  if (f->time == g->time && x[0] == y[0] && x[1] == y[1]) return PL_OK;
  return fail(a->context, PL_ERROR_MISMATCH, "windows of time need bodies with the same keys, at the same time");
}

pl_status windows_begin(pl_body *a, pl_body *b, const pl_windows_def *def, const pl_windows **out, pl_windows_def *full,
                        call *c)
{
  if (out) *out = NULL;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = def_take(a->context, pl_windows_def, def, full);
  if (status != PL_OK) return status;
  status = query_enter(c, a, b);
  if (status != PL_OK) return status;
  status = check_both(a, b);
  if (status != PL_OK) call_query_end(c);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- boxes -- */

/* The exponent of the power of two that coordinates are divided by: 0 for those of [2^-80, 2^100). */
static int exponent_of(double most)
{
  int exponent;
  if (most == 0 || (most >= 0x1p-80 && most < 0x1p100)) return 0;
  frexp(most, &exponent);
  return exponent < -960 ? -960 : exponent;
}

/* The coefficients from `from` on, rounded. Returns the greatest of the whole segment. */
static double cut_path(const flight *f, double from, double *out)
{
  double most = 0;
  for (size_t i = 0; i < 3 * f->vertex_count; ++i) {
    const double x = f->path[2 * i], y = f->path[2 * i + 1], size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    out[2 * i] = (1 - from) * x + from * y;
    out[2 * i + 1] = y;
    most = size > most ? size : most;
  }
  return most;
}

pl_status windows_reach(pl_context *context, windows_scratch *q, double from)
{
  const pl_allocator *allocator = &context->def.allocator;
  double most = 0;
  for (int i = 0; i < 2; ++i) {
    windows_side *side = &q->side[i];
    const flight *f = windows_plans(side->body);
    if (!array_reserve(allocator, &side->reach, WINDOW_FLOATS * f->vertex_count + 8) ||
        (from > 0 && !array_reserve(allocator, &side->path, 6 * f->vertex_count + 2)))
      return fail(context, PL_ERROR_MEMORY, "no memory for the boxes of %zu vertices", f->vertex_count);
    const double size = from > 0 ? cut_path(f, from, side->path.data) : flight_reach(f, f->segment);
    most = size > most ? size : most;
  }
  const int exponent = exponent_of(most);
  window_scale by = {ldexp(1, -exponent), exponent > 0 ? 0x1p-1000 : 0};
  if (from > 0) by.more += ldexp(most, -exponent) * 0x1p-50;
  for (int i = 0; i < 2; ++i) {
    const flight *f = windows_plans(q->side[i].body);
    kernels_of(context->isa)
        ->windows->reach(from > 0 ? q->side[i].path.data : f->path, f->vertex_count, by,
                         (float(*)[WINDOW_FLOATS])(void *)q->side[i].reach.data);
  }
  return PL_OK;
}

static const float (*reach_of(const windows_side *side))[WINDOW_FLOATS]
{
  return (const float(*)[WINDOW_FLOATS])(void *)side->reach.data;
}

static float (*own_of(const windows_side *side))[WINDOW_FLOATS]
{
  return (float(*)[WINDOW_FLOATS])(void *)side->own.data;
}

static pl_status make_boxes(pl_context *context, windows_scratch *q, double from)
{
  const pl_allocator *allocator = &context->def.allocator;
  pl_status status = windows_reach(context, q, from);
  for (int i = 0; i < 2 && status == PL_OK; ++i) {
    windows_side *side = &q->side[i];
    const tree *t = side->body->tree;
    const size_t inner = t->nodes.inner_count, leaves = t->nodes.leaf_count;
    if (!array_reserve(allocator, &side->blocks, WINDOW_BLOCK * inner) ||
        !array_reserve(allocator, &side->own, WINDOW_FLOATS * inner) ||
        !array_reserve(allocator, &side->leaves, WINDOW_BLOCK * leaves) ||
        !array_reserve(allocator, &side->opened, leaves))
      return fail(context, PL_ERROR_MEMORY, "no memory for the boxes of %zu nodes", inner + leaves);
    memset(side->opened.data, 0, leaves);
    kernels_of(context->isa)->windows->refit(t, reach_of(side), side->blocks.data, own_of(side));
    q->n_u += inner + leaves - 1;
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ walk -- */

static const float *open_leaf(pl_context *context, windows_side *side, uint32_t leaf)
{
  float *block = side->leaves.data + (size_t)WINDOW_BLOCK * leaf;
  if (side->opened.data[leaf]) return block;
  side->opened.data[leaf] = 1;
  kernels_of(context->isa)->windows->leaf(side->body->tree, reach_of(side), leaf, block);
  return block;
}

static void box_of(const windows_side *side, int32_t reference, float out[WINDOW_FLOATS])
{
  if (reference >= 0) {
    memcpy(out, own_of(side)[reference], WINDOW_FLOATS * sizeof *out);
    return;
  }
  const uint32_t slot = side->body->tree->nodes.leaf_slot[~reference];
  window_lane(side->blocks.data + (size_t)WINDOW_BLOCK * (slot >> 3), (int)(slot & 7), out);
}

typedef struct windows_walk {
  pl_context *context;
  windows_scratch *scratch;
  const window_kernels *kernels;
  double from; /* parameter */
} windows_walk;

static bool test_leaves(windows_walk *w, node_pair pair)
{
  windows_scratch *q = w->scratch;
  const uint32_t x = (uint32_t)~pair.a, y = (uint32_t)~pair.b;
  const primitives *a = &q->side[0].body->tree->prims, *b = &q->side[1].body->tree->prims;
  float around[WINDOW_FLOATS];
  window_hit hits[WINDOW_HITS];
  box_of(&q->side[1], pair.b, around);
  const float *block = open_leaf(w->context, &q->side[0], x), *other = open_leaf(w->context, &q->side[1], y);
  const int count = w->kernels->cross(block, around, other, hits);
  q->n_p += 16;
  if (!array_reserve(&w->context->def.allocator, &q->found, q->found.count + WINDOW_HITS)) return false;
  for (int i = 0; i < count; ++i)
    q->found.data[q->found.count++] =
        (windows_found){windows_parameter(w->from, hits[i].from), a->tri_id[a->tri_first[x] + hits[i].a],
                        b->tri_id[b->tri_first[y] + hits[i].b]};
  return true;
}

static void open_nodes(windows_walk *w, node_pair pair)
{
  windows_scratch *q = w->scratch;
  const bool both = pair.a >= 0 && pair.b >= 0;
  const int opened = pair.a >= 0 ? 0 : 1;
  const int32_t *child = tree_children(q->side[opened].body->tree, (uint32_t)(opened ? pair.b : pair.a));
  const float *block = q->side[opened].blocks.data + (size_t)WINDOW_BLOCK * (uint32_t)(opened ? pair.b : pair.a);
  if (both) {
    const int32_t *other = tree_children(q->side[1].body->tree, (uint32_t)pair.b);
    window_hit hits[WINDOW_HITS];
    const int count = w->kernels->cross(block, own_of(&q->side[1])[pair.b],
                                        q->side[1].blocks.data + (size_t)WINDOW_BLOCK * (uint32_t)pair.b, hits);
    for (int i = 0; i < count; ++i) q->stack.data[q->stack.count++] = (node_pair){child[hits[i].a], other[hits[i].b]};
    q->n_v += 16 + (uint64_t)count;
    return;
  }
  float box[WINDOW_FLOATS], from[8];
  box_of(&q->side[1 - opened], opened ? pair.a : pair.b, box);
  for (unsigned open = w->kernels->one(box, block, from); open; open &= open - 1) {
    const int32_t next = child[__builtin_ctz(open)];
    q->stack.data[q->stack.count++] = opened ? (node_pair){pair.a, next} : (node_pair){next, pair.b};
  }
  q->n_v += 8;
}

static pl_status walk_all(windows_walk *w)
{
  windows_scratch *q = w->scratch;
  const pl_allocator *allocator = &w->context->def.allocator;
  q->stack.count = 0;
  if (!array_reserve(allocator, &q->stack, 1)) return PL_ERROR_MEMORY;
  q->stack.data[q->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
  while (q->stack.count) {
    const node_pair pair = q->stack.data[--q->stack.count];
    if (!array_reserve(allocator, &q->stack, q->stack.count + WINDOW_HITS)) return PL_ERROR_MEMORY;
    if (pair.a >= 0 || pair.b >= 0)
      open_nodes(w, pair);
    else if (!test_leaves(w, pair))
      return PL_ERROR_MEMORY;
  }
  return PL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- answer -- */

/* By the start; floats that are not negative are in the order of their bits. */
static void sort_found(windows_scratch *q)
{
  for (size_t i = 0; i < q->found.count; ++i) {
    uint32_t bits;
    memcpy(&bits, &q->found.data[i].from, sizeof bits);
    q->keys.data[i] = (uint64_t)bits << 32 | (uint32_t)i;
  }
  /* Places rise already. Few keys: the counts of long digits cost more than short passes. */
  (q->found.count < 4096 ? sort_keys : sort_keys_high)(q->keys.data, q->sorting.data, q->found.count);
}

pl_status windows_publish(pl_context *context, windows_scratch *q, const pl_windows_def *def, const pl_windows **out)
{
  const pl_allocator *allocator = &context->def.allocator;
  const size_t count = q->found.count;
  const flight *f = windows_plans(q->side[0].body);
  if (!array_reserve(allocator, &q->keys, count) || !array_reserve(allocator, &q->sorting, count) ||
      !array_reserve(allocator, &q->windows, count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of triangles", count);
  if (!def->unsorted) sort_found(q);
  for (size_t i = 0; i < count; ++i) {
    const windows_found *x = &q->found.data[def->unsorted ? i : (uint32_t)q->keys.data[i]];
    q->windows.data[i] = (pl_window){separation_time(f, (double)x->from), x->a, x->b};
  }
  q->answer = (pl_windows){
      .windows = q->windows.data, .count = count, .counters = {.n_v = q->n_v, .n_p = q->n_p, .n_u = q->n_u}};
  *out = &q->answer;
  return PL_OK;
}

windows_scratch *windows_scratch_of(pl_body *a, pl_body *b)
{
  windows_scratch *q = query_scratch(a->context, QUERY_FLIGHT_WINDOWS);
  if (!q) return NULL;
  q->side[0].body = a;
  q->side[1].body = b;
  q->n_v = q->n_p = q->n_u = 0;
  q->found.count = 0;
  return q;
}

static pl_status run(pl_body *a, pl_body *b, const pl_windows_def *def, const pl_windows **out)
{
  pl_context *context = a->context;
  windows_scratch *q = windows_scratch_of(a, b);
  if (!q) return PL_ERROR_MEMORY;
  windows_walk w = {
      .context = context, .scratch = q, .kernels = kernels_of(context->isa)->windows, .from = windows_plans(a)->s};
  pl_status status = make_boxes(context, q, w.from);
  if (status != PL_OK) return status;
  status = walk_all(&w);
  if (status != PL_OK) return fail(context, status, "no memory for pairs of boxes");
  return windows_publish(context, q, def, out);
}

pl_status pl_flight_windows(pl_body *a, pl_body *b, const pl_windows_def *def, const pl_windows **out)
{
  call c;
  pl_windows_def full;
  pl_status status = windows_begin(a, b, def, out, &full, &c);
  if (status != PL_OK) return status;
  const double start = timer_ms();
  status = run(a, b, &full, out);
  if (status == PL_OK) ((pl_windows *)*out)->counters.ms_query = timer_ms() - start;
  call_query_end(&c);
  return status;
}
