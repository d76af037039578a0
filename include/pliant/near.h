/* Distances between triangles and features: all pairs within a margin, and the least distance.
 * Volumes are refitted only where the search goes. question.h explains options and results. */
#ifndef PLIANT_NEAR_H
#define PLIANT_NEAR_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------ within a margin -- */

/* Two features that are near each other.
 *
 * The nearest points are weighted sums of vertices, for every kind:
 *   point_a = sum of weight_a[i] * position(vertex_a[i]), i = 0, 1, 2; point_b likewise.
 * A face has its three corners in their order, an edge two of them in the order of its triangle, a
 * vertex one. Unused entries repeat the last vertex with weight 0. Weights are from 0 to 1 and add
 * up to 1, rounded. A weight of 0 means that the nearest point is at the boundary of the feature.
 *
 * Unit normal from b to a; moving a along it separates the features. Where they touch, it is the
 * normal of the face, (p1 - p0) x (p2 - p0), for a face of b and its opposite for a face of a; for
 * two edges it is the cross product of both, turned to the side to which the normal of triangle_b
 * points. If the face has no area or the edges are parallel, it is 0.
 *
 * The distance is correct to 4 units in the last place, exactly 0 if the features touch, and the
 * components of the normal to 2^-50. */
typedef struct pl_feature_pair {
  pl_feature kind;
  /* The face; of a vertex or an edge, the triangle with the least index that has it. Within one
   * body triangle_a < triangle_b. */
  uint32_t triangle_a, triangle_b;
  uint32_t vertex_a[3], vertex_b[3]; /* the caller's indices */
  uint32_t multiplicity; /* how many pairs this one stands for: 1, or see pl_measure() */
  double distance;
  double weight_a[3], weight_b[3];
  double normal[3];
} pl_feature_pair;

/* Two triangles that are near each other; within one body a < b. */
typedef struct pl_near_pair {
  uint32_t a, b; /* the caller's indices */
  double distance;
  double point_a[3], point_b[3];
} pl_near_pair;

/* Reports every vertex and face, and every two edges, that are at most `margin` apart: each pair
 * once, however many triangles share a vertex or an edge. Features are closed: the nearest point
 * may be at the boundary of a face or the end of an edge. Vertices that no triangle uses are left
 * out; vertices with different indices at equal positions are different vertices. Within one body,
 * rings count between the vertex and the face, or the two edges: the triangles that own them may
 * share a vertex. A vertex with its face is VERTEX_FACE if the vertex's triangle is triangle_a, and
 * FACE_VERTEX otherwise.
 *   sorted  true: by triangle_a, then triangle_b. Features of the same two triangles are always
 *           together, by kind and corner
 *   out     features; counters.n_p: pairs of triangles that were measured
 * Fails with PL_ERROR_ARGUMENT if the margin is negative or NaN, or rings is 0. Sorted rows have
 * the same bytes for every tree, strategy, number of threads and instruction set.
 * Cost: the pairs that are near, and O(triangles) at the first call for a body, to number its
 * edges. Within one body: one pass over the triangles, and the patches that are not proven to keep
 * clear of themselves by the margin (docs/self-collision.md). */
PL_API pl_status pl_near(pl_who who, const pl_question *how, const pl_result **out);

/* Reports all pairs of triangles that are at most `margin` apart; within one body those that are
 * `rings` edges apart or more. Fails as pl_near() does.
 *   out  near_pairs
 * Cost: what is near. From 2 rings on, each triangle of a walk within one body also visits the
 * vertices within rings - 1 edges around it. */
PL_API pl_status pl_near_triangles(pl_who who, const pl_question *how, const pl_result **out);

/* ------------------------------------------------------------------------- least distance -- */

/* The least distance of two bodies, or within one.
 *
 * The distance of two triangles is correct to 4 units in the last place for all finite coordinates,
 * and exactly 0 if they touch; both points are then the same. The row is the pair with the least
 * distance; of equal pairs the one with the least triangle_a, then the least triangle_b. It has the
 * same bytes for every tree, strategy, number of threads and instruction set if tolerances are 0,
 * `first` is false and no budget ends the search.
 *
 * Cost of ties: the search visits every pair at the least distance; of touching pairs it
 * compares the indices first. Touching bodies thus cost about as many volume tests as
 * pl_touching(); with a tolerance above 0, and with `first`, the search ends at the first
 * touching pair. If m triangles of a share one of the nearest points and n of b the other, there
 * are m * n such pairs. */
typedef struct pl_distance {
  /* NULL: there is no pair of bodies, or none within the margin. Equal within one body. */
  pl_body *a, *b;
  /* Infinite: no pair is within the margin, the filter left out all, or the budget was too
   * small. */
  double distance;
  /* Lower bound of the true distance, whatever ended the search; the margin if no pair is within
   * it. */
  double lower;
  double point_a[3], point_b[3];   /* the nearest points; 0 if there is no pair */
  uint32_t triangle_a, triangle_b; /* the caller's indices; UINT32_MAX if there is no pair */
} pl_distance;

/* Reports the least distance between triangles. Distances are between surfaces: a body inside
 * another has a distance to it.
 *   relative, absolute  tolerances: the reported distance is at most
 *                       (1 + relative) * distance + absolute; 0 and 0, the default: exact
 *   out                 distances: one, the least of all; ties go to the bodies that were added
 *                       first. With `each`, one for every pair of bodies within the margin, in the
 *                       order of groups. partial: a budget ended the search; true distances may be
 *                       smaller, down to `lower`
 * Fails with PL_ERROR_ARGUMENT if a number is negative or NaN, or rings is 0.
 *
 * A tolerance makes the search much faster if large faces are parallel but not along an axis,
 * because very many pairs then differ in the last digits only: the search ends once a plane between
 * the bodies proves the tolerance. This needs a tolerance above the rounding of the coordinates
 * (1e-5 of the distance for floats 1 from the origin and 0.05 apart), and no part of a body may
 * reach through that plane.
 *
 * The search uses the volumes of the bodies if both have the same kind, otherwise boxes; this
 * changes no row. It starts from the last result for the same bodies. Pairs of bodies of a scene
 * that have not moved are not searched again, unless there is a filter, a tolerance, a budget or
 * `first`. It uses all threads and makes the same tests for any number of them; only a budget of
 * time can change rows from run to run. With `first` it runs in the calling thread alone. */
PL_API pl_status pl_nearest(pl_who who, const pl_question *how, const pl_result **out);

#ifdef __cplusplus
}
#endif
#endif
