/* Which triangles of a body few edges join, found ring by ring, each by a look at all triangles.
 * Cost: O(rings n) for each triangle. */
#include "reference/reference.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- rings -- */

pl_status surroundings_create(pl_body *body, const soup *all, uint32_t rings, surroundings *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  *out = (surroundings){.all = all, .vertex_count = body->tree->prims.vertex_count, .rings = rings};
  if (mem_take_new(allocator, &out->near, out->vertex_count) && mem_take_new(allocator, &out->old, out->vertex_count))
    return PL_OK;
  surroundings_free(body->context, out);
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", all->count);
}

void surroundings_free(pl_context *context, surroundings *s)
{
  mem_free_all(&context->def.allocator, s->near, s->old);
  *s = (surroundings){0};
}

/* The corners of a triangle are near to what any of them was near to. */
static void add_ring(surroundings *s)
{
  memcpy(s->old, s->near, s->vertex_count * sizeof *s->old);
  for (size_t t = 0; t < s->all->count; ++t)
    for (size_t i = 0; i < 9 && !soup_lacks(s->all, t); ++i) {
      uint32_t from = s->all->vertex[3 * t + i / 3], to = s->all->vertex[3 * t + i % 3];
      for (int c = 0; c < 3; ++c)
        if (s->old[from][c]) s->near[to][c] = true;
    }
}

void surroundings_of(surroundings *s, size_t triangle)
{
  memset(s->near, 0, s->vertex_count * sizeof *s->near);
  for (size_t c = 0; c < 3 && !soup_lacks(s->all, triangle); ++c) s->near[s->all->vertex[3 * triangle + c]][c] = true;
  for (uint32_t ring = 1; ring < s->rings; ++ring) {
    add_ring(s);
    if (!memcmp(s->old, s->near, s->vertex_count * sizeof *s->old)) return; /* all that is joined */
  }
}

bool surroundings_have(const surroundings *s, size_t triangle, bool close[3][3])
{
  bool any = false;
  for (size_t i = 0; i < 9; ++i) {
    close[i / 3][i % 3] = s->near[s->all->vertex[3 * triangle + i % 3]][i / 3];
    any = any || close[i / 3][i % 3];
  }
  return any;
}
