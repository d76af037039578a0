/* Leaves that are opened: corners of up to 8 triangles in lanes (corners.inl) with their boxes,
 * normals, and the terms of an error bound (leaves.inl says which). */
#ifndef KERNELS_OPEN_INL
#define KERNELS_OPEN_INL

#include "kernels/corners.inl"

typedef struct point8 {
  v8 x, y, z;
} point8;

static KERNEL_INLINE point8 point8_select(v8m m, point8 yes, point8 no)
{
  return (point8){v8_select(m, yes.x, no.x), v8_select(m, yes.y, no.y), v8_select(m, yes.z, no.z)};
}

/* The box of all corners (lanes without a triangle repeat the first), and from it how far off a
 * coordinate may be. */
static inline void make_leaf_box(const walk *w, opened_leaf *o, const v8 lower[3], const v8 upper[3])
{
  v4 low = v8_least3(lower[0], lower[1], lower[2]), high = v8_greatest3(upper[0], upper[1], upper[2]);
  float l[4], u[4], far[4];
  v4_store(l, low);
  v4_store(u, high);
  v4_store(far, v4_max(v4_sub(v4_set(0, 0, 0), low), high));
  float reach = far[0] > far[1] ? far[0] : far[1];
  reach = far[2] > reach ? far[2] : reach;
  o->delta = o->delta * (1 + 0x1p-10f) + reach * (o->roundings * UNIT * (1 + 0x1p-10f)) + 0x1p-126f;
  for (int k = 0; k < 3; ++k) {
    o->box.lower[k] = w->plan->irregular ? -INFINITY : l[k] - 2 * o->delta;
    o->box.upper[k] = w->plan->irregular ? INFINITY : u[k] + 2 * o->delta;
  }
}

/* Boxes of the leaf and of its triangles; lanes without one are empty. */
static inline void make_boxes(const walk *w, const walk_side *s, opened_leaf *o)
{
  v8m valid = v8_lt(v8_numbers(), v8_set((float)o->count));
  v8 lower[3], upper[3], size = v8_set(0), plus = v8_set(INFINITY), minus = v8_set(-INFINITY);
  for (int k = 0; k < 3; ++k) {
    v8 p = v8_load(o->corner[0][k]), q = v8_load(o->corner[1][k]), r = v8_load(o->corner[2][k]);
    lower[k] = v8_min(v8_min(p, q), r);
    upper[k] = v8_max(v8_max(p, q), r);
  }
  if (w->plan->exact && !w->seed && s->tree->tight) /* the same space, and no rounding */
    o->box = tree_volume(s->tree, ~(int32_t)o->leaf);
  else
    make_leaf_box(w, o, lower, upper);
  if (w->plan->exact) o->delta = 0;
  v8 grow = v8_set(2 * o->delta);
  for (int k = 0; k < 3; ++k) {
    v8 low = w->plan->irregular ? minus : v8_sub(lower[k], grow),
       high = w->plan->irregular ? plus : v8_add(upper[k], grow);
    size = v8_max(size, v8_sub(high, low));
    v8_store(o->lower[k], v8_select(valid, low, plus));
    v8_store(o->upper[k], v8_select(valid, high, minus));
  }
  v8_store(o->size, v8_add(v8_mul(size, v8_set(1 + 0x1p-19f)), v8_set(4 * o->delta)));
}

static inline void make_planes(const walk *w, opened_leaf *o)
{
  v8 e[2][3], m[2];
  for (int edge = 0; edge < 2; ++edge) {
    for (int k = 0; k < 3; ++k) e[edge][k] = v8_sub(v8_load(o->corner[edge + 1][k]), v8_load(o->corner[0][k]));
    m[edge] = v8_max(v8_abs(e[edge][0]), v8_max(v8_abs(e[edge][1]), v8_abs(e[edge][2])));
    m[edge] = v8_add(m[edge], v8_set(4 * o->delta));
  }
  for (int k = 0; k < 3; ++k) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    v8_store(o->normal[k], v8_cross(e[0][y], e[1][z], e[0][z], e[1][y]));
  }
  v8 area = v8_mul(m[0], m[1]), moved = v8_mul(v8_set(16 * o->delta), v8_add(m[0], m[1]));
  v8 alpha = v8_add(v8_mul(area, v8_set(PLANE_ERROR)), moved);
  if (w->plan->irregular) alpha = v8_set(INFINITY);
  v8_store(o->alpha, v8_add(alpha, v8_set(UNDERFLOW_ERROR)));
  v8_store(o->area, v8_mul(area, v8_set(16)));
}

/* Patches have positions of their own, in the order of the tree; evaluated ones are in a space
 * of their own, which all leaves of the walk share. */
static inline void load_own_corners(patches *p, opened_leaf *o, const uint32_t *tri)
{
  if (p->demand) p->need(p, tri, 3 * (uint32_t)o->count);
  o->delta = p->error;
  o->roundings = 0;
  load_corners_own(p->positions, o->corner, tri, o->count);
}

/* Both bodies are float: nothing is rounded. */
static KERNEL_INLINE void load_exact_corners(const walk_side *s, opened_leaf *o, const uint32_t *tri)
{
  o->delta = 0;
  o->roundings = 0;
  load_leaf_f32(s, o->corner, tri, o->count);
}

static __attribute__((noinline)) void load_leaf(const walk *w, const walk_side *s, opened_leaf *o, uint32_t leaf)
{
  watch_see(s->tree, ~(int32_t)leaf);
  o->leaf = leaf;
  o->first = s->tree->prims.tri_first[leaf];
  o->count = (int)(s->tree->prims.tri_end[leaf] - o->first);
  __builtin_prefetch(s->tree->prims.tri_id + o->first); /* for pairs that are found */
  /* Distances are measured in the world: the patches' positions serve where they are the body's
   * own. */
  patches *own = w->plan->thick && !s->tree->tight ? NULL : w->plan->patches;
  const uint32_t *tri = (own ? own->tri : s->tree->prims.tri) + 3 * (size_t)o->first;
  if (own)
    load_own_corners(own, o, tri);
  else if (w->plan->exact)
    load_exact_corners(s, o, tri);
  else
    load_corners(w->plan->origin, s, o, tri, o->count);
  make_boxes(w, s, o);
  make_planes(w, o);
  if (!w->plan->self) return;
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) o->vertex[c][i] = tri[3 * (i < o->count ? i : 0) + c];
}

/* Where a leaf is kept. */
static KERNEL_INLINE opened_leaf *leaf_slot(const walk *w, int side, uint32_t leaf)
{
  return &w->cache[side][leaf & (side ? CACHE_B - 1 : CACHE_A - 1)];
}

static KERNEL_INLINE const opened_leaf *open_leaf(walk *w, int side, uint32_t leaf)
{
  opened_leaf *o = leaf_slot(w, side, leaf);
  uint64_t key = w->serial << 32 | leaf;
  if (o->key != key) {
    o->key = key;
    load_leaf(w, w->plan->side[side], o, leaf);
  }
  return o;
}

#endif
