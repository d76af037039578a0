/* What contact response starts from: vertices near faces and edges near edges, each pair once, with
 * weights, distance and unit normal; and near pairs of all bodies of a scene. */
#ifndef PLIANT_NEAR_H
#define PLIANT_NEAR_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------ feature pairs -- */

/* Which feature of a is near which feature of b. */
typedef enum pl_feature {
  PL_FEATURE_VERTEX_FACE = 0, /* a vertex of a, a face of b */
  PL_FEATURE_FACE_VERTEX = 1, /* a face of a, a vertex of b */
  PL_FEATURE_EDGE_EDGE = 2,   /* an edge of a, an edge of b */
  PL_FEATURE_COUNT = 3
} pl_feature;

/* Two features that are near each other.
 *
 * The nearest points are weighted sums of vertices, for every kind alike:
 *   point_a = sum of weight_a[i] * position(vertex_a[i]), i = 0, 1, 2, and the same for b.
 * A face has its three corners in their order, an edge two of them in the order of its triangle, a
 * vertex one; the places that are left repeat the last vertex with weight 0. Weights are from 0 to
 * 1 and add up to 1, rounded. A weight of 0 means that the nearest point is at the boundary of the
 * feature.
 *
 * The normal has length 1 and points from b to a: the way in which a leaves b. Where the features
 * touch, it is the normal of the face, (p1 - p0) x (p2 - p0), for a face of b and its opposite for
 * a face of a; for two edges it is the cross product of both, turned to the side to which the
 * normal of triangle_b points. If the face has no area or the edges are parallel, it is 0.
 *
 * The distance is correct to 4 units in the last place, exactly 0 if the features touch, and the
 * components of the normal to 2^-50. */
typedef struct pl_feature_pair {
  pl_feature kind;
  /* The face; of a vertex or an edge, the triangle with the least index that has it. */
  uint32_t triangle_a, triangle_b;
  uint32_t vertex_a[3], vertex_b[3]; /* the caller's indices */
  double distance;
  double weight_a[3], weight_b[3];
  double normal[3];
} pl_feature_pair;

typedef struct pl_feature_def {
  size_t struct_size;
  bool vertex_face; /* vertices against faces, in both directions; default true */
  bool edge_edge;   /* default true */
  /* true: by triangle_a, then triangle_b; false: in the order of the walk, which depends on the
   * trees. Pairs of the same two triangles stand together, by kind and corner, in both. */
  bool sorted;
  pl_pair_filter filter;            /* NULL: all; otherwise called with (triangle_a, triangle_b) */
  void *user;                       /* passed to the filter */
  pl_contact_filter contact_filter; /* scenes, in place of `filter`; NULL: all pairs */
} pl_feature_def;

static inline pl_feature_def pl_feature_def_default(void)
{
  pl_feature_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.vertex_face = true;
  def.edge_edge = true;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. n_p counts the pairs of triangles that were looked at. */
typedef struct pl_feature_pairs {
  const pl_feature_pair *pairs;
  size_t count;
  pl_counters counters;
} pl_feature_pairs;

/* Reports every vertex of one body and face of the other, and every two edges, that are at most
 * `margin` apart: each once, however many triangles share a vertex or an edge. Features are closed:
 * the nearest point may be at the boundary of a face or the end of an edge. An edge joins two
 * vertices with different indices that a triangle joins; vertices that no triangle uses are left
 * out. Vertices at equal positions with different indices are different vertices.
 *   margin  0 or more; 0: only features that touch
 *   def     NULL: defaults
 * The pairs are the same for every tree, strategy, number of threads and instruction set, and so
 * are their bytes. Cost: O(triangles) at the first call for a body, to number its edges. */
PL_API pl_status pl_body_near_features(pl_body *a, pl_body *b, double margin,
                                       const pl_feature_def *def, const pl_feature_pairs **out);

/* ------------------------------------------------------------------------------- scenes -- */

/* Near pairs of the bodies of a scene. The context owns the result; it is valid until the calling
 * thread's next query in the context. */
typedef struct pl_scene_near_pairs {
  const pl_near_pair *pairs; /* by body pair in the order of adding, then as for two bodies */
  size_t count;
  const pl_contact_group *groups; /* bodies of pairs [begin, end); only body pairs that have some */
  size_t group_count;
  size_t
      body_pairs; /* pairs of bodies whose boxes are within the margin; with itself not counted */
  pl_counters counters;
  /* Of body_pairs: pairs whose bodies have not moved since the last query with the same margin and
   * options. They are not searched again. */
  size_t kept_pairs;
} pl_scene_near_pairs;

/* Reports all pairs of triangles of two bodies of the scene that are at most `margin` apart, for
 * all pairs of bodies whose groups and masks let them be tested; and those within one body for
 * members with `self_rings`, before the body's pairs with bodies that were added later.
 *   def  NULL: defaults; as for two bodies, with `contact_filter` in place of `filter`, which would
 *        not see the bodies
 * Fails with PL_ERROR_UNSUPPORTED if def has a filter. */
PL_API pl_status pl_scene_near(pl_scene *scene, double margin, const pl_near_def *def,
                               const pl_scene_near_pairs **out);

/* The same for features. */
typedef struct pl_scene_feature_pairs {
  const pl_feature_pair *pairs;
  size_t count;
  const pl_contact_group *groups;
  size_t group_count;
  size_t body_pairs;
  pl_counters counters;
  size_t kept_pairs;
} pl_scene_feature_pairs;

PL_API pl_status pl_scene_near_features(pl_scene *scene, double margin, const pl_feature_def *def,
                                        const pl_scene_feature_pairs **out);

#ifdef __cplusplus
}
#endif
#endif
