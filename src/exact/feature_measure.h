/* The distance of two features of any kinds, with the weights of their corners and the normal:
 * feature_distance.h, and vertices against vertices and edges. No trees here. */
#ifndef EXACT_FEATURE_MEASURE_H
#define EXACT_FEATURE_MEASURE_H

#include "exact/feature_distance.h"

/* A feature: a vertex, an edge or a face. */
typedef struct feature {
  int corners;         /* 1, 2, 3 */
  double corner[3][3]; /* the last is repeated */
} feature;

/* One of the two is a vertex, or both are edges. Weights are those of the corners, correct to
 * 2^-44 unless the features are parallel, or slivers, to within 2^-20. `big`: in integers,
 * without filters; weights may then differ by roundings. Returns the distance. */
double feature_measure(const feature *a, const feature *b, bool big, nearest_detail *out);

/* The same for four pairs at a time, in kernels: either vertices with edges and faces, or edges
 * with edges; the first has no more corners than the second. */
typedef struct feature_lanes {
  feature a[4], b[4];
  double distance[4]; /* infinite where it is beyond a reach: `detail` is then undefined */
  nearest_detail detail[4];
} feature_lanes;

/* The weights of a distance that was found by search and proof: those of repeated corners are
 * added to the last one, then all are solved for again. */
void feature_refine(const feature *a, const feature *b, double distance, nearest_detail *out);

/* Turns the result of b against a into that of a against b. */
void feature_turn(nearest_detail *out);

#endif
