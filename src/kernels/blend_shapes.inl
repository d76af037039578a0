/* The shapes of a node's children as weighted sums of stored ones, as blend.inl does it for
 * boxes: slabs as intervals (eq. 6.3 of the thesis), spheres by their centres and radii (eq.
 * 6.7), a radius with the weight's absolute value.
 *
 * Rounding. A component of k terms is right to (k + 2) u times the sum of |c_i| most_i, u =
 * 2^-24. Slabs give twice that on either side, as boxes do. A sphere's centre may be off by that
 * in each component, so by less than 2 of it, and its radius by one: twice all of this is put on
 * the radius. What rounding denormals may change counts for three coordinates. */
#ifndef KERNELS_BLEND_SHAPES_INL
#define KERNELS_BLEND_SHAPES_INL

#include "kernels/blend.inl"

#define BLEND_FINITE 0x1p100f /* from here on sums may have overflowed: all of space */

static void blend_slabs(const tree *t, const blend *b, uint32_t node, float *out)
{
  const recipe *r = &b->now;
  const int half = t->layers[LAYER_SHAPES].floats / 2 * t->nodes.width;
  float size = 0;
  for (int e = 0; e < 2 * half; ++e) out[e] = 0;
  for (int k = 0; k < r->count; ++k) {
    const float *from = blend_shape(b, t, node, r->stored[k]);
    float c = (float)r->weight[k];
    const float *lower = c < 0 ? from + half : from, *upper = c < 0 ? from : from + half;
    for (int e = 0; e < half; ++e) {
      out[e] += c * lower[e];
      out[e + half] += c * upper[e];
    }
    size += (magnitude(c) + BLEND_LEAST) * b->shape_most[(size_t)node * (size_t)b->stored + (size_t)r->stored[k]];
  }
  float error = BLEND_ERROR(r->count) * size + BLEND_LEAST + 6 * blend_least(b);
  bool finite = error < BLEND_FINITE;
  for (int e = 0; e < half; ++e) {
    out[e] = finite ? out[e] - error : -INFINITY;
    out[e + half] = finite ? out[e + half] + error : INFINITY;
  }
}

static void blend_spheres(const tree *t, const blend *b, uint32_t node, float *out)
{
  const recipe *r = &b->now;
  const int centres = 3 * t->nodes.width, all = 4 * t->nodes.width;
  float size = 0;
  for (int e = 0; e < all; ++e) out[e] = 0;
  for (int k = 0; k < r->count; ++k) {
    const float *from = blend_shape(b, t, node, r->stored[k]);
    float c = (float)r->weight[k], length = magnitude(c);
    for (int e = 0; e < centres; ++e) out[e] += c * from[e];
    for (int e = centres; e < all; ++e) out[e] += length * from[e];
    size += (length + BLEND_LEAST) * b->shape_most[(size_t)node * (size_t)b->stored + (size_t)r->stored[k]];
  }
  float error = 3 * BLEND_ERROR(r->count) * size + 4 * BLEND_LEAST + 6 * blend_least(b);
  bool finite = error < BLEND_FINITE;
  for (int e = 0; e < all; ++e) out[e] = e < centres ? (finite ? out[e] : 0) : finite ? out[e] + error : INFINITY;
}

static void blend_shapes(tree *t, const blend *b, uint32_t node)
{
  if (b->intervals)
    blend_slabs(t, b, node, tree_shapes(t, node));
  else
    blend_spheres(t, b, node, tree_shapes(t, node));
}

#endif
