/* Contacts of a scene without trees: every pair of bodies by the reference of two. */
#include "scene/scene.h"
#include "core/timer.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <string.h>

pl_status pl_reference_scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_collide_def d;
  pl_status status = query_check_def(scene->context, def, &d);
  collide_scratch *q = status == PL_OK ? query_scratch(scene->context, QUERY_COLLIDE) : NULL;
  if (!q) return status == PL_OK ? PL_ERROR_MEMORY : status;
  if (d.callback || d.filter)
    return fail(scene->context, PL_ERROR_UNSUPPORTED, "a scene gathers its contacts: callback and filter must be NULL");
  pl_contacts answer = {0};
  double start = timer_ms();
  scene->contacts.count = scene->groups.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i + 1; k < scene->members.count && status == PL_OK; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !members_meet(a, b)) continue;
      pl_pairs pairs = {0};
      q->pairs.count = 0;
      ++answer.body_pairs;
      status = reference_pairs(a->body, b->body, q, &d, &pairs);
      answer.counters.n_p += pairs.counters.n_p;
      if (status == PL_OK) status = scene_append(scene, q, a->body, b->body);
    }
  if (status != PL_OK) return status;
  answer.counters.ms_query = timer_ms() - start;
  scene_publish(scene, &answer, out);
  return PL_OK;
}

pl_status pl_reference_scene_distance_sized(pl_scene *scene, const pl_distance_def *def, pl_nearest *out,
                                            size_t out_size)
{
  if (out) memset(out, 0, out_size);
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_distance_def checked;
  pl_status status = distance_check_def(scene->context, def, &checked);
  if (status != PL_OK) return status;
  pl_nearest answer = {.distance = {.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX}};
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i + 1; k < scene->members.count; ++k) {
      membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !members_meet(a, b)) continue;
      pl_distance d;
      status = pl_reference_distance(a->body, b->body, &checked, &d);
      if (status != PL_OK) return status;
      ++answer.body_pairs;
      if (d.triangle_a == UINT32_MAX || (answer.a && !(d.distance < answer.distance.distance))) continue;
      answer.a = a->body;
      answer.b = b->body;
      answer.distance = d;
    }
  if (!answer.a) answer.distance.lower = checked.limit;
  result_give(out, out_size, &answer, sizeof answer);
  return PL_OK;
}
