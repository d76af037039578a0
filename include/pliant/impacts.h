/* When moving triangles meet, and which come close enough to be candidates: between two poses
 * every vertex moves straight from its old to its new position, at constant speed. question.h
 * explains options and results. */
#ifndef PLIANT_IMPACTS_H
#define PLIANT_IMPACTS_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- single features -- */

/* Returns whether a moving vertex and a moving closed triangle have a point in common at some time
 * of [0, 1]; touching counts. Point i is at start[i] + t (end[i] - start[i]) at time t, in real
 * numbers: the decision is exact for all finite coordinates, and the triangle may be a segment or a
 * point at any time. Needs no context.
 *   start, end  the vertex, then the three corners of the triangle
 *   time        gets the first such time, rounded down to the largest double that is not after
 *               it. Set only if there is one. NULL is allowed.
 * Cost: 0.1 microseconds in most cases; 1 if there is a contact; 20 at most if only integers can
 * decide and the coordinates are of similar magnitude; bounded by 10 milliseconds if their
 * exponents span the whole range of double. */
PL_API bool pl_vertex_face_time(const double start[4][3], const double end[4][3], double *time);

/* Like pl_vertex_face_time(), for two moving closed edges.
 *   start, end  the ends of the first edge, then those of the second */
PL_API bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time);

/* --------------------------------------------------------------------------------- bodies -- */

/* Keeps the present pose of a body, of any motion, as the start of a step. Questions of this
 * header are about the motion from the kept pose to the present one, however it was set. A body
 * without a kept pose is at rest. This changes the body, like setting positions.
 * Fails with PL_ERROR_MEMORY or PL_ERROR_BUSY; the old kept pose then stays.
 * Cost: O(vertices), evaluated once; for governed bodies O(governors). */
PL_API pl_status pl_body_keep_pose(pl_body *body);

/* Forgets the kept pose: the body is at rest. */
PL_API pl_status pl_body_drop_pose(pl_body *body);

/* Sets how a body goes from its kept pose to its present one in pl_impacts(): on a screw instead of
 * straight. Every vertex turns evenly about the axis and, at the same time, moves straight by what
 * the turn leaves to its present position: along the axis, if the step is a screw. Its path begins
 * and ends exactly at its positions in both poses. This stays set for all steps. Any body may turn,
 * also one that deforms.
 *   axis   NULL: the shortest turn, of up to half a turn, that takes the body's kept transform to
 *          its present one. Of a skin the same for each bone; a vertex blends the turns of its
 *          bones by their weights. Scales and shears are left to the straight part
 *   point  a point on the axis; NULL: the origin
 *   angle  in radians, counter-clockwise as seen from where the axis points to; up to 4096, so
 *          also several turns. 0 with an axis: the body goes straight again
 * Fails with PL_ERROR_ARGUMENT if the axis has no direction or a number is out of range, and with
 * PL_ERROR_UNSUPPORTED if the axis is NULL and the body has neither a transform nor bones. */
PL_API pl_status pl_body_set_screw(pl_body *body, const double axis[3], const double point[3],
                                   double angle);

/* Two features that come into contact. */
typedef struct pl_impact {
  pl_body *a, *b; /* equal within one body */
  double time;    /* of the first contact, rounded down: in [0, 1], never late */
  pl_feature kind;
  /* The caller's indices: a vertex or a triangle, twice; or the two vertices of an edge, the lesser
   * first. */
  uint32_t feature_a[2], feature_b[2];
  /* Of the face, or perpendicular to both edges, at that time: a unit vector from b to a; a
   * approaches along its negative. 0 if the features have no direction there. In double, not
   * exact. */
  double normal[3];
  double point[3]; /* where they meet, in double */
} pl_impact;

/* -------------------------------------------------------------------------------- impacts -- */

/* Reports when bodies first meet between their kept poses and their present ones, or all their
 * contacts. Vertices of one body are tested against triangles of the other, and edges against
 * edges, exactly; vertices that belong to no triangle are left out. The result is the same for
 * every strategy, tree, number of threads and instruction set; only which of several contacts at
 * the very start comes first depends on the tree. Triangles that intersect at the start are in
 * contact only where such features meet; pl_touching() reports all of them.
 *   who     two bodies, one, or a scene. The box of a member with `loose` must hold from pose to
 *           pose
 *   all     true: every pair of features that is in contact during the step, each once, by the time
 *           of its first contact. false, the default: only the first of them
 *   margin  features within this distance are in contact; 0, the default: only those that touch.
 *           With a margin, times are still never late, but may be early: by as much as lets the
 *           distance be up to 1 + 2^-10 times the margin, and by one more rounding of the time.
 *           Features that stay farther apart are never in contact, for all finite numbers
 *   budget  the question then runs in the calling thread alone. partial: there may be other
 *           contacts, also earlier ones, but none before safe_step
 *   out     impacts by time; at equal times by bodies, kind and indices. Counters: n_p pairs of
 *           features that were decided exactly
 * Cost: O(vertices) to bound both poses, then what comes before the first contact. In a scene only
 * bodies that come near another one, or are tested against themselves, are evaluated. With a margin
 * below 1e-9 of their size, two features that come as near as that take integers: a millisecond, up
 * to 5 with a margin of 2^-100 of the greatest coordinate, 0.2 seconds with 2^-1000, and 3 seconds
 * over all of double. */
PL_API pl_status pl_impacts(pl_who who, const pl_question *how, const pl_result **out);

/* ----------------------------------------------------------------------------- candidates -- */

/* The three lists in the rows of a group, and the edges that they refer to. */
typedef struct pl_candidate_lists {
  size_t vertex_face; /* begin: a vertex of a and a triangle of b, up to face_vertex */
  size_t face_vertex; /* begin: a triangle of a and a vertex of b; none within one body */
  size_t edge_edge;   /* begin: numbers of edges, of a and of b; within one body the lesser first */
  size_t end;
  /* The edges of a and of b by number: the two vertices, the lesser first. Edges are numbered by
   * their greater vertex, then by the lesser. These tables are valid until the body's triangles or
   * settings change. */
  const uint32_t (*edges_a)[2], (*edges_b)[2];
  size_t edge_count_a, edge_count_b;
} pl_candidate_lists;

/* Reports every vertex and triangle, and every two edges, whose boxes along the axes overlap,
 * each pair once: the broad phase of continuous collision alone, for solvers that decide
 * contacts themselves. A feature's box contains its vertices in both poses: the kept one and the
 * present one. Boxes are closed, and compared exactly: on no axis is `low - high`, rounded to
 * double, greater than the margin. Features that come into contact between the poses are always
 * among them.
 *   who     two bodies, one, or a scene. The box of a member with `loose` must hold from pose to
 *           pose
 *   margin  also features whose boxes are at most this far apart; default 0
 *   sorted  each list of a group by its first number, then by its second
 *   out     candidates, and how each group is divided in lists
 * The rows are the same for every number of threads and instruction set; sorted ones also for every
 * tree and strategy.
 * Cost: O(vertices) to bound both poses, and a few nanoseconds for each pair. */
PL_API pl_status pl_candidates(pl_who who, const pl_question *how, const pl_result **out);

/* ------------------------------------------------------------------------------ free steps -- */

/* A body that steps, and where its positions are written. */
typedef struct pl_step_body {
  pl_body *body;   /* created by pl_body_create_free(), with a kept pose and without a transform */
  void *positions; /* its vertices, in order */
  size_t stride;   /* bytes from vertex to vertex; 0: packed */
  pl_scalar type;  /* of `positions`: the step is free for numbers of this type */
} pl_step_body;

/* Moves bodies from their kept poses towards their present ones until just before anything meets,
 * and writes positions that are proven to be free: between the kept pose and the written numbers
 * no two features meet, so nothing intersects at the end and nothing has passed through.
 *   who     two bodies, one body against itself, or a scene
 *   bodies  those that step. Others of `who` move to their present poses, whatever the step is
 *   out     safe_step: the part of the step that was taken, a float if some body writes floats.
 *           Every coordinate is x + safe_step * (p - x), where x is the kept and p the present
 *           position: one difference, one product and one sum, each rounded to the type of the
 *           body's positions, so a caller that computes it gets the same numbers. 0: the bodies do
 *           not move. time: of the first contact in real numbers
 * The written positions become the present ones of the bodies; the kept poses stay. Features that
 * touch at the start give a step of 0. So does a body that does not step and moves into one that
 * does: nothing is proven then.
 * Fails with PL_ERROR_UNSUPPORTED for bodies that do not move freely or have no kept pose, with
 * PL_ERROR_MISMATCH for a body that is not asked, and with PL_ERROR_ARGUMENT for a float step from
 * or to positions that are not floats. Nothing changes on failure.
 * Cost: two first contacts, and one more for each try that was not free. */
PL_API pl_status pl_free_step(pl_who who, const pl_step_body *bodies, size_t count,
                              const pl_question *how, const pl_result **out);

#ifdef __cplusplus
}
#endif
#endif
