/* A cone of normals as a set of directions: bit k is set if every triangle of a patch faces
 * direction k, which means n . d > 0 for its exact normal n. The directions are those of the 26
 * neighbours of a cube among cubes: 13 axes, both ways, with components -1, 0 and 1, so that
 * sums of them are exact. A union of patches has the AND of their sets. Any direction is within
 * 27.6 degrees of one of them: a patch whose normals are within 62 degrees of some direction has
 * a bit. With all triangles facing each d of a set, they face the sum of the set: the axis of
 * the cone. */
#ifndef BOUNDS_CONE_H
#define BOUNDS_CONE_H

#include <stdint.h>

enum { CONE_AXES = 13, CONE_ALL = (1 << 2 * CONE_AXES) - 1 };

/* Axis k is bit k, its opposite bit 13 + k: 100 010 001 110 1-10 101 10-1 011 01-1 111 11-1 1-11
 * -111. */
#define CONE_X_PLUS 0x0e79u  /* axes with x = 1: 0 3 4 5 6 9 10 11 */
#define CONE_X_MINUS 0x1000u /* with x = -1: 12 */
#define CONE_Y_PLUS 0x178au  /* 1 3 7 8 9 10 12 */
#define CONE_Y_MINUS 0x0810u /* 4 11 */
#define CONE_Z_PLUS 0x1aa4u  /* 2 5 7 9 11 12 */
#define CONE_Z_MINUS 0x0540u /* 6 8 10 */

/* The sum of the components along one coordinate, of the directions in a set. */
static inline int cone_sum(uint32_t set, uint32_t plus, uint32_t minus)
{
  uint32_t up = plus | minus << CONE_AXES, down = minus | plus << CONE_AXES;
  return __builtin_popcount(set & up) - __builtin_popcount(set & down);
}

/* The axis of a set; it may be 0 for sets that no triangle has. */
static inline void cone_axis(uint32_t set, int axis[3])
{
  axis[0] = cone_sum(set, CONE_X_PLUS, CONE_X_MINUS);
  axis[1] = cone_sum(set, CONE_Y_PLUS, CONE_Y_MINUS);
  axis[2] = cone_sum(set, CONE_Z_PLUS, CONE_Z_MINUS);
}

#endif
