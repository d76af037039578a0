/* Patches of a body on their way from one pose to the next: who does not touch itself at any
 * time of it. docs/self-collision.md has the proof.
 *
 * Every vertex moves linearly. The normal e1(t) x e2(t) of a triangle is a quadratic function of
 * time, a convex combination of its three Bernstein coefficients: the triangle faces a direction
 * at all times if all three do. A cone is the set of directions that all triangles of a patch
 * face so (bounds/cone.h). With a separation each coefficient must leave room for the margin
 * (cones.inl): lengths of edges are convex functions of time, so that the longest of both poses
 * bounds them. */
#ifndef KERNELS_SWEPT_CONES_H
#define KERNELS_SWEPT_CONES_H

#include "kernels/walk.h"

typedef struct swept_patches {
  const patches *of; /* the structure; its positions, boxes and cones are not read */
  /* 8 for each place: x, y, z, 0 at the start, and at the end; all of one scaled space */
  float *positions;
  float error;    /* of a coordinate */
  uint32_t *cone; /* 8 for each inner node: the cones of its children */
  clearance by;   /* that the cones leave room for */
} swept_patches;

/* The border of a patch, or of the union of two. */
typedef struct swept_border {
  const uint32_t *vertex; /* places of its corners in order */
  uint32_t count, set;    /* set: its cone */
  float size;             /* bounds all differences of coordinates of both poses */
} swept_border;

/* Scratch of a border of n corners: two coordinates at both ends of time; and the vertices of a
 * union. */
static inline size_t swept_room(size_t count) { return 5 * (count + CONTOUR_MORE); }

#endif
