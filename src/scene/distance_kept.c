/* Distances of bodies that do not move: a scene keeps the results of its exact searches for each
 * pair of bodies, the state of each body, and the nearest pair of the last query. As long as
 * that pair has not moved, no other pair that has not moved can be nearer, and only pairs with a
 * body that has moved are listed. Records are read and written with the lock of updates held,
 * and copied. Invariant: records are in the order of their proxies, as candidates are. Cost:
 * O(bodies + records), and no test. */
#include "scene/scene.h"

#include <string.h>

static bool is_still(const scene_scratch *t, scene_candidate c) { return !t->moved.data[c.a] && !t->moved.data[c.b]; }

/* Which members have moved since the last query, or were not in it. */
static void mark_moved(const pl_scene *scene, scene_scratch *t, bool keep)
{
  const kept_distances *k = &scene->distances;
  for (size_t i = 0; i < scene->members.count; ++i) {
    const membership *m = scene->members.data[i];
    const body_state *last = keep && i < k->states.count ? &k->states.data[i] : NULL;
    t->moved.data[i] = !m || !last || last->serial != m->body->serial || last->moves != m->body->moves;
  }
}

/* Returns whether the last result is valid for all pairs that have not moved. */
static bool takes_least(const pl_scene *scene, const scene_scratch *t, double limit)
{
  const kept_distances *k = &scene->distances;
  if (!k->complete) return false;
  if (!k->found) return limit <= k->within;
  if (k->best.b >= scene->members.count || !is_still(t, k->best)) return false;
  return members_are_asked(scene->members.data[k->best.a], scene->members.data[k->best.b]);
}

pl_status distance_kept_take(pl_scene *scene, scene_scratch *t, bool keep, const pl_question *def,
                             distance_start *start)
{
  const kept_distances *k = &scene->distances;
  const pl_allocator *allocator = &scene->context->def.allocator;
  *start = (distance_start){0};
  t->records.count = 0;
  keep = keep && k->rings == def->rings;
  if (!array_reserve(allocator, &t->moved, scene->members.count) ||
      !array_reserve(allocator, &t->records, k->records.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the distances of bodies that stand still");
  mark_moved(scene, t, keep);
  if (!keep) return PL_OK;
  for (size_t i = 0; i < k->records.count; ++i) {
    const kept_distance *r = &k->records.data[i];
    if (r->pair.b < scene->members.count && is_still(t, r->pair)) t->records.data[t->records.count++] = *r;
  }
  start->complete = takes_least(scene, t, def->margin);
  start->found = start->complete && k->found && k->distance.distance <= def->margin;
  start->best = k->best;
  start->distance = k->distance;
  return PL_OK;
}

static bool is_before(scene_candidate a, scene_candidate b) { return a.a != b.a ? a.a < b.a : a.b < b.b; }

/* Merges the records from before with those of this query, in order; a later record replaces an
 * earlier one of the same pair. */
static pl_status merge_records(pl_scene *scene, const scene_scratch *t, size_t before)
{
  kept_distances *k = &scene->distances;
  size_t old = 0;
  k->records.count = 0;
  if (!array_reserve(&scene->context->def.allocator, &k->records, t->records.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory to keep %zu distances", t->records.count);
  for (size_t i = 0; i < t->candidates.count; ++i) {
    const scene_candidate *c = &t->candidates.data[i];
    if (c->record == NO_RECORD || c->record < before) continue;
    while (old < before && is_before(t->records.data[old].pair, *c))
      k->records.data[k->records.count++] = t->records.data[old++];
    if (old < before && !is_before(*c, t->records.data[old].pair)) ++old;
    k->records.data[k->records.count++] = t->records.data[c->record];
  }
  while (old < before) k->records.data[k->records.count++] = t->records.data[old++];
  return PL_OK;
}

pl_status distance_kept_store(pl_scene *scene, const scene_scratch *t, size_t before, const distance_start *result,
                              const pl_question *def)
{
  kept_distances *k = &scene->distances;
  k->complete = false;
  k->states.count = 0;
  pl_status status = merge_records(scene, t, before);
  if (status == PL_OK && !array_reserve(&scene->context->def.allocator, &k->states, scene->members.count))
    status = fail(scene->context, PL_ERROR_MEMORY, "no memory to keep %zu bodies", scene->members.count);
  if (status != PL_OK) {
    k->records.count = 0;
    return status;
  }
  for (size_t i = 0; i < scene->members.count; ++i) {
    const membership *m = scene->members.data[i];
    k->states.data[k->states.count++] = m ? (body_state){m->body->serial, m->body->moves} : (body_state){0};
  }
  k->complete = true;
  k->found = result->found;
  k->best = result->best;
  k->distance = result->distance;
  k->within = def->margin;
  k->rings = def->rings;
  return PL_OK;
}

void distance_kept_widen(pl_scene *scene) { scene->distances.complete = false; }

void distance_kept_forget(pl_scene *scene)
{
  scene->distances.records.count = scene->distances.states.count = 0;
  scene->distances.complete = false;
}

void distance_kept_free(pl_scene *scene)
{
  array_free_all(&scene->context->def.allocator, &scene->distances.records, &scene->distances.states);
}
