/* Does a ray meet a closed triangle, and where? Decided exactly on any finite numbers. No trees here. */
#ifndef EXACT_RAY_TRI_H
#define EXACT_RAY_TRI_H

#include "pliant/rays.h"

typedef struct ray_point {
  double t;    /* along the ray */
  double u, v; /* the point is (1 - u - v) p0 + u p1 + v p2; both at least 0, their sum at most 1 up to a rounding */
} ray_point;

/* Both sides, edges and corners count; a triangle may be a segment or a point. Of a ray that lies in the triangle's plane, the first
 * common point. t is right to 2 units in the last place and lies in [t_min, t_max]; u and v are right to 2^-52, except where a ray
 * starts within a triangle in whose plane it lies: there, to what t_min leaves of them. *out only if there is a hit. */
bool ray_tri_meet(const pl_ray *ray, const double p[3][3], ray_point *out);

/* The same, but hits at t > most may be left out. */
bool ray_tri_meet_before(const pl_ray *ray, const double p[3][3], double most, ray_point *out);

/* The normal of a hit, (p1 - p0) x (p2 - p0): 0 exactly if the triangle has no area. Where the magnitudes of its components add up to
 * less than 2^-900 or more than 2^1000, it is the exact one times the power of two that brings the greatest component to [1, 2], each
 * rounded once. */
void ray_tri_normal(const double p[3][3], double n[3]);

/* The same in integers. fits: n is what floating point makes of it, and stays unless the triangle has no area. */
void ray_tri_normal_big(const double p[3][3], bool fits, double n[3]);

/* The two stages, to be tested alone. The first answers 1 or 0, or SIGN_UNSURE of predicates.h; the second always. */
int ray_tri_filter(const pl_ray *ray, const double p[3][3], double most, ray_point *out);
bool ray_tri_big(const pl_ray *ray, const double p[3][3], ray_point *out);

#endif
