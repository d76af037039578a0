/* The members of a scene as queries of points and regions see them. Every member that the mask lets in is updated, also those with a loose box:
 * what is nearest to a point need not meet another body. Cost: O(bodies) and their eager passes. */
#include "scene/targets.h"

pl_status scene_targets_take(pl_scene *scene, uint32_t mask, scene_targets *out, pl_counters *counters)
{
  updating_begin(scene->context);
  pl_status status = scene_update_masked(scene, mask, counters);
  updating_end(scene->context);
  if (status != PL_OK) return status;
  if (!array_reserve(&scene->context->def.allocator, out, scene->body_count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu bodies", scene->body_count);
  uint32_t number = 0;
  out->count = 0;
  for (size_t i = 0; i < scene->members.count; ++i) {
    const membership *m = scene->members.data[i];
    if (m && member_has(m, mask)) {
      scene_target *t = &out->data[out->count++];
      counters->n_u += body_ensure_root(m->body);
      probe_take_target(&t->probe, m->body);
      t->body = m->body;
      t->member = number;
    }
    number += m != NULL;
  }
  return PL_OK;
}
