#include "tree/resort.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- lists -- */

/* The different vertices of a leaf, by first touch; at most 24, so that looking through them costs
 * less than marks would. */
static void make_list(const tree *t, uint32_t leaf, uint32_t *list, uint32_t room)
{
  uint32_t count = 0;
  for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_first[leaf + 1]; ++k) {
    uint32_t v = t->prims.tri[k], i = 0;
    while (i < count && list[i] != v) ++i;
    if (i == count) list[count++] = v;
  }
  for (uint32_t last = list[count - 1]; count < room; ++count) list[count] = last;
}

static void refill_leaf(tree *t, uint32_t leaf)
{
  make_list(t, leaf, t->prims.list + t->prims.list_first[leaf], t->prims.list_room);
  if (t->prims.corner) tree_make_corners(t, leaf);
}

static uint32_t most_triangles(const tree *t)
{
  uint32_t most = 1;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    uint32_t n = t->prims.tri_first[leaf + 1] - t->prims.tri_first[leaf];
    most = n > most ? n : most;
  }
  return most;
}

static void drop(const pl_allocator *allocator, tree *t, uint32_t **array, size_t count)
{
  if (!*array) return;
  mem_free(allocator, *array);
  *array = NULL;
  t->bytes -= count * sizeof **array;
}

bool tree_unpack(pl_context *context, tree *t)
{
  const pl_allocator *allocator = &context->def.allocator;
  primitives *p = &t->prims;
  if (p->list_room) return true;
  const size_t leaves = t->nodes.leaf_count, inner = t->nodes.inner_count;
  const uint32_t room = (3 * most_triangles(t) + LIST_PAD - 1) / LIST_PAD * LIST_PAD;
  if (leaves * room > UINT32_MAX) return false;
  uint32_t *list = mem_raw(allocator, leaves * room, sizeof *list);
  if (!list) return false;
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) make_list(t, leaf, list + (size_t)leaf * room, room);
  t->bytes += leaves * room * sizeof *list;
  drop(allocator, t, &p->list, p->list_first[leaves]);
  if (p->order) {
    drop(allocator, t, &p->extra, p->extra_first[inner]);
    drop(allocator, t, &p->order, p->vertex_count);
    drop(allocator, t, &p->vertex_first, inner);
    drop(allocator, t, &p->vertex_end, inner);
    drop(allocator, t, &p->extra_first, inner);
  }
  p->list = list;
  p->list_room = room;
  for (uint32_t leaf = 0; leaf <= leaves; ++leaf) p->list_first[leaf] = leaf * room;
  for (uint32_t leaf = 0; p->corner && leaf < leaves; ++leaf) tree_make_corners(t, leaf);
  return true;
}

/* -------------------------------------------------------------------------------------- sort -- */

uint32_t tree_triangles_end(const tree *t, int32_t reference)
{
  uint32_t first = (uint32_t)~reference, end = first + 1;
  if (reference >= 0) tree_leaves(t, (uint32_t)reference, &first, &end);
  return t->prims.tri_first[end];
}

typedef struct sorter {
  const tree *tree;
  build_item *items; /* of the triangles from `begin` on */
  uint32_t begin;
} sorter;

static void sort_node(const sorter *s, uint32_t node, uint32_t begin);

/* Children [first, end) of a node, whose triangles begin at `begin`: halved as median cuts halve
 * them, each half by itself, and then the children. */
static void sort_children(const sorter *s, uint32_t node, int first, int end, uint32_t begin)
{
  const int32_t *child = tree_children(s->tree, node);
  if (end - first == 1) {
    if (child[first] >= 0) sort_node(s, (uint32_t)child[first], begin);
    return;
  }
  int middle = first + (end - first) / 2;
  uint32_t cut = tree_triangles_end(s->tree, child[middle - 1]), stop = tree_triangles_end(s->tree, child[end - 1]);
  items_select_best(s->items + (begin - s->begin), stop - begin, cut - begin);
  sort_children(s, node, first, middle, begin);
  sort_children(s, node, middle, end, cut);
}

static void sort_node(const sorter *s, uint32_t node, uint32_t begin)
{
  sort_children(s, node, 0, s->tree->nodes.children[node], begin);
}

void tree_resort(tree *t, const points *p, uint32_t node, const resort_room *room)
{
  uint32_t leaf, leaf_end;
  tree_leaves(t, node, &leaf, &leaf_end);
  const uint32_t begin = t->prims.tri_first[leaf], count = t->prims.tri_first[leaf_end] - begin;
  uint32_t *tri = t->prims.tri + 3 * (size_t)begin, *id = t->prims.tri_id + begin;
  uint32_t *old_id = room->old + 3 * (size_t)count;
  for (uint32_t k = 0; k < count; ++k) room->items[k] = tree_item(t, p, begin + k, k);
  memcpy(room->old, tri, 3 * (size_t)count * sizeof *tri);
  memcpy(old_id, id, count * sizeof *id);
  sort_node(&(sorter){t, room->items, begin}, node, begin);
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t from = room->items[k].triangle;
    memcpy(tri + 3 * (size_t)k, room->old + 3 * (size_t)from, 3 * sizeof *tri);
    id[k] = old_id[from];
  }
  for (; leaf < leaf_end; ++leaf) refill_leaf(t, leaf);
}

void tree_sort_items(const tree *t, uint32_t node, int first, int end, uint32_t begin, build_item *items)
{
  sort_children(&(sorter){t, items, begin}, node, first, end, begin);
}

/* --------------------------------------------------------------------------------- permute -- */

static void move_triangle(tree *t, uint32_t to, uint32_t from)
{
  memcpy(t->prims.tri + 3 * (size_t)to, t->prims.tri + 3 * (size_t)from, 3 * sizeof *t->prims.tri);
  t->prims.tri_id[to] = t->prims.tri_id[from];
}

/* Cycle by cycle: a place that is done is its own origin. */
void tree_permute(tree *t, uint32_t begin, uint32_t *from, uint32_t count)
{
  for (uint32_t start = 0; start < count; ++start) {
    if (from[start] == start) continue;
    uint32_t kept[3], id = t->prims.tri_id[begin + start], to = start;
    memcpy(kept, t->prims.tri + 3 * (size_t)(begin + start), sizeof kept);
    for (uint32_t next = from[to]; next != start; next = from[to]) {
      move_triangle(t, begin + to, begin + next);
      from[to] = to;
      to = next;
    }
    memcpy(t->prims.tri + 3 * (size_t)(begin + to), kept, sizeof kept);
    t->prims.tri_id[begin + to] = id;
    from[to] = to;
  }
  uint32_t low = 0, high = t->nodes.leaf_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (t->prims.tri_first[middle] <= begin)
      low = middle;
    else
      high = middle;
  }
  for (; low < t->nodes.leaf_count && t->prims.tri_first[low] < begin + count; ++low) refill_leaf(t, low);
}

void tree_resorted(pl_context *context, tree *t)
{
  const pl_allocator *allocator = &context->def.allocator;
  primitives *p = &t->prims;
  mem_free(&context->locked, atomic_exchange(&t->part, NULL));
  ++t->nodes.version;
  /* a list that was made for an unpacked tree has room for any order: it is filled again */
  p->fan_stale = p->fan && p->fan_room >= (size_t)t->nodes.leaf_count * p->list_room;
  if (!p->fan || p->fan_stale) return;
  t->bytes -= ((size_t)p->vertex_count + 2 + p->fan_room + 2 * (size_t)t->nodes.inner_count + t->nodes.leaf_count) *
              sizeof(uint32_t);
  mem_free(allocator, p->fan);
  mem_free(allocator, p->fan_first);
  mem_free(allocator, t->mark);
  mem_free(allocator, t->heap);
  p->fan = p->fan_first = t->mark = t->heap = NULL;
}
