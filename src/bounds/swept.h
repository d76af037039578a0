/* Swept shapes: a point, segment, rectangle or box, swept by a sphere. What rss.h and obb.h have
 * in common.
 *
 * Components: the centre c, then half-edges e_1 .. e_n (3 floats each), then the radius r. The
 * shape is all points within r of { c + s_1 e_1 + ... + s_n e_n, |s_i| <= 1 }, for the floats as
 * they stand: the half-edges need not be perpendicular, though a fit makes them so to the
 * precision of float. Containment is therefore by construction: the radius is measured last,
 * from the stored floats, and rounded up. Inflation is a greater radius. */
#ifndef BOUNDS_SWEPT_H
#define BOUNDS_SWEPT_H

#include "bounds/principal.h"
#include "bounds/volume_map.h"
#include "math/round.h"

/* How far a point is from the shape's inside (the radius not counted), at most: the distance to
 * the point that coordinate descent finds, which is the nearest one after a sweep or two, as the
 * half-edges are almost perpendicular. */
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

/* The mean of the half-lengths. */
static inline float swept_extent(const float *lane, int width, int edges)
{
  double sum = 0;
  for (int i = 0; i < edges; ++i) {
    const float *edge = lane + (3 + 3 * i) * width;
    double e[3] = {(double)edge[0], (double)edge[width], (double)edge[2 * width]};
    sum += sqrt(dot3(e, e));
  }
  return (float)(sum / 3) + lane[(3 + 3 * edges) * width];
}

/* Stores what reaches as far as `e` along the first `edges` axes of a frame and stands at its
 * least on the others; then measures the radius that holds all points. */
static inline void swept_store(const bounded *s, const frame3 *f, const extent3 *e, int edges, float *lane, int width)
{
  double centre[3] = {f->centre[0], f->centre[1], f->centre[2]};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      centre[k] += extent_middle(e, i) * f->axis[i][k];
      if (i < edges) lane[(3 + 3 * i + k) * width] = (float)((0.5 * e->high[i] - 0.5 * e->low[i]) * f->axis[i][k]);
    }
  for (int k = 0; k < 3; ++k) lane[k * width] = (float)centre[k];
  double radius = 0;
  for (uint32_t i = 0; i < bounded_count(s); ++i) {
    double q[3];
    bounded_get(s, i, q);
    double d = swept_residue(lane, width, edges, q, 1);
    radius = d > radius ? d : radius;
  }
  /* The point it was measured to is one of the shape's whatever rounding made of the
   * coefficients; the way there rounds. */
  lane[(3 + 3 * edges) * width] = round_up(radius * (1 + 1e-14) + 4e-15 * swept_size(lane, width, edges));
}

static inline bool swept_contains(const float *lane, int width, int edges, const double point[3])
{
  double radius = (double)lane[(3 + 3 * edges) * width];
  if (!(radius < INFINITY) || swept_residue(lane, width, edges, point, 1) <= radius) return true;
  double most = radius * (1 + 1e-14) + 4e-15 * swept_size(lane, width, edges);
  return swept_residue(lane, width, edges, point, 4) <= most;
}

/* What a caller wants to know: which of `lanes` are farther apart than `enough`. The bounds of
 * others are then less sharp. */
typedef struct swept_aim {
  float enough; /* not a number: all bounds are to be as sharp as can be */
  unsigned lanes;
} swept_aim;
#define SWEPT_NO_AIM ((swept_aim){NAN, 0xff})

/* ------------------------------------------------------------------------------------- lanes -- */
#ifdef KERNEL_LANES

/* How far 8 swept shapes (bounds/swept.h) are from one, at least. For every direction n, two
 * sets are as far apart as their shadows on n, or farther: |n . (c1 - c2)| less the half-widths
 * along n, over |n|. So whatever is tried is a proven bound, degenerate and slanted shapes
 * included, and only its tightness depends on the choice. Tried are the directions that carry
 * the distance where
 *   a corner is nearest to a face: the normals of the faces;
 *   two edges are nearest: their cross products;
 *   corner and corner, or corner and edge: between the points that coordinate descent finds.
 * The first two are the separating axes of Gottschalk, Lin, Manocha 1996. Rounding: a scalar
 * product of 3 terms is right to 3 * 2^-24 of the product of the lengths, and so are the few
 * sums, the root and the quotient: 14 * 2^-24 of all lengths together; SWEPT_ERROR is 20 * 2^-24
 * of a sum that is never less. Where float's range may not do: the bound 0. */

#define SWEPT_ERROR 1.2e-6f
enum { SWEPT_ROUNDS = 3 };

typedef struct swept8 {                         /* 8 shapes, or one in all lanes */
  v8 centre[3], edge[3][3], inverse[3], radius; /* 1 / |edge|^2 */
} swept8;

static KERNEL_INLINE v8 swept_dot(const v8 a[3], const v8 b[3]) { return v8_dot(a[0], b[0], a[1], b[1], a[2], b[2]); }

/* s->centre is relative to q's from here on. */
static KERNEL_SHARED v8 swept_try(const swept8 *s, const swept8 *q, int edges, const v8 n[3], v8 best)
{
  v8 gap = v8_abs(swept_dot(n, s->centre)), square = swept_dot(n, n);
  for (int i = 0; i < edges; ++i) {
    gap = v8_sub(gap, v8_abs(swept_dot(n, s->edge[i])));
    gap = v8_sub(gap, v8_abs(swept_dot(n, q->edge[i])));
  }
  v8 bound = v8_div(gap, v8_sqrt(square));
  return v8_max(v8_select(v8_lt(v8_set(1e-20f), square), bound, v8_set(0)), best);
}

static KERNEL_INLINE v8 swept_clamp(v8 x) { return v8_max(v8_min(x, v8_set(1)), v8_set(-1)); }

/* From the centres on, one coefficient of the two nearest points after the other; the way
 * between them is a good direction. */
static KERNEL_INLINE void swept_between(const swept8 *s, const swept8 *q, int edges, v8 n[3])
{
  v8 on_s[3], on_q[3];
  for (int k = 0; k < 3; ++k) {
    n[k] = s->centre[k];
    on_s[k] = on_q[k] = v8_set(0);
  }
  for (int round = 0; round < SWEPT_ROUNDS; ++round)
    for (int i = 0; i < edges; ++i) {
      v8 at = swept_clamp(v8_add(on_q[i], v8_mul(swept_dot(n, q->edge[i]), q->inverse[i])));
      v8 step = v8_sub(on_q[i], at);
      for (int k = 0; k < 3; ++k) n[k] = v8_add(n[k], v8_mul(step, q->edge[i][k]));
      on_q[i] = at;
      at = swept_clamp(v8_sub(on_s[i], v8_mul(swept_dot(n, s->edge[i]), s->inverse[i])));
      step = v8_sub(at, on_s[i]);
      for (int k = 0; k < 3; ++k) n[k] = v8_add(n[k], v8_mul(step, s->edge[i][k]));
      on_s[i] = at;
    }
}

static KERNEL_INLINE void swept_cross(const v8 a[3], const v8 b[3], v8 out[3])
{
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = v8_cross(a[i], b[j], a[j], b[i]);
  }
}

static KERNEL_INLINE void swept_load(swept8 *s, const float *shapes, int width, int edges)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_load_lanes(shapes + k * width, width);
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) s->edge[i][k] = v8_load_lanes(shapes + (3 + 3 * i + k) * width, width);
  s->radius = v8_load_lanes(shapes + (3 + 3 * edges) * width, width);
}

static KERNEL_INLINE void swept_set(swept8 *s, const float *one, int edges)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_set(one[k]);
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) s->edge[i][k] = v8_set(one[3 + 3 * i + k]);
  s->radius = v8_set(one[3 + 3 * edges]);
}

/* The half-edges at unit length. */
static KERNEL_INLINE void swept_units(const swept8 *s, int edges, v8 unit[3][3])
{
  for (int i = 0; i < edges; ++i) {
    v8 length = v8_sqrt(v8_max(swept_dot(s->edge[i], s->edge[i]), v8_set(1e-30f)));
    for (int k = 0; k < 3; ++k) unit[i][k] = v8_div(s->edge[i][k], length);
  }
}

/* The sum of all lengths along the axes, which bounds that of the lengths. */
static KERNEL_INLINE v8 swept_lengths(const swept8 *s, const swept8 *q, int edges)
{
  v8 sum = v8_add(v8_abs(s->centre[0]), v8_add(v8_abs(s->centre[1]), v8_abs(s->centre[2])));
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) sum = v8_add(sum, v8_add(v8_abs(s->edge[i][k]), v8_abs(q->edge[i][k])));
  return sum;
}

/* The normals of faces, and the cross products of edges. */
static KERNEL_INLINE v8 swept_try_axes(const swept8 *s, const swept8 *q, int edges, v8 best)
{
  v8 own[3][3], other[3][3], n[3];
  swept_units(s, edges, own);
  swept_units(q, edges, other);
  if (edges == 2) { /* the normals of the rectangles */
    swept_cross(own[0], own[1], n);
    best = swept_try(s, q, edges, n, best);
    swept_cross(other[0], other[1], n);
    best = swept_try(s, q, edges, n, best);
  } else {
    for (int i = 0; i < edges; ++i) {
      best = swept_try(s, q, edges, own[i], best);
      best = swept_try(s, q, edges, other[i], best);
    }
  }
  for (int i = 0; i < edges; ++i)
    for (int j = 0; j < edges; ++j) {
      swept_cross(own[i], other[j], n);
      best = swept_try(s, q, edges, n, best);
    }
  return best;
}

/* Distances of pairs of shapes, at least: those of the insides, less both radii. The way between
 * the nearest points goes first, as it finds most of those that are apart. */
static KERNEL_INLINE KERNEL_RARE v8 swept_bounds(swept8 *s, swept8 *q, int edges, swept_aim aim)
{
  for (int k = 0; k < 3; ++k) s->centre[k] = v8_sub(s->centre[k], q->centre[k]);
  for (int i = 0; i < edges; ++i) {
    s->inverse[i] = v8_div(v8_set(1), v8_max(swept_dot(s->edge[i], s->edge[i]), v8_set(1e-30f)));
    q->inverse[i] = v8_div(v8_set(1), v8_max(swept_dot(q->edge[i], q->edge[i]), v8_set(1e-30f)));
  }
  v8 radii = v8_add(s->radius, q->radius), n[3];
  v8 lengths = v8_add(swept_lengths(s, q, edges), radii);
  v8 error = v8_add(v8_mul(lengths, v8_set(SWEPT_ERROR)), v8_set(1e-30f));
  swept_between(s, q, edges, n);
  v8 best = swept_try(s, q, edges, n, v8_set(0));
  v8 bound = v8_max(v8_sub(v8_sub(best, radii), error), v8_set(0)), enough = v8_set(aim.enough);
  /* Two points of the insides are |n| apart: no direction can prove more than that. */
  v8 most = v8_sub(v8_sub(v8_sqrt(swept_dot(n, n)), radii), error);
  if (aim.lanes & ~v8m_bits(v8_lt(enough, bound)) & ~v8m_bits(v8_le(most, enough))) {
    best = swept_try_axes(s, q, edges, best);
    bound = v8_max(v8_sub(v8_sub(best, radii), error), v8_set(0));
  }
  /* beyond, squares may overflow */
  return v8_select(v8_lt(lengths, v8_set(1e18f)), bound, v8_set(0));
}

/* A shape of another space, which f transforms into this one. The margin of f bounds the error
 * of a point of the box that the shape's points are in; a half-edge alone is off by no more, and
 * the sum of all of it by 2 margins, which the radius takes. */
static inline void swept_carry_one(const frame_change *f, const float *lane, int stride, int edges, float *out)
{
  for (int i = 0; i <= edges; ++i)
    for (int k = 0; k < 3; ++k) {
      const float *at = lane + 3 * i * stride, *m = f->m[k];
      float x = m[0] * at[0] + m[1] * at[stride] + m[2] * at[2 * stride];
      out[3 * i + k] = i ? x : x + f->t[k];
    }
  out[3 + 3 * edges] = f->stretch * lane[(3 + 3 * edges) * stride] + 2 * f->margin;
}

/* The same of a block. */
static KERNEL_INLINE void swept_carry(const frame_change *f, const shape_lane *from, int edges, float out[][8])
{
  const int width = from->width;
  for (int i = 0; i <= edges; ++i) {
    const float *at = from->part[1] + 3 * i * width;
    v8 x = v8_load_lanes(at, width), y = v8_load_lanes(at + width, width), z = v8_load_lanes(at + 2 * width, width);
    for (int k = 0; k < 3; ++k) {
      v8 to = v8_dot(x, v8_set(f->m[k][0]), y, v8_set(f->m[k][1]), z, v8_set(f->m[k][2]));
      v8_store(out[3 * i + k], i ? to : v8_add(to, v8_set(f->t[k])));
    }
  }
  v8 r = v8_mul(v8_load_lanes(from->part[1] + (3 + 3 * edges) * width, width), v8_set(f->stretch));
  v8_store(out[3 + 3 * edges], v8_add(r, v8_set(2 * f->margin)));
}

/* Which lanes may meet shape q. */
static KERNEL_INLINE unsigned swept_near_of(v8 lengths, unsigned lanes)
{
  return lanes & v8m_bits(v8_le(lengths, v8_set(0)));
}

/* Lengths of the two children of a against b, b's first and b's second: lanes 0 and 1, 2 and 3,
 * 4 and 5. `own` is b's shape. */
typedef v8 (*lengths_of_six)(const float *a, const float *own, int own_width, const float *b, swept_aim aim);

/* The lanes of a kind whose shapes are swept by NAME_EDGES edges. One function for the lengths of
 * all widths: it is long, so a call costs little. */
#define SWEPT_LANES(name, NAME)                                                                                        \
  static __attribute__((noinline, unused))                                                                             \
  v8 name##_lengths(const float *shapes, int width, const float *q, swept_aim aim)                                     \
  {                                                                                                                    \
    swept8 s, one;                                                                                                     \
    swept_load(&s, shapes, width, NAME##_EDGES);                                                                       \
    swept_set(&one, q, NAME##_EDGES);                                                                                  \
    return swept_bounds(&s, &one, NAME##_EDGES, aim);                                                                  \
  }                                                                                                                    \
  static inline unsigned name##_near(const float *shapes, const int width, const float *q, int stride, unsigned lanes) \
  {                                                                                                                    \
    float one[NAME##_FLOATS];                                                                                          \
    for (int k = 0; k < NAME##_FLOATS; ++k) one[k] = q[k * stride];                                                    \
    return swept_near_of(name##_lengths(shapes, width, one, (swept_aim){0, lanes}), lanes);                            \
  }                                                                                                                    \
  static inline void name##_carry(volume_map *map, const shape_lane *from, float out[][8])                             \
  {                                                                                                                    \
    swept_carry(map->map, from, NAME##_EDGES, out);                                                                    \
  }                                                                                                                    \
  static inline void name##_carry_one(const frame_change *f, const float *lane, int stride, float *out)                \
  {                                                                                                                    \
    swept_carry_one(f, lane, stride, NAME##_EDGES, out);                                                               \
  }

#endif
#endif
