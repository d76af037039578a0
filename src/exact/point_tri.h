/* A point and a triangle: their distance, whether the point is in the triangle, and whether a
 * ray along an axis from the point crosses it. Correct for all finite coordinates. No trees
 * here. */
#ifndef EXACT_POINT_TRI_H
#define EXACT_POINT_TRI_H

#include <stdbool.h>

typedef struct point_nearest {
  /* 0 exactly if the point is in the triangle; relative error below DISTANCE_ERROR */
  double distance;
  double at[3]; /* the nearest point, rounded */
  double u, v;  /* at is about (1 - u - v) t0 + u t1 + v t2 */
} point_nearest;

/* The triangle may be a segment or a point. Depends on the four points only. */
void point_tri_distance(const double p[3], const double t[3][3], point_nearest *out);

/* Returns whether the point is in the closed triangle. */
bool point_tri_touch(const double p[3], const double t[3][3]);

/* How the open ray from p' along axis `axis` (0, 1, 2) in direction `way` (1, -1) crosses the
 * triangle: 1 where it leaves through the side from which the corners are seen
 * counter-clockwise, -1 where it enters there, 0 where it does not cross. p' is p moved by e,
 * e^2 and e^3 along the axes axis + 1, axis + 2 and axis, e positive and as small as need be: so
 * it is on no plane, above no edge, and over a closed surface the sum over all triangles is
 * the winding number of p', which is that of p if p is in none of them. */
int point_tri_crossing(const double p[3], const double t[3][3], int axis, int way);

/* The solid angle of the triangle (a, b, far), divided by 4 pi, as seen from p: far is
 * infinitely far away along `axis` in direction `way`. *sure is set to a number from 0 to 1 that
 * the error of the result is inversely proportional to: it is below 2^-48 / *sure. */
double point_edge_angle(const double p[3], const double a[3], const double b[3], int axis, int way, double *sure);

/* The solid angle of a triangle divided by 4 pi, positive where its corners are seen clockwise
 * from p: in double. */
double point_tri_angle(const double p[3], const double t[3][3]);

#endif
