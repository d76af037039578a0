/* Spheres that touch: checks, jobs and gathering. */
#include "query/spheres/contacts.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ checks -- */

static pl_status check_planes(pl_context *context, const pl_question *d)
{
  if (d->plane_count && !d->planes) return query_refuse_null(context, "planes");
  for (size_t i = 0; i < d->plane_count; ++i) {
    const double *n = d->planes[i].normal;
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(fabs(square - 1) < 1e-6) || !isfinite(d->planes[i].offset))
      return fail(context, PL_ERROR_ARGUMENT, "plane %zu: its normal must have length 1 and its offset be finite", i);
  }
  return PL_OK;
}

pl_status contact_check(pl_context *context, const pl_question *how)
{
  pl_status status = PL_OK;
  if (how->level < PL_LEVEL_ALL)
    status = fail(context, PL_ERROR_ARGUMENT, "level %d: 0 or more, or PL_LEVEL_ALL", how->level);
  if (status == PL_OK) status = query_check_amount(context, how->reach, "the reach");
  for (size_t i = 0; status == PL_OK && how->margins && i < how->margin_count; ++i)
    status = query_check_amount(context, how->margins[i], "a margin");
  return status == PL_OK ? check_planes(context, how) : status;
}

pl_status contact_check_body(const pl_body *body)
{
  if (body->spheres) return PL_OK;
  return fail(body->context, PL_ERROR_UNSUPPORTED,
              "a %s body has no spheres of points: create it with pl_body_create_match()",
              pl_word(PL_WORDS_MOTION, body->motion.name));
}

/* ----------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  contact_scratch *q = scratch;
  q->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->workers);
  return q->workers && runner_create(&q->run, context, &contact_jobs, NULL);
}

static void destroy(pl_context *context, void *scratch)
{
  contact_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; q->workers && i < context->threads; ++i) {
    contact_worker *w = &q->workers[i];
    array_free_all(allocator, &w->stack, &w->found, &w->sorting, &w->touches, &w->points);
  }
  runner_destroy(&q->run);
  mem_free(allocator, q->workers);
  array_free_all(allocator, &q->bodies, &q->pairs, &q->sorting, &q->ends, &q->overlaps, &q->jobs);
  for (int i = 0; i < 2; ++i) array_free(allocator, &q->level[i]);
}

const query_slot pl_inside_query_SPHERES = {sizeof(contact_scratch), create, destroy};

contact_scratch *contact_begin(pl_context *context)
{
  contact_scratch *q = query_scratch(context, QUERY_SPHERES);
  if (q) q->bodies.count = q->pairs.count = q->jobs.count = 0;
  return q;
}

pl_status contact_no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for the spheres that touch");
}

pl_status contact_add(pl_context *context, contact_scratch *q, const pl_question *def, const contact_body *b)
{
  const size_t index = q->bodies.count;
  if (def->margins && index >= def->margin_count)
    return fail(context, PL_ERROR_ARGUMENT, "%zu margins: there must be one for each body", def->margin_count);
  if (!array_reserve(&context->def.allocator, &q->bodies, index + 1)) return contact_no_memory(context);
  contact_body *own = &q->bodies.data[q->bodies.count++];
  *own = *b;
  own->spheres = b->body->spheres;
  own->margin = def->margins ? round_up(def->margins[index]) : 0;
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- running -- */

/* The spheres of level 0 of all bodies. */
static void refit_tops(const contact_query *t, pl_counters *counters)
{
  for (size_t i = 0; i < t->scratch->bodies.count; ++i) {
    spheres *s = t->scratch->bodies.data[i].spheres;
    for (uint32_t block = 0; block < s->level[0].blocks; ++block)
      counters->n_u += spheres_ensure(s, LAYER_SHAPES, 0, block);
  }
}

/* Planes first, with one job for each body; then one job for each pair. */
static pl_status list_jobs(contact_query *t)
{
  contact_scratch *q = t->scratch;
  size_t planes = t->def->plane_count ? q->bodies.count : 0;
  if (!array_reserve(&t->context->def.allocator, &q->jobs, planes + q->pairs.count))
    return contact_no_memory(t->context);
  for (size_t i = 0; i < planes; ++i)
    q->jobs.data[q->jobs.count++] = (contact_job){.a = (uint32_t)i, .b = CONTACT_PLANES};
  for (size_t i = 0; i < q->pairs.count; ++i)
    q->jobs.data[q->jobs.count++] =
        (contact_job){.a = (uint32_t)(q->pairs.data[i] >> 32), .b = (uint32_t)q->pairs.data[i]};
  return PL_OK;
}

static pl_status run_jobs(contact_query *t, pl_result *answer)
{
  enum { WAKE_FROM = 64 }; /* jobs */
  contact_scratch *q = t->scratch;
  contact_worker *first = &q->workers[0];
  if (t->budget) {
    first->counters = (pl_counters){0};
    pl_status status = contact_descend(t, &answer->partial);
    if (status != PL_OK) return status;
    answer->counters.n_v += first->counters.n_v;
    answer->counters.n_u += first->counters.n_u;
  }
  q->run.state = t;
  q->run.jobs = q->jobs.count;
  q->run.wake = q->jobs.count > WAKE_FROM;
  return runner_run(&q->run, &answer->counters) == PL_OK ? PL_OK : contact_no_memory(t->context);
}

/* --------------------------------------------------------------------------------- gathering -- */

/* Groups of rows, and from `jobs` on, those of points. */
static bool gather(const contact_query *t, result_store *store)
{
  const contact_scratch *q = t->scratch;
  const size_t jobs = q->jobs.count;
  const row_list rows = STORE_ROWS(store, pl_sphere_contact), inner = STORE_MORE(store, pl_sphere_point);
  store->groups.count = *rows.count = *inner.count = 0;
  if (!array_reserve(&t->context->def.allocator, &store->groups, 2 * jobs)) return false;
  for (size_t i = 0; i < jobs; ++i) {
    const contact_job *j = &q->jobs.data[i];
    const size_t row = *rows.count, point = *inner.count;
    if (!runner_gather(&q->run, i, 0, rows) || !runner_gather(&q->run, i, 1, inner)) return false;
    if (*rows.count == row && *inner.count == point) continue;
    pl_body *a = q->bodies.data[j->a].body, *b = j->b == CONTACT_PLANES ? NULL : q->bodies.data[j->b].body;
    store->groups.data[store->groups.count] = (pl_group){a, b, row, *rows.count};
    store->groups.data[jobs + store->groups.count++] = (pl_group){a, b, point, *inner.count};
  }
  return true;
}

static void publish(const contact_query *t, result_store *store, pl_result *answer)
{
  const contact_scratch *q = t->scratch;
  answer->spheres = (const pl_sphere_contact *)(void *)store->rows.data;
  answer->count = store->rows.count;
  answer->groups = store->groups.data;
  answer->group_count = store->groups.count;
  answer->sphere_points = (const pl_sphere_point *)(void *)store->more.data;
  answer->sphere_point_count = store->more.count;
  answer->sphere_point_groups = store->groups.count ? store->groups.data + q->jobs.count : NULL;
  for (size_t i = 0; i < q->pairs.count; ++i)
    answer->body_pairs += q->pairs.data[i] >> 32 != (uint32_t)q->pairs.data[i];
  answer->level = contact_deepest(t);
  answer->counters.ms_query = timer_ms() - t->start;
}

pl_status contact_answer(pl_context *context, contact_scratch *q, const pl_question *def, contact_meets meets,
                         result_store *store, const pl_result **out)
{
  contact_query t = {.context = context, .scratch = q, .def = def, .lanes = kernels_of(context->isa)->match};
  pl_result answer = {0};
  t.brute = def->reference;
  t.budget = !def->reference && (def->budget_tests || def->budget_ms > 0);
  t.level = def->level;
  t.start = timer_ms();
  refit_tops(&t, &answer.counters);
  pl_status status = contact_sweep(&t, meets);
  if (status == PL_OK) status = list_jobs(&t);
  if (status == PL_OK) status = run_jobs(&t, &answer);
  if (status == PL_OK && !gather(&t, store)) status = contact_no_memory(context);
  if (status != PL_OK) return status;
  publish(&t, store, &answer);
  *out = result_publish(store, &answer);
  return PL_OK;
}
