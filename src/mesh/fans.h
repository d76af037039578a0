/* The triangles around each vertex, and the corners of each triangle by the caller's index. */
#ifndef MESH_FANS_H
#define MESH_FANS_H

#include "core/context.h"

/* The triangles that have vertex v as a corner: around[first[v]] .. around[first[v + 1] - 1],
 * ascending; twice where two corners are v. */
typedef struct mesh_fans {
  uint32_t *corner; /* 3 for each triangle; NO_VERTEX: it does not exist */
  uint32_t *first;  /* vertex_count + 1 */
  uint32_t *around; /* 3 * triangle_count */
  size_t triangle_count, vertex_count;
} mesh_fans;

/* `triangles` in any order, `ids` the caller's index of each. O(triangles + vertices). NULL: out
 * of memory. */
mesh_fans *mesh_fans_create(const pl_allocator *allocator, const uint32_t *triangles, const uint32_t *ids,
                            size_t triangle_count, size_t vertex_count);
void mesh_fans_free(const pl_allocator *allocator, mesh_fans *f);

#endif
