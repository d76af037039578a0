/* Rays through trees; see rays.h.
 *
 * Triangles. After Woop, Benthin and Wald, Watertight Ray/Triangle Intersection, 2013: corners relative to the ray, sheared such that
 * it runs along an axis; three signs decide the sides. With V bounding the corners' distance and d the error of coordinates (both
 * bodies' and ray's), a sheared coordinate is right to h = 10 u V + 3 d, u = 2^-24: 2 u V for the differences, 3 u V for the shear of
 * rounded directions, u V for its product, 2 u V for the sum. A sign's determinant of coordinates up to M is then right to
 * 4 M h + 2 h h + 4 u M M; a quarter more is used (e below).
 * Times t of corners along the axis are right to m = (10 u V + 4 d) |inverse|. Where a hit would have weights w of one sign, the sum of
 * w (t - low) has that sign too if the hit is not before `low`; the sum is right to 3 e max |t - low| + m sum |w|, and its
 * own roundings to 6 u sum |w| max |t - low|. */
#ifndef KERNELS_RAYS_INL
#define KERNELS_RAYS_INL

#include "exact/predicates.h"
#include "exact/ray_tri.h"
#include "kernels/corners.inl"
#include "kernels/rays.h"

#include <float.h>

#include "exact/ray_tri_filter.inl"
#include "kernels/ray_view.inl"

/* --------------------------------------------------------------------------------------------------- a leaf -- */

/* The lanes of a leaf that are not certainly missed. */
static KERNEL_INLINE unsigned lanes_pierced(const ray_view *v, const float corner[3][3][8])
{
  const ray_shear *s = &v->shear;
  v8 x[3], y[3], t[3], most = v8_set(0);
  for (int c = 0; c < 3; ++c) {
    v8 z = v8_sub(v8_load(corner[c][s->z]), v8_set(s->base[s->z]));
    x[c] = v8_sub(v8_sub(v8_load(corner[c][s->x]), v8_set(s->base[s->x])), v8_mul(v8_set(s->shear_x), z));
    y[c] = v8_sub(v8_sub(v8_load(corner[c][s->y]), v8_set(s->base[s->y])), v8_mul(v8_set(s->shear_y), z));
    t[c] = v8_mul(z, v8_set(s->inverse));
    most = v8_max(most, v8_max(v8_abs(x[c]), v8_abs(y[c])));
  }
  v8 e0 = v8_cross(x[1], y[2], y[1], x[2]), e1 = v8_cross(x[2], y[0], y[2], x[0]),
     e2 = v8_cross(x[0], y[1], y[0], x[1]);
  v8 limit = v8_mul(most, v8_add(v8_set(5 * s->error), v8_mul(most, v8_set(5 * UNIT))));
  limit = v8_add(limit, v8_set(2.5f * s->error * s->error + UNDERFLOW_ERROR));
  v8m left = v8_lt(limit, v8_max(e0, v8_max(e1, e2)));
  v8m right = v8_lt(v8_min(e0, v8_min(e1, e2)), v8_sub(v8_set(0), limit));
  v8m late = v8_lt(v8_set(v->shear_high + s->margin), v8_min(t[0], v8_min(t[1], t[2])));
  v8m early = v8_lt(v8_max(t[0], v8_max(t[1], t[2])), v8_set(v->shear_low - s->margin));
  unsigned m = ~v8m_bits(v8m_or(v8m_and(left, right), v8m_or(late, early))) & 0xff;
  if (!m) return 0;
  /* A ray from the surface meets its own triangle before it starts: the sum of weight * (t - low) has the other sign then. */
  v8 sum = v8_set(0), size = sum, far = sum;
  v8 e[3] = {e0, e1, e2};
  for (int c = 0; c < 3; ++c) {
    v8 ahead = v8_sub(t[c], v8_set(v->shear_low));
    sum = v8_add(sum, v8_mul(e[c], ahead));
    size = v8_add(size, v8_abs(e[c]));
    far = v8_max(far, v8_abs(ahead));
  }
  v8 doubt = v8_add(v8_mul(v8_mul(limit, far), v8_set(4)), v8_mul(size, v8_set(2 * s->margin)));
  doubt = v8_add(v8_add(doubt, v8_mul(v8_mul(size, far), v8_set(16 * UNIT))), v8_set(UNDERFLOW_ERROR));
  v8m behind = v8m_or(v8m_and(left, v8_lt(sum, v8_sub(v8_set(0), doubt))), v8m_and(right, v8_lt(doubt, sum)));
  return m & ~v8m_bits(behind);
}

/* The corners of a triangle in world space. The common kind of vertices, floats as the caller gave them, is a path of its own. */
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

/* Asks the filter, and keeps the hit; true if the ray has ended. */
static __attribute__((noinline)) bool keep_hit(ray_walk *w, ray_view *v, const ray_met *met, pl_hit *best)
{
  pl_hit hit;
  write_hit(v->target, met, &hit);
  if (w->plan->filter && !w->plan->filter(w->plan->user, v->index, &hit)) return false;
  if (w->plan->mode == PL_RAY_MODE_ALL) {
    if (!array_reserve(w->allocator, &w->found, w->found.count + 1)) {
      w->status = PL_ERROR_MEMORY;
      return true;
    }
    w->found.data[w->found.count++] = hit;
    return false;
  }
  *best = hit;
  if (w->plan->mode == PL_RAY_MODE_ANY) return true;
  shorten(v, hit.t);
  return false;
}

/* One triangle, exactly; true if the ray has ended. */
static __attribute__((noinline)) bool decide_triangle(ray_walk *w, ray_view *v, uint32_t triangle, pl_hit *best)
{
  const ray_target *target = v->target;
  pl_ray_mode mode = w->plan->mode;
  ray_met met;
  ray_corners(&target->side, triangle, met.p);
  if (!meet_ray(v->ray, (const double(*)[3])met.p, mode == PL_RAY_MODE_CLOSEST ? best->t : INFINITY, &met.at))
    return false;
  met.id = target->side.tree->prims.tri_id[triangle];
  if (mode == PL_RAY_MODE_CLOSEST && !ray_place_before(met.at.t, target->number, met.id, best)) return false;
  if (w->plan->filter || mode == PL_RAY_MODE_ALL) return keep_hit(w, v, &met, best);
  write_hit(target, &met, best);
  if (mode == PL_RAY_MODE_ANY) return true;
  shorten(v, met.at.t);
  return false;
}

/* The corners of a leaf in lanes. */
static KERNEL_INLINE void open_corners(const ray_target *b, ray_leaf *o)
{
  const walk_side *s = &b->side;
  const uint32_t *tri = s->tree->prims.tri + 3 * (size_t)o->first;
  if (b->delta != 0) {
    opened_leaf full;
    full.leaf = o->leaf;
    load_corners(b->origin, s, &full, tri, o->count);
    memcpy(o->corner, full.corner, sizeof o->corner);
  } else if (o->count == 8) {
    load_corners_f32(s, o->corner, tri, 8);
  } else {
    load_corners_f32(s, o->corner, tri, o->count);
  }
}

static KERNEL_INLINE void open_leaf_in(const ray_target *b, uint32_t leaf, ray_leaf *o)
{
  const tree *t = b->side.tree;
  watch_see(t, ~(int32_t)leaf);
  o->leaf = leaf;
  o->first = t->prims.tri_first[leaf];
  o->count = (int)(t->prims.tri_first[leaf + 1] - o->first);
  open_corners(b, o);
}

/* Opens a leaf, in *room where that is cheap. Where vertices must be transformed or blended first, leaves are kept for a while: neighbouring
 * rays open the same ones. Other leaves are not kept: reading one back from a distant cache takes longer than opening it. */
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

static KERNEL_INLINE bool decide_lanes(ray_walk *w, ray_view *v, const ray_leaf *o, pl_hit *best)
{
  unsigned m = (1u << o->count) - 1;
  if (!v->shear.irregular) m &= lanes_pierced(v, o->corner);
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

/* --------------------------------------------------------------------------------------------------- the walk -- */

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

#include "kernels/grid.inl"

/* ---------------------------------------------------------------------------------------------------- a ray -- */

/* A ray on its way. */
typedef struct ray_state {
  pl_hit best;
  double scale; /* of `slabs`; 0: numbers so large that the bodies' boxes exclude nothing */
  ray_slabs slabs;
  ray_view view;
} ray_state;

/* Adds the bodies of a block whose boxes are met to a list of `count`, nearest first. Returns how many there are then. */
static KERNEL_INLINE uint32_t list_block(ray_walk *w, uint32_t block, unsigned m, const float near[8], uint32_t count)
{
  for (; m; m &= m - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(m), at = count++;
    for (; at > 0 && w->turns[at - 1].near > near[lane]; --at) w->turns[at] = w->turns[at - 1];
    w->turns[at] = (struct ray_turn){near[lane], 8 * block + lane};
  }
  return count;
}

static inline unsigned lanes_of(const ray_level *l, uint32_t block)
{
  uint32_t left = l->count - 8 * block;
  return left < 8 ? (1u << left) - 1 : 0xff;
}

/* What lies under one block of the last level. */
static uint32_t list_under(ray_walk *w, const ray_slabs *slabs, float low, float high, uint32_t top, uint32_t count)
{
  struct {
    uint32_t level, block;
  } stack[8 * RAY_LEVELS];
  int height = 1;
  stack[0].level = w->plan->levels - 1;
  stack[0].block = top;
  while (height) {
    --height;
    uint32_t level = stack[height].level, block = stack[height].block;
    const ray_level *l = &w->plan->level[level];
    float near[8];
    unsigned m = lanes_of(l, block);
    w->n_v += (uint64_t)__builtin_popcount(m);
    m &= slab_hits(slabs, w->plan->boxes + (size_t)(l->first + block) * 8 * AABB_COMPONENTS, 8, low, high, near);
    if (level == 0) {
      count = list_block(w, block, m, near, count);
      continue;
    }
    for (; m; m &= m - 1) {
      stack[height].level = level - 1;
      stack[height++].block = 8 * block + (uint32_t)__builtin_ctz(m);
    }
  }
  return count;
}

/* Bodies whose boxes are met, nearest first; slabs: NULL if all bodies are to be tested. */
static uint32_t list_turns(ray_walk *w, const ray_slabs *slabs, float low, float high)
{
  const float near[8] = {0};
  uint32_t count = 0;
  if (!w->plan->levels) return 0;
  const ray_level *l = &w->plan->level[slabs ? w->plan->levels - 1 : 0];
  for (uint32_t block = 0; 8 * block < l->count; ++block)
    count =
        slabs ? list_under(w, slabs, low, high, block, count) : list_block(w, block, lanes_of(l, block), near, count);
  return count;
}

static void sort_hits(pl_hit *hits, size_t count)
{
  for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (size_t i = gap; i < count; ++i) {
      pl_hit hit = hits[i];
      size_t at = i;
      for (; at >= gap && ray_comes_before(&hit, &hits[at - gap]); at -= gap) hits[at] = hits[at - gap];
      hits[at] = hit;
    }
}

static inline double most_t(const ray_state *s)
{
  return s->best.t < s->view.ray->t_max ? s->best.t : s->view.ray->t_max;
}

/* `scale` of slabs, 0: that of the ray itself. */
static inline void start_ray(ray_state *s, const pl_ray *ray, size_t index, double scale)
{
  static const double exact[3];
  double own = unit_scale(ray->direction);
  s->best = RAY_MISSED;
  s->view.ray = ray;
  s->view.index = index;
  s->scale = ray->t_min >= 0 ? (scale == 0 ? own : scale) : 0;
  if (s->scale != 0) make_slabs(&s->slabs, ray->origin, exact, ray->direction, s->scale);
  make_shear(&s->view.shear, ray, own);
}

/* One ray in one body; true if it has ended. */
static bool visit_body(ray_walk *w, ray_state *s, const ray_target *b)
{
  s->view.target = b;
  if (!enter_body(&s->view, s->scale == 0 ? NULL : &s->slabs, most_t(s))) return false;
  return b->grid ? walk_grid(w, &s->view, &s->best) : walk_body(w, &s->view, TREE_ROOT, &s->best);
}

static void trace_ray(ray_walk *w, ray_state *s)
{
  const ray_slabs *top = s->scale == 0 ? NULL : &s->slabs;
  float low = top ? time_down(s->view.ray->t_min, 0, top->length) : 0,
        high = top ? time_up(s->view.ray->t_max, 0, top->length) : 0;
  uint32_t turns = list_turns(w, top, low, high);
  for (uint32_t i = 0; i < turns && w->status == PL_OK; ++i) {
    if (top && w->turns[i].near > time_up(most_t(s), 0, top->length)) return;
    if (visit_body(w, s, &w->plan->targets[w->plan->order[w->turns[i].place]])) return;
  }
}

static bool is_empty(const pl_ray *ray) { return !(ray->t_min <= ray->t_max); }

#include "kernels/ray_packet.inl"

/* ends: where the hits of each ray end in w->found; only with `all`. */
static void cast_rays(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits, size_t *ends)
{
  for (size_t i = begin; i < end && w->status == PL_OK;) {
    if (w->plan->coherent && hits && cast_packet(w, rays, i, end, hits)) {
      i += PACKET;
      continue;
    }
    size_t stop =
        !w->plan->coherent || end - i < PACKET ? i + 1 : i + PACKET; /* what is no packet is not tried again */
    for (; i < stop && w->status == PL_OK; ++i) {
      ray_state s;
      size_t first = w->found.count;
      if (is_empty(&rays[i])) {
        s.best = RAY_MISSED;
      } else {
        start_ray(&s, &rays[i], i, 0);
        trace_ray(w, &s);
      }
      if (hits) hits[i] = s.best;
      if (!ends) continue;
      if (w->found.count > first)
        sort_hits(w->found.data + first, w->found.count - first); /* there may be no list yet */
      ends[i] = w->found.count;
    }
  }
}

#endif
