/* The box around a block of sibling boxes: every question needs that of the root of each body that
 * is asked. Cost: some 20 operations on four lanes; 200 on single numbers. */
#include "bounds/aabb.h"

#define SIMD_128
#include "math/simd.h"

aabb aabb_merge_block(const float *block, int width)
{
  aabb b = aabb_empty();
  if (width == 8) {
    float lower[4], upper[4];
    v4_store(lower, v8_least3(v8_load(block), v8_load(block + 8), v8_load(block + 16)));
    v4_store(upper, v8_greatest3(v8_load(block + 24), v8_load(block + 32), v8_load(block + 40)));
    memcpy(b.lower, lower, sizeof b.lower);
    memcpy(b.upper, upper, sizeof b.upper);
    return b;
  }
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < width; ++i) {
      float lower = block[k * width + i], upper = block[(k + 3) * width + i];
      b.lower[k] = lower < b.lower[k] ? lower : b.lower[k];
      b.upper[k] = upper > b.upper[k] ? upper : b.upper[k];
    }
  return b;
}
