/* One step of a scene: all contacts between its bodies. */
#include "core/timer.h"
#include "scene/scene.h"

#include <string.h>

const place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u)
{
  place *p = &t->places.data[proxy];
  if (!p->known) *n_u += place_make(p, scene->members.data[proxy]->body);
  return p;
}

/* Contacts are kept where they depend on positions alone. */
static bool keeps(const pl_collide_def *def)
{
  return !def->contact_filter && !def->budget_tests && !(def->budget_ms > 0);
}

/* Makes a job of a body against itself. */
static pl_status add_self(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                          kept_pair *pair, pl_contacts *answer)
{
  const size_t member = (uint32_t)pair->proxies;
  pl_body *body = scene->members.data[member]->body;
  place *at = &t->selves.data[member];
  pl_self_def options = pl_self_def_default();
  options.first = def->first;
  pl_status status = self_choose(body, &options, &answer->counters);
  if (status == PL_OK) status = self_place(at, body, &options, &answer->counters);
  if (status != PL_OK) return status;
  self_prepare(&q->jobs.data[q->jobs.count], body, at, &options);
  pair->job = (uint32_t)q->jobs.count++;
  return PL_OK;
}

/* Makes a job of a pair of bodies, if their boxes overlap. */
static void add_job(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def, kept_pair *pair,
                    pl_contacts *answer)
{
  uint32_t first = (uint32_t)(pair->proxies >> 32), second = (uint32_t)pair->proxies;
  pl_body *a = scene->members.data[first]->body, *b = scene->members.data[second]->body;
  const place *at_a = scene_place_of(scene, t, first, &answer->counters.n_u);
  const place *at_b = scene_place_of(scene, t, second, &answer->counters.n_u);
  if (!job_prepare(&q->jobs.data[q->jobs.count], a, b, at_a, at_b, def, &answer->counters.n_v)) return;
  pair->job = (uint32_t)q->jobs.count++;
}

/* Turns pairs into jobs: pairs of two bodies, and of a body with itself, in ascending order. */
typedef struct job_making {
  pl_scene *scene;
  scene_scratch *scratch;
  collide_scratch *collide;
  const pl_collide_def *def;
  pl_contacts *answer;
  bool keep;   /* the last step's contacts may be used again */
  size_t from; /* where to search in them */
  size_t kept; /* number of pairs taken from them */
} job_making;

static pl_status add_pair(job_making *m, uint64_t proxies)
{
  pl_scene *scene = m->scene;
  scene_scratch *t = m->scratch;
  const pl_allocator *allocator = &scene->context->def.allocator;
  const bool self = proxies >> 32 == (uint32_t)proxies;
  if (!array_reserve(allocator, &m->collide->jobs, m->collide->jobs.count + 1) ||
      !array_reserve(allocator, &t->now, t->now.count + 1))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  kept_pair *pair = &t->now.data[t->now.count++];
  *pair = kept_pair_now(scene, proxies);
  const kept_step *k = &scene->kept;
  const kept_pair *last = m->keep ? kept_find(k->pairs.data, k->pairs.count, pair, &m->from) : NULL;
  m->answer->body_pairs += !self;
  if (last) {
    pair->begin = last->begin;
    pair->end = last->end;
    ++m->kept;
    m->answer->kept_pairs += !self;
    return PL_OK;
  }
  if (self) return add_self(scene, t, m->collide, m->def, pair, m->answer);
  add_job(scene, t, m->collide, m->def, pair, m->answer);
  return PL_OK;
}

/* Makes jobs of the members [*next, end) that are tested against themselves. */
static pl_status add_selves(job_making *m, size_t *next, size_t end)
{
  pl_status status = PL_OK;
  for (; *next < end && status == PL_OK; ++*next) {
    const membership *member = m->scene->members.data[*next];
    if (member && member->options.self) status = add_pair(m, (uint64_t)*next << 32 | *next);
  }
  return status;
}

static void set_filters(collide_scratch *q, const pl_collide_def *def)
{
  for (size_t i = 0; i < q->jobs.count; ++i) { /* the jobs stay where they are from here on */
    job *j = &q->jobs.data[i];
    j->seen = (body_filter){def->contact_filter, def->user, j->a, j->b};
    j->plan.filter = query_filter_contact;
    j->plan.filter_user = &j->seen;
  }
}

/* Turns body pairs into jobs, except those of bodies that have not moved. The job of a member against itself comes
 * before its pairs with later members. *same becomes true if no body has moved and the last result still exists. */
static pl_status stage_jobs(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                            pl_contacts *answer, bool *same)
{
  job_making m = {scene, t, q, def, answer, 0, 0, 0};
  m.keep = keeps(def) && scene->kept.first == def->first && scene->kept.sorted == def->sorted;
  size_t next = 0;
  pl_status status = PL_OK;
  q->jobs.count = t->now.count = 0;
  if (!array_reserve(&scene->context->def.allocator, &t->selves, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the places of bodies");
  for (size_t i = 0; i < scene->broad.pairs.count && status == PL_OK; ++i) {
    uint64_t proxies = scene->broad.pairs.data[i];
    status = add_selves(&m, &next, (size_t)(proxies >> 32) + 1);
    bool meet = members_meet(scene->members.data[proxies >> 32], scene->members.data[(uint32_t)proxies]);
    if (status == PL_OK && meet) status = add_pair(&m, proxies);
  }
  if (status == PL_OK) status = add_selves(&m, &next, scene->members.count);
  if (status != PL_OK) return status;
  if (def->contact_filter) set_filters(q, def);
  *same = kept_take(scene, t, m.keep && m.kept == t->now.count, &status);
  return status;
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

/* Appends the contacts of a pair of bodies that has stood still. */
static pl_status append_held(pl_scene *scene, scene_scratch *t, collide_scratch *q, const kept_pair *pair)
{
  size_t n = pair->end - pair->begin;
  if (!array_reserve(&scene->context->def.allocator, &q->pairs, n))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu contacts", n);
  if (n) memcpy(q->pairs.data, t->held.data + pair->begin, n * sizeof *q->pairs.data);
  q->pairs.count = n;
  pl_body *a = scene->members.data[pair->proxies >> 32]->body, *b = scene->members.data[(uint32_t)pair->proxies]->body;
  return scene_append(scene->context, t, q, a, b);
}

/* Joins the contacts that were found and those that are kept from the last step, in order. */
static pl_status stage_gather(pl_scene *scene, scene_scratch *t, collide_scratch *q, const pl_collide_def *def)
{
  pl_status status = PL_OK;
  t->version = t->contacts.count = t->groups.count = 0;
  for (size_t i = 0; i < t->now.count && status == PL_OK; ++i) {
    kept_pair *pair = &t->now.data[i];
    size_t begin = t->contacts.count;
    status = pair->job == NO_JOB ? append_held(scene, t, q, pair)
                                 : gather_group(scene->context, t, q, &q->jobs.data[pair->job], def->sorted);
    pair->begin = begin;
    pair->end = t->contacts.count;
  }
  if (status != PL_OK || !keeps(def)) return status;
  updating_begin(scene->context);
  status = kept_store(scene, t, def);
  updating_end(scene->context);
  return status;
}

/* With a budget, runs one job after the other: each gets the rest of the budget. */
static pl_status collide_budget(pl_context *context, scene_scratch *t, collide_scratch *q, const pl_collide_def *def,
                                double start, pl_contacts *answer)
{
  pl_status status = PL_OK;
  t->version = t->contacts.count = t->groups.count = 0;
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
  bool same = false;
  if (status == PL_OK) status = stage_jobs(scene, t, q, def, answer, &same);
  updating_end(context);
  swept = timer_ms();
  bool budget = def->budget_tests || def->budget_ms > 0;
  if (status == PL_OK) /* body pairs -> triangle pairs */
    status = budget ? collide_budget(context, t, q, def, start, answer) : query_run(context, q, def, &answer->counters);
  collided = timer_ms();
  if (status == PL_OK && !budget && !same) status = stage_gather(scene, t, q, def); /* -> one list in order */
  answer->profile = (pl_profile){updated - start, swept - updated, collided - swept, timer_ms() - collided};
  answer->counters.ms_update = answer->profile.update;
  answer->counters.ms_query = answer->profile.sweep + answer->profile.collide + answer->profile.gather;
  return status;
}

pl_status scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
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
  if (status == PL_OK && (d.callback || d.filter || d.pairs))
    status =
        fail(context, PL_ERROR_UNSUPPORTED,
             "a scene gathers its contacts: callback, filter and pairs must be NULL; contact_filter sees the bodies");
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = scene_collide(scene, &d, out);
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
  array_free(allocator, &t->now);
  near_step_free(context, t);
  array_free(allocator, &t->held);
  array_free(allocator, &t->boxes);
  array_free(allocator, &t->candidates);
  array_free(allocator, &t->order);
  array_free(allocator, &t->ordering);
  array_free(allocator, &t->moved);
  array_free(allocator, &t->records);
}

const query_slot pl_inside_query_SCENES = {sizeof(scene_scratch), NULL, destroy};
