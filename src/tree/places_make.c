/* Making and ending the room of a tree, and checking it. */
#include "tree/hubs.h"
#include "tree/places.h"

#include <string.h>

static bool allocate(const pl_allocator *allocator, tree_places *r, uint32_t places, uint32_t leaves, uint32_t vertices)
{
  r->vertices = vertices;
  return mem_take(allocator, &r->place, places) && mem_take(allocator, &r->head, (size_t)vertices + 1) &&
         mem_take(allocator, &r->next, 3 * (size_t)places) && mem_take(allocator, &r->prev, 3 * (size_t)places) &&
         mem_take(allocator, &r->touched, leaves) && mem_take_new(allocator, &r->is_touched, leaves) &&
         mem_take(allocator, &r->items, PLACES_SORTED) && mem_take_new(allocator, &r->marked, places) &&
         mem_take_new(allocator, &r->vertex_marked, (size_t)vertices + 1);
}

static void free_parts(const pl_allocator *allocator, tree_places *r)
{
  mem_free_all(allocator, r->place, r->head, r->next, r->prev, r->touched, r->is_touched, r->items, r->marked,
               r->vertex_marked);
}

void places_free(pl_context *context, tree *t)
{
  if (!t->prims.places) return;
  free_parts(&context->def.allocator, t->prims.places);
  mem_free_all(&context->def.allocator, t->prims.tri_end, t->prims.places);
  t->prims.places = NULL;
}

/* The arrays of a tree with room. */
typedef struct wide {
  uint32_t *tri, *tri_id, *tri_end, *list, *hub, *mark, *heap;
} wide;

static void free_wide(const pl_allocator *allocator, wide *w)
{
  mem_free_all(allocator, w->tri, w->tri_id, w->tri_end, w->list, w->hub, w->mark, w->heap);
}

static bool make_wide(const pl_allocator *allocator, const tree *t, uint32_t places, wide *w)
{
  const size_t leaves = t->nodes.leaf_count, inner = t->nodes.inner_count;
  return mem_take(allocator, &w->tri, 3 * (size_t)places) && mem_take(allocator, &w->tri_id, places) &&
         mem_take(allocator, &w->tri_end, leaves) && mem_take(allocator, &w->list, leaves * PLACES_LIST) &&
         (!t->hub || mem_take(allocator, &w->hub, places)) && mem_take_new(allocator, &w->mark, inner + leaves) &&
         mem_take(allocator, &w->heap, inner);
}

/* Triangles to the first places of their leaves; holes get the indices that are left. */
static void fill_wide(const tree *t, const uint32_t *ids, uint32_t places, wide *w, tree_places *r)
{
  const primitives *p = &t->prims;
  for (uint32_t id = 0; id < places; ++id) r->place[id] = NO_VERTEX;
  for (size_t k = 0; k < 3 * (size_t)places; ++k) w->tri[k] = NO_VERTEX;
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    uint32_t to = leaf * PLACES_LEAF;
    for (uint32_t k = p->tri_first[leaf]; k < p->tri_first[leaf + 1]; ++k, ++to) {
      w->tri_id[to] = ids[p->tri_id[k]];
      r->place[w->tri_id[to]] = to;
      memcpy(w->tri + 3 * (size_t)to, p->tri + 3 * (size_t)k, 3 * sizeof *w->tri);
      if (w->hub) w->hub[to] = t->hub[k];
    }
    w->tri_end[leaf] = to;
  }
  uint32_t id = 0;
  for (uint32_t k = 0; k < places; ++k) {
    if (w->tri[3 * (size_t)k] != NO_VERTEX) continue;
    while (r->place[id] != NO_VERTEX) ++id;
    w->tri_id[k] = id;
    r->place[id] = k;
    if (w->hub) w->hub[k] = HUB_NONE;
  }
}

static void take_wide(const pl_allocator *allocator, tree *t, const wide *w)
{
  primitives *p = &t->prims;
  mem_free_all(allocator, p->tri, p->tri_id, p->list, t->hub);
  p->tri = w->tri;
  p->tri_id = w->tri_id;
  p->tri_end = w->tri_end;
  p->list = w->list;
  p->list_room = PLACES_LIST;
  t->hub = w->hub;
  t->mark = w->mark;
  t->heap = w->heap;
  for (uint32_t leaf = 0; leaf <= t->nodes.leaf_count; ++leaf) {
    p->tri_first[leaf] = leaf * PLACES_LEAF;
    p->list_first[leaf] = leaf * PLACES_LIST;
  }
}

static void link_all(tree *t, tree_places *r)
{
  for (size_t v = 0; v < r->vertices; ++v) r->head[v] = NO_VERTEX;
  for (uint32_t id = 0; id < t->prims.triangle_count; ++id)
    for (uint32_t c = 0; c < 3 && !prims_hole(&t->prims, r->place[id]); ++c)
      places_link(r, 3 * id + c, t->prims.tri[3 * (size_t)r->place[id] + c]);
}

bool places_make(pl_context *context, tree *t, const uint32_t *ids, uint32_t id_count)
{
  const pl_allocator *allocator = &context->def.allocator;
  const uint32_t leaves = t->nodes.leaf_count;
  const uint64_t wanted = (uint64_t)id_count + id_count / 4 + PLACES_LEAF, least = (uint64_t)leaves * PLACES_LEAF;
  const uint32_t places = (uint32_t)(wanted > least ? wanted : least);
  wide w = {0};
  tree_places *r = mem_new(allocator, 1, sizeof *r);
  if (!r || !allocate(allocator, r, places, leaves, t->prims.vertex_count) || !make_wide(allocator, t, places, &w)) {
    free_wide(allocator, &w);
    if (r) free_parts(allocator, r);
    mem_free(allocator, r);
    return false;
  }
  fill_wide(t, ids, places, &w, r);
  r->live = t->prims.triangle_count;
  r->ids = id_count;
  t->bytes += ((size_t)places * 11 + (size_t)leaves * (2 + PLACES_LIST) + r->vertices) * sizeof(uint32_t) + leaves +
              PLACES_SORTED * sizeof *r->items + sizeof *r - (size_t)t->prims.triangle_count * 4 * sizeof(uint32_t) -
              (size_t)t->prims.list_first[leaves] * sizeof(uint32_t);
  take_wide(allocator, t, &w);
  t->prims.triangle_count = places;
  t->prims.places = r;
  link_all(t, r);
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) places_fill_list(t, leaf);
  return true;
}

/* ------------------------------------------------------------------------------------ check -- */

static bool is_linked(const tree *t, uint32_t id, uint32_t corner, uint32_t vertex)
{
  const tree_places *r = t->prims.places;
  const uint32_t next = r->next[3 * id + corner], before = r->prev[3 * id + corner];
  if (before == NO_VERTEX ? r->head[vertex] != 3 * id + corner : r->next[before] != 3 * id + corner) return false;
  return next == NO_VERTEX || r->prev[next] == 3 * id + corner;
}

bool places_is_sound(const tree *t, uint32_t *where)
{
  const tree_places *r = t->prims.places;
  uint32_t live = 0;
  for (*where = 0; *where < t->prims.triangle_count; ++*where) {
    const uint32_t place = *where, leaf = places_leaf(place), id = t->prims.tri_id[place];
    const bool is_there = leaf < t->nodes.leaf_count && place < t->prims.tri_end[leaf];
    if (r->place[id] != place || is_there == prims_hole(&t->prims, place)) return false;
    live += is_there;
    for (uint32_t c = 0; c < 3 && is_there; ++c)
      if (id >= r->ids || !is_linked(t, id, c, t->prims.tri[3 * (size_t)place + c])) return false;
  }
  return live == r->live;
}
