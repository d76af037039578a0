/* Meshes: checks of the caller's input, and connectivity. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "core/context.h"
#include "pliant/mesh.h"

#include <string.h>

/* Returns PL_OK, or the status of the first error: definition, counts, stride, index out of
 * range, position not finite. */
pl_status mesh_check(pl_context *context, const pl_mesh_def *def);

/* Segments and points of a checked mesh become triangles with equal corners, behind its triangles.
 * *made: the caller's to free, or NULL if the mesh has none of them. */
pl_status mesh_merge(pl_context *context, const pl_mesh_def *def, pl_mesh_def *out, uint32_t **made);

/* The caller's mesh of any version, checked; context and def may be NULL, which is refused. */
pl_status mesh_take(pl_context *context, const pl_mesh_def *def, pl_mesh_def *out);

/* Definition, stride, alignment, type and finiteness of positions. A count of 0 is legal, with
 * or without data. */
pl_status positions_check(pl_context *context, pl_positions positions);
/* The same without a look at the numbers: for a place that positions are written to. */
pl_status positions_check_place(pl_context *context, pl_positions positions);
/* messages say point, not vertex */
pl_status positions_check_points(pl_context *context, pl_positions positions);

/* Returns whether all coordinates are finite. The view must be legal otherwise. One pass at the
 * speed of memory. */
bool positions_finite(pl_positions positions, isa set);

/* Double positions: is the largest magnitude of a coordinate in [2^-80, 2^100)? Then no
 * coordinate needs a check of its own. */
bool positions_are_ordinary(pl_positions positions);

/* The largest magnitude of a coordinate; 0 if there are none. */
double positions_size(pl_positions positions);

/* Pieces of a view that workers take one by one, so many that each is worth it. */
enum { POSITIONS_PIECE = 16384 }; /* vertices */
static inline int positions_pieces(pl_positions p) { return (int)((p.count + POSITIONS_PIECE - 1) / POSITIONS_PIECE); }
static inline pl_positions positions_piece(pl_positions p, int piece)
{
  size_t first = (size_t)piece * POSITIONS_PIECE, left = p.count - first;
  const char *data = (const char *)p.data + first * p.stride;
  return (pl_positions){data, left < POSITIONS_PIECE ? left : POSITIONS_PIECE, p.stride, p.type};
}

/* Vertex `v` of a view in double. */
void positions_get(pl_positions positions, size_t v, double out[3]);

static inline size_t scalar_size(pl_scalar type) { return type == PL_F32 ? sizeof(float) : sizeof(double); }

/* Writes a position, rounded to the type, to where it belongs. */
static inline void positions_put(pl_scalar type, void *to, const double at[3])
{
  const float rounded[3] = {(float)at[0], (float)at[1], (float)at[2]};
  if (type == PL_F32)
    memcpy(to, rounded, sizeof rounded);
  else
    memcpy(to, at, 3 * sizeof *at);
}

/* The edges of a mesh, numbered 0 .. count - 1 by their vertices: of[3 t + e] is the edge from
 * corner e to corner e + 1 of triangle t, or NO_EDGE where both are the same vertex. Triangles
 * with an edge in common are neighbours; they are not listed pair by pair, because an edge with
 * k triangles would take k^2 of them. */
typedef struct mesh_edges {
  uint32_t *of; /* 3 * triangle_count */
  uint32_t count;
} mesh_edges;

enum { NO_EDGE = UINT32_MAX };

/* O(triangles + vertices). *out is empty on failure. */
pl_status mesh_edges_create(pl_context *context, const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                            mesh_edges *out);
void mesh_edges_free(pl_context *context, mesh_edges *edges);

#endif
