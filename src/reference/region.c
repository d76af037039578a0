/* Regions without a tree: every triangle, in integers where double leaves a doubt. Cost: O(triangles). */
#include "query/probe/points.h"

#include "core/timer.h"
#include "exact/region_tri.h"
#include "pliant/reference.h"
#include "reference/reference.h"

typedef struct reference_region {
  ARRAY(uint32_t) triangles;
  pl_triangles answer;
} reference_region;

static void destroy(pl_context *context, void *scratch)
{
  reference_region *q = scratch;
  array_free(&context->def.allocator, &q->triangles);
}

const query_slot pl_inside_query_REFERENCE_REGION = {sizeof(reference_region), NULL, destroy};

static pl_status find(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out)
{
  reference_region *q = query_scratch(body->context, QUERY_REFERENCE_REGION);
  if (!q) return PL_ERROR_MEMORY;
  soup s = {0};
  pl_status status = soup_create(body, &s);
  if (status != PL_OK) return status;
  double start = timer_ms();
  bool room = array_reserve(&body->context->def.allocator, &q->triangles, s.count);
  pl_triangles answer = {.counters = {.n_p = s.count}};
  q->triangles.count = 0;
  for (size_t i = 0; room && i < s.count; ++i)
    if (region_tri_meet(region, (const double(*)[3])s.corners[i]))
      q->triangles.data[q->triangles.count++] = (uint32_t)i;
  soup_free(body->context, &s);
  if (!room) return fail(body->context, PL_ERROR_MEMORY, "no memory for the triangles that were found");
  status = region_publish(body->context, q->triangles.data, q->triangles.count, def, &answer);
  answer.counters.ms_query = timer_ms() - start;
  q->answer = answer;
  *out = &q->answer;
  return status;
}

pl_status pl_reference_region(pl_body *body, const pl_region *region, const pl_region_def *def,
                              const pl_triangles **out)
{
  pl_region_def d;
  call c;
  pl_status status = region_begin(body, region, def, out, &d);
  if (status == PL_OK) status = query_enter(&c, body, NULL);
  if (status != PL_OK) return status;
  status = find(body, region, &d, out);
  call_query_end(&c);
  return status;
}
