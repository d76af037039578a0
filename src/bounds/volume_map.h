/* Transforms volumes of one body into the space of another: prepared for a walk, filled in where
 * a kind needs more than the map. */
#ifndef BOUNDS_VOLUME_MAP_H
#define BOUNDS_VOLUME_MAP_H

#include "math/frame.h"

#include <stdbool.h>
#include <stdint.h>

enum { VOLUME_MOST = 20 }; /* components of any shape */

/* A direction of one space as w_0 n_0 + w_1 n_1 + w_2 n_2, the n_i normals (or their opposites)
 * of k-DOPs in the other: what is in such a k-DOP reaches along the direction from sum w_i *
 * component low_i to sum w_i * component high_i, and further by `shift` of the map. A weight is
 * negative where the opposite normal is meant. */
typedef struct kdop_place {
  uint8_t in; /* 0: the boxes' block, 1: the shapes */
  uint8_t row;
} kdop_place;

typedef struct kdop_direction {
  float weight[3];
  kdop_place low[3], high[3];
  float shift, margin;
} kdop_direction;

/* The further normals of a k-DOP as directions of the other space. */
typedef struct kdop_change {
  kdop_direction direction[VOLUME_MOST / 2];
} kdop_change;

typedef struct volume_map {
  const frame_change *map;
  /* the greatest |x| + |y| + |z| in the space that volumes are transformed into, and in their
   * own */
  double own, other;
  bool known; /* has the following been computed? */
  /* k-DOPs: the further normals of one space as combinations of those of the other */
  kdop_change change;
} volume_map;

#endif
