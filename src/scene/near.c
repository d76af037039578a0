/* Near pairs of the bodies of a scene: the broad phase with boxes that have grown by the margin, then a job for each pair of bodies, on all
 * workers. */
#include "scene/scene.h"

#include "core/timer.h"
#include "pliant/near.h"

static pl_status add_jobs(pl_scene *scene, scene_scratch *t, near_scratch *q, const near_wish *wish, size_t *body_pairs,
                          pl_counters *counters)
{
  pl_status status = PL_OK;
  q->jobs.count = 0;
  for (size_t i = 0; i < scene->broad.pairs.count && status == PL_OK; ++i) {
    uint64_t pair = scene->broad.pairs.data[i];
    uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)pair;
    membership *a = scene->members.data[first], *b = scene->members.data[second];
    if (!members_meet(a, b)) continue;
    ++*body_pairs;
    const place *at_a = scene_place_of(scene, t, first, &counters->n_u);
    const place *at_b = scene_place_of(scene, t, second, &counters->n_u);
    status = near_add(scene->context, q, a->body, b->body, at_a, at_b, wish);
  }
  return status;
}

static pl_status run(pl_scene *scene, near_scratch *q, const near_wish *wish, size_t *body_pairs, pl_counters *counters)
{
  pl_context *context = scene->context;
  scene_scratch *t = query_scratch(context, QUERY_SCENES);
  if (!t) return PL_ERROR_MEMORY;
  double start = timer_ms(), updated;
  updating_begin(context);
  pl_status status = scene_update(scene, counters); /* positions  -> volumes    */
  updated = timer_ms();
  if (status == PL_OK) status = scene_sweep_within(scene, t, wish->margin, counters); /* root boxes -> body pairs */
  if (status == PL_OK) status = add_jobs(scene, t, q, wish, body_pairs, counters);    /* body pairs -> jobs       */
  updating_end(context);
  near_filter(q, wish);
  if (status == PL_OK) status = near_run(context, q, wish, counters); /* jobs       -> near pairs */
  if (status == PL_OK) status = near_group(context, q);
  counters->ms_update = updated - start;
  counters->ms_query = timer_ms() - updated;
  return status;
}

static pl_status enter(call *c, pl_scene *scene, const near_wish *wish)
{
  if (wish->filter)
    return fail(scene->context, PL_ERROR_UNSUPPORTED, "a scene's filter must be NULL: contact_filter sees the bodies");
  return scene_query(c, scene);
}

static pl_status near_scene(pl_scene *scene, const near_wish *wish, const pl_scene_near_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_scene_near_pairs answer = {0};
  pl_status status = run(scene, q, wish, &answer.body_pairs, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = near_pairs(q, wish);
  answer.count = q->near.count;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  q->scene_answer = answer;
  *out = &q->scene_answer;
  return PL_OK;
}

static pl_status feature_scene(pl_scene *scene, const near_wish *wish, const pl_scene_feature_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  if (!q) return PL_ERROR_MEMORY;
  pl_scene_feature_pairs answer = {0};
  pl_status status = run(scene, q, wish, &answer.body_pairs, &answer.counters);
  if (status != PL_OK) return status;
  answer.pairs = near_features_of(q, wish);
  answer.count = q->features.count;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  q->scene_feature_answer = answer;
  *out = &q->scene_feature_answer;
  return PL_OK;
}

pl_status pl_scene_near(pl_scene *scene, double margin, const pl_near_def *def, const pl_scene_near_pairs **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  near_wish wish;
  call c;
  pl_status status = near_take(scene->context, margin, def, &wish);
  if (status == PL_OK) status = enter(&c, scene, &wish);
  if (status != PL_OK) return status;
  status = near_scene(scene, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_scene_near_features(pl_scene *scene, double margin, const pl_feature_def *def,
                                 const pl_scene_feature_pairs **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  near_wish wish;
  call c;
  pl_status status = near_take_features(scene->context, margin, def, &wish);
  if (status == PL_OK) status = enter(&c, scene, &wish);
  if (status != PL_OK) return status;
  status = feature_scene(scene, &wish, out);
  call_query_end(&c);
  return status;
}
