/* What rays hit of a scene: its bodies, front to back along each ray. */
#include "pliant/rays.h"

#include "core/timer.h"
#include "query/rays.h"
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
  return status == PL_OK ? scene_update_rays(scene, counters) : status;
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

pl_status pl_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_context *context = scene->context;
  pl_ray_def d;
  pl_status status = rays_check_def(context, def, rays, count, &d);
  ray_scratch *s = status == PL_OK ? query_scratch(context, QUERY_RAYS) : NULL;
  if (!s) return status == PL_OK ? PL_ERROR_MEMORY : status;
  pl_hits answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  status = bring_up(scene, &answer.counters);
  if (status == PL_OK) status = add_targets(scene, s, &answer.counters);
  if (status == PL_OK) status = rays_refit(context, s, rays, count, &d, &answer.counters.n_u);
  stages.updated = timer_ms();
  if (status == PL_OK) status = rays_run(context, s, rays, count, &d, stages.start, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i])
      forest_rays_end(&scene->members.data[i]->body->trees, answer.count, answer.counters.ms_query);
  s->answer = answer;
  *out = &s->answer;
  return PL_OK;
}
