/* Spheres: centre and radius. Fit: the centre of the box of the points, moved towards the farthest point while that makes the sphere
 * smaller (Badoiu and Clarkson 2003), then the greatest distance to a point, rounded up. Cost: O(points) a round. */
#ifndef BOUNDS_SPHERE_H
#define BOUNDS_SPHERE_H

#include "bounds/shape.h"
#include "math/round.h"

#include <math.h>

enum { SPHERE_FLOATS = 4, SPHERE_ROUNDS = 8 };

/* The farthest point from c; returns the squared distance. */
static inline double sphere_farthest(const source *s, const double c[3], double far[3])
{
  double most = -1;
  for (uint32_t i = 0; i < source_count(s); ++i) {
    double q[3], d = 0;
    source_get(s, i, q);
    for (int k = 0; k < 3; ++k) d += (q[k] - c[k]) * (q[k] - c[k]);
    if (!(d <= most)) {
      most = d;
      for (int k = 0; k < 3; ++k) far[k] = q[k];
    }
  }
  return most;
}

/* The sphere around a centre, which is rounded first: differences, squares and the root are then right to a few 2^-53. */
static inline void sphere_store(const source *s, const double at[3], float *lane, int width)
{
  double centre[3], far[3];
  for (int k = 0; k < 3; ++k) centre[k] = (double)(lane[k * width] = round_near(at[k]));
  double radius = sqrt(sphere_farthest(s, centre, far));
  lane[3 * width] = round_up(radius * (1 + 0x1p-49) + 1e-150); /* squares may be too small for double */
  if (radius < 0x1p126) return;
  for (int k = 0; k < 3; ++k) lane[k * width] = 0; /* out of float's range: all of space */
  lane[3 * width] = INFINITY;
}

static inline void sphere_fit(const source *s, float *lane, int width)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, c[3], far[3] = {0};
  for (uint32_t i = 0; i < source_count(s); ++i) {
    double q[3];
    source_get(s, i, q);
    for (int k = 0; k < 3; ++k) {
      low[k] = q[k] < low[k] ? q[k] : low[k];
      high[k] = q[k] > high[k] ? q[k] : high[k];
    }
  }
  for (int k = 0; k < 3; ++k) c[k] = 0.5 * low[k] + 0.5 * high[k];
  double best[3] = {c[0], c[1], c[2]}, least = INFINITY;
  for (int round = 0; round < SPHERE_ROUNDS; ++round) {
    double d = sphere_farthest(s, c, far);
    if (!(d < least)) break;
    least = d;
    for (int k = 0; k < 3; ++k) {
      best[k] = c[k];
      c[k] += (far[k] - c[k]) / (round + 3);
    }
  }
  sphere_store(s, best, lane, width);
}

static inline bool sphere_contains(const float *lane, int width, const double point[3])
{
  double d = 0;
  for (int k = 0; k < 3; ++k) d += (point[k] - (double)lane[k * width]) * (point[k] - (double)lane[k * width]);
  return sqrt(d) <= (double)lane[3 * width] * (1 + 1e-15) || !(d <= 1e300);
}

#endif
