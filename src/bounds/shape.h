/* Shapes: volumes other than the box, which stand beside the boxes of a tree. What all kinds
 * have in common.
 *
 * The shapes of a node's children stand component by component, `width` lanes each: component c
 * of a shape is at lane[c * width]. Points are in the model's space. A kind is one header
 * (sphere.h is the smallest), its line in SHAPE_LIST, and its include in volumes.h. The header
 * of a kind `ball`, NAME BALL, has
 *
 *   #define VOLUME_BALL ball          the prefix of all that follows
 *   #define BALL_ROW {.floats = ...}  a shape_kind
 *
 * and, where KERNEL_LANES is defined (inside the kernels), tests of 8 lanes. Whatever is
 * computed with NaN does not count as apart.
 *   enum { BALL_FIRST, BALL_BOTH, BALL_FAR }
 *                                     its test comes before that of boxes; it is tested in both
 *                                     spaces; it has a distance bound in two spaces
 *   unsigned ball_near(shapes, width, q, stride, lanes)
 *                                     which of `lanes` of a block may meet shape q, whose
 *                                     components are `stride` apart, in one space
 *   void ball_carry(map, from, out)   the shapes of a block in another space, where they contain
 *   what they held: out[component][lane] void ball_carry_one(f, lane, stride, out)
 *                                     the same of one shape, for distances
 *   v8 ball_lengths(shapes, width, q, aim)
 *                                     lower bounds of the distances of a block's shapes from
 *                                     shape q, given by consecutive components
 *   #define BALL_SIX NULL             or lengths_of_six (swept.h) */
#ifndef BOUNDS_SHAPE_H
#define BOUNDS_SHAPE_H

#include "math/vec3.h"
#include "motion/points.h"

/* Vertices to be bounded: two lists, read one after the other; nothing is owned. */
typedef struct bounded {
  const points *points;
  const uint32_t *list[2];
  uint32_t count[2];
} bounded;

static inline uint32_t bounded_count(const bounded *s) { return s->count[0] + s->count[1]; }

static inline void bounded_get(const bounded *s, uint32_t i, double out[3])
{
  points_model(s->points, i < s->count[0] ? s->list[0][i] : s->list[1][i - s->count[0]], out);
}

static inline extent3 bounded_extent(const bounded *s)
{
  extent3 e = extent_none();
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3];
    bounded_get(s, i, q);
    extent_add(&e, q);
  }
  return e;
}

/* A child's box and shape where they stand. */
typedef struct shape_lane {
  const float *part[2]; /* the box, the shape: components are `width` apart */
  int width;
  uint32_t node; /* whose child it is */
  int lane;
} shape_lane;

typedef struct shape_kind {
  int floats;
  void (*fit)(const bounded *s, float *lane, int width); /* it is not empty */
  bool (*contains)(const float *lane, int width, const double point[3]);
  bool blends; /* a convex combination of shapes bounds the combination of their points */

  /* The union of the first `count` lanes of a block of shapes; NULL where it would be much
   * larger than a fit. */
  void (*merge)(const float *shapes, int width, int count, float *lane, int lane_width);
  /* the components are lower bounds, then as many upper ones: blended as boxes are */
  bool intervals;

  float (*size)(const float *lane, int width);
  const float *grow; /* what is added to each component where points may have moved by 1: 0, or at least that in the
                        right direction */
  float (*extent)(const float *lane, int width); /* another measure of size; NULL: there is none */
  /* the first three components are a point that the shape moves with */
  bool centred;
  /* its map to another space needs the stretch of lengths */
  bool stretches;
} shape_kind;

/* NULL for boxes, which are no shape, and for kinds that are not there. */
const shape_kind *shape_kind_of(pl_volume volume);

#endif
