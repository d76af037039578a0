/* Points and zones against one tree: what kernels and queries share.
 *
 * Volumes are tested as boxes of the world, in units: directly where the body's space is the
 * world's, otherwise transformed to it with a margin. Float only ever leaves out what is
 * certainly of no interest; triangles are decided or measured exactly, on world coordinates. So
 * the results depend on the triangles only. */
#ifndef KERNELS_PROBE_H
#define KERNELS_PROBE_H

#include "exact/point_tri.h"
#include "exact/zone_tri.h"
#include "kernels/walk.h"
#include "math/frame.h"
#include "pliant/probes.h"

/* A body as points see it, fixed for one query. */
typedef struct probe_target {
  walk_side side;
  pl_body *body;
  uint32_t member;       /* its number in the scene; 0 outside of one */
  bool transformed;      /* boxes go through `to_world` first */
  frame_change to_world; /* in units */
  double unit;           /* 2^-exponent: boxes are lengths of the world times this */
  aabb box;              /* of the body, in the world */

  /* Triangles are tested in float, relative to `origin`; `delta` bounds the error of a
   * coordinate that comes from this rounding. */
  double origin[3], delta;
  bool irregular; /* out of float's safe range: every triangle of a leaf is measured */
} probe_target;

enum { PROBE_LEAVES = 64, PROBE_CANDIDATES = 64 };

/* A leaf with its triangles in lanes, kept where opening it costs more than reading it back. */
typedef struct probe_leaf {
  float corner[3][3][8]; /* corner, axis, lane */
  uint64_t serial;       /* of the query it was opened in; 0: none */
  uint32_t leaf;
  uint32_t first; /* triangle, in tree order */
  int count;
} __attribute__((aligned(64))) probe_leaf;

/* What a worker has of its own. */
typedef struct probe_walk {
  const probe_target *target;
  pl_point_filter filter;
  void *user;
  double limit;
  /* For the greatest of many distances: searches end without a result once the nearest triangle
   * is certainly not further away than `enough`, and begin in the leaf where the last one found
   * its best bound, which is near - 1. */
  bool follows;
  double enough;
  uint32_t near;      /* 0: none */
  uint64_t serial;    /* of the query, from 1 */
  probe_leaf *leaves; /* PROBE_LEAVES */
  uint64_t n_v, n_p, n_u;
} probe_walk;

/* A ray along an axis from a point. */
typedef struct probe_ray {
  const double *point;
  int axis, way;    /* 0 .. 2; 1 or -1 */
  uint32_t without; /* 1 + a triangle that is left out, by the caller's index; 0: none */
} probe_ray;

/* A zone for tests of boxes, in units and in float, rounded such that a box reported as outside
 * or inside is so. */
typedef struct probe_zone {
  const pl_zone *zone;
  float lower[3], upper[3]; /* box: around it; sphere: around its centre */
  float within[2][3];       /* box: in it */
  float reach, sure;        /* sphere: the square of the radius, rounded up and down */
  float plane[PL_ZONE_PLANES][4];
  ARRAY(uint32_t) found; /* triangles, in tree order */
  pl_status status;
  const pl_allocator *allocator;
} probe_zone;

#endif
