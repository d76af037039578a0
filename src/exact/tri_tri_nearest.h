/* Internal to the distance of triangles: two triangles, and their features that seem to be
 * nearest. In plain double, so only roughly correct: the callers prove it. */
#ifndef EXACT_TRI_TRI_NEAREST_H
#define EXACT_TRI_TRI_NEAREST_H

#include "exact/number.h"
#include "exact/tri_tri_distance.h"
#include "exact/tri_tri_features.h"
#include "exact/tri_tri_search.inl"
#include "math/vec3.h"

#include "exact/tri_tri_prove.inl"

#include <math.h>

typedef const double (*corners)[3];

static inline void minus(double r[3], const double x[3], const double y[3])
{
  for (int k = 0; k < 3; ++k) r[k] = x[k] - y[k];
}

static inline double clamp(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; } /* NaN stays */

static inline double greater(double x, double y) { return x > y ? x : y; }

static inline double lesser(double x, double y) { return x < y ? x : y; }

static inline int after(int i) { return i == 2 ? 0 : i + 1; }

typedef struct two {
  corners a, b;
  num_triangle in_a, in_b; /* the same */
} two;

static inline num3 num3_of(const double x[3]) { return (num3){x[0], x[1], x[2]}; }

num_triangle nearest_triangle(const double corner[3][3]);

/* The least of the 9 pairs of edges, clamped to their ends, and of one corner above each face. */
void nearest_search(const two *t, features *best);

/* Nearest points of edge i of a and edge j of b, as parts of the edges; returns the square of
 * their distance. */
double nearest_edges(const two *t, int i, int j, double *s_out, double *t_out);

/* Returns whether the distance is certainly above `reach`, measured in the direction between the
 * points of these features. */
bool nearest_is_beyond(const two *t, const features *f, double reach);

/* The distance if these features are the nearest, proven; else false. Then of others that are as
 * near; *used becomes what was proven. */
bool nearest_prove(const two *t, const features *f, num_proof *out);
bool nearest_prove_another(const two *t, const features *best, num_proof *out, features *used);

/* A point that two touching triangles have in common, rounded. */
void nearest_common_point(const double a[3][3], const double b[3][3], closest *out);

#endif
