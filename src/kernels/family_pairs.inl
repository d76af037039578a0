/* The family `pairs`: walks over pairs of nodes, and the triangles of their leaves. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#include "kernels/leaves.inl"
#include "kernels/step.inl"
#include "motion/lanes.inl"

#include "kernels/boxes.inl"
#include "kernels/oriented.inl"

#define BOX_OF(t, node, lane) aabb_lane(tree_block(t, node), (t)->nodes.width, lane)
#define WALK walk_pairs_of_boxes
#define VOLUME aabb
#define VOLUME_OF BOX_OF
#define HITS(w, side, t, node, q) box_hits(tree_block(t, node), (t)->nodes.width, q)
#include "kernels/walk.inl"

#define WALK walk_pairs_of_oriented
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

static void walk_boxes(walk *w) { walk_pairs_of_boxes(PL_VOLUME_AABB, w); }
static KERNEL_RARE void walk_oriented(walk *w) { walk_pairs_of_oriented(PL_VOLUME_AABB, w); }

#include "kernels/volumes.inl"

const pair_kernels KERNEL_TABLE(pair_kernels) = {
    .walk = {WALK_TABLE}, .leaves = walk_leaves, .lanes = {MOTION_LANES}, .fetch = {MOTION_LANES_FETCH}};
#endif
