/* Boxes of a node's children against one box of the same space. */
#ifndef KERNELS_BOXES_INL
#define KERNELS_BOXES_INL

#include "bounds/aabb.h"
#include "math/simd.h"

static KERNEL_INLINE unsigned box_hits_of(const float *block, int width, const aabb *q)
{
  v8m m = v8_le(v8_load_lanes(block, width), v8_set(q->upper[0]));
  m = v8m_and(m, v8_le(v8_set(q->lower[0]), v8_load_lanes(block + 3 * width, width)));
  for (int k = 1; k < 3; ++k) {
    m = v8m_and(m, v8m_and(v8_le(v8_load_lanes(block + k * width, width), v8_set(q->upper[k])),
                           v8_le(v8_set(q->lower[k]), v8_load_lanes(block + (k + 3) * width, width))));
  }
  return v8m_bits(m);
}
static KERNEL_INLINE unsigned box_hits(const float *block, int width, const aabb *q)
{
  return width == 8 ? box_hits_of(block, 8, q) : width == 4 ? box_hits_of(block, 4, q) : box_hits_of(block, 2, q);
}

#endif
