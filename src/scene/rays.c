/* What rays hit of a scene: its bodies, front to back along each ray. */
#include "pliant/rays.h"

#include "core/timer.h"
#include "query/probe/rays.h"
#include "scene/scene.h"

pl_body *pl_scene_member_body(const pl_scene *scene, uint32_t number)
{
  if (!scene || number >= scene->body_count) return NULL;
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i] && number-- == 0) return scene->members.data[i]->body;
  return NULL;
}

/* Updates all bodies: rays may enter a loose box at any time. */
static pl_status bring_up(pl_scene *scene, pl_counters *counters)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count && status == PL_OK;
       ++i) { /* bodies with a choice of trees or grid: they are timed */
    pl_body *body = scene->members.data[i] ? scene->members.data[i]->body : NULL;
    if (body && body->trees.kind) status = forest_rays_begin(&body->trees, &body->motion.now, &counters->n_u);
  }
  if (status != PL_OK) return status;
  updating_begin(scene->context);
  status = scene_update_rays(scene, counters);
  updating_end(scene->context);
  return status;
}

static pl_status add_targets(pl_scene *scene, ray_scratch *s, pl_counters *counters)
{
  pl_status status = PL_OK;
  s->targets.count = 0;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i)
    if (scene->members.data[i])
      status =
          rays_add_target(scene->context, s, scene->members.data[i]->body, (uint32_t)s->targets.count, &counters->n_u);
  return status;
}

static pl_status cast(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  pl_context *context = scene->context;
  ray_scratch *s = query_scratch(context, QUERY_RAYS);
  if (!s) return PL_ERROR_MEMORY;
  pl_hits answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = bring_up(scene, &answer.counters);
  if (status == PL_OK) status = add_targets(scene, s, &answer.counters);
  if (status == PL_OK) status = rays_refit(context, s, rays, count, def, &answer.counters.n_u);
  stages.updated = timer_ms();
  if (status == PL_OK) status = rays_run(context, s, rays, count, def, stages.start, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i])
      forest_rays_end(&scene->members.data[i]->body->trees, answer.count, answer.counters.ms_query);
  s->answer = answer;
  *out = &s->answer;
  return PL_OK;
}

pl_status pl_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_ray_def d;
  call c;
  pl_status status = rays_check_def(scene->context, def, rays, count, &d);
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = cast(scene, rays, count, &d, out);
  call_query_end(&c);
  return status;
}
