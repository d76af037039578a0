/* When moving triangles first meet: between two poses every vertex goes straight from its old to its
 * new position, at constant speed. */
#ifndef PLIANT_IMPACT_H
#define PLIANT_IMPACT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- single features -- */

/* Returns whether a moving vertex and a moving closed triangle have a point in common at some time
 * of [0, 1]; touching counts. Point i is at start[i] + t (end[i] - start[i]) at time t, in real
 * numbers: the decision is exact for all finite coordinates, and the triangle may be a segment or a
 * point at any time. Needs no context.
 *   start, end  the vertex, then the three corners of the triangle
 *   time        the first such time, rounded down: the greatest double that is not after it. Set
 *               only if there is one. NULL is allowed.
 * Cost: 0.1 microseconds in most cases; 1 if there is a contact; 20 at most if only integers can
 * decide and the coordinates are of similar magnitude; bounded by 10 milliseconds if their exponents
 * span the whole range of double. */
PL_API bool pl_vertex_face_time(const double start[4][3], const double end[4][3], double *time);

/* The same for two moving closed edges.
 *   start, end  the ends of the first edge, then those of the second */
PL_API bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time);

#ifdef __cplusplus
}
#endif
#endif
