/* Vertices of very many triangles, and the parts of a body that its edges join: what lets a walk
 * of a body against itself leave out two nodes at once. All triangles of a fan share a vertex,
 * and all of a book two: their boxes all overlap there, but where every triangle of one node
 * shares a vertex with every triangle of the other, none of their pairs counts. */
#ifndef TREE_HUBS_H
#define TREE_HUBS_H

#include "tree/tree.h"

/* a hub has at least so many: the pairs at all other vertices are at most 16 n */
enum { HUB_TRIANGLES = 32 };
#define HUB_NONE UINT32_MAX

/* For a tree whose prims are complete; trees without hubs get nothing. O(triangles). */
pl_status hubs_make(pl_context *context, tree *t);

static inline uint32_t hubs_place(const tree *t, int32_t reference)
{
  return reference >= 0 ? (uint32_t)reference : t->nodes.inner_count + (uint32_t)~reference;
}

/* Does every triangle below a share one vertex with every triangle below b? It may be so where
 * this says no. */
static inline bool hubs_share(const tree *t, int32_t a, int32_t b)
{
  const uint32_t *x = t->hubs[hubs_place(t, a)], *y = t->hubs[hubs_place(t, b)];
  if (x[0] == HUB_NONE) return false;
  return x[0] == y[0] || x[0] == y[1] || (x[1] != HUB_NONE && (x[1] == y[0] || x[1] == y[1]));
}

/* The hubs that the triangles of two places have in common: two, one and HUB_NONE, or none. */
static inline void hubs_common(const uint32_t x[2], const uint32_t y[2], uint32_t out[2])
{
  int count = 0;
  for (int i = 0; i < 2; ++i)
    if (x[i] != HUB_NONE && (x[i] == y[0] || x[i] == y[1])) out[count++] = x[i];
  while (count < 2) out[count++] = HUB_NONE;
}

/* Which part of a body a triangle belongs to: two of a part are joined by edges, two of
 * different parts are not. By inner node and then by leaf (HUB_NONE: of several parts), then by
 * triangle in tree order. Made at the first call; NULL (and a message) if out of memory.
 * O(triangles) nearly. */
const uint32_t *tree_parts_of(pl_context *context, tree *t);

static inline bool parts_equal(const tree *t, const uint32_t *part, int32_t a, int32_t b)
{
  uint32_t of_a = part[hubs_place(t, a)];
  return of_a != HUB_NONE && of_a == part[hubs_place(t, b)];
}

static inline uint32_t part_of_triangle(const tree *t, const uint32_t *part, uint32_t triangle)
{
  return part[t->nodes.inner_count + t->nodes.leaf_count + triangle];
}

#endif
