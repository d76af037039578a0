/* Spheres that touch: who is asked, and the question as callers see it. */
#include "query/spheres/contacts.h"
#include "scene/scene.h"

static bool meet(const pl_question *def, const contact_body *a, const contact_body *b)
{
  if (a->member && a != b && !members_meet(a->member, b->member)) return false;
  return !def->body_filter || def->body_filter(def->user, a->body, b->body);
}

static pl_status add_members(const pl_scene *scene, contact_scratch *q, const pl_question *def)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    if (!m || !m->body->spheres) continue;
    const contact_body body = {.body = m->body, .self = m->options.self, .member = m};
    status = contact_add(scene->context, q, def, &body);
  }
  return status;
}

static pl_status add_bodies(pl_who who, contact_scratch *q, const pl_question *def)
{
  const contact_body a = {.body = who.a, .self = who.a == who.b}, b = {.body = who.b};
  pl_status status = contact_add(who.a->context, q, def, &a);
  return status == PL_OK && who.a != who.b ? contact_add(who.a->context, q, def, &b) : status;
}

pl_status pl_sphere_contacts(pl_who who, const pl_question *how, const pl_result **out)
{
  if (out) *out = NULL;
  pl_question d;
  call c;
  pl_context *context;
  pl_status status = who_check(who, out, &context);
  if (status == PL_OK && !who.scene) status = contact_check_body(who.a);
  if (status == PL_OK && !who.scene) status = contact_check_body(who.b);
  if (status == PL_OK) status = question_take(context, ASKED_SPHERES, how, &d);
  if (status == PL_OK) status = contact_check(context, &d);
  if (status == PL_OK) status = who_enter(&c, who);
  if (status != PL_OK) return status;
  result_store *store = NULL;
  contact_scratch *q = contact_begin(context);
  status = !q ? PL_ERROR_MEMORY : who.scene ? add_members(who.scene, q, &d) : add_bodies(who, q, &d);
  if (status == PL_OK) status = result_store_take(context, d.holder, QUERY_SPHERES, &store);
  if (status == PL_OK) status = contact_answer(context, q, &d, meet, store, out);
  call_query_end(&c);
  return status;
}
