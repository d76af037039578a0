#include "ask/ask.h"

#include "core/timer.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ checks -- */

pl_status ask_check(ask *q, asked_name what, const pl_question *how, pl_question *full, const pl_result **out)
{
  if (out) *out = NULL;
  pl_status status = who_check(q->who, out, &q->context);
  if (status == PL_OK) status = question_take(q->context, what, how, full);
  q->def = full;
  q->reference = status == PL_OK && full->reference;
  return status;
}

pl_status ask_enter(ask *q, call *c)
{
  pl_status status = who_enter(c, q->who);
  if (status != PL_OK) return status;
  status = result_store_take(q->context, q->def->holder, q->question->name, &q->store);
  q->scratch = status == PL_OK ? query_scratch(q->context, q->question->name) : NULL;
  if (q->scratch) return PL_OK;
  call_query_end(c);
  return status == PL_OK ? PL_ERROR_MEMORY : status;
}

pl_status ask_question(ask *q, const pl_question *how, const pl_result **out)
{
  const pair_question *row = q->question;
  pl_question full;
  call c;
  pl_status status = ask_check(q, row->asked, how, &full, out);
  if (status == PL_OK && row->check) status = row->check(q);
  if (status == PL_OK) status = ask_enter(q, &c);
  if (status != PL_OK) return status;
  status = row->answer(q, out);
  call_query_end(&c);
  return status;
}

/* -------------------------------------------------------------------------------------- rows -- */

static row_list rows_of(ask *q)
{
  row_list rows = ROWS(&q->store->rows);
  rows.size = q->question->row_size;
  return rows;
}

static void clear(ask *q) { q->store->rows.count = q->store->groups.count = q->store->version = 0; }

/* ------------------------------------------------------------------------------------ bodies -- */

static pl_status ask_bodies(ask *q)
{
  pl_body *a = q->who.a, *b = q->who.b;
  const pair_question *row = q->question;
  const bool is_one = a == b;
  place at[2];
  query_stages stages = {q->context, &q->counters, q->start, q->start, ASKED_PAIRS};
  pl_status status = PL_OK;
  uint32_t job = NO_JOB;
  if (!is_one || !row->updates_self) status = query_update(&stages, (pl_body *[]){a, b}, is_one ? 1 : 2);
  if (status != PL_OK) return status;
  q->updated = stages.updated;
  if (is_one) {
    at[0].known = false;
  } else {
    place_make(&at[0], a);
    place_make(&at[1], b);
  }
  status = row->add(q, a, b, &at[0], &at[!is_one], &job);
  clear(q);
  if (status != PL_OK || job == NO_JOB) return status;
  status = row->run(q);
  if (status == PL_OK) status = row->gather(q, job, rows_of(q));
  return status == PL_OK ? result_store_group(q->context, q->store, a, b, 0) : status;
}

/* ------------------------------------------------------------------------------------ scenes -- */

/* Body pairs on their way to jobs: pairs of two bodies, and of a body with itself, in ascending
 * order. */
typedef struct job_making {
  ask *asked;
  scene_scratch *scratch;
  scene_step *step;
  bool keep;   /* the last rows may be used again */
  size_t from; /* where to search in them */
  size_t kept; /* number of pairs taken from them */
} job_making;

static pl_status add_pair(job_making *m, uint64_t proxies)
{
  ask *q = m->asked;
  pl_scene *scene = q->who.scene;
  const uint32_t first = (uint32_t)(proxies >> 32), second = (uint32_t)proxies;
  const bool two = first != second;
  if (!array_reserve(&q->context->def.allocator, &m->step->now, m->step->now.count + 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  kept_pair *pair = &m->step->now.data[m->step->now.count++];
  *pair = kept_pair_now(scene, proxies);
  const kept_rows *k = &scene->kept[q->question->kept];
  const kept_pair *last = m->keep ? kept_find(k->pairs.data, k->pairs.count, pair, &m->from) : NULL;
  q->body_pairs += two;
  if (last) {
    pair->begin = last->begin;
    pair->end = last->end;
    ++m->kept;
    q->kept_pairs += two;
    return PL_OK;
  }
  pl_body *a = scene->members.data[first]->body, *b = scene->members.data[second]->body;
  place *at_a = two ? scene_place_of(scene, m->scratch, first, &q->counters.n_u) : &m->scratch->selves.data[first];
  place *at_b = two ? scene_place_of(scene, m->scratch, second, &q->counters.n_u) : at_a;
  return q->question->add(q, a, b, at_a, at_b, &pair->job);
}

/* The members [*next, end) that are asked about themselves. */
static pl_status add_selves(job_making *m, size_t *next, size_t end)
{
  pl_status status = PL_OK;
  for (; *next < end && status == PL_OK; ++*next) {
    const membership *member = m->asked->who.scene->members.data[*next];
    if (member && member->options.self) status = add_pair(m, (uint64_t)*next << 32 | *next);
  }
  return status;
}

/* Turns body pairs into jobs, except those of bodies that have not moved. *same becomes true if
 * no body has moved and the store already has their rows. */
static pl_status add_jobs(ask *q, scene_scratch *t, scene_step *step, bool *same)
{
  pl_scene *scene = q->who.scene;
  job_making m = {.asked = q, .scratch = t, .step = step};
  m.keep = q->keeps && kept_fits(&scene->kept[q->question->kept], &q->options);
  size_t next = 0;
  pl_status status = PL_OK;
  step->now.count = step->held.count = 0;
  if (!array_reserve(&q->context->def.allocator, &t->selves, scene->members.count))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the places of bodies");
  for (size_t i = 0; i < scene->broad.pairs.count && status == PL_OK; ++i) {
    uint64_t proxies = scene->broad.pairs.data[i];
    status = add_selves(&m, &next, (size_t)(proxies >> 32) + 1);
    bool meet = members_meet(scene->members.data[proxies >> 32], scene->members.data[(uint32_t)proxies]);
    if (status == PL_OK && meet) status = add_pair(&m, proxies);
  }
  if (status == PL_OK) status = add_selves(&m, &next, scene->members.count);
  if (status != PL_OK) return status;
  const bool all = m.keep && m.kept == step->now.count;
  return kept_take(scene, q->question->kept, step, q->question->row_size, all, q->store->version, same);
}

/* Joins the rows that were found and those that are kept, in order. */
static pl_status gather(ask *q, scene_step *step)
{
  pl_status status = PL_OK;
  const row_list rows = rows_of(q);
  q->store->version = q->store->rows.count = 0;
  for (size_t i = 0; i < step->now.count && status == PL_OK; ++i) {
    kept_pair *pair = &step->now.data[i];
    const size_t begin = q->store->rows.count;
    if (pair->job != NO_JOB)
      status = q->question->gather(q, pair->job, rows);
    else if (!rows_append(&q->context->def.allocator, rows, step->held.data + pair->begin * rows.size,
                          pair->end - pair->begin))
      status = fail(q->context, PL_ERROR_MEMORY, "no memory for the rows that were found");
    pair->begin = begin;
    pair->end = q->store->rows.count;
  }
  if (status != PL_OK) return status;
  /* nothing was searched: these are the rows that the scene keeps */
  q->store->version = step->source;
  if (!q->keeps || step->source) return PL_OK;
  updating_begin(q->context);
  status = kept_store(q->who.scene, q->question->kept, step, &q->options, rows, &q->store->version);
  updating_end(q->context);
  return status;
}

static pl_status group(ask *q, const scene_step *step)
{
  const pl_scene *scene = q->who.scene;
  result_store *store = q->store;
  store->groups.count = 0;
  if (!array_reserve(&q->context->def.allocator, &store->groups, step->now.count))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", step->now.count);
  for (size_t i = 0; i < step->now.count; ++i) {
    const kept_pair *p = &step->now.data[i];
    pl_body *a = scene->members.data[p->proxies >> 32]->body, *b = scene->members.data[(uint32_t)p->proxies]->body;
    if (p->end > p->begin) store->groups.data[store->groups.count++] = (pl_group){a, b, p->begin, p->end};
  }
  return PL_OK;
}

static pl_status ask_scene(ask *q)
{
  scene_scratch *t = query_scratch(q->context, QUERY_SCENES);
  if (!t) return PL_ERROR_MEMORY;
  pl_scene *scene = q->who.scene;
  scene_step *step = &t->step[q->question->kept];
  bool same = false;
  updating_begin(q->context);
  q->locked = true;
  pl_status status = scene_update(scene, ASKED_PAIRS, &q->counters); /* positions  -> volumes    */
  q->updated = timer_ms();
  /* -> body pairs */
  if (status == PL_OK) status = scene_sweep_within(scene, t, q->options.margin, q->question->thick, &q->counters);
  /* -> jobs */
  if (status == PL_OK) status = add_jobs(q, t, step, &same);
  q->locked = false;
  updating_end(q->context);
  const double swept = timer_ms();
  if (status == PL_OK) status = q->question->run(q); /* -> rows */
  const double walked = timer_ms();
  if (status == PL_OK && !same) status = gather(q, step); /* -> one list in order */
  if (status == PL_OK) status = group(q, step);
  q->ms_sweep = swept - q->updated;
  q->ms_walk = walked - swept;
  q->ms_gather = timer_ms() - walked;
  return status;
}

/* --------------------------------------------------------------------------------- reference -- */

static pl_status refer(ask *q, pl_body *a, pl_body *b)
{
  const size_t begin = q->store->rows.count;
  pl_status status = q->question->reference(q, a, b, rows_of(q));
  return status == PL_OK ? result_store_group(q->context, q->store, a, b, begin) : status;
}

static pl_status ask_reference(ask *q)
{
  clear(q);
  if (!q->who.scene) return refer(q, q->who.a, q->who.b);
  const pl_scene *scene = q->who.scene;
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !members_are_asked(a, b)) continue;
      q->body_pairs += i != k;
      status = refer(q, a->body, b->body);
    }
  return status;
}

pl_status ask_run(ask *q)
{
  q->start = q->updated = timer_ms();
  pl_status status = q->reference ? ask_reference(q) : q->who.scene ? ask_scene(q) : ask_bodies(q);
  if (status != PL_OK) clear(q);
  q->counters.ms_update = q->updated - q->start;
  q->counters.ms_query = timer_ms() - q->updated;
  return status;
}

pl_result *ask_answer(const ask *q)
{
  pl_result *answer = &q->store->answer;
  const void *rows = q->store->rows.data;
  *answer = (pl_result){.count = q->store->rows.count,
                        .groups = q->store->groups.data,
                        .group_count = q->store->groups.count,
                        .counters = q->counters,
                        .body_pairs = q->body_pairs,
                        .kept_pairs = q->kept_pairs,
                        .ms_sweep = q->ms_sweep,
                        .ms_walk = q->ms_walk,
                        .ms_gather = q->ms_gather};
  if (q->question->member) memcpy((char *)answer + q->question->member, &rows, sizeof rows);
  return answer;
}
