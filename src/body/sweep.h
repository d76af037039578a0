/* A body on its way from one pose to the next: both poses, and over its tree boxes that move
 * linearly.
 *
 * Every vertex moves linearly, so the greatest coordinate of a set of vertices is a convex
 * function of time and the least a concave one: the chord between both ends bounds them. A box
 * at the start and a box at the end, interpolated, contain the vertices at every time.
 *
 * Each vertex and each edge belongs to one leaf, the first in tree order with a triangle that
 * has it: so pairs of features are found once. Boxes of single features are computed when a leaf
 * is opened.
 *
 * Boxes are floats. Where the greatest coordinate is out of their range, they are those of the
 * world divided by 2^exponent, which is a multiple of 64; sweep_to_space() takes a box from one
 * body's space to another's. */
#ifndef BODY_SWEEP_H
#define BODY_SWEEP_H

#include "body/body.h"
#include "kernels/swept_cones.h"
#include "tree/hubs.h"

enum {
  SWEEP_BLOCK = 96,
  SWEEP_BOX = 12,
  SWEEP_SWEPT = 48,
  SWEEP_AROUND = 8
}; /* floats: MOVING_BLOCK, _FLOATS, _SWEPT and _AROUND of kernels/impact.h */

/* Features of one kind, of all leaves of a tree, in groups of 8 lanes. Leaf i has groups
 * [first[i], first[i + 1]). */
typedef struct sweep_groups {
  int corners;      /* vertices of a feature: 1, 2 or 3 */
  uint32_t *first;  /* leaf_count + 1 */
  uint32_t *number; /* 8 for each group: the caller's index of a vertex or triangle, the number of an edge; UINT32_MAX:
                       an empty lane */
  /* for each group 8 first vertices, 8 second ones, ...; the number of vertices in an empty lane */
  uint32_t *corner;
  float *id;    /* the same as floats, if there are at most SWEEP_IDS vertices */
  float *block; /* SWEEP_BLOCK for each group: moving boxes, computed when the leaf is opened */
  /* SWEEP_SWEPT for each group: boxes around the whole way, computed when the leaf is boxed */
  float *swept;
  float (*around)[SWEEP_AROUND]; /* by leaf: 6 floats, the box around its features' whole way */
} sweep_groups;

enum { SWEEP_IDS = 1 << 24 }; /* integers up to this are floats */

/* What moves over one tree of the body. */
typedef struct sweep_tree {
  const tree *of;
  uint32_t version;        /* of the body's tree: what follows is for that */
  float *blocks;           /* SWEEP_BLOCK for each inner node: the boxes of its children in lanes */
  float (*own)[SWEEP_BOX]; /* by inner node: the box around it */
  /* The frame of the poses for which something was computed last. Blocks, and the boxes around the
   * children, by inner node: on demand only, otherwise all are there. By leaf: boxes around the
   * whole way of its features; and moving boxes. */
  _Atomic uint32_t *stamp, *boxed, *opened;
  bool on_demand;
  double most;  /* no coordinate of both poses is greater */
  int exponent; /* boxes are those of the world divided by 2^exponent */
  sweep_groups vertices, edges, faces;

  /* By hubs_place(): the box around all vertices of the subtree but its hubs (tree/hubs.h). NULL:
   * the tree has no hubs. */
  float (*rim)[SWEEP_BOX];
  bool made; /* the boxes are those of the present poses */
} sweep_tree;

typedef struct sweep {
  bool kept;          /* there is a start of its own: */
  bool by_controls;   /* not in `start` but by controls of the motion */
  void *controls;     /* these; NULL: the motion has never kept a pose by them */
  points from;        /* evaluates them */
  double start_reach; /* no coordinate of that pose is greater */
  bool made;          /* all below is valid for the present pose, until the body changes */
  /* of the kept pose, if it takes any: the body's transform, or those of its bones */
  pl_transform *kept_transforms;
  turn_way way;       /* body/turn.h; for bodies that turn */
  double (*start)[3]; /* world positions by vertex */
  aabb start_box;     /* if `kept`: around them */
  double (*end)[3];

  /* A piece of another sweep's way: both poses are those at two of its times. NULL: they are the
   * body's. */
  const turn_way *piece_of;
  double piece[2];

  /* On demand: vertices are evaluated, and their reach computed, in pieces when a walk needs
   * them. */
  bool on_demand;
  uint32_t frame;                 /* of the poses, from 1 */
  _Atomic uint32_t *posed;        /* by piece: the frame for which it was evaluated last */
  atomic_uint_fast64_t evaluated; /* vertices, in both poses, of all frames */
  double
      meeting; /* the time at which all vertices of triangles are at one place: 1, 0.5, or 0 for none that is known */
  double most; /* no coordinate of both poses is greater */
  double *most_of; /* the same by chunk of vertices */
  int exponent;
  float (
      *reach)[SWEEP_BOX]; /* both poses as boxes (kernels.h), by vertex, rounded outward; the last is without extent */
  float (*around)[SWEEP_AROUND]; /* boxes around both poses, likewise */

  /* Edges by number: by their greater vertex, then by the lesser. */
  uint32_t (*edges)[2]; /* the lesser vertex first */
  uint32_t edge_count;
  const tree *edges_of; /* the body's tree that they were numbered for, */
  uint32_t version;     /* and its version */

  sweep_tree boxes; /* over the body's tree */

  /* For the body against itself: over its patches, with cones. */
  sweep_tree patches;
  swept_patches cones;
  float cone_scale; /* scale from box space to cone space */
} sweep;

/* Keeps the present positions as the start. */
pl_status sweep_keep(pl_body *body);
void sweep_drop(pl_body *body);

/* The box around the present positions of a body whose positions are stored. */
aabb sweep_end_box(const pl_body *body);

/* body/sweep_poses.c: begins with the present end; evaluates all vertices, unless they are
 * evaluated on demand. With the lock of updates held. */
pl_status sweep_make_poses(pl_body *body);

/* Evaluates vertices, or all, if they are stale. Safe from several threads. */
void sweep_need(const pl_body *body, const uint32_t *vertices, size_t count);
pl_status sweep_need_all(pl_body *body);

/* body/turn.c: the transforms that say how a body turns, to the world: its own, or one for each of
 * its bones. */
size_t turn_count(const pl_body *body);
pl_transform turn_transform(const pl_body *body, size_t i);

/* From coordinates, none of which is greater than `most`, to boxes. */
moving_scale sweep_scale(double most, int *exponent);

/* Computes both poses and the boxes of the tree for the present end. Adds the number of volumes
 * to *made. Safe from several threads, whose queries then only read: the first computes them,
 * the others wait. */
pl_status sweep_update(pl_body *body, uint64_t *made);

/* The same over the body's patches, which are created if there are none, and with cones. */
pl_status sweep_update_patches(pl_body *body, uint64_t *made);

/* body/sweep_cones.c: positions and cones of patches on their way, once their boxes are there. */
pl_status sweep_make_cones(pl_body *body);
void sweep_free_cones(const pl_allocator *allocator, sweep *s);

/* Refits c->cone from the positions of c, on all workers. */
pl_status sweep_refit_cones(swept_patches *c);

/* The block of a node, if it is stale. Safe from several threads. Returns the number of boxes. */
uint64_t sweep_make_block(const pl_body *body, const sweep_tree *t, uint32_t node);
static inline uint64_t sweep_ensure(const pl_body *body, const sweep_tree *t, uint32_t node)
{
  return t->on_demand ? sweep_make_block(body, t, node) : 0;
}

/* Boxes around the whole way of the features of a leaf, and moving boxes. Safe from several
 * threads. */
void sweep_open(const pl_body *body, const sweep_tree *t, uint32_t leaf, bool moving);

void sweep_destroy(pl_body *body); /* there may be none */

/* body/sweep_features.c: computes everything that depends only on the structure of the tree. */
pl_status sweep_make_features(pl_body *body, const tree *t, sweep_tree *out);
void sweep_free_features(const pl_allocator *allocator, sweep_tree *t);
void sweep_forget_stamps(const sweep_tree *t); /* all are stale */

/* body/sweep_hubs.c: the rims of a tree with hubs, once the reach of vertices is there. */
void sweep_make_rims(const sweep *s, sweep_tree *over);

/* Boxes in 2^shift times their space, rounded outward; `stride` floats from one component to the
 * next, `lanes` boxes. An extent beyond the range of float becomes FLT_MAX at both ends of time,
 * which is more than any box has. */
void sweep_to_space(float *boxes, int stride, int lanes, int shift);

/* The box of a lane of a block. */
static inline void sweep_lane(const float *block, int lane, float out[SWEEP_BOX])
{
  for (int c = 0; c < SWEEP_BOX; ++c) out[c] = block[8 * c + lane];
}

/* The box around all children of a node. */
static inline void sweep_around(const tree *t, const float *blocks, uint32_t node, float out[SWEEP_BOX])
{
  const float *block = blocks + (size_t)SWEEP_BLOCK * node;
  for (int c = 0; c < SWEEP_BOX; ++c) {
    out[c] = block[8 * c];
    for (int lane = 1; lane < t->nodes.children[node]; ++lane)
      out[c] = block[8 * c + lane] > out[c] ? block[8 * c + lane] : out[c];
  }
}

/* The box around two. */
static inline void sweep_merge(const float a[SWEEP_BOX], const float b[SWEEP_BOX], float out[SWEEP_BOX])
{
  for (int c = 0; c < SWEEP_BOX; ++c) out[c] = a[c] > b[c] ? a[c] : b[c];
}

#endif
