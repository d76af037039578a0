/* Volumes on demand: a block is refitted by the first walk that opens its node. Larsson 2003,
 * paper A, section 5.3.3, and paper C. `none` leaves everything to the walks; `middle` has an
 * eager pass over the levels down to a middle one, the deepest of them from the source, those
 * above by merging. Invariant: a block is written by one thread only, the one that has claimed
 * its stamp; others wait for it. */
#include "update/choice.h"

uint64_t update_node(update *u, uint32_t node)
{
  uint64_t made = u->source->block(u, LAYER_BOXES, node);
  tree_stamp(u->tree, LAYER_BOXES, node);
  if (!u->shape) return made;
  u->source->block(u, LAYER_SHAPES, node);
  tree_stamp(u->tree, LAYER_SHAPES, node);
  return made;
}

/* Refits `levels` levels of a layer at once: the deepest from the source, above by merging. No
 * other thread writes below a stale node. */
static uint64_t refit_levels(update *u, int in, uint32_t node, int levels)
{
  if (levels <= 1) return u->source->block(u, in, node);
  uint64_t made = 0;
  for (int lane = 0; lane < u->tree->nodes.children[node]; ++lane) {
    int32_t child = tree_children(u->tree, node)[lane];
    if (child < 0) continue;
    if (in != LAYER_BOXES) made += update_ensure(u, LAYER_BOXES, (uint32_t)child);
    made += refit_levels(u, in, (uint32_t)child, levels - 1);
    tree_stamp(u->tree, in, (uint32_t)child);
  }
  return made + source_children.block(u, in, node);
}

/* Leaves of an evaluated body have no stored vertices to merge from: one level at a time. */
uint64_t demand_levels(update *u, int in, uint32_t node)
{
  return refit_levels(u, in, node, u->points->evaluate ? 1 : u->lazy_levels);
}

uint64_t update_ensure(void *owner, int in, uint32_t node)
{
  update *u = owner;
  if (!stamp_claim(&u->tree->layers[in].stamp[node], u->tree->frame)) return 0;
  const bool boxes = in != LAYER_BOXES && u->tree->layers[LAYER_BOXES].floats;
  uint64_t made = boxes ? update_ensure(u, LAYER_BOXES, node) : 0;
  made += u->schedule->demand(u, in, node);
  tree_stamp(u->tree, in, node);
  if (u->choice) atomic_fetch_add_explicit(&u->choice->demanded, made, memory_order_relaxed);
  return made;
}

void update_fetch(const void *owner, uint32_t node)
{
  const update *u = owner;
  if (!tree_is_true(u->tree, LAYER_BOXES, node)) u->source->fetch(u, node);
}

/* ---------------------------------------------------------------------------- the eager pass -- */

/* How far down volumes are refitted in the eager pass: as long as a level has no more of them
 * than the square root of twice the number of leaves. That is the middle of an even tree
 * (Larsson 2003, paper C, eq. 7.5) and stays so where a few leaves lie deep.
 * docs/architecture.md has the model of costs behind it; the factor of two was measured. */
static int middle_level(const tree *t)
{
  uint32_t count[TREE_MOST_DEPTH + 2] = {0};
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) count[t->nodes.level[i] + 1] += t->nodes.children[i];
  int level = 0;
  while (level < t->nodes.depth && (uint64_t)count[level + 1] * count[level + 1] <= 2 * (uint64_t)t->nodes.leaf_count)
    ++level;
  return level;
}

static int border_of_middle(update *u, const pl_body_def *def)
{
  int levels = def->eager_levels < 0 ? middle_level(u->tree) : def->eager_levels;
  u->eager_levels = levels < u->tree->nodes.depth ? levels : u->tree->nodes.depth;
  return u->eager_levels - 1;
}

static int no_border(update *u, const pl_body_def *def)
{
  (void)u, (void)def;
  return -1;
}

static uint64_t piece(update *u, uint32_t index)
{
  uint32_t node = u->border[index];
  if (!u->source->border) return update_node(u, node);
  uint64_t made = u->source->border(u, index);
  tree_stamp(u->tree, LAYER_BOXES, node);
  if (!u->shape) return made;
  u->source->block(u, LAYER_SHAPES, node);
  tree_stamp(u->tree, LAYER_SHAPES, node);
  return made;
}

/* Above the border: by merging, unless a leaf among the children has no stored vertices. */
static uint64_t above(update *u, uint32_t node)
{
  return u->points->evaluate ? update_node(u, node) : source_children.range(u, node, node + 1);
}

const schedule_kind schedule_middle = {
    .whole = true, .border_level = border_of_middle, .piece = piece, .above = above, .demand = demand_levels};
const schedule_kind schedule_none = {
    .border_level = no_border, .piece = piece, .above = above, .demand = demand_levels};
