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

/* --------------------------------------------------------------------------- single features -- */

/* Returns the distance of two closed features, correct to 4 units in the last place for all finite
 * coordinates and exactly 0 if they touch. Needs no context.
 *   points    the corners of the first feature, then those of the second
 *   gradient  the derivative of the distance by each coordinate of each point; NULL is allowed.
 *             That of a point is its weight in the nearest point of its feature, times the unit
 *             vector between the nearest points, toward its own feature
 * Relative error of the gradient below 1e-12, unless edges are parallel or angles of the face are 0
 * to within 2^-20, or coordinates are beyond 1e100. Where several points are nearest (parallel
 * edges) it is that of one pair of them. Where the features touch there is no derivative: the unit
 * vector is that of pl_feature_pair.
 * Cost: 0.1 to 0.5 microseconds in most cases. */
PL_API double pl_vertex_vertex_distance(const double points[2][3], double gradient[2][3]);
PL_API double pl_vertex_edge_distance(const double points[3][3], double gradient[3][3]);
PL_API double pl_vertex_face_distance(const double points[4][3], double gradient[4][3]);
PL_API double pl_edge_edge_distance(const double points[4][3], double gradient[4][3]);

/* ----------------------------------------------------------------------------- kept features -- */

/* Measures features that the caller keeps, at the present positions, without a search: distance,
 * nearest points and normal of each, as pl_near() reports them, and the part of each feature that
 * holds the nearest point.
 *
 * The kind of a row is that of these parts: a vertex that is nearest to an edge of its face is
 * VERTEX_EDGE, two edges that are nearest at their ends are VERTEX_VERTEX. The vertices of a row
 * are the corners of the parts, with weights above 0; unused entries repeat the last one with
 * weight 0. The derivative of the distance by the position of vertex_a[i] is weight_a[i] * normal,
 * that by vertex_b[i] is -weight_b[i] * normal, as exact as those of single features above.
 *
 * Several pairs of features may have the same nearest parts: a vertex above an edge that two faces
 * share is near both, and near that edge once. Unless `each` is set, they are one row, the first of
 * them, and its `multiplicity` is the sum of theirs: energies that count each pair of features
 * count the row as often, those that count each contact once count it once. Within one body a
 * vertex and an edge are always VERTEX_EDGE, and of two vertices the lesser is vertex_a.
 *
 *   pl_question near = pl_question_default();      // once per step: all features within a margin
 *   near.margin = reach;
 *   near.holder = holder;                          // which keeps them
 *   const pl_result *kept, *contacts;
 *   pl_near(pl_self(cloth), &near, &kept);
 *   pl_question again = pl_question_default();
 *   again.given = kept;
 *   for (;;) {                                     // each iteration: no search
 *     pl_body_set_positions(cloth, ...);
 *     pl_measure(pl_self(cloth), &again, &contacts);
 *     for (size_t i = 0; i < contacts->count; ++i)
 *       push(&contacts->features[i]);              // distance, normal, weights: the gradient
 *   }
 *
 *   who        two bodies, one, or a scene: those that the features were found for
 *   how.given  features of pl_near() in a holder, or the caller's own. Read are `features` and
 *              `count`; of each row kind, vertices, triangles and multiplicity (0 counts as 1); and
 *              `groups`, which may be NULL unless a scene is asked. All kinds are allowed. Vertices
 *              need not be those of a triangle
 *   how.margin leaves out what is farther apart; usually infinite
 *   how.each   a row for each given pair: nothing is merged
 *   out        features, in the order in which they are given, in groups as there
 * The rows have the same bytes for every number of threads. docs/how-to/solver.md shows a whole
 * step.
 * Fails with PL_ERROR_ARGUMENT if a row names a vertex that its body does not have, or a group a
 * body that is not asked. Steady frames allocate nothing.
 * Cost: 0.2 to 0.5 microseconds per row, on all workers, and some 20 nanoseconds to merge. */
PL_API pl_status pl_measure(pl_who who, const pl_question *how, const pl_result **out);

/* ------------------------------------------------------------------------------ certificates -- */

/* A promise that nothing meets while no vertex moves too far. One near question gives every vertex
 * a radius: half of the least distance to anything it must not meet, at most half of the margin.
 * As long as every vertex is less than its radius away from where it was then, and goes straight
 * from one such place to the next, no two features meet and nothing passes through. So the moves of
 * many iterations need no search: they spend the certificate, and when it is spent it is renewed.
 *
 *   pl_certificate_renew(sure, pl_self(cloth), &near, &pairs);   // one search
 *   do {
 *     pl_body_set_positions(cloth, ...);                         // moves
 *     pl_certificate_spend(sure, &left);                         // O(vertices), no search
 *   } while (left.holds);
 *
 * The promise counts what the question counts: features with a common vertex are left out, as are
 * pairs that a filter or a scene leaves out, and within one body only members with `self` are
 * asked. Two features that touch at the renewal promise nothing: the radius of their vertices is 0.
 * The bodies must not be destroyed, and their triangles not be changed, before the next renewal.
 * One thread at a time may use a certificate. */
typedef struct pl_certificate pl_certificate;

/* How much of a certificate is spent. */
typedef struct pl_certificate_state {
  bool holds;    /* nothing has met, if the moves were straight and each of them was checked */
  double spent;  /* the greatest part of a radius that a vertex has moved by; below 1 if it holds */
  pl_body *body; /* the vertex that has; NULL: there is none */
  uint32_t vertex;
  size_t beyond;   /* vertices that have left their radius */
  size_t renewals; /* so far, */
  size_t checks;   /* and calls of pl_certificate_spend() */
} pl_certificate_state;

/* Creates a certificate that holds for nothing until it is renewed.
 *   out  NULL on failure
 * The context destroys it at the latest. */
PL_API pl_status pl_certificate_create(pl_context *context, pl_certificate **out);

/* Destroys a certificate. NULL is allowed. */
PL_API void pl_certificate_destroy(pl_certificate *certificate);

/* Asks pl_near() and takes radii from its result, rounded down.
 *   who   two bodies, one, or a scene
 *   how   as for pl_near(): its margin must be above 0, rings 1, and both kinds of features be
 *         asked. A larger margin allows longer moves and costs a longer search
 *   out   the features that were found, as pl_near() reports them. NULL is allowed
 * Fails as pl_near() does; the certificate then holds for nothing. */
PL_API pl_status pl_certificate_renew(pl_certificate *certificate, pl_who who,
                                      const pl_question *how, const pl_result **out);

/* Compares the present positions of the bodies with those of the renewal. A place that vertices go
 * through between two straight moves must be checked, too: the promise is for what was checked.
 * Cost: O(vertices), on all workers. */
PL_API pl_status pl_certificate_spend(pl_certificate *certificate, pl_certificate_state *out);

/* Returns the radius of each vertex of a body, and in *count their number; NULL if the certificate
 * does not cover the body. Valid until the next renewal. A solver that cuts each vertex's move to
 * 0.9 of its radius never leaves the certificate. */
PL_API const double *pl_certificate_radii(const pl_certificate *certificate, const pl_body *body,
                                          size_t *count);

/* Returns how far all vertices of two bodies may move before they can meet, or those of one body
 * (a == b) before it can meet itself: half of their least distance, at most half of the margin,
 * rounded down. 0: the certificate does not cover them, or they touch. */
PL_API double pl_certificate_displacement(const pl_certificate *certificate, const pl_body *a,
                                          const pl_body *b);

/* The same from a question of distances: both bodies may move by this much. */
static inline double pl_distance_displacement(const pl_distance *distance)
{
  return 0.5 * distance->lower * (1 - 0x1p-49);
}

/* Reports until when flight plans are free: up to *until every vertex with a plan stays within its
 * radius, whatever the paths of others. At most the end of the plan that ends first; bodies
 * without plans must stay within their radii. Less than the present time if the certificate is
 * spent already. Plans that change need another call.
 * Fails with PL_ERROR_UNSUPPORTED if no body has a plan.
 * Cost: O(vertices) per segment of the plans, and some 60 evaluations of vertices that leave. */
PL_API pl_status pl_certificate_until(pl_certificate *certificate, double *until);

#ifdef __cplusplus
}
#endif
#endif
