#include "query/probe/probe.h"

/* ------------------------------------------------------------------------------------ bodies -- */

static void destroy(pl_context *context, void *scratch)
{
  probe_bodies *b = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free_all(allocator, &b->list, &b->waiting, &b->pieces);
}

const query_slot pl_inside_query_PROBES = {sizeof(probe_bodies), NULL, destroy};

probe_bodies *probe_bodies_begin(pl_context *context)
{
  probe_bodies *b = query_scratch(context, QUERY_PROBES);
  if (b) b->list.count = 0;
  return b;
}

static pl_status no_memory(pl_context *context, size_t bodies)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies of probes", bodies);
}

pl_status probe_bodies_add(pl_context *context, probe_bodies *b, pl_body *body, uint32_t member)
{
  if (!array_reserve(&context->def.allocator, &b->list, b->list.count + 1))
    return no_memory(context, b->list.count + 1);
  b->list.data[b->list.count++] = (probe_body){body, member};
  return PL_OK;
}

static bool is_waiting(const pl_body *body, bool rays)
{
  return body->update->pending && !(rays && forest_grid(&body->trees));
}

static pl_status update_waiting(pl_context *context, probe_bodies *b, bool rays, uint64_t *n_u)
{
  const pl_allocator *allocator = &context->def.allocator;
  const size_t n = b->list.count;
  if (!array_reserve(allocator, &b->waiting, n) || !array_reserve(allocator, &b->pieces, n + 1))
    return no_memory(context, n);
  updating_begin(context);
  b->waiting.count = 0;
  for (size_t i = 0; i < n; ++i)
    if (is_waiting(b->list.data[i].body, rays)) {
      update *u = b->waiting.data[b->waiting.count++] = b->list.data[i].body->update;
      update_asked(u, rays ? ASKED_RAYS : ASKED_POINTS);
    }
  pl_status status =
      b->waiting.count ? update_eager(context, b->waiting.data, b->pieces.data, b->waiting.count, n_u) : PL_OK;
  updating_end(context);
  return status;
}

pl_status probe_bodies_update(query_stages *s, probe_bodies *b, bool rays, size_t expected)
{
  bool waits = false;
  pl_status status = PL_OK;
  for (size_t i = 0; i < b->list.count && status == PL_OK; ++i) {
    pl_body *body = b->list.data[i].body;
    if (rays && body->trees.kind) /* has a choice of trees or grid */
      status = forest_rays_begin(&body->trees, &body->motion.now, &s->counters->n_u);
    waits = waits || is_waiting(body, rays);
    if (b->list.count == 1) update_expect(body->update, expected);
  }
  if (!waits || status != PL_OK) return status;
  const asked_kind kind = rays ? ASKED_RAYS : ASKED_POINTS;
  status = b->list.count == 1 ? forest_update(&b->list.data->body->trees, kind, &s->counters->n_u)
                              : update_waiting(s->context, b, rays, &s->counters->n_u);
  s->updated = timer_ms();
  return status;
}

void probe_take_target(probe_target *t, pl_body *body, uint32_t member)
{
  space at;
  *t = (probe_target){.body = body, .member = member};
  side_make(&t->side, body);
  t->side.lanes = NULL; /* the error bound of points allows for one rounding of each coordinate */
  body_space(body, &at);
  t->box = at.world;
  const bool exact = points_are_floats(&body->motion.now);
  double most;
  const int exponent = spaces_unit(&at, &at);
  t->unit = ldexp(1, -exponent);
  t->irregular = !space_origin(&t->box, &t->box, exact, t->origin, &most) || exponent;
  t->delta = exact ? 0 : most * 0x1p-24 * (1 + 0x1p-10) + 0x1p-126;
  t->transformed = at.moved || exponent || !at.plain;
  frame_change both[2];
  if (!t->transformed) return;
  spaces_to_world(&at, &at, exponent, both);
  t->to_world = both[1];
}

pl_status probe_bodies_take(query_stages *s, const probe_bodies *b, probe_targets *out)
{
  const size_t n = b->list.count;
  if (!array_reserve(&s->context->def.allocator, out, n)) return no_memory(s->context, n);
  for (out->count = 0; out->count < n; ++out->count) {
    const probe_body *own = &b->list.data[out->count];
    s->counters->n_u += body_ensure_root(own->body);
    probe_take_target(&out->data[out->count], own->body, own->member);
  }
  return PL_OK;
}

void probe_bodies_asked(const probe_bodies *b, const pl_question *def, const pl_counters *c)
{
  const size_t n = b->list.count;
  for (size_t i = 0; i < n && !(def->budget_ms > 0); ++i)
    update_walked(b->list.data[i].body->update, c->n_v / n, c->n_p / n);
}

/* ----------------------------------------------------------------------------------- batches -- */

pl_status batch_check(pl_context *context, size_t count, size_t size, size_t bytes, const char *what)
{
  if (count / size < INT32_MAX && count <= SIZE_MAX / 2 / bytes) return PL_OK;
  return fail(context, PL_ERROR_ARGUMENT, "%zu %s are more than fit into memory", count, what);
}

pl_status batch_run(batch *b, runner *r, size_t size, bool wake, pl_counters *counters)
{
  b->size = size;
  r->jobs = (b->count + size - 1) / size;
  r->wake = wake;
  if (b->end_ms > 0 && !array_reserve(&r->context->def.allocator, &b->done, r->jobs)) return PL_ERROR_MEMORY;
  b->done.count = b->end_ms > 0 ? r->jobs : 0;
  return runner_run(r, counters);
}

size_t batch_done(const batch *b)
{
  if (!(b->end_ms > 0)) return b->count;
  size_t done = 0;
  for (size_t i = 0; i < b->done.count && done == batch_begin(b, i); ++i) done += b->done.data[i];
  return done;
}
