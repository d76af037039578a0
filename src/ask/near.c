/* What is near: features or triangles within a margin, of two bodies, of one, or of a scene. */
#include "ask/ask.h"
#include "core/timer.h"

static near_wish wish_of(const ask *q)
{
  const pl_question *def = q->def;
  return (near_wish){def->margin, q->question->name == QUERY_NEAR, def->vertex_face, def->edge_edge, def->rings};
}

static void lock(const ask *q)
{
  if (!q->locked) updating_begin(q->context);
}

static void unlock(const ask *q)
{
  if (!q->locked) updating_end(q->context);
}

/* One body over its patches, if they serve: its own tree is then left as it is. */
static pl_status take_self(ask *q, pl_body *body, place **at, near_patches **within)
{
  query_stages stages = {q->context, &q->counters, q->start, q->updated};
  const near_wish wish = wish_of(q);
  lock(q);
  pl_status status = near_within(q->scratch, body, &wish, within);
  unlock(q);
  if (status != PL_OK) return status;
  if (*within) {
    *at = &(*within)->at;
    if (!q->locked) q->updated = timer_ms();
    return PL_OK;
  }
  if (!q->locked) status = query_update(&stages, &body, 1); /* a scene has run the eager passes */
  if (status == PL_OK) q->counters.n_u += place_make(*at, body);
  q->updated = stages.updated;
  return status;
}

static pl_status add(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job)
{
  near_scratch *s = q->scratch;
  const near_wish wish = wish_of(q);
  near_patches *within = NULL;
  pl_status status = a == b ? take_self(q, a, &at_a, &within) : PL_OK;
  if (status != PL_OK) return status;
  lock(q);
  status = near_add(q->context, s, a, b, at_a, a == b ? at_a : at_b, within, &wish);
  unlock(q);
  if (status == PL_OK) *job = (uint32_t)s->jobs.count - 1;
  return status;
}

static pl_status run(ask *q)
{
  const pl_question *def = q->def;
  near_scratch *s = q->scratch;
  for (size_t i = 0; def->filter && i < s->jobs.count; ++i) { /* the jobs do not move from here on */
    near_job *j = &s->jobs.data[i];
    j->seen = ask_filter(def->filter, def->user, j->a, j->b);
    j->plan.walk.filter = query_filter_bodies;
    j->plan.walk.filter_user = &j->seen;
  }
  return s->jobs.count ? near_run(q->context, s, def->margin, &q->counters) : PL_OK;
}

static pl_status gather(ask *q, uint32_t job, row_list out)
{
  const pl_question *def = q->def;
  if (near_gather(q->scratch, job, def->sorted, out)) return PL_OK;
  return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  const pl_question *def = q->def;
  const near_wish wish = wish_of(q);
  body_filter seen = ask_filter(def->filter, def->user, a, b);
  reference_wish leave = {def->filter ? query_filter_bodies : NULL, &seen, def->rings, false};
  return reference_near(a, b, &wish, &leave, out, &q->counters);
}

static const pair_question features_question = {.name = QUERY_NEAR,
                                                .kept = KEPT_NEAR,
                                                .row_size = sizeof(pl_feature_pair),
                                                .updates_self = true,
                                                .add = add,
                                                .run = run,
                                                .gather = gather,
                                                .reference = refer};

static const pair_question triangles_question = {.name = QUERY_NEAR_TRIANGLES,
                                                 .kept = KEPT_NEAR_TRIANGLES,
                                                 .row_size = sizeof(pl_near_pair),
                                                 .updates_self = true,
                                                 .add = add,
                                                 .run = run,
                                                 .gather = gather,
                                                 .reference = refer};

/* Asks; the rows are in q->store then. `full` gets the whole question, which q refers to. */
static pl_status find(ask *q, asked_name what, const pl_question *how, pl_question *full, const pl_result **out)
{
  call c;
  pl_status status = ask_check(q, what, how, full, out);
  if (status == PL_OK) status = ask_enter(q, &c);
  if (status != PL_OK) return status;
  near_clear(q->scratch);
  q->keeps = !full->filter;
  q->options = (kept_options){.margin = full->margin,
                              .rings = full->rings,
                              .sorted = full->sorted,
                              .vertex_face = full->vertex_face,
                              .edge_edge = full->edge_edge};
  status = ask_run(q);
  call_query_end(&c);
  return status;
}

pl_status pl_near(pl_who who, const pl_question *how, const pl_result **out)
{
  ask q = {.question = &features_question, .who = who};
  pl_question full;
  pl_status status = find(&q, ASKED_NEAR, how, &full, out);
  if (status != PL_OK) return status;
  pl_result answer = ask_result(&q);
  answer.features = (const void *)q.store->rows.data;
  *out = result_publish(q.store, &answer);
  return PL_OK;
}

pl_status pl_near_triangles(pl_who who, const pl_question *how, const pl_result **out)
{
  ask q = {.question = &triangles_question, .who = who};
  pl_question full;
  pl_status status = find(&q, ASKED_NEAR_TRIANGLES, how, &full, out);
  if (status != PL_OK) return status;
  pl_result answer = ask_result(&q);
  answer.near_pairs = (const void *)q.store->rows.data;
  *out = result_publish(q.store, &answer);
  return PL_OK;
}
