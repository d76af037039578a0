/* Volumes from governors: the box of an inner node in O(governors), as kernels/governed.h has
 * it; of a node with too many governors from its children's, and of a leaf from its vertices,
 * which are evaluated in float lanes. Invariant: boxes are nested. A box is cut with its
 * parent's, which contains the same vertices. Cost: some 20 multiplications per governor and
 * column for an inner child, O(vertices) for a leaf. */
#include "update/governed_patch.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ leaves -- */

/* In float lanes where the motion can, with the error that they state. */
static aabb leaf_box(const update *u, uint32_t leaf)
{
  static const double origin[3] = {0, 0, 0};
  static const float_transform identity = {
      .column = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .norm = 1};
  const primitives *p = &u->tree->prims;
  const uint32_t n = p->list_first[leaf + 1] - p->list_first[leaf];
  points model = *u->points;
  leaf_points at;
  model.transform = NULL;
  if (model.exponent || !u->lanes || !u->lanes(origin, &model, &identity, leaf, n, &at))
    return update_leaf_box(u, leaf);
  aabb box;
  kernels_of(u->context->isa)->governed->leaf(&at, n, &box);
  return box;
}

/* ------------------------------------------------------------------------------------ blocks -- */

/* Is the node's own box from governors, and current? Nodes above a merged node are merged as
 * well. */
static bool own_box(const update *u, uint32_t node, aabb *out)
{
  const governed_state *state = u->state;
  if (node == TREE_ROOT || state->patches[node].count == 0) return false;
  uint32_t slot = u->tree->nodes.slot[node];
  *out = aabb_lane(tree_block(u->tree, slot >> 3), u->tree->nodes.width, (int)(slot & 7));
  return true;
}

static uint64_t boxes(update *u, uint32_t node)
{
  const governed_state *state = u->state;
  const governed_kernels *inner = kernels_of(u->context->isa)->governed;
  const governed_space to = {.half = points_scale(u->points), .scale = 1, .more = u->points->exponent ? 0x1p-1074 : 0};
  tree *t = u->tree;
  const int width = t->nodes.width, count = t->nodes.children[node];
  uint64_t made = (uint64_t)count;
  float *block = tree_block(t, node);
  aabb own;
  const bool has_own = own_box(u, node, &own);
  for (int lane = 0; lane < width; ++lane) {
    int32_t child = lane < count ? tree_children(t, node)[lane] : 0;
    aabb box = aabb_empty();
    if (lane < count && child < 0) {
      box = leaf_box(u, (uint32_t)~child);
    } else if (lane < count && state->patches[child].count) {
      inner->box(u->controls, state, (uint32_t)child, &to, &box);
    } else if (lane < count) { /* no other thread writes below a stale node */
      made += boxes(u, (uint32_t)child);
      tree_stamp(t, LAYER_BOXES, (uint32_t)child);
      box = aabb_merge_block(tree_block(t, (uint32_t)child), width);
    }
    if (has_own && lane < count) box = aabb_cut(&box, &own);
    aabb_set_lane(block, width, lane, &box);
  }
  return made;
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return boxes(u, node);
  return update_fit_shapes(u, node);
}

static bool pose(const update *u, const void *controls, uint32_t node, aabb *out)
{
  const governed_state *state = u->state;
  const governed_space to = {.half = 1, .scale = 1};
  if (!state->patches[node].count) return false;
  kernels_of(u->context->isa)->governed->box(controls, state, node, &to, out);
  return true;
}

static pl_status create(update *u, const pl_body_def *def)
{
  patch_term *terms;
  (void)def;
  pl_status status = governed_fit(u->context, u->tree, u->controls, u->state, &terms);
  if (status == PL_OK) status = governed_pack(u->context, u->tree, u->controls, terms, NULL, u->state);
  mem_free(&u->context->def.allocator, terms);
  return status;
}

static void destroy(update *u) { governed_state_free(u->context, u->state); }

static void edited(update *u, const uint32_t *leaves, size_t count)
{
  for (size_t i = 0; i < count; ++i) governed_extend(u->tree, u->controls, u->state, leaves[i]);
}

const source_kind source_governed = {.reads = MOTION_GOVERNED,
                                     .from_vertices = true,
                                     .state_size = sizeof(governed_state),
                                     .create = create,
                                     .destroy = destroy,
                                     .block = block,
                                     .pose = pose,
                                     .edited = edited};
