/* Updates after a few vertices have moved: only the volumes on the paths from their leaves to
 * the root are refitted. Stale blocks on such a path are refitted first, so that the next move
 * finds them current. Order: a heap returns the touched inner nodes, greatest index first, so
 * that children come before their parents and each node is refitted once. Cost: O(k log k) for k
 * = touched leaves and their different ancestors, O(count + depth) for neighbours. */
#include "core/heap.h"
#include "update/update.h"

/* Node numbers, the greatest first. */
#define DEEPER(o, x, y) ((void)(o), (x) > (y))
HEAP(nodes, uint32_t, void, DEEPER, HEAP_PUT)

/* --------------------------------------------------------------------------------- the paths -- */

static bool mark_once(tree *t, uint32_t index)
{
  if (t->mark[index] == t->round) return false;
  t->mark[index] = t->round;
  return true;
}

static void next_round(tree *t)
{
  if (++t->round != 0) return;
  for (uint32_t i = 0; i < t->nodes.inner_count + t->nodes.leaf_count; ++i) t->mark[i] = 0;
  t->round = 1;
}

/* Refits the stale blocks from the root down to `node`. */
static uint64_t ensure_path(update *u, uint32_t node)
{
  uint32_t path[TREE_MOST_DEPTH + 1];
  int length = 0;
  uint64_t made = 0;
  /* shapes are current only where boxes are */
  const int in = u->shape ? LAYER_SHAPES : LAYER_BOXES;
  for (uint32_t i = node;; i = u->tree->nodes.slot[i] >> 3) {
    if (!tree_is_true(u->tree, in, i)) path[length++] = i;
    if (i == TREE_ROOT || tree_is_true(u->tree, in, i)) break;
  }
  while (length-- > 0) made += update_ensure(u, in, path[length]);
  return made;
}

static aabb leaf_volume(const update *u, uint32_t leaf)
{
  const tree *t = u->tree;
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t k = t->prims.list_first[leaf]; k < t->prims.list_first[leaf + 1]; ++k) {
    double q[3];
    points_model(u->points, t->prims.list[k], q); /* volumes bound the model */
    for (int c = 0; c < 3; ++c) {
      lower[c] = q[c] < lower[c] ? q[c] : lower[c];
      upper[c] = q[c] > upper[c] ? q[c] : upper[c];
    }
  }
  aabb volume;
  /* of a product that is denormal, as in a refit */
  const double least = u->points->exponent ? 0x1p-1074 : 0;
  for (int c = 0; c < 3; ++c) {
    volume.lower[c] = round_down(lower[c] - least);
    volume.upper[c] = round_up(upper[c] + least);
  }
  return volume;
}

static void set_volume(update *u, uint32_t slot, aabb volume)
{
  aabb_set_lane(tree_block(u->tree, slot >> 3), u->tree->nodes.width, (int)(slot & 7), &volume);
  if (u->shape) shapes_refit_lane(u->tree, u->shape, u->points, slot >> 3, (int)(slot & 7));
  if (u->source->lane_refitted) u->source->lane_refitted(u, slot >> 3, (int)(slot & 7));
}

uint64_t update_vertices(update *u, const uint32_t *vertices, size_t count)
{
  tree *t = u->tree;
  if (u->source->vertices_moved) u->source->vertices_moved(u, vertices, count);
  if (u->pending || !tree_is_true(t, LAYER_BOXES, TREE_ROOT))
    return 0; /* no block is current that could become wrong */
  uint64_t made = 0;
  size_t waiting = 0;
  next_round(t);
  for (size_t i = 0; i < count; ++i)
    for (uint32_t k = t->prims.fan_first[vertices[i]]; k < t->prims.fan_first[vertices[i] + 1]; ++k) {
      uint32_t leaf = t->prims.fan[k], slot = t->nodes.leaf_slot[leaf];
      if (!mark_once(t, t->nodes.inner_count + leaf)) continue;
      made += ensure_path(u, slot >> 3);
      set_volume(u, slot, leaf_volume(u, leaf));
      ++made;
      if (mark_once(t, slot >> 3)) nodes_push(NULL, t->heap, &waiting, slot >> 3);
    }
  while (waiting) {
    uint32_t node = nodes_pop(NULL, t->heap, &waiting);
    if (node == TREE_ROOT) continue;
    uint32_t slot = t->nodes.slot[node];
    set_volume(u, slot, aabb_merge_block(tree_block(t, node), t->nodes.width));
    ++made;
    if (mark_once(t, slot >> 3)) nodes_push(NULL, t->heap, &waiting, slot >> 3);
  }
  return made;
}
