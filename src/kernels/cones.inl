/* Boxes and cones of patches from their vertices and from their children, one backward loop.
 *
 * Error. With u = 2^-24, coordinates exact up to delta, and m1, m2 the largest components of two edges (+ 4 delta): a component of the normal is
 * right to 8 u m1 m2 + 4 delta (m1 + m2), and n . d, a sum of up to three components, to 24 u m1 m2 + 3 u |n| + 12 delta (m1 + m2). A
 * direction counts as faced beyond 2^-13 |n| + 2^-18 m1 m2 + 16 delta (m1 + m2) + 2^-100, where |n| is the sum of the components' magnitudes; the first
 * term leaves out triangles that are nearly edge-on, for which a contour could prove nothing. */
#ifndef KERNELS_CONES_INL
#define KERNELS_CONES_INL

#include "bounds/cone.h"
#include "kernels/blocks.inl"
#include "kernels/kernels.h"

typedef struct leaf_lanes {
  v8 at[3][3]; /* corner, axis */
} leaf_lanes;

static KERNEL_INLINE void leaf_lanes_load(const patches *p, uint32_t first, int count, leaf_lanes *out)
{
  const uint32_t *tri = p->tri + 3 * (size_t)first;
  for (int c = 0; c < 3; ++c) {
    v4 q[8];
    for (int i = 0; i < 8; ++i) q[i] = v4_load(p->positions + 4 * (size_t)tri[3 * (i < count ? i : 0) + c]);
    v8_transpose(q, &out->at[c][0], &out->at[c][1], &out->at[c][2]);
  }
}

static KERNEL_INLINE corners leaf_lanes_box(const leaf_lanes *l, float error)
{
  v8 low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = v8_min(v8_min(l->at[0][k], l->at[1][k]), l->at[2][k]);
    high[k] = v8_max(v8_max(l->at[0][k], l->at[1][k]), l->at[2][k]);
  }
  corners c = {v8_least3(low[0], low[1], low[2]), v8_greatest3(high[0], high[1], high[2])};
  if (error == 0) return c;
  v4 grow = v4_set(2 * error, 2 * error, 2 * error);
  return (corners){v4_sub(c.lower, grow), v4_add(c.upper, grow)};
}

static KERNEL_INLINE v8 largest3(v8 x, v8 y, v8 z) { return v8_max(v8_abs(x), v8_max(v8_abs(y), v8_abs(z))); }

/* Beyond which a normal counts as facing a direction; m1, m2: the largest components of its edges, without the error. */
static KERNEL_INLINE v8 cone_limit(v8 x, v8 y, v8 z, v8 m1, v8 m2, float error)
{
  v8 size = v8_add(v8_add(v8_abs(x), v8_abs(y)), v8_abs(z)), least = v8_set(0x1p-100f);
  if (error != 0) {
    v8 delta = v8_set(error);
    m1 = v8_add(m1, v8_mul(delta, v8_set(4)));
    m2 = v8_add(m2, v8_mul(delta, v8_set(4)));
    least = v8_add(v8_mul(v8_mul(delta, v8_set(16)), v8_add(m1, m2)), least);
  }
  v8 limit = v8_add(v8_mul(size, v8_set(0x1p-13f)), v8_mul(v8_mul(m1, m2), v8_set(0x1p-18f)));
  return v8_add(limit, least);
}

/* The directions that all eight normals face. */
static KERNEL_INLINE uint32_t cone_of_normals(v8 x, v8 y, v8 z, v8 m1, v8 m2, float error)
{
  v8 limit = cone_limit(x, y, z, m1, m2, error);
  v8 low = v8_sub(v8_set(0), limit), plus = v8_add(x, y), minus = v8_sub(x, y);
  const v8 along[2 * 7] = {x,
                           y,
                           z,
                           plus,
                           minus,
                           v8_add(x, z),
                           v8_sub(x, z),
                           v8_add(y, z),
                           v8_sub(y, z),
                           v8_add(plus, z),
                           v8_sub(plus, z),
                           v8_add(minus, z),
                           v8_sub(z, minus),
                           v8_set(0)};
  uint32_t set = 0;
  for (int k = 0; k < 14; k += 2) { /* axes k and k + 1, both ways */
    unsigned full =
        v8m_full4(v8_lt(limit, along[k]), v8_lt(limit, along[k + 1]), v8_lt(along[k], low), v8_lt(along[k + 1], low));
    set |= (full & 3u) << k | (full >> 2 & 3u) << (CONE_AXES + k);
  }
  return set & CONE_ALL;
}

/* The two edges at the first corner. */
static KERNEL_INLINE void leaf_lanes_edges(const leaf_lanes *l, v8 e[2][3])
{
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) e[i][k] = v8_sub(l->at[i + 1][k], l->at[0][k]);
}

static KERNEL_INLINE uint32_t leaf_lanes_cone(const leaf_lanes *l, float error)
{
  v8 e[2][3];
  leaf_lanes_edges(l, e);
  v8 x = v8_cross(e[0][1], e[1][2], e[0][2], e[1][1]), y = v8_cross(e[0][2], e[1][0], e[0][0], e[1][2]),
     z = v8_cross(e[0][0], e[1][1], e[0][1], e[1][0]);
  v8 m1 = largest3(e[0][0], e[0][1], e[0][2]), m2 = largest3(e[1][0], e[1][1], e[1][2]);
  return cone_of_normals(x, y, z, m1, m2, error);
}

/* The loop runs backward, which processors foresee less well than forward: corners that are out of the caches are fetched some 40 leaves before they
 * are read. */
static KERNEL_INLINE void foresee_corners(const patches *p, uint32_t first)
{
  enum { AHEAD = 1024 }; /* corners: 4 kB */
  size_t at = 3 * (size_t)first;
  const uint32_t *tri = p->tri + (at > AHEAD ? at - AHEAD : 0);
  __builtin_prefetch(tri);
  __builtin_prefetch(tri + 16);
}

/* Box and cone of a leaf. */
static KERNEL_INLINE corners refit_leaf(const patches *p, uint32_t leaf, float error, uint32_t *cone)
{
  const primitives *prims = &p->tree.prims;
  uint32_t first = prims->tri_first[leaf], count = prims->tri_first[leaf + 1] - first;
  leaf_lanes l;
  foresee_corners(p, first);
  if (count == 8) /* no choice of lanes */
    leaf_lanes_load(p, first, 8, &l);
  else
    leaf_lanes_load(p, first, (int)count, &l);
  *cone = p->usable[leaf] ? leaf_lanes_cone(&l, error) : 0;
  return leaf_lanes_box(&l, error);
}

static void refit_one_leaf(const patches *p, uint32_t leaf, aabb *box, uint32_t *cone)
{
  corners c = refit_leaf(p, leaf, p->error, cone);
  float low[4], high[4];
  v4_store(low, c.lower);
  v4_store(high, c.upper);
  for (int k = 0; k < 3; ++k) {
    box->lower[k] = low[k];
    box->upper[k] = high[k];
  }
}

static KERNEL_INLINE uint64_t refit_range(patches *p, uint32_t begin, uint32_t end, float error)
{
  tree *t = &p->tree;
  uint64_t made = 0;
  for (uint32_t i = end; i-- > begin;) {
    const int32_t *child = tree_children(t, i);
    int count = t->nodes.children[i];
    uint32_t *cones = tree_cones(t, i);
    corners c[8];
    for (int lane = 0; lane < count; ++lane) {
      if (child[lane] < 0) {
        c[lane] = refit_leaf(p, (uint32_t)~child[lane], error, &cones[lane]);
      } else {
        const uint32_t *below = tree_cones(t, (uint32_t)child[lane]);
        c[lane] = block_corners(tree_block(t, (uint32_t)child[lane]), 8);
        cones[lane] = CONE_ALL;
        for (int k = 0; k < t->nodes.children[child[lane]]; ++k) cones[lane] &= below[k];
      }
    }
    for (int lane = count; lane < 8; ++lane) cones[lane] = 0;
    store_block(tree_block(t, i), 8, c, count);
    tree_stamp(t, LAYER_BOXES, i);
    tree_stamp(t, LAYER_CONES, i);
    made += (uint64_t)count;
  }
  return made;
}

static uint64_t refit_patches(patches *p, uint32_t begin, uint32_t end)
{
  return p->error == 0 ? refit_range(p, begin, end, 0) : refit_range(p, begin, end, p->error);
}

#endif
