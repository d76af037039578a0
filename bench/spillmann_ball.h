/* The smallest sphere around points, by E. Welzl, Smallest Enclosing Disks (Balls and
 * Ellipsoids), 1991: what spheres that are refitted optimally would be. */
#ifndef BENCH_SPILLMANN_BALL_H
#define BENCH_SPILLMANN_BALL_H

#include <stddef.h>

typedef struct optimal_sphere {
  double centre[3], square; /* of the radius; below 0: no points */
} optimal_sphere;

/* Reorders the points. Expected cost: O(count). */
optimal_sphere optimal_sphere_of(double (*points)[3], size_t count);

#endif
