/* Spheres that touch: jobs and gathering, on all workers. */
#include "query/spheres/touch.h"

#include "core/timer.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------------- checks -- */

static pl_status check_planes(pl_context *context, const pl_touch_def *d)
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

pl_status touch_check_def(pl_context *context, const pl_touch_def *def, pl_touch_def *out)
{
  pl_status status = def_take(context, pl_touch_def, def, out);
  if (status == PL_OK && out->level < PL_LEVEL_ALL)
    status = fail(context, PL_ERROR_ARGUMENT, "level %d: 0 or more, or PL_LEVEL_ALL", out->level);
  if (status == PL_OK) status = query_check_amount(context, out->reach, "the reach");
  if (status == PL_OK) status = query_check_amount(context, out->budget_ms, "the budget in ms");
  for (size_t i = 0; status == PL_OK && out->margins && i < out->margin_count; ++i)
    status = query_check_amount(context, out->margins[i], "a margin");
  return status == PL_OK ? check_planes(context, out) : status;
}

/* ---------------------------------------------------------------------------------------------------------------- scratch -- */

static bool scratch_create(pl_context *context, void *scratch)
{
  touch_scratch *q = scratch;
  q->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->workers);
  return q->workers != NULL;
}

static void scratch_destroy(pl_context *context, void *scratch)
{
  touch_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; q->workers && i < context->threads; ++i) {
    touch_worker *w = &q->workers[i];
    array_free(allocator, &w->stack);
    array_free(allocator, &w->found);
    array_free(allocator, &w->sorting);
    array_free(allocator, &w->touches);
    array_free(allocator, &w->points);
  }
  mem_free(allocator, q->workers);
  array_free(allocator, &q->bodies);
  array_free(allocator, &q->pairs);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->ends);
  array_free(allocator, &q->overlaps);
  array_free(allocator, &q->jobs);
  for (int i = 0; i < 2; ++i) array_free(allocator, &q->level[i]);
  array_free(allocator, &q->touches);
  array_free(allocator, &q->points);
  array_free(allocator, &q->groups);
}

const query_slot pl_inside_query_TOUCH = {sizeof(touch_scratch), scratch_create, scratch_destroy};

touch_scratch *touch_begin(pl_context *context)
{
  touch_scratch *q = query_scratch(context, QUERY_TOUCH);
  if (!q) return NULL;
  q->bodies.count = q->pairs.count = q->jobs.count = q->touches.count = q->points.count = q->groups.count = 0;
  for (int i = 0; i < context->threads; ++i) {
    touch_worker *w = &q->workers[i];
    w->touches.count = w->points.count = 0;
    w->counters = (pl_counters){0};
    w->status = PL_OK;
  }
  return q;
}

pl_status touch_no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for the spheres that touch");
}

pl_status touch_add(pl_context *context, touch_scratch *q, const pl_touch_def *def, pl_body *body, const void *member)
{
  size_t index = q->bodies.count;
  if (def->margins && index >= def->margin_count)
    return fail(context, PL_ERROR_ARGUMENT, "%zu margins: there must be one for each body", def->margin_count);
  if (!array_reserve(&context->def.allocator, &q->bodies, q->bodies.count + 1)) return touch_no_memory(context);
  touch_body *b = &q->bodies.data[q->bodies.count++];
  *b = (touch_body){.body = body, .spheres = body->spheres, .member = member};
  if (def->margins) b->margin = round_up(def->margins[index]);
  for (uint32_t block = 0; block < b->spheres->level[0].blocks; ++block)
    q->workers[0].counters.n_u += spheres_ensure(b->spheres, kernels_of(context->isa)->match, 0, block);
  return PL_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- jobs -- */

/* Planes first, with one job for each body; then one job for each pair. */
static pl_status list_jobs(touching *t)
{
  touch_scratch *q = t->scratch;
  size_t planes = t->def->plane_count ? q->bodies.count : 0;
  if (!array_reserve(&t->context->def.allocator, &q->jobs, planes + q->pairs.count)) return touch_no_memory(t->context);
  for (size_t i = 0; i < planes; ++i) q->jobs.data[q->jobs.count++] = (touch_job){.a = (uint32_t)i, .b = TOUCH_PLANES};
  for (size_t i = 0; i < q->pairs.count; ++i)
    q->jobs.data[q->jobs.count++] =
        (touch_job){.a = (uint32_t)(q->pairs.data[i] >> 32), .b = (uint32_t)q->pairs.data[i]};
  return PL_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- gathering -- */

static void add_group(touch_scratch *q, const touch_job *j, size_t touch, size_t point)
{
  q->groups.data[q->groups.count++] = (pl_touch_group){q->bodies.data[j->a].body,
                                                       j->b == TOUCH_PLANES ? NULL : q->bodies.data[j->b].body,
                                                       touch,
                                                       touch + (j->end - j->begin),
                                                       point,
                                                       point + (j->point_end - j->point_begin)};
}

/* One worker has all touches in the order of jobs: they stay where they are. */
static pl_status gather_one(touching *t, pl_touches *out)
{
  touch_scratch *q = t->scratch;
  const touch_worker *w = &q->workers[0];
  if (!array_reserve(&t->context->def.allocator, &q->groups, q->jobs.count)) return touch_no_memory(t->context);
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const touch_job *j = &q->jobs.data[i];
    if (j->end > j->begin || j->point_end > j->point_begin) add_group(q, j, j->begin, j->point_begin);
  }
  out->touches = w->touches.data, out->count = w->touches.count;
  out->points = w->points.data, out->point_count = w->points.count;
  return PL_OK;
}

static pl_status gather(touching *t, pl_touches *out)
{
  touch_scratch *q = t->scratch;
  const pl_allocator *allocator = &t->context->def.allocator;
  size_t touches = 0, held = 0;
  if (t->context->threads == 1) return gather_one(t, out);
  for (int i = 0; i < t->context->threads; ++i) {
    touches += q->workers[i].touches.count;
    held += q->workers[i].points.count;
  }
  if (!array_reserve(allocator, &q->touches, touches) || !array_reserve(allocator, &q->points, held) ||
      !array_reserve(allocator, &q->groups, q->jobs.count))
    return touch_no_memory(t->context);
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const touch_job *j = &q->jobs.data[i];
    const touch_worker *w = &q->workers[j->worker];
    size_t n = j->end - j->begin, m = j->point_end - j->point_begin;
    if (!n && !m) continue;
    add_group(q, j, q->touches.count, q->points.count);
    if (n) memcpy(q->touches.data + q->touches.count, w->touches.data + j->begin, n * sizeof *q->touches.data);
    if (m) memcpy(q->points.data + q->points.count, w->points.data + j->point_begin, m * sizeof *q->points.data);
    q->touches.count += n;
    q->points.count += m;
  }
  /* Which worker takes which task varies: each gets the room that all of them needed, so that steady frames allocate
   * nothing. */
  for (int i = 0; i < t->context->threads; ++i) {
    touch_worker *w = &q->workers[i];
    if (!array_reserve(allocator, &w->touches, touches) || !array_reserve(allocator, &w->points, held))
      return touch_no_memory(t->context);
  }
  out->touches = q->touches.data, out->count = q->touches.count;
  out->points = q->points.data, out->point_count = q->points.count;
  return PL_OK;
}

pl_status touch_run(pl_context *context, touch_scratch *q, const pl_touch_def *def, touch_meets meets, bool brute,
                    const pl_touches **out)
{
  touching t = {context, q, def, kernels_of(context->isa)->match, brute, def->level, timer_ms()};
  pl_touches answer = {0};
  bool budget = !brute && (def->budget_tests || def->budget_ms > 0);
  pl_status status = touch_sweep(&t, budget, meets);
  if (status == PL_OK) status = list_jobs(&t);
  if (status == PL_OK) status = budget ? touch_run_budget(&t, &answer.partial) : touch_run_jobs(&t);
  if (status == PL_OK) status = gather(&t, &answer);
  if (status != PL_OK) return status;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  answer.body_pairs = q->pairs.count;
  answer.level = touch_deepest(&t);
  for (int i = 0; i < context->threads; ++i) {
    answer.counters.n_v += q->workers[i].counters.n_v;
    answer.counters.n_u += q->workers[i].counters.n_u;
    answer.counters.n_p += q->workers[i].counters.n_p;
  }
  answer.counters.ms_query = timer_ms() - t.start;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

/* --------------------------------------------------------------------------------------------------------------- two bodies -- */

pl_status touch_check_body(const pl_body *body)
{
  if (body->spheres) return PL_OK;
  return fail(body->context, PL_ERROR_UNSUPPORTED,
              "a %s body has no spheres of points: create it with pl_body_create_match()",
              pl_word(PL_WORDS_MOTION, body->motion.name));
}

pl_status touch_bodies(pl_body *a, pl_body *b, const pl_touch_def *def, bool brute, const pl_touches **out)
{
  if (out) *out = NULL;
  pl_touch_def d;
  call c;
  pl_status status = query_check_bodies(a, b, out);
  if (status == PL_OK) status = touch_check_body(a);
  if (status == PL_OK) status = touch_check_body(b);
  if (status == PL_OK) status = touch_check_def(a->context, def, &d);
  if (status == PL_OK) status = query_enter(&c, a, b);
  if (status != PL_OK) return status;
  touch_scratch *q = touch_begin(a->context);
  status = q ? touch_add(a->context, q, &d, a, NULL) : PL_ERROR_MEMORY;
  if (status == PL_OK) status = touch_add(a->context, q, &d, b, NULL);
  if (status == PL_OK) status = touch_run(a->context, q, &d, NULL, brute, out);
  call_query_end(&c);
  return status;
}

pl_status pl_body_touch(pl_body *a, pl_body *b, const pl_touch_def *def, const pl_touches **out)
{
  return touch_bodies(a, b, def, false, out);
}
