#include "tree/resort.h"

#include <float.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- lists -- */

/* The different vertices of a leaf, by first touch: at most 24, in a table of 64 by their bits. */
static void make_list(const tree *t, uint32_t leaf, uint32_t *list, uint32_t room)
{
  uint8_t at[64] = {0}; /* 1 + the place in the list; 0: none */
  uint32_t count = 0;
  for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_first[leaf + 1]; ++k) {
    const uint32_t v = t->prims.tri[k];
    uint32_t slot = v * 0x9e3779b1u >> 26;
    while (at[slot] && list[at[slot] - 1] != v) slot = (slot + 1) % 64;
    if (at[slot]) continue;
    list[count++] = v;
    at[slot] = (uint8_t)count;
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

/* The `left` least keys come to the front. Quickselect without branches that follow from the keys:
 * the median of three is the pivot. All keys differ. */
static void select_keys(uint64_t *keys, size_t count, size_t left)
{
  size_t low = 0, high = count; /* the cut is in [low, high] */
  while (high - low > 1 && left > low && left < high) {
    const size_t middle = low + (high - low) / 2;
    const uint64_t a = keys[low], b = keys[middle], c = keys[high - 1];
    const uint64_t least = a < b ? a : b, most = a < b ? b : a, pivot = c < least ? least : c > most ? most : c;
    size_t end = low; /* [low, end) are before the pivot */
    for (size_t k = low; k < high; ++k) {
      const uint64_t key = keys[k];
      keys[k] = keys[end];
      keys[end] = key;
      end += key < pivot;
    }
    if (left <= end) {
      high = end;
      if (end == low) break; /* cannot be: two of three are not the least */
    } else {
      low = end;
      /* the pivot is the least of the rest */
      size_t at = low;
      while (keys[at] != pivot) ++at;
      keys[at] = keys[low];
      keys[low++] = pivot;
    }
  }
}

typedef struct select_scratch {
  uint64_t keys[RESORT_MOST];
  build_item items[RESORT_MOST];
} select_scratch;

static void bound_items(const build_item *items, size_t count, double low[3], double half[3])
{
  double high[3];
  for (int k = 0; k < 3; ++k) low[k] = high[k] = items[0].mid[k];
  for (size_t i = 1; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = items[i].mid[k];
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
  for (int k = 0; k < 3; ++k) half[k] = 0.5 * high[k] - 0.5 * low[k];
}

/* Keys along an axis: the place in the range of 2^32, and the item. */
static void make_keys(const build_item *items, size_t count, int axis, const double low[3], const double half[3],
                      uint64_t *keys)
{
  for (size_t i = 0; i < count; ++i) {
    const double at = (0.5 * items[i].mid[axis] - 0.5 * low[axis]) / half[axis];
    keys[i] = (uint64_t)(int64_t)(at * 0x1p31) << 32 | i;
  }
}

static double weigh(const build_item *items, const uint64_t *keys, size_t count, double scale)
{
  double low[3], high[3], half[3];
  for (int k = 0; k < 3; ++k) low[k] = high[k] = items[(uint32_t)keys[0]].mid[k];
  for (size_t i = 1; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = items[(uint32_t)keys[i]].mid[k];
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
  for (int k = 0; k < 3; ++k) half[k] = 0.5 * high[k] - 0.5 * low[k];
  return box_weight(half, scale, count);
}

enum { COMPARED = 128 }; /* longest range whose axes are compared: they gain 2 % of the area */

/* Moves the `left` items to the front that a median cut takes: along the longest axis, or in a
 * small range along the one that leaves the lightest boxes, of those at least half as long. */
static void select_items(build_item *items, size_t count, size_t left, select_scratch *s)
{
  double low[3], half[3], least = DBL_MAX;
  bound_items(items, count, low, half);
  const int longest = longest_axis(half);
  int best = longest, last = -1, tried = 0;
  if (!(half[longest] > 0)) return; /* all in one place */
  for (int k = 0; k < 3; ++k) tried += long_enough(half, k);
  for (int k = 0; k < 3 && tried > 1 && count <= COMPARED; ++k) {
    if (!long_enough(half, k)) continue;
    make_keys(items, count, k, low, half, s->keys);
    select_keys(s->keys, count, left);
    const double scale = box_scale(half),
                 weight = weigh(items, s->keys, left, scale) + weigh(items, s->keys + left, count - left, scale);
    last = k;
    if (weight >= least) continue;
    least = weight;
    best = k;
  }
  if (best != last) {
    make_keys(items, count, best, low, half, s->keys);
    select_keys(s->keys, count, left);
  }
  memcpy(s->items, items, count * sizeof *items);
  for (size_t i = 0; i < count; ++i) items[i] = s->items[(uint32_t)s->keys[i]];
}

typedef struct sorter {
  const tree *tree;
  build_item *items; /* of the triangles from `begin` on */
  uint32_t begin;
  select_scratch *scratch;
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
  select_items(s->items + (begin - s->begin), stop - begin, cut - begin, s->scratch);
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
  select_scratch scratch;
  sort_node(&(sorter){t, room->items, begin, &scratch}, node, begin);
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t from = room->items[k].triangle;
    memcpy(tri + 3 * (size_t)k, room->old + 3 * (size_t)from, 3 * sizeof *tri);
    id[k] = old_id[from];
  }
  for (; leaf < leaf_end; ++leaf) refill_leaf(t, leaf);
}

void tree_sort_items(const tree *t, uint32_t node, int first, int end, uint32_t begin, build_item *items)
{
  select_scratch scratch;
  sort_children(&(sorter){t, items, begin, &scratch}, node, first, end, begin);
}

/* -------------------------------------------------------------------------------- exchange -- */

uint32_t tree_leaf_of(const tree *t, uint32_t place)
{
  uint32_t low = 0, high = t->nodes.leaf_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (t->prims.tri_first[middle] <= place)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void tree_exchange(tree *t, uint32_t a, uint32_t leaf, uint32_t b, uint64_t *touched)
{
  uint32_t *at_a = t->prims.tri + 3 * (size_t)a, *at_b = t->prims.tri + 3 * (size_t)b, kept[3], id = t->prims.tri_id[a];
  memcpy(kept, at_a, sizeof kept);
  memcpy(at_a, at_b, sizeof kept);
  memcpy(at_b, kept, sizeof kept);
  t->prims.tri_id[a] = t->prims.tri_id[b];
  t->prims.tri_id[b] = id;
  const uint32_t other = tree_leaf_of(t, b);
  touched[leaf / 64] |= 1ull << (leaf % 64);
  touched[other / 64] |= 1ull << (other % 64);
}

uint64_t tree_refill(tree *t, uint32_t first, uint32_t last, uint64_t *touched)
{
  uint64_t count = 0;
  for (uint32_t leaf = first; leaf < last; ++leaf) {
    if (!touched[leaf / 64]) {
      leaf |= 63;
      continue;
    }
    if (!(touched[leaf / 64] >> (leaf % 64) & 1)) continue;
    touched[leaf / 64] &= ~(1ull << (leaf % 64));
    refill_leaf(t, leaf);
    ++count;
  }
  return count;
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
