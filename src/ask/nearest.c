/* The least distance of two bodies, within one, of a scene, or of each pair of bodies of a
 * scene. */
#include "ask/nearest.h"

#include "core/timer.h"

#include <string.h>

static pl_distance row_of(pl_body *a, pl_body *b, const distance_found *d)
{
  pl_distance row = {.a = a,
                     .b = b,
                     .distance = d->distance,
                     .lower = d->lower,
                     .triangle_a = d->triangle_a,
                     .triangle_b = d->triangle_b};
  memcpy(row.point_a, d->point_a, sizeof row.point_a);
  memcpy(row.point_b, d->point_b, sizeof row.point_b);
  return row;
}

/* ------------------------------------------------------------- each pair of a scene's bodies -- */

typedef struct nearest_state {
  ask asked; /* first */
  bool partial;
  size_t body_pairs;
} nearest_state;

static pl_status add(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job)
{
  distance_scratch *s = q->scratch;
  if (!array_reserve(&q->context->def.allocator, &s->jobs, s->jobs.count + 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  *job = (uint32_t)s->jobs.count;
  s->jobs.data[s->jobs.count++] = (distance_job){.a = a, .b = b};
  return PL_OK;
}

/* One pair after the other: each search uses all workers, and gets the rest of the budget. */
static pl_status run(ask *q)
{
  nearest_state *state = (nearest_state *)q;
  const pl_question *def = q->def;
  distance_scratch *s = q->scratch;
  pl_status status = PL_OK;
  for (size_t i = 0; i < s->jobs.count && status == PL_OK && !state->partial; ++i) {
    distance_job *j = &s->jobs.data[i];
    const pl_question rest = nearest_rest(def, q->counters.n_v, q->start);
    distance_found found;
    status = distance_bodies(j->a, j->b, &rest, &found);
    if (status != PL_OK) break;
    counters_add(&q->counters, &found.counters);
    state->partial = found.partial;
    ++state->body_pairs;
    j->found = found.triangle_a != UINT32_MAX;
    j->row = row_of(j->a, j->b, &found);
  }
  return status;
}

static pl_status gather(ask *q, uint32_t job, row_list out)
{
  const distance_scratch *s = q->scratch;
  if (!s->jobs.data[job].found || rows_append(&q->context->def.allocator, out, &s->jobs.data[job].row, 1)) return PL_OK;
  return fail(q->context, PL_ERROR_MEMORY, "no memory for the distances of bodies");
}

static pl_status measure_reference(ask *q, pl_body *a, pl_body *b, distance_found *out)
{
  const pl_question *def = q->def;
  body_filter seen = ask_filter(def->filter, def->user, a, b);
  reference_wish wish = {def->filter ? query_filter_bodies : NULL, &seen, def->rings, false};
  pl_status status = reference_distance(a, b, &wish, def->margin, out);
  if (status == PL_OK) counters_add(&q->counters, &out->counters);
  return status;
}

static pl_status refer(ask *q, pl_body *a, pl_body *b, row_list out)
{
  distance_found found;
  pl_status status = measure_reference(q, a, b, &found);
  ++((nearest_state *)q)->body_pairs;
  if (status != PL_OK || found.triangle_a == UINT32_MAX) return status;
  pl_distance row = row_of(a, b, &found);
  return reference_append(q->context, out, &row) ? PL_OK : PL_ERROR_MEMORY;
}

/* -------------------------------------------------------------------------- the least of all -- */

/* Without trees: the least row of each pair; the first of equal ones. */
static pl_status least_reference(nearest_state *n, const pl_question *def, pl_distance *out)
{
  pl_status status = ask_run(&n->asked);
  const pl_distance *rows = status == PL_OK ? (const void *)n->asked.store->rows.data : NULL;
  for (size_t i = 0; rows && i < n->asked.store->rows.count; ++i)
    if (!out->a || rows[i].distance < out->distance) *out = rows[i];
  if (!out->a) out->lower = def->margin;
  return status;
}

static pl_status least(nearest_state *n, const pl_question *def, pl_distance *out)
{
  ask *q = &n->asked;
  *out = (pl_distance){.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  if (def->reference) {
    pl_status status = least_reference(n, def, out);
    if (q->who.scene || status != PL_OK) return status;
    out->a = q->who.a;
    out->b = q->who.b;
    return PL_OK;
  }
  scene_nearest found = {.a = q->who.a, .b = q->who.b};
  pl_status status = q->who.scene ? nearest_scene(q->who.scene, def, &found)
                                  : distance_bodies(q->who.a, q->who.b, def, &found.distance);
  if (status != PL_OK) return status;
  *out = row_of(found.a, found.b, &found.distance);
  n->partial = found.distance.partial;
  n->body_pairs = found.body_pairs;
  q->counters = found.distance.counters;
  return PL_OK;
}

/* ------------------------------------------------------------------------------ the question -- */

pl_question nearest_rest(const pl_question *def, uint64_t tests, double start)
{
  pl_question rest = *def;
  if (def->budget_tests) rest.budget_tests = def->budget_tests > tests ? def->budget_tests - tests : 1;
  if (def->budget_ms > 0) rest.budget_ms = fmax(def->budget_ms - (timer_ms() - start), 1e-9);
  return rest;
}

bool nearest_keeps(const pl_question *def)
{
  return !def->filter && !def->first && def->relative == 0 && def->absolute == 0 && !def->budget_tests &&
         !(def->budget_ms > 0);
}

/* The only row, without `each`. */
static pl_status store_least(nearest_state *n, const pl_question *def)
{
  ask *q = &n->asked;
  pl_distance row;
  pl_status status = least(n, def, &row);
  if (status != PL_OK) return status;
  q->store->rows.count = q->store->groups.count = q->store->version = 0;
  if (!rows_append(&q->context->def.allocator, STORE_ROWS(q->store, pl_distance), &row, 1) ||
      !array_reserve(&q->context->def.allocator, &q->store->groups, 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for a distance");
  if (row.a) q->store->groups.data[q->store->groups.count++] = (pl_group){row.a, row.b, 0, 1};
  return PL_OK;
}

static pl_status answer(ask *q, const pl_result **out)
{
  nearest_state *n = (nearest_state *)q;
  const pl_question *def = q->def;
  ((distance_scratch *)q->scratch)->jobs.count = 0;
  q->keeps = nearest_keeps(def);
  q->options = (kept_options){.margin = def->margin, .rings = def->rings};
  pl_status status = q->who.scene && def->each ? ask_run(q) : store_least(n, def);
  if (status != PL_OK) return status;
  pl_result *answer = ask_answer(q);
  answer->partial = n->partial;
  answer->body_pairs = n->body_pairs;
  answer->kept_pairs = 0;
  *out = answer;
  return PL_OK;
}

static const pair_question each_question = {.name = QUERY_NEAREST,
                                            .kept = KEPT_NEAREST,
                                            .row_size = sizeof(pl_distance),
                                            .member = offsetof(pl_result, distances),
                                            .asked = ASKED_NEAREST,
                                            .answer = answer,
                                            .updates_self = true,
                                            .add = add,
                                            .run = run,
                                            .gather = gather,
                                            .reference = refer};

pl_status pl_nearest(pl_who who, const pl_question *how, const pl_result **out)
{
  nearest_state n = {.asked = {.question = &each_question, .who = who}};
  return ask_question(&n.asked, how, out);
}
