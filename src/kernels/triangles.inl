/* Pairs of triangles, as many as a register has lanes, in float with an error bound: a pair is
 * reported or dropped here only if the bound proves it, and decided in exact arithmetic
 * otherwise. The signs are those of Guigue and Devillers, Fast and Robust Triangle-Triangle
 * Overlap Test Using Orientation Predicates, 2003. Lanes are independent: pairs of several leaves
 * share a register, since of the triangles of one leaf few overlap the box of another triangle.
 *
 * Error bound. With u = 2^-24, coordinates exact up to delta (of each leaf), m1 and m2 the
 * largest components of the edges (+ 4 delta), and D bounding all differences of coordinates:
 * the edges are right to u relative, a component of n = e1 x e2 to 8 u m1 m2, and n . d to 46 u
 * m1 m2 D; 64 u is used. The coordinates' own error moves the determinant by at most 12 delta
 * (m1 D + m2 D) + 12 delta' m1 m2, delta' the greater of both leaves; 16 is used. Underflow adds
 * at most 2^-145 (1 + D); 2^-126 is used. */
#ifndef KERNELS_TRIANGLES_INL
#define KERNELS_TRIANGLES_INL

#include "kernels/corners.inl"

/* One triangle of each lane: the members of opened_leaf. */
typedef struct lane_triangles {
  vreg corner[3][3]; /* corner, axis */
  vreg normal[3];
  vreg alpha, area, size, delta;
} lane_triangles;

/* A row holds three corners, each followed by a component of the normal, then the four terms. */
static KERNEL_INLINE lane_triangles triangles_from_rows(const float *const row[VR_LANES])
{
  lane_triangles t;
  vreg column[4];
  for (int c = 0; c < 4; ++c) {
    const float *part[VR_LANES];
    for (int i = 0; i < VR_LANES; ++i) part[i] = row[i] + 4 * c;
    vr_from_rows(part, column);
    if (c == 3) break;
    for (int k = 0; k < 3; ++k) t.corner[c][k] = column[k];
    t.normal[c] = column[3];
  }
  t.alpha = column[0];
  t.area = column[1];
  t.size = column[2];
  t.delta = column[3];
  return t;
}

/* Some of the triangles of one leaf. */
static KERNEL_INLINE lane_triangles triangles_from_lanes(const opened_leaf *o, const uint8_t lane[VR_LANES])
{
  lane_triangles t;
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < 3; ++c) t.corner[c][k] = vr_pick8(o->corner[c][k], lane);
    t.normal[k] = vr_pick8(o->normal[k], lane);
  }
  t.alpha = vr_pick8(o->alpha, lane);
  t.area = vr_pick8(o->area, lane);
  t.size = vr_pick8(o->size, lane);
  t.delta = vr_set(o->delta);
  return t;
}

/* Writes the rows of an opened leaf. */
static KERNEL_INLINE void make_rows(opened_leaf *o)
{
  v8 column[4];
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 3; ++k) column[k] = v8_load(o->corner[c][k]);
    column[3] = v8_load(o->normal[c]);
    v8_to_rows(column, o->row[0] + 4 * c, 16);
  }
  column[0] = v8_load(o->alpha);
  column[1] = v8_load(o->area);
  column[2] = v8_load(o->size);
  column[3] = v8_set(o->delta);
  v8_to_rows(column, o->row[0] + 12, 16);
}

/* How far three corners are from a plane, scaled, lane by lane. */
typedef struct sides {
  vreg at[3];
} sides;

/* All three strictly on one side, beyond doubt. */
static KERNEL_INLINE unsigned sides_apart(const sides *s, vreg limit)
{
  vreg least = vr_min(s->at[0], vr_min(s->at[1], s->at[2])), most = vr_max(s->at[0], vr_max(s->at[1], s->at[2]));
  return vrm_bits(vrm_or(vr_lt(limit, least), vr_lt(most, vr_sub(vr_set(0), limit))));
}

/* No corner so near that its side is in doubt. */
static KERNEL_INLINE unsigned sides_certain(const sides *s, vreg limit)
{
  return vrm_bits(vr_lt(limit, vr_min(vr_abs(s->at[0]), vr_min(vr_abs(s->at[1]), vr_abs(s->at[2])))));
}

/* Corners of q against the plane of p. */
static KERNEL_INLINE sides sides_of(const lane_triangles *p, const lane_triangles *q)
{
  const vreg *n = p->normal, *o = p->corner[0];
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = vr_dot(n[0], vr_sub(q->corner[c][0], o[0]), n[1], vr_sub(q->corner[c][1], o[1]), n[2],
                     vr_sub(q->corner[c][2], o[2]));
  return s;
}

/* Where the corners of a triangle are, by the signs of three sides: masks. One corner is alone
 * on its side; if none is, only exact arithmetic decides. */
typedef struct standing {
  vregm second, third; /* this corner is alone; otherwise the first one is */
  vregm not_first;
  vregm up; /* the lone corner is on the positive side */
} standing;

static KERNEL_INLINE standing standing_of(const sides *s)
{
  vregm up[3], a, b, both;
  for (int c = 0; c < 3; ++c) up[c] = vr_lt(vr_set(0), s->at[c]);
  a = vrm_xor(up[0], up[1]);
  b = vrm_xor(up[0], up[2]);
  both = vrm_and(a, b);
  return (standing){vrm_xor(a, both), vrm_xor(b, both), vrm_xor(a, b),
                    vrm_xor(a, up[2])}; /* the two that agree cancel out */
}

/* One coordinate of a triangle: that of the lone corner, and the edges from it to the other two.
 * These come in the order of the corners around the triangle, but turned round where the second
 * corner is alone. */
typedef struct corner_edges {
  vreg lone, one, two;
} corner_edges;

static KERNEL_INLINE corner_edges reach_from(const standing *s, const lane_triangles *t, int k)
{
  const vreg c0 = t->corner[0][k], c1 = t->corner[1][k], c2 = t->corner[2][k];
  vreg lone = vr_select(s->third, c2, vr_select(s->second, c1, c0));
  return (corner_edges){lone, vr_sub(vr_select(s->not_first, c0, c1), lone), vr_sub(vr_select(s->third, c1, c2), lone)};
}

/* w . (u x v) */
static KERNEL_INLINE vreg triple(const vreg w[3], const vreg u[3], const vreg v[3])
{
  return vr_dot(w[0], vr_cross(u[1], v[2], u[2], v[1]), w[1], vr_cross(u[2], v[0], u[0], v[2]), w[2],
                vr_cross(u[0], v[1], u[1], v[0]));
}

/* The lanes whose triangles certainly do not touch, and certainly do. */
typedef struct verdict {
  unsigned no, yes;
} verdict;

/* Both triangles cross the other's plane, each with a lone corner on one side. They touch if
 * their parts of the planes' common line overlap, which two signs decide: with w from p's lone
 * corner to q's, and the edges u1, u2 and v1, v2 from there, where the triangles are turned so
 * that both lone corners are on the positive side, they do not if w . (u1 x v1) < 0 or w . (u2 x
 * v2) > 0. Turning both swaps the signs' places, which is done last. */
static KERNEL_INLINE verdict judge(const lane_triangles *p, const lane_triangles *q, const sides *of_a,
                                   const sides *of_b, vreg limit)
{
  standing at_p = standing_of(of_b), at_q = standing_of(of_a);
  vregm all = vr_le(vr_set(0), vr_set(0));
  vregm turned_p = vrm_xor(vrm_xor(at_q.up, all), at_p.second), turned_q = vrm_xor(vrm_xor(at_p.up, all), at_q.second);
  vregm apart = vrm_xor(turned_p, turned_q);
  vreg w[3], u1[3], u2[3], v1[3], v2[3];
  for (int k = 0; k < 3; ++k) {
    corner_edges of_p = reach_from(&at_p, p, k), of_q = reach_from(&at_q, q, k);
    w[k] = vr_sub(of_q.lone, of_p.lone);
    u1[k] = vr_select(apart, of_p.two, of_p.one);
    u2[k] = vr_select(apart, of_p.one, of_p.two);
    v1[k] = of_q.one;
    v2[k] = of_q.two;
  }
  vreg first = triple(w, u1, v1), second = triple(w, u2, v2), low = vr_sub(vr_set(0), limit);
  unsigned above[2] = {vrm_bits(vr_lt(limit, first)), vrm_bits(vr_lt(limit, second))},
           below[2] = {vrm_bits(vr_lt(first, low)), vrm_bits(vr_lt(second, low))}, turned = vrm_bits(turned_q);
  return (verdict){(turned & (above[0] | below[1])) | (~turned & (below[0] | above[1])),
                   (turned & below[0] & above[1]) | (~turned & above[0] & below[1])};
}

/* Limit of a side of t's plane: d bounds every difference of coordinates of two triangles whose
 * boxes overlap. */
static KERNEL_INLINE vreg side_limit(const lane_triangles *t, vreg d, vreg delta)
{
  return vr_add(vr_mul(t->alpha, d), vr_add(vr_mul(t->area, delta), vr_set(UNDERFLOW_ERROR)));
}

/* Triangles whose boxes overlap. */
static KERNEL_INLINE verdict touch_verdict(const lane_triangles *p, const lane_triangles *q)
{
  const vreg d = vr_add(p->size, q->size), delta = vr_max(p->delta, q->delta);
  const vreg limit_a = side_limit(p, d, delta), limit_b = side_limit(q, d, delta);
  const sides of_a = sides_of(p, q), of_b = sides_of(q, p);
  const unsigned every = (1u << VR_LANES) - 1, apart = sides_apart(&of_a, limit_a) | sides_apart(&of_b, limit_b);
  if (apart == every) return (verdict){every, 0};
  const unsigned certain = sides_certain(&of_a, limit_a) & sides_certain(&of_b, limit_b);
  const vreg cube = vr_add(vr_mul(d, vr_set(PLANE_ERROR)), vr_mul(delta, vr_set(48)));
  const vreg limit = vr_add(vr_mul(vr_mul(d, d), cube), vr_mul(vr_add(d, vr_set(1)), vr_set(UNDERFLOW_ERROR)));
  const verdict v = judge(p, q, &of_a, &of_b, limit);
  return (verdict){apart | (v.no & certain), v.yes & certain};
}

#endif
