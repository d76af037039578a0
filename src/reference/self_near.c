/* How near a body comes to itself, without a tree: every triangle against every later one, boxes first. What few edges join is found ring by ring,
 * each by a look at all triangles. Shares with the engine only the distances of triangles, vertices and edges. Cost: O(rings n^2). */
#include "core/timer.h"
#include "exact/tri_tri_distance.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- rings -- */

pl_status surroundings_create(pl_body *body, uint32_t rings, surroundings *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const primitives *p = &body->tree->prims;
  size_t n = p->triangle_count;
  *out = (surroundings){.triangle_count = n, .vertex_count = p->vertex_count, .rings = rings};
  out->vertex = mem_raw(allocator, 3 * n, sizeof *out->vertex);
  out->near = mem_new(allocator, out->vertex_count, sizeof *out->near);
  out->old = mem_new(allocator, out->vertex_count, sizeof *out->old);
  if (!out->vertex || !out->near || !out->old) {
    surroundings_free(body->context, out);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  }
  for (size_t i = 0; i < n; ++i) memcpy(out->vertex + 3 * (size_t)p->tri_id[i], p->tri + 3 * i, 3 * sizeof *p->tri);
  return PL_OK;
}

void surroundings_free(pl_context *context, surroundings *s)
{
  mem_free(&context->def.allocator, s->vertex);
  mem_free(&context->def.allocator, s->near);
  mem_free(&context->def.allocator, s->old);
  *s = (surroundings){0};
}

/* The corners of a triangle are near to what any of them was near to. */
static void add_ring(surroundings *s)
{
  memcpy(s->old, s->near, s->vertex_count * sizeof *s->old);
  for (size_t t = 0; t < s->triangle_count; ++t)
    for (size_t i = 0; i < 9; ++i) {
      uint32_t from = s->vertex[3 * t + i / 3], to = s->vertex[3 * t + i % 3];
      for (int c = 0; c < 3; ++c)
        if (s->old[from][c]) s->near[to][c] = true;
    }
}

void surroundings_of(surroundings *s, size_t triangle)
{
  memset(s->near, 0, s->vertex_count * sizeof *s->near);
  for (size_t c = 0; c < 3; ++c) s->near[s->vertex[3 * triangle + c]][c] = true;
  for (uint32_t ring = 1; ring < s->rings; ++ring) {
    add_ring(s);
    if (!memcmp(s->old, s->near, s->vertex_count * sizeof *s->old)) return; /* all that is joined */
  }
}

bool surroundings_have(const surroundings *s, size_t triangle, bool close[3][3])
{
  bool any = false;
  for (size_t i = 0; i < 9; ++i) {
    close[i / 3][i % 3] = s->near[s->vertex[3 * triangle + i % 3]][i / 3];
    any = any || close[i / 3][i % 3];
  }
  return any;
}

/* --------------------------------------------------------------------------------------------------- near pairs -- */

pl_status pl_reference_self_near(pl_body *body, double margin, const pl_self_near_def *def, const pl_near_pairs **out)
{
  return self_near_query(body, margin, def, reference_near, out);
}

pl_status pl_reference_self_near_features(pl_body *body, double margin, const pl_self_feature_def *def,
                                          const pl_feature_pairs **out)
{
  return self_near_feature_query(body, margin, def, reference_near_features, out);
}

/* ------------------------------------------------------------------------------------------------ the distance -- */

/* Triangle i and later ones. */
static void search_from(const soup *all, const surroundings *around, size_t i, const pl_distance_def *def,
                        pl_distance *out)
{
  for (size_t j = i + 1; j < all->count; ++j) {
    bool close[3][3];
    closest c;
    if (soup_apart(all, i, all, j) > soup_square(fmin(def->limit, out->distance))) continue;
    if (surroundings_have(around, j, close)) continue;
    if (def->filter && !def->filter(def->user, (pl_pair){(uint32_t)i, (uint32_t)j})) continue;
    tri_tri_distance((const double(*)[3])all->corners[i], (const double(*)[3])all->corners[j], &c);
    ++out->counters.n_p;
    if (c.distance > def->limit) continue;
    if (out->triangle_a != UINT32_MAX && !(c.distance < out->distance)) continue;
    out->distance = c.distance;
    out->triangle_a = (uint32_t)i;
    out->triangle_b = (uint32_t)j;
    memcpy(out->point_a, c.a, sizeof c.a);
    memcpy(out->point_b, c.b, sizeof c.b);
  }
}

static pl_status self_distance(pl_body *body, const pl_distance_def *def, uint32_t rings, pl_distance *out)
{
  double start = timer_ms();
  soup all = {0};
  surroundings around = {0};
  *out = (pl_distance){.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  pl_status status = soup_create(body, &all);
  if (status == PL_OK) status = surroundings_create(body, rings, &around);
  for (size_t i = 0; status == PL_OK && i < all.count && out->distance > 0; ++i) {
    surroundings_of(&around, i);
    search_from(&all, &around, i, def, out);
  }
  out->lower = fmin(out->distance, def->limit);
  out->counters.ms_query = timer_ms() - start;
  surroundings_free(body->context, &around);
  soup_free(body->context, &all);
  return status;
}

pl_status pl_reference_self_distance_sized(pl_body *body, const pl_self_distance_def *def, pl_distance *out,
                                           size_t out_size)
{
  return self_distance_query(body, def, self_distance, out, out_size);
}
