/* The table of shapes: the only place that enumerates them. */
#include "bounds/shape.h"

#include "bounds/kdop.h"
#include "bounds/rss.h"
#include "bounds/sphere.h"

/* The lengths of the k-DOPs' normals, a little more. */
#define ROOT_2 1.41422f
#define ROOT_3 1.73206f

const shape_kind *shape_kind_of(pl_volume volume)
{
  static const float sphere_grow[SPHERE_FLOATS] = {[3] = 1};
  static const float obb_grow[OBB_FLOATS] = {[OBB_RADIUS] = 1};
  static const float rss_grow[RSS_FLOATS] = {[RSS_RADIUS] = 1};
  static const float kdop14_grow[2 * KDOP14_SLABS] = {-ROOT_3, -ROOT_3, -ROOT_3, -ROOT_3,
                                                      ROOT_3,  ROOT_3,  ROOT_3,  ROOT_3};
  static const float kdop18_grow[2 * KDOP18_SLABS] = {-ROOT_2, -ROOT_2, -ROOT_2, -ROOT_2, -ROOT_2, -ROOT_2,
                                                      ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2};
  static const float kdop26_grow[2 * KDOP26_SLABS] = {-ROOT_3, -ROOT_3, -ROOT_3, -ROOT_3, -ROOT_2, -ROOT_2, -ROOT_2,
                                                      -ROOT_2, -ROOT_2, -ROOT_2, ROOT_3,  ROOT_3,  ROOT_3,  ROOT_3,
                                                      ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2,  ROOT_2};
  static const shape_kind kinds[PL_VOLUME_COUNT] = {
      [PL_VOLUME_SPHERE] = {SPHERE_FLOATS, sphere_fit, sphere_contains, true, NULL, false, sphere_size, sphere_grow,
                            NULL, true},
      [PL_VOLUME_KDOP14] = {2 * KDOP14_SLABS, kdop14_fit, kdop14_contains, true, kdop14_merge, true, kdop14_size,
                            kdop14_grow, NULL, false},
      [PL_VOLUME_KDOP18] = {2 * KDOP18_SLABS, kdop18_fit, kdop18_contains, true, kdop18_merge, true, kdop18_size,
                            kdop18_grow, NULL, false},
      [PL_VOLUME_KDOP26] = {2 * KDOP26_SLABS, kdop26_fit, kdop26_contains, true, kdop26_merge, true, kdop26_size,
                            kdop26_grow, NULL, false},
      [PL_VOLUME_OBB] = {OBB_FLOATS, obb_fit, obb_contains, false, NULL, false, obb_size, obb_grow, NULL, true},
      [PL_VOLUME_RSS] = {RSS_FLOATS, rss_fit, rss_contains, false, NULL, false, rss_size, rss_grow, rss_extent, true},
  };
  return (unsigned)volume < PL_VOLUME_COUNT && kinds[volume].fit ? &kinds[volume] : NULL;
}
