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

/* Of a leaf: nothing is computed; a thread computes boxes; boxes around the whole way are there;
 * moving boxes too. */
typedef enum sweep_state { SWEEP_CLOSED, SWEEP_BUSY, SWEEP_BOXED, SWEEP_OPEN } sweep_state;

/* What moves over one tree of the body. */
typedef struct sweep_tree {
  const tree *of;
  uint32_t version;        /* of the body's tree: what follows is for that */
  float *blocks;           /* SWEEP_BLOCK for each inner node: the boxes of its children in lanes */
  float (*own)[SWEEP_BOX]; /* by inner node: the box around it */
  sweep_groups vertices, edges, faces;

  /* By hubs_place(): the box around all vertices of the subtree but its hubs (tree/hubs.h). NULL:
   * the tree has no hubs. */
  float (*rim)[SWEEP_BOX];
  _Atomic uint8_t *opened; /* per leaf: sweep_state */
  bool made;               /* the boxes are those of the present poses */
} sweep_tree;

typedef struct sweep {
  bool kept;          /* there is a start of its own */
  bool made;          /* all below is valid for the present pose, until the body changes */
  double (*start)[3]; /* world positions by vertex */
  aabb start_box;     /* if `kept`: around them */
  double (*end)[3];
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
  float cone_scale; /* lengths of boxes times this are lengths of the cones' positions */
} sweep;

/* Keeps the present positions as the start. */
pl_status sweep_keep(pl_body *body);
void sweep_drop(pl_body *body);

/* The box around the present positions of a body whose positions are stored. */
aabb sweep_end_box(const pl_body *body);

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

/* Boxes of the features of a leaf: SWEEP_BOXED or SWEEP_OPEN. Safe from several threads. */
void sweep_open(const pl_body *body, const sweep_tree *t, uint32_t leaf, sweep_state wanted);

void sweep_destroy(pl_context *context, sweep *s); /* NULL is allowed */

/* body/sweep_features.c: computes everything that depends only on the structure of the tree. */
pl_status sweep_make_features(pl_body *body, const tree *t, sweep_tree *out);
void sweep_free_features(const pl_allocator *allocator, sweep_tree *t);

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

/* The box around two. */
static inline void sweep_merge(const float a[SWEEP_BOX], const float b[SWEEP_BOX], float out[SWEEP_BOX])
{
  for (int c = 0; c < SWEEP_BOX; ++c) out[c] = a[c] > b[c] ? a[c] : b[c];
}

#endif
