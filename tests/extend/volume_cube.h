/* A volume added from outside: cubes along the axes, centre and half side. All points whose
 * coordinates differ from the centre's by at most the half side. Fit: the centre of the points'
 * box. Cost: two passes over the points. */
#ifndef EXTEND_VOLUME_CUBE_H
#define EXTEND_VOLUME_CUBE_H

#include "bounds/swept.h"
#include "bounds/volume_map.h"
#include "math/round.h"

#include <math.h>

enum { CUBE_FLOATS = 4 };

static inline void cube_fit(const bounded *s, float *lane, int width)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0, q[3];
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    bounded_get(s, i, q);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], q[k]);
      high[k] = fmax(high[k], q[k]);
    }
  }
  for (int k = 0; k < 3; ++k) {
    lane[k * width] = (float)(0.5 * low[k] + 0.5 * high[k]);
    double centre = (double)lane[k * width];
    /* from the stored centre; each rounded once */
    half = fmax(half, fmax(high[k] - centre, centre - low[k]));
  }
  lane[3 * width] = round_up(half * (1 + 1e-15));
}

static inline bool cube_contains(const float *lane, int width, const double point[3])
{
  double half = (double)lane[3 * width];
  for (int k = 0; k < 3; ++k)
    if (fabs(point[k] - (double)lane[k * width]) > half * (1 + 1e-15)) return false;
  return true;
}

static inline float cube_size(const float *lane, int width) { return lane[3 * width]; }

#define VOLUME_CUBE cube
#define CUBE_ROW                                                                                                       \
  {                                                                                                                    \
    .floats = CUBE_FLOATS, .fit = cube_fit, .contains = cube_contains, .blends = true, .size = cube_size,              \
    .grow = cube_grow, .centred = true                                                                                 \
  }

static const float cube_grow[CUBE_FLOATS] = {[3] = 1};

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

enum { CUBE_FIRST = 0, CUBE_BOTH = 0, CUBE_FAR = 1 };
#define CUBE_SIX NULL

/* The greatest difference of the centres along an axis, less both half sides. Differences and
 * sums are right to 2^-24 of themselves; 2^-20 of all lengths is taken off. */
static KERNEL_INLINE v8 cube_gaps(const float *s, const int width, const float *q, int stride)
{
  v8 most = v8_set(0), reach = v8_add(v8_load_lanes(s + 3 * width, width), v8_set(q[3 * stride]));
  for (int k = 0; k < 3; ++k)
    most = v8_max(v8_abs(v8_sub(v8_load_lanes(s + k * width, width), v8_set(q[k * stride]))), most);
  return v8_sub(v8_sub(most, reach), v8_mul(v8_add(most, reach), v8_set(0x1p-20f)));
}

static KERNEL_INLINE unsigned cube_near(const float *s, const int width, const float *q, int stride, unsigned lanes)
{
  return ~v8m_bits(v8_lt(v8_set(0), cube_gaps(s, width, q, stride))) & lanes;
}

/* The greatest sum of a row: how far a cube of half side 1 reaches along an axis of the other
 * space. */
static KERNEL_INLINE float cube_stretch(const frame_change *f)
{
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    float sum = f->abs[k][0] + f->abs[k][1] + f->abs[k][2];
    most = sum > most ? sum : most;
  }
  return most * (1 + 0x1p-20f);
}

static KERNEL_INLINE void cube_carry(volume_map *map, const shape_lane *from, float out[][8])
{
  const frame_change *f = map->map;
  const float *s = from->part[1];
  const int width = from->width;
  v8 x = v8_load_lanes(s, width), y = v8_load_lanes(s + width, width), z = v8_load_lanes(s + 2 * width, width);
  for (int k = 0; k < 3; ++k) {
    v8 at = v8_dot(x, v8_set(f->m[k][0]), y, v8_set(f->m[k][1]), z, v8_set(f->m[k][2]));
    v8_store(out[k], v8_add(at, v8_set(f->t[k])));
  }
  v8 half = v8_mul(v8_load_lanes(s + 3 * width, width), v8_set(cube_stretch(f)));
  v8_store(out[3], v8_add(half, v8_set(2 * f->margin)));
}

static inline void cube_carry_one(const frame_change *f, const float *lane, int stride, float *out)
{
  for (int k = 0; k < 3; ++k)
    out[k] = f->m[k][0] * lane[0] + f->m[k][1] * lane[stride] + f->m[k][2] * lane[2 * stride] + f->t[k];
  out[3] = cube_stretch(f) * lane[3 * stride] + 2 * f->margin;
}

/* Two cubes are at least as far apart as along an axis. */
static KERNEL_INLINE v8 cube_lengths(const float *shapes, int width, const float *q, swept_aim aim)
{
  (void)aim;
  return v8_max(cube_gaps(shapes, width, q, 1), v8_set(0));
}

#endif
#endif
