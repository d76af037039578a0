/* Triangles of two leaves against each other, 8 at a time, in float with an error bound: a pair is reported or dropped here only
 * if the bound proves it, and decided in exact arithmetic otherwise. The signs are those of Guigue and Devillers, Fast and
 * Robust Triangle-Triangle Overlap Test Using Orientation Predicates, 2003.
 *
 * Error bound. With u = 2^-24, coordinates exact up to delta (of each leaf), m1 and m2 the largest components of the edges (+ 4 delta), and D
 * bounding all differences of coordinates: the edges are right to u relative, a component of n = e1 x e2 to 8 u m1 m2, and
 * n . d to 46 u m1 m2 D; 64 u is used. The coordinates' own error moves the determinant by at most
 * 12 delta (m1 D + m2 D) + 12 delta' m1 m2, delta' the greater of both leaves; 16 is used. Underflow adds at most 2^-145 (1 + D); 2^-126 is used. */
#ifndef KERNELS_LEAVES_INL
#define KERNELS_LEAVES_INL

#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "kernels/open.inl"

/* The lanes whose boxes meet the box from (x0, y0, z0) to (x1, y1, z1), each in all lanes. */
static KERNEL_INLINE unsigned lanes_meeting(const opened_leaf *o, v8 x0, v8 y0, v8 z0, v8 x1, v8 y1, v8 z1)
{
  v8m m = v8m_and(v8_le(v8_load(o->lower[0]), x1), v8_le(x0, v8_load(o->upper[0])));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o->lower[1]), y1), v8_le(y0, v8_load(o->upper[1]))));
  m = v8m_and(m, v8m_and(v8_le(v8_load(o->lower[2]), z1), v8_le(z0, v8_load(o->upper[2]))));
  return v8m_bits(m) & ((1u << o->count) - 1); /* a box of all space would meet even empty lanes */
}

/* From here on one register of b's lanes is tested, from lane `at` on: many values are kept at once. */
typedef struct point_reg {
  vreg x, y, z;
} point_reg;

static KERNEL_INLINE point_reg point_reg_select(vregm m, point_reg yes, point_reg no)
{
  return (point_reg){vr_select(m, yes.x, no.x), vr_select(m, yes.y, no.y), vr_select(m, yes.z, no.z)};
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

/* Corners of b's triangles against the plane of a's triangle i. */
static KERNEL_INLINE sides sides_of_a(const opened_leaf *a, int i, const opened_leaf *b, int at)
{
  vreg nx = vr_set(a->normal[0][i]), ny = vr_set(a->normal[1][i]), nz = vr_set(a->normal[2][i]);
  vreg px = vr_set(a->corner[0][0][i]), py = vr_set(a->corner[0][1][i]), pz = vr_set(a->corner[0][2][i]);
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = vr_dot(nx, vr_sub(vr_load(b->corner[c][0] + at), px), ny, vr_sub(vr_load(b->corner[c][1] + at), py), nz,
                     vr_sub(vr_load(b->corner[c][2] + at), pz));
  return s;
}

/* Corners of a's triangle i against the planes of b's triangles. */
static KERNEL_INLINE sides sides_of_b(const opened_leaf *a, int i, const opened_leaf *b, int at)
{
  vreg nx = vr_load(b->normal[0] + at), ny = vr_load(b->normal[1] + at), nz = vr_load(b->normal[2] + at);
  vreg px = vr_load(b->corner[0][0] + at), py = vr_load(b->corner[0][1] + at), pz = vr_load(b->corner[0][2] + at);
  sides s;
  for (int c = 0; c < 3; ++c)
    s.at[c] = vr_dot(nx, vr_sub(vr_set(a->corner[c][0][i]), px), ny, vr_sub(vr_set(a->corner[c][1][i]), py), nz,
                     vr_sub(vr_set(a->corner[c][2][i]), pz));
  return s;
}

static KERNEL_INLINE point_reg between(point_reg to, point_reg from)
{
  return (point_reg){vr_sub(to.x, from.x), vr_sub(to.y, from.y), vr_sub(to.z, from.z)};
}

/* d . (a x b) */
static KERNEL_INLINE vreg triple(point_reg d, point_reg a, point_reg b)
{
  return vr_dot(d.x, vr_cross(a.y, b.z, a.z, b.y), d.y, vr_cross(a.z, b.x, a.x, b.z), d.z,
                vr_cross(a.x, b.y, a.y, b.x));
}

static bool decide_exactly(const walk *w, uint32_t a, uint32_t b)
{
  double p[3][3], q[3][3];
  for (int c = 0; c < 3; ++c) {
    points_world(&w->plan->side[0]->points, w->plan->side[0]->tree->prims.tri[3 * (size_t)a + (size_t)c], p[c]);
    points_world(&w->plan->side[1]->points, w->plan->side[1]->tree->prims.tri[3 * (size_t)b + (size_t)c], q[c]);
  }
  return tri_tri_touch((const double(*)[3])p, (const double(*)[3])q);
}

/* Two triangles by the caller's indices; within one body the smaller comes first. */
static inline pl_pair pair_of(const walk *w, uint32_t a, uint32_t b)
{
  pl_pair pair = {w->plan->side[0]->tree->prims.tri_id[a], w->plan->side[1]->tree->prims.tri_id[b]};
  return w->plan->self && pair.b < pair.a ? (pl_pair){pair.b, pair.a} : pair;
}

static unsigned filtered(const walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned candidates)
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

/* Reports those of the `shared` that overlap triangle i of a beyond the vertices in common; always exact. */
static void test_neighbours(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned shared)
{
  const walk_side *s = w->plan->side[0];
  for (unsigned m = shared; m && !w->stopped; m &= m - 1) {
    uint32_t at[2] = {a->first + (uint32_t)i, b->first + (uint32_t)__builtin_ctz(m)};
    double corner[2][3][3];
    for (int t = 0; t < 2; ++t)
      for (int c = 0; c < 3; ++c)
        points_world(&s->points, s->tree->prims.tri[3 * (size_t)at[t] + (size_t)c], corner[t][c]);
    if (!tri_tri_beyond((const double(*)[3])corner[0], s->tree->prims.tri + 3 * (size_t)at[0],
                        (const double(*)[3])corner[1], s->tree->prims.tri + 3 * (size_t)at[1]))
      continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, at[0], at[1]);
    w->stopped = w->plan->first;
  }
}

/* Where the corners of a triangle are, by the signs of three sides: masks. */
typedef struct standing {
  vregm second,
      third; /* this corner is alone on its side; otherwise the first one is, or none is: then only exact arithmetic decides */
  vregm up; /* the lone corner is on the positive side */
} standing;

static KERNEL_INLINE standing standing_of(const sides *s)
{
  vregm up[3], a, b, both;
  for (int c = 0; c < 3; ++c) up[c] = vr_lt(vr_set(0), s->at[c]);
  a = vrm_xor(up[0], up[1]);
  b = vrm_xor(up[0], up[2]);
  both = vrm_and(a, b);
  return (standing){vrm_xor(a, both), vrm_xor(b, both), vrm_xor(a, up[2])}; /* the two that agree cancel out */
}

/* The lone corner first, the others in their order, or turned round. */
static KERNEL_INLINE void lone_first(const standing *s, vregm turned, point_reg c[3])
{
  point_reg lone = point_reg_select(s->second, c[1], point_reg_select(s->third, c[2], c[0]));
  point_reg next = point_reg_select(s->second, c[2], point_reg_select(s->third, c[0], c[1]));
  point_reg last = point_reg_select(s->second, c[0], point_reg_select(s->third, c[1], c[2]));
  c[0] = lone;
  c[1] = point_reg_select(turned, last, next);
  c[2] = point_reg_select(turned, next, last);
}

/* Both triangles cross the other's plane, each with a lone corner on one side. They touch if their parts of the planes' common line
 * overlap, which two signs decide; corners are turned so that both lone ones are on the positive side. */
typedef struct verdict {
  unsigned no, yes;
} verdict;

static KERNEL_INLINE verdict judge(const opened_leaf *a, int i, const opened_leaf *b, int at, const sides *of_a,
                                   const sides *of_b, vreg limit)
{
  standing at_p = standing_of(of_b), at_q = standing_of(of_a);
  vregm all = vr_le(vr_set(0), vr_set(0));
  point_reg p[3], q[3];
  for (int c = 0; c < 3; ++c) {
    p[c] = (point_reg){vr_set(a->corner[c][0][i]), vr_set(a->corner[c][1][i]), vr_set(a->corner[c][2][i])};
    q[c] = (point_reg){vr_load(b->corner[c][0] + at), vr_load(b->corner[c][1] + at), vr_load(b->corner[c][2] + at)};
  }
  lone_first(&at_p, vrm_xor(at_q.up, all), p);
  lone_first(&at_q, vrm_xor(at_p.up, all), q);
  vreg c1 = triple(between(q[1], p[1]), between(q[0], p[1]), between(p[0], p[1]));
  vreg c2 = triple(between(q[2], p[0]), between(q[0], p[0]), between(p[2], p[0]));
  vreg low = vr_sub(vr_set(0), limit);
  return (verdict){vrm_bits(vrm_or(vr_lt(limit, c1), vr_lt(limit, c2))),
                   vrm_bits(vrm_and(vr_lt(c1, low), vr_lt(c2, low)))};
}

/* Triangle i of a against the candidates among b's from lane `at` on. */
static KERNEL_INLINE void test_triangle(walk *w, const opened_leaf *a, int i, const opened_leaf *b, int at,
                                        unsigned candidates)
{
  /* d bounds every difference of coordinates of two triangles whose boxes overlap */
  vreg delta = vr_set(a->delta > b->delta ? a->delta : b->delta), little = vr_set(UNDERFLOW_ERROR);
  vreg d =
      vr_add(vr_mul(vr_add(vr_set(a->size[i]), vr_load(b->size + at)), vr_set(1 + 0x1p-20f)), vr_mul(delta, vr_set(4)));
  vreg limit_a = vr_add(vr_add(vr_mul(vr_set(a->alpha[i]), d), vr_mul(vr_set(a->area[i]), delta)), little);
  sides of_a = sides_of_a(a, i, b, at);
  candidates &= ~sides_apart(&of_a, limit_a);
  if (!candidates) return;
  vreg limit_b = vr_add(vr_add(vr_mul(vr_load(b->alpha + at), d), vr_mul(vr_load(b->area + at), delta)), little);
  sides of_b = sides_of_b(a, i, b, at);
  candidates &= ~sides_apart(&of_b, limit_b);
  if (!candidates) return;
  unsigned certain = sides_certain(&of_a, limit_a) & sides_certain(&of_b, limit_b);
  vreg cube = vr_add(vr_mul(d, vr_set(PLANE_ERROR)), vr_mul(delta, vr_set(48)));
  vreg limit = vr_add(vr_mul(vr_mul(d, d), cube), vr_mul(vr_add(d, vr_set(1)), little));
  verdict v = judge(a, i, b, at, &of_a, &of_b, limit);
  for (unsigned m = candidates & ~(v.no & certain); m && !w->stopped; m &= m - 1) {
    uint32_t j = (uint32_t)__builtin_ctz(m), p = a->first + (uint32_t)i, q = b->first + (uint32_t)at + j;
    if (!(v.yes & certain & 1u << j) && !decide_exactly(w, p, q)) continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, p, q);
    w->stopped = w->plan->first;
  }
}

/* Triangles of a whose boxes meet boxes of b's triangles, with these: lanes and masks without a branch in between. Returns their number. */
static KERNEL_INLINE int find_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m,
                                         uint8_t lane[8], uint8_t mask[8])
{
  int n = 0;
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    unsigned c = lanes_meeting(b, v8_set(a->lower[0][i]), v8_set(a->lower[1][i]), v8_set(a->lower[2][i]),
                               v8_set(a->upper[0][i]), v8_set(a->upper[1][i]), v8_set(a->upper[2][i]));
    lane[n] = (uint8_t)i;
    mask[n] = (uint8_t)c;
    w->n_p += (uint64_t)__builtin_popcount(c);
    n += c != 0;
  }
  return n;
}

/* The same within one body, without repeated pairs and neighbours. */
static KERNEL_INLINE int find_own_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m,
                                             uint8_t lane[8], uint8_t mask[8])
{
  const unsigned later = a->leaf == b->leaf ? 1 : 0;
  int n = 0;
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    unsigned c = lanes_meeting(b, v8_set(a->lower[0][i]), v8_set(a->lower[1][i]), v8_set(a->lower[2][i]),
                               v8_set(a->upper[0][i]), v8_set(a->upper[1][i]), v8_set(a->upper[2][i]));
    c &= ~sharing(a, i, b) & ~(later * ((2u << i) - 1));
    lane[n] = (uint8_t)i;
    mask[n] = (uint8_t)c;
    w->n_p += (uint64_t)__builtin_popcount(c);
    n += c != 0;
  }
  return n;
}

/* Leaves out pairs that the caller's filter refuses, and within one body repeated pairs and neighbours: they are not counted.
 * Neighbours that are wanted are decided here. Returns how many triangles of a are left. */
static __attribute__((noinline)) int filter_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, int n,
                                                       uint8_t lane[8], uint8_t mask[8])
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
  unsigned m = lanes_meeting(a, v8_set(q->lower[0]), v8_set(q->lower[1]), v8_set(q->lower[2]), v8_set(q->upper[0]),
                             v8_set(q->upper[1]), v8_set(q->upper[2]));
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
