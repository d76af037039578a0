/* Boxes along the principal axes of their points (Gottschalk, Lin, Manocha 1996), with a radius
 * that contains what rounding to float leaves outside, and what inflation adds. Fit: the extents
 * along the axes. Cost: four passes over the points. */
#ifndef BOUNDS_OBB_H
#define BOUNDS_OBB_H

#include "bounds/swept.h"

enum { OBB_EDGES = 3, OBB_FLOATS = 13, OBB_RADIUS = 12 };

static inline extent3 frame_extent(const bounded *s, const frame3 *f)
{
  extent3 e = extent_none();
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3], x[3];
    bounded_get(s, i, q);
    frame_point(f, q, x);
    extent_add(&e, x);
  }
  return e;
}

static inline void obb_fit(const bounded *s, float *lane, int width)
{
  frame3 f;
  if (!principal_frame(s, &f)) {
    swept_everything(lane, width, OBB_EDGES);
    return;
  }
  const extent3 e = frame_extent(s, &f);
  swept_store(s, &f, &e, OBB_EDGES, lane, width);
}

static inline bool obb_contains(const float *lane, int width, const double point[3])
{
  return swept_contains(lane, width, OBB_EDGES, point);
}

static inline float obb_size(const float *lane, int width) { return swept_extent(lane, width, OBB_EDGES); }

#define VOLUME_OBB obb
#define OBB_ROW                                                                                                        \
  {                                                                                                                    \
    .floats = OBB_FLOATS, .fit = obb_fit, .contains = obb_contains, .size = obb_size, .grow = obb_grow,                \
    .centred = true, .stretches = true                                                                                 \
  }

static const float obb_grow[OBB_FLOATS] = {[OBB_RADIUS] = 1};

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

/* Boxes first: they cost a tenth, and separate most pairs that are apart. */
enum { OBB_FIRST = 0, OBB_BOTH = 0, OBB_FAR = 1 };

SWEPT_LANES(obb, OBB)

#define OBB_SIX NULL

#endif
#endif
