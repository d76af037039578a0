/* Spheres that touch without a walk: every node of a level against every other, decided exactly, and then all their ancestors. */
#include "query/spheres/touch.h"
#include "scene/scene.h"

pl_status pl_reference_touch(pl_body *a, pl_body *b, const pl_touch_def *def, const pl_touches **out)
{
  return touch_bodies(a, b, def, true, out);
}

pl_status pl_reference_scene_touch(pl_scene *scene, const pl_touch_def *def, const pl_touches **out)
{
  return scene_touch(scene, def, true, out);
}
