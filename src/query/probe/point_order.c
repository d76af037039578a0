/* Points along a space-filling curve (Morton 1966). Cost: O(n). */
#include "core/sort.h"
#include "mesh/mesh.h"
#include "query/probe/points.h"

/* Spreads the bits of a number of 10 bits, with two zeros after each. */
static uint64_t spread(uint64_t x)
{
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

pl_status points_sort(pl_context *context, point_order *o, pl_positions at)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = at.count;
  if (!array_reserve(allocator, &o->keys, n) || !array_reserve(allocator, &o->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3], p[3];
  for (size_t i = 0; i < n; ++i) {
    positions_get(at, i, p);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], p[k]);
      high[k] = fmax(high[k], p[k]);
    }
  }
  /* infinite or 0: no order along this axis */
  for (int k = 0; k < 3; ++k) scale[k] = 1023.99 / (high[k] - low[k]);
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = 0;
    positions_get(at, i, p);
    for (int k = 0; k < 3; ++k) {
      double x = (p[k] - low[k]) * scale[k];
      key |= spread(x > 0 && x < 1024 ? (uint64_t)x : 0) << k;
    }
    o->keys.data[i] = key << 32 | i;
  }
  sort_keys(o->keys.data, o->sorting.data, n);
  return PL_OK;
}
