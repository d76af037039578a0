/* The table of shapes: the only place that enumerates them. */
#include "bounds/shape.h"

#include "bounds/rss.h"
#include "bounds/sphere.h"

const shape_kind *shape_kind_of(pl_volume volume)
{
  static const float sphere_grow[SPHERE_FLOATS] = {[3] = 1};
  static const float obb_grow[OBB_FLOATS] = {[OBB_RADIUS] = 1};
  static const float rss_grow[RSS_FLOATS] = {[RSS_RADIUS] = 1};
  static const shape_kind kinds[PL_VOLUME_COUNT] = {
      [PL_VOLUME_SPHERE] = {SPHERE_FLOATS, sphere_fit, sphere_contains, true, .size = sphere_size, .grow = sphere_grow},
      [PL_VOLUME_OBB] = {OBB_FLOATS, obb_fit, obb_contains, .size = obb_size, .grow = obb_grow},
      [PL_VOLUME_RSS] = {RSS_FLOATS, rss_fit, rss_contains, .size = rss_size, .grow = rss_grow},
  };
  return (unsigned)volume < PL_VOLUME_COUNT && kinds[volume].fit ? &kinds[volume] : NULL;
}
