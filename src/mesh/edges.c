/* Half-edges sorted by counting, first by their higher vertex, then by their lower one.
 * Invariant: both passes are stable, so equal edges are in the order of their triangles. Cost:
 * O(triangles + vertices), for any number of triangles at a vertex or an edge. */
#include "mesh/edges.h"

#include "mesh/mesh.h"

#include <string.h>

void sort_pass(const uint32_t *key, size_t keys, const uint32_t *in, size_t count, uint32_t *start, uint32_t *out)
{
  memset(start, 0, (keys + 1) * sizeof *start);
  for (size_t i = 0; i < count; ++i) ++start[key[i] + (size_t)1];
  for (size_t k = 0; k < keys; ++k) start[k + 1] += start[k];
  for (size_t i = 0; i < count; ++i) {
    uint32_t id = in ? in[i] : (uint32_t)i;
    out[start[key[id]]++] = id;
  }
}

static void set_ends(const uint32_t *triangles, half_edges *h)
{
  for (size_t i = 0; i < h->count; ++i) {
    uint32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
    if (a == NO_VERTEX) a = b = 0; /* no edge */
    h->low[i] = a < b ? a : b;
    h->high[i] = a < b ? b : a;
  }
}

bool half_edges_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                       size_t vertex_count, half_edges *out)
{
  size_t count = 3 * triangle_count;
  half_edges h = {.count = count};
  uint32_t *by_high = mem_raw(allocator, count, sizeof *by_high);
  uint32_t *start = mem_raw(allocator, vertex_count + 1, sizeof *start);
  bool ok = by_high && start && mem_take(allocator, &h.low, count) && mem_take(allocator, &h.high, count) &&
            mem_take(allocator, &h.sorted, count);
  if (ok) {
    set_ends(triangles, &h);
    sort_pass(h.high, vertex_count, NULL, count, start, by_high);
    sort_pass(h.low, vertex_count, by_high, count, start, h.sorted);
  } else {
    half_edges_free(allocator, &h);
  }
  mem_free_all(allocator, start, by_high);
  *out = h;
  return ok;
}

void half_edges_free(const pl_allocator *allocator, half_edges *h)
{
  mem_free_all(allocator, h->low, h->high, h->sorted);
  *h = (half_edges){0};
}

pl_status mesh_edges_create(pl_context *context, const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                            mesh_edges *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  *out = (mesh_edges){0};
  half_edges h;
  uint32_t *of = mem_raw(allocator, 3 * triangle_count, sizeof *of);
  if (!of || !half_edges_create(allocator, triangles, triangle_count, vertex_count, &h)) {
    mem_free(allocator, of);
    return fail(context, PL_ERROR_MEMORY, "no memory for the edges of %zu triangles", triangle_count);
  }
  for (size_t begin = 0, end; begin < h.count; begin = end) {
    end = half_edges_run(&h, begin);
    uint32_t edge = half_edges_none(&h, begin) ? (uint32_t)NO_EDGE : out->count++;
    for (size_t i = begin; i < end; ++i) of[h.sorted[i]] = edge;
  }
  half_edges_free(allocator, &h);
  out->of = of;
  return PL_OK;
}

void mesh_edges_free(pl_context *context, mesh_edges *edges)
{
  mem_free(&context->def.allocator, edges->of);
  *edges = (mesh_edges){0};
}
