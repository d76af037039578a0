/* Shape matching in lanes: fits, goals and spheres. What kernels and those who call them share. */
#ifndef KERNELS_MATCH_H
#define KERNELS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MATCH_COLUMNS = 10, /* of sums: 9 terms and 1 */
  BALL_LANES =
      7 * 8, /* of a block at rest: centre, radius, greatest change of squares and of products, 1 if it is mixed */
  BALL_NOW = 4 * 8,    /* of a block: centre, radius */
  BALL_INNER = 6 * 8,  /* of a block at rest: inner centre, surface point */
  BALL_TANGENT = 4 * 8 /* of a block: inner centre, its distance from the surface point */
};

/* One cluster of packed floats: blocks of MATCH_LANES floats (motion/match.h), weightless behind
 * `count`. */
typedef struct match_view {
  const float *lanes;
  size_t count;
  int terms;     /* 3 or 9 */
  float mean[9]; /* of the terms */
  float origin[3];
} match_view;

/* A map in float: x = t + m u. */
typedef struct match_float_map {
  float m[3][9], t[3];
} match_float_map;

/* The map of a cluster as its spheres follow it. Bounds are rounded up and hold the rounding of
 * what is computed in float. */
typedef struct ball_map {
  match_float_map map;
  int terms;
  float norm, norm_squares,
      /* spectral norms of the three matrices; of the quadratic ones, the Frobenius norm */
      norm_products;
  /* Quadratic: the matrices divided by slope_unit, a power of two, so that no derivative is
   * greater than 2, and no square overflows. */
  float slope[3][9], slope_unit;
  /* quadratic: of the norm of the derivative at a centre, as it is computed in float */
  float slope_error;
  float extra[2]; /* added to a radius: of points of one cluster only, and of all */
} ball_map;

/* Boxes by their lower ends along x. Behind the last of each array 8 floats can be read. */
typedef struct sweep_boxes {
  const float *lower[3], *upper[3];
  size_t count;
} sweep_boxes;

/* Half-spaces and spheres in one test: which of the 8 lanes of a block may touch. */
typedef struct match_kernels {
  /* Sums as of match_sums, with masses as the lanes have them. */
  void (*sums)(const match_view *v, const float *xyz, double out[3][MATCH_COLUMNS]);

  /* Moves points by `stiffness` towards `goal`, relative to the origin; 0: they stay. Returns
   * the greatest square of a distance from `map` then, computed in float. No number is greater
   * than 1e18. */
  float (*move)(const match_view *v, float *xyz, const match_float_map *goal, float stiffness,
                const match_float_map *map);

  /* The spheres of a block, from those at rest; lanes without points get a radius of minus
   * infinity. */
  void (*balls)(const float *rest, const ball_map *map, float *now);

  /* Inner spheres of a block. */
  void (*tangents)(const float *rest, const ball_map *map, float *now);

  /* Which lanes of block b may touch each of `count` lanes of block a, from `first` on: all that
   * do, and perhaps some that are apart by less than 2^-17 of their size. wanted[i] on entry:
   * the lanes of b that count; on return those that may touch. sure[i]: those that do for
   * certain. Returns whether there is one. */
  bool (*near)(const float *a, unsigned first, unsigned count, float margin, const float *b, unsigned *wanted,
               unsigned *sure);

  /* Which lanes may be in contact: all that are, by query/spheres/touch_contact.c, and perhaps
   * some whose distances differ from that by less than 1e-4.
   *   inner, bound      BALL_TANGENT and BALL_NOW of the block
   *   a_inner, a_bound  of the other node; reach, margin: of the query */
  unsigned (*contacts)(const float *inner, const float *bound, const float a_inner[4], const float a_bound[4],
                       float reach, float margin);

  /* The boxes behind box i that overlap it; touching counts. Returns how many; `out` has room
   * for all. */
  size_t (*overlaps)(const sweep_boxes *boxes, size_t i, uint32_t *out);
} match_kernels;

#endif
