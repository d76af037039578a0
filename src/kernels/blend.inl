/* A block as the weighted sum of reference blocks: eq. 6.3 of the thesis, for the boxes of all
 * children at once. A negative weight (additive morphs) takes the other end of an interval.
 *
 * Rounding. With k active references, coefficients rounded to float, every product and every
 * sum: the error of a component is at most (k + 2) u times the sum of |c_i| most_i, u = 2^-24,
 * and vertices evaluated in double add nothing visible unless they are denormal (blend_least());
 * twice that is taken off below and put on above. A coefficient below 2^-126 is rounded as
 * 2^-126 is. Cost: 6 multiplications and additions of 8 lanes per reference. */
#ifndef KERNELS_BLEND_INL
#define KERNELS_BLEND_INL

#include "kernels/kernels.h"
#include "math/simd.h"

/* Of a weighted sum of n stored numbers, per size: twice (n + 3) roundings of 2^-24. A weight or a
 * sum below the least normal float is rounded by less than that float. */
#define BLEND_ERROR(n) (2 * (float)((n) + 3) * 0x1p-24f)
#define BLEND_LEAST 0x1p-126f

static inline float magnitude(float c) { return c < 0 ? -c : c; }

/* Bounds the rounding of a blend of this node. */
static inline float blend_error(const blend *b, uint32_t node)
{
  const recipe *r = &b->now;
  const float *most = b->most + (size_t)node * (size_t)b->stored;
  float size = 0;
  for (int k = 0; k < r->count; ++k) size += (magnitude((float)r->weight[k]) + BLEND_LEAST) * most[r->stored[k]];
  return BLEND_ERROR(r->count) * size + BLEND_LEAST + 2 * blend_least(b);
}

/* Eight children; lanes without one stay empty, since sums of infinities of one sign are. */
static inline void blend_wide(tree *t, const blend *b, uint32_t node, float error)
{
  const recipe *r = &b->now;
  v8 sum[AABB_COMPONENTS], grow = v8_set(error);
  for (int e = 0; e < AABB_COMPONENTS; ++e) sum[e] = v8_set(0);
  for (int k = 0; k < r->count; ++k) {
    const float *from = blend_block(b, t, node, r->stored[k]);
    float c = (float)r->weight[k];
    const float *lower = c < 0 ? from + 24 : from, *upper = c < 0 ? from : from + 24;
    v8 by = v8_set(c);
    for (int e = 0; e < 3; ++e) {
      sum[e] = v8_add(sum[e], v8_mul(by, v8_load(lower + 8 * e)));
      sum[e + 3] = v8_add(sum[e + 3], v8_mul(by, v8_load(upper + 8 * e)));
    }
  }
  float *block = tree_block(t, node);
  for (int e = 0; e < 3; ++e) {
    v8_store(block + 8 * e, v8_sub(sum[e], grow));
    v8_store(block + 8 * (e + 3), v8_add(sum[e + 3], grow));
  }
}

/* Any number of children; finite: no sum can overflow. */
static void blend_narrow(tree *t, const blend *b, uint32_t node, float error, bool finite)
{
  const recipe *r = &b->now;
  const int width = t->nodes.width, half = 3 * width;
  float sum[AABB_COMPONENTS * 8] = {0};
  for (int k = 0; k < r->count; ++k) {
    const float *from = blend_block(b, t, node, r->stored[k]);
    float c = (float)r->weight[k];
    const float *lower = c < 0 ? from + half : from, *upper = c < 0 ? from : from + half;
    for (int e = 0; e < half; ++e) {
      sum[e] += c * lower[e];
      sum[e + half] += c * upper[e];
    }
  }
  float *block = tree_block(t, node);
  for (int k = 0; k < 3; ++k)
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      /* all of space */
      block[k * width + lane] = finite ? sum[k * width + lane] - error : -INFINITY;
      block[(k + 3) * width + lane] = finite ? sum[(k + 3) * width + lane] + error : INFINITY;
    }
}

static uint64_t blend_node(tree *t, const blend *b, uint32_t node)
{
  float error = blend_error(b, node);
  bool finite = error < 0x1p100f; /* otherwise sums may have overflowed */
  if (t->nodes.width == 8 && finite && b->now.count)
    blend_wide(t, b, node, error);
  else
    blend_narrow(t, b, node, error, finite);
  return t->nodes.children[node];
}

#endif
