/* Points along a space-filling curve (Morton 1966). Cost: O(n). */
#include "core/sort.h"
#include "mesh/mesh.h"
#include "query/probe/points.h"

pl_status points_sort(pl_context *context, point_order *o, pl_positions at)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = at.count;
  if (!array_reserve(allocator, &o->keys, n) || !array_reserve(allocator, &o->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  extent3 all = extent_none();
  double scale[3], p[3];
  for (size_t i = 0; i < n; ++i) {
    positions_get(at, i, p);
    extent_add(&all, p);
  }
  /* infinite or 0: no order along this axis */
  for (int k = 0; k < 3; ++k) scale[k] = 1023.99 / (all.high[k] - all.low[k]);
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = 0;
    positions_get(at, i, p);
    for (int k = 0; k < 3; ++k) {
      double x = (p[k] - all.low[k]) * scale[k];
      key |= curve_spread(x > 0 && x < 1024 ? (uint64_t)x : 0) << k;
    }
    o->keys.data[i] = key << 32 | i;
  }
  sort_keys(o->keys.data, o->sorting.data, n);
  return PL_OK;
}
