/* Moving questions of two bodies, one body, or a scene: pl_impacts(), pl_candidates(),
 * pl_windows(). In a scene the broad phase finds pairs of members whose boxes around the whole
 * way come near each other; only these are evaluated any further. */
#include "reference/moving.h"
#include "ask/ask.h"
#include "core/timer.h"

/* -------------------------------------------------------------------------------------- jobs -- */

typedef pl_status add_function(void *to, uint32_t i, uint32_t k);

/* Calls `add` for every two members that may be tested, and every member against itself that has
 * `self`, in the order of adding: a member against itself before its pairs with later ones.
 * `every`: also those that the broad phase has found to be apart. */
static pl_status add_members(const pl_scene *scene, bool every, add_function *add, void *to)
{
  const uint64_t *pairs = scene->broad.pairs.data;
  const size_t count = scene->members.count;
  pl_status status = PL_OK;
  size_t at = 0;
  for (size_t i = 0; i < count && status == PL_OK; ++i) {
    const membership *a = scene->members.data[i];
    if (a && a->options.self) status = add(to, (uint32_t)i, (uint32_t)i);
    for (size_t next = i + 1; status == PL_OK; ++next) {
      if (!every && (at == scene->broad.pairs.count || pairs[at] >> 32 != i)) break;
      const size_t k = every ? next : (uint32_t)pairs[at++];
      if (k >= count) break;
      if (a && scene->members.data[k] && members_meet(a, scene->members.data[k]))
        status = add(to, (uint32_t)i, (uint32_t)k);
    }
  }
  return status;
}

static pl_status add_job(pl_context *context, impact_jobs *jobs, pl_body *a, pl_body *b)
{
  if (!array_reserve(&context->def.allocator, jobs, jobs->count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", jobs->count);
  jobs->data[jobs->count++] = (impact_job){.a = a, .b = b};
  return PL_OK;
}

typedef struct scene_jobs {
  pl_scene *scene;
  impact_jobs *jobs;
} scene_jobs;

static pl_status add_scene_job(void *to, uint32_t i, uint32_t k)
{
  const scene_jobs *s = to;
  membership **members = s->scene->members.data;
  return add_job(s->scene->context, s->jobs, members[i]->body, members[k]->body);
}

/* The jobs of a question of kept and present poses. */
static pl_status make_jobs(pl_who who, double margin, bool every, impact_jobs *jobs, pl_counters *counters)
{
  jobs->count = 0;
  if (!who.scene) return add_job(who.a->context, jobs, who.a, who.b);
  pl_context *context = who.scene->context;
  scene_jobs to = {who.scene, jobs};
  const double start = timer_ms();
  updating_begin(context);
  pl_status status = every ? PL_OK : scene_sweep_ways(who.scene, margin, counters);
  if (status == PL_OK) status = add_members(who.scene, every, add_scene_job, &to);
  updating_end(context);
  if (!every) counters->ms_update = timer_ms() - start;
  return status;
}

/* The result is in the store, unless something failed. */
static pl_status answered(const ask *q, pl_status status, const pl_result **out)
{
  if (status == PL_OK) *out = &q->store->answer;
  return status;
}

/* ----------------------------------------------------------------------------------- impacts -- */

static bool is_thick(const pl_who *who)
{
  if (!who->scene) return who->a->thickness.most > 0 || who->b->thickness.most > 0;
  const membership *const *m = (const membership *const *)who->scene->members.data;
  for (size_t i = 0; i < who->scene->members.count; ++i)
    if (m[i] && m[i]->body->thickness.most > 0) return true;
  return false;
}

static pl_status check_impacts(const ask *q) { return impact_check(q->context, q->def, is_thick(&q->who)); }

/* Counts what was asked of the trees: of all jobs the same part. */
static void count_jobs(const ask *q, const impact_jobs *jobs)
{
  const pl_counters *c = &q->counters;
  const size_t n = jobs->count;
  if (q->def->reference || q->def->budget_ms > 0) return;
  for (size_t i = 0; i < n; ++i)
    update_walked_two(jobs->data[i].a->update, jobs->data[i].b->update, c->n_v / n, c->n_p / n);
}

static pl_status answer_impacts(ask *q, const pl_result **out)
{
  const pl_question *def = q->def;
  impact_scratch *s = q->scratch;
  s->thin = q->thin;
  pl_status status = make_jobs(q->who, def->margin, def->reference, &s->jobs, &q->counters);
  if (status != PL_OK) return status;
  status = (def->reference ? reference_impacts : impact_answer)(q->context, s, def, &q->counters, q->store);
  if (status == PL_OK) count_jobs(q, &s->jobs);
  return answered(q, status, out);
}

static const pair_question impacts_question = {
    .name = QUERY_IMPACT, .asked = ASKED_IMPACTS, .check = check_impacts, .answer = answer_impacts};

pl_status pl_impacts(pl_who who, const pl_question *how, const pl_result **out)
{
  return ask_question(&(ask){.question = &impacts_question, .who = who}, how, out);
}

pl_status impacts_thin(pl_who who, const pl_question *how, const pl_result **out)
{
  return ask_question(&(ask){.question = &impacts_question, .who = who, .thin = true}, how, out);
}

/* -------------------------------------------------------------------------------- candidates -- */

static pl_status check_candidates(const ask *q) { return candidates_check(q->context, q->def); }

static pl_status refuse_turns(pl_context *context, const impact_jobs *jobs)
{
  for (size_t i = 0; i < jobs->count; ++i)
    if (jobs->data[i].a->turn.kind != TURN_NONE || jobs->data[i].b->turn.kind != TURN_NONE)
      return fail(context, PL_ERROR_UNSUPPORTED,
                  "candidates are those of straight ways, but a body turns (pl_body_set_screw()): ask for impacts");
  return PL_OK;
}

static pl_status answer_candidates(ask *q, const pl_result **out)
{
  const pl_question *def = q->def;
  candidates_scratch *s = q->scratch;
  s->always = !q->who.scene;
  pl_status status = make_jobs(q->who, def->margin, def->reference, &s->jobs, &q->counters);
  if (status == PL_OK) status = refuse_turns(q->context, &s->jobs);
  if (status != PL_OK) return status;
  status = (def->reference ? reference_candidates : candidates_answer)(q->context, s, def, &q->counters, q->store);
  if (status == PL_OK) count_jobs(q, &s->jobs);
  return answered(q, status, out);
}

pl_status pl_candidates(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {
      .name = QUERY_CANDIDATES, .asked = ASKED_CANDIDATES, .check = check_candidates, .answer = answer_candidates};
  return ask_question(&(ask){.question = &row, .who = who}, how, out);
}

/* ----------------------------------------------------------------------------------- windows -- */

typedef struct scene_windows {
  pl_context *context;
  windows_scratch *scratch;
} scene_windows;

static pl_status add_scene_windows(void *to, uint32_t i, uint32_t k)
{
  const scene_windows *s = to;
  return windows_add_job(s->context, s->scratch, s->scratch->side_of.data[i], s->scratch->side_of.data[k]);
}

/* The sides of the members of a scene, in their order. */
static pl_status add_sides(const pl_scene *scene, windows_scratch *q)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    q->side_of.data[i] = (uint32_t)q->side_count;
    if (scene->members.data[i]) status = windows_add(scene->context, q, scene->members.data[i]->body);
  }
  return status;
}

static pl_status scene_windows_jobs(pl_scene *scene, windows_scratch *q, bool every, pl_counters *counters)
{
  pl_context *context = scene->context;
  if (!array_reserve(&context->def.allocator, &q->side_of, scene->members.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies", scene->members.count);
  scene_windows to = {context, q};
  pl_status status = add_sides(scene, q);
  if (status == PL_OK) status = every ? windows_reach(context, q) : windows_boxes(context, q, &counters->n_u);
  updating_begin(context);
  for (size_t i = 0; i < scene->members.count && status == PL_OK && !every; ++i)
    if (scene->members.data[i]) scene->broad.boxes.data[i] = windows_box(q, q->side_of.data[i]);
  if (status == PL_OK && !every) status = scene_find_pairs(scene);
  if (status == PL_OK) status = add_members(scene, every, add_scene_windows, &to);
  updating_end(context);
  return status;
}

static pl_status body_windows_jobs(pl_body *a, pl_body *b, windows_scratch *q, bool every, pl_counters *counters)
{
  pl_status status = windows_add(a->context, q, a);
  if (status == PL_OK && b != a) status = windows_add(a->context, q, b);
  if (status == PL_OK) status = every ? windows_reach(a->context, q) : windows_boxes(a->context, q, &counters->n_u);
  return status == PL_OK ? windows_add_job(a->context, q, 0, a != b) : status;
}

static pl_status answer_windows(ask *q, const pl_result **out)
{
  const double start = timer_ms();
  const bool reference = q->reference;
  windows_scratch *s = q->scratch;
  windows_begin(s, q->def);
  pl_status status = q->who.scene ? scene_windows_jobs(q->who.scene, s, reference, &q->counters)
                                  : body_windows_jobs(q->who.a, q->who.b, s, reference, &q->counters);
  if (status != PL_OK) return status;
  q->store->rows.count = q->store->groups.count = 0;
  status = (reference ? reference_windows : windows_answer)(q->context, s, &q->counters, q->store);
  if (status != PL_OK) return status;
  q->counters.ms_query = timer_ms() - start;
  windows_publish(&q->counters, q->store);
  return answered(q, PL_OK, out);
}

pl_status pl_windows(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {.name = QUERY_FLIGHT_WINDOWS, .asked = ASKED_WINDOWS, .answer = answer_windows};
  return ask_question(&(ask){.question = &row, .who = who}, how, out);
}
