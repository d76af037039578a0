/* A fixed ray and a triangle whose corners move linearly (exact/path.h): when does the ray
 * certainly hit it, when certainly not, and which of two is hit first? No trees here.
 *
 * With corners A, B, C relative to the ray's origin and its direction d, the side on which the
 * line passes an edge is the sign of d . (A x B), a polynomial of degree 2 of the parameter s.
 * The line meets the triangle where the three signs agree. The place of the hit is t = (A . n) /
 * (d . n) with the normal n: degrees 3 and 2, so that the order of two triangles is the sign of
 * a polynomial of degree 5.
 *
 * All polynomials are computed in double, in Bernstein form, with a bound of their error. The
 * bound covers the roundings here and those of positions: real paths are rounded to doubles
 * before a ray is cast (path_value()). A sign counts only beyond the bound; so "certain" is what
 * ray_tri_meet() decides on the rounded positions at every parameter of the interval, whatever
 * the rounding. Nothing is decided where numbers are so large or small that products might leave
 * the range of double. */
#ifndef EXACT_RAY_PATH_H
#define EXACT_RAY_PATH_H

#include "pliant/probes.h"

typedef struct ray_path {
  double corner[3][3][2]; /* by corner and axis: relative to the origin, at s = 0 and s = 1 */
  double side[3][3];      /* of each edge: Bernstein coefficients */
  double along[3][2];     /* of each corner: times the direction, at s = 0 and s = 1 */
  double side_error, along_error;
  double length, width, error; /* no coordinate of a corner, of an edge is greater; their error */
} ray_path;

/* corner: of each, the two coefficients of x, of y, of z. */
void ray_path_make(const pl_ray *ray, const double *const corner[3], ray_path *out);

/* What is known about the hit in an interval of s. */
typedef enum ray_cover { RAY_MISSES, RAY_UNSURE, RAY_HITS } ray_cover;

ray_cover ray_path_cover(const pl_ray *ray, const ray_path *p, double from, double to);

/* Cuts the interval [from, to] into pieces with one result each, certain where that can be
 * proven: neighbours have different results. Returns their number; piece i ends where the next
 * begins. */
enum { RAY_PIECES = 14 };

typedef struct path_piece {
  double from, to;
  ray_cover cover;
} path_piece;

int ray_path_pieces(const pl_ray *ray, const ray_path *p, double from, double to, path_piece out[RAY_PIECES]);

/* A hit has t * (d . d) in [low, high], whatever s of [from, to]. */
void ray_path_range(const ray_path *p, double from, double to, double *low, double *high);

/* Returns whether every hit of x is before every hit of y, at each s of [from, to]. x must
 * certainly be hit there. false: not certain. */
bool ray_path_before(const pl_ray *ray, const ray_path *x, const ray_path *y, double from, double to);

#endif
