/* Spheres that touch, and points in spheres: exact for all finite numbers. A radius may be
 * infinite; below 0 a sphere is empty. */
#ifndef EXACT_SPHERE_H
#define EXACT_SPHERE_H

#include <math.h>
#include <stdbool.h>

/* The sign of |p - q|^2 - (r + s)^2, in integers: -1, 0, 1. */
int sphere_sign_big(const double p[3], double r, const double q[3], double s);

/* Returns whether |p - q| <= r + s. In double, right to 8 2^-53 of both sides, else in integers. */
static inline bool sphere_reaches(const double p[3], double r, const double q[3], double s)
{
  if (r < 0 || s < 0) return false;
  double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2], sum = r + s;
  double square = x * x + y * y + z * z, reach = sum * sum;
  if (square < reach * (1 - 0x1p-48) && reach > 1e-280) return true;
  if (square > reach * (1 + 0x1p-48) && square > 1e-280 && square < 1e300) return false;
  return isinf(sum) || sphere_sign_big(p, r, q, s) <= 0;
}

/* Centre and radius each. */
static inline bool spheres_touch(const float a[4], const float b[4])
{
  const double p[3] = {(double)a[0], (double)a[1], (double)a[2]}, q[3] = {(double)b[0], (double)b[1], (double)b[2]};
  return sphere_reaches(p, (double)a[3], q, (double)b[3]);
}

static inline bool sphere_holds(const float a[4], const double p[3])
{
  const double q[3] = {(double)a[0], (double)a[1], (double)a[2]};
  return sphere_reaches(p, 0, q, (double)a[3]);
}

#endif
