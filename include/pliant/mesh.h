/* Triangle meshes: how to describe one, how to check it, and its connectivity. */
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's description of a mesh. It owns nothing, and the library keeps no pointer to it
 * after a call. Segments (rods, hair, cables) and points (particles, sand) stand beside triangles.
 * Where results name a triangle, they name segment s as triangle_count + s, and point p as
 * triangle_count + segment_count + p. They are the triangles (i, j, j) and (i, i, i), which may
 * also stand among the triangles; pl_body_triangle_count() counts all. Legal: non-manifold edges,
 * duplicate and degenerate triangles, isolated vertices, triangle soups. Refused: nothing of the
 * three, an index out of range, a position that is not finite. */
typedef struct pl_mesh_def {
  size_t struct_size;
  pl_positions positions;
  const uint32_t *triangles; /* 3 vertex indices each */
  size_t triangle_count;     /* 0 .. 2^30, as are the next two and their sum */
  const uint32_t *segments;  /* 2 vertex indices each; NULL: none */
  size_t segment_count;
  const uint32_t *points; /* a vertex index each; NULL: none */
  size_t point_count;
} pl_mesh_def;

static inline pl_mesh_def pl_mesh_def_default(void)
{
  pl_mesh_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Checks a mesh. Returns PL_OK, or a status for the first fault; the message names the vertex,
 * triangle, segment or point. */
PL_API pl_status pl_mesh_check(pl_context *context, const pl_mesh_def *def);

/* The connectivity of a mesh. It has its own copy of the triangles, and no positions. Segments and
 * points have the indices that results have. */
typedef struct pl_mesh pl_mesh;

PL_API pl_status pl_mesh_create(pl_context *context, const pl_mesh_def *def, pl_mesh **out);
PL_API void pl_mesh_destroy(pl_mesh *mesh);

/* Lists the triangles that use a vertex (its fan), by ascending index, not in order around the
 * vertex, and returns their number: 0 for an isolated vertex or a wrong index.
 *   out  the list, owned by the mesh; NULL on return if it is empty. NULL: only count */
PL_API size_t pl_mesh_vertex_triangles(const pl_mesh *mesh, uint32_t vertex, const uint32_t **out);

/* Lists the other triangles at edge 0, 1 or 2 of a triangle, as above; edge e joins corners e and
 * e + 1. A manifold edge has one, a boundary edge none, a non-manifold edge several. They are in
 * cyclic order: by ascending index from the triangle's own, then from the lowest. */
PL_API size_t pl_mesh_edge_triangles(const pl_mesh *mesh, uint32_t triangle, int edge,
                                     const uint32_t **out);

/* Counts and box of a mesh, as `pliant info` prints them. An edge is an unordered pair of different
 * vertex indices of a triangle. */
typedef struct pl_mesh_info {
  size_t vertices, triangles, edges;
  size_t isolated_vertices;    /* used by no triangle, segment or point */
  size_t boundary_edges;       /* with one triangle */
  size_t nonmanifold_edges;    /* with more than two */
  size_t misoriented_edges;    /* with two triangles that run along it in the same direction */
  size_t degenerate_triangles; /* exactly zero area in the given pose; also repeated indices */
  size_t duplicate_triangles;  /* same three vertices as an earlier one */
  size_t components;           /* connected by shared vertices */
  double box[2][3];            /* least and greatest coordinates of the vertices that are used */
  size_t segments, points;     /* beside the triangles */
} pl_mesh_info;

PL_API pl_status pl_mesh_get_info_sized(pl_context *context, const pl_mesh_def *def,
                                        pl_mesh_info *out, size_t out_size);
static inline pl_status pl_mesh_get_info(pl_context *context, const pl_mesh_def *def,
                                         pl_mesh_info *out)
{
  return pl_mesh_get_info_sized(context, def, out, sizeof *out);
}

/* What must be equal, besides positions, for vertices to be welded. */
typedef struct pl_weld_def {
  size_t struct_size;
  /* Further positions of the same vertices: references or deltas of a morph, frames of a
   * sequence. */
  const pl_positions *poses;
  size_t pose_count;
  /* Weights of the vertices (motions.h), compared entry by entry. The governor of a weight of 0
   * does not count. NULL: none. */
  const struct pl_weights *weights;
  const uint32_t *labels; /* a number per vertex, with any meaning; NULL: none */
} pl_weld_def;

static inline pl_weld_def pl_weld_def_default(void)
{
  pl_weld_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Joins vertices that are one point in every pose, such as those that files split at seams, by
 * rewriting the triangles. Positions are equal if all three coordinates are equal numbers (0 and
 * -0 are equal); there is no tolerance. With the weights or references of its motion in `def`, a
 * body with the new triangles looks the same in every pose. See "Welding" in docs/policy.md.
 *   def        NULL: the positions of the mesh alone decide
 *   triangles  gets 3 * triangle_count indices: for each corner the lowest index among the
 *              vertices that were joined. No triangle and no vertex is removed or renumbered, so
 *              a triangle keeps its index; one with two corners at the same position then names
 *              a vertex twice. May be mesh->triangles itself; NULL: not wanted. Segments and points
 *              are for the caller to rename, by `map`
 *   map        gets for each vertex the lowest index among those it was joined with; NULL: not
 *              wanted. Passed as labels of the next call, it welds over frames that are not in
 *              memory at once. May be def->labels itself
 * Fails like pl_mesh_check(), and with PL_ERROR_MISMATCH if a pose or the weights have another
 * number of vertices. Nothing is written on failure. Cost: O(n + m) for n vertices and m
 * coordinates and weights. */
PL_API pl_status pl_mesh_weld(pl_context *context, const pl_mesh_def *mesh, const pl_weld_def *def,
                              uint32_t *triangles, uint32_t *map);

#ifdef __cplusplus
}
#endif
#endif
