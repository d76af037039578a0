/* Who owns vertices and edges (mesh/owners.h), kept through an edit: only around the vertices whose
 * triangles change. Cost: O(n^2) for each such vertex of n corners, n at most OWNED_FAN. */
#include "body/edit.h"
#include "mesh/owners.h"

#include <string.h>

enum { OWNED_FAN = 64 }; /* a vertex of more corners is not looked at again: all owners are forgotten */

static bool add_around(edit_batch *b, const uint32_t *vertices, size_t count)
{
  if (!array_reserve(&b->body->context->def.allocator, &b->around, b->around.count + count)) return false;
  if (count) memcpy(b->around.data + b->around.count, vertices, count * sizeof *vertices);
  b->around.count += count;
  return true;
}

void edit_begin_owners(edit_batch *b)
{
  const pl_edit *e = &b->edit;
  uint8_t *owners = atomic_load(&b->body->owners);
  if (!owners) return;
  bool room =
      add_around(b, e->split_vertices, e->split_count) && add_around(b, e->changed_corners, 3 * e->changed_count) &&
      add_around(b, e->added_corners, 3 * e->added_count) && add_around(b, e->merged_vertices, 2 * e->merged_count) &&
      add_around(b, b->vertices.data, b->vertices.count);
  for (size_t i = 0; room && i < b->removed.count; ++i)
    room = add_around(b, places_corners(b->tree, b->removed.data[i]), 3);
  for (size_t i = 0; room && i < e->changed_count; ++i)
    room = add_around(b, places_corners(b->tree, e->changed_triangles[i]), 3);
  if (!room) {
    mem_free(&b->body->context->locked, atomic_exchange(&b->body->owners, NULL));
    return;
  }
  for (size_t i = 0; i < b->removed.count; ++i) owners[b->removed.data[i]] = 0;
  for (size_t i = 0; i < e->changed_count; ++i) owners[e->changed_triangles[i]] = 0;
}

/* The other end of an edge at a vertex, which begins at this corner or ends after it. */
static uint32_t other_end(const tree *t, uint32_t half, uint32_t v)
{
  const uint32_t *corners = places_corners(t, half / 3);
  return corners[half % 3] == v ? corners[(half + 1) % 3] : corners[half % 3];
}

/* Gives the vertex and its edges to the first triangles that have them. O(n^2) for n corners. */
static bool own_again(const tree *t, uint8_t *owners, uint32_t v)
{
  const tree_places *r = t->prims.places;
  uint32_t half[2 * OWNED_FAN], count = 0, first = NO_VERTEX;
  for (uint32_t at = r->head[v]; at != NO_VERTEX; at = r->next[at]) {
    if (count == 2 * OWNED_FAN) return false;
    half[count++] = at;
    half[count++] = at / 3 * 3 + (at + 2) % 3;
    owners[at / 3] &= (uint8_t) ~(OWNS_CORNER << at % 3);
    first = at < first ? at : first;
  }
  if (count) owners[first / 3] |= (uint8_t)(OWNS_CORNER << first % 3);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t end = other_end(t, half[i], v);
    bool own = end != v;
    for (uint32_t k = 0; k < count && own; ++k) own = half[k] >= half[i] || other_end(t, half[k], v) != end;
    owners[half[i] / 3] &= (uint8_t) ~(OWNS_EDGE << half[i] % 3);
    if (own) owners[half[i] / 3] |= (uint8_t)(OWNS_EDGE << half[i] % 3);
  }
  return true;
}

void edit_end_owners(const edit_batch *b)
{
  uint8_t *owners = atomic_load(&b->body->owners);
  bool good = true;
  for (size_t i = 0; owners && good && i < b->around.count; ++i) good = own_again(b->tree, owners, b->around.data[i]);
  if (!good) mem_free(&b->body->context->locked, atomic_exchange(&b->body->owners, NULL));
}
