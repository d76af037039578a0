/* The sphere tree of a body that matches shapes: J. Spillmann, M. Becker, M. Teschner, Efficient
 * Updates of Bounding Sphere Hierarchies for Geometrically Deformable Models, 2006. Built at
 * rest, wrapped (a sphere contains its points, not its children), balanced, with a branch for
 * each cluster; a sphere is moved in O(1) when a walk reaches it.
 *
 * Level l of a branch is 2^l spheres, stored in blocks of 8; a branch's part of a level is a
 * whole number of blocks, so that a block follows one map. Descendants of a node within three
 * levels are consecutive lanes of one block. For its update, a block is a node of a tree that
 * has nothing but layers, level after level, with the stamps that all layers have. */
#ifndef UPDATE_SPHERES_H
#define UPDATE_SPHERES_H

#include "kernels/match.h"
#include "motion/match.h"
#include "update/update.h"

enum { SPHERES_MOST_LEVELS = 32 };

typedef struct sphere_level {
  uint32_t nodes;  /* of a branch: 2^level */
  uint32_t stride; /* lanes of a branch: nodes, or 8 */
  uint32_t blocks; /* of all branches */
  uint32_t first;  /* its first block, counted over all levels */
  float *rest;     /* BALL_LANES for each block */
  float *inner;    /* BALL_INNER */
  float *now;      /* BALL_NOW, of the layer of shapes */
  float *tangent;  /* BALL_TANGENT, of the layer of tangents */
  /* of each node, by lane: the point nearest to the middle; UINT32_MAX: no points */
  uint32_t *surface;
} sphere_level;

typedef struct spheres {
  match *match;
  int levels, branches;
  int most_points;       /* of a leaf */
  bool alone;            /* the points have no triangles */
  uint32_t *order;       /* points: those of a node are a range */
  uint32_t *branch_from; /* branches + 1: ranges in `order` */
  sphere_level level[SPHERES_MOST_LEVELS];
  ball_map *maps; /* of the branches, as of the tree's frame */
  tree tree;      /* of blocks: layers only */
  update update;  /* of these layers */
} spheres;

/* Unit normals into the body, 3 for each point; all 0: not known. `rough`: guessed from
 * neighbouring points. */
typedef struct sphere_normals {
  double *inward;
  bool rough;
} sphere_normals;

/* update/spheres_build.c: *out is empty on failure. */
pl_status spheres_create(pl_context *context, const motion *m, int most_points, const sphere_normals *normals,
                         spheres *out);
void spheres_free(pl_context *context, spheres *s);

/* The points of a node: [*begin, *end) of `order`. */
void spheres_range(const spheres *s, int level, uint32_t branch, uint32_t index, uint32_t *begin, uint32_t *end);

/* Computes the maps for the present state, once; called within changes of the body. */
void spheres_map(spheres *s);

/* The lane of a node in the arrays of its level. */
static inline uint32_t spheres_lane(const spheres *s, int level, uint32_t branch, uint32_t index)
{
  return branch * s->level[level].stride + index;
}

/* Refits a block of a layer if it is stale. Safe from several threads. Returns the number of
 * refitted spheres. */
static inline uint64_t spheres_ensure(spheres *s, int in, int level, uint32_t block)
{
  const uint32_t node = s->level[level].first + block;
  return tree_is_true(&s->tree, in, node) ? 0 : update_ensure(&s->update, in, node);
}

extern const source_kind source_balls LEFT_OUT;

/* A sphere of a current block: centre, radius. */
static inline void spheres_get(const spheres *s, int level, uint32_t lane, float out[4])
{
  const float *block = s->level[level].now + (size_t)(lane / 8) * BALL_NOW + lane % 8;
  for (int k = 0; k < 4; ++k) out[k] = block[8 * k];
}

#endif
