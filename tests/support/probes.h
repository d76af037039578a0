/* Probes and spheres without trees: each question with `reference` set. */
#ifndef SUPPORT_PROBES_H
#define SUPPORT_PROBES_H

#include "pliant/probes.h"
#include "pliant/touching.h"

static inline pl_status reference_cast(pl_who who, const pl_ray *rays, size_t count, const pl_question *def,
                                       const pl_result **out)
{
  pl_question own = def ? *def : pl_question_default();
  own.reference = true;
  return pl_cast(who, rays, count, &own, out);
}

static inline pl_question reference_points(const pl_question *def)
{
  pl_question own = def ? *def : pl_question_default();
  own.reference = true;
  return own;
}

static inline pl_status reference_closest(pl_who who, pl_positions at, const pl_question *def, const pl_result **out)
{
  const pl_question own = reference_points(def);
  return pl_closest(who, at, &own, out);
}

static inline pl_status reference_inside(pl_who who, pl_positions at, const pl_question *def, const pl_result **out)
{
  const pl_question own = reference_points(def);
  return pl_inside(who, at, &own, out);
}

static inline pl_status reference_signed_distance(pl_who who, pl_positions at, const pl_question *def,
                                                  const pl_result **out)
{
  const pl_question own = reference_points(def);
  return pl_signed_distance(who, at, &own, out);
}

static inline pl_status reference_overlap(pl_who who, const pl_zone *zone, const pl_question *def,
                                          const pl_result **out)
{
  pl_question own = def ? *def : pl_question_default();
  own.reference = true;
  return pl_overlap(who, zone, &own, out);
}

static inline pl_status reference_spheres(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question own = def ? *def : pl_question_default();
  own.reference = true;
  return pl_sphere_contacts(who, &own, out);
}

#endif
