/* Shapes: volumes other than the box, which stand beside the boxes of a tree. What all kinds have in common.
 *
 * The shapes of a node's children stand component by component, `width` lanes each: component c of a shape is at
 * lane[c * width]. A kind is one header (sphere.h is the smallest) with
 *   KIND_FLOATS       the components of one shape
 *   kind_fit()        a shape that contains all points of a source, rounding included
 *   kind_contains()   for checks: is a point inside, beyond doubt by more than the check's own rounding?
 *   kind_merge()      if it loses little: a shape that contains all shapes of a block
 *   kind_size()       a length that tells how large the shape is: what inflation is measured against
 * and its line in shape.c; its tests of 8 lanes against one shape are in kernels/. Points are in the model's space. */
#ifndef BOUNDS_SHAPE_H
#define BOUNDS_SHAPE_H

#include "motion/points.h"

/* Vertices to be bounded: two lists, read one after the other; nothing is owned. */
typedef struct source {
  const points *p;
  const uint32_t *list[2];
  uint32_t count[2];
} source;

static inline uint32_t source_count(const source *s) { return s->count[0] + s->count[1]; }

static inline void source_get(const source *s, uint32_t i, double out[3])
{
  points_model(s->p, i < s->count[0] ? s->list[0][i] : s->list[1][i - s->count[0]], out);
}

typedef struct shape_kind {
  int floats;
  void (*fit)(const source *s, float *lane, int width); /* the source is not empty */
  bool (*contains)(const float *lane, int width, const double point[3]);
  bool blends; /* a convex combination of shapes bounds the combination of their points */

  /* The union of the first `count` lanes of a block of shapes; NULL where it would be much larger than a fit. */
  void (*merge)(const float *shapes, int width, int count, float *lane, int lane_width);
  bool intervals; /* the components are lower bounds, then as many upper ones: blended as boxes are */

  float (*size)(const float *lane, int width);
  const float *
      grow; /* what is added to each component where points may have moved by 1: 0, or at least that in the right direction */
  float (*extent)(const float *lane, int width); /* another measure of size; NULL: there is none */
  bool centred;                                  /* the first three components are a point that the shape moves with */
} shape_kind;

/* NULL for boxes, which are no shape, and for kinds that are not there. */
const shape_kind *shape_kind_of(pl_volume volume);

#endif
