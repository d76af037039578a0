/* Volumes from those of the children; leaves from their vertices. One backward loop: van den
 * Bergen 1997. Cost: O(vertices of the leaves + nodes) for a range. */
#include "update/update.h"

static uint64_t range(update *u, uint32_t begin, uint32_t end)
{
  shapes_refit(u->tree, u->shape, u->points, begin, end);
  return u->kernels->refit->range(u->tree, u->points, begin, end);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in == LAYER_BOXES) return u->kernels->refit->range(u->tree, u->points, node, node + 1);
  shapes_refit(u->tree, u->shape, u->points, node, node + 1);
  return 0;
}

/* Nothing is kept. */
static void resorted(update *u) { (void)u; }

const source_kind source_children = {
    .reads = MOTION_STORED, .tight = true, .block = block, .range = range, .resorted = resorted};
