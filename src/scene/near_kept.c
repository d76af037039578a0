/* Near pairs of bodies that have not moved: as kept.c, for near pairs of triangles or of features. A scene keeps the
 * last result with the options of its query, and each body's state; they are read and written with the lock of updates
 * held, and copied. Near pairs and feature pairs differ only in size, so that both are kept as bytes. */
#include "scene/scene.h"

#include <string.h>

static size_t size_of(const near_wish *wish) { return wish->features ? sizeof(pl_feature_pair) : sizeof(pl_near_pair); }

static bool same_wish(const near_wish *a, const near_wish *b)
{
  return a->margin == b->margin && a->features == b->features && a->vertex_face == b->vertex_face &&
         a->edge_edge == b->edge_edge && a->sorted == b->sorted;
}

bool near_kept_begin(pl_scene *scene, scene_scratch *t, const near_wish *wish)
{
  const kept_near *k = &scene->near_kept[wish->features];
  near_step *s = &t->near[wish->features];
  s->now.count = s->held.count = 0;
  return !wish->contact_filter && k->version && same_wish(&k->wish, wish);
}

static pl_status no_memory(pl_scene *scene)
{
  return fail(scene->context, PL_ERROR_MEMORY, "no memory for the near pairs of bodies that stand still");
}

pl_status near_kept_take(pl_scene *scene, scene_scratch *t, const near_wish *wish, bool all, bool *same)
{
  const kept_near *k = &scene->near_kept[wish->features];
  near_step *s = &t->near[wish->features];
  const size_t size = size_of(wish);
  s->source = all && s->now.count == k->pairs.count ? k->version : 0;
  *same = s->source && s->version == s->source;
  if (*same) return PL_OK;
  for (size_t i = 0; i < s->now.count; ++i) {
    kept_pair *pair = &s->now.data[i];
    size_t n = (pair->end - pair->begin) * size, at = s->held.count;
    if (pair->job != NO_JOB || !n) continue;
    if (!array_reserve(&scene->context->def.allocator, &s->held, at + n)) return no_memory(scene);
    memcpy(s->held.data + at, k->items.data + pair->begin * size, n);
    s->held.count += n;
    pair->begin = at / size;
    pair->end = s->held.count / size;
  }
  return PL_OK;
}

/* Joins the pairs that were found and those that are kept, in order. */
pl_status near_kept_gather(pl_scene *scene, scene_scratch *t, const near_scratch *q, const near_wish *wish)
{
  near_step *s = &t->near[wish->features];
  const size_t size = size_of(wish);
  const char *searched = wish->features ? (const char *)q->features.data : (const char *)q->near.data;
  s->version = s->items.count = 0;
  for (size_t i = 0; i < s->now.count; ++i) {
    kept_pair *pair = &s->now.data[i];
    const near_job *j = pair->job == NO_JOB ? NULL : &q->jobs.data[pair->job];
    size_t begin = j ? j->begin : pair->begin, n = ((j ? j->end : pair->end) - begin) * size, at = s->items.count;
    if (!array_reserve(&scene->context->def.allocator, &s->items, at + n)) return no_memory(scene);
    if (n) memcpy(s->items.data + at, (j ? searched : s->held.data) + begin * size, n);
    s->items.count += n;
    pair->begin = at / size;
    pair->end = s->items.count / size;
  }
  s->version = s->source; /* nothing was searched: these are the pairs that the scene keeps */
  return PL_OK;
}

pl_status near_kept_store(pl_scene *scene, scene_scratch *t, const near_wish *wish)
{
  kept_near *k = &scene->near_kept[wish->features];
  near_step *s = &t->near[wish->features];
  const pl_allocator *allocator = &scene->context->def.allocator;
  if (wish->contact_filter || s->version) return PL_OK;
  k->pairs.count = k->items.count = 0;
  k->version = 0;
  if (!array_reserve(allocator, &k->pairs, s->now.count) || !array_reserve(allocator, &k->items, s->items.count))
    return no_memory(scene);
  if (s->now.count) memcpy(k->pairs.data, s->now.data, s->now.count * sizeof *s->now.data);
  if (s->items.count) memcpy(k->items.data, s->items.data, s->items.count);
  k->pairs.count = s->now.count;
  k->items.count = s->items.count;
  k->wish = *wish;
  k->version = s->version = atomic_fetch_add(&scene->context->serial, 1) + 1;
  return PL_OK;
}

pl_status near_kept_group(pl_scene *scene, const near_step *s, near_scratch *q)
{
  q->groups.count = 0;
  if (!array_reserve(&scene->context->def.allocator, &q->groups, s->now.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", s->now.count);
  for (size_t i = 0; i < s->now.count; ++i) {
    const kept_pair *p = &s->now.data[i];
    pl_body *a = scene->members.data[p->proxies >> 32]->body, *b = scene->members.data[(uint32_t)p->proxies]->body;
    if (p->end > p->begin) q->groups.data[q->groups.count++] = (pl_contact_group){a, b, p->begin, p->end};
  }
  return PL_OK;
}

void near_kept_forget(pl_scene *scene)
{
  for (int i = 0; i < 2; ++i) {
    kept_near *k = &scene->near_kept[i];
    k->pairs.count = k->items.count = 0;
    k->version = 0;
  }
}

void near_kept_free(pl_scene *scene)
{
  for (int i = 0; i < 2; ++i) {
    array_free(&scene->context->def.allocator, &scene->near_kept[i].pairs);
    array_free(&scene->context->def.allocator, &scene->near_kept[i].items);
  }
}

void near_step_free(pl_context *context, scene_scratch *t)
{
  for (int i = 0; i < 2; ++i) {
    array_free(&context->def.allocator, &t->near[i].now);
    array_free(&context->def.allocator, &t->near[i].held);
    array_free(&context->def.allocator, &t->near[i].items);
  }
}
