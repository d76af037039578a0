/* Regions of two bodies, of one, or of a scene: finds the pairs of each group, by trees or
 * without, and joins them (query/regions). */
#include "query/regions/regions.h"
#include "ask/touching.h"
#include "core/timer.h"

typedef struct regions_question {
  pl_context *context;
  const pl_question *def;
  regions_scratch *q;
  pl_counters counters;
  bool partial;
} regions_question;

static regions_run run_of(regions_question *w, pl_body *a, pl_body *b)
{
  return (regions_run){.context = w->context, .q = w->q, .def = w->def, .body = {a, b}, .counters = &w->counters};
}

/* In the order of groups: each member with itself before its pairs with later members. */
static pl_status add_groups(regions_question *w, pl_who who)
{
  pl_question d = pl_question_default();
  d.rings = w->def->rings;
  d.filter = w->def->filter;
  d.user = w->def->user;
  d.budget_tests = w->def->budget_tests;
  d.budget_ms = w->def->budget_ms;
  result_store *found = &w->q->touching;
  pl_status status = touching_find(w->context, who, &d, found, &w->counters, &w->partial);
  for (size_t g = 0; g < found->groups.count && status == PL_OK; ++g) {
    const pl_group *group = &found->groups.data[g];
    regions_run r = run_of(w, group->a, group->b);
    status = regions_add(&r, (const pl_pair *)(const void *)found->rows.data + group->begin, group->end - group->begin);
  }
  return status;
}

static pl_status add_plainly(regions_question *w, pl_body *a, pl_body *b)
{
  regions_run r = run_of(w, a, b);
  return regions_add_plainly(&r);
}

static pl_status add_reference(regions_question *w, pl_who who)
{
  if (!who.scene) return add_plainly(w, who.a, who.b);
  const pl_scene *scene = who.scene;
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (a && b && members_are_asked(a, b)) status = add_plainly(w, a->body, b->body);
    }
  return status;
}

/* ---------------------------------------------------------------------------------- question -- */

pl_status pl_regions(pl_who who, const pl_question *how, const pl_result **out)
{
  ask q = {.who = who};
  pl_question d;
  call c;
  pl_status status = ask_check(&q, ASKED_REGIONS, how, &d, out);
  if (status != PL_OK) return status;
  d.depth = d.depth && d.patches;
  regions_question w = {.context = q.context, .def = &d};
  status = who.scene ? scene_query(&c, who.scene) : query_enter(&c, who.a, who.b);
  if (status != PL_OK) return status;
  double start = timer_ms();
  w.q = regions_begin(w.context);
  status = !w.q ? PL_ERROR_MEMORY : d.reference ? add_reference(&w, who) : add_groups(&w, who);
  w.counters.ms_query = timer_ms() - start - w.counters.ms_update;
  if (status == PL_OK) status = regions_publish(w.context, w.q, &d, w.partial, &w.counters, out);
  call_query_end(&c);
  return status;
}
