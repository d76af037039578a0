/* Meshes: checks on what callers give, and connectivity. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "core/context.h"
#include "pliant/mesh.h"

/* PL_OK, or the first thing that is wrong: definition, counts, stride, index out of range, position not finite. */
pl_status mesh_check(pl_context *context, const pl_mesh_def *def);

/* Definition, stride, alignment, type and finiteness of positions. A count of 0 is legal, with or without data. */
pl_status positions_check(pl_context *context, pl_positions positions);

/* Are all coordinates finite? The view must be legal otherwise. One pass at the speed of memory. */
bool positions_finite(pl_positions positions);

/* Vertex `v` of a view in double. */
void positions_get(pl_positions positions, size_t v, double out[3]);

/* Edge adjacency of triangles as a compressed list: the triangles that share an edge with t are
 * list[first[t]] .. list[first[t + 1]], each once, ascending. */
typedef struct adjacency {
  uint32_t *first; /* triangle_count + 1 */
  uint32_t *list;
} adjacency;

pl_status adjacency_create(pl_context *context, const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                           adjacency *out);
void adjacency_free(pl_context *context, adjacency *a);

#endif
