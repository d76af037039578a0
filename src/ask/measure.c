/* Kept features of two bodies, of one, or of a scene, at the present positions: checks, groups and
 * the place of the result. */
#include "query/distance/measure.h"
#include "ask/ask.h"

#include "core/timer.h"

/* The groups of the rows: all of them are those of the bodies where none is listed. */
static pl_status take_groups(ask *q, const pl_result *kept)
{
  measure_scratch *s = q->scratch;
  const pl_group whole = {q->who.a, q->who.b, 0, kept->count};
  const size_t n = kept->group_count || !kept->count ? kept->group_count : 1;
  const pl_group *groups = kept->group_count ? kept->groups : &whole;
  size_t next = 0;
  s->groups.count = 0;
  if (n && !kept->group_count && q->who.scene)
    return fail(q->context, PL_ERROR_ARGUMENT, "given features of a scene need groups that name their bodies");
  if (!array_reserve(&q->context->def.allocator, &s->groups, n ? n : 1))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  for (size_t i = 0; i < n; ++i) {
    const pl_group *g = &groups[i];
    if (!who_has(q->who, g->a, g->b))
      return fail(q->context, PL_ERROR_ARGUMENT, "group %zu of the given features names a body that is not asked", i);
    if (g->begin != next || g->end < g->begin || g->end > kept->count)
      return fail(q->context, PL_ERROR_ARGUMENT, "group %zu of the given features has rows %zu to %zu of %zu", i,
                  g->begin, g->end, kept->count);
    s->groups.data[s->groups.count++] =
        (measure_group){{&g->a->motion.now, &g->b->motion.now}, g->begin, g->end, g->a == g->b};
    next = g->end;
  }
  if (next == kept->count) return PL_OK;
  return fail(q->context, PL_ERROR_ARGUMENT, "the groups of the given features have %zu of %zu rows", next,
              kept->count);
}

static pl_status check_rows(ask *q, const pl_result *kept)
{
  const measure_scratch *s = q->scratch;
  for (size_t i = 0; i < s->groups.count; ++i) {
    const pl_group *g = kept->group_count ? &kept->groups[i] : &(pl_group){q->who.a, q->who.b, 0, kept->count};
    const size_t of_a = g->a->motion.vertex_count, of_b = g->b->motion.vertex_count;
    for (size_t j = g->begin; j < g->end; ++j) {
      const pl_feature_pair *r = &kept->features[j];
      if ((unsigned)r->kind >= PL_FEATURE_COUNT)
        return fail(q->context, PL_ERROR_ARGUMENT, "row %zu of the given features has no kind of the list", j);
      for (int k = 0; k < 3; ++k)
        if (r->vertex_a[k] >= of_a || r->vertex_b[k] >= of_b)
          return fail(q->context, PL_ERROR_ARGUMENT, "row %zu of the given features names vertex %u of %zu", j,
                      r->vertex_a[k] >= of_a ? r->vertex_a[k] : r->vertex_b[k], r->vertex_a[k] >= of_a ? of_a : of_b);
    }
  }
  return PL_OK;
}

static pl_status take_rows(ask *q, const pl_result *kept)
{
  measure_scratch *s = q->scratch;
  const pl_allocator *allocator = &q->context->def.allocator;
  const size_t groups = s->groups.count ? s->groups.count : 1;
  pl_status status = batch_check(q->context, kept->count, 1, sizeof(pl_feature_pair), "features");
  if (status != PL_OK) return status;
  if (!rows_reserve(allocator, STORE_ROWS(q->store, pl_feature_pair), kept->count ? kept->count : 1) ||
      !array_reserve(allocator, &q->store->groups, groups))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu features", kept->count);
  s->kept = kept->features;
  s->rows = (pl_feature_pair *)(void *)q->store->rows.data;
  return PL_OK;
}

/* Packs the groups one behind the other. */
static pl_status pack(ask *q, const pl_result *kept, const pl_question *def)
{
  measure_scratch *s = q->scratch;
  result_store *store = q->store;
  store->rows.count = store->groups.count = 0;
  for (size_t i = 0; i < s->groups.count; ++i) {
    const size_t begin = store->rows.count;
    size_t left;
    if (!measure_pack(q->context, s, &s->groups.data[i], def, begin, &left))
      return fail(q->context, PL_ERROR_MEMORY, "no memory to merge %zu features", kept->count);
    store->rows.count += left;
    if (!left) continue;
    pl_body *a = kept->group_count ? kept->groups[i].a : q->who.a,
            *b = kept->group_count ? kept->groups[i].b : q->who.b;
    store->groups.data[store->groups.count++] = (pl_group){a, b, begin, store->rows.count};
  }
  return PL_OK;
}

static pl_status check(const ask *q)
{
  const pl_result *kept = q->def->given;
  if (!kept) return query_refuse_null(q->context, "given");
  if (kept->count && !kept->features) return query_refuse_null(q->context, "the given features");
  return kept->group_count && !kept->groups ? query_refuse_null(q->context, "the groups of the given features") : PL_OK;
}

static pl_status answer(ask *q, const pl_result **out)
{
  measure_scratch *s = q->scratch;
  const pl_question *def = q->def;
  const pl_result *kept = def->given;
  const double start = timer_ms();
  if (kept->count && (const void *)kept->features == (const void *)q->store->rows.data)
    return fail(q->context, PL_ERROR_ARGUMENT, "the given features are the last result itself: keep them in a holder");
  s->reference = def->reference;
  s->margin = def->margin;
  pl_status status = take_groups(q, kept);
  if (status == PL_OK) status = check_rows(q, kept);
  if (status == PL_OK) status = take_rows(q, kept);
  if (status == PL_OK) status = measure_run(q->context, s, kept->count, &q->counters);
  if (status == PL_OK) status = pack(q, kept, def);
  q->counters.ms_query = timer_ms() - start;
  return status == PL_OK ? ask_publish(q, out) : status;
}

pl_status pl_measure(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {.name = QUERY_MEASURE,
                                    .member = offsetof(pl_result, features),
                                    .asked = ASKED_MEASURE,
                                    .check = check,
                                    .answer = answer};
  return ask_question(&(ask){.question = &row, .who = who}, how, out);
}
