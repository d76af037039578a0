/* When bodies first meet: a walk in space and time over boxes that move linearly
 * (impact_walk.c).
 *
 * All contacts and the first one (impact_rounds.c) are questions of the runner. Times are exact, so
 * neither result depends on the tree or on the order of the walk; only a contact at the very
 * start ends the search at once. */
#include "query/time/impact.h"

#include "core/timer.h"
#include "core/version.h"

#include <math.h>
#include <string.h>

/* volume tests of pieces: 20 to 100 us where features are near */
enum { FIRST_TESTS = 500, PART_TESTS = 2000 };

/* ----------------------------------------------------------------------------------- scratch -- */

static const question all_contacts;

static bool create(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  q->searches = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->searches);
  return q->searches && runner_create(&q->run, context, &all_contacts, q) &&
         runner_create(&q->first, context, &all_contacts, q);
}

static void destroy(pl_context *context, void *scratch)
{
  impact_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  runner_destroy(&q->first);
  for (int i = 0; q->searches && i < context->threads; ++i) {
    array_free(allocator, &q->searches[i].now);
    array_free(allocator, &q->searches[i].later);
    array_free(allocator, &q->searches[i].found);
    array_free(allocator, &q->searches[i].room);
    ring_search_free(allocator, &q->searches[i].rings);
  }
  mem_free(allocator, q->searches);
  impact_thick_free(allocator, q);
  impact_arcs_free(context, q);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->parts);
  array_free(allocator, &q->spread);
  array_free(allocator, &q->found);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
  array_free(allocator, &q->order);
  array_free(allocator, &q->merged);
}

const query_slot pl_inside_query_IMPACT = {sizeof(impact_scratch), create, destroy};

/* ----------------------------------------------------------------------------------- workers -- */

void impact_begin(pl_context *context, impact_scratch *q, const pl_question *def, impact_search *s)
{
  s->context = context;
  s->allocator = &context->locked;
  s->kernels = kernels_of(context->isa)->moving;
  s->jobs = q->jobs.data;
  s->all = def->all;
  s->separation = def->margin;
  s->thin = q->thin;
  s->kept = def->kept_gap;
  s->ring_edges = def->rings - 1;
  s->filter = def->feature_filter;
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

enum { SMALL = 256 }; /* triangles of a body that has little to cull */

/* The body of a job against itself, with cones; room for borders in every worker. */
static pl_status update_self(pl_context *context, impact_scratch *q, impact_job *j, double margin, uint64_t *made)
{
  pl_status status = sweep_update_patches(j->a, made);
  if (status != PL_OK) return status;
  const sweep *s = j->a->sweep;
  const swept_patches *cones = &s->cones;
  if (margin > 0) status = impact_thick_cones(q, j->a, margin, &cones);
  if (status != PL_OK) return status;
  for (int i = 0; i < context->threads; ++i)
    if (!array_reserve(&context->locked, &q->searches[i].room, swept_room(2 * (size_t)j->a->patches->longest)))
      return fail(context, PL_ERROR_MEMORY, "no memory for the borders of patches");
  j->view_a = j->view_b = (impact_view){j->a, s, &s->patches, cones};
  return PL_OK;
}

pl_status moving_rings(impact_job *j, uint32_t rings)
{
  j->rings = j->a == j->b && rings > 1 ? body_rings(j->a) : NULL;
  return j->rings || j->a != j->b || rings <= 1 ? PL_OK : PL_ERROR_MEMORY;
}

/* The rings of a job, with room for them in every worker. */
static pl_status take_rings(pl_context *context, impact_scratch *q, impact_job *j, uint32_t rings)
{
  pl_status status = moving_rings(j, rings);
  for (int i = 0; i < context->threads && j->rings && status == PL_OK; ++i)
    if (!ring_search_reserve(&context->locked, &q->searches[i].rings, j->rings->vertex_count))
      status = fail(context, PL_ERROR_MEMORY, "no memory for the rings of %zu vertices", j->rings->vertex_count);
  return status;
}

/* Updates the bodies of all jobs: poses, boxes and cones. Adds the number of refitted volumes to
 * *made. */
static pl_status update_jobs(pl_context *context, impact_scratch *q, const pl_question *def, uint64_t *made)
{
  pl_status status = PL_OK;
  const pl_body *last = NULL;
  q->thick_count = 0;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    impact_job *j = &q->jobs.data[i];
    status = take_rings(context, q, j, def->rings);
    if (status != PL_OK) return status;
    if (j->arc.a) continue;
    j->wide = impact_margin(q, j, def->margin);
    if (j->a == j->b && j->a->tree->prims.triangle_count > SMALL) {
      status = update_self(context, q, j, j->wide, made);
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

/* Pushes the roots of a job, unless they are apart. Returns false if out of memory. */
static bool start_job(impact_search *s, uint32_t number)
{
  const impact_job *j = &s->jobs[number];
  float block[SWEEP_BLOCK], box[SWEEP_BOX], start[8] = {0};
  for (int c = 0; c < SWEEP_BLOCK; ++c) block[c] = c % 8 ? -INFINITY : j->view_b.over->own[TREE_ROOT][c / 8];
  impact_box_in(&j->view_a, TREE_ROOT, &j->view_b, box);
  ++s->counters.n_v;
  if (j->view_a.cones && impact_patch_is_simple(s, &j->view_a, TREE_ROOT)) return true;
  if (j->a != j->b && !s->kernels->window.one(box, block, impact_wide(j->wide, j->view_b.over), 1, start)) return true;
  return impact_push(s, &(impact_item){start[0], number, TREE_ROOT, TREE_ROOT});
}

/* Starts all jobs in the first search, so that it comes to the first of them first. */
static pl_status start_items(impact_scratch *q)
{
  for (size_t i = q->jobs.count; i-- > 0;)
    if (!start_job(&q->searches[0], (uint32_t)i)) return PL_ERROR_MEMORY;
  return PL_OK;
}

/* ------------------------------------------------------------------------------ all contacts -- */

static impact_search *search_of(const runner *r, int worker)
{
  return &((const impact_scratch *)r->state)->searches[worker];
}

static row_list stack_of(const runner *r, int worker) { return ROWS(&search_of(r, worker)->now); }

static row_list found_of(const runner *r, int worker, int list)
{
  (void)list;
  return ROWS(&search_of(r, worker)->found);
}

static void begin_piece(runner *r, uint32_t index, bool first, int worker)
{
  impact_search *s = search_of(r, worker);
  s->now.count = 0;
  if (first) start_job(s, index);
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  impact_search *s = search_of(r, worker);
  (void)piece;
  if (s->status == PL_OK) impact_walk_now(s, tests);
  impact_count(s, &r->workers[worker].counters);
  return s->status;
}

static const question all_contacts = {.first_tests = FIRST_TESTS,
                                      .part_tests = PART_TESTS,
                                      .step = 1,
                                      .stack = stack_of,
                                      .lists = 1,
                                      .found = found_of,
                                      .begin = begin_piece,
                                      .walk = walk_piece};

static pl_status find_all(impact_scratch *q, pl_counters *counters)
{
  q->run.jobs = q->jobs.count;
  q->run.wake = true;
  pl_status status = runner_run(&q->run, counters);
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i)
    if (!runner_gather(&q->run, i, 0, ROWS(&q->found))) status = PL_ERROR_MEMORY;
  return status;
}

/* ----------------------------------------------------------------------------- first contact -- */

/* Up to where all has been looked at. */
static double looked_at(const impact_search *s)
{
  double from = 2;
  for (size_t i = 0; i < s->now.count; ++i) from = fmin(from, (double)s->now.data[i].start);
  for (size_t i = 0; i < s->later.count; ++i) from = fmin(from, (double)s->later.data[i].start);
  return from;
}

/* The walk itself. Returns what `from` of impact_publish() is. */
static pl_status find_first(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                            double *from)
{
  impact_search *s = &q->searches[0];
  pl_status status = start_items(q);
  if (status != PL_OK) return status;
  if (!(def->budget_tests || def->budget_ms > 0)) return impact_rounds(context, q, counters);
  impact_walk_now(s, UINT64_MAX);
  if (!def->all && !s->spent) impact_walk_later(s);
  if (s->spent) *from = looked_at(s);
  impact_count(s, counters);
  if (s->status != PL_OK) return s->status;
  return rows_append(&context->def.allocator, ROWS(&q->found), s->found.data, s->found.count) ? PL_OK : PL_ERROR_MEMORY;
}

pl_status impact_run_jobs(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                          double *from)
{
  const bool budget = def->budget_tests || def->budget_ms > 0;
  double start = timer_ms(), before = counters->ms_update;
  pl_status status = update_jobs(context, q, def, &counters->n_u);
  if (status != PL_OK) return status;
  counters->ms_update += timer_ms() - start;
  for (int i = 0; i < context->threads; ++i) {
    impact_begin(context, q, def, &q->searches[i]);
    q->searches[i].budget_end = def->budget_ms > 0 ? start + def->budget_ms : 0;
  }
  q->found.count = 0;
  *from = 2;
  status = def->all && !budget ? find_all(q, counters) : find_first(context, q, def, counters, from);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the contacts that were found");
  counters->ms_query = timer_ms() - start - (counters->ms_update - before);
  return status;
}

/* -------------------------------------------------------------------------------- the answer -- */

/* Merges runs of `width` in q->order; no two contacts are equal, so the order does not depend on
 * the method. */
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
                         result_store *store)
{
  size_t count = q->found.count;
  if (!rows_reserve(&context->def.allocator, store_rows(store, sizeof(pl_impact)), count) || !sort_found(context, q))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", count);
  pl_impact *rows = (pl_impact *)(void *)store->rows.data;
  pl_result *answer = &store->answer;
  *answer = (pl_result){
      .impacts = rows, .count = count, .partial = from <= 1, .counters = *counters, .time = INFINITY, .safe_step = 1};
  for (size_t i = 0; i < count; ++i) {
    rows[i] = q->found.data[q->order.data[i]].impact;
    ++*(rows[i].kind == PL_FEATURE_EDGE_EDGE ? &answer->edge_edge : &answer->vertex_face);
  }
  store->rows.count = count;
  if (count) answer->time = rows[0].time;
  double free_to = fmin(answer->time, from);
  if (free_to <= 1) answer->safe_step = free_to > 0 ? nextafter(free_to, 0) : 0;
  return PL_OK;
}

pl_status impact_check_margin(pl_context *context, double margin)
{
  return isinf(margin) ? fail(context, PL_ERROR_ARGUMENT, "the margin is infinite") : PL_OK;
}

pl_status impact_check(pl_context *context, const pl_question *how, bool thick)
{
  pl_status status = impact_check_margin(context, how->margin);
  if (status == PL_OK) status = query_check_amount(context, how->kept_gap, "the kept part of a gap");
  if (status == PL_OK && how->kept_gap >= 1)
    status = fail(context, PL_ERROR_ARGUMENT, "kept_gap is 1 or more: it must be less than 1");
  if (status == PL_OK && how->kept_gap > 0 && how->margin == 0 && !thick)
    status = fail(context, PL_ERROR_ARGUMENT,
                  "a part of every gap is kept, but the margin is 0: set the largest gap to keep");
  return status;
}

pl_status impact_answer(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                        result_store *store)
{
  double from = 2;
  bool arcs;
  pl_status status = impact_set_arcs(context, q, def->margin, &arcs);
  if (status == PL_OK) status = (arcs ? impact_run_arcs : impact_run_jobs)(context, q, def, counters, &from);
  return status == PL_OK ? impact_publish(context, q, counters, from, store) : status;
}
