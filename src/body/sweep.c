/* Cost of an update: one pass over the vertices and one over the leaves and inner nodes; memory
 * about 280 bytes per triangle. */
#include "body/sweep.h"

#include "kernels/kernels.h"
#include "math/round.h"
#include "update/patches.h"

#include <float.h>
#include <string.h>

_Static_assert((int)SWEEP_BLOCK == (int)MOVING_BLOCK && (int)SWEEP_BOX == (int)MOVING_FLOATS &&
                   (int)SWEEP_SWEPT == (int)MOVING_SWEPT && (int)SWEEP_AROUND == (int)MOVING_AROUND,
               "boxes are those of the kernels");

enum { ALONE = 4096 }; /* triangles that one thread boxes faster */

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
  if (child >= 0) box_range(j, (uint32_t)child, j->over->of->nodes.end[child]);
}

static bool worth_sharing(const pl_body *body) { return body->tree->prims.triangle_count > ALONE; }

/* --------------------------------------------------------------------------------- on demand -- */

/* The box of an inner node, other than the root, from the body's source, cut with one around it. */
static bool box_by_source(const pl_body *body, uint32_t node, const float *around, float box[SWEEP_BOX])
{
  const sweep *s = body->sweep;
  const update *u = body->update;
  aabb end, start;
  if (!u->source->pose(u, body->motion.controls, node, &end)) return false;
  if (s->kept)
    u->source->pose(u, s->controls, node, &start);
  else
    start = end;
  for (int k = 0; k < 3; ++k) {
    box[k] = -start.lower[k];
    box[k + 3] = start.upper[k];
    box[k + 6] = -end.lower[k];
    box[k + 9] = end.upper[k];
  }
  for (int c = 0; c < SWEEP_BOX && around; ++c) box[c] = box[c] < around[c] ? box[c] : around[c];
  return true;
}

static void box_of_leaf(const pl_body *body, const sweep_tree *over, uint32_t leaf, float box[SWEEP_BOX])
{
  const primitives *p = &over->of->prims;
  const uint32_t *list = p->list + p->list_first[leaf], count = p->list_first[leaf + 1] - p->list_first[leaf];
  sweep_need(body, list, count);
  memcpy(box, body->sweep->reach[list[0]], SWEEP_BOX * sizeof *box);
  for (uint32_t k = 1; k < count; ++k) sweep_merge(box, body->sweep->reach[list[k]], box);
}

/* The block of a node, and the boxes around its children; the node is within `around`. Where
 * the source has no box for a child, the blocks below it come first: no other thread writes below
 * a stale node. */
static uint64_t make_block(const pl_body *body, const sweep_tree *over, uint32_t node, const float *around)
{
  const tree *t = over->of;
  float *block = over->blocks + (size_t)SWEEP_BLOCK * node;
  uint64_t made = t->nodes.children[node];
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
    const int32_t child = tree_children(t, node)[lane];
    float box[SWEEP_BOX];
    if (child < 0) {
      box_of_leaf(body, over, (uint32_t)~child, box);
    } else if (!box_by_source(body, (uint32_t)child, around, box)) {
      made += make_block(body, over, (uint32_t)child, around);
      stamp_set(&over->stamp[child], body->sweep->frame);
      sweep_around(t, over->blocks, (uint32_t)child, box);
    }
    if (child >= 0) memcpy(over->own[child], box, sizeof box);
    for (int c = 0; c < SWEEP_BOX; ++c) block[8 * c + lane] = box[c];
  }
  return made;
}

uint64_t sweep_make_block(const pl_body *body, const sweep_tree *over, uint32_t node)
{
  if (!stamp_claim(&over->stamp[node], body->sweep->frame)) return 0;
  const uint64_t made = make_block(body, over, node, node == TREE_ROOT ? NULL : over->own[node]);
  stamp_set(&over->stamp[node], body->sweep->frame);
  return made;
}

/* No coordinate of a box that moves is greater, in the world. */
static double most_of(const sweep *s, const float box[SWEEP_BOX])
{
  float most = 0;
  for (int c = 0; c < SWEEP_BOX; ++c) most = fmaxf(most, fabsf(box[c]));
  return ldexp((double)most, s->exponent);
}

/* -------------------------------------------------------------------------------------- make -- */

/* All boxes of a tree. */
static pl_status box_all(pl_body *body, sweep_tree *over, uint64_t *made)
{
  const structure *n = &over->of->nodes;
  box_job j = {body, over};
  pl_status status = parallel_for(body->context, worth_sharing(body), box_task, &j, n->children[TREE_ROOT]);
  if (status != PL_OK) return status;
  box_range(&j, TREE_ROOT, TREE_ROOT + 1);
  sweep_make_rims(body->sweep, over);
  *made += (uint64_t)n->inner_count + n->leaf_count - 1;
  over->most = body->sweep->on_demand ? most_of(body->sweep, over->own[TREE_ROOT]) : body->sweep->most;
  return PL_OK;
}

/* The boxes of tree t; on demand only those of the root's children. */
static pl_status make_boxes(pl_body *body, const tree *t, bool on_demand, sweep_tree *over, uint64_t *made)
{
  pl_status status = PL_OK;
  if (over->of != t || over->version != body->tree->nodes.version) status = sweep_make_features(body, t, over);
  over->on_demand = on_demand;
  over->exponent = body->sweep->exponent;
  if (status == PL_OK && !on_demand) status = box_all(body, over, made);
  if (status != PL_OK) return status;
  if (on_demand) {
    *made += sweep_make_block(body, over, TREE_ROOT);
    sweep_around(t, over->blocks, TREE_ROOT, over->own[TREE_ROOT]);
    over->most = most_of(body->sweep, over->own[TREE_ROOT]);
  }
  over->made = true;
  return PL_OK;
}

pl_status sweep_update(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = sweep_make_poses(body);
  if (status == PL_OK && !body->sweep->boxes.made)
    status = make_boxes(body, body->tree, body->sweep->on_demand, &body->sweep->boxes, made);
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
  if (status == PL_OK) status = sweep_need_all(body);
  if (status == PL_OK) status = make_boxes(body, &body->patches->tree, false, &s->patches, made);
  if (status != PL_OK) return status;
  s->patches.made = false; /* unless there are also cones */
  status = sweep_make_cones(body);
  s->patches.made = status == PL_OK;
  return status;
}

pl_status sweep_update_patches(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = sweep_make_poses(body);
  if (status == PL_OK && !body->sweep->patches.made) status = make_patches(body, made);
  updating_end(body->context);
  return status;
}

/* ------------------------------------------------------------------------------------ leaves -- */

static void box_leaf(const pl_body *body, const sweep_groups *g, uint32_t leaf, bool moving)
{
  const moving_kernels *lanes = kernels_of(body->context->isa)->moving;
  const size_t first = g->first[leaf];
  const uint32_t *corner = g->corner + 8 * (size_t)g->corners * first, count = g->first[leaf + 1] - (uint32_t)first;
  if (moving)
    lanes->open((const float(*)[SWEEP_BOX])body->sweep->reach, corner, g->corners, count,
                g->block + SWEEP_BLOCK * first);
  else
    lanes->box((const float(*)[SWEEP_AROUND])body->sweep->around, corner, g->corners, count,
               g->swept + SWEEP_SWEPT * first, g->around[leaf]);
}

/* Computes what a stamp says is stale. */
static void open_leaf(const pl_body *body, const sweep_tree *t, _Atomic uint32_t *stamp, uint32_t leaf, bool moving)
{
  if (!stamp_claim(stamp, body->sweep->frame)) return;
  box_leaf(body, &t->vertices, leaf, moving);
  box_leaf(body, &t->edges, leaf, moving);
  box_leaf(body, &t->faces, leaf, moving);
  stamp_set(stamp, body->sweep->frame);
}

void sweep_open(const pl_body *body, const sweep_tree *t, uint32_t leaf, bool moving)
{
  open_leaf(body, t, &t->boxed[leaf], leaf, false);
  if (moving) open_leaf(body, t, &t->opened[leaf], leaf, true);
}
