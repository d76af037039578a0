/* First contacts of a scene: one walk over all pairs of bodies whose boxes around the whole way come near each other. Only these bodies are
 * evaluated. */
#include "core/timer.h"
#include "query/time/impact.h"
#include "scene/scene.h"

pl_status scene_impact_prepare(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                               call *c)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_status status = impact_check_def(scene->context, def, full);
  return status == PL_OK ? scene_query(c, scene) : status;
}

/* Adds the job of two members that may be tested, or of one against itself. */
static bool add_job(pl_scene *scene, impact_scratch *q, const pl_impact_def *def, size_t i, size_t k)
{
  const membership *a = scene->members.data[i], *b = scene->members.data[k];
  if (!a || !b || (i == k ? !def->self : !members_meet(a, b))) return true;
  if (!array_reserve(&scene->context->def.allocator, &q->jobs, q->jobs.count + 1)) {
    fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", q->jobs.count);
    return false;
  }
  q->jobs.data[q->jobs.count++] = (impact_job){.a = a->body, .b = b->body};
  return true;
}

static bool add_every_pair(pl_scene *scene, impact_scratch *q, const pl_impact_def *def)
{
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count; ++k)
      if (!add_job(scene, q, def, i, k)) return false;
  return true;
}

/* The pairs of the broad phase, in the same order: a member against itself comes before its pairs with later ones. */
static bool add_near_pairs(pl_scene *scene, impact_scratch *q, const pl_impact_def *def)
{
  const uint64_t *pairs = scene->broad.pairs.data;
  size_t at = 0;
  for (size_t i = 0; i < scene->members.count; ++i) {
    if (!add_job(scene, q, def, i, i)) return false;
    for (; at < scene->broad.pairs.count && pairs[at] >> 32 == i; ++at)
      if (!add_job(scene, q, def, i, (uint32_t)pairs[at])) return false;
  }
  return true;
}

impact_scratch *scene_impact_jobs(pl_scene *scene, const pl_impact_def *def, bool every)
{
  impact_scratch *q = query_scratch(scene->context, QUERY_IMPACT);
  if (!q) return NULL;
  q->jobs.count = 0;
  q->before = (pl_counters){0};
  if (every) return add_every_pair(scene, q, def) ? q : NULL;
  const double start = timer_ms();
  updating_begin(scene->context);
  bool good = scene_sweep_ways(scene, def->separation, &q->before) == PL_OK && add_near_pairs(scene, q, def);
  updating_end(scene->context);
  q->before.ms_update = timer_ms() - start;
  return good ? q : NULL;
}

pl_status pl_scene_first_contact(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = scene_impact_prepare(scene, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = impact_answer(scene->context, scene_impact_jobs(scene, &d, false), &d, out);
  call_query_end(&c);
  return status;
}
