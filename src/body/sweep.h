/* A body on its way from one pose to the next: both poses, and over its tree boxes that move linearly.
 *
 * Every vertex moves linearly, so the greatest coordinate of a set of vertices is a convex function of time and the least a concave one:
 * the chord between both ends bounds them. A box at the start and a box at the end, interpolated, contain the vertices at every time.
 *
 * Each vertex and each edge belongs to one leaf, the first in tree order with a triangle that has it: so pairs of features are found
 * once. Boxes of single features are made when a leaf is opened.
 *
 * Boxes are floats. Where the greatest coordinate is out of their range, they are those of the world divided by 2^exponent, which is a
 * multiple of 64; sweep_to_space() takes a box from one body's space to another's. */
#ifndef BODY_SWEEP_H
#define BODY_SWEEP_H

#include "body/body.h"

enum {
  SWEEP_BLOCK = 96,
  SWEEP_BOX = 12,
  SWEEP_GROUP = 144
}; /* floats: MOVING_BLOCK, _FLOATS and _GROUP of kernels/impact.h */

typedef struct sweep {
  bool kept;          /* there is a start of its own */
  bool made;          /* all below is for the present pose; a change of the body ends that */
  double (*start)[3]; /* world positions by vertex */
  double (*end)[3];
  double most;     /* no coordinate of both poses is greater */
  double *most_of; /* the same by chunk of vertices */
  int exponent;
  float (*reach)[SWEEP_BOX]; /* both poses as boxes (kernels.h), by vertex: rounded outward */

  const tree *of;          /* what follows is for this tree, */
  uint32_t version;        /* of this version */
  float *blocks;           /* SWEEP_BLOCK for each inner node: the boxes of its children in lanes */
  float (*own)[SWEEP_BOX]; /* by inner node: the box around it */

  /* Edges by number: by their greater vertex, then by the lesser. */
  uint32_t (*edges)[2]; /* the lesser vertex first */
  uint32_t edge_count;

  /* Features of leaf i, in groups of 8: groups [vertex_group[i], vertex_group[i + 1]) of its own vertices, and of its own edges. */
  uint32_t *vertex_group, *edge_group; /* leaf_count + 1 */
  uint32_t *vertex;                    /* 8 for each group; UINT32_MAX: an empty lane */
  uint32_t *edge;                      /* the same: the number of an edge */
  float *vertex_block, *edge_block;    /* SWEEP_GROUP for each group, true once its leaf is opened */
  float *triangle_block;               /* SWEEP_GROUP for each leaf: its triangles, in tree order */
  _Atomic uint8_t *opened;             /* per leaf: 0 no, 1 some thread is at it, 2 yes */
} sweep;

/* Keeps the present positions as the start. */
pl_status sweep_keep(pl_body *body);
void sweep_drop(pl_body *body);

/* Both poses and the boxes of the tree for the present end. Adds the volumes made to *made. Safe from several threads, whose queries
 * then only read: the first makes them, the others wait. */
pl_status sweep_update(pl_body *body, uint64_t *made);

/* Boxes of the features of a leaf. Safe from several threads. */
void sweep_open(const pl_body *body, uint32_t leaf);

void sweep_destroy(pl_context *context, sweep *s); /* NULL is allowed */

/* body/sweep_features.c: all that depends on the structure of the tree only. */
pl_status sweep_make_features(pl_body *body);
void sweep_free_features(const pl_allocator *allocator, sweep *s);

/* Boxes in 2^shift times their space, rounded outward; `stride` floats from one component to the next, `lanes` boxes. A reach that
 * float does not hold becomes FLT_MAX at both ends of time, which is more than any box has. */
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
