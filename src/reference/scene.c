/* Contacts of a scene without trees: every pair of bodies by the reference of two. */
#include "scene/scene.h"
#include "core/timer.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <string.h>

static pl_status collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  pl_context *context = scene->context;
  collide_scratch *q = query_scratch(context, QUERY_COLLIDE);
  scene_scratch *t = q ? query_scratch(context, QUERY_SCENES) : NULL;
  if (!t) return PL_ERROR_MEMORY;
  pl_contacts answer = {0};
  pl_status status = PL_OK;
  double start = timer_ms();
  t->version = t->contacts.count = t->groups.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !(i == k ? a->options.self : members_meet(a, b))) continue;
      pl_pairs pairs = {0};
      body_filter seen = {def->contact_filter, def->user, a->body, b->body};
      pl_collide_def own = *def;
      pl_self_def self = pl_self_def_default();
      self.first = def->first;
      self.filter = own.filter = def->contact_filter ? query_filter_contact : NULL;
      self.user = own.user = &seen;
      q->pairs.count = 0;
      answer.body_pairs += i != k;
      status = i == k ? reference_self(a->body, q, &self, &pairs) : reference_pairs(a->body, b->body, q, &own, &pairs);
      answer.counters.n_p += pairs.counters.n_p;
      if (status == PL_OK) status = scene_append(context, t, q, a->body, b->body);
    }
  if (status != PL_OK) return status;
  answer.counters.ms_query = timer_ms() - start;
  scene_publish(t, &answer, out);
  return PL_OK;
}

pl_status pl_reference_scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_collide_def d;
  call c;
  pl_status status = query_check_def(scene->context, def, &d);
  if (status == PL_OK && (d.callback || d.filter || d.pairs))
    status =
        fail(scene->context, PL_ERROR_UNSUPPORTED,
             "a scene gathers its contacts: callback, filter and pairs must be NULL; contact_filter sees the bodies");
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = collide(scene, &d, out);
  call_query_end(&c);
  return status;
}

static pl_status nearest(pl_scene *scene, const pl_distance_def *def, pl_nearest *out)
{
  *out = (pl_nearest){.distance = {.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX}};
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i + 1; k < scene->members.count; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !members_meet(a, b)) continue;
      pl_distance d;
      body_filter seen = {def->contact_filter, def->user, a->body, b->body};
      pl_distance_def own = *def;
      own.filter = def->contact_filter ? query_filter_contact : NULL;
      own.user = &seen;
      pl_status status = reference_distance(a->body, b->body, &own, &d);
      if (status != PL_OK) return status;
      ++out->body_pairs;
      if (d.triangle_a == UINT32_MAX || (out->a && !(d.distance < out->distance.distance))) continue;
      out->a = a->body;
      out->b = b->body;
      out->distance = d;
    }
  if (!out->a) out->distance.lower = def->limit;
  return PL_OK;
}

pl_status pl_reference_scene_distance_sized(pl_scene *scene, const pl_distance_def *def, pl_nearest *out,
                                            size_t out_size)
{
  if (out) memset(out, 0, out_size);
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_distance_def d;
  pl_nearest answer;
  call c;
  pl_status status = distance_check_def(scene->context, def, &d);
  if (status == PL_OK && d.filter)
    status =
        fail(scene->context, PL_ERROR_UNSUPPORTED, "a scene's filter must be NULL: contact_filter sees the bodies");
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = nearest(scene, &d, &answer);
  call_query_end(&c);
  if (status == PL_OK) result_give(out, out_size, &answer, sizeof answer);
  return status;
}
