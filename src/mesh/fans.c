#include "mesh/fans.h"

#include "core/alloc.h"
#include "mesh/edges.h"

#include <string.h>

static void fill(mesh_fans *f)
{
  for (size_t i = 0; i < 3 * f->triangle_count; ++i)
    if (f->corner[i] != NO_VERTEX) ++f->first[f->corner[i] + 1];
  for (size_t v = 0; v < f->vertex_count; ++v) f->first[v + 1] += f->first[v];
  for (size_t i = 0; i < 3 * f->triangle_count; ++i)
    if (f->corner[i] != NO_VERTEX) f->around[f->first[f->corner[i]]++] = (uint32_t)(i / 3);
  memmove(f->first + 1, f->first, f->vertex_count * sizeof *f->first);
  f->first[0] = 0;
}

mesh_fans *mesh_fans_create(const pl_allocator *allocator, const uint32_t *triangles, const uint32_t *ids,
                            size_t triangle_count, size_t vertex_count)
{
  mesh_fans *f = mem_new(allocator, 1, sizeof *f);
  if (!f) return NULL;
  f->triangle_count = triangle_count;
  f->vertex_count = vertex_count;
  if (!(mem_take(allocator, &f->corner, 3 * triangle_count + 1) &&
        mem_take(allocator, &f->around, 3 * triangle_count + 1) &&
        mem_take_new(allocator, &f->first, vertex_count + 1))) {
    mesh_fans_free(allocator, f);
    return NULL;
  }
  for (size_t i = 0; i < triangle_count; ++i)
    memcpy(f->corner + 3 * (size_t)ids[i], triangles + 3 * i, 3 * sizeof *triangles);
  fill(f);
  return f;
}

void mesh_fans_free(const pl_allocator *allocator, mesh_fans *f)
{
  if (!f) return;
  mem_free_all(allocator, f->corner, f->around, f->first, f);
}
