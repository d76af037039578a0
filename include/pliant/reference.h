/* Every query without a tree: every triangle against every other, in exact arithmetic. Slow; meant
 * for checking. */
#ifndef PLIANT_REFERENCE_H
#define PLIANT_REFERENCE_H

#include "points.h"
#include "rays.h"
#include "region.h"
#include "scene_points.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As pl_body_cast() and pl_scene_cast(), without budgets; `any` reports the closest hit. n_p counts
 * all triangles. */
PL_API pl_status pl_reference_cast(pl_body *body, const pl_ray *rays, size_t count,
                                   const pl_ray_def *def, const pl_hits **out);
PL_API pl_status pl_reference_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count,
                                         const pl_ray_def *def, const pl_hits **out);

/* As pl_body_closest(), pl_body_inside() and pl_body_signed_distance(), without budgets. The
 * winding number of an open body is the sum of the solid angles of all triangles: less exact than
 * the query's for points very near the surface. n_p counts the triangles that were measured. */
PL_API pl_status pl_reference_closest(pl_body *body, pl_positions points, const pl_point_def *def,
                                      const pl_point_results **out);
PL_API pl_status pl_reference_inside(pl_body *body, pl_positions points, const pl_point_def *def,
                                     const pl_point_results **out);
PL_API pl_status pl_reference_signed_distance(pl_body *body, pl_positions points,
                                              const pl_point_def *def,
                                              const pl_point_results **out);

/* As pl_body_region(), for every triangle; always sorted. */
PL_API pl_status pl_reference_region(pl_body *body, const pl_region *region,
                                     const pl_region_def *def, const pl_triangles **out);

/* As pl_scene_closest() without budgets, and as pl_scene_region(), always sorted: every triangle of
 * every body. */
PL_API pl_status pl_reference_scene_closest(pl_scene *scene, pl_positions points,
                                            const pl_scene_point_def *def,
                                            const pl_scene_points **out);
PL_API pl_status pl_reference_scene_region(pl_scene *scene, const pl_region *region,
                                           const pl_scene_region_def *def,
                                           const pl_scene_triangles **out);

#ifdef __cplusplus
}
#endif
#endif
