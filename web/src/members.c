/* Scenes: which bodies are members, and which of them may meet. */
#include "web/src/web.h"

pl_scene *WEB_EXPORT(web_scene)(pl_context *context)
{
  pl_scene *scene = NULL;
  web_check(context, pl_scene_create(context, NULL, &scene));
  return scene;
}

void WEB_EXPORT(web_scene_destroy)(pl_scene *scene) { pl_scene_destroy(scene); }

int WEB_EXPORT(web_scene_add)(pl_context *context, pl_scene *scene, pl_body *body, int self, uint32_t group,
                              uint32_t mask)
{
  pl_member_def member = pl_member_def_default();
  member.self = self != 0;
  member.group = group;
  member.mask = mask;
  return web_check(context, pl_scene_add(scene, body, &member));
}

int WEB_EXPORT(web_scene_remove)(pl_context *context, pl_scene *scene, pl_body *body)
{
  return web_check(context, pl_scene_remove(scene, body));
}

int WEB_EXPORT(web_scene_exclude)(pl_context *context, pl_scene *scene, pl_body *a, pl_body *b, int out)
{
  return web_check(context, out ? pl_scene_exclude(scene, a, b) : pl_scene_include(scene, a, b));
}
