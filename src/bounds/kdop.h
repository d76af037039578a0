/* k-DOPs: slabs along fixed directions (Klosowski et al. 1998), k = 14, 18, 26. The three slabs
 * along the axes are the box that the tree has already; a shape holds the further k/2 - 3 only:
 * all lower bounds, then all upper ones. The normals are not of length 1, so that a projection
 * is a sum of coordinates: right to 2 roundings of double, and exact for most floats.
 *
 * The further slabs of k = 14 are the diagonals of the cube, those of k = 18 the diagonals of
 * its faces, and k = 26 has both. A direction of space is a non-negative combination of three
 * normals, which kdop_cone() finds without a search. */
#ifndef BOUNDS_KDOP_H
#define BOUNDS_KDOP_H

#include "bounds/swept.h"
#include "bounds/volume_map.h"
#include "math/round.h"

#include <math.h>

enum { KDOP14_SLABS = 4, KDOP18_SLABS = 6, KDOP26_SLABS = 10, KDOP_MOST = 13, KDOP_AXES = 3 };

/* Normals: the axes, the diagonals of the cube, the diagonals of its faces. */
static const signed char kdop_normals[KDOP_MOST][3] = {{1, 0, 0},  {0, 1, 0},   {0, 0, 1}, {1, 1, 1},  {1, 1, -1},
                                                       {1, -1, 1}, {1, -1, -1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                                       {1, 0, -1}, {0, 1, 1},   {0, 1, -1}};

/* The normal of slab s of a k-DOP with `slabs` further ones; slabs 0, 1, 2 are the box's. */
static inline const signed char *kdop_normal(int slabs, int s)
{
  return kdop_normals[slabs == KDOP18_SLABS && s >= KDOP_AXES ? s + KDOP14_SLABS : s];
}

/* --------------------------------------------------------------------------------------- fit -- */

/* q along the further normals. Each is right to 2^-52 (|x| + |y| + |z|). */
static inline void kdop_project(int slabs, const double q[3], double *out)
{
  double sum = q[0] + q[1], difference = q[0] - q[1];
  if (slabs != KDOP18_SLABS) {
    *out++ = sum + q[2];
    *out++ = sum - q[2];
    *out++ = difference + q[2];
    *out++ = difference - q[2];
  }
  if (slabs == KDOP14_SLABS) return;
  *out++ = sum;
  *out++ = difference;
  *out++ = q[0] + q[2];
  *out++ = q[0] - q[2];
  *out++ = q[1] + q[2];
  *out++ = q[1] - q[2];
}

static inline void kdop_fit(const int slabs, const bounded *s, float *lane, int width)
{
  double low[KDOP26_SLABS], high[KDOP26_SLABS], along[KDOP26_SLABS], size = 0;
  for (int k = 0; k < slabs; ++k) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3];
    bounded_get(s, i, q);
    kdop_project(slabs, q, along);
    for (int k = 0; k < slabs; ++k) {
      low[k] = along[k] < low[k] ? along[k] : low[k];
      high[k] = along[k] > high[k] ? along[k] : high[k];
    }
    double length = fabs(q[0]) + fabs(q[1]) + fabs(q[2]);
    size = length > size ? length : size;
  }
  bool finite = size < 1e300; /* otherwise a sum may have overflowed: all of space */
  for (int k = 0; k < slabs; ++k) {
    lane[k * width] = finite ? round_down(low[k] - 0x1p-51 * size) : -INFINITY;
    lane[(k + slabs) * width] = finite ? round_up(high[k] + 0x1p-51 * size) : INFINITY;
  }
}

/* The union of a block of shapes: exact. */
static inline void kdop_merge(const int slabs, const float *shapes, int width, int count, float *lane, int lane_width)
{
  for (int k = 0; k < slabs; ++k) {
    const float *lower = shapes + k * width, *upper = shapes + (k + slabs) * width;
    float low = lower[0], high = upper[0];
    for (int i = 1; i < count; ++i) {
      low = lower[i] < low ? lower[i] : low;
      high = upper[i] > high ? upper[i] : high;
    }
    lane[k * lane_width] = low;
    lane[(k + slabs) * lane_width] = high;
  }
}

static inline bool kdop_contains(const int slabs, const float *lane, int width, const double point[3])
{
  double along[KDOP26_SLABS], doubt = 0x1p-51 * (fabs(point[0]) + fabs(point[1]) + fabs(point[2]));
  kdop_project(slabs, point, along);
  for (int k = 0; k < slabs; ++k)
    if ((double)lane[k * width] > along[k] + doubt || (double)lane[(k + slabs) * width] < along[k] - doubt)
      return false;
  return true;
}

/* The mean of half the widths of the further slabs. */
static inline float kdop_size(const int slabs, const float *lane, int width)
{
  double sum = 0;
  for (int k = 0; k < slabs; ++k) {
    const signed char *n = kdop_normal(slabs, k + KDOP_AXES);
    double length = sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    sum += ((double)lane[(k + slabs) * width] - (double)lane[k * width]) / length;
  }
  return (float)(0.5 * sum / slabs);
}

/* ---------------------------------------------------------------- k-DOPs of two model spaces -- */

/* The slab that a normal with components -1, 0, 1 belongs to; *flip: by its opposite. */
static inline int kdop_slab(int slabs, const int normal[3], bool *flip)
{
  /* of those that begin with 1 */
  static const signed char slab_of[13] = {2, 12, 1, 11, 6, 8, 5, 10, 0, 9, 4, 7, 3};
  int code = 9 * normal[0] + 3 * normal[1] + normal[2];
  *flip = code < 0;
  int s = slab_of[(code < 0 ? -code : code) - 1];
  return slabs == KDOP18_SLABS && s >= KDOP_AXES ? s - KDOP14_SLABS : s;
}

/* The three normals around the direction whose components, by size, are x >= y >= z >= 0 in
 * places 0, 1, 2. */
static inline void kdop_corner(int slabs, double x, double y, double z, int normal[3][3], double weight[3])
{
  static const signed char of14[3][3] = {{1, 0, 0}, {1, 1, 1}, {1, 1, -1}},
                           of26[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
                           of18[2][3][3] = {{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}}, {{0, 1, 1}, {1, 1, 0}, {1, 0, 1}}};
  bool inner = y + z > x;
  const signed char(*n)[3] = slabs == KDOP14_SLABS ? of14 : slabs == KDOP26_SLABS ? of26 : of18[inner];
  if (slabs == KDOP14_SLABS)
    weight[0] = x - y, weight[1] = 0.5 * (y + z), weight[2] = 0.5 * (y - z);
  else if (slabs == KDOP26_SLABS)
    weight[0] = x - y, weight[1] = y - z, weight[2] = z;
  else if (inner)
    weight[0] = 0.5 * (y + z - x), weight[1] = 0.5 * (x + y - z), weight[2] = 0.5 * (x + z - y);
  else
    weight[0] = x - y - z, weight[1] = y, weight[2] = z;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) normal[i][k] = n[i][k];
}

/* d as a non-negative combination of normals; leaves shift and margin alone. Returns the sum of
 * the weights. */
static inline double kdop_cone(int slabs, const double d[3], kdop_direction *out)
{
  int order[3] = {0, 1, 2}, sorted[3][3];
  double size[3] = {fabs(d[0]), fabs(d[1]), fabs(d[2])}, weight[3], sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 2; j > i; --j)
      if (size[order[j]] > size[order[j - 1]]) {
        int swap = order[j];
        order[j] = order[j - 1];
        order[j - 1] = swap;
      }
  kdop_corner(slabs, size[order[0]], size[order[1]], size[order[2]], sorted, weight);
  for (int i = 0; i < 3; ++i) {
    int normal[3];
    bool flip;
    for (int k = 0; k < 3; ++k) normal[order[k]] = d[order[k]] < 0 ? -sorted[i][k] : sorted[i][k];
    int s = kdop_slab(slabs, normal, &flip), more = s >= KDOP_AXES, first = more ? s - KDOP_AXES : s;
    kdop_place lower = {(uint8_t)more, (uint8_t)first},
               upper = {(uint8_t)more, (uint8_t)(first + (more ? slabs : KDOP_AXES))};
    out->low[i] = flip ? upper : lower;
    out->high[i] = flip ? lower : upper;
    out->weight[i] = (float)(flip ? -weight[i] : weight[i]);
    sum += weight[i];
  }
  return sum;
}

/* The normals of a body's k-DOPs for volumes of another space, which x -> m x + t transforms
 * into its own, right to `margin` along each axis and so to 3 along a normal. own and other: the
 * greatest |x| + |y| + |z| in either space; 2^-18 of all terms covers the roundings that follow. */
static inline void kdop_turn(int slabs, const float m[3][3], const float t[3], float margin, double own, double other,
                             kdop_change *out)
{
  for (int s = 0; s < slabs; ++s) {
    const signed char *n = kdop_normal(slabs, s + KDOP_AXES);
    kdop_direction *d = &out->direction[s];
    double along[3], shift = 0, length = own;
    for (int c = 0; c < 3; ++c) {
      along[c] = n[0] * (double)m[0][c] + n[1] * (double)m[1][c] + n[2] * (double)m[2][c];
      shift += n[c] * (double)t[c];
      length += fabs((double)t[c]);
    }
    length += kdop_cone(slabs, along, d) * other;
    d->shift = (float)shift;
    d->margin = round_up(3 * (double)margin + 0x1p-18 * length);
  }
}

/* --------------------------------------------------------------------------------- the kinds -- */

/* The lengths of the normals, a little more: how far a slab grows where points move by 1. */
#define KDOP_CUBE 1.73206f
#define KDOP_FACE 1.41422f
static const float kdop14_grow[2 * KDOP14_SLABS] = {-KDOP_CUBE, -KDOP_CUBE, -KDOP_CUBE, -KDOP_CUBE,
                                                    KDOP_CUBE,  KDOP_CUBE,  KDOP_CUBE,  KDOP_CUBE};
static const float kdop18_grow[2 * KDOP18_SLABS] = {-KDOP_FACE, -KDOP_FACE, -KDOP_FACE, -KDOP_FACE,
                                                    -KDOP_FACE, -KDOP_FACE, KDOP_FACE,  KDOP_FACE,
                                                    KDOP_FACE,  KDOP_FACE,  KDOP_FACE,  KDOP_FACE};
static const float kdop26_grow[2 * KDOP26_SLABS] = {-KDOP_CUBE, -KDOP_CUBE, -KDOP_CUBE, -KDOP_CUBE, -KDOP_FACE,
                                                    -KDOP_FACE, -KDOP_FACE, -KDOP_FACE, -KDOP_FACE, -KDOP_FACE,
                                                    KDOP_CUBE,  KDOP_CUBE,  KDOP_CUBE,  KDOP_CUBE,  KDOP_FACE,
                                                    KDOP_FACE,  KDOP_FACE,  KDOP_FACE,  KDOP_FACE,  KDOP_FACE};

#define VOLUME_KDOP14 kdop14
#define VOLUME_KDOP18 kdop18
#define VOLUME_KDOP26 kdop26
#define KDOP_ROW(name, slabs)                                                                                          \
  {                                                                                                                    \
    .floats = 2 * (slabs), .fit = name##_fit, .contains = name##_contains, .blends = true, .merge = name##_merge,      \
    .intervals = true, .size = name##_size, .grow = name##_grow                                                        \
  }
#define KDOP14_ROW KDOP_ROW(kdop14, KDOP14_SLABS)
#define KDOP18_ROW KDOP_ROW(kdop18, KDOP18_SLABS)
#define KDOP26_ROW KDOP_ROW(kdop26, KDOP26_SLABS)

#define KDOP_KIND(name, slabs)                                                                                         \
  static inline void name##_fit(const bounded *s, float *lane, int width) { kdop_fit(slabs, s, lane, width); }         \
  static inline void name##_merge(const float *shapes, int width, int count, float *lane, int lane_width)              \
  {                                                                                                                    \
    kdop_merge(slabs, shapes, width, count, lane, lane_width);                                                         \
  }                                                                                                                    \
  static inline bool name##_contains(const float *lane, int width, const double point[3])                              \
  {                                                                                                                    \
    return kdop_contains(slabs, lane, width, point);                                                                   \
  }                                                                                                                    \
  static inline float name##_size(const float *lane, int width) { return kdop_size(slabs, lane, width); }
KDOP_KIND(kdop14, KDOP14_SLABS)
KDOP_KIND(kdop18, KDOP18_SLABS)
KDOP_KIND(kdop26, KDOP26_SLABS)
#undef KDOP_KIND

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

/* In one space two k-DOPs are apart if two of their slabs are. Between two spaces what boxes
 * leave is tested along the further normals of both: each k-DOP is bounded along the other's
 * normals by combinations of three, all children of a node together. The relation between the
 * normals is computed at the first such test: many walks end with the boxes of the roots. */
enum {
  KDOP14_FIRST = 0,
  KDOP14_BOTH = 1,
  KDOP14_FAR = 0,
  KDOP18_FIRST = 0,
  KDOP18_BOTH = 1,
  KDOP18_FAR = 0,
  KDOP26_FIRST = 0,
  KDOP26_BOTH = 1,
  KDOP26_FAR = 0,
};
#define KDOP14_SIX NULL
#define KDOP18_SIX NULL
#define KDOP26_SIX NULL

static KERNEL_INLINE unsigned kdop_near(const int slabs, const float *shapes, const int width, const float *q,
                                        int stride, unsigned lanes)
{
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int s = 0; s < slabs; ++s) {
    v8 lower = v8_load_lanes(shapes + s * width, width), upper = v8_load_lanes(shapes + (s + slabs) * width, width);
    apart = v8m_or(apart, v8m_or(v8_lt(upper, v8_set(q[s * stride])), v8_lt(v8_set(q[(s + slabs) * stride]), lower)));
  }
  return ~v8m_bits(apart) & lanes;
}

static KERNEL_INLINE void kdop_carry(const int slabs, volume_map *map, const shape_lane *from, float out[][8])
{
  if (!map->known) {
    kdop_turn(slabs, map->map->m, map->map->t, map->map->margin, map->own, map->other, &map->change);
    map->known = true;
  }
  for (int s = 0; s < slabs; ++s) {
    const kdop_direction *d = map->change.direction + s;
    v8 low = v8_set(d->shift - d->margin), high = v8_set(d->shift + d->margin);
    for (int i = 0; i < 3; ++i) {
      v8 weight = v8_set(d->weight[i]);
      const float *lows = from->part[d->low[i].in] + d->low[i].row * from->width;
      const float *highs = from->part[d->high[i].in] + d->high[i].row * from->width;
      low = v8_add(low, v8_mul(weight, v8_load_lanes(lows, from->width)));
      high = v8_add(high, v8_mul(weight, v8_load_lanes(highs, from->width)));
    }
    v8_store(out[s], low);
    v8_store(out[s + slabs], high);
  }
}

/* The greatest gap along a slab, over the length of its normal. */
static KERNEL_INLINE v8 kdop_lengths(const int slabs, const float *shapes, const int width, const float *q)
{
  v8 most = v8_set(0);
  for (int s = 0; s < slabs; ++s) {
    v8 lower = v8_load_lanes(shapes + s * width, width), upper = v8_load_lanes(shapes + (s + slabs) * width, width);
    v8 gap = v8_max(v8_sub(lower, v8_set(q[s + slabs])), v8_sub(v8_set(q[s]), upper));
    /* a diagonal of the cube, or of a face */
    bool cube = slabs != KDOP18_SLABS && s < KDOP14_SLABS;
    most = v8_max(v8_mul(gap, v8_set(cube ? 0.577350f : 0.707106f)), most);
  }
  return most;
}

#define KDOP_KIND_LANES(name, slabs)                                                                                   \
  static KERNEL_INLINE unsigned name##_near(const float *shapes, const int width, const float *q, int stride,          \
                                            unsigned lanes)                                                            \
  {                                                                                                                    \
    return kdop_near(slabs, shapes, width, q, stride, lanes);                                                          \
  }                                                                                                                    \
  static inline void name##_carry(volume_map *map, const shape_lane *from, float out[][8])                             \
  {                                                                                                                    \
    kdop_carry(slabs, map, from, out);                                                                                 \
  }                                                                                                                    \
  static inline void name##_carry_one(const frame_change *f, const float *lane, int stride, float *out)                \
  {                                                                                                                    \
    (void)f, (void)lane, (void)stride, (void)out; /* not called: there is no distance bound in two spaces */           \
  }                                                                                                                    \
  static KERNEL_INLINE v8 name##_lengths(const float *shapes, int width, const float *q, swept_aim aim)                \
  {                                                                                                                    \
    (void)aim;                                                                                                         \
    return kdop_lengths(slabs, shapes, width, q);                                                                      \
  }
KDOP_KIND_LANES(kdop14, KDOP14_SLABS)
KDOP_KIND_LANES(kdop18, KDOP18_SLABS)
KDOP_KIND_LANES(kdop26, KDOP26_SLABS)
#undef KDOP_KIND_LANES

#endif
#endif
