/* A schedule added from outside, and a strategy of it: nothing before the queries; a walk that
 * opens a stale node has all that is below it refitted at once. Invariant: where a node is true,
 * its whole subtree is. Cost: O(vertices of the subtree * depth), once a frame. */
#include "update/update.h"

static int no_border(update *u, const pl_body_def *def)
{
  (void)u, (void)def;
  return -1;
}

static uint64_t no_piece(update *u, uint32_t index)
{
  (void)u, (void)index;
  return 0;
}

/* Nobody else is below a stale node, so that stamps need no claim. */
static uint64_t demand(update *u, int in, uint32_t node)
{
  uint64_t made = 0;
  for (uint32_t i = node; i < u->tree->nodes.end[node]; ++i) {
    made += u->source->block(u, in, i);
    tree_stamp(u->tree, in, i);
  }
  return made;
}

static const schedule_kind schedule_subtree = {
    .border_level = no_border, .piece = no_piece, .above = no_piece, .demand = demand};

extern const strategy_row pl_inside_strategy_SUBTREE;
const strategy_row pl_inside_strategy_SUBTREE = {&schedule_subtree, &source_vertices, 0, false};
