/* Spheres that touch, of all bodies of a scene that match shapes. */
#include "query/spheres/touch.h"
#include "scene/scene.h"

static bool meet(const pl_touch_def *def, const touch_body *a, const touch_body *b)
{
  return members_meet(a->member, b->member) && (!def->body_filter || def->body_filter(def->user, a->body, b->body));
}

pl_status scene_touch(pl_scene *scene, const pl_touch_def *def, bool brute, const pl_touches **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_touch_def d;
  call c;
  pl_status status = touch_check_def(scene->context, def, &d);
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  touch_scratch *q = touch_begin(scene->context);
  if (!q) status = PL_ERROR_MEMORY;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    if (m && m->body->spheres) status = touch_add(scene->context, q, &d, m->body, m);
  }
  if (status == PL_OK) status = touch_run(scene->context, q, &d, meet, brute, out);
  call_query_end(&c);
  return status;
}

pl_status pl_scene_touch(pl_scene *scene, const pl_touch_def *def, const pl_touches **out)
{
  return scene_touch(scene, def, false, out);
}
