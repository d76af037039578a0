#include "tree/places.h"

#include "tree/hubs.h"

#include <string.h>

/* --------------------------------------------------------------------------------- corners -- */

void places_link(tree_places *r, uint32_t corner, uint32_t vertex)
{
  uint32_t first = r->head[vertex];
  r->next[corner] = first;
  r->prev[corner] = NO_VERTEX;
  if (first != NO_VERTEX) r->prev[first] = corner;
  r->head[vertex] = corner;
}

static void unlink_corner(tree_places *r, uint32_t corner, uint32_t vertex)
{
  uint32_t next = r->next[corner], before = r->prev[corner];
  if (before == NO_VERTEX)
    r->head[vertex] = next;
  else
    r->next[before] = next;
  if (next != NO_VERTEX) r->prev[next] = before;
}

/* ---------------------------------------------------------------------------------- places -- */

static uint32_t leaf_size(const tree *t, uint32_t leaf) { return t->prims.tri_end[leaf] - leaf * PLACES_LEAF; }

static void touch(tree *t, uint32_t leaf)
{
  tree_places *r = t->prims.places;
  if (r->is_touched[leaf]) return;
  r->is_touched[leaf] = 1;
  r->touched[r->touched_count++] = leaf;
}

/* Exchanges what stands at two places, triangles or holes. */
static void exchange(tree *t, uint32_t a, uint32_t b)
{
  primitives *p = &t->prims;
  if (a == b) return;
  uint32_t kept[3], id = p->tri_id[a];
  memcpy(kept, p->tri + 3 * (size_t)a, sizeof kept);
  memcpy(p->tri + 3 * (size_t)a, p->tri + 3 * (size_t)b, sizeof kept);
  memcpy(p->tri + 3 * (size_t)b, kept, sizeof kept);
  p->tri_id[a] = p->tri_id[b];
  p->tri_id[b] = id;
  p->places->place[p->tri_id[a]] = a;
  p->places->place[id] = b;
  if (t->hub) {
    uint32_t hub = t->hub[a];
    t->hub[a] = t->hub[b];
    t->hub[b] = hub;
  }
}

/* --------------------------------------------------------------------------------- windows -- */

/* The leaves below a node. */
typedef struct window {
  uint32_t node, first, end, count; /* count: triangles */
} window;

static window window_of(const tree *t, uint32_t node)
{
  window w = {.node = node};
  tree_leaves(t, node, &w.first, &w.end);
  for (uint32_t leaf = w.first; leaf < w.end; ++leaf) w.count += leaf_size(t, leaf);
  return w;
}

/* How many of the triangles of a window stand in its leaves before this one. */
static uint32_t share(const window *w, uint32_t leaf)
{
  return (uint32_t)((uint64_t)w->count * (leaf - w->first) / (w->end - w->first));
}

/* All triangles to the first places. */
static void compact(tree *t, const window *w)
{
  uint32_t to = w->first * PLACES_LEAF;
  for (uint32_t leaf = w->first; leaf < w->end; ++leaf)
    for (uint32_t k = leaf * PLACES_LEAF; k < t->prims.tri_end[leaf]; ++k) exchange(t, to++, k);
}

/* From the first places to the leaves, the last ones first: a place is never before the one that
 * its triangle comes from. */
static void spread(tree *t, const window *w)
{
  const uint32_t begin = w->first * PLACES_LEAF;
  for (uint32_t leaf = w->end; leaf-- > w->first;) {
    uint32_t from = share(w, leaf), end = share(w, leaf + 1);
    for (uint32_t k = end; k-- > from;) exchange(t, leaf * PLACES_LEAF + (k - from), begin + k);
    t->prims.tri_end[leaf] = leaf * PLACES_LEAF + (end - from);
    touch(t, leaf);
  }
}

static uint32_t leaf_end(const tree *t, int32_t reference)
{
  uint32_t first = (uint32_t)~reference, end = first + 1;
  if (reference >= 0) tree_leaves(t, (uint32_t)reference, &first, &end);
  return end;
}

/* Sorts the items of children [low, high) of a node as median cuts would, into the shares of
 * their leaves. */
static void sort_children(const tree *t, const window *w, uint32_t node, int low, int high, uint32_t begin)
{
  const int32_t *child = tree_children(t, node);
  if (high - low == 1) {
    if (child[low] >= 0) sort_children(t, w, (uint32_t)child[low], 0, t->nodes.children[child[low]], begin);
    return;
  }
  int middle = low + (high - low) / 2;
  uint32_t cut = share(w, leaf_end(t, child[middle - 1])), stop = share(w, leaf_end(t, child[high - 1]));
  if (cut > begin && stop > cut) items_select_best(t->prims.places->items + begin, stop - begin, cut - begin);
  sort_children(t, w, node, low, middle, begin);
  sort_children(t, w, node, middle, high, cut);
}

static build_item item_at(const tree *t, const points *p, uint32_t place, uint32_t number)
{
  double at[3][3];
  for (size_t c = 0; c < 3; ++c) points_position(p, t->prims.tri[3 * (size_t)place + c], at[c]);
  return item_of(at[0], at[1], at[2], number);
}

/* The compacted triangles of a window in another order. */
static void sort_window(tree *t, const points *p, const window *w)
{
  tree_places *r = t->prims.places;
  const uint32_t begin = w->first * PLACES_LEAF;
  for (uint32_t k = 0; k < w->count; ++k) {
    r->items[k] = item_at(t, p, begin + k, t->prims.tri_id[begin + k]);
  }
  sort_children(t, w, w->node, 0, t->nodes.children[w->node], 0);
  for (uint32_t k = 0; k < w->count; ++k) exchange(t, begin + k, r->place[r->items[k].triangle]);
}

static void spread_evenly(tree *t, const points *p, const window *w)
{
  compact(t, w);
  if (w->count <= PLACES_SORTED) sort_window(t, p, w);
  spread(t, w);
}

/* Are so many triangles below a node within its bounds? */
static bool is_within(const tree *t, const window *w, uint64_t count)
{
  const double down = (double)t->nodes.level[w->node] / t->nodes.depth, leaves = w->end - w->first;
  return (double)count >= leaves * (2 - down) && (double)count <= leaves * PLACES_LEAF * (0.85 + 0.15 * down);
}

/* The nearest ancestor of a leaf whose triangles, and `more`, are within its bounds. */
static window window_around(const tree *t, uint32_t leaf, uint32_t more)
{
  uint32_t node = t->nodes.leaf_slot[leaf] >> 3;
  window w = window_of(t, node);
  while (node != TREE_ROOT && !is_within(t, &w, (uint64_t)w.count + more)) {
    node = t->nodes.slot[node] >> 3;
    w = window_of(t, node);
  }
  return w;
}

/* --------------------------------------------------------------------------------- changes -- */

void places_remove(tree *t, const points *p, uint32_t id)
{
  primitives *prims = &t->prims;
  tree_places *r = prims->places;
  const uint32_t place = r->place[id], leaf = places_leaf(place);
  for (uint32_t c = 0; c < 3; ++c) unlink_corner(r, 3 * id + c, prims->tri[3 * (size_t)place + c]);
  const uint32_t last = --prims->tri_end[leaf];
  exchange(t, place, last);
  for (size_t c = 0; c < 3; ++c) prims->tri[3 * (size_t)last + c] = NO_VERTEX;
  --r->live;
  touch(t, leaf);
  if (leaf_size(t, leaf)) return;
  const window w = window_around(t, leaf, 0);
  spread_evenly(t, p, &w);
}

static double squared_distance(const double a[3], const double b[3])
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* From the root to the child one of whose triangles at its ends is nearest: volumes may be stale.
 * Any leaf will do. */
static uint32_t descend(const tree *t, const points *p, const double mid[3])
{
  int32_t at = TREE_ROOT;
  while (at >= 0) {
    int32_t best = tree_children(t, (uint32_t)at)[0];
    double least = INFINITY;
    for (int k = 0; k < t->nodes.children[at]; ++k) {
      int32_t child = tree_children(t, (uint32_t)at)[k];
      uint32_t end = leaf_end(t, child), first = (uint32_t)~child;
      if (child >= 0) tree_leaves(t, (uint32_t)child, &first, &end);
      for (int side = 0; side < 2; ++side) {
        build_item i = item_at(t, p, side ? (end - 1) * PLACES_LEAF : first * PLACES_LEAF, 0);
        double far = squared_distance(i.mid, mid);
        if (!(far < least)) continue;
        least = far;
        best = child;
      }
    }
    at = best;
  }
  return (uint32_t)~at;
}

/* The leaf of a neighbour, one with a free place if one of the first few has; NO_VERTEX: there is
 * none. */
static uint32_t leaf_beside(const tree *t, const uint32_t corners[3])
{
  enum { LOOKED_AT = 8 };
  const tree_places *r = t->prims.places;
  uint32_t any = NO_VERTEX;
  for (int c = 0; c < 3; ++c) {
    uint32_t at = r->head[corners[c]];
    for (int k = 0; k < LOOKED_AT && at != NO_VERTEX; ++k, at = r->next[at]) {
      uint32_t leaf = places_leaf(r->place[at / 3]);
      if (leaf_size(t, leaf) < PLACES_LEAF) return leaf;
      any = leaf;
    }
  }
  return any;
}

/* The leaf of a window nearest to this one, in tree order, that has a free place. */
static uint32_t free_leaf(const tree *t, const window *w, uint32_t leaf)
{
  for (uint32_t far = 0;; ++far) {
    if (leaf + far < w->end && leaf_size(t, leaf + far) < PLACES_LEAF) return leaf + far;
    if (leaf >= w->first + far && leaf_size(t, leaf - far) < PLACES_LEAF) return leaf - far;
  }
}

void places_add(tree *t, const points *p, uint32_t id, const uint32_t corners[3])
{
  primitives *prims = &t->prims;
  tree_places *r = prims->places;
  uint32_t leaf = leaf_beside(t, corners);
  if (leaf == NO_VERTEX) {
    double at[3][3];
    for (int c = 0; c < 3; ++c) points_position(p, corners[c], at[c]);
    leaf = descend(t, p, item_of(at[0], at[1], at[2], 0).mid);
  }
  if (leaf_size(t, leaf) == PLACES_LEAF) {
    const window w = window_around(t, leaf, 1);
    spread_evenly(t, p, &w);
    leaf = free_leaf(t, &w, leaf);
  }
  const uint32_t place = prims->tri_end[leaf]++;
  const uint32_t other = prims->tri_id[place], from = r->place[id]; /* of two holes */
  prims->tri_id[place] = id;
  prims->tri_id[from] = other;
  r->place[other] = from;
  r->place[id] = place;
  memcpy(prims->tri + 3 * (size_t)place, corners, 3 * sizeof *corners);
  if (t->hub) t->hub[place] = HUB_NONE;
  for (uint32_t c = 0; c < 3; ++c) places_link(r, 3 * id + c, corners[c]);
  if (r->ids <= id) r->ids = id + 1;
  ++r->live;
  touch(t, leaf);
}

void places_set_corner(tree *t, uint32_t id, uint32_t corner, uint32_t vertex)
{
  tree_places *r = t->prims.places;
  const uint32_t place = r->place[id];
  uint32_t *at = t->prims.tri + 3 * (size_t)place + corner;
  unlink_corner(r, 3 * id + corner, *at);
  *at = vertex;
  places_link(r, 3 * id + corner, vertex);
  if (t->hub) t->hub[place] = HUB_NONE;
  touch(t, places_leaf(place));
}

/* ----------------------------------------------------------------------------------- finish -- */

void places_fill_list(tree *t, uint32_t leaf)
{
  uint32_t *list = t->prims.list + t->prims.list_first[leaf], count = 0;
  for (size_t k = 3 * (size_t)leaf * PLACES_LEAF; k < 3 * (size_t)t->prims.tri_end[leaf]; ++k) {
    uint32_t v = t->prims.tri[k], i = 0;
    while (i < count && list[i] != v) ++i;
    if (i == count) list[count++] = v;
  }
  for (uint32_t last = list[count - 1]; count < PLACES_LIST; ++count) list[count] = last;
  if (t->prims.corner) tree_make_corners(t, leaf);
}

/* No triangle of an edited leaf counts as one of a hub's, and no node above it. */
static void drop_hubs(tree *t, uint32_t leaf)
{
  uint32_t *of = t->hubs[hubs_place(t, ~(int32_t)leaf)];
  for (uint32_t slot = t->nodes.leaf_slot[leaf];; slot = t->nodes.slot[slot >> 3]) {
    of[0] = of[1] = HUB_NONE;
    of = t->hubs[slot >> 3];
    if (slot >> 3 == TREE_ROOT) break;
  }
  of[0] = of[1] = HUB_NONE;
  for (uint32_t k = leaf * PLACES_LEAF; k < t->prims.tri_end[leaf]; ++k) t->hub[k] = HUB_NONE;
}

void places_finish(pl_context *context, tree *t)
{
  const tree_places *r = t->prims.places;
  for (uint32_t i = 0; i < r->touched_count; ++i) {
    places_fill_list(t, r->touched[i]);
    if (t->hubs) drop_hubs(t, r->touched[i]);
  }
  mem_free(&context->locked, atomic_exchange(&t->part, NULL));
  ++t->nodes.version;
}

void places_forget_touched(tree *t)
{
  tree_places *r = t->prims.places;
  for (uint32_t i = 0; i < r->touched_count; ++i) r->is_touched[r->touched[i]] = 0;
  r->touched_count = 0;
}

/* ------------------------------------------------------------------------------------ room -- */

bool places_fits(const tree *t, uint64_t least, uint64_t most, uint64_t ids)
{
  const double leaves = t->nodes.leaf_count;
  return ids <= t->prims.triangle_count && (double)least >= 2 * leaves && (double)most <= leaves * PLACES_LEAF * 0.85;
}

bool places_vertices(pl_context *context, tree *t, size_t count)
{
  tree_places *r = t->prims.places;
  if (count <= r->vertices) return true;
  const size_t room = count + count / 2;
  if (!mem_widen(&context->def.allocator, &r->head, r->vertices, room) ||
      !mem_widen(&context->def.allocator, &r->vertex_marked, r->vertices, room))
    return false;
  for (size_t v = r->vertices; v < room; ++v) r->head[v] = NO_VERTEX;
  t->bytes += (room - r->vertices) * (sizeof *r->head + sizeof *r->vertex_marked);
  r->vertices = room;
  return true;
}
