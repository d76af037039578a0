/* Blocks of sibling boxes from single boxes, and the box of a block. */
#ifndef KERNELS_BLOCKS_INL
#define KERNELS_BLOCKS_INL

#include "kernels/points.inl"

typedef struct corners { /* a box as two points */
  v4 lower, upper;
} corners;

static KERNEL_INLINE corners block_corners(const float *block, int width)
{
  if (width == 2) {
    corners c;
    v4_pair_load(block, &c.lower, &c.upper);
    return c;
  }
  if (width == 8)
    return (corners){v8_least3(v8_load(block), v8_load(block + 8), v8_load(block + 16)),
                     v8_greatest3(v8_load(block + 24), v8_load(block + 32), v8_load(block + 40))};
  return (corners){v4_set(least(block), least(block + 4), least(block + 8)),
                   v4_set(greatest(block + 12), greatest(block + 16), greatest(block + 20))};
}

/* Eight boxes to a block; lanes from `count` on become empty. */
static KERNEL_INLINE void store_block(float *block, int width, corners c[8], int count)
{
  if (width == 2 && count == 2) {
    v4_pair_store(block, (v4[2]){c[0].lower, c[1].lower}, (v4[2]){c[0].upper, c[1].upper});
    return;
  }
  if (width == 8) {
    v4 lower[8], upper[8];
    const float plus[4] = {INFINITY, INFINITY, INFINITY, 0}, minus[4] = {-INFINITY, -INFINITY, -INFINITY, 0};
    for (int i = 0; i < 8; ++i) {
      lower[i] = i < count ? c[i].lower : v4_load(plus);
      upper[i] = i < count ? c[i].upper : v4_load(minus);
    }
    v8 x, y, z;
    v8_transpose(lower, &x, &y, &z);
    v8_store(block, x);
    v8_store(block + 8, y);
    v8_store(block + 16, z);
    v8_transpose(upper, &x, &y, &z);
    v8_store(block + 24, x);
    v8_store(block + 32, y);
    v8_store(block + 40, z);
    return;
  }
  for (int i = 0; i < count; ++i) {
    float l[4], u[4];
    v4_store(l, c[i].lower);
    v4_store(u, c[i].upper);
    for (int k = 0; k < 3; ++k) {
      block[k * width + i] = l[k];
      block[(k + 3) * width + i] = u[k];
    }
  }
}

#endif
