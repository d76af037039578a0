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
  query_stages stages = {q->context, &q->counters, q->start, q->updated, ASKED_PAIRS};
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
  return s->jobs.count ? near_run(q->context, s, &q->counters) : PL_OK;
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

static pl_status answer(ask *q, const pl_result **out)
{
  const pl_question *def = q->def;
  near_clear(q->scratch);
  q->keeps = !def->filter;
  q->options = (kept_options){.margin = def->margin,
                              .rings = def->rings,
                              .sorted = def->sorted,
                              .vertex_face = def->vertex_face,
                              .edge_edge = def->edge_edge};
  pl_status status = ask_run(q);
  return status == PL_OK ? ask_publish(q, out) : status;
}

/* Of features, or of triangles. */
#define NEAR_QUESTION(word, type, rows)                                                                                \
  {                                                                                                                    \
    .name = QUERY_##word, .kept = KEPT_##word, .row_size = sizeof(type), .member = offsetof(pl_result, rows),          \
    .asked = ASKED_##word, .thick = true, .answer = answer, .updates_self = true, .add = add, .run = run,              \
    .gather = gather, .reference = refer                                                                               \
  }

static const pair_question features_question = NEAR_QUESTION(NEAR, pl_feature_pair, features);
static const pair_question triangles_question = NEAR_QUESTION(NEAR_TRIANGLES, pl_near_pair, near_pairs);

pl_status pl_near(pl_who who, const pl_question *how, const pl_result **out)
{
  return ask_question(&(ask){.question = &features_question, .who = who}, how, out);
}

pl_status pl_near_triangles(pl_who who, const pl_question *how, const pl_result **out)
{
  return ask_question(&(ask){.question = &triangles_question, .who = who}, how, out);
}
