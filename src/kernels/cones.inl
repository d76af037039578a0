/* Boxes and cones of patches from their vertices and from their children, one backward loop.
 *
 * Error. With u = 2^-24, coordinates exact up to delta, and m1, m2 the largest components of two
 * edges (+ 4 delta): a component of the normal is right to 8 u m1 m2 + 4 delta (m1 + m2), and n
 * . d, a sum of up to three components, to 24 u m1 m2 + 3 u |n| + 12 delta (m1 + m2). A
 * direction counts as faced beyond 2^-13 |n| + 2^-18 m1 m2 + 16 delta (m1 + m2) + 2^-100, where
 * |n| is the sum of the components' magnitudes; the first term leaves out triangles that are
 * nearly edge-on, for which a contour could prove nothing.
 *
 * With a margin (clearance in walk.h) a direction d counts only if n . d > tau l |d| for the
 * longest edge l: the altitudes of the triangle, projected along d, then exceed tau
 * (docs/self-collision.md). A computed edge is right to 2 sqrt(3) delta + u, its square to 5 u,
 * the root to u: l is at most the computed length times 1 + 2^-20, plus 4 delta. tau has been
 * rounded up by 1 + 2^-18, which covers these factors. */
#ifndef KERNELS_CONES_INL
#define KERNELS_CONES_INL

#include "bounds/cone.h"
#include "kernels/blocks.inl"
#include "kernels/kernels.h"

typedef struct leaf_lanes {
  v8 at[3][3]; /* corner, axis */
} leaf_lanes;

/* Positions are `stride` floats apart. */
static KERNEL_INLINE void leaf_lanes_of(const float *positions, size_t stride, const uint32_t *tri, int count,
                                        leaf_lanes *out)
{
  for (int c = 0; c < 3; ++c) {
    v4 q[8];
    for (int i = 0; i < 8; ++i) q[i] = v4_load(positions + stride * tri[3 * (i < count ? i : 0) + c]);
    v8_transpose(q, &out->at[c][0], &out->at[c][1], &out->at[c][2]);
  }
}

static KERNEL_INLINE void leaf_lanes_load(const patches *p, uint32_t leaf, leaf_lanes *out)
{
  const uint32_t first = p->tree.prims.tri_first[leaf], count = p->tree.prims.tri_end[leaf] - first;
  const uint32_t *tri = p->tri + 3 * (size_t)first;
  if (count == 8) /* no choice of lanes */
    leaf_lanes_of(p->positions, 4, tri, 8, out);
  else
    leaf_lanes_of(p->positions, 4, tri, (int)count, out);
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

/* Beyond which a normal counts as facing a direction; m1, m2: the largest components of its
 * edges, without the error. */
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

/* With a margin: what n . d must exceed beside its error for a direction of length 1; `square`:
 * of the longest edge. */
static KERNEL_INLINE v8 thick_limit(v8 square, float tau, float error)
{
  return v8_mul(v8_set(tau), v8_add(v8_sqrt(square), v8_set(4 * error)));
}

/* The directions that all eight normals face; more: thick_limit(), or NULL. */
static KERNEL_INLINE uint32_t cone_of_normals(v8 x, v8 y, v8 z, v8 m1, v8 m2, float error, const v8 *more)
{
  static const uint8_t components[2 * 7] = {0, 0, 0, 1, 1, 1, 1,
                                            /* less 1: directions of length 1 to sqrt(3) */
                                            1, 1, 2, 2, 2, 2, 2};
  const v8 limit = cone_limit(x, y, z, m1, m2, error), zero = v8_set(0), plus = v8_add(x, y), minus = v8_sub(x, y);
  v8 high[3] = {limit, limit, limit}, low[3];
  if (more) {
    high[0] = v8_add(limit, *more);
    high[1] = v8_add(limit, v8_mul(*more, v8_set(1.4142137f)));
    high[2] = v8_add(limit, v8_mul(*more, v8_set(1.7320509f)));
  }
  for (int k = 0; k < 3; ++k) low[k] = v8_sub(zero, high[k]);
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
    const int i = components[k], j = components[k + 1];
    unsigned full = v8m_full4(v8_lt(high[i], along[k]), v8_lt(high[j], along[k + 1]), v8_lt(along[k], low[i]),
                              v8_lt(along[k + 1], low[j]));
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

/* The square of the longest of three edges, two of which are given. */
static KERNEL_INLINE v8 longest_square(v8 e[2][3])
{
  v8 third[3];
  for (int k = 0; k < 3; ++k) third[k] = v8_sub(e[1][k], e[0][k]);
  v8 one = v8_dot(e[0][0], e[0][0], e[0][1], e[0][1], e[0][2], e[0][2]);
  v8 two = v8_dot(e[1][0], e[1][0], e[1][1], e[1][1], e[1][2], e[1][2]);
  return v8_max(v8_max(one, two), v8_dot(third[0], third[0], third[1], third[1], third[2], third[2]));
}

/* tau: 0 without a margin. */
static KERNEL_INLINE uint32_t leaf_lanes_cone(const leaf_lanes *l, float error, float tau)
{
  v8 e[2][3], more;
  leaf_lanes_edges(l, e);
  v8 x = v8_cross(e[0][1], e[1][2], e[0][2], e[1][1]), y = v8_cross(e[0][2], e[1][0], e[0][0], e[1][2]),
     z = v8_cross(e[0][0], e[1][1], e[0][1], e[1][0]);
  v8 m1 = largest3(e[0][0], e[0][1], e[0][2]), m2 = largest3(e[1][0], e[1][1], e[1][2]);
  if (tau == 0) return cone_of_normals(x, y, z, m1, m2, error, NULL);
  more = thick_limit(longest_square(e), tau, error);
  return cone_of_normals(x, y, z, m1, m2, error, &more);
}

/* The loop runs backward, which processors foresee less well than forward: corners that are out
 * of the caches are fetched some 40 leaves before they are read. */
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
  leaf_lanes l;
  foresee_corners(p, p->tree.prims.tri_first[leaf]);
  leaf_lanes_load(p, leaf, &l);
  *cone = p->usable[leaf] ? leaf_lanes_cone(&l, error, 0) : 0;
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

/* The cone of an inner node from those of its children. */
static KERNEL_INLINE uint32_t cone_of_children(const uint32_t *below, int count)
{
  uint32_t set = CONE_ALL;
  for (int k = 0; k < count; ++k) set &= below[k];
  return set;
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
        cones[lane] = cone_of_children(below, t->nodes.children[child[lane]]);
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

/* Cones beside those of the patches: 8 for each inner node, in an array of their own. LEAF(leaf)
 * is the cone of a leaf. */
#define REFIT_CONES(t, cone, begin, end, LEAF)                                                                         \
  for (uint32_t node = (end); node-- > (begin);) {                                                                     \
    const int32_t *child = tree_children(t, node);                                                                     \
    for (int lane = 0; lane < (t)->nodes.children[node]; ++lane)                                                       \
      (cone)[8 * (size_t)node + (size_t)lane] =                                                                        \
          child[lane] < 0 ? LEAF((uint32_t)~child[lane])                                                               \
                          : cone_of_children((cone) + 8 * (size_t)child[lane], (t)->nodes.children[child[lane]]);      \
  }

static KERNEL_INLINE uint32_t thick_leaf_cone(const patches *p, float tau, uint32_t leaf)
{
  leaf_lanes l;
  if (!p->usable[leaf]) return 0;
  leaf_lanes_load(p, leaf, &l);
  return leaf_lanes_cone(&l, p->error, tau);
}

/* With a margin. */
static void refit_thick(const patches *p, float tau, uint32_t *cone, uint32_t begin, uint32_t end)
{
#define THICK_LEAF(leaf) thick_leaf_cone(p, tau, leaf)
  REFIT_CONES(&p->tree, cone, begin, end, THICK_LEAF)
#undef THICK_LEAF
}

static uint64_t refit_patches(patches *p, uint32_t begin, uint32_t end)
{
  return p->error == 0 ? refit_range(p, begin, end, 0) : refit_range(p, begin, end, p->error);
}

#endif
