/* Axis-aligned boxes in float, rounded outward, and blocks of sibling boxes.
 *
 * A block holds the boxes of a node's children component by component: lower x of all children,
 * lower y, lower z, upper x, upper y, upper z, each `width` floats (the tree's arity). Lanes
 * without a child hold the empty box, which overlaps nothing and is neutral in a merge. One
 * block is one 8-wide test; loads of a narrow component stay within it (another thread may be
 * writing the next block), and lanes beyond the children are masked. */
#ifndef BOUNDS_AABB_H
#define BOUNDS_AABB_H

#include "math/round.h"
#include "math/vec3.h"

#include <math.h>
#include <stdbool.h>

enum { AABB_COMPONENTS = 6 };

typedef struct aabb {
  float lower[3], upper[3];
} aabb;

static inline aabb aabb_empty(void)
{
  return (aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline aabb aabb_lane(const float *block, int width, int lane)
{
  aabb b;
  for (int k = 0; k < 3; ++k) {
    b.lower[k] = block[k * width + lane];
    b.upper[k] = block[(k + 3) * width + lane];
  }
  return b;
}

static inline void aabb_set_lane(float *block, int width, int lane, const aabb *b)
{
  for (int k = 0; k < 3; ++k) {
    block[k * width + lane] = b->lower[k];
    block[(k + 3) * width + lane] = b->upper[k];
  }
}

/* The box around all boxes of a block. */
aabb aabb_merge_block(const float *block, int width);

static inline aabb aabb_merge(const aabb *a, const aabb *b)
{
  aabb r = *a;
  for (int k = 0; k < 3; ++k) {
    r.lower[k] = b->lower[k] < r.lower[k] ? b->lower[k] : r.lower[k];
    r.upper[k] = b->upper[k] > r.upper[k] ? b->upper[k] : r.upper[k];
  }
  return r;
}

/* What is in both: of two boxes that bound the same. */
static inline aabb aabb_cut(const aabb *a, const aabb *b)
{
  aabb r = *a;
  for (int k = 0; k < 3; ++k) {
    r.lower[k] = b->lower[k] > r.lower[k] ? b->lower[k] : r.lower[k];
    r.upper[k] = b->upper[k] < r.upper[k] ? b->upper[k] : r.upper[k];
  }
  return r;
}

/* Around a box in double that is `more` larger on each side. */
static inline aabb aabb_around(const extent3 *e, double more)
{
  aabb b;
  for (int k = 0; k < 3; ++k) {
    b.lower[k] = round_down(e->low[k] - more);
    b.upper[k] = round_up(e->high[k] + more);
  }
  return b;
}

static inline bool aabb_overlap(const aabb *a, const aabb *b)
{
  return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
         b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

static inline double aabb_area(const aabb *b) /* half of the surface */
{
  double x = (double)b->upper[0] - b->lower[0], y = (double)b->upper[1] - b->lower[1],
         z = (double)b->upper[2] - b->lower[2];
  return x * y + y * z + z * x;
}

#endif
