/* One step of a scene: all contacts between its bodies. */
#include "core/timer.h"
#include "scene/scene.h"

const place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u)
{
  place *p = &t->places.data[proxy];
  if (!p->known) *n_u += place_make(p, scene->members.data[proxy]->body);
  return p;
}

/* Room for one more job. */
static pl_status room_for_job(pl_scene *scene, collide_scratch *q)
{
  return array_reserve(&scene->context->def.allocator, &q->jobs, q->jobs.count + 1)
             ? PL_OK
             : fail(scene->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
}

/* The jobs of the members [*next, end) that are tested against themselves. */
static pl_status self_jobs(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                           size_t *next, size_t end, pl_contacts *answer)
{
  pl_self_def options = pl_self_def_default();
  options.first = def->first;
  pl_status status = PL_OK;
  for (; *next < end && status == PL_OK; ++*next) {
    const membership *m = scene->members.data[*next];
    if (!m || !m->options.self) continue;
    place *at = &t->selves.data[*next];
    status = room_for_job(scene, q);
    if (status == PL_OK) status = self_place(at, m->body, &options, &answer->counters);
    if (status == PL_OK) self_prepare(&q->jobs.data[q->jobs.count++], m->body, at, &options);
  }
  return status;
}

/* Turns body pairs into jobs: they are ordered by their first member, before whose pairs it is tested against itself. */
static pl_status stage_jobs(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                            pl_contacts *answer)
{
  size_t next = 0;
  pl_status status = PL_OK;
  q->jobs.count = 0;
  if (!array_reserve(&scene->context->def.allocator, &t->selves, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the places of bodies");
  for (size_t i = 0; i < scene->broad.pairs.count; ++i) {
    uint64_t pair = scene->broad.pairs.data[i];
    uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)pair;
    membership *a = scene->members.data[first], *b = scene->members.data[second];
    status = self_jobs(scene, t, q, def, &next, (size_t)first + 1, answer);
    if (status != PL_OK) return status;
    if (!members_meet(a, b)) continue;
    ++answer->body_pairs;
    if ((status = room_for_job(scene, q)) != PL_OK) return status;
    const place *at_a = scene_place_of(scene, t, first, &answer->counters.n_u);
    const place *at_b = scene_place_of(scene, t, second, &answer->counters.n_u);
    if (job_prepare(&q->jobs.data[q->jobs.count], a->body, b->body, at_a, at_b, def, &answer->counters.n_v))
      ++q->jobs.count;
  }
  return self_jobs(scene, t, q, def, &next, scene->members.count, answer);
}

pl_status scene_append(pl_context *context, scene_scratch *t, const collide_scratch *q, pl_body *a, pl_body *b)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t begin = t->contacts.count, n = q->pairs.count;
  if (!n) return PL_OK;
  if (!array_reserve(allocator, &t->contacts, begin + n) || !array_reserve(allocator, &t->groups, t->groups.count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", begin + n);
  for (size_t i = 0; i < n; ++i)
    t->contacts.data[t->contacts.count++] = (pl_contact){a, b, q->pairs.data[i].a, q->pairs.data[i].b};
  t->groups.data[t->groups.count++] = (pl_contact_group){a, b, begin, begin + n};
  return PL_OK;
}

void scene_publish(scene_scratch *t, pl_contacts *answer, const pl_contacts **out)
{
  answer->contacts = t->contacts.data;
  answer->count = t->contacts.count;
  answer->groups = t->groups.data;
  answer->group_count = t->groups.count;
  t->answer = *answer;
  *out = &t->answer;
}

static pl_status gather_group(pl_context *context, scene_scratch *t, collide_scratch *q, const job *j, bool sorted)
{
  q->pairs.count = 0;
  pl_status status = query_gather(context, q, j);
  if (status == PL_OK && sorted) status = query_sort(context, q, 0, q->pairs.count);
  return status == PL_OK ? scene_append(context, t, q, j->a, j->b) : status;
}

static pl_status stage_gather(pl_context *context, scene_scratch *t, collide_scratch *q, const pl_collide_def *def)
{
  pl_status status = PL_OK;
  t->contacts.count = t->groups.count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    status = gather_group(context, t, q, &q->jobs.data[i], def->sorted);
  return status;
}

/* With a budget, one job after the other: each gets what is left of the budget. */
static pl_status collide_budget(pl_context *context, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                                double start, pl_contacts *answer)
{
  pl_status status = PL_OK;
  t->contacts.count = t->groups.count = 0;
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
    status = query_run_budget(context, q, &q->jobs.data[i], &d, &answer->counters, start, &answer->partial, &level);
    if (status == PL_OK) status = gather_group(context, t, q, &q->jobs.data[i], d.sorted);
  }
  return status;
}

static pl_status run_stages(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                            pl_contacts *answer)
{
  pl_context *context = scene->context;
  double start = timer_ms(), updated, swept, collided;
  updating_begin(context);
  pl_status status = scene_update(scene, &answer->counters); /* positions  -> volumes        */
  updated = timer_ms();
  if (status == PL_OK) status = scene_sweep(scene, t, &answer->counters); /* root boxes -> body pairs     */
  if (status == PL_OK) status = stage_jobs(scene, t, q, def, answer);
  updating_end(context);
  swept = timer_ms();
  bool budget = def->budget_tests || def->budget_ms > 0;
  if (status == PL_OK) /* body pairs -> triangle pairs */
    status = budget ? collide_budget(context, t, q, def, start, answer) : query_run(context, q, def, &answer->counters);
  collided = timer_ms();
  if (status == PL_OK && !budget) status = stage_gather(context, t, q, def); /* -> one list in order */
  answer->profile = (pl_profile){updated - start, swept - updated, collided - swept, timer_ms() - collided};
  answer->counters.ms_update = answer->profile.update;
  answer->counters.ms_query = answer->profile.sweep + answer->profile.collide + answer->profile.gather;
  return status;
}

static pl_status collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  pl_context *context = scene->context;
  collide_scratch *q = query_scratch(context, QUERY_COLLIDE);
  scene_scratch *t = q ? query_scratch(context, QUERY_SCENES) : NULL;
  if (!t) return PL_ERROR_MEMORY;
  pl_contacts answer = {0};
  pl_status status = run_stages(scene, t, q, def, &answer);
  if (status == PL_OK) scene_publish(t, &answer, out);
  return status;
}

pl_status pl_scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_context *context = scene->context;
  pl_collide_def d;
  call c;
  pl_status status = query_check_def(context, def, &d);
  if (status == PL_OK && (d.callback || d.filter))
    status = fail(context, PL_ERROR_UNSUPPORTED, "a scene gathers its contacts: callback and filter must be NULL");
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = collide(scene, &d, out);
  call_query_end(&c);
  return status;
}

static void destroy(pl_context *context, void *scratch)
{
  scene_scratch *t = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &t->places);
  array_free(allocator, &t->selves);
  array_free(allocator, &t->contacts);
  array_free(allocator, &t->groups);
  array_free(allocator, &t->boxes);
  array_free(allocator, &t->candidates);
  array_free(allocator, &t->order);
  array_free(allocator, &t->ordering);
}

const query_slot pl_inside_query_SCENES = {sizeof(scene_scratch), NULL, destroy};
