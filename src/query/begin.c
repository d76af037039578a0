/* The stages that all queries share: the checks before anything is done, and the update of the
 * bodies. */
#include "core/timer.h"
#include "query/query.h"

pl_status query_refuse_null(pl_context *context, const char *name)
{
  return context ? fail(context, PL_ERROR_ARGUMENT, "%s is NULL", name) : fail_null(name);
}

pl_status query_check_bodies(const pl_body *a, const pl_body *b, const void *out)
{
  if (!a) return query_refuse_null(b ? b->context : NULL, "body a");
  if (!b) return query_refuse_null(a->context, "body b");
  if (!out) return query_refuse_null(a->context, "out");
  if (a->context != b->context) return fail(a->context, PL_ERROR_MISMATCH, "the bodies belong to different contexts");
  if (a == b) return fail(a->context, PL_ERROR_UNSUPPORTED, "this question needs two bodies");
  return PL_OK;
}

bool query_filter_bodies(void *user, pl_pair pair)
{
  const body_filter *f = user;
  return f->filter(f->user, f->a, f->b, pair);
}

pl_status query_check_amount(pl_context *context, double value, const char *what)
{
  return value >= 0 ? PL_OK : fail(context, PL_ERROR_ARGUMENT, "%s is not 0 or more", what);
}

query_stages query_start(pl_context *context, pl_counters *counters)
{
  double now = timer_ms();
  return (query_stages){context, counters, now, now, ASKED_PAIRS};
}

pl_status query_update(query_stages *s, pl_body *const bodies[], int count)
{
  pl_status status = PL_OK;
  for (int i = 0; i < count && status == PL_OK; ++i) {
    if (!bodies[i]->update->pending) continue;
    status = forest_update(&bodies[i]->trees, s->kind, &s->counters->n_u);
    s->updated = timer_ms();
  }
  for (int i = 0; i < count && status == PL_OK; ++i) s->counters->n_u += body_ensure_root(bodies[i]);
  return status;
}

void query_end(const query_stages *s)
{
  s->counters->ms_update = s->updated - s->start;
  s->counters->ms_query = timer_ms() - s->updated;
}
