/* All kernels of one instruction set; the including file chooses it and gives TABLE its name. */
#define KERNEL_LANES
#include "math/simd.h"

#include "exact/predicates.h"
#include "exact/ray_tri.h"
#include "exact/tri_tri.h"
#include "kernels/kernels.h"

#include <float.h>

#include "kernels/refit.inl"

#include "kernels/blend.inl"
#include "kernels/blend_shapes.inl"

#include "kernels/open.inl"
#include "motion/lanes.inl"

#include "kernels/leaves.inl"

static inline void walk_open(walk *w, int side, uint32_t node)
{
  walk_side *s = &w->side[side];
  watch_see(s->t, (int32_t)node);
  if (s->eager) return;
  if (!tree_is_true(s->t, s->layer, node)) w->n_u += s->ensure(s->owner, s->layer, node);
}

static inline void walk_push(walk *w, int32_t a, int32_t b)
{
  if (a < 0 && b < 0)
    w->leaf_pairs[w->leaf_pair_count++] = (node_pair){~a, ~b};
  else
    w->stack.data[w->stack.count++] = (node_pair){a, b};
}

/* Boxes in one space. */
static KERNEL_INLINE unsigned box_hits_of(const float *block, int width, const aabb *q)
{
  v8m m = v8_le(v8_load_lanes(block, width), v8_set(q->upper[0]));
  m = v8m_and(m, v8_le(v8_set(q->lower[0]), v8_load_lanes(block + 3 * width, width)));
  for (int k = 1; k < 3; ++k) {
    m = v8m_and(m, v8m_and(v8_le(v8_load_lanes(block + k * width, width), v8_set(q->upper[k])),
                           v8_le(v8_set(q->lower[k]), v8_load_lanes(block + (k + 3) * width, width))));
  }
  return v8m_bits(m);
}
static KERNEL_INLINE unsigned box_hits(const float *block, int width, const aabb *q)
{
  return width == 8 ? box_hits_of(block, 8, q) : width == 4 ? box_hits_of(block, 4, q) : box_hits_of(block, 2, q);
}
#define BOX_OF(t, node, lane) aabb_lane(tree_block(t, node), (t)->nodes.width, lane)
#define WALK void walk_boxes(walk *w)
#define VOLUME aabb
#define VOLUME_OF BOX_OF
#define HITS(w, side, t, node, q) box_hits(tree_block(t, node), (t)->nodes.width, q)
#include "kernels/walk.inl"

#include "kernels/oriented.inl"
#define TO_BLOCK(w, side) ((side) ? &(w)->to_b : &(w)->to_a)
#define TO_QUERY(w, side) ((side) ? &(w)->to_a : &(w)->to_b)
#define WALK void walk_oriented(walk *w)
#define VOLUME aabb
#define VOLUME_OF BOX_OF
#define HITS(w, side, t, node, q)                                                                                      \
  oriented_hits(TO_BLOCK(w, side), TO_QUERY(w, side), tree_block(t, node), (t)->nodes.width, q)
#define PAIR oriented_pair
#define OPEN_PAIR oriented_open
#define OPEN_PAIR_B oriented_open_b
#define LEFT_OF_A oriented_left
#define PAIR_HITS oriented_lanes
#include "kernels/walk.inl"

#include "kernels/volumes.inl"

#include "kernels/rays.inl"

#include "kernels/inflate.inl"

#include "kernels/distance_leaves.inl"

#include "kernels/distance_kinds.inl"

#include "kernels/distance_volumes.inl"

const kernels TABLE = {
    .refit = refit,
    .refresh = refresh,
    .refresh_runs = refresh_runs,
    .blend_node = blend_node,
    .walk_leaves = walk_leaves,
    .cast_rays = cast_rays,
    .blend_shapes = blend_shapes,
    .lanes = {MOTION_LANES},
    .walk = {WALK_TABLE},
    .shape_bounds = shape_bounds,
    .measure_moved = measure_moved,
    .inflate = inflate,
    .grow_lane = grow_lane,
    .refresh_lane = refresh_lane,
    .distance_world = distance_world,
    .distance = {DISTANCE_TABLE},
    .distance_measure = measure,
    .distance_reach = set_reach,
};
