/* Probes and spheres without trees: each question with `reference` set. */
#ifndef SUPPORT_PROBES_H
#define SUPPORT_PROBES_H

#include "pliant/match.h"
#include "pliant/probes.h"

static inline pl_status reference_cast(pl_who who, const pl_ray *rays, size_t count, const pl_cast_def *def,
                                       const pl_hit_result **out)
{
  pl_cast_def own = def ? *def : pl_cast_def_default();
  own.reference = true;
  return pl_cast(who, rays, count, &own, out);
}

static inline pl_point_def reference_points(const pl_point_def *def)
{
  pl_point_def own = def ? *def : pl_point_def_default();
  own.reference = true;
  return own;
}

static inline pl_status reference_closest(pl_who who, pl_positions at, const pl_point_def *def,
                                          const pl_point_result **out)
{
  const pl_point_def own = reference_points(def);
  return pl_closest(who, at, &own, out);
}

static inline pl_status reference_inside(pl_who who, pl_positions at, const pl_point_def *def,
                                         const pl_point_result **out)
{
  const pl_point_def own = reference_points(def);
  return pl_inside(who, at, &own, out);
}

static inline pl_status reference_signed_distance(pl_who who, pl_positions at, const pl_point_def *def,
                                                  const pl_point_result **out)
{
  const pl_point_def own = reference_points(def);
  return pl_signed_distance(who, at, &own, out);
}

static inline pl_status reference_overlap(pl_who who, const pl_zone *zone, const pl_overlap_def *def,
                                          const pl_triangle_result **out)
{
  pl_overlap_def own = def ? *def : pl_overlap_def_default();
  own.reference = true;
  return pl_overlap(who, zone, &own, out);
}

static inline pl_status reference_spheres(pl_who who, const pl_sphere_def *def, const pl_sphere_result **out)
{
  pl_sphere_def own = def ? *def : pl_sphere_def_default();
  own.reference = true;
  return pl_sphere_contacts(who, &own, out);
}

#endif
