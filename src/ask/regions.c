/* Regions of two bodies, of one, or of a scene: finds the pairs of each group, by trees or
 * without, and joins them (query/regions). */
#include "query/regions/regions.h"
#include "ask/touching.h"
#include "core/timer.h"

static regions_run run_of(ask *q, pl_body *a, pl_body *b)
{
  return (regions_run){.context = q->context, .q = q->scratch, .def = q->def, .body = {a, b}, .counters = &q->counters};
}

/* In the order of groups: each member with itself before its pairs with later members. */
static pl_status add_groups(ask *q, bool *partial)
{
  result_store *found = &((regions_scratch *)q->scratch)->touching;
  pl_status status = touching_find(q, found, partial);
  for (size_t g = 0; g < found->groups.count && status == PL_OK; ++g) {
    const pl_group *group = &found->groups.data[g];
    regions_run r = run_of(q, group->a, group->b);
    status = regions_add(&r, (const pl_pair *)(const void *)found->rows.data + group->begin, group->end - group->begin);
  }
  return status;
}

static pl_status add_plainly(ask *q, pl_body *a, pl_body *b, row_list out)
{
  (void)out; /* regions are kept in the scratch until all are known */
  regions_run r = run_of(q, a, b);
  return regions_add_plainly(&r);
}

static pl_status answer(ask *q, const pl_result **out)
{
  bool partial = false;
  const double start = timer_ms();
  regions_begin(q->scratch);
  pl_status status = q->reference ? ask_run(q) : add_groups(q, &partial);
  q->counters.ms_query = timer_ms() - start;
  return status == PL_OK ? regions_publish(q->context, q->scratch, q->store, partial, &q->counters, out) : status;
}

pl_status pl_regions(pl_who who, const pl_question *how, const pl_result **out)
{
  static const pair_question row = {.name = QUERY_REGIONS,
                                    .row_size = sizeof(pl_region),
                                    .asked = ASKED_REGIONS,
                                    .answer = answer,
                                    .reference = add_plainly};
  return ask_question(&(ask){.question = &row, .who = who}, how, out);
}
