/* Swept shapes: a point, segment, rectangle or box, swept by a sphere. What rss.h and obb.h have in common.
 *
 * Components: the centre c, then half-edges e_1 .. e_n (3 floats each), then the radius r. The shape is all points within r of
 * { c + s_1 e_1 + ... + s_n e_n, |s_i| <= 1 }, for the floats as they stand: the half-edges need not be perpendicular, though a fit
 * makes them so to the precision of float. Containment is therefore by construction: the radius is measured last, from the stored
 * floats, and rounded up. Inflation is a greater radius. */
#ifndef BOUNDS_SWEPT_H
#define BOUNDS_SWEPT_H

#include "bounds/principal.h"
#include "math/round.h"

/* How far a point is from the shape's inside (the radius not counted), at most: the distance to the point that coordinate descent
 * finds, which is the nearest one after a sweep or two, as the half-edges are almost perpendicular. */
static inline double swept_residue(const float *lane, int width, int edges, const double point[3], int sweeps)
{
  double rest[3], at[3] = {0};
  for (int k = 0; k < 3; ++k) rest[k] = point[k] - (double)lane[k * width];
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int i = 0; i < edges; ++i) {
      const float *edge = lane + (3 + 3 * i) * width;
      double e[3] = {(double)edge[0], (double)edge[width], (double)edge[2 * width]}, square = dot3(e, e);
      double to = square > 0 ? at[i] + dot3(rest, e) / square : 0;
      to = to > 1 ? 1 : to < -1 ? -1 : to;
      for (int k = 0; k < 3; ++k) rest[k] -= (to - at[i]) * e[k];
      at[i] = to;
    }
  return sqrt(dot3(rest, rest));
}

static inline double swept_size(const float *lane, int width, int edges)
{
  double size = 0;
  for (int k = 0; k < 3 + 3 * edges; ++k) size += fabs((double)lane[k * width]);
  return size;
}

/* All of space. */
static inline void swept_everything(float *lane, int width, int edges)
{
  for (int k = 0; k < 3 + 3 * edges; ++k) lane[k * width] = 0;
  lane[(3 + 3 * edges) * width] = INFINITY;
}

/* Stores what reaches from low to high along the first `edges` axes of a frame and stands at `low` on the others; then measures the
 * radius that holds all points. */
static inline void swept_store(const source *s, const frame3 *f, const double low[3], const double high[3], int edges,
                               float *lane, int width)
{
  double centre[3] = {f->centre[0], f->centre[1], f->centre[2]};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      centre[k] += (0.5 * low[i] + 0.5 * high[i]) * f->axis[i][k];
      if (i < edges) lane[(3 + 3 * i + k) * width] = (float)((0.5 * high[i] - 0.5 * low[i]) * f->axis[i][k]);
    }
  for (int k = 0; k < 3; ++k) lane[k * width] = (float)centre[k];
  double radius = 0;
  for (uint32_t i = 0; i < source_count(s); ++i) {
    double q[3];
    source_get(s, i, q);
    double d = swept_residue(lane, width, edges, q, 1);
    radius = d > radius ? d : radius;
  }
  /* The point it was measured to is one of the shape's whatever rounding made of the coefficients; the way there rounds. */
  lane[(3 + 3 * edges) * width] = round_up(radius * (1 + 1e-14) + 4e-15 * swept_size(lane, width, edges));
}

static inline bool swept_contains(const float *lane, int width, int edges, const double point[3])
{
  double radius = (double)lane[(3 + 3 * edges) * width];
  if (!(radius < INFINITY) || swept_residue(lane, width, edges, point, 1) <= radius) return true;
  double most = radius * (1 + 1e-14) + 4e-15 * swept_size(lane, width, edges);
  return swept_residue(lane, width, edges, point, 4) <= most;
}

#endif
