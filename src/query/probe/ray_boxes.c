/* The boxes of bodies as rays read them: blocks of 8, and above them blocks of blocks, until 8
 * are left. With more than 64 bodies they stand in the order of a curve through space (Morton
 * 1966), so that blocks are small; fewer bodies keep their own order. Cost: O(n) for a cast, and
 * for each ray the blocks that it meets instead of n / 8. See docs/architecture.md for where
 * that pays. */
#include "core/sort.h"
#include "query/probe/rays.h"

#include <math.h>

enum { FLAT = 8, CODE_BITS = 10 };

static uint64_t code_of(const double centre[3], const extent3 *all)
{
  uint64_t code = 0;
  for (int k = 0; k < 3; ++k) {
    /* NaN: the first cell */
    double along = (centre[k] - all->low[k]) / (all->high[k] - all->low[k]) * (1 << CODE_BITS);
    uint32_t x = along >= 1 ? (uint32_t)fmin(along, (1 << CODE_BITS) - 1) : 0;
    code |= curve_spread(x) << k;
  }
  return code;
}

/* s->order: the target at each place. */
static void choose_order(ray_scratch *s)
{
  size_t n = s->targets.count;
  for (size_t i = 0; i < n; ++i) s->order.data[i] = (uint32_t)i;
  if (n <= 8 * FLAT) return;
  extent3 all = extent_none();
  for (size_t i = 0; i < n; ++i) extent_add(&all, s->targets.data[i].centre);
  for (size_t i = 0; i < n; ++i) s->keys.data[i] = code_of(s->targets.data[i].centre, &all) << 32 | i;
  sort_keys(s->keys.data, s->keys.data + n, n);
  for (size_t i = 0; i < n; ++i) s->order.data[i] = (uint32_t)s->keys.data[i];
}

/* Writes box `at` of a level whose blocks begin at `level`. */
static void put_box(float *level, uint32_t at, const aabb *box)
{
  float *block = level + (size_t)(at / 8) * 8 * AABB_COMPONENTS;
  const aabb empty = aabb_empty();
  if (at % 8 == 0)
    for (int i = 1; i < 8; ++i) aabb_set_lane(block, 8, i, &empty);
  aabb_set_lane(block, 8, (int)(at % 8), box);
}

pl_status rays_lay_boxes(pl_context *context, ray_scratch *s)
{
  const pl_allocator *allocator = &context->def.allocator;
  uint32_t n = (uint32_t)s->targets.count, blocks = 0, level = 0;
  for (uint32_t count = n; count > 0; count = (count + 7) / 8) {
    s->level[level].first = blocks;
    s->level[level++].count = count;
    blocks += (count + 7) / 8;
    if (count <= 8 * FLAT) break;
  }
  s->levels = level;
  if (!array_reserve(allocator, &s->boxes, (size_t)blocks * 8 * AABB_COMPONENTS) ||
      !array_reserve(allocator, &s->order, n) || !array_reserve(allocator, &s->keys, n > 8 * FLAT ? 2 * (size_t)n : 0))
    return fail(context, PL_ERROR_MEMORY, "no memory for the boxes of %u bodies of rays", n);
  choose_order(s);
  for (uint32_t i = 0; i < n; ++i) put_box(s->boxes.data, i, &s->targets.data[s->order.data[i]].box);
  for (level = 1; level < s->levels; ++level) {
    const ray_level *below = &s->level[level - 1];
    for (uint32_t i = 0; i < s->level[level].count; ++i) {
      aabb box = aabb_merge_block(s->boxes.data + (size_t)(below->first + i) * 8 * AABB_COMPONENTS, 8);
      put_box(s->boxes.data + (size_t)s->level[level].first * 8 * AABB_COMPONENTS, i, &box);
    }
  }
  return PL_OK;
}
