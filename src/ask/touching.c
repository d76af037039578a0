/* Which triangles touch, of two bodies, of one, or of a scene. */
#include "ask/touching.h"
#include "query/pairs/self.h"

#include "core/timer.h"

#include <string.h>

/* -------------------------------------------------------------------------------------- jobs -- */

/* The method of one body, and the place that it walks. A scene has run the eager passes already. */
static pl_status take_self(ask *q, pl_body *body, place *at, self_walk *how)
{
  query_stages stages = {q->context, &q->counters, q->start, q->updated, ASKED_PAIRS};
  if (!q->locked) updating_begin(q->context);
  pl_status status = self_choose(body, how, &q->counters);
  if (!q->locked) updating_end(q->context);
  if (status == PL_OK && !q->locked && self_needs_tree(body, how)) status = query_update(&stages, &body, 1);
  if (status != PL_OK) return status;
  if (!q->locked) updating_begin(q->context);
  status = self_place(at, body, how, &q->counters);
  if (!q->locked) updating_end(q->context);
  /* patches were updated */
  if (status == PL_OK && at->side.tree != body->tree) stages.updated = timer_ms();
  if (!q->locked) q->updated = stages.updated;
  return status;
}

static pl_status add(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job_number)
{
  const pl_question *def = q->def;
  touching_scratch *s = q->scratch;
  if (!array_reserve(&q->context->def.allocator, &s->jobs, s->jobs.count + 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  touching_job *j = &s->jobs.data[s->jobs.count];
  const bool first = def->first && def->rings < 2; /* more rings leave rows out after the search */
  if (a != b) {
    if (!touching_prepare(j, a, b, at_a, at_b, def, &q->counters.n_v)) return PL_OK;
  } else if (self_method_of(def->self_method)->find) {
    *j = (touching_job){.a = a, .b = a, .method = self_method_of(def->self_method)};
  } else {
    self_walk how = {def->self_method, def->rings == 0};
    pl_status status = take_self(q, a, at_a, &how);
    if (status != PL_OK) return status;
    self_prepare(j, a, at_a, &how, first);
  }
  *job_number = (uint32_t)s->jobs.count++;
  return PL_OK;
}

/* The jobs do not move from here on. */
static void set_filters(touching_scratch *s, const pl_question *def)
{
  for (size_t i = 0; def->filter && i < s->jobs.count; ++i) {
    touching_job *j = &s->jobs.data[i];
    j->seen = ask_filter(def->filter, def->user, j->a, j->b);
    j->plan.filter = query_filter_bodies;
    j->plan.filter_user = &j->seen;
  }
}

/* ----------------------------------------------------------------------------------- running -- */

/* One job after the other: each gets the rest of the budget. */
static pl_status run_budget(ask *q, touching_scratch *s)
{
  const pl_question *def = q->def;
  touching_state *state = (touching_state *)q;
  pl_status status = PL_OK;
  for (size_t i = 0; i < s->jobs.count && status == PL_OK; ++i) {
    touching_job *j = &s->jobs.data[i];
    pl_question rest = *def;
    int level = 0;
    j->gathered = true;
    j->begin = j->end = s->pairs.count;
    if (def->budget_tests && q->who.scene) {
      state->partial = state->partial || q->counters.n_v >= def->budget_tests;
      rest.budget_tests -= q->counters.n_v;
    }
    if (state->partial) continue;
    if (j->method)
      status = j->method->find(s, j, &rest, q->start, &q->counters, &state->partial);
    else
      status = touching_run_budget(q->context, s, j, &rest, &q->counters, q->start, &state->partial, &level);
    if (!q->who.scene) state->level = level;
    j->end = s->pairs.count;
  }
  return status;
}

/* Walks in slices, so that the callback gets pairs early and may end the search. */
static pl_status run_callback(ask *q, touching_scratch *s)
{
  enum { SLICE = 4096 };
  const pl_question *def = q->def;
  touching_state *state = (touching_state *)q;
  touching_job *j = &s->jobs.data[0];
  walk *w = query_walk(s->walks, &j->plan, 0);
  w->serial = ++s->walks->serial;
  w->pairs.count = 0;
  w->leaf_limit = 0;
  j->gathered = true;
  if (!array_reserve(&q->context->locked, &w->stack, WALK_STEP))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for a walk");
  w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
  while (w->stack.count && !w->stopped && !state->partial) {
    w->pause_at = w->n_v + SLICE;
    query_step(q->context, w);
    for (size_t i = 0; i < w->pairs.count && !state->partial; ++i) {
      ++state->called;
      state->partial = !def->callback(def->user, j->a, j->b, w->pairs.data[i]);
    }
    w->pairs.count = 0;
  }
  if (w->status != PL_OK) return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
  counters_count(&q->counters, w->n_v, w->n_p, w->n_u);
  update_walked_two(j->plan.side[0]->owner, j->plan.side[1]->owner, w->n_v, w->n_p);
  return PL_OK;
}

static bool has_method(const touching_scratch *s)
{
  for (size_t i = 0; i < s->jobs.count; ++i)
    if (s->jobs.data[i].method) return true;
  return false;
}

static bool has_budget(const pl_question *def) { return def->budget_tests || def->budget_ms > 0; }

static pl_status run(ask *q)
{
  const pl_question *def = q->def;
  touching_scratch *s = q->scratch;
  set_filters(s, def);
  s->pairs.count = 0;
  const bool early = def->callback && !q->who.scene && !def->sorted && def->rings < 2;
  if (has_budget(def) || has_method(s)) return run_budget(q, s);
  if (early && s->jobs.count) return run_callback(q, s);
  return touching_run_jobs(q->context, s, def->first && def->rings < 2, &q->counters);
}

/* --------------------------------------------------------------------------------- gathering -- */

/* Leaves out rows of triangles that fewer than `rings` edges join. */
static pl_status leave_joined(ask *q, pl_body *body, uint32_t rings, row_list out, size_t begin)
{
  touching_scratch *s = q->scratch;
  const primitives *p = &body->tree->prims;
  ring_search *around = &s->walks->workers[0]->distance.around;
  const vertex_rings *edges = *out.count > begin ? body_rings(body) : NULL;
  if (*out.count == begin) return PL_OK;
  if (!edges) return PL_ERROR_MEMORY;
  if (!ring_search_reserve(&q->context->locked, around, edges->vertex_count) ||
      !array_reserve(&q->context->def.allocator, &s->places, p->triangle_count))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the rings of %u triangles", p->triangle_count);
  for (uint32_t i = 0; i < p->triangle_count; ++i) s->places.data[p->tri_id[i]] = i;
  size_t kept = begin;
  around->around = NULL;
  for (size_t i = begin; i < *out.count; ++i) {
    const pl_pair *pair = (const pl_pair *)(const void *)rows_at(out, i);
    const uint32_t *corners_a = p->tri + 3 * (size_t)s->places.data[pair->a];
    const uint32_t *corners_b = p->tri + 3 * (size_t)s->places.data[pair->b];
    if (rings_join(around, edges, rings - 1, corners_a, corners_b)) continue;
    memmove(rows_at(out, kept++), pair, out.size);
  }
  around->around = NULL;
  *out.count = kept;
  return PL_OK;
}

static pl_status gather(ask *q, uint32_t number, row_list out)
{
  const pl_question *def = q->def;
  touching_scratch *s = q->scratch;
  const touching_job *j = &s->jobs.data[number];
  const size_t begin = *out.count;
  if (!touching_gather(s, number, out)) return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu pairs", *out.count);
  if (j->a == j->b && def->rings > 1) {
    pl_status status = leave_joined(q, j->a, def->rings, out, begin);
    if (status != PL_OK) return status;
  }
  if (def->first && *out.count > begin + 1) *out.count = begin + 1;
  if (!def->sorted || touching_sort(s, out, begin, *out.count)) return PL_OK;
  return fail(q->context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", *out.count - begin);
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  const pl_question *def = q->def;
  body_filter seen = ask_filter(def->filter, def->user, a, b);
  reference_wish wish = {def->filter ? query_filter_bodies : NULL, &seen, def->rings, def->first};
  return a == b ? reference_self(a, &wish, out, &q->counters) : reference_pairs(a, b, &wish, out, &q->counters);
}

/* ------------------------------------------------------------------------------ the question -- */

static pl_status check(const ask *q)
{
  pl_context *context = q->context;
  const pl_question *how = q->def;
  if (how->pairs && how->callback)
    return fail(context, PL_ERROR_ARGUMENT, "use a callback or an array of pairs, not both");
  if (!self_method_of(how->self_method)) return fail(context, PL_ERROR_ARGUMENT, "unknown method of self-collision");
  return PL_OK;
}

void touching_start(touching_state *t, const pl_question *def)
{
  touching_scratch *s = t->asked.scratch;
  s->jobs.count = 0;
  t->asked.def = def;
  t->asked.reference = def->reference;
  t->asked.keeps = !def->filter && !has_budget(def);
  t->asked.options =
      (kept_options){.rings = def->rings, .method = (int)def->self_method, .first = def->first, .sorted = def->sorted};
}

/* Passes the rows to the callback one by one. */
static void hand_on(touching_state *t, const pl_question *def)
{
  const result_store *store = t->asked.store;
  const pl_pair *rows = (const void *)store->rows.data;
  bool ended = false; /* rows that a budget has left to find are still passed on */
  for (size_t g = 0; g < store->groups.count && !ended; ++g)
    for (size_t i = store->groups.data[g].begin; i < store->groups.data[g].end && !ended; ++i, ++t->called)
      ended = !def->callback(def->user, store->groups.data[g].a, store->groups.data[g].b, rows[i]);
  t->partial = t->partial || ended;
}

/* The rows, in the caller's array if there is one. After PL_ERROR_BUFFER the result is whole but
 * for the rows beyond that array. */
static pl_status publish(touching_state *t, const pl_question *def, const pl_result **out)
{
  const ask *q = &t->asked;
  if (def->callback) hand_on(t, def);
  pl_result *answer = ask_answer(q);
  if (def->callback) answer->pairs = NULL;
  answer->partial = t->partial;
  answer->level = t->partial ? t->level : 0;
  if (def->callback) {
    answer->count = t->called;
    answer->group_count = 0;
  }
  bool fits = true;
  if (def->pairs) {
    const size_t n = answer->count < def->capacity ? answer->count : def->capacity;
    if (n) memcpy(def->pairs, answer->pairs, n * sizeof *def->pairs);
    answer->pairs = def->pairs;
    fits = n == answer->count;
  }
  *out = answer;
  return fits ? PL_OK
              : fail(q->context, PL_ERROR_BUFFER, "%zu pairs, but room for %zu: give a larger array", answer->count,
                     def->capacity);
}

static pl_status answer(ask *q, const pl_result **out)
{
  touching_state *t = (touching_state *)q;
  touching_start(t, q->def);
  pl_status status = ask_run(q);
  return status == PL_OK ? publish(t, q->def, out) : status;
}

const pair_question touching_question = {.name = QUERY_TOUCHING,
                                         .kept = KEPT_TOUCHING,
                                         .row_size = sizeof(pl_pair),
                                         .member = offsetof(pl_result, pairs),
                                         .asked = ASKED_TOUCHING,
                                         .check = check,
                                         .answer = answer,
                                         .updates_self = true,
                                         .add = add,
                                         .run = run,
                                         .gather = gather,
                                         .reference = refer};

pl_status touching_find(ask *q, result_store *store, bool *partial)
{
  pl_question def = pl_question_default();
  def.sorted = q->def->sorted;
  def.reference = q->reference;
  def.rings = q->def->rings;
  def.filter = q->def->filter;
  def.user = q->def->user;
  def.budget_tests = q->def->budget_tests;
  def.budget_ms = q->def->budget_ms;
  touching_state t = {.asked = {.question = &touching_question, .who = q->who, .context = q->context, .store = store}};
  t.asked.scratch = query_scratch(q->context, QUERY_TOUCHING);
  if (!t.asked.scratch) return PL_ERROR_MEMORY;
  touching_start(&t, &def);
  pl_status status = ask_run(&t.asked);
  counters_add(&q->counters, &t.asked.counters);
  *partial = t.partial;
  return status;
}

pl_status pl_touching(pl_who who, const pl_question *how, const pl_result **out)
{
  touching_state t = {.asked = {.question = &touching_question, .who = who}};
  return ask_question(&t.asked, how, out);
}
