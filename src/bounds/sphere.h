/* Spheres: centre and radius. Fit: the centre of the box of the points, moved towards the
 * farthest point while that makes the sphere smaller (Badoiu and Clarkson 2003), then the
 * greatest distance to a point, rounded up. Cost: O(points) a round. */
#ifndef BOUNDS_SPHERE_H
#define BOUNDS_SPHERE_H

#include "bounds/swept.h"
#include "bounds/volume_map.h"
#include "math/round.h"

#include <math.h>

enum { SPHERE_FLOATS = 4, SPHERE_ROUNDS = 8 };

/* The farthest point from c; returns the squared distance. */
static inline double sphere_farthest(const bounded *s, const double c[3], double far[3])
{
  double most = -1;
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3], d = 0;
    bounded_get(s, i, q);
    for (int k = 0; k < 3; ++k) d += (q[k] - c[k]) * (q[k] - c[k]);
    if (!(d <= most)) {
      most = d;
      for (int k = 0; k < 3; ++k) far[k] = q[k];
    }
  }
  return most;
}

/* The sphere around a centre, which is rounded first: differences, squares and the root are then
 * right to a few 2^-53. */
static inline void sphere_store(const bounded *s, const double at[3], float *lane, int width)
{
  double centre[3], far[3];
  for (int k = 0; k < 3; ++k) centre[k] = (double)(lane[k * width] = round_near(at[k]));
  double radius = sqrt(sphere_farthest(s, centre, far));
  /* squares may be too small for double */
  lane[3 * width] = round_up(radius * (1 + 0x1p-49) + 1e-150);
  if (radius < 0x1p126) return;
  for (int k = 0; k < 3; ++k) lane[k * width] = 0; /* out of float's range: all of space */
  lane[3 * width] = INFINITY;
}

static inline void sphere_fit(const bounded *s, float *lane, int width)
{
  const extent3 box = bounded_extent(s);
  double c[3], far[3] = {0};
  for (int k = 0; k < 3; ++k) c[k] = extent_middle(&box, k);
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

static inline float sphere_size(const float *lane, int width) { return lane[3 * width]; }

#define VOLUME_SPHERE sphere
#define SPHERE_ROW                                                                                                     \
  {                                                                                                                    \
    .floats = SPHERE_FLOATS, .fit = sphere_fit, .contains = sphere_contains, .blends = true, .size = sphere_size,      \
    .grow = sphere_grow, .centred = true, .stretches = true                                                            \
  }

static const float sphere_grow[SPHERE_FLOATS] = {[3] = 1};

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

/* The test of spheres comes first, and pairs that it leaves are tested as boxes: spheres alone
 * are so much larger that a walk needs two and a half times the tests. Between two spaces a
 * centre is transformed, and the radius grows by the map's greatest stretch. */
enum { SPHERE_FIRST = 1, SPHERE_BOTH = 0, SPHERE_FAR = 1 };
#define SPHERE_SIX NULL

/* Rounding. With u = 2^-24, the squared distance and the squared sum of radii are right to 8 u
 * of themselves; the radii are taken 2^-18 larger. Squares that are too small for float lose at
 * most 2^-145. */
static KERNEL_INLINE unsigned sphere_near(const float *s, const int width, const float *q, int stride, unsigned lanes)
{
  v8 x = v8_sub(v8_load_lanes(s, width), v8_set(q[0])), y = v8_sub(v8_load_lanes(s + width, width), v8_set(q[stride])),
     z = v8_sub(v8_load_lanes(s + 2 * width, width), v8_set(q[2 * stride]));
  v8 reach = v8_mul(v8_add(v8_load_lanes(s + 3 * width, width), v8_set(q[3 * stride])), v8_set(1 + 0x1p-18f));
  v8m apart = v8_lt(v8_add(v8_mul(reach, reach), v8_set(0x1p-126f)), v8_dot(x, x, y, y, z, z));
  return ~v8m_bits(apart) & lanes;
}

/* The error of the map is its margin along each axis, so less than 2 margins of a distance. */
static KERNEL_INLINE void sphere_carry(volume_map *map, const shape_lane *from, float out[][8])
{
  const frame_change *f = map->map;
  const float *s = from->part[1];
  const int width = from->width;
  v8 x = v8_load_lanes(s, width), y = v8_load_lanes(s + width, width), z = v8_load_lanes(s + 2 * width, width);
  for (int k = 0; k < 3; ++k) {
    v8 at = v8_dot(x, v8_set(f->m[k][0]), y, v8_set(f->m[k][1]), z, v8_set(f->m[k][2]));
    v8_store(out[k], v8_add(at, v8_set(f->t[k])));
  }
  v8 r = v8_mul(v8_load_lanes(s + 3 * width, width), v8_set(f->stretch));
  v8_store(out[3], v8_add(r, v8_set(2 * f->margin)));
}

static inline void sphere_carry_one(const frame_change *f, const float *lane, int stride, float *out)
{
  swept_carry_one(f, lane, stride, 0, out);
}

/* The distance of the centres, less both radii. Lengths below 1e-18 have squares that float does
 * not hold. */
static KERNEL_INLINE v8 sphere_lengths(const float *shapes, int width, const float *q, swept_aim aim)
{
  v8 d[3];
  (void)aim;
  for (int k = 0; k < 3; ++k) d[k] = v8_sub(v8_load_lanes(shapes + k * width, width), v8_set(q[k]));
  v8 length = v8_sqrt(swept_dot(d, d)), radii = v8_add(v8_load_lanes(shapes + 3 * width, width), v8_set(q[3]));
  v8 error = v8_mul(v8_add(length, radii), v8_set(SWEPT_ERROR));
  return v8_max(v8_sub(v8_sub(length, radii), error), v8_set(0));
}

#endif
#endif
