/* Rows of pairs of bodies that have not moved: a scene keeps the rows of its last question of
 * each kind, with the options that they depend on, and each body's state (its tree and the
 * number of its moves). Several threads may ask one scene: what is kept is read and written with
 * the lock of updates held, and copied. Rows of different questions differ only in size, so that
 * all are kept as bytes. */
#include "scene/scene.h"

#include <string.h>

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

bool kept_fits(const kept_rows *kept, const kept_options *options)
{
  const kept_options *k = &kept->options;
  return kept->version && k->margin == options->margin && k->rings == options->rings && k->method == options->method &&
         k->first == options->first && k->sorted == options->sorted && k->vertex_face == options->vertex_face &&
         k->edge_edge == options->edge_edge;
}

pl_status kept_take(pl_scene *scene, kept_name name, scene_step *step, size_t size, bool all, uint64_t version,
                    bool *same)
{
  const kept_rows *k = &scene->kept[name];
  step->source = all && step->now.count == k->pairs.count ? k->version : 0;
  *same = step->source && version == step->source;
  for (size_t i = 0; i < step->now.count && !*same; ++i) {
    kept_pair *pair = &step->now.data[i];
    size_t n = (pair->end - pair->begin) * size, at = step->held.count;
    if (pair->job != NO_JOB || !n) continue;
    if (!array_reserve(&scene->context->def.allocator, &step->held, at + n))
      return fail(scene->context, PL_ERROR_MEMORY, "no memory for the rows of bodies that have not moved");
    memcpy(step->held.data + at, k->rows.data + pair->begin * size, n);
    step->held.count += n;
    pair->begin = at / size;
    pair->end = step->held.count / size;
  }
  return PL_OK;
}

pl_status kept_store(pl_scene *scene, kept_name name, const scene_step *step, const kept_options *options,
                     row_list rows, uint64_t *version)
{
  kept_rows *k = &scene->kept[name];
  const pl_allocator *allocator = &scene->context->def.allocator;
  const size_t bytes = *rows.count * rows.size;
  k->pairs.count = k->rows.count = 0;
  k->version = 0;
  if (!array_reserve(allocator, &k->pairs, step->now.count) || !array_reserve(allocator, &k->rows, bytes))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory to keep %zu rows", *rows.count);
  if (step->now.count) memcpy(k->pairs.data, step->now.data, step->now.count * sizeof *step->now.data);
  if (bytes) memcpy(k->rows.data, *rows.data, bytes);
  k->pairs.count = step->now.count;
  k->rows.count = bytes;
  k->options = *options;
  k->version = *version = atomic_fetch_add(&scene->context->serial, 1) + 1;
  return PL_OK;
}

void kept_forget(pl_scene *scene)
{
  for (int i = 0; i < KEPT_COUNT; ++i) {
    scene->kept[i].pairs.count = scene->kept[i].rows.count = 0;
    scene->kept[i].version = 0;
  }
}

void kept_free(pl_scene *scene)
{
  for (int i = 0; i < KEPT_COUNT; ++i)
    array_free_all(&scene->context->def.allocator, &scene->kept[i].pairs, &scene->kept[i].rows);
}
