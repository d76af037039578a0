/* The jobs of a question about depth: each surface in each body is one, which the runner's workers
 * take; see penetration.h. */
#include "query/pairs/penetration.h"

#include <math.h>
#include <string.h>

static const question surfaces_question;

static bool create(pl_context *context, void *scratch)
{
  penetration_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  q->work = mem_new(allocator, (size_t)context->threads, sizeof *q->work);
  bool all = q->work && runner_create(&q->run, context, &surfaces_question, q);
  for (int i = 0; all && i < context->threads; ++i)
    all = (q->work[i].walk.leaves = mem_new(allocator, PROBE_LEAVES, sizeof *q->work[i].walk.leaves)) != NULL;
  return all;
}

static void destroy(pl_context *context, void *scratch)
{
  penetration_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&q->run);
  for (int i = 0; q->work && i < context->threads; ++i) {
    penetration_work *w = &q->work[i];
#define FREE_LIST(type, name) array_free(allocator, &w->name);
    PENETRATION_LISTS(FREE_LIST)
#undef FREE_LIST
    array_free(allocator, &w->rows);
    mem_free(allocator, w->walk.leaves);
  }
  mem_free(allocator, q->work);
  array_free(allocator, &q->jobs);
  array_free(allocator, &q->bodies);
  array_free(allocator, &q->pairs);
}

const query_slot pl_inside_query_PENETRATION = {sizeof(penetration_scratch), create, destroy};

static pl_status no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for a penetration");
}

/* -------------------------------------------------------------------------------------- jobs -- */

void penetration_clear(penetration_scratch *q, const pl_question *def)
{
  q->jobs.count = q->bodies.count = q->pairs.count = 0;
  q->def = def;
}

static pl_status add_job(pl_context *context, penetration_scratch *q, pl_body *of, pl_body *other, bool turned)
{
  penetration_job *j = &q->jobs.data[q->jobs.count++];
  *j = (penetration_job){.of = of, .other = other, .turned = turned, .serial = ++q->serial};
  j->fans[0] = body_fans(of);
  j->fans[1] = body_fans(other);
  j->closure = body_closure(other);
  return j->fans[0] && j->fans[1] && j->closure ? PL_OK : no_memory(context);
}

pl_status penetration_add(pl_context *context, penetration_scratch *q, pl_body *a, pl_body *b, uint32_t touching)
{
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &q->bodies, q->bodies.count + 1) ||
      !array_reserve(allocator, &q->jobs, q->jobs.count + 2))
    return no_memory(context);
  const size_t begin = q->jobs.count;
  pl_status status = add_job(context, q, a, b, false);
  if (status == PL_OK && a != b) status = add_job(context, q, b, a, true);
  q->bodies.data[q->bodies.count++] = (penetration_pair){a, b, touching, begin, q->jobs.count};
  return status;
}

/* ----------------------------------------------------------------------------------- a piece -- */

/* Appends the parts of a surface to the rows, the deepest first. */
static pl_status append_rows(penetration_run *r)
{
  penetration_work *w = r->work;
  const size_t begin = w->rows.count;
  if (!penetration_reserve(r, &w->rows, begin + w->parts.count)) return penetration_no_memory(r);
  for (size_t i = 0; i < w->parts.count; ++i) {
    pl_penetration p = w->parts.data[i].result;
    if (!(p.depth > 0)) continue;
    p.body = r->job->of;
    p.other = r->job->other;
    double length = 0;
    for (int k = 0; k < 3; ++k) length = fmax(length, fabs(p.direction[k] = p.surface[k] - p.point[k]));
    const double scale = length > 0 ? 1 / length : 0;
    double square = 0;
    for (int k = 0; k < 3; ++k) square += (p.direction[k] * scale) * (p.direction[k] * scale);
    for (int k = 0; k < 3; ++k) p.direction[k] = square > 0 ? p.direction[k] * scale / sqrt(square) : 0;
    size_t at = w->rows.count++;
    for (; at > begin && w->rows.data[at - 1].depth < p.depth; --at) w->rows.data[at] = w->rows.data[at - 1];
    w->rows.data[at] = p;
  }
  return PL_OK;
}

static pl_status walk_surface(runner *run, size_t piece, int worker, uint64_t tests)
{
  const penetration_scratch *q = run->state;
  const penetration_job *j = &q->jobs.data[piece];
  penetration_work *w = &q->work[worker];
  penetration_run r = {.context = run->context,
                       .kernels = kernels_of(run->context->isa),
                       .job = j,
                       .work = w,
                       .def = q->def,
                       .vertices = (uint32_t)j->fans[0]->vertex_count};
  (void)tests;
  w->walk = (probe_walk){.target = &j->target, .limit = INFINITY, .serial = j->serial, .leaves = w->walk.leaves};
  pl_status status = penetration_classes(&r, q->pairs.data + j->begin, j->end - j->begin);
  if (status == PL_OK) status = penetration_search(&r);
  if (status == PL_OK) status = append_rows(&r);
  runner_count(run, worker, w->walk.n_v, w->walk.n_p, w->walk.n_u);
  return status;
}

static row_list found_rows(const runner *run, int worker, int list)
{
  const penetration_scratch *q = run->state;
  (void)list;
  return ROWS(&q->work[worker].rows);
}

static const question surfaces_question = {.lists = 1, .found = found_rows, .walk = walk_surface};

/* Gives every worker the room that any one of them has needed. */
static bool level_work(pl_context *context, penetration_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  bool room = true;
#define LEVEL_LIST(type, name)                                                                                         \
  for (int i = 0; i < context->threads; ++i)                                                                           \
    for (int k = 0; k < context->threads && room; ++k)                                                                 \
      room = array_reserve(allocator, &q->work[i].name, q->work[k].name.capacity);
  PENETRATION_LISTS(LEVEL_LIST)
#undef LEVEL_LIST
  return room;
}

pl_status penetration_run_jobs(pl_context *context, penetration_scratch *q, pl_counters *counters)
{
  query_stages stages = query_start(context, counters);
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->jobs.count && status == PL_OK; ++i) {
    penetration_job *j = &q->jobs.data[i];
    status = query_update(&stages, &j->other, 1);
    if (status != PL_OK) break;
    probe_take_target(&j->target, j->other, 0);
    if (q->def->reference) status = soup_create(j->other, &j->plain);
  }
  q->run.jobs = q->jobs.count;
  q->run.wake = q->jobs.count > 1;
  if (status == PL_OK) status = runner_run(&q->run, counters);
  if (status == PL_ERROR_MEMORY || (status == PL_OK && !level_work(context, q))) status = no_memory(context);
  for (size_t i = 0; i < q->jobs.count; ++i) soup_free(context, &q->jobs.data[i].plain);
  return status;
}

bool penetration_gather(penetration_scratch *q, size_t bodies, row_list out)
{
  const penetration_pair *p = &q->bodies.data[bodies];
  bool room = true;
  for (size_t i = p->begin; i < p->end && room; ++i) room = runner_gather(&q->run, i, 0, out);
  return room;
}
