/* What queries of points and regions of a scene share: the members as these queries see them, and what the reference needs too. */
#ifndef SCENE_TARGETS_H
#define SCENE_TARGETS_H

#include "query/probe/points.h"
#include "scene/scene.h"

/* A body of the scene, fixed for one query. */
typedef struct scene_target {
  probe_target probe;
  pl_body *body;
  uint32_t member; /* its number in the order of adding */
} scene_target;

typedef ARRAY(scene_target) scene_targets;

/* Is a member in a query with this mask? */
static inline bool member_has(const membership *m, uint32_t mask) { return (m->options.group & mask) != 0; }

/* scene/targets.c: updates all members that the mask lets in, and lists them in the order of adding. */
pl_status scene_targets_take(pl_scene *scene, uint32_t mask, scene_targets *out, pl_counters *counters);

/* scene/points.c: the definition of a query of points, checked. */
pl_status scene_points_check(pl_context *context, pl_positions at, const pl_scene_point_def *def,
                             pl_scene_point_def *out);

/* A filter of one body's triangles that asks that of the scene; `user` is a scene_point_view. */
typedef struct scene_point_view {
  const pl_scene_point_def *def;
  pl_body *body;
} scene_point_view;
bool scene_point_filter(void *user, size_t point, uint32_t triangle);

/* What was found in a body replaces *best if it is nearer, or as near in a body that was added before. */
void scene_point_take(const pl_point_result *own, pl_body *body, uint32_t member, pl_scene_point *best);

/* scene/region.c: all checks of a query of regions, which it enters. */
pl_status scene_region_begin(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
                             const pl_scene_triangles **out, pl_scene_region_def *full, call *c);

/* The found triangles as the result, in the caller's array if there is one. */
pl_status scene_region_publish(pl_context *context, const pl_scene_triangle *all, size_t count,
                               const pl_scene_region_def *def, pl_scene_triangles *answer);

#endif
