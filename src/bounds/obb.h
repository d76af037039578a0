/* Boxes along the principal axes of their points (Gottschalk, Lin, Manocha 1996), with a radius
 * that contains what rounding to float leaves outside, and what inflation adds. Fit: the extents
 * along the axes. Cost: four passes over the points. */
#ifndef BOUNDS_OBB_H
#define BOUNDS_OBB_H

#include "bounds/swept.h"

enum { OBB_EDGES = 3, OBB_FLOATS = 13, OBB_RADIUS = 12 };

/* Least and greatest coordinates in a frame. */
static inline void frame_extents(const bounded *s, const frame3 *f, double low[3], double high[3])
{
  for (int k = 0; k < 3; ++k) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3], x[3];
    bounded_get(s, i, q);
    frame_point(f, q, x);
    for (int k = 0; k < 3; ++k) {
      low[k] = x[k] < low[k] ? x[k] : low[k];
      high[k] = x[k] > high[k] ? x[k] : high[k];
    }
  }
}

static inline void obb_fit(const bounded *s, float *lane, int width)
{
  frame3 f;
  double low[3], high[3];
  if (!principal_frame(s, &f)) {
    swept_everything(lane, width, OBB_EDGES);
    return;
  }
  frame_extents(s, &f, low, high);
  swept_store(s, &f, low, high, OBB_EDGES, lane, width);
}

static inline bool obb_contains(const float *lane, int width, const double point[3])
{
  return swept_contains(lane, width, OBB_EDGES, point);
}

/* The mean of the half-lengths. */
static inline float obb_size(const float *lane, int width)
{
  double sum = 0;
  for (int i = 0; i < OBB_EDGES; ++i) {
    const float *edge = lane + (3 + 3 * i) * width;
    double e[3] = {(double)edge[0], (double)edge[width], (double)edge[2 * width]};
    sum += sqrt(dot3(e, e));
  }
  return (float)(sum / 3) + lane[OBB_RADIUS * width];
}

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
