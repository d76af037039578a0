/* When bodies first meet: a walk in space and time over boxes that move linearly (impact_walk.c).
 *
 * For all contacts nodes are opened level by level until there are some pairs of them, which become parts that any worker takes; for the first one
 * there are rounds of such parts (impact_rounds.c). Times are exact, so neither result depends on the tree or on the order of the walk;
 * only a contact at the very start ends the search at once. */
#include "query/time/impact.h"

#include "core/timer.h"
#include "core/version.h"

#include <math.h>
#include <string.h>

enum { PARTS = 32 }; /* pairs before workers share them */

/* ------------------------------------------------------------------------------------------------------ scratch -- */

static bool create(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  q->searches = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->searches);
  return q->searches != NULL;
}

static void destroy(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; q->searches && i < context->threads; ++i) {
    array_free(allocator, &q->searches[i].now);
    array_free(allocator, &q->searches[i].later);
    array_free(allocator, &q->searches[i].found);
    array_free(allocator, &q->searches[i].room);
  }
  mem_free(allocator, q->searches);
  impact_thick_free(allocator, q);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->later);
  array_free(allocator, &q->found);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->order);
  array_free(allocator, &q->merged);
  array_free(allocator, &q->impacts);
}

const query_slot pl_inside_query_IMPACT = {sizeof(impact_scratch), create, destroy};

/* ------------------------------------------------------------------------------------------------------ workers -- */

void impact_begin(pl_context *context, impact_scratch *q, const pl_impact_def *def, impact_search *s)
{
  s->context = context;
  s->allocator = &context->locked;
  s->boxes = kernels_of(context->isa)->impact;
  s->kernels = kernels_of(context->isa)->moving;
  s->jobs = q->jobs.data;
  s->all = def->all;
  s->separation = def->separation;
  s->kept = def->kept_gap;
  s->filter = def->filter;
  s->user = def->user;
  s->most = s->limit = 1;
  s->budget_tests = def->budget_tests;
  s->budget_end = 0;
  s->clock_at = s->sequence = 0;
  s->spent = s->by_time = s->has_best = false;
  s->now.count = s->later.count = s->found.count = 0;
  s->batch[0].count = s->batch[1].count = 0;
  s->counters = (pl_counters){0};
  s->status = PL_OK;
}

static void run_part(void *data, int task, int worker)
{
  impact_scratch *q = data;
  impact_search *s = &q->searches[worker];
  if (s->status != PL_OK) return;
  s->now.count = 0;
  if (impact_push(s, &q->parts.data[task])) impact_walk_now(s);
}

/* The pairs of the first search as parts of all workers. */
static pl_status share(pl_context *context, impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  size_t count = s->now.count;
  if (!array_reserve(&context->def.allocator, &q->parts, count)) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < count; ++i) q->parts.data[i] = s->now.data[count - 1 - i];
  s->now.count = 0;
  return parallel_for(context, true, run_part, q, (int)count);
}

enum { SMALL = 256 }; /* triangles of a body that has little to cull */

/* The body of a job against itself, with cones; room for borders in every worker. */
static pl_status update_self(pl_context *context, impact_scratch *q, impact_job *j, double separation, uint64_t *made)
{
  pl_status status = sweep_update_patches(j->a, made);
  if (status != PL_OK) return status;
  const sweep *s = j->a->sweep;
  const swept_patches *cones = &s->cones;
  if (separation > 0) status = impact_thick_cones(q, j->a, separation, &cones);
  if (status != PL_OK) return status;
  for (int i = 0; i < context->threads; ++i)
    if (!array_reserve(&context->locked, &q->searches[i].room, swept_room(2 * (size_t)j->a->patches->longest)))
      return fail(context, PL_ERROR_MEMORY, "no memory for the borders of patches");
  j->view_a = j->view_b = (impact_view){j->a, s, &s->patches, cones};
  return PL_OK;
}

pl_status impact_update(pl_context *context, impact_scratch *q, const pl_impact_def *def, uint64_t *made)
{
  pl_status status = PL_OK;
  const pl_body *last = NULL;
  q->thick_count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    impact_job *j = &q->jobs.data[i];
    if (j->a == j->b && j->a->tree->prims.triangle_count > SMALL) {
      status = update_self(context, q, j, def->separation, made);
      continue;
    }
    if (j->a != last) status = sweep_update(j->a, made);
    if (j->b != j->a && status == PL_OK) status = sweep_update(j->b, made);
    last = j->a;
    if (status != PL_OK) return status;
    j->view_a = (impact_view){j->a, j->a->sweep, &j->a->sweep->boxes, NULL};
    j->view_b = (impact_view){j->b, j->b->sweep, &j->b->sweep->boxes, NULL};
  }
  return status;
}

static pl_status start_items(impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  for (size_t i = q->jobs.count; i-- > 0;) {
    const impact_job *j = &q->jobs.data[i];
    float block[SWEEP_BLOCK], box[SWEEP_BOX], start[8] = {0};
    for (int c = 0; c < SWEEP_BLOCK; ++c) block[c] = c % 8 ? -INFINITY : j->view_b.over->own[TREE_ROOT][c / 8];
    impact_box_in(&j->view_a, TREE_ROOT, &j->view_b, box);
    ++s->counters.n_v;
    if (j->view_a.cones && impact_patch_is_simple(s, &j->view_a, TREE_ROOT)) continue;
    if (j->a != j->b && !s->boxes->windows(box, block, impact_wide(s->separation, j->view_b.sweep), 1, start)) continue;
    if (!impact_push(s, &(impact_item){start[0], (uint32_t)i, TREE_ROOT, TREE_ROOT})) return PL_ERROR_MEMORY;
  }
  return PL_OK;
}

/* Every worker gets the room that any one has needed: which of them takes which part is chance. */
static bool level(pl_context *context, impact_scratch *q)
{
  size_t now = 0, later = 0, most = 0;
  for (int i = 0; i < context->threads; ++i) {
    const impact_search *s = &q->searches[i];
    now = s->now.capacity > now ? s->now.capacity : now;
    later = s->later.capacity > later ? s->later.capacity : later;
    most = s->found.capacity > most ? s->found.capacity : most;
  }
  bool good = true;
  for (int i = 0; i < context->threads && good; ++i) {
    impact_search *s = &q->searches[i];
    good = array_reserve(s->allocator, &s->now, now) && array_reserve(s->allocator, &s->later, later) &&
           array_reserve(s->allocator, &s->found, most);
  }
  return good;
}

/* Adds what the searches hold. */
static pl_status gather(pl_context *context, impact_scratch *q, pl_counters *counters)
{
  for (int i = 0; i < context->threads; ++i) {
    const impact_search *s = &q->searches[i];
    if (s->status != PL_OK) return s->status;
    counters->n_v += s->counters.n_v;
    counters->n_p += s->counters.n_p;
    if (!array_reserve(&context->def.allocator, &q->found, q->found.count + s->found.count)) return PL_ERROR_MEMORY;
    for (size_t k = 0; k < s->found.count; ++k) q->found.data[q->found.count++] = s->found.data[k];
  }
  return level(context, q) ? PL_OK : PL_ERROR_MEMORY;
}

/* Up to where all has been looked at. */
static double looked_at(const impact_search *s)
{
  double from = 2;
  for (size_t i = 0; i < s->now.count; ++i) from = fmin(from, (double)s->now.data[i].start);
  for (size_t i = 0; i < s->later.count; ++i) from = fmin(from, (double)s->later.data[i].start);
  return from;
}

/* The walk itself. Returns what `from` of impact_publish() is. */
static pl_status walk_all(pl_context *context, impact_scratch *q, const pl_impact_def *def, double *from)
{
  impact_search *s = &q->searches[0];
  const bool budget = def->budget_tests || def->budget_ms > 0;
  pl_status status = start_items(q);
  q->found.count = 0;
  *from = 2;
  if (status != PL_OK) return status;
  if (!budget && !def->all) return impact_rounds(context, q);
  if (budget || context->threads == 1) {
    impact_walk_now(s);
    if (!def->all && !s->spent) impact_walk_later(s);
    if (s->spent) *from = looked_at(s);
    return s->status;
  }
  status = impact_spread(context, q, PARTS);
  return status == PL_OK && s->now.count ? share(context, q) : status;
}

static pl_status run_jobs(pl_context *context, impact_scratch *q, const pl_impact_def *def, pl_counters *counters,
                          double *from)
{
  double start = timer_ms(), before = counters->ms_update;
  pl_status status = impact_update(context, q, def, &counters->n_u);
  if (status != PL_OK) return status;
  counters->ms_update += timer_ms() - start;
  for (int i = 0; i < context->threads; ++i) {
    impact_begin(context, q, def, &q->searches[i]);
    q->searches[i].budget_end = def->budget_ms > 0 ? start + def->budget_ms : 0;
  }
  status = walk_all(context, q, def, from);
  if (status == PL_OK) status = gather(context, q, counters);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the contacts that were found");
  counters->ms_query = timer_ms() - start - (counters->ms_update - before);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- the answer -- */

/* Merges runs of `width` in q->order; no two contacts are equal, so the order does not depend on the method. */
static void merge_runs(impact_scratch *q, size_t width)
{
  const uint32_t *in = q->order.data;
  uint32_t *out = q->merged.data;
  for (size_t begin = 0; begin < q->found.count; begin += 2 * width) {
    size_t middle = begin + width < q->found.count ? begin + width : q->found.count;
    size_t end = middle + width < q->found.count ? middle + width : q->found.count, i = begin, k = middle;
    for (size_t at = begin; at < end; ++at) {
      bool first = k == end || (i < middle && impact_compare(&q->found.data[in[i]], &q->found.data[in[k]]) <= 0);
      out[at] = first ? in[i++] : in[k++];
    }
  }
}

static bool sort_found(pl_context *context, impact_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t count = q->found.count;
  if (!array_reserve(allocator, &q->order, count) || !array_reserve(allocator, &q->merged, count)) return false;
  for (size_t i = 0; i < count; ++i) q->order.data[i] = (uint32_t)i;
  for (size_t width = 1; width < count; width *= 2) {
    merge_runs(q, width);
    memcpy(q->order.data, q->merged.data, count * sizeof *q->order.data);
  }
  return true;
}

pl_status impact_publish(pl_context *context, impact_scratch *q, const pl_counters *counters, double from,
                         const pl_impacts **out)
{
  size_t count = q->found.count;
  if (!array_reserve(&context->def.allocator, &q->impacts, count) || !sort_found(context, q))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", count);
  pl_impacts answer = {.impacts = q->impacts.data,
                       .count = count,
                       .time = INFINITY,
                       .safe_step = 1,
                       .counters = *counters,
                       .partial = from <= 1};
  for (size_t i = 0; i < count; ++i) {
    q->impacts.data[i] = q->found.data[q->order.data[i]].impact;
    ++*(q->impacts.data[i].kind == PL_IMPACT_EDGE_EDGE ? &answer.edge_edge : &answer.vertex_face);
  }
  q->impacts.count = count;
  if (count) answer.time = q->impacts.data[0].time;
  double free_to = fmin(answer.time, from);
  if (free_to <= 1) answer.safe_step = free_to > 0 ? nextafter(free_to, 0) : 0;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status impact_check_separation(pl_context *context, double separation)
{
  pl_status status = query_check_amount(context, separation, "the separation");
  if (status == PL_OK && isinf(separation)) status = fail(context, PL_ERROR_ARGUMENT, "the separation is infinite");
  return status;
}

pl_status impact_check_def(pl_context *context, const pl_impact_def *def, pl_impact_def *out)
{
  pl_status status = def_take(context, pl_impact_def, def, out);
  if (status == PL_OK) status = impact_check_separation(context, out->separation);
  if (status == PL_OK) status = query_check_amount(context, out->budget_ms, "the time budget");
  if (status == PL_OK) status = query_check_amount(context, out->kept_gap, "the kept part of a gap");
  if (status == PL_OK && out->kept_gap >= 1)
    status = fail(context, PL_ERROR_ARGUMENT, "the kept part of a gap is 1 or more: it must be less than 1");
  if (status == PL_OK && out->kept_gap > 0 && out->separation == 0)
    status = fail(context, PL_ERROR_ARGUMENT,
                  "a part of every gap is kept, but the separation is 0: set the largest gap to keep");
  return status;
}

pl_status impact_check_bodies(const pl_body *a, const pl_body *b, const void *out)
{
  if (a && a == b) return out ? PL_OK : query_refuse_null(a->context, "out");
  return query_check_bodies(a, b, out);
}

pl_status impact_prepare(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                         call *c)
{
  if (out) *out = NULL;
  pl_status status = impact_check_bodies(a, b, out);
  if (status == PL_OK) status = impact_check_def(a->context, def, full);
  if (status != PL_OK) return status;
  return a == b ? body_query(c, a) : query_enter(c, a, b);
}

impact_scratch *impact_one_job(pl_body *a, pl_body *b)
{
  impact_scratch *q = query_scratch(a->context, QUERY_IMPACT);
  if (!q) return NULL;
  if (!array_reserve(&a->context->def.allocator, &q->jobs, 1)) {
    fail(a->context, PL_ERROR_MEMORY, "no memory for a query");
    return NULL;
  }
  q->jobs.data[0] = (impact_job){.a = a, .b = b};
  q->jobs.count = 1;
  q->before = (pl_counters){0};
  return q;
}

pl_status impact_answer(pl_context *context, impact_scratch *q, const pl_impact_def *def, const pl_impacts **out)
{
  if (!q) return PL_ERROR_MEMORY;
  pl_counters counters = q->before;
  double from;
  pl_status status = run_jobs(context, q, def, &counters, &from);
  return status == PL_OK ? impact_publish(context, q, &counters, from, out) : status;
}

pl_status pl_first_contact(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out)
{
  pl_impact_def d;
  call c;
  pl_status status = impact_prepare(a, b, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = impact_answer(a->context, impact_one_job(a, b), &d, out);
  call_query_end(&c);
  return status;
}
