/* How deep bodies are in each other, for two bodies or all pairs of a scene. */
#include "query/pairs/penetration.h"
#include "ask/touching.h"

static pl_status add(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job)
{
  (void)at_a;
  (void)at_b;
  penetration_scratch *s = q->scratch;
  if (a == b) return PL_OK; /* a member with `self`: nothing of a surface is inside of itself */
  if (!array_reserve(&q->context->def.allocator, &s->jobs, s->jobs.count + 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  *job = (uint32_t)s->jobs.count;
  s->jobs.data[s->jobs.count++] = (penetration_job){.a = a, .b = b};
  return PL_OK;
}

static pl_status penetrate(ask *q, pl_body *a, pl_body *b)
{
  penetration_scratch *s = q->scratch;
  pl_question all = pl_question_default();
  all.reference = q->reference;
  bool partial; /* there is no budget */
  pl_status status = touching_find(q->context, pl_two(a, b), &all, &s->touching, &q->counters, &partial);
  if (status != PL_OK) return status;
  return penetration_bodies(q->context, s, a, b, q->reference ? points_signed_reference : points_signed, q->def,
                            &q->counters);
}

static pl_status run(ask *q)
{
  penetration_scratch *s = q->scratch;
  pl_status status = PL_OK;
  s->results.count = 0;
  for (size_t i = 0; i < s->jobs.count && status == PL_OK; ++i) {
    penetration_job *j = &s->jobs.data[i];
    j->begin = s->results.count;
    status = penetrate(q, j->a, j->b);
    j->end = s->results.count;
  }
  return status;
}

static pl_status append(ask *q, size_t begin, size_t end, row_list out)
{
  const penetration_scratch *s = q->scratch;
  if (begin == end || rows_append(&q->context->def.allocator, out, s->results.data + begin, end - begin)) return PL_OK;
  return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu penetrations", end - begin);
}

static pl_status gather(ask *q, uint32_t job, row_list out)
{
  const penetration_scratch *s = q->scratch;
  return append(q, s->jobs.data[job].begin, s->jobs.data[job].end, out);
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  penetration_scratch *s = q->scratch;
  if (a == b) return PL_OK;
  query_stages stages = query_start(q->context, &q->counters);
  s->results.count = 0;
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, 2);
  if (status == PL_OK) status = penetrate(q, a, b);
  return status == PL_OK ? append(q, 0, s->results.count, out) : status;
}

static const pair_question penetration_question = {.name = QUERY_PENETRATION,
                                                   .kept = KEPT_PENETRATION,
                                                   .row_size = sizeof(pl_penetration),
                                                   .add = add,
                                                   .run = run,
                                                   .gather = gather,
                                                   .reference = refer};

static pl_status check_closed(pl_body *body, const char *name)
{
  const closure *c = body_closure(body);
  if (!c) return PL_ERROR_MEMORY;
  if (c->kind != PL_CLOSURE_OPEN) return PL_OK;
  return fail(body->context, PL_ERROR_UNSUPPORTED,
              "body %s is open at %zu edges and has no inside: close it, or weld its vertices", name, c->edge_count);
}

static pl_status check_bodies(const pl_who *who)
{
  if (who->scene) return PL_OK;
  if (who->a == who->b)
    return fail(who->a->context, PL_ERROR_UNSUPPORTED,
                "a body's depth in itself is not supported: ask two bodies, or a scene");
  pl_status status = check_closed(who->a, "a");
  return status == PL_OK ? check_closed(who->b, "b") : status;
}

pl_status pl_penetrations(pl_who who, const pl_question *how, const pl_result **out)
{
  ask q = {.question = &penetration_question, .who = who};
  pl_question d;
  call c;
  pl_status status = ask_check(&q, ASKED_PENETRATIONS, how, &d, out);
  if (status == PL_OK) status = ask_enter(&q, &c);
  if (status != PL_OK) return status;
  ((penetration_scratch *)q.scratch)->jobs.count = 0;
  status = check_bodies(&who);
  if (status == PL_OK) status = ask_run(&q);
  if (status == PL_OK) {
    pl_result answer = result_of(q.store, &q.counters);
    answer.penetrations = (const void *)q.store->rows.data;
    *out = result_publish(q.store, &answer);
  }
  call_query_end(&c);
  return status;
}
