/* The published bounds of normals: S. C. Schwartzman, J. Gascon, M. A. Otaduy, Bounded Normal
 * Trees, 2009, equations 6 to 17. A baseline for experiments: nothing in the library uses it.
 *
 * A patch is bounded by intervals that are computed once at rest (of J0, of J_k for each
 * governor, of mean weights and of normals), and a pose by interval arithmetic over its
 * governors: O(governors), whatever the number of triangles. As published, rounding is not taken
 * care of. */
#ifndef BENCH_BOUNDED_NORMALS_H
#define BENCH_BOUNDED_NORMALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BN_DIRECTIONS = 26, BN_PUBLISHED_DIRECTIONS = 14, BN_MOST_GOVERNORS = 64 };

/* Directions 0 .. 13 are the published ones: axes and corners of a cube; the others are the
 * middles of its edges. */
extern const double bn_directions[BN_DIRECTIONS][3];

/* Vertices as weighted sums of affine maps of their places at rest. */
typedef struct bn_surface {
  const float *rest;         /* 3 per vertex */
  const uint32_t *triangles; /* 3 per triangle */
  const uint32_t *governors; /* per_vertex for each vertex; may repeat */
  const float *weights;      /* the same; sum 1 */
  int per_vertex, governor_count;
} bn_surface;

typedef struct bn_interval {
  double low, high;
} bn_interval;

typedef struct bn_patch {
  int count;                            /* of governors */
  uint32_t governor[BN_MOST_GOVERNORS]; /* indices */
  double centre[3];                     /* mean of the corners at rest */
  double share[BN_MOST_GOVERNORS];      /* mean weight: what averages are taken with */
  bn_interval mean_weight[BN_MOST_GOVERNORS];
  bn_interval j0[3][3], jk[BN_MOST_GOVERNORS][4][3], normal[3];
} bn_patch;

/* false: too many governors. */
bool bn_patch_make(const bn_surface *s, const uint32_t *triangles, size_t count, bn_patch *out);

/* The directions d of the published 14 with d . n > 0 for all normals of the patch, by its
 * bound: a bit each.
 *   matrix, shift  of all governors: p = matrix p0 + shift, rows first */
uint32_t bn_patch_directions(const bn_patch *p, const double (*matrix)[9], const double (*shift)[3]);

#endif
