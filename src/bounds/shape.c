/* The table of shapes: the only place that enumerates them. */
#include "bounds/shape.h"

#include "bounds/sphere.h"

const shape_kind *shape_kind_of(pl_volume volume)
{
  static const shape_kind kinds[PL_VOLUME_COUNT] = {
      [PL_VOLUME_SPHERE] = {SPHERE_FLOATS, sphere_fit, sphere_contains, true},
  };
  return (unsigned)volume < PL_VOLUME_COUNT && kinds[volume].fit ? &kinds[volume] : NULL;
}
