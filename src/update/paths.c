/* Updates after a few vertices have moved: only the volumes on the paths from their leaves to
 * the root are refitted. Stale blocks on such a path are refitted first, so that the next move
 * finds them current. Order: a heap returns the touched inner nodes, greatest index first, so
 * that children come before their parents and each node is refitted once. Cost: O(k log k) for k
 * = touched leaves and their different ancestors, O(count + depth) for neighbours. */
#include "core/heap.h"
#include "tree/places.h"
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

aabb update_leaf_box(const update *u, uint32_t leaf)
{
  /* of a product that is denormal, as in a refit */
  const double least = u->points->exponent ? 0x1p-1074 : 0;
  const primitives *p = &u->tree->prims;
  extent3 e = extent_none();
  for (uint32_t k = p->list_first[leaf]; k < p->list_first[leaf + 1]; ++k) {
    double q[3];
    points_model(u->points, p->list[k], q); /* volumes bound the model */
    extent_add(&e, q);
  }
  return aabb_around(&e, least);
}

static void set_volume(update *u, uint32_t slot, aabb volume)
{
  aabb_set_lane(tree_block(u->tree, slot >> 3), u->tree->nodes.width, (int)(slot & 7), &volume);
  if (u->shape) shapes_refit_lane(u->tree, u->shape, u->points, slot >> 3, (int)(slot & 7));
  if (u->source->lane_refitted) u->source->lane_refitted(u, slot >> 3, (int)(slot & 7));
}

/* Refits the volume of a leaf, once in a round; its parent waits in the heap. */
static uint64_t refit_leaf(update *u, uint32_t leaf, size_t *waiting)
{
  tree *t = u->tree;
  const uint32_t slot = t->nodes.leaf_slot[leaf];
  if (!mark_once(t, t->nodes.inner_count + leaf)) return 0;
  uint64_t made = ensure_path(u, slot >> 3);
  set_volume(u, slot, update_leaf_box(u, leaf));
  if (mark_once(t, slot >> 3)) nodes_push(NULL, t->heap, waiting, slot >> 3);
  return made + 1;
}

/* Refits the ancestors of the leaves of this round. */
static uint64_t refit_waiting(update *u, size_t waiting)
{
  tree *t = u->tree;
  uint64_t made = 0;
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

const uint32_t *update_ancestors(update *u, const uint32_t *leaves, size_t count, size_t *nodes)
{
  tree *t = u->tree;
  size_t waiting = 0;
  uint32_t *end = t->heap + t->nodes.inner_count; /* each node is in the heap or behind it */
  *nodes = 0;
  next_round(t);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t node = t->nodes.leaf_slot[leaves[i]] >> 3;
    if (mark_once(t, node)) nodes_push(NULL, t->heap, &waiting, node);
  }
  while (waiting) {
    const uint32_t node = nodes_pop(NULL, t->heap, &waiting), above = t->nodes.slot[node] >> 3;
    *--end = node;
    ++*nodes;
    if (node != TREE_ROOT && mark_once(t, above)) nodes_push(NULL, t->heap, &waiting, above);
  }
  for (size_t i = 0; i < *nodes / 2; ++i) { /* they stand in the opposite order */
    const uint32_t kept = end[i];
    end[i] = end[*nodes - 1 - i];
    end[*nodes - 1 - i] = kept;
  }
  return end;
}

/* No block is current that could become wrong. */
static bool is_stale(const update *u) { return u->pending || !tree_is_true(u->tree, LAYER_BOXES, TREE_ROOT); }

uint64_t update_vertices(update *u, const uint32_t *vertices, size_t count)
{
  tree *t = u->tree;
  if (u->source->vertices_moved) u->source->vertices_moved(u, vertices, count);
  if (is_stale(u)) return 0;
  uint64_t made = 0;
  size_t waiting = 0;
  next_round(t);
  const tree_places *r = t->prims.places;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t v = vertices[i];
    for (uint32_t at = r ? r->head[v] : NO_VERTEX; at != NO_VERTEX; at = r->next[at])
      made += refit_leaf(u, places_leaf(r->place[at / 3]), &waiting);
    for (uint32_t k = r ? 0 : t->prims.fan_first[v]; !r && k < t->prims.fan_first[v + 1]; ++k)
      made += refit_leaf(u, t->prims.fan[k], &waiting);
  }
  return made + refit_waiting(u, waiting);
}

uint64_t update_leaves(update *u, const uint32_t *leaves, size_t count)
{
  if (is_stale(u)) return 0;
  uint64_t made = 0;
  size_t waiting = 0;
  next_round(u->tree);
  for (size_t i = 0; i < count; ++i) made += refit_leaf(u, leaves[i], &waiting);
  return made + refit_waiting(u, waiting);
}
