/* The box around a block of sibling boxes: every question needs that of the root of each body that
 * is asked. Cost: some 20 operations on four lanes; 200 on single numbers. */
#include "bounds/aabb.h"

#define SIMD_128
#include "math/simd.h"

/* In two stores, each of which a copy of the box reads in one load: one that has to wait for
 * several stores costs as much as the merge. */
static aabb box_of(v4 lower, v4 upper)
{
  aabb b;
  float f[8];
#if defined(V4_SHUFFLE)
  v4_store(f, V4_SHUFFLE(lower, V4_SHUFFLE(lower, upper, 2, 2, 0, 0), 0, 1, 0, 2));
  v4_store(f + 4, V4_SHUFFLE(upper, upper, 1, 2, 2, 2));
#else
  v4_store(f, lower);
  v4_store(f + 3, upper);
#endif
  memcpy(&b, f, sizeof b);
  return b;
}

aabb aabb_merge_block(const float *block, int width)
{
  if (width == 8)
    return box_of(v8_least3(v8_load(block), v8_load(block + 8), v8_load(block + 16)),
                  v8_greatest3(v8_load(block + 24), v8_load(block + 32), v8_load(block + 40)));
  aabb b = aabb_empty();
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < width; ++i) {
      float lower = block[k * width + i], upper = block[(k + 3) * width + i];
      b.lower[k] = lower < b.lower[k] ? lower : b.lower[k];
      b.upper[k] = upper > b.upper[k] ? upper : b.upper[k];
    }
  return b;
}
