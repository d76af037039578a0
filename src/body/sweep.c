/* Cost of an update: one pass over the vertices and one over the leaves and inner nodes; memory
 * some 280 bytes per triangle. */
#include "body/sweep.h"

#include "core/stamp.h"
#include "exact/crossing.h"
#include "kernels/kernels.h"
#include "math/round.h"
#include "pliant/impacts.h"
#include "update/patches.h"

#include <float.h>
#include <string.h>

_Static_assert((int)SWEEP_BLOCK == (int)MOVING_BLOCK && (int)SWEEP_BOX == (int)MOVING_FLOATS &&
                   (int)SWEEP_SWEPT == (int)MOVING_SWEPT && (int)SWEEP_AROUND == (int)MOVING_AROUND,
               "boxes are those of the kernels");

/* triangles that one thread boxes faster; vertices of a task */
enum { ALONE = 4096, CHUNK = 2048 };

/* ------------------------------------------------------------------------------------- poses -- */

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
  if (s && !s->reach) {
    s->reach = mem_raw(allocator, n + 2, sizeof *s->reach); /* kernels load 13 floats of one */
    for (int c = 0; s->reach && c < SWEEP_BOX; ++c) s->reach[n][c] = s->reach[n + 1][c] = -INFINITY;
  }
  if (s && !s->around) {
    s->around = mem_raw(allocator, n + 1, sizeof *s->around);
    for (int c = 0; s->around && c < SWEEP_AROUND; ++c) s->around[n][c] = -INFINITY;
  }
  if (s && !s->most_of) s->most_of = mem_raw(allocator, chunks_of(body), sizeof *s->most_of);
  if (s && s->start && s->end && s->reach && s->around && s->most_of) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for two poses of %zu vertices", n);
}

/* A box that grows around points. */
typedef struct wide_box {
  double low[3], high[3];
} wide_box;

static const wide_box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void box_add(wide_box *box, const double at[3])
{
  for (int k = 0; k < 3; ++k) {
    box->low[k] = at[k] < box->low[k] ? at[k] : box->low[k];
    box->high[k] = at[k] > box->high[k] ? at[k] : box->high[k];
  }
}

static aabb box_rounded(const wide_box *wide)
{
  aabb box;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = round_down(wide->low[k]);
    box.upper[k] = round_up(wide->high[k]);
  }
  return box;
}

aabb sweep_end_box(const pl_body *body)
{
  wide_box box = empty_box;
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) {
    double at[3];
    points_world(&body->motion.now, v, at);
    box_add(&box, at);
  }
  return box_rounded(&box);
}

pl_status sweep_keep(pl_body *body)
{
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  evaluate(&body->motion.now, 0, (uint32_t)body->motion.vertex_count, s->start);
  wide_box box = empty_box;
  for (size_t v = 0; v < body->motion.vertex_count; ++v) box_add(&box, s->start[v]);
  s->start_box = box_rounded(&box);
  s->kept = true;
  return PL_OK;
}

void sweep_drop(pl_body *body)
{
  if (body->sweep) body->sweep->kept = false;
}

pl_status pl_body_keep_pose(pl_body *body)
{
  if (!body) return fail_null("body");
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = sweep_keep(body);
  body_change_end(body);
  return status;
}

pl_status pl_body_drop_pose(pl_body *body)
{
  if (!body) return fail_null("body");
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
  sweep_free_features(allocator, &s->boxes);
  sweep_free_features(allocator, &s->patches);
  sweep_free_cones(allocator, s);
  mem_free(allocator, s->edges);
  mem_free(allocator, s->start);
  mem_free(allocator, s->end);
  mem_free(allocator, s->reach);
  mem_free(allocator, s->around);
  mem_free(allocator, s->most_of);
  mem_free(allocator, s);
}

/* ------------------------------------------------------------------------------------- boxes -- */

/* The exponent of the power of two that boxes are divided by: a multiple of 64, so that most
 * bodies have the same. */
static int exponent_of(double most)
{
  const int exponent = 64 * (int)lround(motion_exponent(most) / 64.0);
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
                      s->reach + begin, s->around + begin);
}

/* Boxes of one tree. */
typedef struct box_job {
  const pl_body *body;
  const sweep_tree *over;
} box_job;

static void box_range(const box_job *j, uint32_t begin, uint32_t end)
{
  const sweep *s = j->body->sweep;
  kernels_of(j->body->context->isa)
      ->moving->refit(j->over->of, (const float(*)[SWEEP_BOX])s->reach, begin, end, j->over->blocks, j->over->own);
}

/* The subtree of a child of the root. */
static void box_task(void *data, int task, int worker)
{
  const box_job *j = data;
  int32_t child = tree_children(j->over->of, TREE_ROOT)[task];
  (void)worker;
  if (child >= 0) box_range(j, (uint32_t)child, j->over->of->nodes.end[child]);
}

/* The time at which all vertices of triangles are at one place. For ordinary bodies the first
 * few decide. */
static double time_of_meeting(const pl_body *body)
{
  const sweep *s = body->sweep;
  const primitives *p = &body->tree->prims;
  const uint32_t first = p->tri[0];
  unsigned when = CROSSING_AT_END | CROSSING_IN_MIDDLE;
  for (size_t i = 1; i < 3 * (size_t)p->triangle_count && when; ++i)
    when &= crossing_meetings(s->start[first], s->end[first], s->start[p->tri[i]], s->end[p->tri[i]]);
  return crossing_meeting_time(when);
}

static bool worth_sharing(const pl_body *body) { return body->tree->prims.triangle_count > ALONE; }

/* Computes both poses, and the reach of vertices. */
static pl_status make_poses(pl_body *body)
{
  pl_context *context = body->context;
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  status = parallel_for(context, worth_sharing(body), pose_task, body, (int)chunks_of(body));
  s->most = 0;
  for (size_t i = 0; i < chunks_of(body); ++i) s->most = s->most_of[i] > s->most ? s->most_of[i] : s->most;
  s->exponent = exponent_of(s->most);
  s->meeting = time_of_meeting(body);
  if (status == PL_OK) status = parallel_for(context, worth_sharing(body), reach_task, body, (int)chunks_of(body));
  if (status != PL_OK) return status;
  s->made = true;
  s->boxes.made = s->patches.made = false;
  return PL_OK;
}

/* The boxes of tree t. */
static pl_status make_boxes(pl_body *body, const tree *t, sweep_tree *over, uint64_t *made)
{
  const structure *n = &t->nodes;
  box_job j = {body, over};
  pl_status status = PL_OK;
  if (over->of != t || over->version != body->tree->nodes.version) status = sweep_make_features(body, t, over);
  if (status == PL_OK) status = parallel_for(body->context, worth_sharing(body), box_task, &j, n->children[TREE_ROOT]);
  if (status != PL_OK) return status;
  box_range(&j, TREE_ROOT, TREE_ROOT + 1);
  sweep_make_rims(body->sweep, over);
  *made += (uint64_t)n->inner_count + n->leaf_count - 1;
  memset((void *)over->opened, 0, n->leaf_count * sizeof *over->opened);
  over->made = true;
  return PL_OK;
}

pl_status sweep_update(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = body->sweep && body->sweep->made ? PL_OK : make_poses(body);
  if (status == PL_OK && !body->sweep->boxes.made) status = make_boxes(body, body->tree, &body->sweep->boxes, made);
  updating_end(body->context);
  return status;
}

static pl_status make_patches(pl_body *body, uint64_t *made)
{
  pl_status status = PL_OK;
  sweep *s = body->sweep;
  if (!body->patches) {
    s->patches.of = NULL; /* others may have been at the same address */
    s->cones.of = NULL;
    status = patches_create(body->context, body->tree, &body->motion, &body->patches);
  }
  if (status == PL_OK) status = make_boxes(body, &body->patches->tree, &s->patches, made);
  if (status != PL_OK) return status;
  s->patches.made = false; /* unless there are also cones */
  status = sweep_make_cones(body);
  s->patches.made = status == PL_OK;
  return status;
}

pl_status sweep_update_patches(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = body->sweep && body->sweep->made ? PL_OK : make_poses(body);
  if (status == PL_OK && !body->sweep->patches.made) status = make_patches(body, made);
  updating_end(body->context);
  return status;
}

/* ------------------------------------------------------------------------------------ leaves -- */

static void open_groups(const pl_body *body, const sweep_groups *g, uint32_t leaf, bool swept, bool moving)
{
  const moving_kernels *lanes = kernels_of(body->context->isa)->moving;
  const size_t first = g->first[leaf];
  const uint32_t *corner = g->corner + 8 * (size_t)g->corners * first, count = g->first[leaf + 1] - (uint32_t)first;
  if (swept)
    lanes->box((const float(*)[SWEEP_AROUND])body->sweep->around, corner, g->corners, count,
               g->swept + SWEEP_SWEPT * first, g->around[leaf]);
  if (moving)
    lanes->open((const float(*)[SWEEP_BOX])body->sweep->reach, corner, g->corners, count,
                g->block + SWEEP_BLOCK * first);
}

/* Never rewrites finished boxes; other threads may be reading them. */
void sweep_open(const pl_body *body, const sweep_tree *t, uint32_t leaf, sweep_state wanted)
{
  for (int looks = 0;;) {
    uint8_t state = atomic_load_explicit(&t->opened[leaf], memory_order_acquire);
    if (state >= wanted) return;
    if (state == SWEEP_BUSY) {
      stamp_spin(&looks);
      continue;
    }
    if (!atomic_compare_exchange_strong(&t->opened[leaf], &state, SWEEP_BUSY)) continue;
    const bool swept = state == SWEEP_CLOSED, moving = wanted == SWEEP_OPEN;
    open_groups(body, &t->vertices, leaf, swept, moving);
    open_groups(body, &t->edges, leaf, swept, moving);
    open_groups(body, &t->faces, leaf, swept, moving);
    atomic_store_explicit(&t->opened[leaf], (uint8_t)wanted, memory_order_release);
    return;
  }
}
