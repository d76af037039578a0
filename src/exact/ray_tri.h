/* Decides whether a ray meets a closed triangle, and where. Decided exactly on any finite
 * numbers. No trees here. */
#ifndef EXACT_RAY_TRI_H
#define EXACT_RAY_TRI_H

#include "pliant/probes.h"

typedef struct ray_point {
  double t; /* along the ray */
  /* the point is (1 - u - v) p0 + u p1 + v p2; both at least 0, their sum at most 1 up to a
   * rounding */
  double u, v;
} ray_point;

/* Both sides, edges and corners count; a triangle may be a segment or a point. A ray in the
 * triangle's plane hits it at the first common point. t is correct to 2 units in the last place
 * and is in [t_min, t_max]; u and v are correct to 2^-52, except if a ray starts within a
 * triangle in whose plane it lies: there they are interpolated at t_min in plain double. *out is
 * set only if there is a hit. */
bool ray_tri_meet(const pl_ray *ray, const double p[3][3], ray_point *out);

/* The same, but hits at t > most may be left out. */
bool ray_tri_meet_before(const pl_ray *ray, const double p[3][3], double most, ray_point *out);

/* The normal of a hit, (p1 - p0) x (p2 - p0): 0 exactly if the triangle has no area. If the
 * magnitudes of its components add up to less than 2^-900 or more than 2^1000, it is the exact
 * normal times the power of two for which the greatest component is in [1, 2], each component
 * rounded once. */
void ray_tri_normal(const double p[3][3], double n[3]);

/* The same in integers. fits: n is the floating-point result, which stays unless the triangle
 * has no area. */
void ray_tri_normal_big(const double p[3][3], bool fits, double n[3]);

/* The two stages, for tests. The first returns 1, 0 or SIGN_UNSURE of predicates.h; the second
 * always decides. */
int ray_tri_filter(const pl_ray *ray, const double p[3][3], double most, ray_point *out);
bool ray_tri_big(const pl_ray *ray, const double p[3][3], ray_point *out);

#endif
