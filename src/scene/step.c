/* One step of a scene: all contacts between its bodies. */
#include "core/timer.h"
#include "scene/scene.h"

/* The place of a member; of a loose one it is computed only if its box overlaps another. */
static const place *place_of(pl_scene *scene, uint32_t proxy, uint64_t *n_u)
{
  place *p = &scene->places.data[proxy];
  if (!p->known) *n_u += place_make(p, scene->members.data[proxy]->body);
  return p;
}

/* Turns body pairs into jobs. */
static pl_status stage_jobs(pl_scene *scene, collide_scratch *q, const pl_collide_def *def, pl_contacts *answer)
{
  q->jobs.count = 0;
  for (size_t i = 0; i < scene->broad.pairs.count; ++i) {
    uint64_t pair = scene->broad.pairs.data[i];
    uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)pair;
    membership *a = scene->members.data[first], *b = scene->members.data[second];
    if (!members_meet(a, b)) continue;
    ++answer->body_pairs;
    if (!array_reserve(&scene->context->def.allocator, &q->jobs, q->jobs.count + 1))
      return fail(scene->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
    const place *at_a = place_of(scene, first, &answer->counters.n_u);
    const place *at_b = place_of(scene, second, &answer->counters.n_u);
    if (job_prepare(&q->jobs.data[q->jobs.count], a->body, b->body, at_a, at_b, def, &answer->counters.n_v))
      ++q->jobs.count;
  }
  return PL_OK;
}

pl_status scene_append(pl_scene *scene, const collide_scratch *q, pl_body *a, pl_body *b)
{
  const pl_allocator *allocator = &scene->context->def.allocator;
  size_t begin = scene->contacts.count, n = q->pairs.count;
  if (!n) return PL_OK;
  if (!array_reserve(allocator, &scene->contacts, begin + n) ||
      !array_reserve(allocator, &scene->groups, scene->groups.count + 1))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu contacts", begin + n);
  for (size_t i = 0; i < n; ++i)
    scene->contacts.data[scene->contacts.count++] = (pl_contact){a, b, q->pairs.data[i].a, q->pairs.data[i].b};
  scene->groups.data[scene->groups.count++] = (pl_contact_group){a, b, begin, begin + n};
  return PL_OK;
}

void scene_publish(pl_scene *scene, pl_contacts *answer, const pl_contacts **out)
{
  answer->contacts = scene->contacts.data;
  answer->count = scene->contacts.count;
  answer->groups = scene->groups.data;
  answer->group_count = scene->groups.count;
  scene->answer = *answer;
  *out = &scene->answer;
}

static pl_status gather_group(pl_scene *scene, collide_scratch *q, const job *j, bool sorted)
{
  q->pairs.count = 0;
  pl_status status = query_gather(scene->context, q, j);
  if (status == PL_OK && sorted) status = query_sort(scene->context, q, 0, q->pairs.count);
  return status == PL_OK ? scene_append(scene, q, j->a, j->b) : status;
}

static pl_status stage_gather(pl_scene *scene, collide_scratch *q, const pl_collide_def *def)
{
  pl_status status = PL_OK;
  scene->contacts.count = scene->groups.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    status = gather_group(scene, q, &q->jobs.data[i], def->sorted);
  return status;
}

/* With a budget, one job after the other: each gets what is left of the budget. */
static pl_status collide_budget(pl_scene *scene, collide_scratch *q, const pl_collide_def *def, double start,
                                pl_contacts *answer)
{
  pl_status status = PL_OK;
  scene->contacts.count = scene->groups.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK && !answer->partial; ++i) {
    pl_collide_def d = *def;
    int level = 0;
    if (d.budget_tests) {
      if (answer->counters.n_v >= d.budget_tests) {
        answer->partial = true;
        break;
      }
      d.budget_tests -= answer->counters.n_v;
    }
    status =
        query_run_budget(scene->context, q, &q->jobs.data[i], &d, &answer->counters, start, &answer->partial, &level);
    if (status == PL_OK) status = gather_group(scene, q, &q->jobs.data[i], d.sorted);
  }
  return status;
}

static pl_status run_stages(pl_scene *scene, collide_scratch *q, const pl_collide_def *def, pl_contacts *answer)
{
  double start = timer_ms(), updated, swept, collided;
  pl_status status = scene_update(scene, &answer->counters); /* positions  -> volumes        */
  updated = timer_ms();
  if (status == PL_OK) status = scene_sweep(scene, &answer->counters); /* root boxes -> body pairs     */
  if (status == PL_OK) status = stage_jobs(scene, q, def, answer);
  swept = timer_ms();
  bool budget = def->budget_tests || def->budget_ms > 0;
  if (status == PL_OK) /* body pairs -> triangle pairs */
    status =
        budget ? collide_budget(scene, q, def, start, answer) : query_run(scene->context, q, def, &answer->counters);
  collided = timer_ms();
  if (status == PL_OK && !budget) status = stage_gather(scene, q, def); /* -> one list in order */
  answer->profile = (pl_profile){updated - start, swept - updated, collided - swept, timer_ms() - collided};
  answer->counters.ms_update = answer->profile.update;
  answer->counters.ms_query = answer->profile.sweep + answer->profile.collide + answer->profile.gather;
  return status;
}

pl_status pl_scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_context *context = scene->context;
  pl_collide_def d;
  pl_status status = query_check_def(context, def, &d);
  if (status != PL_OK) return status;
  if (d.callback || d.filter)
    return fail(context, PL_ERROR_UNSUPPORTED, "a scene gathers its contacts: callback and filter must be NULL");
  collide_scratch *q = query_scratch(context, QUERY_COLLIDE);
  if (!q) return PL_ERROR_MEMORY;
  pl_contacts answer = {0};
  status = run_stages(scene, q, &d, &answer);
  if (status != PL_OK) return status;
  scene_publish(scene, &answer, out);
  return PL_OK;
}
