/* Points through one tree: the nearest triangle, and the crossings of a ray along an axis; see
 * probe.h.
 *
 * Nearest. Boxes are searched nearest first. In a leaf the nearest point q of each of 8
 * triangles is computed in float, with the point as the origin. It is not trusted, but it proves
 * two things. With V bounding the corners' coordinates as computed, u = 2^-24 and d the error of
 * a coordinate (point and corner together):
 *   q is a sum A + v (B - A) + w (C - A) of weights that are clamped to 0 <= v, 0 <= w <= 1 - v:
 *   but for rounding, a point of the triangle. Each coordinate of it is off by less than d (1 +
 *   2 + 2) + u V (1 + 2 (1 + 2) + 4) < 5 d + 16 u V, so that the triangle is at most |q| (1 + 8
 *   u) + 2 (5 d + 16 u V) away. 12 d + 64 u V is used. For any vector g, the triangle is at
 *   least min over corners of g.V_i / |g| away. A computed g.V_i is off by less than (d + 5 u V)
 *   (|g_0| + |g_1| + |g_2|); 2 d + 16 u V is used.
 * The least upper bound is the cut; triangles whose lower bound is above it are left out. The
 * few candidates that remain at the end are measured exactly. */
#ifndef KERNELS_PROBE_INL
#define KERNELS_PROBE_INL

#include "exact/tri_tri_distance.h"
#include "kernels/centred.inl"
#include "kernels/corners.inl"
#include "kernels/probe.h"

#include <float.h>

typedef struct box8 {
  v8 lower[3], upper[3];
} box8;

typedef struct probe_item {
  int32_t reference;
  float bound; /* squared */
} probe_item;

typedef probe_item probe_stack[8 * (TREE_MOST_DEPTH + 1)];

/* ----------------------------------------------------------------------------------- opening -- */

static KERNEL_INLINE box8 load_box8(const float *block, int width)
{
  box8 b;
  for (int k = 0; k < 3; ++k) {
    b.lower[k] = v8_load_lanes(block + k * width, width);
    b.upper[k] = v8_load_lanes(block + (k + 3) * width, width);
  }
  return b;
}

/* Boxes in another space. */
static __attribute__((noinline)) box8 carry_box8(const frame_change *f, const box8 *from)
{
  box8 r;
  const centred here = centred_of(from->lower, from->upper), there = carried(f, &here);
  for (int k = 0; k < 3; ++k) {
    r.lower[k] = v8_sub(there.centre[k], there.half[k]);
    r.upper[k] = v8_add(there.centre[k], there.half[k]);
  }
  return r;
}

/* Refits a node's block if it is stale, and returns its children's boxes. */
static KERNEL_INLINE box8 probe_open(probe_walk *w, uint32_t node)
{
  const walk_side *side = &w->target->side;
  tree *t = side->tree;
  watch_see(t, (int32_t)node);
  if (!side->eager && !tree_is_true(t, LAYER_BOXES, node)) w->n_u += side->ensure(side->owner, LAYER_BOXES, node);
  w->n_v += (uint64_t)t->nodes.children[node];
  const float *block = tree_block(t, node);
  box8 b = t->nodes.width == 8 ? load_box8(block, 8) : t->nodes.width == 4 ? load_box8(block, 4) : load_box8(block, 2);
  return w->target->transformed ? carry_box8(&w->target->to_world, &b) : b;
}

static KERNEL_INLINE void probe_fill(const probe_target *b, uint32_t leaf, probe_leaf *o)
{
  const walk_side *s = &b->side;
  const tree *t = s->tree;
  watch_see(t, ~(int32_t)leaf);
  o->first = t->prims.tri_first[leaf];
  o->count = (int)(t->prims.tri_end[leaf] - o->first);
  const uint32_t *tri = t->prims.tri + 3 * (size_t)o->first;
  load_corners_of(b->origin, b->delta != 0, s, leaf, tri, o->count, o->corner);
}

/* A leaf's corners; kept for a while where vertices must be transformed or blended first. */
static KERNEL_INLINE const probe_leaf *probe_look(probe_walk *w, uint32_t leaf, probe_leaf *room)
{
  if (w->target->delta == 0) {
    probe_fill(w->target, leaf, room);
    return room;
  }
  probe_leaf *o = &w->leaves[leaf & (PROBE_LEAVES - 1)];
  if (o->serial != w->serial || o->leaf != leaf) {
    o->serial = w->serial;
    o->leaf = leaf;
    probe_fill(w->target, leaf, o);
  }
  return o;
}

static inline void probe_corners(const probe_target *b, uint32_t triangle, double p[3][3])
{
  for (size_t c = 0; c < 3; ++c) points_world(&b->side.points, b->side.tree->prims.tri[3 * (size_t)triangle + c], p[c]);
}

/* ----------------------------------------------------------------------------------- nearest -- */

typedef struct search {
  probe_walk *walk;
  const double *point;
  size_t index;
  /* the point in units, rounded outward; infinite where it is too far away for floats */
  float lower[3], upper[3];
  /* the point relative to the target's origin, and the error of a coordinate */
  float at[3], delta;
  bool irregular;
  float cut;     /* bounds above, squared and in units, are of no interest */
  float enough;  /* a cut that ends the search; negative: none */
  uint32_t leaf; /* whose triangles gave the cut; UINT32_MAX: none */
  pl_point *best;
  uint32_t least; /* the best triangle's index by the caller's numbering; PL_NONE: none */
  int count;
  struct {
    float bound;
    uint32_t triangle; /* in tree order */
  } candidate[PROBE_CANDIDATES];
} search;

/* Distances above this are of no interest; those computed as equal may be apart by two errors. */
static void cut_at(search *s, double distance)
{
  double here = distance * (1 + 4 * DISTANCE_ERROR) * s->walk->target->unit, square = here * here * (1 + 0x1p-40);
  float cut = square < 0x1p127 ? round_up(square + 0x1p-140) : INFINITY;
  s->cut = cut < s->cut ? cut : s->cut;
}

static __attribute__((noinline)) void measure(search *s, uint32_t triangle)
{
  const probe_target *b = s->walk->target;
  double corners[3][3];
  point_nearest n;
  uint32_t id = b->side.tree->prims.tri_id[triangle];
  probe_corners(b, triangle, corners);
  point_tri_distance(s->point, (const double(*)[3])corners, &n);
  pl_point *r = s->best;
  if (!(n.distance <= s->walk->limit)) return;
  if (s->least != PL_NONE && !(n.distance < r->distance || (n.distance == r->distance && id < s->least))) return;
  s->least = id;
  r->distance = n.distance;
  for (int k = 0; k < 3; ++k) r->point[k] = n.at[k];
  r->u = n.u;
  r->v = n.v;
  r->triangle = id;
  cut_at(s, n.distance);
}

/* Candidates by rising bound: the first is most often the nearest. */
static void measure_all(search *s)
{
  while (s->count) {
    int least = 0;
    for (int i = 1; i < s->count; ++i)
      if (s->candidate[i].bound < s->candidate[least].bound) least = i;
    if (s->candidate[least].bound > s->cut) break;
    uint32_t triangle = s->candidate[least].triangle;
    s->candidate[least] = s->candidate[--s->count];
    measure(s, triangle);
  }
  s->count = 0;
}

static void add_candidate(search *s, float bound, uint32_t triangle)
{
  if (s->count == PROBE_CANDIDATES) {
    int kept = 0;
    for (int i = 0; i < s->count; ++i)
      if (s->candidate[i].bound <= s->cut) s->candidate[kept++] = s->candidate[i];
    s->count = kept;
    if (kept > PROBE_CANDIDATES / 2) measure_all(s);
  }
  s->candidate[s->count].bound = bound;
  s->candidate[s->count++].triangle = triangle;
}

typedef struct corner_lanes {
  vreg x, y, z;
} corner_lanes;

static KERNEL_INLINE corner_lanes lanes_less(corner_lanes a, corner_lanes b)
{
  return (corner_lanes){vr_sub(a.x, b.x), vr_sub(a.y, b.y), vr_sub(a.z, b.z)};
}
static KERNEL_INLINE vreg lanes_dot(corner_lanes a, corner_lanes b) { return vr_dot(a.x, b.x, a.y, b.y, a.z, b.z); }

/* The nearest point to the origin of triangles a, b, c: by the regions of C. Ericson, Real-Time
 * Collision Detection, 2005, section 5.1.5, in lanes; one division. Only a guess where numbers
 * round. */
static KERNEL_INLINE corner_lanes lanes_nearest(corner_lanes a, corner_lanes b, corner_lanes c)
{
  vreg zero = vr_set(0), one = vr_set(1);
  corner_lanes ab = lanes_less(b, a), ac = lanes_less(c, a);
  vreg d1 = vr_sub(zero, lanes_dot(ab, a)), d2 = vr_sub(zero, lanes_dot(ac, a)), d3 = vr_sub(zero, lanes_dot(ab, b)),
       d4 = vr_sub(zero, lanes_dot(ac, b)), d5 = vr_sub(zero, lanes_dot(ab, c)), d6 = vr_sub(zero, lanes_dot(ac, c));
  vreg va = vr_cross(d3, d6, d5, d4), vb = vr_cross(d5, d2, d1, d6), vc = vr_cross(d1, d4, d3, d2);
  vreg e4 = vr_sub(d4, d3), e5 = vr_sub(d5, d6);
  vreg num_v = vb, num_w = vc, den = vr_add(va, vr_add(vb, vc));
  vregm bc = vrm_and(vr_le(va, zero), vrm_and(vr_le(zero, e4), vr_le(zero, e5)));
  num_v = vr_select(bc, e5, num_v);
  num_w = vr_select(bc, e4, num_w);
  den = vr_select(bc, vr_add(e4, e5), den);
  vregm on_ac = vrm_and(vr_le(vb, zero), vrm_and(vr_le(zero, d2), vr_le(d6, zero)));
  num_v = vr_select(on_ac, zero, num_v);
  num_w = vr_select(on_ac, d2, num_w);
  den = vr_select(on_ac, vr_sub(d2, d6), den);
  vregm on_ab = vrm_and(vr_le(vc, zero), vrm_and(vr_le(zero, d1), vr_le(d3, zero)));
  num_v = vr_select(on_ab, d1, num_v);
  num_w = vr_select(on_ab, zero, num_w);
  den = vr_select(on_ab, vr_sub(d1, d3), den);
  vregm at_c = vrm_and(vr_le(zero, d6), vr_le(d5, d6));
  vregm at_b = vrm_and(vr_le(zero, d3), vr_le(d4, d3));
  vregm at_a = vrm_and(vr_le(d1, zero), vr_le(d2, zero));
  num_v = vr_select(at_a, zero, vr_select(at_b, one, vr_select(at_c, zero, num_v)));
  num_w = vr_select(at_a, zero, vr_select(at_b, zero, vr_select(at_c, one, num_w)));
  den = vr_select(vrm_or(at_a, vrm_or(at_b, at_c)), one, den);
  vreg v = vr_min(vr_max(vr_div(num_v, den), zero), one), w = vr_max(vr_div(num_w, den), zero);
  w = vr_min(w, vr_sub(one, v));
  return (corner_lanes){vr_add(a.x, vr_add(vr_mul(ab.x, v), vr_mul(ac.x, w))),
                        vr_add(a.y, vr_add(vr_mul(ab.y, v), vr_mul(ac.y, w))),
                        vr_add(a.z, vr_add(vr_mul(ab.z, v), vr_mul(ac.z, w)))};
}

/* Bounds of the triangles in one register; false: the boxes of all are beyond the cut. */
static KERNEL_INLINE bool register_bounds(const search *s, const float corner[3][3][8], int from, float *lower,
                                          float *upper)
{
  vreg zero = vr_set(0), most = zero;
  corner_lanes at = {vr_set(s->at[0]), vr_set(s->at[1]), vr_set(s->at[2])}, c[3];
  for (int i = 0; i < 3; ++i) {
    c[i] = lanes_less(
        (corner_lanes){vr_load(corner[i][0] + from), vr_load(corner[i][1] + from), vr_load(corner[i][2] + from)}, at);
    most = vr_max(most, vr_max(vr_abs(c[i].x), vr_max(vr_abs(c[i].y), vr_abs(c[i].z))));
  }
  vreg reach[3]; /* gaps between the point and the boxes, less the error of a coordinate */
  for (int k = 0; k < 3; ++k) {
    vreg x = k == 0   ? c[0].x
             : k == 1 ? c[0].y
                      : c[0].z,
         y = k == 0   ? c[1].x
             : k == 1 ? c[1].y
                      : c[1].z,
         z = k == 0   ? c[2].x
             : k == 1 ? c[2].y
                      : c[2].z;
    vreg gap = vr_max(vr_min(vr_min(x, y), z), vr_sub(zero, vr_max(vr_max(x, y), z)));
    reach[k] = vr_max(vr_sub(vr_mul(gap, vr_set(FLOAT_LESS)), vr_set(2 * s->delta)), zero);
  }
  vreg beside = vr_dot(reach[0], reach[0], reach[1], reach[1], reach[2], reach[2]);
  const vregm beyond = vr_lt(vr_set(s->cut), vr_mul(beside, vr_set(FLOAT_LESS)));
  if (vrm_bits(beyond) == (1u << VR_LANES) - 1) return false;
  corner_lanes q = lanes_nearest(c[0], c[1], c[2]);
  vreg qq = lanes_dot(q, q), sum = vr_add(vr_abs(q.x), vr_add(vr_abs(q.y), vr_abs(q.z)));
  vreg along = vr_min(lanes_dot(q, c[0]), vr_min(lanes_dot(q, c[1]), lanes_dot(q, c[2])));
  vreg doubt = vr_add(vr_set(2 * s->delta), vr_mul(most, vr_set(16 * UNIT)));
  /* along is at most qq */
  vreg sure = vr_max(vr_sub(vr_mul(along, vr_set(FLOAT_LESS)), vr_mul(doubt, sum)), zero);
  vreg root = vr_sqrt(qq), length = vr_div(sure, root);
  vreg low = vr_sub(vr_mul(vr_mul(length, length), vr_set(SQUARE_LESS)), vr_set(FLOAT_LOST));
  low = vr_select(vr_lt(vr_set(0x1p-100f), qq), low, vr_set(-1));
  vr_store(lower, vr_select(beyond, vr_set(INFINITY), low)); /* whatever the width of a register is */
  vreg off = vr_add(vr_set(12 * s->delta + 0x1p-70f), vr_mul(most, vr_set(64 * UNIT)));
  vr_store(upper, vr_add(vr_mul(root, vr_set(FLOAT_MORE)), off));
  return true;
}

/* Lower bounds, squared, and upper ones, not squared, of the distances of a leaf's triangles; the
 * lower ones of triangles whose boxes are beyond the cut are infinite. False: all are. One register
 * after the other: two at once would not find room in 16, and one of them is often beyond. */
static KERNEL_INLINE bool leaf_bounds(const search *s, const probe_leaf *o, float lower[8], float upper[8])
{
  bool some = false;
  for (int from = 0; from < 8; from += VR_LANES) {
    if (from < o->count && register_bounds(s, o->corner, from, lower + from, upper + from))
      some = true;
    else
      vr_store(lower + from, vr_set(INFINITY));
  }
  return some;
}

static void probe_leaf_nearest(search *s, uint32_t leaf, float bound)
{
  probe_walk *w = s->walk;
  probe_leaf room;
  const probe_leaf *o = probe_look(w, leaf, &room);
  const uint32_t *id = w->target->side.tree->prims.tri_id + o->first;
  float lower[8], upper[8];
  w->n_p += (uint64_t)o->count;
  if (!s->irregular && !leaf_bounds(s, o, lower, upper)) return;
  for (int i = 0; s->irregular && i < 8; ++i) {
    lower[i] = bound;
    upper[i] = INFINITY;
  }
  /* NaN: no bound */
  unsigned m = ~v8m_bits(v8_lt(v8_set(s->cut), v8_load(lower))) & ((1u << o->count) - 1);
  float least = INFINITY;
  for (unsigned k = m; k; k &= k - 1) {
    int i = __builtin_ctz(k);
    if (w->filter && !w->filter(w->user, s->index, w->target->body, id[i])) {
      m &= ~(1u << i);
      continue;
    }
    least = upper[i] < least ? upper[i] : least;
  }
  if (least < 0x1p63f) {
    float square = least * least * FLOAT_MORE;
    if (square < s->cut) {
      s->cut = square;
      s->leaf = leaf;
    }
  }
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    float low = lower[i] == lower[i] ? lower[i] : bound;
    if (low <= s->cut) add_candidate(s, low, o->first + (uint32_t)i);
  }
}

/* Squares that are never too large: as those of distances. */
static KERNEL_INLINE v8 probe_bounds(const search *s, const box8 *b)
{
  v8 zero = v8_set(0), gap[3];
  for (int k = 0; k < 3; ++k)
    gap[k] = v8_max(v8_max(v8_sub(b->lower[k], v8_set(s->upper[k])), v8_sub(v8_set(s->lower[k]), b->upper[k])), zero);
  v8 square = v8_dot(gap[0], gap[0], gap[1], gap[1], gap[2], gap[2]);
  return v8_sub(v8_mul(square, v8_set(FLOAT_LESS)), v8_set(FLOAT_LOST));
}

/* Children by falling bound. */
static KERNEL_INLINE int push_nearest(probe_item *stack, int count, const int32_t *child, unsigned m,
                                      const float bound[8])
{
  int bottom = count;
  for (; m; m &= m - 1) {
    int lane = __builtin_ctz(m), at = count++;
    float own = bound[lane];
    for (; at > bottom && stack[at - 1].bound < own; --at) stack[at] = stack[at - 1];
    stack[at] = (probe_item){child[lane], own};
  }
  return count;
}

static void begin_search(search *s)
{
  const probe_target *b = s->walk->target;
  const float far = 0x1p60f;
  bool too_far = false;
  double away = 0;
  s->irregular = b->irregular;
  for (int k = 0; k < 3; ++k) {
    double here = s->point[k] * b->unit, from = s->point[k] - b->origin[k];
    s->lower[k] = round_down(here);
    s->upper[k] = round_up(here);
    too_far = too_far || !(s->lower[k] > -far && s->upper[k] < far);
    s->at[k] = (float)from;
    away = fabs(from) > away ? fabs(from) : away;
  }
  for (int k = 0; too_far && k < 3; ++k) { /* squares would overflow, and floats could not distinguish triangles */
    s->lower[k] = -INFINITY;
    s->upper[k] = INFINITY;
  }
  s->irregular = s->irregular || too_far || !(away < 0x1p40);
  s->delta = s->irregular ? 0 : round_up(b->delta + away * 0x1p-24 * (1 + 0x1p-10) + 0x1p-120);
}

/* The first leaf of a search that follows another; returns it, or UINT32_MAX. */
static uint32_t begin_nearby(search *s)
{
  const probe_walk *w = s->walk;
  const double here = w->enough * w->target->unit;
  if (!w->follows) return UINT32_MAX;
  if (here > 0x1p-60 && here < 0x1p60) s->enough = round_down(here * here * (1 - 0x1p-20));
  if (w->near) probe_leaf_nearest(s, w->near - 1, -1);
  return w->near - 1;
}

/* near: a distance that is not below that of the nearest triangle; infinite: unknown. */
static void probe_nearest(probe_walk *w, const double p[3], size_t index, double near, pl_point *out)
{
  search s = {.walk = w,
              .point = p,
              .index = index,
              .cut = INFINITY,
              .enough = -1,
              .leaf = UINT32_MAX,
              .best = out,
              .least = PL_NONE};
  tree *t = w->target->side.tree;
  *out = (pl_point){.distance = INFINITY, .triangle = PL_NONE};
  begin_search(&s);
  cut_at(&s, w->limit);
  cut_at(&s, near);
  const uint32_t nearby = begin_nearby(&s);
  probe_stack stack;
  int count = 1;
  stack[0] = (probe_item){TREE_ROOT, -1};
  while (count && s.cut > s.enough) {
    probe_item item = stack[--count];
    if (item.bound > s.cut) continue;
    if (item.reference < 0) {
      if ((uint32_t)~item.reference != nearby) probe_leaf_nearest(&s, (uint32_t)~item.reference, item.bound);
      continue;
    }
    uint32_t node = (uint32_t)item.reference;
    box8 boxes = probe_open(w, node);
    v8 bounds = probe_bounds(&s, &boxes);
    float bound[8];
    v8_store(bound, bounds);
    unsigned m = v8m_bits(v8_le(bounds, v8_set(s.cut))) & ((1u << t->nodes.children[node]) - 1);
    count = push_nearest(stack, count, tree_children(t, node), m, bound);
  }
  if (w->follows && s.leaf != UINT32_MAX) w->near = s.leaf + 1;
  if (s.cut > s.enough)
    measure_all(&s);
  else /* measured on the way, perhaps, but not the nearest */
    *out = (pl_point){.distance = INFINITY, .triangle = PL_NONE};
}

/* --------------------------------------------------------------------------------- crossings -- */

/* The lanes that the ray may meet: those that are not certainly beside it or behind its start. */
static KERNEL_INLINE unsigned lanes_along(const box8 *b, const probe_ray *r, const float lower[3], const float upper[3])
{
  unsigned apart = 0;
  for (int k = 0; k < 3; ++k) {
    unsigned before = v8m_bits(v8_lt(b->upper[k], v8_set(lower[k])));
    unsigned after = v8m_bits(v8_lt(v8_set(upper[k]), b->lower[k]));
    if (k != r->axis)
      apart |= before | after;
    else
      apart |= r->way > 0 ? before : after;
  }
  return ~apart & 0xff;
}

typedef struct crossing {
  probe_walk *walk;
  const probe_ray *ray;
  float lower[3], upper[3]; /* in units */
  float at[2][3];           /* relative to the target's origin */
  bool irregular;
  int sum;
  bool on;
} crossing;

static void cross_leaf(crossing *c, uint32_t leaf)
{
  probe_walk *w = c->walk;
  probe_leaf room;
  const probe_leaf *o = probe_look(w, leaf, &room);
  unsigned m = (1u << o->count) - 1;
  w->n_p += (uint64_t)o->count;
  if (!c->irregular) {
    box8 b;
    for (int k = 0; k < 3; ++k) {
      v8 x = v8_load(o->corner[0][k]), y = v8_load(o->corner[1][k]), z = v8_load(o->corner[2][k]);
      b.lower[k] = v8_min(v8_min(x, y), z);
      b.upper[k] = v8_max(v8_max(x, y), z);
    }
    m &= lanes_along(&b, c->ray, c->at[0], c->at[1]);
  }
  for (; m && !c->on; m &= m - 1) {
    double p[3][3];
    const uint32_t triangle = o->first + (uint32_t)__builtin_ctz(m);
    if (w->target->side.tree->prims.tri_id[triangle] + 1 == c->ray->without) continue;
    probe_corners(w->target, triangle, p);
    c->on = point_tri_touch(c->ray->point, (const double(*)[3])p);
    c->sum += point_tri_crossing(c->ray->point, (const double(*)[3])p, c->ray->axis, c->ray->way);
  }
}

/* How often the ray leaves the body less how often it enters; *on: the point lies on the
 * surface, and the number is undefined. */
static int probe_crossings(probe_walk *w, const probe_ray *ray, bool *on)
{
  const probe_target *b = w->target;
  tree *t = b->side.tree;
  crossing c = {.walk = w, .ray = ray, .irregular = b->irregular};
  double away = 0;
  for (int k = 0; k < 3; ++k) {
    double here = ray->point[k] * b->unit;
    c.lower[k] = round_down(here);
    c.upper[k] = round_up(here);
    away = fmax(away, fabs(ray->point[k] - b->origin[k]));
  }
  double margin = b->delta + away * 0x1p-50; /* corners are off by delta */
  for (int k = 0; k < 3; ++k) {
    c.at[0][k] = round_down(ray->point[k] - b->origin[k] - margin);
    c.at[1][k] = round_up(ray->point[k] - b->origin[k] + margin);
  }
  probe_stack stack;
  int count = 1;
  stack[0] = (probe_item){TREE_ROOT, 0};
  while (count && !c.on) {
    int32_t reference = stack[--count].reference;
    if (reference < 0) {
      cross_leaf(&c, (uint32_t)~reference);
      continue;
    }
    uint32_t node = (uint32_t)reference;
    box8 boxes = probe_open(w, node);
    const int32_t *child = tree_children(t, node);
    unsigned m = lanes_along(&boxes, ray, c.lower, c.upper) & ((1u << t->nodes.children[node]) - 1);
    for (; m; m &= m - 1) stack[count++].reference = child[__builtin_ctz(m)];
  }
  *on = c.on;
  return c.sum;
}

#endif
