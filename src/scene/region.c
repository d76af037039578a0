/* Which triangles of a scene's bodies a region meets. Each body is a task that any worker takes; what a task finds goes to a list that all share,
 * and is then put in the order of adding: the same bytes for any number of threads. */
#include "scene/targets.h"

#include "core/sort.h"
#include "core/timer.h"

#include <string.h>

/* What was found of a body. */
typedef struct region_part {
  size_t begin, end; /* in the shared list */
  pl_counters counters;
} region_part;

typedef struct scene_region_scratch {
  scene_targets targets;
  ARRAY(region_part) parts; /* one for each target */
  ARRAY(uint32_t) shared;   /* triangles of all bodies, by the caller's indices */
  probe_region *workers;    /* context->threads */
  ARRAY(pl_scene_triangle) triangles;
  ARRAY(pl_triangle_group) groups;
  ARRAY(uint64_t) keys;
  ARRAY(uint64_t) sorting;
  pl_scene_triangles answer;
} scene_region_scratch;

static bool create(pl_context *context, void *scratch)
{
  scene_region_scratch *s = scratch;
  s->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *s->workers);
  return s->workers;
}

static void destroy(pl_context *context, void *scratch)
{
  scene_region_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; s->workers && i < context->threads; ++i) array_free(&context->locked, &s->workers[i].found);
  mem_free(allocator, s->workers);
  array_free(allocator, &s->targets);
  array_free(allocator, &s->parts);
  array_free(allocator, &s->shared);
  array_free(allocator, &s->triangles);
  array_free(allocator, &s->groups);
  array_free(allocator, &s->keys);
  array_free(allocator, &s->sorting);
}

const query_slot pl_inside_query_SCENE_REGION = {sizeof(scene_region_scratch), create, destroy};

/* ---------------------------------------------------------------------------------------------------- finding -- */

typedef struct region_run {
  pl_context *context;
  scene_region_scratch *scratch;
  const pl_region *region;
} region_run;

static void body_task(void *data, int task, int worker)
{
  region_run *r = data;
  scene_region_scratch *s = r->scratch;
  const scene_target *t = &s->targets.data[task];
  region_part *piece = &s->parts.data[task];
  probe_region *p = &s->workers[worker];
  probe_walk w = {.target = &t->probe};
  pl_status before = p->status; /* of this worker's bodies so far */
  region_look_at(p, r->region, t->probe.unit);
  kernels_of(r->context->isa)->probe->find(&w, p);
  const uint32_t *id = t->body->tree->prims.tri_id;
  for (size_t i = 0; i < p->found.count; ++i) p->found.data[i] = id[p->found.data[i]];
  *piece = (region_part){0, 0, {.n_v = w.n_v, .n_p = w.n_p, .n_u = w.n_u}};
  if (p->found.count && !shared_append(r->context, &s->shared, p->found.data, p->found.count, &piece->begin))
    p->status = PL_ERROR_MEMORY;
  piece->end = piece->begin + p->found.count;
  if (before != PL_OK) p->status = before;
}

/* Which worker takes which body is chance: each gets the room that the largest part has needed. */
static bool level_workers(pl_context *context, scene_region_scratch *s)
{
  size_t most = 0;
  bool room = true;
  for (int i = 0; i < context->threads; ++i)
    most = s->workers[i].found.capacity > most ? s->workers[i].found.capacity : most;
  for (int i = 0; i < context->threads && room; ++i) {
    room = s->workers[i].status == PL_OK;
    s->workers[i].found.count = 0;
    room = room && array_reserve(&context->locked, &s->workers[i].found, most);
  }
  return room;
}

/* -------------------------------------------------------------------------------------------------- gathering -- */

/* Sorts each body's part of the shared list. */
static pl_status sort_parts(pl_context *context, scene_region_scratch *s)
{
  size_t n = s->shared.count, at = 0;
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &s->keys, n) || !array_reserve(allocator, &s->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu triangles", n);
  for (size_t i = 0; i < s->parts.count; ++i)
    for (size_t k = s->parts.data[i].begin; k < s->parts.data[i].end; ++k)
      s->keys.data[at++] = (uint64_t)i << 32 | s->shared.data[k];
  sort_keys(s->keys.data, s->sorting.data, n);
  for (size_t i = at = 0; i < s->parts.count; ++i) {
    region_part *piece = &s->parts.data[i];
    size_t count = piece->end - piece->begin;
    piece->begin = at;
    piece->end = at += count;
  }
  for (size_t i = 0; i < n; ++i) s->shared.data[i] = (uint32_t)s->keys.data[i];
  return PL_OK;
}

static pl_status gather(pl_context *context, scene_region_scratch *s, pl_counters *counters)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = s->shared.count;
  if (!array_reserve(allocator, &s->triangles, n) || !array_reserve(allocator, &s->groups, s->parts.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  s->triangles.count = s->groups.count = 0;
  for (size_t i = 0; i < s->parts.count; ++i) {
    const region_part *piece = &s->parts.data[i];
    const scene_target *t = &s->targets.data[i];
    size_t begin = s->triangles.count;
    for (size_t k = piece->begin; k < piece->end; ++k)
      s->triangles.data[s->triangles.count++] = (pl_scene_triangle){t->body, t->member, s->shared.data[k]};
    if (s->triangles.count > begin)
      s->groups.data[s->groups.count++] = (pl_triangle_group){t->body, begin, s->triangles.count};
    counters->n_v += piece->counters.n_v;
    counters->n_p += piece->counters.n_p;
    counters->n_u += piece->counters.n_u;
  }
  return PL_OK;
}

pl_status scene_region_publish(pl_context *context, const pl_scene_triangle *all, size_t count,
                               const pl_scene_region_def *def, pl_scene_triangles *answer)
{
  answer->triangles = all;
  answer->count = count;
  if (!def->triangles) return PL_OK;
  size_t kept = count < def->capacity ? count : def->capacity;
  if (kept) memcpy(def->triangles, all, kept * sizeof *all);
  answer->triangles = def->triangles;
  return kept == count ? PL_OK
                       : fail(context, PL_ERROR_BUFFER, "%zu triangles, but room for %zu: give a larger array", count,
                              def->capacity);
}

/* ------------------------------------------------------------------------------------------------------- query -- */

static pl_status run_tasks(pl_context *context, scene_region_scratch *s, const pl_region *region)
{
  region_run r = {context, s, region};
  s->shared.count = 0;
  if (!array_reserve(&context->def.allocator, &s->parts, s->targets.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies", s->targets.count);
  s->parts.count = s->targets.count;
  for (int i = 0; i < context->threads; ++i) {
    s->workers[i].allocator = &context->locked;
    s->workers[i].status = PL_OK;
  }
  pl_status status = parallel_for_short(context, body_task, &r, (int)s->targets.count);
  if (status == PL_OK && !level_workers(context, s))
    status = fail(context, PL_ERROR_MEMORY, "no memory for the triangles that were found");
  return status;
}

static pl_status find(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
                      const pl_scene_triangles **out)
{
  pl_context *context = scene->context;
  scene_region_scratch *s = query_scratch(context, QUERY_SCENE_REGION);
  if (!s) return PL_ERROR_MEMORY;
  pl_scene_triangles answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = scene_targets_take(scene, def->mask, &s->targets, &answer.counters);
  stages.updated = timer_ms();
  if (status == PL_OK) status = run_tasks(context, s, region);
  if (status == PL_OK && def->sorted) status = sort_parts(context, s);
  if (status == PL_OK) status = gather(context, s, &answer.counters);
  if (status != PL_OK) return status;
  answer.groups = s->groups.data;
  answer.group_count = s->groups.count;
  status = scene_region_publish(context, s->triangles.data, s->triangles.count, def, &answer);
  query_end(&stages);
  s->answer = answer;
  *out = &s->answer;
  return status;
}

pl_status scene_region_begin(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
                             const pl_scene_triangles **out, pl_scene_region_def *full, call *c)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_status status = region_check(scene->context, region);
  if (status == PL_OK) status = def_take(scene->context, pl_scene_region_def, def, full);
  return status == PL_OK ? scene_query(c, scene) : status;
}

pl_status pl_scene_region(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
                          const pl_scene_triangles **out)
{
  pl_scene_region_def d;
  call c;
  pl_status status = scene_region_begin(scene, region, def, out, &d, &c);
  if (status != PL_OK) return status;
  status = find(scene, region, &d, out);
  call_query_end(&c);
  return status;
}
