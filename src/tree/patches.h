/* The patches of a body's surface: a tree whose nodes are connected patches as far as the mesh
 * allows, the boundary cycle of each, and cones of their normals. It serves queries of a body
 * against itself, whatever tree and strategy the body has.
 *
 * A patch is an inner node or a leaf of the tree; patch i is inner node i, then come the leaves.
 * A patch with one boundary cycle has it in `corners`; one with none or several, or with a
 * triangle that is `odd` (mesh/cycles.h), has an empty one, and is never culled. Between an
 * inner node and its up to eight children stand groups of children, so that culling proceeds by
 * halves while boxes are tested eight at a time: number 1 is the node, 2 and 3 are children 0 to
 * 3 and 4 to 7, 4 to 7 two children each, 8 to 15 the children. Positions are copied in each
 * frame, in the order in which the tree meets the vertices: the caller's floats as they are, or
 * else world positions relative to an origin, scaled by a power of two and rounded to float,
 * with an error of at most `error`. Memory: 30 to 50 bytes per triangle for the tree, 25 to 40
 * for the cycles, 12 for corners, 24 per vertex. */
#ifndef TREE_PATCHES_H
#define TREE_PATCHES_H

#include "mesh/cycles.h"
#include "motion/points.h"
#include "tree/tree.h"

typedef struct patch {
  uint32_t first, count; /* its cycle: `count` corners from `first` on */
  uint32_t begin, end;   /* its triangles in tree order */
} patch;

enum { PATCH_GROUPS = 6, GROUP_NODE = 1, GROUP_CHILD = 8 };

/* Of the present frame, once patches are updated. */
typedef enum patch_front {
  FRONT_NONE, /* boxes and cones are up to date, or on demand */
  /* all triangles face the axis of the front; the border is still to be proven simple */
  FRONT_FACED,
  FRONT_PROVEN, /* the body does not touch itself */
} patch_front;

typedef struct patches {
  pl_context *context;
  tree tree;             /* boxes and cones */
  struct update *update; /* of both layers (update/update.h) */
  patch *patch;
  /* PATCH_GROUPS for each inner node: numbers 2 to 7. One of a single child, or of all, has no
   * cycle */
  patch *group;
  cycle_corners corners;
  uint8_t *usable;  /* by leaf: it has no odd triangle */
  uint32_t longest; /* corners of a cycle, at most */

  uint32_t *place; /* by vertex: its place in the order of the tree */
  uint32_t *order; /* by place: its vertex */
  /* 3 for each triangle in tree order: places of its corners; `corners` have places too */
  uint32_t *tri;
  float *positions; /* 4 for each place; the fourth is 0 */
  float error;      /* of a coordinate */
  aabb world;       /* around all vertices; only where they are not floats */
  uint64_t moves;   /* of the body, whose positions these are */

  /* The front of the last walk, if it ended at the root (kernels/front.inl). */
  /* the set of directions whose sum is the axis of the root's proof; 0: no front is kept */
  _Atomic uint32_t front;
  bool looked; /* at_front is of this frame */
  patch_front at_front;

  /* On demand: boxes, cones and positions are computed when a walk needs them. */
  bool demand;
  double origin[3], twice; /* a position is (0.5 x - origin) twice */
  /* by place: the frame of its position; NULL: all are evaluated in each frame */
  _Atomic uint32_t *evaluated;
  void (*need)(struct patches *p, const uint32_t *places, uint32_t count); /* evaluates these */
} patches;

static inline const patch *patch_of(const patches *p, int32_t reference)
{
  return &p->patch[reference >= 0 ? (uint32_t)reference : p->tree.nodes.inner_count + (uint32_t)~reference];
}

#endif
