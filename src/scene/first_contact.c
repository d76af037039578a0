/* First contacts of a scene: one walk over all pairs of bodies, nearest first. Cost of the broad phase: every pair of
 * root boxes. */
#include "query/impact.h"
#include "scene/scene.h"

pl_status scene_impact_prepare(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                               call *c)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_status status = impact_check_def(scene->context, def, full);
  return status == PL_OK ? scene_query(c, scene) : status;
}

impact_scratch *scene_impact_jobs(pl_scene *scene, const pl_impact_def *def)
{
  pl_context *context = scene->context;
  impact_scratch *q = query_scratch(context, QUERY_IMPACT);
  if (!q) return NULL;
  q->jobs.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count; ++k) {
      const membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || (i == k ? !def->self : !members_meet(a, b))) continue;
      if (!array_reserve(&context->def.allocator, &q->jobs, q->jobs.count + 1)) {
        fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", q->jobs.count);
        return NULL;
      }
      q->jobs.data[q->jobs.count++] = (impact_job){.a = a->body, .b = b->body};
    }
  return q;
}

pl_status pl_scene_first_contact(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = scene_impact_prepare(scene, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = impact_answer(scene->context, scene_impact_jobs(scene, &d), &d, out);
  call_query_end(&c);
  return status;
}
