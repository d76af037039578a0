/* Cones of patches on their way, and borders that stay simple (swept_cones.h).
 *
 * Error of a cone. The coefficient in the middle is half of a sum of two cross products: with
 * the names of cones.inl each of its components is right to 10 u m1 m2 + 4 delta (m1 + m2),
 * where m1, m2 are the largest of both poses, and n . d to 30 u m1 m2 + 3 u |n| + 12 delta (m1 +
 * m2). What cones.inl asks for, 64 u m1 m2 and 16 delta (m1 + m2), is more.
 *
 * Two sufficient tests of a border, with the names and errors of contour.inl; both poses are
 * projected along the same axis.
 *   star      the centre moves linearly, too. The cross product of two rays is a quadratic
 *             function of time; its coefficient in the middle, half of a sum of two cross
 *             products, is right to 8 L R e + 20 u L L R R, and e >= 16 u L R: 16 L R e is more.
 *             If all three are positive, every edge turns counter-clockwise at all times, and
 *             the number of turns, an integer, cannot change.
 *   monotone  the difference of two corners along a direction is linear in time: it keeps the
 *             sign that it has at both ends.
 * With a margin the limits are those of contour.inl; rays from a moving centre are convex
 * functions of time, and the longest of both poses counts. */
#ifndef KERNELS_SWEPT_CONES_INL
#define KERNELS_SWEPT_CONES_INL

#include "kernels/cones.inl"
#include "kernels/contour.inl"
#include "kernels/swept_cones.h"

/* ------------------------------------------------------------------------------------- cones -- */

static KERNEL_INLINE void swept_edges_load(const swept_patches *s, uint32_t first, uint32_t count, int pose, v8 e[2][3])
{
  leaf_lanes l;
  leaf_lanes_of(s->positions + 4 * pose, 8, s->of->tri + 3 * (size_t)first, (int)count, &l);
  leaf_lanes_edges(&l, e);
}

static KERNEL_INLINE void cross8(v8 a[3], v8 b[3], v8 out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = v8_cross(a[(k + 1) % 3], b[(k + 2) % 3], a[(k + 2) % 3], b[(k + 1) % 3]);
}

static KERNEL_INLINE uint32_t swept_leaf_cone(const swept_patches *s, uint32_t leaf)
{
  const primitives *prims = &s->of->tree.prims;
  const uint32_t first = prims->tri_first[leaf], count = prims->tri_end[leaf] - first;
  v8 e[2][2][3], n[3], other[3], m[2], half = v8_set(0.5f), room, *more = NULL;
  if (!s->of->usable[leaf]) return 0;
  for (int pose = 0; pose < 2; ++pose) swept_edges_load(s, first, count, pose, e[pose]);
  for (int i = 0; i < 2; ++i)
    m[i] = v8_max(largest3(e[0][i][0], e[0][i][1], e[0][i][2]), largest3(e[1][i][0], e[1][i][1], e[1][i][2]));
  if (s->by.margin > 0) {
    room = thick_limit(v8_max(longest_square(e[0]), longest_square(e[1])), s->by.tau, s->error);
    more = &room;
  }
  uint32_t set = CONE_ALL;
  for (int pose = 0; pose < 2 && set; ++pose) {
    cross8(e[pose][0], e[pose][1], n);
    set &= cone_of_normals(n[0], n[1], n[2], m[0], m[1], s->error, more);
  }
  if (!set) return 0;
  cross8(e[0][0], e[1][1], n);
  cross8(e[1][0], e[0][1], other);
  for (int k = 0; k < 3; ++k) n[k] = v8_mul(half, v8_add(n[k], other[k]));
  return set & cone_of_normals(n[0], n[1], n[2], m[0], m[1], s->error, more);
}

static void refit_swept_cones(const swept_patches *s, uint32_t begin, uint32_t end)
{
#define SWEPT_LEAF(leaf) swept_leaf_cone(s, leaf)
  REFIT_CONES(&s->of->tree, s->cone, begin, end, SWEPT_LEAF)
#undef SWEPT_LEAF
}

/* ----------------------------------------------------------------------------------- borders -- */

typedef struct swept_contour {
  float *x[2], *y[2]; /* by pose: count corners, then the first again, with room for 8 after it */
  uint32_t count;     /* at least 3 */
  float reach, error; /* L R, and e */
  float step;         /* of the margin; 0: there is none */
} swept_contour;

/* The corners of one pose, relative to o, along a and b. */
static KERNEL_INLINE void swept_project_pose(swept_contour *c, const swept_patches *s, const swept_border *border,
                                             int pose, const float plane[7])
{
  v8 o[3], x[3], n = v8_set(plane[6]);
  for (int k = 0; k < 3; ++k) o[k] = v8_set(s->positions[8 * (size_t)border->vertex[0] + (size_t)k]);
  for (uint32_t i = 0; i < c->count; i += 8) {
    v4 q[8];
    for (uint32_t k = 0; k < 8; ++k)
      q[k] = v4_load(s->positions + 8 * (size_t)border->vertex[i + k < c->count ? i + k : 0] + 4 * pose);
    v8_transpose(q, &x[0], &x[1], &x[2]);
    for (int k = 0; k < 3; ++k) x[k] = v8_sub(x[k], o[k]);
    v8_store(c->x[pose] + i, v8_dot(v8_set(plane[0]), x[0], v8_set(plane[1]), x[1], v8_set(plane[2]), x[2]));
    v8_store(c->y[pose] + i, v8_mul(v8_dot(v8_set(plane[3]), x[0], v8_set(plane[4]), x[1], v8_set(plane[5]), x[2]), n));
  }
  c->x[pose][c->count] = c->x[pose][0];
  c->y[pose][c->count] = c->y[pose][0];
}

static KERNEL_INLINE bool swept_project(swept_contour *c, const swept_patches *s, const swept_border *border)
{
  float plane[7]; /* a, b, and what b is multiplied by */
  if (!contour_axes(border->set, plane, plane + 3, &plane[6])) return false;
  float length = (sum3(plane) + plane[6] * sum3(plane + 3)) * FLOAT_MORE;
  c->reach = length * border->size;
  c->error = length * (border->size * (16 * 0x1p-24f) + 2 * s->error) + 0x1p-80f;
  const float scale = sqrtf(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]) * FLOAT_MORE;
  c->step = s->by.tau * scale;
  if (!(c->reach < 0x1p50f && c->step < 0x1p50f)) return false;
  for (int pose = 0; pose < 2; ++pose) swept_project_pose(c, s, border, pose, plane);
  return true;
}

/* Seen from a moving centre. If not, *wrong is an edge that does not always turn
 * counter-clockwise, or the number of edges. */
static KERNEL_INLINE bool swept_star(const swept_contour *c, const float px[2], const float py[2], uint32_t *wrong)
{
  v8 limit = v8_set(16 * c->reach * c->error), zero = v8_set(0), half = v8_set(0.5f);
  unsigned crossings = 0;
  for (uint32_t i = 0; i < c->count; i += 8) {
    unsigned valid = c->count - i < 8 ? (1u << (c->count - i)) - 1 : 255;
    v8 x[2], y[2], nx[2], ny[2];
    for (int p = 0; p < 2; ++p) {
      x[p] = v8_sub(v8_load(c->x[p] + i), v8_set(px[p]));
      y[p] = v8_sub(v8_load(c->y[p] + i), v8_set(py[p]));
      nx[p] = v8_sub(v8_load(c->x[p] + i + 1), v8_set(px[p]));
      ny[p] = v8_sub(v8_load(c->y[p] + i + 1), v8_set(py[p]));
    }
    v8 middle = v8_mul(half, v8_add(v8_cross(x[0], ny[1], y[0], nx[1]), v8_cross(x[1], ny[0], y[1], nx[0])));
    v8 least = v8_min(v8_cross(x[0], ny[0], y[0], nx[0]), v8_min(middle, v8_cross(x[1], ny[1], y[1], nx[1])));
    v8 room = limit;
    if (c->step > 0) {
      v8 one = v8_max(square_of(x[0], y[0]), square_of(nx[0], ny[0])),
         two = v8_max(square_of(x[1], y[1]), square_of(nx[1], ny[1]));
      room = v8_add(limit, v8_mul(v8_set(c->step), v8_add(v8_sqrt(v8_max(one, two)), v8_set(4 * c->error))));
    }
    unsigned clear = v8m_bits(v8_lt(room, least));
    if (~clear & valid) {
      *wrong = i + (uint32_t)__builtin_ctz(~clear & valid);
      return false;
    }
    crossings += (unsigned)__builtin_popcount(v8m_bits(v8m_and(v8_lt(y[0], zero), v8_le(zero, ny[0]))) & valid);
  }
  *wrong = c->count;
  return crossings == 1;
}

/* Moves the centre of a pose to the inner side of edge i. false: too far. */
static KERNEL_INLINE bool swept_move_centre(const swept_contour *c, int pose, uint32_t i, float *px, float *py)
{
  const float *x = c->x[pose] + i, *y = c->y[pose] + i;
  float ex = x[1] - x[0], ey = y[1] - y[0], square = ex * ex + ey * ey;
  float cross = ex * (*py - y[0]) - ey * (*px - x[0]), by = (0.3f * square - cross) / square;
  if (!(square > 0 && fabsf(by) < 8)) return false;
  if (by <= 0) return true; /* it is there already */
  *px -= by * ey;
  *py += by * ex;
  return fabsf(*px) <= c->reach && fabsf(*py) <= c->reach;
}

static bool swept_star_search(const swept_contour *c)
{
  enum { TRIES = 4 };
  float px[2], py[2];
  uint32_t i;
  for (int pose = 0; pose < 2; ++pose) {
    const contour one = {.x = c->x[pose], .y = c->y[pose], .count = c->count};
    contour_middle(&one, &px[pose], &py[pose]);
  }
  for (int k = 0; k < TRIES; ++k) {
    if (swept_star(c, px, py, &i)) return true;
    if (i == c->count) return false;
    for (int pose = 0; pose < 2; ++pose)
      if (!swept_move_centre(c, pose, i, &px[pose], &py[pose])) return false;
  }
  return false;
}

/* Along (dx, dy), a unit vector but for rounding. */
static KERNEL_INLINE bool swept_monotone(const swept_contour *c, float dx, float dy)
{
  v8 ux = v8_set(dx), uy = v8_set(dy), limit = v8_set(6 * c->error + c->step), low = v8_sub(v8_set(0), limit), along[2];
  unsigned changes = 0, first = 0, last = 0;
  for (uint32_t i = 0; i < c->count; i += 8) {
    unsigned n = c->count - i < 8 ? c->count - i : 8, valid = (1u << n) - 1;
    for (int p = 0; p < 2; ++p)
      along[p] = v8_add(v8_mul(ux, v8_sub(v8_load(c->x[p] + i + 1), v8_load(c->x[p] + i))),
                        v8_mul(uy, v8_sub(v8_load(c->y[p] + i + 1), v8_load(c->y[p] + i))));
    unsigned up = v8m_bits(v8_lt(limit, v8_min(along[0], along[1])));
    unsigned down = v8m_bits(v8_lt(v8_max(along[0], along[1]), low));
    if (~(up | down) & valid) return false;
    if (i == 0) first = last = up & 1;
    changes += (unsigned)__builtin_popcount((up ^ (up << 1 | last)) & valid);
    last = up >> (n - 1) & 1;
    if (changes > 2) return false;
  }
  return changes + (first != last) == 2;
}

static bool swept_border_is_simple(const swept_patches *s, const swept_border *border, float *room)
{
  /* of an array; the vertices may have the fifth */
  const size_t each = border->count + CONTOUR_MORE;
  swept_contour c = {.x = {room, room + each}, .y = {room + 2 * each, room + 3 * each}, .count = border->count};
  if (border->count < 3 || !swept_project(&c, s, border)) return false;
  if (swept_star_search(&c)) return true;
  for (int k = 0; k < 8; ++k)
    if (swept_monotone(&c, contour_x[k], contour_y[k])) return true;
  return false;
}

#endif
