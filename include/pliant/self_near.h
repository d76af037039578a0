/* How near a body comes to itself: pairs of its triangles, vertices, faces and edges within a
 * margin, and the least distance; without what is near only because the surface joins it.
 *
 * Two features of a body (triangles, vertices, edges) are `rings` rings apart or more if every way
 * along edges from a vertex of one to a vertex of the other has at least `rings` edges. 1: they
 * share no vertex; 2: nor does an edge join a vertex of one to a vertex of the other; and so on.
 * Features that no way joins are always apart. Ways are along the edges of all triangles, by vertex
 * indices: vertices with different indices at equal positions are different vertices, so
 * pl_mesh_weld() the mesh first, or triangles at a seam are pairs. */
#ifndef PLIANT_SELF_NEAR_H
#define PLIANT_SELF_NEAR_H

#include "near.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_self_near_def {
  size_t struct_size;
  uint32_t rings;        /* least number of rings between two triangles; 1 or more, default 1 */
  bool sorted;           /* as in pl_near_def */
  pl_pair_filter filter; /* NULL: all pairs; otherwise called with a < b */
  void *user;            /* passed to the filter */
} pl_self_near_def;

static inline pl_self_near_def pl_self_near_def_default(void)
{
  pl_self_near_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  return def;
}

/* Reports all pairs of triangles of the body that are at most `margin` apart and `rings` rings
 * apart or more: each pair once, with a < b.
 *   margin  0 or more; 0: only triangles that touch
 *   def     NULL: defaults
 *   out     owned by the context, valid until the calling thread's next query in it
 * Fails with PL_ERROR_ARGUMENT if the margin is not a number of 0 or more, or rings is 0. The pairs
 * are the same for every tree, strategy, number of threads and instruction set, and so are their
 * bytes if they are sorted.
 * Cost: one pass over the triangles, the triangles of patches that are not proven to keep clear of
 * themselves by the margin (docs/self-collision.md), and the pairs that are found. From 2 rings on, each triangle of the walk also visits the vertices within rings - 1 edges
 * around it, and the first call for a body takes O(triangles) time and memory to list its edges. */
PL_API pl_status pl_body_self_near(pl_body *body, double margin, const pl_self_near_def *def,
                                   const pl_near_pairs **out);

typedef struct pl_self_feature_def {
  size_t struct_size;
  uint32_t rings;        /* least number of rings between two features; 1 or more, default 1 */
  bool vertex_face;      /* default true */
  bool edge_edge;        /* default true */
  bool sorted;           /* as in pl_feature_def */
  pl_pair_filter filter; /* NULL: all; otherwise called with (triangle_a, triangle_b) */
  void *user;            /* passed to the filter */
} pl_self_feature_def;

static inline pl_self_feature_def pl_self_feature_def_default(void)
{
  pl_self_feature_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  def.vertex_face = true;
  def.edge_edge = true;
  return def;
}

/* Reports every vertex and face, and every two edges, of the body that are at most `margin` apart
 * and `rings` rings apart or more: each once, however many triangles share a vertex or an edge.
 * Rings count between the vertex and the face, or the two edges: the triangles that own them may
 * share a vertex. triangle_a is less than triangle_b; a vertex with its face is VERTEX_FACE if the
 * vertex's triangle is triangle_a and FACE_VERTEX otherwise.
 * Everything else is as for pl_body_near_features() and pl_body_self_near(). */
PL_API pl_status pl_body_self_near_features(pl_body *body, double margin,
                                            const pl_self_feature_def *def,
                                            const pl_feature_pairs **out);

typedef struct pl_self_distance_def {
  size_t struct_size;
  uint32_t rings; /* least number of rings between two triangles; 1 or more, default 1 */
  /* As in pl_distance_def. The filter is called with a < b. */
  double relative, absolute;
  double limit;
  bool any;
  pl_pair_filter filter;
  void *user;
  uint64_t budget_tests;
  double budget_ms;
} pl_self_distance_def;

static inline pl_self_distance_def pl_self_distance_def_default(void)
{
  pl_self_distance_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  def.limit = INFINITY;
  return def;
}

/* Reports the least distance between two triangles of the body that are `rings` rings apart or
 * more, with triangle_a < triangle_b; of equal pairs the one with the least triangle_a, then the
 * least triangle_b. If the body has no such pair the distance is infinite.
 *   def  NULL: defaults
 * Fails as pl_body_distance() does, and with PL_ERROR_ARGUMENT if rings is 0.
 * Cost: as pl_body_self_near() with the least distance as margin. */
PL_API pl_status pl_body_self_distance_sized(pl_body *body, const pl_self_distance_def *def,
                                             pl_distance *out, size_t out_size);
static inline pl_status pl_body_self_distance(pl_body *body, const pl_self_distance_def *def,
                                              pl_distance *out)
{
  return pl_body_self_distance_sized(body, def, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
