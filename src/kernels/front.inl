/* The front of a body that moves freely, where the last walk ended at the root: the whole
 * surface was proven not to touch itself, along the axis v of its cone. The next frame begins
 * with the same claim: do all triangles face v, and is the border simple along v? That is a
 * proof by itself (docs/self-collision.md), whatever the body did in between; if it fails, boxes
 * and cones are refitted and the walk begins at the root. So nothing but the choice of v comes
 * from the last frame. It takes one direction instead of 26, and no boxes.
 *
 * Error. v has integer components, l is the sum of their magnitudes. With the errors of
 * cones.inl a component of the normal is right to 8 u m1 m2 + 4 delta (m1 + m2), hence n . v to
 * l times that, and its three products and two sums to 3 u l |n| more. It must exceed l times
 * the limit of cones.inl, 2^-13 |n| + 2^-18 m1 m2 + 16 delta (m1 + m2) + 2^-100, which is more
 * than all of this; with a margin by tau |v| times the longest edge more. */
#ifndef KERNELS_FRONT_INL
#define KERNELS_FRONT_INL

#include "kernels/cones.inl"
#include "kernels/contour.inl"

/* Which of a leaf's eight triangles face an axis whose magnitudes sum up to l; tau: times the
 * length of the axis. */
static KERNEL_INLINE unsigned lanes_facing(const leaf_lanes *leaf, const v8 axis[3], v8 l, float error, float tau)
{
  v8 e[2][3];
  leaf_lanes_edges(leaf, e);
  v8 x = v8_cross(e[0][1], e[1][2], e[0][2], e[1][1]), y = v8_cross(e[0][2], e[1][0], e[0][0], e[1][2]),
     z = v8_cross(e[0][0], e[1][1], e[0][1], e[1][0]);
  v8 m1 = largest3(e[0][0], e[0][1], e[0][2]), m2 = largest3(e[1][0], e[1][1], e[1][2]);
  v8 limit = v8_mul(l, cone_limit(x, y, z, m1, m2, error));
  if (tau > 0) limit = v8_add(limit, thick_limit(longest_square(e), tau, error));
  return v8m_bits(v8_lt(limit, v8_dot(axis[0], x, axis[1], y, axis[2], z)));
}

static KERNEL_INLINE bool range_faces(const patches *p, uint32_t begin, uint32_t end, const int v[3], float error,
                                      float tau)
{
  v8 axis[3], l = v8_set(0);
  for (int k = 0; k < 3; ++k) {
    axis[k] = v8_set((float)v[k]);
    l = v8_add(l, v8_abs(axis[k]));
  }
  for (uint32_t leaf = begin; leaf < end; ++leaf) {
    leaf_lanes lanes;
    leaf_lanes_load(p, leaf, &lanes);
    if (lanes_facing(&lanes, axis, l, error, tau) != 255 || !p->usable[leaf]) return false;
  }
  return true;
}

static bool leaves_face(const patches *p, uint32_t begin, uint32_t end, uint32_t set, float tau)
{
  int v[3];
  cone_axis(set, v);
  if (tau == 0) return p->error == 0 ? range_faces(p, begin, end, v, 0, 0) : range_faces(p, begin, end, v, p->error, 0);
  float length = sqrtf((float)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) * FLOAT_MORE;
  return range_faces(p, begin, end, v, p->error, tau * length);
}

static bool front_is_simple(const patches *p, float *room, uint32_t set, clearance thick)
{
  const patch *q = patch_of(p, TREE_ROOT);
  return set && contour_is_simple(p, room, p->corners.vertex + q->first, q->count, set, thick);
}

/* Around all positions. */
static aabb bound_positions(const patches *p)
{
  v4 low = v4_load(p->positions), high = low;
  for (uint32_t k = 1; k < p->tree.prims.vertex_count; ++k) {
    v4 at = v4_load(p->positions + 4 * (size_t)k);
    low = v4_min(low, at);
    high = v4_max(high, at);
  }
  float l[4], h[4];
  v4_store(l, low);
  v4_store(h, high);
  return (aabb){{l[0], l[1], l[2]}, {h[0], h[1], h[2]}};
}

#endif
