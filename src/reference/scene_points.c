/* Points and regions of a scene without trees: every triangle of every body, one body after the other. Cost: O(points * triangles). */
#include "scene/targets.h"

#include "core/timer.h"
#include "exact/region_tri.h"
#include "mesh/mesh.h"
#include "pliant/reference.h"
#include "reference/reference.h"

/* ----------------------------------------------------------------------------------------------------- points -- */

typedef struct reference_points {
  ARRAY(pl_scene_point) results;
  pl_scene_points answer;
} reference_points;

static void destroy_points(pl_context *context, void *scratch)
{
  reference_points *q = scratch;
  array_free(&context->def.allocator, &q->results);
}

const query_slot pl_inside_query_REFERENCE_SCENE_POINTS = {sizeof(reference_points), NULL, destroy_points};

/* All points against one body. */
static pl_status closest_of_body(pl_body *body, uint32_t member, pl_positions at, const pl_scene_point_def *def,
                                 pl_scene_point *results, pl_counters *counters)
{
  soup s = {0};
  pl_status status = soup_create(body, &s);
  if (status != PL_OK) return status;
  scene_point_view view = {def, body};
  pl_point_def wanted = pl_point_def_default();
  wanted.limit = def->limit;
  wanted.filter = def->filter ? scene_point_filter : NULL;
  wanted.user = &view;
  for (size_t i = 0; i < at.count; ++i) {
    double p[3];
    pl_point_result own;
    positions_get(at, i, p);
    reference_closest(&s, p, i, &wanted, &own, counters);
    scene_point_take(&own, body, member, &results[i]);
  }
  soup_free(body->context, &s);
  return PL_OK;
}

static pl_status find_closest(pl_scene *scene, pl_positions at, const pl_scene_point_def *def,
                              const pl_scene_points **out)
{
  pl_context *context = scene->context;
  reference_points *q = query_scratch(context, QUERY_REFERENCE_SCENE_POINTS);
  if (!q) return PL_ERROR_MEMORY;
  if (!def->results && !array_reserve(&context->def.allocator, &q->results, at.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", at.count);
  pl_scene_points answer = {.count = at.count};
  pl_scene_point *results = def->results ? def->results : q->results.data;
  double start = timer_ms();
  for (size_t i = 0; i < at.count; ++i)
    results[i] = (pl_scene_point){.distance = INFINITY, .triangle = PL_NONE, .member = PL_NONE};
  pl_status status = PL_OK;
  uint32_t number = 0;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    if (m && member_has(m, def->mask)) status = closest_of_body(m->body, number, at, def, results, &answer.counters);
    number += m != NULL;
  }
  if (status != PL_OK) return status;
  answer.results = results;
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return PL_OK;
}

pl_status pl_reference_scene_closest(pl_scene *scene, pl_positions at, const pl_scene_point_def *def,
                                     const pl_scene_points **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_scene_point_def d;
  call c;
  pl_status status = scene_points_check(scene->context, at, def, &d);
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = find_closest(scene, at, &d, out);
  call_query_end(&c);
  return status;
}

/* ---------------------------------------------------------------------------------------------------- regions -- */

typedef struct reference_triangles {
  ARRAY(pl_scene_triangle) triangles;
  ARRAY(pl_triangle_group) groups;
  pl_scene_triangles answer;
} reference_triangles;

static void destroy_triangles(pl_context *context, void *scratch)
{
  reference_triangles *q = scratch;
  array_free(&context->def.allocator, &q->triangles);
  array_free(&context->def.allocator, &q->groups);
}

const query_slot pl_inside_query_REFERENCE_SCENE_REGION = {sizeof(reference_triangles), NULL, destroy_triangles};

static pl_status region_of_body(pl_body *body, uint32_t member, const pl_region *region, reference_triangles *q,
                                pl_counters *counters)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  soup s = {0};
  pl_status status = soup_create(body, &s);
  if (status != PL_OK) return status;
  size_t begin = q->triangles.count;
  bool room = array_reserve(allocator, &q->triangles, begin + s.count) &&
              array_reserve(allocator, &q->groups, q->groups.count + 1);
  for (size_t i = 0; room && i < s.count; ++i)
    if (region_tri_meet(region, (const double(*)[3])s.corners[i]))
      q->triangles.data[q->triangles.count++] = (pl_scene_triangle){body, member, (uint32_t)i};
  counters->n_p += s.count;
  soup_free(body->context, &s);
  if (!room) return fail(body->context, PL_ERROR_MEMORY, "no memory for the triangles that were found");
  if (q->triangles.count > begin)
    q->groups.data[q->groups.count++] = (pl_triangle_group){body, begin, q->triangles.count};
  return PL_OK;
}

static pl_status find(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
                      const pl_scene_triangles **out)
{
  reference_triangles *q = query_scratch(scene->context, QUERY_REFERENCE_SCENE_REGION);
  if (!q) return PL_ERROR_MEMORY;
  pl_scene_triangles answer = {0};
  pl_status status = PL_OK;
  uint32_t number = 0;
  double start = timer_ms();
  q->triangles.count = q->groups.count = 0;
  for (size_t i = 0; i < scene->members.count && status == PL_OK; ++i) {
    const membership *m = scene->members.data[i];
    if (m && member_has(m, def->mask)) status = region_of_body(m->body, number, region, q, &answer.counters);
    number += m != NULL;
  }
  if (status != PL_OK) return status;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  status = scene_region_publish(scene->context, q->triangles.data, q->triangles.count, def, &answer);
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return status;
}

pl_status pl_reference_scene_region(pl_scene *scene, const pl_region *region, const pl_scene_region_def *def,
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
