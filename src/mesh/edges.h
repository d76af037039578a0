/* Half-edges in the order of their edges: the input of both connectivity and description. */
#ifndef MESH_EDGES_H
#define MESH_EDGES_H

#include "core/context.h"

/* Triangles of these corners do not exist; all three have it. */
#define NO_VERTEX UINT32_MAX

/* One stable pass of a counting sort: out is `in` (NULL: 0 .. count - 1) by key[id] < keys.
 * start: scratch of keys + 1. */
void sort_pass(const uint32_t *key, size_t keys, const uint32_t *in, size_t count, uint32_t *start, uint32_t *out);

/* Half-edge h = 3 t + e runs from corner e to corner e + 1 of triangle t. */
typedef struct half_edges {
  uint32_t *low, *high; /* by half-edge: its vertices, low <= high; equal where it is no edge */
  uint32_t *sorted;     /* all half-edges by (low, high, half-edge) */
  size_t count;         /* 3 * triangle_count */
} half_edges;

/* O(triangles + vertices); false: out of memory, and *out is empty. */
bool half_edges_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                       size_t vertex_count, half_edges *out);
void half_edges_free(const pl_allocator *allocator, half_edges *h);

/* One past the last half-edge in `sorted` that has the same vertices as the one at `begin`. */
static inline size_t half_edges_run(const half_edges *h, size_t begin)
{
  uint32_t low = h->low[h->sorted[begin]], high = h->high[h->sorted[begin]];
  size_t end = begin + 1;
  while (end < h->count && h->low[h->sorted[end]] == low && h->high[h->sorted[end]] == high) ++end;
  return end;
}

/* Returns whether the half-edge at `begin` is degenerate (both ends at one vertex). */
static inline bool half_edges_none(const half_edges *h, size_t begin)
{
  return h->low[h->sorted[begin]] == h->high[h->sorted[begin]];
}

#endif
