/* Signs of orientation determinants, exact for all finite doubles: denormals, the largest, any
 * mixture. Each predicate tries three stages, each of which returns the correct sign or
 * SIGN_UNSURE; the last always decides.
 *   filter   double arithmetic with a proven error bound; undecided near zero and outside a safe
 *            range of magnitudes
 *   integer  128-bit integers, for coordinates that are integers of moderate size after scaling
 *            each axis by a power of two: grids, float data, most constructed contacts
 *   big      integers of any length that doubles can require
 * The stages are declared here so that each can be tested alone; callers use the functions that
 * end in _sign. The floating-point environment must be the default one: round to nearest,
 * gradual underflow. */
#ifndef EXACT_PREDICATES_H
#define EXACT_PREDICATES_H

#include <stdbool.h>

enum { SIGN_UNSURE = 2 };

/* The sign of det(b - a, c - a, d - a): 1 if d is on the side from which a, b, c are seen
 * counter-clockwise, 0 if the four points are in a plane. */
int orient3d_sign(const double a[3], const double b[3], const double c[3], const double d[3]);
int orient3d_filter(const double a[3], const double b[3], const double c[3], const double d[3]);
int orient3d_integer(const double a[3], const double b[3], const double c[3], const double d[3]);
int orient3d_big(const double a[3], const double b[3], const double c[3], const double d[3]);

/* signs[i] = orient3d_sign(t[0], t[1], t[2], p[i]): three at once, as the plane's normal is
 * shared. */
void orient3d_signs(const double t[3][3], const double p[3][3], int signs[3]);

/* The points without the coordinate `axis` (0, 1, 2), in the plane of the other two in cyclic
 * order: 1 if a, b, c turn counter-clockwise, 0 if they are on a line. It is the sign of
 * component `axis` of (b - a) x (c - a). */
int orient2d_sign(int axis, const double a[3], const double b[3], const double c[3]);
int orient2d_filter(int axis, const double a[3], const double b[3], const double c[3]);
int orient2d_integer(int axis, const double a[3], const double b[3], const double c[3]);
int orient2d_big(int axis, const double a[3], const double b[3], const double c[3]);

/* Returns an axis along which the projection of the three points is still a proper triangle, a
 * numerically stable one if there is a choice; -1 if the points are on a line. */
int proper_axis(const double a[3], const double b[3], const double c[3]);

/* Returns whether the three points are collinear. Equal points do. */
bool collinear3(const double a[3], const double b[3], const double c[3]);

/* Order by x, then y, then z: -1, 0, 1. Along a line it is the order of the points on it. */
int point_compare(const double a[3], const double b[3]);

#endif
