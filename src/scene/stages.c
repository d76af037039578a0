/* The stages before the walk: volumes of bodies that changed, and the broad phase. Work is cut into pieces whose number does not
 * depend on the number of workers. */
#include "scene/scene.h"

#include "body/soup.h"

/* ---------------------------------------------------------------------------------------------------- update -- */

/* Border nodes that one piece takes: about so many triangles. */
enum { PIECE_TRIANGLES = 8192 };

static uint32_t border_step(const update *u)
{
  uint32_t per_node = u->border_count ? u->t->triangle_count / u->border_count + 1 : 1;
  return per_node >= PIECE_TRIANGLES ? 1 : PIECE_TRIANGLES / per_node;
}

static void piece_task(void *data, int task, int worker)
{
  (void)worker;
  pl_scene *scene = data;
  uint64_t piece = scene->pieces.data[task];
  update *u = &scene->waiting.data[piece >> 32]->u;
  uint32_t begin = (uint32_t)piece, end = begin + border_step(u);
  if (end > u->border_count) end = u->border_count;
  uint64_t made = 0;
  for (uint32_t i = begin; i < end; ++i) made += update_border(u, i);
  scene->made.data[task] = made;
}

static void above_task(void *data, int task, int worker)
{
  (void)worker;
  pl_scene *scene = data;
  update *u = &scene->waiting.data[task]->u;
  uint64_t made = update_above(u);
  made += update_ensure(u, TREE_ROOT);
  scene->made.data[scene->pieces.count + (size_t)task] = made;
}

static bool list_pieces(pl_scene *scene)
{
  const pl_allocator *allocator = &scene->context->def.allocator;
  scene->pieces.count = 0;
  for (size_t i = 0; i < scene->waiting.count; ++i) {
    const update *u = &scene->waiting.data[i]->u;
    for (uint32_t k = 0; k < u->border_count; k += border_step(u)) {
      if (!array_reserve(allocator, &scene->pieces, scene->pieces.count + 1)) return false;
      scene->pieces.data[scene->pieces.count++] = (uint64_t)i << 32 | k;
    }
  }
  return array_reserve(allocator, &scene->made, scene->pieces.count + scene->waiting.count);
}

/* Brings up the bodies in `waiting`. */
static pl_status bring_up_waiting(pl_scene *scene, pl_counters *counters)
{
  if (!scene->waiting.count) return PL_OK;
  if (!list_pieces(scene)) return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
  double cost = 0; /* in parts of what is worth it */
  for (size_t i = 0; i < scene->waiting.count; ++i) cost += update_cost(&scene->waiting.data[i]->u);
  pl_status status = parallel_for(scene->context, cost > 1, piece_task, scene, (int)scene->pieces.count);
  if (status == PL_OK) status = parallel_for(scene->context, cost > 10, above_task, scene, (int)scene->waiting.count);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < scene->pieces.count + scene->waiting.count; ++i) counters->n_u += scene->made.data[i];
  return PL_OK;
}

static bool wait_for(pl_scene *scene, pl_body *body)
{
  if (!array_reserve(&scene->context->def.allocator, &scene->waiting, scene->waiting.count + 1)) return false;
  scene->waiting.data[scene->waiting.count++] = body;
  return true;
}

static pl_status bring_up(pl_scene *scene, bool rays, pl_counters *counters)
{
  scene->waiting.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i) {
    membership *m = scene->members.data[i];
    if (!m || m->options.loose || !m->body->u.pending || (rays && soup_grid(m->body))) continue;
    if (!wait_for(scene, m->body)) return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
  }
  return bring_up_waiting(scene, counters);
}

pl_status scene_bring_up(pl_scene *scene, pl_counters *counters) { return bring_up(scene, false, counters); }
pl_status scene_bring_up_rays(pl_scene *scene, pl_counters *counters) { return bring_up(scene, true, counters); }

/* ------------------------------------------------------------------------------------------------------ sweep -- */

/* Bodies with loose boxes that met another one are brought up now, each once. */
static pl_status bring_up_met(pl_scene *scene, pl_counters *counters)
{
  scene->waiting.count = 0;
  for (size_t i = 0; i < scene->broad.pairs.count; ++i)
    for (int s = 0; s < 2; ++s) {
      uint64_t pair = scene->broad.pairs.data[i];
      membership *m = scene->members.data[s ? (uint32_t)pair : pair >> 32];
      if (!m->options.loose || !m->body->u.pending || m->body->waiting) continue;
      m->body->waiting = true;
      if (!wait_for(scene, m->body)) {
        for (size_t k = 0; k < scene->waiting.count; ++k) scene->waiting.data[k]->waiting = false;
        m->body->waiting = false;
        return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
      }
    }
  for (size_t k = 0; k < scene->waiting.count; ++k) scene->waiting.data[k]->waiting = false;
  return bring_up_waiting(scene, counters);
}

pl_status scene_sweep(pl_scene *scene, pl_counters *counters)
{
  enum { MANY = 100 }; /* bodies; below, every pair is cheaper than keeping lists */
  if (!array_reserve(&scene->context->def.allocator, &scene->places, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the places of bodies");
  for (size_t i = 0; i < scene->members.count; ++i) {
    membership *m = scene->members.data[i];
    if (!m) continue;
    aabb *box = &scene->broad.boxes.data[i];
    scene->places.data[i].known = false;
    if (m->options.loose) {
      for (int k = 0; k < 3; ++k) {
        box->lower[k] = m->options.lower[k];
        box->upper[k] = m->options.upper[k];
      }
    } else {
      counters->n_u += place_make(&scene->places.data[i], m->body);
      *box = scene->places.data[i].world;
    }
  }
  bool sweep = scene->kind == PL_BROAD_SWEEP || (scene->kind == PL_BROAD_AUTO && scene->body_count > MANY);
  pl_status status = broad_update(scene->context, &scene->broad, sweep);
  return status == PL_OK ? bring_up_met(scene, counters) : status;
}
