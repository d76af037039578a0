/* The least distance of two triangles and the nearest points, correct to a few units in the last
 * place for all finite coordinates, thin, flat and equal triangles included. No trees here. */
#ifndef EXACT_TRI_TRI_DISTANCE_H
#define EXACT_TRI_TRI_DISTANCE_H

#include <stdbool.h>

typedef struct closest {
  double distance;   /* 0 exactly if the triangles have a point in common */
  double a[3], b[3]; /* the points, rounded; the same if the distance is 0 */
} closest;

/* The relative error of a distance is below this: 4 units in the last place. */
#define DISTANCE_ERROR 0x1p-50

/* A triangle may be a segment or a point. Depends on the two triangles only. A distance beyond
 * the range of double is infinite. */
void tri_tri_distance(const double a[3][3], const double b[3][3], closest *out);

/* The same, unless a cheap test shows that the distance is above `reach`: it then returns false,
 * and *out is undefined. */
bool tri_tri_distance_within(const double a[3][3], const double b[3][3], double reach, closest *out);

/* The same for triangles whose distance the first attempt (num_search() and num_prove(), in
 * lanes) did not prove: it is not repeated. f: what the search found. */
struct features;
void tri_tri_distance_unproven(const double a[3][3], const double b[3][3], const struct features *f, closest *out);

/* The greatest gap between the triangles' boxes along an axis, rounded to nearest; below 0 if
 * they overlap. The distances above are never less than this, rounding included: so triangles
 * whose gap is at least a known distance are not nearer, even if all are equally near. */
double tri_tri_gap(const double a[3][3], const double b[3][3]);

/* Returns whether the distance is certainly above `reach`, measured along g, of any length, from
 * b to a. */
bool tri_tri_is_beyond(const double a[3][3], const double b[3][3], const double g[3], double reach);

/* The last stage alone, for tests: integers of any length. Only for triangles that have no point
 * in common. */
void tri_tri_distance_big(const double a[3][3], const double b[3][3], closest *out);

#endif
