/* Every query without a tree: every triangle against every other, in exact arithmetic. Slow; meant
 * for checking. */
#ifndef PLIANT_REFERENCE_H
#define PLIANT_REFERENCE_H

#include "contact.h"
#include "distance.h"
#include "near.h"
#include "points.h"
#include "rays.h"
#include "region.h"
#include "scene_points.h"
#include "self_near.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As pl_body_collide(); always sorted by a, then b. n_p counts the pairs whose boxes overlap. */
PL_API pl_status pl_reference_collide(pl_body *a, pl_body *b, const pl_collide_def *def,
                                      const pl_pairs **out);

/* As pl_body_distance() and pl_body_distance_point(), without budgets and tolerances. n_p counts
 * the pairs that were measured. */
PL_API pl_status pl_reference_distance_sized(pl_body *a, pl_body *b, const pl_distance_def *def,
                                             pl_distance *out, size_t out_size);
PL_API pl_status pl_reference_distance_point_sized(pl_body *body, const double point[3],
                                                   const pl_distance_def *def, pl_distance *out,
                                                   size_t out_size);
static inline pl_status pl_reference_distance(pl_body *a, pl_body *b, const pl_distance_def *def,
                                              pl_distance *out)
{
  return pl_reference_distance_sized(a, b, def, out, sizeof *out);
}
static inline pl_status pl_reference_distance_point(pl_body *body, const double point[3],
                                                    const pl_distance_def *def, pl_distance *out)
{
  return pl_reference_distance_point_sized(body, point, def, out, sizeof *out);
}

/* As pl_scene_distance(), for every pair of bodies. */
PL_API pl_status pl_reference_scene_distance_sized(pl_scene *scene, const pl_distance_def *def,
                                                   pl_nearest *out, size_t out_size);
static inline pl_status pl_reference_scene_distance(pl_scene *scene, const pl_distance_def *def,
                                                    pl_nearest *out)
{
  return pl_reference_scene_distance_sized(scene, def, out, sizeof *out);
}

/* As pl_body_near(); always sorted. */
PL_API pl_status pl_reference_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def,
                                   const pl_near_pairs **out);

/* As pl_body_near_features(), pl_scene_near() and pl_scene_near_features(); always sorted. n_p
 * counts the pairs of triangles that were looked at. */
PL_API pl_status pl_reference_near_features(pl_body *a, pl_body *b, double margin,
                                            const pl_feature_def *def,
                                            const pl_feature_pairs **out);
PL_API pl_status pl_reference_scene_near(pl_scene *scene, double margin, const pl_near_def *def,
                                         const pl_scene_near_pairs **out);
PL_API pl_status pl_reference_scene_near_features(pl_scene *scene, double margin,
                                                  const pl_feature_def *def,
                                                  const pl_scene_feature_pairs **out);

/* As pl_body_self_near() and pl_body_self_near_features(), always sorted; and as
 * pl_body_self_distance(), without tolerances and budgets. */
PL_API pl_status pl_reference_self_near(pl_body *body, double margin, const pl_self_near_def *def,
                                        const pl_near_pairs **out);
PL_API pl_status pl_reference_self_near_features(pl_body *body, double margin,
                                                 const pl_self_feature_def *def,
                                                 const pl_feature_pairs **out);
PL_API pl_status pl_reference_self_distance_sized(pl_body *body, const pl_self_distance_def *def,
                                                  pl_distance *out, size_t out_size);
static inline pl_status pl_reference_self_distance(pl_body *body, const pl_self_distance_def *def,
                                                   pl_distance *out)
{
  return pl_reference_self_distance_sized(body, def, out, sizeof *out);
}

/* As pl_scene_collide(). */
PL_API pl_status pl_reference_scene_collide(pl_scene *scene, const pl_collide_def *def,
                                            const pl_contacts **out);

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

/* As pl_body_penetration(), with all pairs and distances from the reference. */
PL_API pl_status pl_reference_penetration(pl_body *a, pl_body *b, const pl_penetration_def *def,
                                          const pl_penetrations **out);

#ifdef __cplusplus
}
#endif
#endif
