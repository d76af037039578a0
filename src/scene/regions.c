/* Regions of two bodies, of one, or of a scene: finds the pairs of each group, by trees or without, and joins them (query/regions). */
#include "query/regions/regions.h"
#include "core/timer.h"
#include "scene/scene.h"

typedef struct regions_question {
  pl_context *context;
  const pl_regions_def *def;
  regions_scratch *q;
  pl_counters counters;
  bool partial;
} regions_question;

static void count(regions_question *w, const pl_counters *own)
{
  w->counters.n_v += own->n_v;
  w->counters.n_p += own->n_p;
  w->counters.n_u += own->n_u;
  w->counters.ms_update += own->ms_update;
}

static pl_status add_group(regions_question *w, pl_body *a, pl_body *b, const pl_pair *pairs, size_t n)
{
  regions_run r = {.context = w->context, .q = w->q, .def = w->def, .body = {a, b}, .counters = &w->counters};
  return regions_add(&r, pairs, n);
}

/* Two bodies, or one. */
static pl_status add_bodies(regions_question *w, pl_body *a, pl_body *b)
{
  const pl_regions_def *def = w->def;
  body_filter seen = {def->filter, def->user, a, b};
  const pl_pairs *found;
  pl_status status;
  if (def->reference) {
    regions_run r = {.context = w->context, .q = w->q, .def = def, .body = {a, b}, .counters = &w->counters};
    return regions_add_plainly(&r);
  }
  if (a == b) {
    pl_self_def d = pl_self_def_default();
    d.neighbours = def->rings == 0;
    d.filter = def->filter ? query_filter_contact : NULL;
    d.user = &seen;
    d.budget_tests = def->budget_tests;
    d.budget_ms = def->budget_ms;
    status = self_body(a, &d, &found);
  } else {
    pl_collide_def d = pl_collide_def_default();
    d.filter = def->filter ? query_filter_contact : NULL;
    d.user = &seen;
    d.budget_tests = def->budget_tests;
    d.budget_ms = def->budget_ms;
    status = collide_bodies(a, b, &d, &found);
  }
  if (status != PL_OK) return status;
  count(w, &found->counters);
  w->partial = w->partial || found->partial;
  return add_group(w, a, b, found->pairs, found->count);
}

/* ------------------------------------------------------------------------------------------------------ scene -- */

static pl_status add_contacts(regions_question *w, const pl_contacts *all, const pl_contact_group *group)
{
  regions_scratch *q = w->q;
  size_t n = group->end - group->begin;
  if (!array_reserve(&w->context->def.allocator, &q->pairs, n))
    return fail(w->context, PL_ERROR_MEMORY, "no memory for %zu pairs", n);
  for (size_t i = 0; i < n; ++i) {
    const pl_contact *c = &all->contacts[group->begin + i];
    q->pairs.data[i] = (pl_pair){c->triangle_a, c->triangle_b};
  }
  return add_group(w, group->a, group->b, q->pairs.data, n);
}

/* In the order of adding: each member with itself before its pairs with later members. */
static pl_status add_scene(regions_question *w, pl_scene *scene)
{
  pl_collide_def d = pl_collide_def_default();
  d.contact_filter = w->def->filter;
  d.user = w->def->user;
  d.budget_tests = w->def->budget_tests;
  d.budget_ms = w->def->budget_ms;
  const pl_contacts *all;
  pl_status status = scene_collide(scene, &d, &all);
  if (status != PL_OK) return status;
  count(w, &all->counters);
  w->partial = all->partial;
  size_t next = 0;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    const bool neighbours = m && m->options.self && w->def->rings == 0;
    if (neighbours) status = add_bodies(w, m->body, m->body);
    for (; m && next < all->group_count && all->groups[next].a == m->body && status == PL_OK; ++next)
      if (!neighbours || all->groups[next].b != m->body) status = add_contacts(w, all, &all->groups[next]);
  }
  return status;
}

static pl_status add_scene_plainly(regions_question *w, pl_scene *scene)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (a && b && (i == k ? a->options.self : members_meet(a, b))) status = add_bodies(w, a->body, b->body);
    }
  return status;
}

/* --------------------------------------------------------------------------------------------------- question -- */

static pl_status check(pl_who who, const pl_regions_def *def, const void *out, pl_regions_def *full)
{
  pl_context *context = who.scene ? who.scene->context : who.a ? who.a->context : who.b ? who.b->context : NULL;
  if (!who.scene && (!who.a || !who.b)) return query_refuse_null(context, who.a ? "body b" : "body a");
  if (!out) return query_refuse_null(context, "out");
  if (!who.scene && who.a->context != who.b->context)
    return fail(context, PL_ERROR_MISMATCH, "the bodies are of different contexts");
  pl_status status = def_take(context, pl_regions_def, def, full);
  if (status == PL_OK) status = query_check_amount(context, full->budget_ms, "the time budget");
  if (status != PL_OK) return status;
  full->depth = full->depth && full->patches;
  return PL_OK;
}

pl_status pl_regions(pl_who who, const pl_regions_def *def, const pl_region_result **out)
{
  if (out) *out = NULL;
  pl_regions_def d;
  call c;
  pl_status status = check(who, def, out, &d);
  if (status != PL_OK) return status;
  regions_question w = {.context = who.scene ? who.scene->context : who.a->context, .def = &d};
  status = who.scene ? scene_query(&c, who.scene) : query_enter(&c, who.a, who.b);
  if (status != PL_OK) return status;
  double start = timer_ms();
  w.q = regions_begin(w.context);
  status = !w.q        ? PL_ERROR_MEMORY
           : who.scene ? (d.reference ? add_scene_plainly(&w, who.scene) : add_scene(&w, who.scene))
                       : add_bodies(&w, who.a, who.b);
  w.counters.ms_query = timer_ms() - start - w.counters.ms_update;
  if (status == PL_OK) status = regions_publish(w.context, w.q, &d, w.partial, &w.counters, out);
  call_query_end(&c);
  return status;
}
