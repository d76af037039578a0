/* Rays through the tree of one body; see rays.h.
 *
 * Triangles. After Woop, Benthin and Wald, Watertight Ray/Triangle Intersection, 2013: corners
 * relative to the ray, sheared such that it runs along an axis; three signs decide the sides.
 * With V bounding the corners' distance and d the error of coordinates (both bodies' and ray's),
 * a sheared coordinate is right to h = 10 u V + 3 d, u = 2^-24: 2 u V for the differences, 3 u V
 * for the shear of rounded directions, u V for its product, 2 u V for the sum. A sign's
 * determinant of coordinates up to M is then right to 4 M h + 2 h h + 4 u M M; a quarter more is
 * used (e below). Times t of corners along the axis are right to m = (10 u V + 4 d) |inverse|.
 * Where a hit would have weights w of one sign, the sum of w (t - low) has that sign too if the
 * hit is not before `low`; the sum is right to 3 e max |t - low| + m sum |w|, and its own
 * roundings to 6 u sum |w| max |t - low|.
 *
 * Certain hits. If the three determinants e_i have one sign and |e_i| > 4 L, L the bound on
 * their errors (`limit`), the true ones have that sign: the line pierces the triangle. D = sum
 * e_i is right to 3 L < D / 4, so a weight e_i / D is right to (L + 3 L) / (3/4 D) < 5.4 L / D.
 * With a = t_1 - t_0, b = t_2 - t_0 and r = max(|a|, |b|), the time of the hit T = t_0 + (e_1 /
 * D) a + (e_2 / D) b is right to
 *   16 L r / D + 4 m + 16 u (|T| + r).
 * Two weights make 10.8 L r / D; times of corners, which have true weights of sum 1, make m;
 * roundings are one for a and b, four for each weight (two for D, its inverse, the product), one
 * for each product and one for their sum, 7 u r, and u |T| for the last sum. The rest covers the
 * roundings of the bound itself and of its ends. Weights are at most 1.1, so no product
 * overflows where coordinates are up to 2^50 (then |e_i| < 2^106 and |t| < 2^62), and what
 * underflows, 2^-149 for a product and 2^-149 r for a weight, is far below m >= 2^-100 and u r.
 * t is also between the least and the greatest t of corners, each right to m; 2 m is used. The
 * intervals are relative to t_0, not to the start of the ray: r is then the depth of the
 * triangle, not its distance. Each end of an interval is at least m away from the true t, up to
 * roundings of 3 u |t|. As m >= 10 u V |inverse| and |t| <= V |inverse|, 7 u |t| are left, far
 * more than the 2 units of double by which a hit's t is rounded: hits whose intervals do not
 * meet have rounded t of the same order. That needs t in the normal range of double; rays
 * outside of it have no intervals (GUESS_LEAST). */
#ifndef KERNELS_RAY_BODY_INL
#define KERNELS_RAY_BODY_INL

#include "exact/predicates.h"
#include "exact/ray_tri.h"
#include "kernels/corners.inl"
#include "kernels/rays.h"

#include <float.h>

#include "exact/ray_tri_filter.inl"
#include "kernels/ray_view.inl"

/* ------------------------------------------------------------------------------------ a leaf -- */

/* A ray as the triangles of one body see it. */
typedef struct ray_needle {
  int x, y, z;                     /* z: the axis along which the ray moves most */
  float base[3];                   /* along x, y, z */
  float shear_x, shear_y, inverse; /* as in ray_shear */
  float error, margin;             /* h, m */
  float low, high;                 /* t */
} ray_needle;

/* Certain hits of a leaf, with intervals that contain their t. */
typedef struct ray_spans {
  float after, before; /* only hits between them */
  unsigned certain;    /* the lanes that are; the others are undefined */
  float low[8], high[8];
} ray_spans;

/* What pierced_in_register() knows of its triangles. */
typedef struct leaf_view {
  vreg t[3], e[3];
  vreg limit;       /* L */
  vreg first, last; /* of t */
} leaf_view;

/* The triangles from `from` on. */
static KERNEL_INLINE void view_leaf(const ray_needle *r, const float corner[3][3][8], int from, leaf_view *o)
{
  vreg x[3], y[3], most = vr_set(0);
  for (int c = 0; c < 3; ++c) {
    vreg z = vr_sub(vr_load(corner[c][r->z] + from), vr_set(r->base[2]));
    x[c] = vr_sub(vr_sub(vr_load(corner[c][r->x] + from), vr_set(r->base[0])), vr_mul(vr_set(r->shear_x), z));
    y[c] = vr_sub(vr_sub(vr_load(corner[c][r->y] + from), vr_set(r->base[1])), vr_mul(vr_set(r->shear_y), z));
    o->t[c] = vr_mul(z, vr_set(r->inverse));
    most = vr_max(most, vr_max(vr_abs(x[c]), vr_abs(y[c])));
  }
  o->e[0] = vr_cross(x[1], y[2], y[1], x[2]);
  o->e[1] = vr_cross(x[2], y[0], y[2], x[0]);
  o->e[2] = vr_cross(x[0], y[1], y[0], x[1]);
  vreg limit = vr_mul(most, vr_add(vr_set(5 * r->error), vr_mul(most, vr_set(5 * UNIT))));
  o->limit = vr_add(limit, vr_set(2.5f * r->error * r->error + UNDERFLOW_ERROR));
  o->first = vr_min(o->t[0], vr_min(o->t[1], o->t[2]));
  o->last = vr_max(o->t[0], vr_max(o->t[1], o->t[2]));
}

/* A ray from the surface meets its own triangle before it starts: the sum of weight * (t - low)
 * has the other sign then. */
static KERNEL_INLINE vregm lanes_behind(const ray_needle *r, const leaf_view *o, vregm left, vregm right)
{
  vreg sum = vr_set(0), size = sum, far = sum;
  for (int c = 0; c < 3; ++c) {
    vreg ahead = vr_sub(o->t[c], vr_set(r->low));
    sum = vr_add(sum, vr_mul(o->e[c], ahead));
    size = vr_add(size, vr_abs(o->e[c]));
    far = vr_max(far, vr_abs(ahead));
  }
  vreg doubt = vr_add(vr_mul(vr_mul(o->limit, far), vr_set(4)), vr_mul(size, vr_set(2 * r->margin)));
  doubt = vr_add(vr_add(doubt, vr_mul(vr_mul(size, far), vr_set(16 * UNIT))), vr_set(UNDERFLOW_ERROR));
  return vrm_or(vrm_and(left, vr_lt(sum, vr_sub(vr_set(0), doubt))), vrm_and(right, vr_lt(doubt, sum)));
}

/* The lanes that are certainly hit; see the top of the file. */
static KERNEL_INLINE void lanes_certain(const ray_needle *r, const leaf_view *o, vreg least, vreg most, int from,
                                        ray_spans *spans)
{
  vreg four = vr_mul(o->limit, vr_set(4)), margin = vr_set(2 * r->margin);
  vregm sure = vrm_or(vr_lt(four, least), vr_lt(most, vr_sub(vr_set(0), four)));
  vreg inverse = vr_div(vr_set(1), vr_add(vr_add(o->e[0], o->e[1]), o->e[2]));
  vreg a = vr_sub(o->t[1], o->t[0]), b = vr_sub(o->t[2], o->t[0]), range = vr_max(vr_abs(a), vr_abs(b));
  vreg step = vr_add(vr_mul(vr_mul(o->e[1], inverse), a), vr_mul(vr_mul(o->e[2], inverse), b));
  vreg t = vr_add(o->t[0], step);
  vreg error = vr_mul(vr_abs(vr_mul(four, inverse)), vr_mul(range, vr_set(4)));
  error = vr_add(vr_add(error, vr_set(4 * r->margin)), vr_mul(vr_add(vr_abs(t), range), vr_set(16 * UNIT)));
  vreg low = vr_max(vr_sub(t, error), vr_sub(o->first, margin)),
       high = vr_min(vr_add(t, error), vr_add(o->last, margin));
  sure = vrm_and(sure, vrm_and(vr_lt(vr_set(spans->after), low), vr_lt(high, vr_set(spans->before))));
  spans->certain |= vrm_bits(sure) << from;
  vr_store(spans->low + from, low);
  vr_store(spans->high + from, high);
}

/* Of the triangles from `from` on: lanes_pierced(). */
static KERNEL_INLINE unsigned pierced_in_register(const ray_needle *r, const float corner[3][3][8], int from,
                                                  ray_spans *spans)
{
  leaf_view o;
  view_leaf(r, corner, from, &o);
  vreg least = vr_min(o.e[0], vr_min(o.e[1], o.e[2])), most = vr_max(o.e[0], vr_max(o.e[1], o.e[2]));
  vregm left = vr_lt(o.limit, most), right = vr_lt(least, vr_sub(vr_set(0), o.limit));
  vregm late = vr_lt(vr_set(r->high + r->margin), o.first), early = vr_lt(o.last, vr_set(r->low - r->margin));
  unsigned m = ~vrm_bits(vrm_or(vrm_and(left, right), vrm_or(late, early))) & ((1u << VR_LANES) - 1);
  if (m & vrm_bits(vr_lt(o.first, vr_set(r->low)))) m &= ~vrm_bits(lanes_behind(r, &o, left, right));
  if (m && spans) lanes_certain(r, &o, least, most, from, spans);
  return m << from;
}

/* The lanes of a leaf that are not certainly missed. spans: NULL, or what is known about those
 * that are certainly hit. One register after the other: two at once would not find room in 16. */
static KERNEL_INLINE unsigned lanes_pierced(const ray_needle *r, const float corner[3][3][8], ray_spans *spans)
{
  unsigned m = 0;
  if (spans) spans->certain = 0;
  for (int from = 0; from < 8; from += VR_LANES) m |= pierced_in_register(r, corner, from, spans);
  return m;
}

/* The corners of a triangle in world space. The common kind of vertices, floats as the caller
 * gave them, is a path of its own. */
static KERNEL_INLINE void ray_corners(const walk_side *s, uint32_t triangle, double p[3][3])
{
  const uint32_t *corner = s->tree->prims.tri + 3 * (size_t)triangle;
  if (points_are_floats(&s->points)) {
    for (int c = 0; c < 3; ++c) {
      const float *at = (const float *)(const void *)(s->points.data + s->points.stride * corner[c]);
      for (int k = 0; k < 3; ++k) p[c][k] = (double)at[k];
    }
  } else {
    for (int c = 0; c < 3; ++c) points_world(&s->points, corner[c], p[c]);
  }
}

/* A hit that is not counted yet: where it is, and its triangle. */
typedef struct ray_met {
  ray_point at;
  uint32_t id; /* the caller's index of the triangle */
  double p[3][3];
} ray_met;

static KERNEL_INLINE void write_hit(const ray_target *target, const ray_met *met, pl_hit *hit)
{
  hit->t = met->at.t;
  hit->u = met->at.u;
  hit->v = met->at.v;
  hit->triangle = met->id;
  hit->member = target->number;
  hit->body = target->body;
  ray_normal((const double(*)[3])met->p, hit->normal);
}

/* What has become of a ray. */
typedef enum ray_fate {
  RAY_GOES_ON,
  RAY_IS_SHORTER, /* it has hit something */
  RAY_HAS_ENDED,
} ray_fate;

/* Asks the filter, and keeps the hit. */
static __attribute__((noinline)) ray_fate keep_hit(ray_walk *w, const ray_target *target, size_t index,
                                                   const ray_met *met, pl_hit *best)
{
  pl_hit hit;
  write_hit(target, met, &hit);
  if (w->plan->filter && !w->plan->filter(w->plan->user, index, &hit)) return RAY_GOES_ON;
  if (w->plan->mode == PL_RAY_MODE_ALL) {
    if (!array_reserve(w->allocator, &w->found, w->found.count + 1)) {
      w->status = PL_ERROR_MEMORY;
      return RAY_HAS_ENDED;
    }
    w->found.data[w->found.count++] = hit;
    return RAY_GOES_ON;
  }
  *best = hit;
  return w->plan->mode == PL_RAY_MODE_ANY ? RAY_HAS_ENDED : RAY_IS_SHORTER;
}

/* One triangle, exactly. */
static __attribute__((noinline)) ray_fate decide_exactly(ray_walk *w, const ray_target *target, const pl_ray *ray,
                                                         size_t index, uint32_t triangle, pl_hit *best)
{
  pl_ray_mode mode = w->plan->mode;
  ray_met met;
  ray_corners(&target->side, triangle, met.p);
  if (!meet_ray(ray, (const double(*)[3])met.p, mode == PL_RAY_MODE_CLOSEST ? best->t : INFINITY, &met.at))
    return RAY_GOES_ON;
  met.id = target->side.tree->prims.tri_id[triangle];
  if (mode == PL_RAY_MODE_CLOSEST && !ray_place_before(met.at.t, target->number, met.id, best)) return RAY_GOES_ON;
  if (w->plan->filter || mode == PL_RAY_MODE_ALL) return keep_hit(w, target, index, &met, best);
  write_hit(target, &met, best);
  return mode == PL_RAY_MODE_ANY ? RAY_HAS_ENDED : RAY_IS_SHORTER;
}

/* The same for a ray on its own; true if it has ended. */
static KERNEL_INLINE bool decide_triangle(ray_walk *w, ray_view *v, uint32_t triangle, pl_hit *best)
{
  ray_fate fate = decide_exactly(w, v->target, v->ray, v->index, triangle, best);
  if (fate == RAY_IS_SHORTER) shorten(v, best->t);
  return fate == RAY_HAS_ENDED;
}

static KERNEL_INLINE void open_leaf_in(const ray_target *b, uint32_t leaf, ray_leaf *o)
{
  const tree *t = b->side.tree;
  watch_see(t, ~(int32_t)leaf);
  o->leaf = leaf;
  o->first = t->prims.tri_first[leaf];
  o->count = (int)(t->prims.tri_end[leaf] - o->first);
  load_corners_of(b->origin, b->delta != 0, &b->side, leaf, t->prims.tri + 3 * (size_t)o->first, o->count, o->corner);
}

/* Opens a leaf, in *room where that is cheap. Where vertices must be transformed or blended
 * first, leaves are kept for a while: neighbouring rays open the same ones. Other leaves are not
 * kept: reading one back from a distant cache takes longer than opening it. */
static KERNEL_INLINE const ray_leaf *look_into(ray_walk *w, const ray_target *b, uint32_t leaf, ray_leaf *room)
{
  if (b->delta == 0) {
    open_leaf_in(b, leaf, room);
    return room;
  }
  uint32_t target = (uint32_t)(b - w->plan->targets);
  ray_leaf *o = &w->leaves[(leaf + target * RAY_LEAVES_APART) & (RAY_LEAVES - 1)];
  if (o->leaf == leaf && o->target == target && o->cast == w->plan->cast) return o;
  o->cast = w->plan->cast;
  o->target = target;
  open_leaf_in(b, leaf, o);
  return o;
}

static KERNEL_INLINE ray_needle needle_of(const ray_view *v)
{
  const ray_shear *s = &v->shear;
  return (ray_needle){.x = s->x,
                      .y = s->y,
                      .z = s->z,
                      .base = {s->base[s->x], s->base[s->y], s->base[s->z]},
                      .shear_x = s->shear_x,
                      .shear_y = s->shear_y,
                      .inverse = s->inverse,
                      .error = s->error,
                      .margin = s->margin,
                      .low = v->shear_low,
                      .high = v->shear_high};
}

static KERNEL_INLINE bool decide_lanes(ray_walk *w, ray_view *v, const ray_leaf *o, pl_hit *best)
{
  unsigned m = (1u << o->count) - 1;
  if (!v->shear.irregular) {
    ray_needle r = needle_of(v);
    m &= lanes_pierced(&r, o->corner, NULL);
  }
  for (; m; m &= m - 1)
    if (decide_triangle(w, v, o->first + (uint32_t)__builtin_ctz(m), best)) return true;
  return false;
}

static KERNEL_INLINE bool test_leaf(ray_walk *w, ray_view *v, uint32_t leaf, pl_hit *best)
{
  ray_leaf room;
  const ray_leaf *o = look_into(w, v->target, leaf, &room);
  w->n_p += (uint64_t)o->count;
  return decide_lanes(w, v, o, best);
}

/* ---------------------------------------------------------------------------------- the walk -- */

typedef struct ray_item {
  int32_t reference;
  float near;
} ray_item;

/* The children that are met go to the stack, the nearest last. One or two are the rule. */
static KERNEL_INLINE int push_sorted(ray_item *stack, int count, const int32_t *child, unsigned m, const float near[8])
{
  if (!m) return count;
  int lane = __builtin_ctz(m);
  ray_item first = {child[lane], near[lane]};
  m &= m - 1;
  if (!m) {
    stack[count++] = first;
    return count;
  }
  lane = __builtin_ctz(m);
  ray_item second = {child[lane], near[lane]};
  m &= m - 1;
  bool turned = first.near < second.near;
  stack[count] = turned ? second : first;
  stack[count + 1] = turned ? first : second;
  int bottom = count;
  for (count += 2; m; m &= m - 1) {
    lane = __builtin_ctz(m);
    int at = count++;
    float own = near[lane];
    for (; at > bottom && stack[at - 1].near < own; --at) stack[at] = stack[at - 1];
    stack[at] = (ray_item){child[lane], own};
  }
  return count;
}

typedef ray_item ray_stack[8 * (TREE_MOST_DEPTH + 1)];

/* What the next step will read. */
static KERNEL_INLINE void fetch_item(const tree *t, int32_t reference)
{
  if (reference < 0) { /* leaves of one triangle are in order; most other leaves are full: about there */
    size_t leaf = (size_t)~reference;
    const uint32_t *tri = t->prims.tri + (t->nodes.leaf_count == t->prims.triangle_count ? 3 * leaf : 24 * leaf);
    __builtin_prefetch(t->prims.tri_first + leaf);
    __builtin_prefetch(tri);
    __builtin_prefetch(tri + 16);
    return;
  }
  const char *block = (const char *)tree_block(t, (uint32_t)reference);
  __builtin_prefetch(block);
  __builtin_prefetch(block + 64);
  __builtin_prefetch(block + 128);
  __builtin_prefetch(tree_children(t, (uint32_t)reference));
  __builtin_prefetch(&t->layers[LAYER_BOXES].stamp[reference]);
}

/* Makes a node's block true. The children that are met. */
static KERNEL_INLINE unsigned node_hits(ray_walk *w, const walk_side *side, const ray_slabs *slabs, float low,
                                        float high, uint32_t node, float near[8])
{
  tree *t = side->tree;
  watch_see(t, (int32_t)node);
  if (!side->eager && !tree_is_true(t, LAYER_BOXES, node)) w->n_u += side->ensure(side->owner, LAYER_BOXES, node);
  int children = t->nodes.children[node];
  const float *block = tree_block(t, node);
  unsigned m = t->nodes.width == 8   ? slab_hits(slabs, block, 8, low, high, near)
               : t->nodes.width == 4 ? slab_hits(slabs, block, 4, low, high, near)
                                     : slab_hits(slabs, block, 2, low, high, near);
  w->n_v += (uint64_t)children;
  return m & ((1u << children) - 1);
}

/* Puts the children of a node that are met on the stack. Returns the new height. */
static KERNEL_INLINE int open_node(ray_walk *w, const walk_side *side, const ray_slabs *slabs, float low, float high,
                                   uint32_t node, ray_item *stack, int count)
{
  float near[8];
  unsigned m = node_hits(w, side, slabs, low, high, node, near);
  const int32_t *child = tree_children(side->tree, node);
  for (unsigned k = m; k; k &= k - 1) fetch_item(side->tree, child[__builtin_ctz(k)]);
  return push_sorted(stack, count, child, m, near);
}

/* One ray in the subtree of a node; true if the ray has ended. */
static bool walk_body(ray_walk *w, ray_view *v, int32_t from, pl_hit *best)
{
  const walk_side *side = &v->target->side;
  ray_stack stack;
  int count = 1;
  stack[0] = (ray_item){from, 0};
  while (count) {
    ray_item item = stack[--count];
    if (item.near > v->high) continue;
    if (item.reference < 0) {
      if (test_leaf(w, v, (uint32_t)~item.reference, best)) return true;
      continue;
    }
    count = open_node(w, side, v->slabs, v->low, v->high, (uint32_t)item.reference, stack, count);
  }
  return false;
}

#endif
