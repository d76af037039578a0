/* Cost of an update: one pass over the vertices and one over the leaves and inner nodes; memory some 250 bytes per triangle. */
#include "body/sweep.h"

#include "kernels/kernels.h"
#include "math/round.h"
#include "pliant/impact.h"

#include <float.h>
#include <string.h>

_Static_assert((int)SWEEP_BLOCK == (int)MOVING_BLOCK && (int)SWEEP_BOX == (int)MOVING_FLOATS &&
                   (int)SWEEP_GROUP == (int)MOVING_GROUP,
               "boxes are those of the kernels");

enum { ALONE = 4096, CHUNK = 2048 }; /* triangles that one thread boxes faster; vertices of a task */

/* ------------------------------------------------------------------------------------------------------- poses -- */

static size_t chunks_of(const pl_body *body) { return (body->motion.vertex_count + CHUNK - 1) / CHUNK; }

static size_t chunk_end(const pl_body *body, size_t begin)
{
  return body->motion.vertex_count - begin > CHUNK ? begin + CHUNK : body->motion.vertex_count;
}

/* World positions of vertices [begin, end). */
static void evaluate(const points *p, uint32_t begin, uint32_t end, double (*out)[3])
{
  const pl_transform *t = p->transform;
  if (p->evaluate) {
    p->evaluate(p->controls, NULL, begin, end - begin, out + begin);
    for (uint32_t v = begin; v < end && t; ++v) {
      const double q[3] = {out[v][0], out[v][1], out[v][2]};
      for (int k = 0; k < 3; ++k) out[v][k] = t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k];
    }
  } else {
    for (uint32_t v = begin; v < end; ++v) points_world(p, v, out[v]);
  }
}

static pl_status sweep_of(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  if (!body->sweep) body->sweep = mem_new(allocator, 1, sizeof *body->sweep);
  sweep *s = body->sweep;
  size_t n = body->motion.vertex_count;
  if (s && !s->start) s->start = mem_raw(allocator, n, sizeof *s->start);
  if (s && !s->end) s->end = mem_raw(allocator, n, sizeof *s->end);
  if (s && !s->reach) s->reach = mem_raw(allocator, n, sizeof *s->reach);
  if (s && !s->most_of) s->most_of = mem_raw(allocator, chunks_of(body), sizeof *s->most_of);
  if (s && s->start && s->end && s->reach && s->most_of) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for two poses of %zu vertices", n);
}

pl_status sweep_keep(pl_body *body)
{
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  evaluate(&body->motion.now, 0, (uint32_t)body->motion.vertex_count, body->sweep->start);
  body->sweep->kept = true;
  return PL_OK;
}

void sweep_drop(pl_body *body)
{
  if (body->sweep) body->sweep->kept = false;
}

pl_status pl_body_keep_pose(pl_body *body)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = sweep_keep(body);
  body_change_end(body);
  return status;
}

pl_status pl_body_drop_pose(pl_body *body)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  sweep_drop(body);
  body_change_end(body);
  return PL_OK;
}

void sweep_destroy(pl_context *context, sweep *s)
{
  if (!s) return;
  const pl_allocator *allocator = &context->def.allocator;
  sweep_free_features(allocator, s);
  mem_free(allocator, s->start);
  mem_free(allocator, s->end);
  mem_free(allocator, s->reach);
  mem_free(allocator, s->most_of);
  mem_free(allocator, s);
}

/* ---------------------------------------------------------------------------------------------------------- boxes -- */

/* Which power of two boxes are divided by: coordinates of [2^-80, 2^100) are as they are. */
static int exponent_of(double most)
{
  int exponent;
  if (most == 0 || (most >= 0x1p-80 && most < 0x1p100)) return 0;
  frexp(most, &exponent);
  exponent = 64 * (int)lround(exponent / 64.0);
  return exponent < -960 ? -960 : exponent;
}

void sweep_to_space(float *boxes, int stride, int lanes, int shift)
{
  for (int lane = 0; lane < lanes && shift; ++lane)
    for (int c = 0; c < SWEEP_BOX / 2; ++c) {
      float *start = boxes + stride * c + lane, *end = boxes + stride * (c + SWEEP_BOX / 2) + lane;
      if (*start < -FLT_MAX) continue; /* no box */
      *start = round_up(ldexp((double)*start, shift));
      *end = round_up(ldexp((double)*end, shift));
      *start = *start < -FLT_MAX ? -FLT_MAX : *start;
      *end = *end < -FLT_MAX ? -FLT_MAX : *end;
      if (*start > FLT_MAX || *end > FLT_MAX) *start = *end = FLT_MAX;
    }
}

static void pose_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  sweep *s = body->sweep;
  size_t begin = CHUNK * (size_t)task, end = chunk_end(body, begin);
  double most = 0;
  (void)worker;
  evaluate(&body->motion.now, (uint32_t)begin, (uint32_t)end, s->end);
  if (!s->kept) memcpy(s->start + begin, s->end + begin, (end - begin) * sizeof *s->start);
  for (size_t v = begin; v < end; ++v)
    for (int k = 0; k < 3; ++k) {
      double x = fabs(s->start[v][k]), y = fabs(s->end[v][k]);
      most = x > most ? x : most;
      most = y > most ? y : most;
    }
  s->most_of[task] = most;
}

static void reach_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  sweep *s = body->sweep;
  size_t begin = CHUNK * (size_t)task, end = chunk_end(body, begin);
  moving_scale by = {ldexp(1, -s->exponent), s->exponent > 0 ? 0x1p-1000 : 0};
  (void)worker;
  kernels_of(body->context->isa)
      ->moving->reach((const double(*)[3])s->start + begin, (const double(*)[3])s->end + begin, end - begin, by,
                      s->reach + begin);
}

static uint64_t box_range(const pl_body *body, uint32_t begin, uint32_t end)
{
  const sweep *s = body->sweep;
  return kernels_of(body->context->isa)
      ->moving->refit(body->tree, (const float(*)[SWEEP_BOX])s->reach, begin, end, s->blocks, s->own);
}

/* The subtree of a child of the root. */
static void box_task(void *data, int task, int worker)
{
  const pl_body *body = data;
  int32_t child = tree_children(body->tree, TREE_ROOT)[task];
  (void)worker;
  if (child >= 0) box_range(body, (uint32_t)child, body->tree->nodes.end[child]);
}

static pl_status make_boxes(pl_body *body, uint64_t *made)
{
  pl_context *context = body->context;
  sweep *s = body->sweep;
  const structure *n = &body->tree->nodes;
  const bool worth_it = body->tree->prims.triangle_count > ALONE;
  pl_status status = parallel_for(context, worth_it, pose_task, body, (int)chunks_of(body));
  s->most = 0;
  for (size_t i = 0; i < chunks_of(body); ++i) s->most = s->most_of[i] > s->most ? s->most_of[i] : s->most;
  s->exponent = exponent_of(s->most);
  if (status == PL_OK) status = parallel_for(context, worth_it, reach_task, body, (int)chunks_of(body));
  if (status == PL_OK) status = parallel_for(context, worth_it, box_task, body, n->children[TREE_ROOT]);
  if (status != PL_OK) return status;
  box_range(body, TREE_ROOT, TREE_ROOT + 1);
  *made += (uint64_t)n->inner_count + n->leaf_count - 1;
  return PL_OK;
}

static pl_status make(pl_body *body, uint64_t *made)
{
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  if (s->of != body->tree || s->version != body->tree->nodes.version) status = sweep_make_features(body);
  if (status == PL_OK) status = make_boxes(body, made);
  if (status != PL_OK) return status;
  memset((void *)s->opened, 0, body->tree->nodes.leaf_count * sizeof *s->opened);
  s->made = true;
  return PL_OK;
}

pl_status sweep_update(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = body->sweep && body->sweep->made ? PL_OK : make(body, made);
  updating_end(body->context);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- leaves -- */

/* A box, and that around its whole way, to a lane of a group. */
static inline void store(const float box[SWEEP_BOX], float *group, size_t lane)
{
  for (int c = 0; c < SWEEP_BOX; ++c) group[8 * c + (int)lane] = box[c];
  for (int c = 0; c < SWEEP_BOX / 2; ++c)
    group[SWEEP_BLOCK + 8 * c + (int)lane] = box[c] > box[c + 6] ? box[c] : box[c + 6];
}

static void open_leaf(const pl_body *body, uint32_t leaf)
{
  const sweep *s = body->sweep;
  const primitives *p = &body->tree->prims;
  float box[SWEEP_BOX];
  for (uint32_t i = p->tri_first[leaf]; i < p->tri_first[leaf + 1]; ++i) {
    sweep_merge(s->reach[p->tri[3 * i]], s->reach[p->tri[3 * i + 1]], box);
    sweep_merge(box, s->reach[p->tri[3 * i + 2]], box);
    store(box, s->triangle_block + (size_t)SWEEP_GROUP * leaf, i - p->tri_first[leaf]);
  }
  for (size_t i = 8 * (size_t)s->vertex_group[leaf]; i < 8 * (size_t)s->vertex_group[leaf + 1]; ++i)
    if (s->vertex[i] != UINT32_MAX) store(s->reach[s->vertex[i]], s->vertex_block + SWEEP_GROUP * (i / 8), i % 8);
  for (size_t i = 8 * (size_t)s->edge_group[leaf]; i < 8 * (size_t)s->edge_group[leaf + 1]; ++i) {
    if (s->edge[i] == UINT32_MAX) break; /* the rest is empty */
    const uint32_t *edge = s->edges[s->edge[i]];
    sweep_merge(s->reach[edge[0]], s->reach[edge[1]], box);
    store(box, s->edge_block + SWEEP_GROUP * (i / 8), i % 8);
  }
}

void sweep_open(const pl_body *body, uint32_t leaf)
{
  const sweep *s = body->sweep;
  uint8_t closed = 0;
  if (atomic_load_explicit(&s->opened[leaf], memory_order_acquire) == 2) return;
  if (!atomic_compare_exchange_strong(&s->opened[leaf], &closed, 1)) {
    while (atomic_load_explicit(&s->opened[leaf], memory_order_acquire) != 2) {
    }
    return;
  }
  open_leaf(body, leaf);
  atomic_store_explicit(&s->opened[leaf], 2, memory_order_release);
}
