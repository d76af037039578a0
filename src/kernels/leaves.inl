/* Triangles of two leaves against each other, 8 at a time, in float with an error bound: a pair
 * is reported or dropped here only if the bound proves it, and decided in exact arithmetic
 * otherwise. The signs are those of Guigue and Devillers, Fast and Robust Triangle-Triangle
 * Overlap Test Using Orientation Predicates, 2003.
 *
 * Error bound. With u = 2^-24, coordinates exact up to delta (of each leaf), m1 and m2 the
 * largest components of the edges (+ 4 delta), and D bounding all differences of coordinates:
 * the edges are right to u relative, a component of n = e1 x e2 to 8 u m1 m2, and n . d to 46 u
 * m1 m2 D; 64 u is used. The coordinates' own error moves the determinant by at most 12 delta
 * (m1 D + m2 D) + 12 delta' m1 m2, delta' the greater of both leaves; 16 is used. Underflow adds
 * at most 2^-145 (1 + D); 2^-126 is used. */
#ifndef KERNELS_LEAVES_INL
#define KERNELS_LEAVES_INL

#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "kernels/open.inl"

#include <stddef.h>

/* An opened leaf from a lane on, as floats: members then stand at constant places, which
 * WebAssembly reads without computing an address, if the compiler does not know where the
 * pointer comes from. */
#define LEAF_PLACE(member) (offsetof(opened_leaf, member) / sizeof(float))
static KERNEL_INLINE const float *leaf_lanes(const opened_leaf *o, int lane)
{
  const float *from = (const float *)(const void *)o + lane;
#if defined(__wasm__)
  __asm__("" : "+r"(from));
#endif
  return from;
}

/* The lanes of a leaf, by leaf_lanes(), whose boxes meet the box from (x0, y0, z0) to (x1, y1,
 * z1), each in all lanes. */
static KERNEL_INLINE unsigned lanes_meeting(const float *o, v8 x0, v8 y0, v8 z0, v8 x1, v8 y1, v8 z1)
{
  v8m m = v8m_and(v8_le(v8_load(o + LEAF_PLACE(lower[0])), x1), v8_le(x0, v8_load(o + LEAF_PLACE(upper[0]))));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o + LEAF_PLACE(lower[1])), y1), v8_le(y0, v8_load(o + LEAF_PLACE(upper[1])))));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o + LEAF_PLACE(lower[2])), z1), v8_le(z0, v8_load(o + LEAF_PLACE(upper[2])))));
  return v8m_bits(m);
}

/* The lanes with a triangle: a box of all space would meet even empty lanes. */
static inline unsigned lanes_of(const opened_leaf *o) { return (1u << o->count) - 1; }

/* From here on one register of b's lanes is tested: many values are kept at once. */

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

/* p: a leaf from one triangle's lane on; q: the other leaf from the lanes that are tested on. */
#define LEAF_CORNER(c, k) LEAF_PLACE(corner[c][k])

/* Corners of q's triangles against the plane of p's triangle. */
static KERNEL_INLINE sides sides_of_a(const float *p, const float *q)
{
  vreg nx = vr_set(p[LEAF_PLACE(normal[0])]), ny = vr_set(p[LEAF_PLACE(normal[1])]),
       nz = vr_set(p[LEAF_PLACE(normal[2])]);
  vreg px = vr_set(p[LEAF_CORNER(0, 0)]), py = vr_set(p[LEAF_CORNER(0, 1)]), pz = vr_set(p[LEAF_CORNER(0, 2)]);
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = vr_dot(nx, vr_sub(vr_load(q + LEAF_CORNER(c, 0)), px), ny, vr_sub(vr_load(q + LEAF_CORNER(c, 1)), py), nz,
                     vr_sub(vr_load(q + LEAF_CORNER(c, 2)), pz));
  return s;
}

/* Corners of p's triangle against the planes of q's triangles. */
static KERNEL_INLINE sides sides_of_b(const float *p, const float *q)
{
  vreg nx = vr_load(q + LEAF_PLACE(normal[0])), ny = vr_load(q + LEAF_PLACE(normal[1])),
       nz = vr_load(q + LEAF_PLACE(normal[2]));
  vreg qx = vr_load(q + LEAF_CORNER(0, 0)), qy = vr_load(q + LEAF_CORNER(0, 1)), qz = vr_load(q + LEAF_CORNER(0, 2));
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = vr_dot(nx, vr_sub(vr_set(p[LEAF_CORNER(c, 0)]), qx), ny, vr_sub(vr_set(p[LEAF_CORNER(c, 1)]), qy), nz,
                     vr_sub(vr_set(p[LEAF_CORNER(c, 2)]), qz));
  return s;
}

static KERNEL_RARE bool decide_exactly(const walk *w, uint32_t a, uint32_t b)
{
  double p[3][3], q[3][3];
  for (int c = 0; c < 3; ++c) {
    walk_point(w, 0, w->plan->side[0]->tree->prims.tri[3 * (size_t)a + (size_t)c], p[c]);
    walk_point(w, 1, w->plan->side[1]->tree->prims.tri[3 * (size_t)b + (size_t)c], q[c]);
  }
  return tri_tri_touch((const double(*)[3])p, (const double(*)[3])q);
}

/* Two triangles by the caller's indices; within one body the smaller comes first. */
static inline pl_pair pair_of(const walk *w, uint32_t a, uint32_t b)
{
  pl_pair pair = {w->plan->side[0]->tree->prims.tri_id[a], w->plan->side[1]->tree->prims.tri_id[b]};
  return w->plan->self && pair.b < pair.a ? (pl_pair){pair.b, pair.a} : pair;
}

static KERNEL_RARE unsigned filtered(const walk *w, const opened_leaf *a, int i, const opened_leaf *b,
                                     unsigned candidates)
{
  unsigned kept = 0;
  for (unsigned m = candidates; m; m &= m - 1) {
    int j = __builtin_ctz(m);
    if (w->plan->filter(w->plan->filter_user, pair_of(w, a->first + (uint32_t)i, b->first + (uint32_t)j)))
      kept |= 1u << j;
  }
  return kept;
}

/* Which of b's triangles have a vertex in common with triangle i of a: both are of one body. */
static KERNEL_INLINE unsigned sharing(const opened_leaf *a, int i, const opened_leaf *b)
{
  const uint32_t corner[3] = {a->vertex[0][i], a->vertex[1][i], a->vertex[2][i]};
  return u32_any_of3(b->vertex, corner);
}

/* Reports those of the `shared` that overlap triangle i of a beyond the vertices in common;
 * always exact. */
static KERNEL_RARE void test_neighbours(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned shared)
{
  const walk_side *s = w->plan->side[0];
  for (unsigned m = shared; m && !w->stopped; m &= m - 1) {
    uint32_t at[2] = {a->first + (uint32_t)i, b->first + (uint32_t)__builtin_ctz(m)};
    double corner[2][3][3];
    for (int t = 0; t < 2; ++t)
      for (int c = 0; c < 3; ++c) walk_point(w, 0, s->tree->prims.tri[3 * (size_t)at[t] + (size_t)c], corner[t][c]);
    if (!tri_tri_beyond((const double(*)[3])corner[0], s->tree->prims.tri + 3 * (size_t)at[0],
                        (const double(*)[3])corner[1], s->tree->prims.tri + 3 * (size_t)at[1]))
      continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, at[0], at[1]);
    w->stopped = w->plan->first;
  }
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

static KERNEL_INLINE corner_edges reach_from(const standing *s, vreg c0, vreg c1, vreg c2)
{
  vreg lone = vr_select(s->third, c2, vr_select(s->second, c1, c0));
  return (corner_edges){lone, vr_sub(vr_select(s->not_first, c0, c1), lone), vr_sub(vr_select(s->third, c1, c2), lone)};
}

/* w . (u x v) */
static KERNEL_INLINE vreg triple(const vreg w[3], const vreg u[3], const vreg v[3])
{
  return vr_dot(w[0], vr_cross(u[1], v[2], u[2], v[1]), w[1], vr_cross(u[2], v[0], u[0], v[2]), w[2],
                vr_cross(u[0], v[1], u[1], v[0]));
}

/* Both triangles cross the other's plane, each with a lone corner on one side. They touch if
 * their parts of the planes' common line overlap, which two signs decide: with w from p's lone
 * corner to q's, and the edges u1, u2 and v1, v2 from there, where the triangles are turned so
 * that both lone corners are on the positive side, they do not if w . (u1 x v1) < 0 or w . (u2 x
 * v2) > 0. Turning both swaps the signs' places, which is done last. */
typedef struct verdict {
  unsigned no, yes;
} verdict;

static KERNEL_INLINE verdict judge(const float *p, const float *q, const sides *of_a, const sides *of_b, vreg limit)
{
  standing at_p = standing_of(of_b), at_q = standing_of(of_a);
  vregm all = vr_le(vr_set(0), vr_set(0));
  vregm turned_p = vrm_xor(vrm_xor(at_q.up, all), at_p.second), turned_q = vrm_xor(vrm_xor(at_p.up, all), at_q.second);
  vregm apart = vrm_xor(turned_p, turned_q);
  vreg w[3], u1[3], u2[3], v1[3], v2[3];
  for (int k = 0; k < 3; ++k) {
    corner_edges of_p =
        reach_from(&at_p, vr_set(p[LEAF_CORNER(0, k)]), vr_set(p[LEAF_CORNER(1, k)]), vr_set(p[LEAF_CORNER(2, k)]));
    corner_edges of_q = reach_from(&at_q, vr_load(q + LEAF_CORNER(0, k)), vr_load(q + LEAF_CORNER(1, k)),
                                   vr_load(q + LEAF_CORNER(2, k)));
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

/* Triangle i of a against the candidates among b's from lane `at` on. */
static KERNEL_INLINE void test_triangle(walk *w, const opened_leaf *a, int i, const opened_leaf *b, int at,
                                        unsigned candidates)
{
  const float *p = leaf_lanes(a, i), *q = leaf_lanes(b, at);
  /* d bounds every difference of coordinates of two triangles whose boxes overlap */
  float delta = a->delta > b->delta ? a->delta : b->delta;
  vreg d = vr_add(vr_set(p[LEAF_PLACE(size)]), vr_load(q + LEAF_PLACE(size)));
  vreg limit_a = vr_add(vr_mul(vr_set(p[LEAF_PLACE(alpha)]), d), vr_set(p[LEAF_PLACE(area)] * delta + UNDERFLOW_ERROR));
  sides of_a = sides_of_a(p, q);
  candidates &= ~sides_apart(&of_a, limit_a);
  if (!candidates) return;
  vreg limit_b = vr_add(vr_mul(vr_load(q + LEAF_PLACE(alpha)), d),
                        vr_add(vr_mul(vr_load(q + LEAF_PLACE(area)), vr_set(delta)), vr_set(UNDERFLOW_ERROR)));
  sides of_b = sides_of_b(p, q);
  candidates &= ~sides_apart(&of_b, limit_b);
  if (!candidates) return;
  unsigned certain = sides_certain(&of_a, limit_a) & sides_certain(&of_b, limit_b);
  vreg cube = vr_add(vr_mul(d, vr_set(PLANE_ERROR)), vr_set(delta * 48));
  vreg limit = vr_add(vr_mul(vr_mul(d, d), cube), vr_mul(vr_add(d, vr_set(1)), vr_set(UNDERFLOW_ERROR)));
  verdict v = judge(p, q, &of_a, &of_b, limit);
  for (unsigned m = candidates & ~(v.no & certain); m && !w->stopped; m &= m - 1) {
    uint32_t j = (uint32_t)__builtin_ctz(m), first = a->first + (uint32_t)i, second = b->first + (uint32_t)at + j;
    if (!(v.yes & certain & 1u << j) && !decide_exactly(w, first, second)) continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, first, second);
    w->stopped = w->plan->first;
  }
}

/* Triangles of a whose boxes meet boxes of b's triangles, with these: lanes and masks without a
 * branch in between. Returns their number. */
static KERNEL_INLINE int find_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m,
                                         uint8_t lane[8], uint8_t mask[8])
{
  const float *boxes = leaf_lanes(b, 0);
  const unsigned some = lanes_of(b);
  unsigned found = 0;
  int n = 0;
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    const float *p = leaf_lanes(a, i);
    unsigned c = some & lanes_meeting(boxes, v8_set(p[LEAF_PLACE(lower[0])]), v8_set(p[LEAF_PLACE(lower[1])]),
                                      v8_set(p[LEAF_PLACE(lower[2])]), v8_set(p[LEAF_PLACE(upper[0])]),
                                      v8_set(p[LEAF_PLACE(upper[1])]), v8_set(p[LEAF_PLACE(upper[2])]));
    lane[n] = (uint8_t)i;
    mask[n] = (uint8_t)c;
    found += (unsigned)__builtin_popcount(c);
    n += c != 0;
  }
  w->n_p += found;
  return n;
}

/* The same within one body, without repeated pairs and neighbours. */
static KERNEL_SHARED int find_own_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m,
                                             uint8_t lane[8], uint8_t mask[8])
{
  const unsigned later = a->leaf == b->leaf ? 1 : 0;
  int n = 0;
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    const float *p = leaf_lanes(a, i);
    unsigned c =
        lanes_of(b) & lanes_meeting(leaf_lanes(b, 0), v8_set(p[LEAF_PLACE(lower[0])]), v8_set(p[LEAF_PLACE(lower[1])]),
                                    v8_set(p[LEAF_PLACE(lower[2])]), v8_set(p[LEAF_PLACE(upper[0])]),
                                    v8_set(p[LEAF_PLACE(upper[1])]), v8_set(p[LEAF_PLACE(upper[2])]));
    c &= ~sharing(a, i, b) & ~(later * ((2u << i) - 1));
    lane[n] = (uint8_t)i;
    mask[n] = (uint8_t)c;
    w->n_p += (uint64_t)__builtin_popcount(c);
    n += c != 0;
  }
  return n;
}

/* Leaves out pairs that the caller's filter refuses, and within one body repeated pairs and
 * neighbours: they are not counted. Neighbours that are wanted are decided here. Returns how
 * many triangles of a are left. */
static __attribute__((noinline)) KERNEL_RARE int filter_candidates(walk *w, const opened_leaf *a, const opened_leaf *b,
                                                                   int n, uint8_t lane[8], uint8_t mask[8])
{
  int left = 0;
  for (int k = 0; k < n && !w->stopped; ++k) {
    unsigned kept = mask[k], tested = 0;
    if (w->plan->self && a->leaf == b->leaf) kept &= ~((2u << lane[k]) - 1);
    if (w->plan->self && !w->plan->neighbours) kept &= ~sharing(a, lane[k], b);
    if (w->plan->filter) kept = filtered(w, a, lane[k], b, kept);
    if (w->plan->self && w->plan->neighbours) {
      tested = kept & sharing(a, lane[k], b);
      test_neighbours(w, a, lane[k], b, tested);
      kept &= ~tested;
    }
    w->n_p -= (uint64_t)__builtin_popcount(mask[k] & ~(kept | tested));
    lane[left] = lane[k];
    mask[left] = (uint8_t)kept;
    left += kept != 0;
  }
  return left;
}

static void test_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
  /* Within one body leaves are opened once for both sides, unless they are kept in one place. */
  bool once = w->plan->self && (leaf_a == leaf_b || (leaf_a ^ leaf_b) % CACHE_B);
  const opened_leaf *b = open_leaf(w, 1, leaf_b), *a = open_leaf(w, once, leaf_a);
  const aabb *q = &b->box;
  unsigned m =
      lanes_of(a) & lanes_meeting(leaf_lanes(a, 0), v8_set(q->lower[0]), v8_set(q->lower[1]), v8_set(q->lower[2]),
                                  v8_set(q->upper[0]), v8_set(q->upper[1]), v8_set(q->upper[2]));
  uint8_t lane[8], mask[8];
  const bool plain = !w->plan->filter && !w->plan->neighbours;
  int n =
      w->plan->self && plain ? find_own_candidates(w, a, b, m, lane, mask) : find_candidates(w, a, b, m, lane, mask);
  if (w->plan->filter || (w->plan->self && !plain)) n = filter_candidates(w, a, b, n, lane, mask);
  for (int k = 0; k < n && !w->stopped; ++k)
    for (int at = 0; at < 8 && !w->stopped; at += VR_LANES) {
      unsigned some = (unsigned)mask[k] >> at & ((1u << VR_LANES) - 1);
      if (some) test_triangle(w, a, lane[k], b, at, some);
    }
  if (w->stopped) w->hit = (node_pair){(int32_t)leaf_a, (int32_t)leaf_b};
}

static void walk_leaves(walk *w)
{
  enum { MOST_NEW = 64 }; /* pairs of two leaves */
  for (uint32_t k = 0; k < w->leaf_pair_count && !w->stopped; ++k) {
    if (w->pairs.count + MOST_NEW > w->pairs.capacity &&
        !array_reserve(w->allocator, &w->pairs, w->pairs.count + MOST_NEW)) {
      w->status = PL_ERROR_MEMORY;
      w->stopped = true;
      break;
    }
    test_leaves(w, (uint32_t)w->leaf_pairs[k].a, (uint32_t)w->leaf_pairs[k].b);
  }
  w->leaf_pair_count = 0;
}

#endif
