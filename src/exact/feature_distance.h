/* The distance of a vertex from a face and of two edges, with weights and a unit normal: as
 * tri_tri_distance(), for all finite coordinates. No trees here. */
#ifndef EXACT_FEATURE_DISTANCE_H
#define EXACT_FEATURE_DISTANCE_H

#include "exact/tri_tri_distance.h"

/* Distances are right as those of triangles are. A nearest point is the weighted sum of the
 * feature's corners: weights are from 0 to 1, add up to 1 but for roundings, and are 0 beyond
 * the feature's corners. The normal points from b to a. Distance 0: the normal is that of the
 * face, (f1 - f0) x (f2 - f0), or u x v of two edges, of length 1; 0 if that product is 0. */
typedef struct nearest_detail {
  double weight_a[3], weight_b[3], normal[3];
} nearest_detail;

/* a is the vertex, b the face. Unless a cheap test shows that the distance is above `reach`:
 * false, and the results are undefined. */
bool vertex_face_distance(const double v[3], const double f[3][3], double reach, double *distance, nearest_detail *out);

/* Edges from corner 0 to corner 1. */
bool edge_edge_distance(const double u[2][3], const double v[2][3], double reach, double *distance,
                        nearest_detail *out);

/* Corners that repeat the last one of a vertex (1 corner) or an edge (2): their weights belong to
 * that one. */
void feature_fold(double weight[3], int corners_of);

/* For kernels, which search and prove in lanes. A vertex is a triangle with three equal corners,
 * an edge one whose second and third are equal. f: the features that the search found; at,
 * direction: of the proof. */
struct features;
void feature_set_proven(bool is_face, const struct features *f, const double at[2], const double direction[3],
                        double distance, nearest_detail *out);
/* Where the lanes gave no proof: it is not repeated. */
void feature_distance_unproven(bool is_face, const double a[3][3], const double b[3][3], const struct features *f,
                               double *distance, nearest_detail *out);

/* Internal: in integers. The distance of two triangles that have no point in common, and the
 * direction of u x v, of length 1 or 0. */
void nearest_detail_big(const double a[3][3], const double b[3][3], closest *out, nearest_detail *detail);
void nearest_cross(const double u[2][3], const double v[2][3], double out[3]);

#endif
