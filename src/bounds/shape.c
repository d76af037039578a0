/* The table of shapes: the only place that enumerates them. */
#include "bounds/shape.h"

#include "bounds/kdop.h"
#include "bounds/sphere.h"

const shape_kind *shape_kind_of(pl_volume volume)
{
  static const shape_kind kinds[PL_VOLUME_COUNT] = {
      [PL_VOLUME_SPHERE] = {SPHERE_FLOATS, sphere_fit, sphere_contains, true, NULL, false},
      [PL_VOLUME_KDOP14] = {2 * KDOP14_SLABS, kdop14_fit, kdop14_contains, true, kdop14_merge, true},
      [PL_VOLUME_KDOP18] = {2 * KDOP18_SLABS, kdop18_fit, kdop18_contains, true, kdop18_merge, true},
      [PL_VOLUME_KDOP26] = {2 * KDOP26_SLABS, kdop26_fit, kdop26_contains, true, kdop26_merge, true},
  };
  return (unsigned)volume < PL_VOLUME_COUNT && kinds[volume].fit ? &kinds[volume] : NULL;
}
