/* What rays hit without a tree: every ray against every triangle, in exact arithmetic. Shares with the engine only the exact test and normal.
 * Cost: O(n m). */
#include "query/probe/rays.h"
#include "core/timer.h"
#include "exact/ray_tri.h"
#include "pliant/reference.h"
#include "scene/scene.h"

#include <stdlib.h>

/* Appends one body's hits of one ray to s->hits; except in mode `all`, the best replaces the one at `first`. false: out of memory. */
static bool hits_of(pl_context *context, ray_scratch *s, const pl_ray *ray, size_t index, pl_body *body,
                    uint32_t number, const pl_ray_def *def, size_t first, pl_counters *counters)
{
  for (size_t i = 0; i < body->tree->prims.triangle_count; ++i) {
    double p[3][3];
    ray_point at;
    for (size_t c = 0; c < 3; ++c) points_world(&body->motion.now, body->tree->prims.tri[3 * i + c], p[c]);
    ++counters->n_p;
    if (!ray_tri_meet(ray, (const double(*)[3])p, &at)) continue;
    pl_hit hit = {
        .t = at.t, .u = at.u, .v = at.v, .triangle = body->tree->prims.tri_id[i], .member = number, .body = body};
    ray_tri_normal((const double(*)[3])p, hit.normal);
    bool all = def->mode == PL_RAY_MODE_ALL,
         better = s->hits.count == first || ray_comes_before(&hit, &s->hits.data[first]);
    if (!all && !better) continue;
    if (def->filter && !def->filter(def->user, index, &hit)) continue;
    if (all || s->hits.count == first) {
      if (!array_reserve(&context->def.allocator, &s->hits, s->hits.count + 1)) return false;
      ++s->hits.count;
    }
    s->hits.data[all ? s->hits.count - 1 : first] = hit;
  }
  return true;
}

static int compare(const void *a, const void *b) { return ray_comes_before(a, b) ? -1 : ray_comes_before(b, a); }

static pl_status cast(pl_context *context, ray_scratch *s, pl_body *const *bodies, const pl_ray *rays, size_t count,
                      const pl_ray_def *def, pl_hits *answer)
{
  const pl_allocator *allocator = &context->def.allocator;
  bool all = def->mode == PL_RAY_MODE_ALL, room = array_reserve(allocator, &s->first, count + 1);
  for (size_t i = 0; i < count; ++i)
    if (rays_wrong(&rays[i])) return rays_refuse(context, rays, i);
  s->hits.count = 0;
  for (size_t i = 0; i < count && room; ++i) {
    size_t first = s->hits.count;
    s->first.data[i] = first;
    for (size_t b = 0; bodies[b] && room; ++b)
      room = hits_of(context, s, &rays[i], i, bodies[b], (uint32_t)b, def, first, &answer->counters);
    if (all && s->hits.count > first + 1) qsort(s->hits.data + first, s->hits.count - first, sizeof(pl_hit), compare);
    if (!all && s->hits.count == first && room && (room = array_reserve(allocator, &s->hits, first + 1)))
      s->hits.data[s->hits.count++] = RAY_MISSED;
  }
  if (!room) return fail(context, PL_ERROR_MEMORY, "no memory for the hits that were found");
  s->first.data[count] = s->hits.count;
  answer->hits = s->hits.data;
  answer->first = all ? s->first.data : NULL;
  answer->count = count;
  for (size_t i = 0; def->hits && i < count; ++i) def->hits[i] = s->hits.data[i];
  if (def->hits) answer->hits = def->hits;
  return PL_OK;
}

static pl_status run(pl_context *context, pl_body *const *bodies, const pl_ray *rays, size_t count,
                     const pl_ray_def *def, const pl_hits **out)
{
  ray_scratch *s = query_scratch(context, QUERY_RAYS);
  if (!s) return PL_ERROR_MEMORY;
  pl_hits answer = {0};
  double begin = timer_ms();
  pl_status status = cast(context, s, bodies, rays, count, def, &answer);
  if (status != PL_OK) return status;
  answer.counters.ms_query = timer_ms() - begin;
  s->answer = answer;
  *out = &s->answer;
  return PL_OK;
}

pl_status pl_reference_cast(pl_body *body, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_ray_def d;
  call c;
  pl_status status = rays_check_def(body->context, def, rays, count, &d);
  if (status == PL_OK) status = query_enter(&c, body, NULL);
  if (status != PL_OK) return status;
  status = run(body->context, (pl_body *const[2]){body, NULL}, rays, count, &d, out);
  call_query_end(&c);
  return status;
}

static pl_status run_scene(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def,
                           const pl_hits **out)
{
  pl_context *context = scene->context;
  pl_body **bodies = mem_new(&context->def.allocator, scene->body_count + 1, sizeof(pl_body *));
  if (!bodies) return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies", scene->body_count);
  size_t n = 0;
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i]) bodies[n++] = scene->members.data[i]->body;
  pl_status status = run(context, bodies, rays, count, def, out);
  mem_free(&context->def.allocator, bodies);
  return status;
}

pl_status pl_reference_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def,
                                  const pl_hits **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_ray_def d;
  call c;
  pl_status status = rays_check_def(scene->context, def, rays, count, &d);
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = run_scene(scene, rays, count, &d, out);
  call_query_end(&c);
  return status;
}
