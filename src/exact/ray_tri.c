/* Decides whether a ray meets a triangle. In double first (ray_tri_filter.inl); if that is in
 * doubt, in integers (ray_tri_big.c). */
#include "exact/ray_tri.h"

#include "exact/predicates.h"
#define SIMD_128
#include "math/simd.h"

#include <float.h>
#include <math.h>

#include "exact/ray_tri_filter.inl"

int ray_tri_filter(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  return filter_ray(ray, p, most, out);
}

void ray_tri_normal(const double p[3][3], double n[3]) { ray_normal(p, n); }

bool ray_tri_meet(const pl_ray *ray, const double p[3][3], ray_point *out)
{
  return ray_tri_meet_before(ray, p, INFINITY, out);
}

bool ray_tri_meet_before(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  return meet_ray(ray, p, most, out);
}
