/* The stages before the walk: volumes of bodies that changed, and the broad phase. The number of
 * pieces of work does not depend on the number of workers. */
#include "body/sweep.h"
#include "scene/scene.h"

#include <string.h>

static void destroy(pl_context *context, void *scratch)
{
  scene_scratch *t = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free_all(allocator, &t->places, &t->selves);
  for (int i = 0; i < KEPT_COUNT; ++i) array_free_all(allocator, &t->step[i].now, &t->step[i].held);
  array_free_all(allocator, &t->boxes, &t->candidates, &t->order, &t->ordering, &t->moved, &t->records);
}

const query_slot pl_inside_query_SCENES = {sizeof(scene_scratch), NULL, destroy};

place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u)
{
  place *p = &t->places.data[proxy];
  if (!p->known) *n_u += place_make(p, scene->members.data[proxy]->body);
  return p;
}

/* ------------------------------------------------------------------------------------ update -- */

/* Updates the bodies in `waiting`. */
static pl_status update_waiting(pl_scene *scene, pl_counters *counters)
{
  if (!scene->waiting.count) return PL_OK;
  if (!array_reserve(&scene->context->def.allocator, &scene->pieces, scene->waiting.count + 1))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
  return update_eager(scene->context, scene->waiting.data, scene->pieces.data, scene->waiting.count, &counters->n_u);
}

static bool wait_for(pl_scene *scene, pl_body *body, asked_kind kind)
{
  if (!array_reserve(&scene->context->def.allocator, &scene->waiting, scene->waiting.count + 1)) return false;
  scene->waiting.data[scene->waiting.count++] = body->update;
  update_asked(body->update, kind);
  return true;
}

/* Updates the members that are not current. `evaluated`: only those whose boxes come from their
 * trees; where positions are stored, boxes come from these, which costs less. */
static pl_status update_members(pl_scene *scene, asked_kind kind, bool evaluated, pl_counters *counters)
{
  scene->waiting.count = 0;
  for (size_t i = 0; i < scene->members.count; ++i) {
    membership *m = scene->members.data[i];
    if (!m || !m->body->update->pending) continue;
    if (evaluated ? m->options.loose || !m->body->motion.now.evaluate : m->options.loose && !m->options.self) continue;
    if (!wait_for(scene, m->body, kind))
      return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
  }
  return update_waiting(scene, counters);
}

pl_status scene_update(pl_scene *scene, asked_kind kind, pl_counters *counters)
{
  return update_members(scene, kind, false, counters);
}

/* ------------------------------------------------------------------------------------- sweep -- */

/* Updates the bodies whose loose boxes overlap another box, each once. */
static pl_status update_met(pl_scene *scene, pl_counters *counters)
{
  scene->waiting.count = 0;
  for (size_t i = 0; i < scene->broad.pairs.count; ++i)
    for (int s = 0; s < 2; ++s) {
      uint64_t pair = scene->broad.pairs.data[i];
      membership *m = scene->members.data[s ? (uint32_t)pair : pair >> 32];
      if (!m->options.loose || !m->body->update->pending || m->body->update->listed) continue;
      m->body->update->listed = true;
      if (!wait_for(scene, m->body, ASKED_PAIRS)) {
        for (size_t k = 0; k < scene->waiting.count; ++k) scene->waiting.data[k]->listed = false;
        m->body->update->listed = false;
        return fail(scene->context, PL_ERROR_MEMORY, "no memory for the update of a scene");
      }
    }
  for (size_t k = 0; k < scene->waiting.count; ++k) scene->waiting.data[k]->listed = false;
  return update_waiting(scene, counters);
}

/* Two boxes that are at most `margin` apart along an axis overlap when both have grown by half
 * of it. */
static void grow(aabb *box, double margin)
{
  for (int k = 0; k < 3; ++k) {
    box->lower[k] = round_down((double)box->lower[k] - margin / 2 * (1 + 0x1p-40));
    box->upper[k] = round_up((double)box->upper[k] + margin / 2 * (1 + 0x1p-40));
  }
}

pl_status scene_find_pairs(pl_scene *scene)
{
  enum { MANY = 100 }; /* bodies; with fewer, testing every pair is cheaper than keeping lists */
  const bool lists = scene->kind == PL_BROAD_SWEEP || (scene->kind == PL_BROAD_AUTO && scene->body_count > MANY);
  return broad_update(scene->context, &scene->broad, lists);
}

pl_status scene_sweep_within(pl_scene *scene, scene_scratch *t, double margin, bool thick, pl_counters *counters)
{
  if (!array_reserve(&scene->context->def.allocator, &t->places, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the places of bodies");
  for (size_t i = 0; i < scene->members.count; ++i) {
    membership *m = scene->members.data[i];
    if (!m) continue;
    aabb *box = &scene->broad.boxes.data[i];
    t->places.data[i].known = false;
    if (m->options.loose) {
      *box = loose_box(m);
    } else {
      counters->n_u += place_make(&t->places.data[i], m->body);
      *box = t->places.data[i].at.world;
    }
    const double wide = margin + (thick ? 2 * m->body->thickness.most : 0);
    if (wide > 0) grow(box, wide);
  }
  pl_status status = scene_find_pairs(scene);
  return status == PL_OK ? update_met(scene, counters) : status;
}

/* The box around the whole way of a member. */
static pl_status way_box(const membership *m, pl_counters *counters, aabb *out)
{
  pl_body *body = m->body;
  bool turns = false;
  *out = loose_box(m);
  if (m->options.loose) return PL_OK;
  pl_status status = turn_ask(body, &turns);
  if (status != PL_OK || turns) {
    if (turns) *out = body->sweep->way.box;
    return status;
  }
  aabb box;
  if (body->update->pending) {
    box = sweep_end_box(body);
  } else {
    place at;
    counters->n_u += place_make(&at, m->body);
    box = at.at.world;
  }
  *out = body->sweep && body->sweep->kept ? aabb_merge(&box, &body->sweep->start_box) : box;
  return PL_OK;
}

pl_status scene_sweep_ways(pl_scene *scene, double margin, pl_counters *counters)
{
  scene->broad.pairs.count = 0;
  if (scene->body_count < 2) return PL_OK;
  pl_status status = update_members(scene, ASKED_PAIRS, true, counters);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < scene->members.count; ++i) {
    if (!scene->members.data[i]) continue;
    aabb *box = &scene->broad.boxes.data[i];
    status = way_box(scene->members.data[i], counters, box);
    if (status != PL_OK) return status;
    /* contacts may be as much farther apart, or less */
    const double wide = margin + 2 * scene->members.data[i]->body->thickness.most;
    if (wide > 0) grow(box, wide * (1 + 0x1p-9));
  }
  return scene_find_pairs(scene);
}
