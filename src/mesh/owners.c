#include "mesh/owners.h"

#include "core/alloc.h"
#include "mesh/edges.h"

static void own_edges(const half_edges *h, uint8_t *owners)
{
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    if (half_edges_none(h, begin)) continue;
    uint32_t first = h->sorted[begin]; /* the least of the run */
    owners[first / 3] |= (uint8_t)(OWNS_EDGE << first % 3);
  }
}

uint8_t *owners_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                       size_t vertex_count)
{
  half_edges h = {0};
  uint8_t *owners = mem_new(allocator, triangle_count, sizeof *owners);
  bool *seen = mem_new(allocator, vertex_count, sizeof *seen);
  bool good = owners && seen && half_edges_create(allocator, triangles, triangle_count, vertex_count, &h);
  for (size_t i = 0; good && i < 3 * triangle_count; ++i) {
    if (triangles[i] == NO_VERTEX) continue;
    if (!seen[triangles[i]]) owners[i / 3] |= (uint8_t)(OWNS_CORNER << i % 3);
    seen[triangles[i]] = true;
  }
  if (good) own_edges(&h, owners);
  half_edges_free(allocator, &h);
  mem_free(allocator, seen);
  if (good) return owners;
  mem_free(allocator, owners);
  return NULL;
}
