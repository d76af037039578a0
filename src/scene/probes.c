/* Probes of a body or a scene: who is asked, and the questions as callers see them. The parts of
 * query/probe answer them. */
#include "pliant/probes.h"

#include "query/probe/overlap.h"
#include "query/probe/points.h"
#include "query/probe/rays.h"
#include "scene/scene.h"

pl_body *pl_scene_member_body(const pl_scene *scene, uint32_t number)
{
  if (!scene || number >= scene->body_count) return NULL;
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i] && number-- == 0) return scene->members.data[i]->body;
  return NULL;
}

/* --------------------------------------------------------------------------------------- who -- */

/* A question that has begun. */
typedef struct probing {
  pl_context *context;
  call call;
  probe_bodies *bodies; /* of a scene the thread's, otherwise `own` */
  probe_bodies own;
  probe_body one;
  result_store *store;
} probing;

/* The first checks of every question; *out becomes NULL. */
static pl_status check_who(pl_who who, const pl_result **out, probing *p)
{
  if (out) *out = NULL;
  pl_status status = who_check(who, out, &p->context);
  if (status != PL_OK || who.scene || who.a == who.b) return status;
  return fail(p->context, PL_ERROR_UNSUPPORTED, "probes are asked of one body or of a scene, not of two bodies");
}

/* Lists the members that the mask lets in. */
static pl_status list_members(const pl_scene *scene, uint32_t mask, probe_bodies *bodies)
{
  pl_status status = PL_OK;
  uint32_t number = 0;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    if (!m) continue;
    if (m->options.group & mask) status = probe_bodies_add(scene->context, bodies, m->body, number);
    ++number;
  }
  return status;
}

/* After all checks: begins the question, which call_query_end() ends. */
static pl_status enter(probing *p, pl_who who, const pl_question *def, query_name name)
{
  pl_status status = who_enter(&p->call, who);
  if (status != PL_OK) return status;
  if (who.scene) {
    p->bodies = probe_bodies_begin(p->context);
    status = p->bodies ? list_members(who.scene, def->mask, p->bodies) : PL_ERROR_MEMORY;
  } else {
    p->one = (probe_body){who.a, 0};
    p->own = probe_bodies_one(&p->one);
    p->bodies = &p->own;
  }
  if (status == PL_OK) status = result_store_take(p->context, def->holder, name, &p->store);
  if (status != PL_OK) call_query_end(&p->call);
  return status;
}

/* --------------------------------------------------------------------------------- questions -- */

pl_status pl_cast(pl_who who, const pl_ray *rays, size_t count, const pl_question *how, const pl_result **out)
{
  pl_question d;
  probing p;
  pl_status status = check_who(who, out, &p);
  if (status == PL_OK) status = question_take(p.context, ASKED_CAST, how, &d);
  if (status == PL_OK) status = rays_check(p.context, rays, count, &d);
  if (status == PL_OK) status = enter(&p, who, &d, QUERY_CAST);
  if (status != PL_OK) return status;
  const ray_question q = {p.context, rays, count, &d, p.store};
  status = d.reference ? rays_reference(&q, p.bodies, out) : rays_cast(&q, p.bodies, out);
  call_query_end(&p.call);
  return status;
}

static pl_status ask_points(pl_who who, pl_positions at, const pl_question *how, const point_kind *kind,
                            const pl_result **out)
{
  pl_question d;
  probing p;
  pl_status status = check_who(who, out, &p);
  if (status == PL_OK) status = question_take(p.context, kind->what, how, &d);
  if (status == PL_OK) status = points_check(p.context, at);
  if (status == PL_OK) status = enter(&p, who, &d, kind->name);
  if (status != PL_OK) return status;
  const point_question q = {p.context, at, &d, kind, p.store};
  status = d.reference ? points_reference(&q, p.bodies, out) : points_find(&q, p.bodies, out);
  call_query_end(&p.call);
  return status;
}

pl_status pl_closest(pl_who who, pl_positions at, const pl_question *how, const pl_result **out)
{
  return ask_points(who, at, how, &points_closest, out);
}

pl_status pl_inside(pl_who who, pl_positions at, const pl_question *how, const pl_result **out)
{
  return ask_points(who, at, how, &points_inside, out);
}

pl_status pl_signed_distance(pl_who who, pl_positions at, const pl_question *how, const pl_result **out)
{
  return ask_points(who, at, how, &points_signed_distance, out);
}

pl_status pl_overlap(pl_who who, const pl_zone *zone, const pl_question *how, const pl_result **out)
{
  pl_question d;
  probing p;
  pl_status status = check_who(who, out, &p);
  if (status == PL_OK) status = overlap_check_zone(p.context, zone);
  if (status == PL_OK) status = question_take(p.context, ASKED_OVERLAP, how, &d);
  if (status == PL_OK) status = enter(&p, who, &d, QUERY_OVERLAP);
  if (status != PL_OK) return status;
  const zone_question q = {p.context, zone, &d, p.store};
  status = d.reference ? overlap_reference(&q, p.bodies, out) : overlap_find(&q, p.bodies, out);
  call_query_end(&p.call);
  return status;
}
