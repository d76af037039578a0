/* Triangle meshes as pliant takes them, what is wrong with them, and who is whose neighbour. */
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh that the caller describes; nothing is owned, and nothing is kept after the call that takes it.
 * Legal: non-manifold edges, duplicate and degenerate triangles, isolated vertices, triangle soups.
 * Refused: no triangle, an index out of range, a position that is not finite. */
typedef struct pl_mesh_def {
  size_t struct_size;
  pl_positions positions;
  const uint32_t *triangles; /* 3 vertex indices each */
  size_t triangle_count;     /* 1 .. 2^30 */
} pl_mesh_def;

PL_API pl_mesh_def pl_mesh_def_default(void);

/* PL_OK, or what is wrong, with the offending vertex or triangle in the message. */
PL_API pl_status pl_mesh_check(pl_context *context, const pl_mesh_def *def);

/* The connectivity of a mesh: its own copy of the triangles, no positions. */
typedef struct pl_mesh pl_mesh;

PL_API pl_status pl_mesh_create(pl_context *context, const pl_mesh_def *def, pl_mesh **out);
PL_API void pl_mesh_destroy(pl_mesh *mesh);

/* Indices that belong to the mesh. */
typedef struct pl_indices {
  const uint32_t *data;
  size_t count;
} pl_indices;

/* The triangles that use a vertex (its fan), ascending, not ordered around it; empty for an isolated vertex or a wrong
 * index. */
PL_API pl_indices pl_mesh_vertex_triangles(const pl_mesh *mesh, uint32_t vertex);

/* The other triangles along edge 0, 1 or 2 of a triangle (corner e to corner e + 1): one on a manifold, none at a
 * boundary, more where the mesh is not manifold: then ascending from the triangle on, and around from the least. */
PL_API pl_indices pl_mesh_edge_triangles(const pl_mesh *mesh, uint32_t triangle, int edge);

/* What `pliant info` prints. An edge is an unordered pair of different vertex indices of a triangle. */
typedef struct pl_mesh_info {
  size_t vertices, triangles, edges;
  size_t isolated_vertices;    /* used by no triangle */
  size_t boundary_edges;       /* with one triangle */
  size_t nonmanifold_edges;    /* with more than two */
  size_t misoriented_edges;    /* two triangles that run along it in the same direction */
  size_t degenerate_triangles; /* of exactly zero area in the given pose, repeated indices included */
  size_t duplicate_triangles;  /* same three vertices as an earlier one */
  size_t components;           /* connected by shared vertices */
  double box[2][3];            /* least and greatest coordinates of the vertices that triangles use */
} pl_mesh_info;

PL_API pl_status pl_mesh_describe(pl_context *context, const pl_mesh_def *def, pl_mesh_info *out);

#ifdef __cplusplus
}
#endif
#endif
