/* Points and regions against all bodies of a scene: the closest point of any surface for each of
 * many points, and the triangles that a box, a sphere or a frustum meets. One call, all cores. */
#ifndef PLIANT_SCENE_POINTS_H
#define PLIANT_SCENE_POINTS_H

#include "points.h"
#include "region.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------- closest points -- */

/* The closest point of a scene to one point. */
typedef struct pl_scene_point {
  /* Correct to 4 units in the last place, and exactly 0 for a point on a surface. Infinite: no
   * triangle is within the limit. */
  double distance;
  double point[3]; /* the closest point of the surface, rounded */
  double u, v;     /* about (1 - u - v) p0 + u p1 + v p2 of the triangle, each from 0 to 1 */
  /* Of equal distances the body that was added first, then the least triangle. The caller's index;
   * PL_NONE: there is none. */
  uint32_t triangle;
  uint32_t member; /* the body's number in the order of adding, from 0, as in pl_hit; or PL_NONE */
  pl_body *body;   /* NULL: there is none */
} pl_scene_point;

/* Called before a triangle is considered for a point. Returns false to leave it out. It must not
 * use the context. Several threads call it at once unless the context has one. */
typedef bool (*pl_scene_point_filter)(void *user, size_t point, pl_body *body, uint32_t triangle);

typedef struct pl_scene_point_def {
  size_t struct_size;
  double limit;  /* distances of at most this only; infinite: all */
  uint32_t mask; /* bodies whose group has none of these bits are left out; default: all bits */
  /* Neighbouring points of the batch are near each other: the order of the batch is kept. false: a
   * large batch is searched in an order of its own, which changes no result. */
  bool coherent;
  pl_scene_point_filter filter; /* NULL: all triangles */
  void *user;                   /* passed to the filter */
  double budget_ms;             /* end after about so much wall time; 0: no limit */
  pl_scene_point *results;      /* the caller's array, one for each point; NULL: the context's */
} pl_scene_point_def;

static inline pl_scene_point_def pl_scene_point_def_default(void)
{
  pl_scene_point_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.limit = INFINITY;
  def.mask = UINT32_MAX;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_scene_points {
  const pl_scene_point *results; /* one for each point, in order */
  size_t count;         /* points: with a budget those that were searched, the others are all 0 */
  bool partial;         /* the budget ended the query */
  pl_counters counters; /* n_v: boxes tested; n_p: triangles; n_u: volumes refitted */
} pl_scene_points;

/* Reports the closest point of all bodies of the scene for each point. Groups of other bodies,
 * exclusions and loose boxes do not matter: they are about pairs of bodies.
 *   points  any number, float or double, any stride
 *   def     NULL: defaults
 * Fails with PL_ERROR_POSITIONS if a coordinate is not finite; the message names the point. The
 * results are the same bytes for every tree, strategy, number of threads and instruction set.
 * Cost: O(b) for b bodies in each call and for each 16 points, and O(log n) for each point. */
PL_API pl_status pl_scene_closest(pl_scene *scene, pl_positions points,
                                  const pl_scene_point_def *def, const pl_scene_points **out);

/* ---------------------------------------------------------------------------------- regions -- */

/* A triangle of a body. */
typedef struct pl_scene_triangle {
  pl_body *body;
  uint32_t member; /* the body's number in the order of adding, from 0, as in pl_hit */
  uint32_t triangle;
} pl_scene_triangle;

/* The triangles of one body, which are contiguous. */
typedef struct pl_triangle_group {
  pl_body *body;
  size_t begin, end; /* in pl_scene_triangles.triangles */
} pl_triangle_group;

typedef struct pl_scene_region_def {
  size_t struct_size;
  uint32_t mask; /* bodies whose group has none of these bits are left out; default: all bits */
  bool sorted;   /* true: those of a body by index; false: in the order of its tree */
  /* The caller's array; NULL: the context's. If it is too small, the call fails with
   * PL_ERROR_BUFFER; *out then has the true count and groups, and the first `capacity` of the
   * triangles. */
  pl_scene_triangle *triangles;
  size_t capacity;
} pl_scene_region_def;

static inline pl_scene_region_def pl_scene_region_def_default(void)
{
  pl_scene_region_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.mask = UINT32_MAX;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_scene_triangles {
  const pl_scene_triangle *triangles; /* by body in the order of adding */
  size_t count;
  const pl_triangle_group *groups; /* only bodies with a triangle in the region */
  size_t group_count;
  pl_counters counters; /* n_v: boxes tested; n_p: triangles tested; n_u: volumes refitted */
} pl_scene_triangles;

/* Reports all triangles of the scene's bodies that have a point in common with a region, as
 * pl_body_region() does for one body. Bodies are searched on all cores.
 *   def  NULL: defaults
 * Fails as pl_body_region() does.
 * Cost: O(b + k + m log n) for b bodies, k triangles found and m at the region's border. */
PL_API pl_status pl_scene_region(pl_scene *scene, const pl_region *region,
                                 const pl_scene_region_def *def, const pl_scene_triangles **out);

#ifdef __cplusplus
}
#endif
#endif
