/* Pairs of bodies that have not moved: a scene keeps the contacts of its last step, and each body's state in it (its
 * tree and the number of its moves). Several threads may query one scene: what is kept is read and written with the
 * lock of updates held, and copied. */
#include "scene/scene.h"

#include <string.h>

void kept_forget(pl_scene *scene)
{
  scene->kept.pairs.count = scene->kept.contacts.count = 0;
  scene->kept.version = 0;
}

static bool same_state(body_state a, body_state b) { return a.serial == b.serial && a.moves == b.moves; }

static body_state state_of(const pl_body *body) { return (body_state){body->serial, body->moves}; }

kept_pair kept_pair_now(const pl_scene *scene, uint64_t proxies)
{
  const membership *a = scene->members.data[proxies >> 32], *b = scene->members.data[(uint32_t)proxies];
  return (kept_pair){.proxies = proxies, .a = state_of(a->body), .b = state_of(b->body), .job = NO_JOB};
}

const kept_pair *kept_find(const kept_pair *kept, size_t count, const kept_pair *pair, size_t *from)
{
  while (*from < count && kept[*from].proxies < pair->proxies) ++*from; /* both are in order */
  if (*from == count) return NULL;
  const kept_pair *last = &kept[*from];
  bool same = last->proxies == pair->proxies && same_state(last->a, pair->a) && same_state(last->b, pair->b);
  return same ? last : NULL;
}

bool kept_take(pl_scene *scene, scene_scratch *t, bool all_kept, pl_status *status)
{
  const kept_step *k = &scene->kept;
  if (all_kept && t->now.count == k->pairs.count && k->version && t->version == k->version) return true;
  t->held.count = 0;
  for (size_t i = 0; i < t->now.count; ++i) {
    kept_pair *pair = &t->now.data[i];
    size_t n = pair->end - pair->begin, begin = t->held.count;
    if (!n) continue;
    if (!array_reserve(&scene->context->def.allocator, &t->held, begin + n)) {
      *status = fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu contacts", begin + n);
      return false;
    }
    memcpy(t->held.data + begin, k->contacts.data + pair->begin, n * sizeof *t->held.data);
    pair->begin = begin;
    pair->end = t->held.count = begin + n;
  }
  return false;
}

pl_status kept_store(pl_scene *scene, scene_scratch *t, const pl_collide_def *def)
{
  kept_step *k = &scene->kept;
  const pl_allocator *allocator = &scene->context->def.allocator;
  kept_forget(scene);
  if (!array_reserve(allocator, &k->pairs, t->now.count) || !array_reserve(allocator, &k->contacts, t->contacts.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory to keep %zu contacts", t->contacts.count);
  for (size_t i = 0; i < t->now.count; ++i) k->pairs.data[k->pairs.count++] = t->now.data[i];
  for (size_t i = 0; i < t->contacts.count; ++i)
    k->contacts.data[k->contacts.count++] = (pl_pair){t->contacts.data[i].triangle_a, t->contacts.data[i].triangle_b};
  k->first = def->first;
  k->sorted = def->sorted;
  k->version = t->version = atomic_fetch_add(&scene->context->serial, 1) + 1;
  return PL_OK;
}
