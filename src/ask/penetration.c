/* How deep bodies are in each other: two, one in itself, or all of a scene. */
#include "query/pairs/penetration.h"
#include "ask/touching.h"
#include "core/timer.h"

/* The question, with that of the pairs that it depends on. */
typedef struct penetration_ask {
  ask asked; /* first */
  touching_state touching;
  pl_question pairs; /* its definition */
} penetration_ask;

static void lend(const ask *q, ask *to)
{
  to->locked = q->locked;
  to->start = q->start;
  to->updated = q->updated;
}

static pl_status add(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job)
{
  penetration_scratch *s = q->scratch;
  ask *touching = &((penetration_ask *)q)->touching.asked;
  uint32_t pairs = NO_JOB;
  lend(q, touching);
  pl_status status = touching_question.add(touching, a, b, at_a, at_b, &pairs);
  if (!q->locked) q->updated = touching->updated;
  if (status != PL_OK || pairs == NO_JOB) return status;
  *job = (uint32_t)s->bodies.count;
  return penetration_add(q->context, s, a, b, pairs);
}

/* Sets the pairs of the jobs of bodies, which are at the end of the list. */
static void take_pairs(penetration_scratch *s, const penetration_pair *p, size_t begin)
{
  for (size_t i = p->begin; i < p->end; ++i) {
    s->jobs.data[i].begin = begin;
    s->jobs.data[i].end = s->pairs.count;
  }
}

static pl_status run(ask *q)
{
  penetration_scratch *s = q->scratch;
  ask *touching = &((penetration_ask *)q)->touching.asked;
  pl_status status = touching_question.run(touching);
  for (size_t i = 0; i < s->bodies.count && status == PL_OK; ++i) {
    const size_t begin = s->pairs.count;
    status = touching_question.gather(touching, s->bodies.data[i].touching, ROWS(&s->pairs));
    take_pairs(s, &s->bodies.data[i], begin);
  }
  counters_add(&q->counters, &touching->counters);
  return status == PL_OK ? penetration_run_jobs(q->context, s, &q->counters) : status;
}

static pl_status gather(ask *q, uint32_t job, row_list out)
{
  if (penetration_gather(q->scratch, job, out)) return PL_OK;
  return fail(q->context, PL_ERROR_MEMORY, "no memory for the penetrations");
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  penetration_scratch *s = q->scratch;
  ask *touching = &((penetration_ask *)q)->touching.asked;
  penetration_clear(s, q->def);
  pl_status status = penetration_add(q->context, s, a, b, 0);
  if (status == PL_OK) status = touching_question.reference(touching, a, b, ROWS(&s->pairs));
  if (status != PL_OK) return status;
  take_pairs(s, s->bodies.data, 0);
  status = penetration_run_jobs(q->context, s, &q->counters);
  return status == PL_OK ? gather(q, 0, out) : status;
}

static pl_status answer(ask *q, const pl_result **out)
{
  penetration_ask *p = (penetration_ask *)q;
  p->pairs = pl_question_default();
  p->pairs.rings = 0; /* neighbours may cross beyond what they share */
  p->touching.asked = (ask){.question = &touching_question, .who = q->who, .context = q->context};
  p->touching.asked.scratch = query_scratch(q->context, QUERY_TOUCHING);
  if (!p->touching.asked.scratch) return fail(q->context, PL_ERROR_MEMORY, "no memory for the penetrations");
  touching_start(&p->touching, &p->pairs);
  penetration_clear(q->scratch, q->def);
  pl_status status = ask_run(q);
  return status == PL_OK ? ask_publish(q, out) : status;
}

pl_status pl_penetrations(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {.name = QUERY_PENETRATION,
                                    .kept = KEPT_PENETRATION,
                                    .row_size = sizeof(pl_penetration),
                                    .member = offsetof(pl_result, penetrations),
                                    .asked = ASKED_PENETRATIONS,
                                    .answer = answer,
                                    .add = add,
                                    .run = run,
                                    .gather = gather,
                                    .reference = refer};
  penetration_ask q = {.asked = {.question = &row, .who = who}};
  return ask_question(&q.asked, how, out);
}
