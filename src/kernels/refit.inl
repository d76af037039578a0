/* Volumes from vertices and from children. After van den Bergen 1997 (bottom-up) and Larsson
 * 2003, paper A (from a node's shared vertices). Cost: a load and two operations per vertex of a
 * list; one transposition per block. */
#ifndef KERNELS_REFIT_INL
#define KERNELS_REFIT_INL

#include "kernels/blocks.inl"
#include "kernels/kernels.h"

/* count is at least 1. */
static KERNEL_INLINE corners bound_f32(const points *p, const uint32_t *list, uint32_t count, corners c)
{
  corners d = c;
  uint32_t k = 0;
  for (; k + 4 <= count; k += 4) {
    v4 p0 = point_f32(p, list[k]), p1 = point_f32(p, list[k + 1]), p2 = point_f32(p, list[k + 2]),
       p3 = point_f32(p, list[k + 3]);
    c.lower = v4_min(c.lower, v4_min(p0, p1));
    c.upper = v4_max(c.upper, v4_max(p0, p1));
    d.lower = v4_min(d.lower, v4_min(p2, p3));
    d.upper = v4_max(d.upper, v4_max(p2, p3));
  }
  for (; k < count; ++k) {
    v4 q = point_f32(p, list[k]);
    c.lower = v4_min(c.lower, q);
    c.upper = v4_max(c.upper, q);
  }
  return (corners){v4_min(c.lower, d.lower), v4_max(c.upper, d.upper)};
}

typedef struct corners_f64 {
  v4d lower, upper;
} corners_f64;

static KERNEL_INLINE corners_f64 bound_f64(const points *p, const uint32_t *list, uint32_t count, corners_f64 c)
{
  corners_f64 d = c;
  uint32_t k = 0;
  for (; k + 2 <= count; k += 2) {
    v4d p0 = point_f64(p, list[k]), p1 = point_f64(p, list[k + 1]);
    c.lower = v4d_min(c.lower, p0);
    c.upper = v4d_max(c.upper, p0);
    d.lower = v4d_min(d.lower, p1);
    d.upper = v4d_max(d.upper, p1);
  }
  for (; k < count; ++k) {
    v4d q = point_f64(p, list[k]);
    c.lower = v4d_min(c.lower, q);
    c.upper = v4d_max(c.upper, q);
  }
  return (corners_f64){v4d_min(c.lower, d.lower), v4d_max(c.upper, d.upper)};
}

/* The box in the model's space. A product that is denormal is rounded, perhaps to 0: the least
 * double covers that. */
static KERNEL_INLINE corners corners_outward(const points *p, corners_f64 c)
{
  if (p->exponent) {
    v4d scale = v4d_set(points_scale(p)), least_double = v4d_set(0x1p-1074);
    c.lower = v4d_sub(v4d_mul(c.lower, scale), least_double);
    c.upper = v4d_add(v4d_mul(c.upper, scale), least_double);
  }
  return (corners){v4d_round_down(c.lower), v4d_round_up(c.upper)};
}

/* The box of two lists of vertices, the first not empty. */
static KERNEL_INLINE corners bound(const points *p, pl_scalar type, const uint32_t *list, uint32_t count,
                                   const uint32_t *more, uint32_t more_count)
{
  if (type == PL_F32) {
    v4 q = point_f32(p, list[0]);
    corners c = bound_f32(p, list, count, (corners){q, q});
    return more_count ? bound_f32(p, more, more_count, c) : c;
  }
  v4d q = point_f64(p, list[0]);
  corners_f64 c = bound_f64(p, list, count, (corners_f64){q, q});
  return corners_outward(p, more_count ? bound_f64(p, more, more_count, c) : c);
}

static KERNEL_INLINE corners leaf_corners(const tree *t, const points *p, pl_scalar type, uint32_t leaf)
{
  if (type == PL_F32 && t->nodes.leaf_count ==
                            t->prims.triangle_count) { /* single triangles: their corners, which queries read as well */
    const uint32_t *tri = t->prims.tri + 3 * (size_t)leaf;
    v4 p0 = point_f32(p, tri[0]), p1 = point_f32(p, tri[1]), p2 = point_f32(p, tri[2]);
    return (corners){v4_min(v4_min(p0, p1), p2), v4_max(v4_max(p0, p1), p2)};
  }
  uint32_t first = t->prims.list_first[leaf], count = t->prims.list_first[leaf + 1] - first;
  const uint32_t *list = t->prims.list + first;
  if (type == PL_F32 && count == LIST_PAD) { /* one or two triangles: no loop */
    v4 p0 = point_f32(p, list[0]), p1 = point_f32(p, list[1]), p2 = point_f32(p, list[2]), p3 = point_f32(p, list[3]);
    return (corners){v4_min(v4_min(p0, p1), v4_min(p2, p3)), v4_max(v4_max(p0, p1), v4_max(p2, p3))};
  }
  return bound(p, type, list, count, NULL, 0);
}

static inline corners node_corners(const tree *t, const points *p, pl_scalar type, uint32_t node)
{
  if (!t->prims.order) { /* lists are not packed: those of the node's leaves */
    uint32_t first, end;
    tree_leaves(t, node, &first, &end);
    uint32_t begin = t->prims.list_first[first];
    return bound(p, type, t->prims.list + begin, t->prims.list_first[end] - begin, NULL, 0);
  }
  uint32_t own = t->prims.vertex_first[node], extra = t->prims.extra_first[node];
  uint32_t own_count = t->prims.vertex_end[node] - own, extra_count = t->prims.extra_first[node + 1] - extra;
  if (own_count == 0) return bound(p, type, t->prims.extra + extra, extra_count, NULL, 0);
  return bound(p, type, t->prims.order + own, own_count, t->prims.extra + extra, extra_count);
}

/* Positions of a node that will be needed soon: large meshes do not fit in a near cache, and
 * their lists jump. Every second vertex of a list is enough, as neighbours share lines.
 * Measured: 1.2 to 1.4 times faster at 327 680 triangles, no gain below 80 000. */
enum { FETCH_NODES = 4 };

static KERNEL_INLINE void fetch_ahead(const tree *t, const points *p, uint32_t node)
{
  const int32_t *child = tree_children(t, node);
  int count = t->nodes.children[node];
  if (child[0] >= 0 || child[count - 1] >= 0) return;
  uint32_t end = t->prims.list_first[~child[count - 1] + 1];
  for (uint32_t k = t->prims.list_first[~child[0]]; k < end; k += 2)
    __builtin_prefetch(p->data + p->stride * t->prims.list[k]);
}

static KERNEL_INLINE uint64_t refit_range(tree *t, const points *p, pl_scalar type, const int width, uint32_t begin,
                                          uint32_t end)
{
  uint64_t made = 0;
  const bool far = points_far(p, t->prims.vertex_count);
  for (uint32_t i = end; i-- > begin;) {
    const int32_t *child = tree_children(t, i);
    int count = t->nodes.children[i];
    if (far && i >= begin + FETCH_NODES) fetch_ahead(t, p, i - FETCH_NODES);
    corners c[8];
    for (int lane = 0; lane < count; ++lane)
      c[lane] = child[lane] < 0 ? leaf_corners(t, p, type, (uint32_t)~child[lane])
                                : block_corners(tree_block(t, (uint32_t)child[lane]), width);
    store_block(tree_block(t, i), width, c, count);
    tree_stamp(t, LAYER_BOXES, i);
    made += (uint64_t)count;
  }
  return made;
}

static uint64_t refit(tree *t, const points *p, uint32_t begin, uint32_t end)
{
  if (t->nodes.width == 8)
    return p->type == PL_F32 ? refit_range(t, p, PL_F32, 8, begin, end) : refit_range(t, p, PL_F64, 8, begin, end);
  if (t->nodes.width == 4)
    return p->type == PL_F32 ? refit_range(t, p, PL_F32, 4, begin, end) : refit_range(t, p, PL_F64, 4, begin, end);
  return p->type == PL_F32 ? refit_range(t, p, PL_F32, 2, begin, end) : refit_range(t, p, PL_F64, 2, begin, end);
}

/* What is read of the leaves below a node: lists of vertices at once, and corners by a walk that
 * opens some of them a little later. Neither fits in a near cache in scenes of many bodies or of
 * large ones. */
static KERNEL_INLINE void fetch_leaves(const tree *t, uint32_t first, uint32_t last)
{
  enum { LINE = 16 };
  const primitives *p = &t->prims;
  const uint32_t *list = p->list + p->list_first[first], *list_end = p->list + p->list_first[last + 1];
  for (; list < list_end; list += LINE) __builtin_prefetch(list);
  const uint32_t *tri = p->tri + 3 * (size_t)p->tri_first[first], *tri_end = p->tri + 3 * (size_t)p->tri_end[last];
  for (; tri < tri_end; tri += LINE) __builtin_prefetch(tri);
}

static uint64_t refresh(tree *t, const points *p, uint32_t node)
{
  const int32_t *child = tree_children(t, node);
  int count = t->nodes.children[node];
  if (child[0] < 0 && child[0] - child[count - 1] == count - 1) /* nothing but leaves, which follow each other */
    fetch_leaves(t, (uint32_t)~child[0], (uint32_t)~child[count - 1]);
  corners c[8];
  for (int lane = 0; lane < count; ++lane) {
    uint32_t inner = (uint32_t)child[lane], leaf = (uint32_t)~child[lane];
    if (p->type == PL_F32)
      c[lane] = child[lane] < 0 ? leaf_corners(t, p, PL_F32, leaf) : node_corners(t, p, PL_F32, inner);
    else
      c[lane] = child[lane] < 0 ? leaf_corners(t, p, PL_F64, leaf) : node_corners(t, p, PL_F64, inner);
  }
  store_block(tree_block(t, node), t->nodes.width, c, count);
  return (uint64_t)count;
}

/* --------------------------------------------------------------------------------- from runs -- */

/* Vertices that are bounded at once: packed, they fill three registers, x y z x ..., y z x y ...
 * and z x y z ... (of 4 lanes). These are sorted out once at the end, in registers: to store them
 * and load single points again would take as long as a hundred vertices. */
typedef struct packed_bounds {
#if VR_LANES == 4
  v4 least[3], most[3];
#else
  v8 least[3], most[3];
  v4 least_more, most_more; /* the third register of four vertices */
#endif
} packed_bounds;

#if VR_LANES == 4
enum { RUN_WINDOW = 4 };

static KERNEL_INLINE packed_bounds packed_none(void)
{
  const v4 plus = v4_all(INFINITY), minus = v4_all(-INFINITY);
  return (packed_bounds){{plus, plus, plus}, {minus, minus, minus}};
}

static KERNEL_INLINE void packed_add(packed_bounds *b, const float *at)
{
  for (int k = 0; k < 3; ++k) {
    const v4 f = v4_load(at + 4 * k);
    b->least[k] = v4_min(b->least[k], f);
    b->most[k] = v4_max(b->most[k], f);
  }
}

static KERNEL_INLINE corners packed_corners(const packed_bounds *b)
{
  return (corners){v4_least_packed(b->least[0], b->least[1], b->least[2]),
                   v4_greatest_packed(b->most[0], b->most[1], b->most[2])};
}
#else
enum { RUN_WINDOW = 8 };

static KERNEL_INLINE packed_bounds packed_none(void)
{
  const float plus[4] = {INFINITY, INFINITY, INFINITY, INFINITY},
              minus[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  const v8 high = v8_set(INFINITY), low = v8_set(-INFINITY);
  return (packed_bounds){{high, high, high}, {low, low, low}, v4_load(plus), v4_load(minus)};
}

static KERNEL_INLINE void packed_add(packed_bounds *b, const float *at)
{
  for (int k = 0; k < 3; ++k) {
    const v8 f = v8_load(at + 8 * k);
    b->least[k] = v8_min(b->least[k], f);
    b->most[k] = v8_max(b->most[k], f);
  }
}

/* Four vertices. */
static KERNEL_INLINE void packed_add_four(packed_bounds *b, const float *at)
{
  const v8 f = v8_load(at);
  const v4 more = v4_load(at + 8);
  b->least[0] = v8_min(b->least[0], f);
  b->most[0] = v8_max(b->most[0], f);
  b->least_more = v4_min(b->least_more, more);
  b->most_more = v4_max(b->most_more, more);
}

static KERNEL_INLINE corners packed_corners(const packed_bounds *b)
{
  const v8 *l = b->least, *m = b->most;
  return (corners){v4_least_packed(v4_min(v8_low(l[0]), v8_high(l[1])), v4_min(v8_high(l[0]), v8_low(l[2])),
                                   v4_min(v4_min(v8_low(l[1]), v8_high(l[2])), b->least_more)),
                   v4_greatest_packed(v4_max(v8_low(m[0]), v8_high(m[1])), v4_max(v8_high(m[0]), v8_low(m[2])),
                                      v4_max(v4_max(v8_low(m[1]), v8_high(m[2])), b->most_more))};
}
#endif

/* The runs of a child: first those of 8 vertices and more, then those of 4 to 7, then the others
 * (update/source_vertices.c). What does not fill the last registers of a run is read twice. */
static __attribute__((noinline)) corners bound_runs_packed(const points *p, const vertex_run *runs, uint32_t count)
{
  const float *xyz = (const float *)(const void *)p->data;
  packed_bounds b = packed_none();
  uint32_t r = 0;
  for (; r < count && runs[r].count >= RUN_WINDOW; ++r) {
    const float *at = xyz + 3 * (size_t)runs[r].start, *last = at + 3 * (size_t)(runs[r].count - RUN_WINDOW);
    for (; at < last; at += 3 * RUN_WINDOW) packed_add(&b, at);
    packed_add(&b, last);
  }
#if VR_LANES != 4
  for (; r < count && runs[r].count >= 4; ++r) {
    const float *at = xyz + 3 * (size_t)runs[r].start;
    packed_add_four(&b, at);
    packed_add_four(&b, at + 3 * (size_t)(runs[r].count - 4));
  }
#endif
  corners c = packed_corners(&b);
  for (; r < count; ++r) { /* the first, the middle and the last of one to three */
    const float *at = xyz + 3 * (size_t)runs[r].start;
    const size_t n = runs[r].count;
    const v4 first = v4_load3(at), middle = v4_load3(at + 3 * (n / 2)), last = v4_load3(at + 3 * (n - 1));
    c.lower = v4_min(c.lower, v4_min(first, v4_min(middle, last)));
    c.upper = v4_max(c.upper, v4_max(first, v4_max(middle, last)));
  }
  return c;
}

static __attribute__((noinline)) KERNEL_RARE corners bound_runs_f32(const points *p, const vertex_run *runs,
                                                                    uint32_t count)
{
  v4 q = point_f32(p, runs[0].start);
  corners c = {q, q};
  for (uint32_t r = 0; r < count; ++r)
    for (uint32_t v = runs[r].start; v < runs[r].start + runs[r].count; ++v) {
      q = point_f32(p, v);
      c.lower = v4_min(c.lower, q);
      c.upper = v4_max(c.upper, q);
    }
  return c;
}

static __attribute__((noinline)) KERNEL_RARE corners bound_runs_f64(const points *p, const vertex_run *runs,
                                                                    uint32_t count)
{
  v4d q = point_f64(p, runs[0].start);
  corners_f64 c = {q, q};
  for (uint32_t r = 0; r < count; ++r)
    for (uint32_t v = runs[r].start; v < runs[r].start + runs[r].count; ++v) {
      q = point_f64(p, v);
      c.lower = v4d_min(c.lower, q);
      c.upper = v4d_max(c.upper, q);
    }
  return corners_outward(p, c);
}

static uint64_t refresh_runs(tree *t, const points *p, uint32_t node, const uint32_t *first, const vertex_run *runs)
{
  int count = t->nodes.children[node];
  corners c[8];
  for (int lane = 0; lane < count; ++lane) {
    const vertex_run *own = runs + first[lane];
    uint32_t n = first[lane + 1] - first[lane];
    if (p->type != PL_F32)
      c[lane] = bound_runs_f64(p, own, n);
    else if (p->stride == 3 * sizeof(float))
      c[lane] = bound_runs_packed(p, own, n);
    else
      c[lane] = bound_runs_f32(p, own, n);
  }
  store_block(tree_block(t, node), t->nodes.width, c, count);
  return (uint64_t)count;
}

static KERNEL_RARE void refresh_lane(tree *t, const points *p, uint32_t node, int lane)
{
  int32_t child = tree_children(t, node)[lane];
  corners c;
  if (p->type == PL_F32)
    c = child < 0 ? leaf_corners(t, p, PL_F32, (uint32_t)~child) : node_corners(t, p, PL_F32, (uint32_t)child);
  else
    c = child < 0 ? leaf_corners(t, p, PL_F64, (uint32_t)~child) : node_corners(t, p, PL_F64, (uint32_t)child);
  float lower[4], upper[4], *block = tree_block(t, node);
  v4_store(lower, c.lower);
  v4_store(upper, c.upper);
  for (int k = 0; k < 3; ++k) {
    block[k * t->nodes.width + lane] = lower[k];
    block[(k + 3) * t->nodes.width + lane] = upper[k];
  }
}

#endif
