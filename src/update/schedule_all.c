/* All volumes in the eager pass, none on demand: van den Bergen 1997. `unfit` differs in what
 * its source does with a range: volumes that have become unfit are refitted, the others grow
 * (Bitar 2012, section III.4). Cost: O(nodes) in every eager pass. */
#include "update/update.h"

static int border_level(update *u, const pl_body_def *def)
{
  (void)def;
  return u->tree->nodes.depth / 2;
}

static uint64_t by_blocks(update *u, uint32_t begin, uint32_t end)
{
  uint64_t made = 0;
  for (uint32_t i = end; i-- > begin;) made += update_node(u, i);
  return made;
}

static uint64_t range(update *u, uint32_t begin, uint32_t end)
{
  return u->source->range ? u->source->range(u, begin, end) : by_blocks(u, begin, end);
}

static uint64_t piece(update *u, uint32_t index)
{
  return range(u, u->border[index], u->tree->nodes.end[u->border[index]]);
}

static uint64_t above(update *u, uint32_t node) { return range(u, node, node + 1); }

const schedule_kind schedule_all = {.eager = true, .border_level = border_level, .piece = piece, .above = above};
const schedule_kind schedule_unfit = {.eager = true, .border_level = border_level, .piece = piece, .above = above};
