/* Boundary cycles by turning around vertices: the boundary edge after h is found by going
 * through the triangles of the patch that meet at the end of h. Where no edge has more than two
 * triangles, which run along it in opposite directions, these form one fan from h to the next
 * boundary edge, and the search ends. Cost: O(boundary + triangles at its vertices) for a patch. */
#include "mesh/cycles.h"

#include "mesh/edges.h"

#include <string.h>

/* The half-edges of one edge. */
static void link_run(const half_edges *h, const uint32_t *triangles, size_t begin, size_t end, mesh_across *out)
{
  uint32_t p = h->sorted[begin], q = h->sorted[end - 1];
  bool two = end - begin == 2 && p / 3 != q / 3 && triangles[p] != triangles[q];
  bool fine = end - begin == 1 || two;
  for (size_t i = begin; i < end; ++i)
    if (!fine || half_edges_none(h, begin)) out->odd[h->sorted[i] / 3] = 1;
  if (!two || half_edges_none(h, begin)) return;
  out->half[p] = q;
  out->half[q] = p;
}

bool mesh_across_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                        size_t vertex_count, mesh_across *out)
{
  half_edges h = {0};
  *out = (mesh_across){0};
  if (!(mem_take(allocator, &out->half, 3 * triangle_count) && mem_take_new(allocator, &out->odd, triangle_count) &&
        half_edges_create(allocator, triangles, triangle_count, vertex_count, &h))) {
    mesh_across_free(allocator, out);
    return false;
  }
  memset(out->half, 0xff, 3 * triangle_count * sizeof *out->half);
  for (size_t begin = 0, end; begin < h.count; begin = end) {
    end = half_edges_run(&h, begin);
    link_run(&h, triangles, begin, end, out);
  }
  half_edges_free(allocator, &h);
  return true;
}

void mesh_across_free(const pl_allocator *allocator, mesh_across *a)
{
  mem_free_all(allocator, a->half, a->odd);
  *a = (mesh_across){0};
}

bool cycle_finder_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                         const mesh_across *across, cycle_finder *out)
{
  *out = (cycle_finder){.allocator = allocator, .triangles = triangles, .across = across};
  out->mark = mem_new(allocator, 3 * triangle_count, sizeof *out->mark);
  return out->mark;
}

void cycle_finder_free(cycle_finder *f)
{
  mem_free(f->allocator, f->mark);
  array_free(f->allocator, &f->edges);
}

/* Returns whether the half-edge is on the boundary of the triangles [begin, end). */
static bool on_boundary(const cycle_finder *f, uint32_t half, uint32_t begin, uint32_t end)
{
  uint32_t other = f->across->half[half];
  return other == NO_TRIANGLE || other / 3 < begin || other / 3 >= end;
}

bool cycle_finder_add(cycle_finder *f, uint32_t begin, uint32_t end)
{
  if (!array_reserve(f->allocator, &f->edges, f->edges.count + 3 * (size_t)(end - begin))) return false;
  for (uint32_t half = 3 * begin; half < 3 * end; ++half)
    if (on_boundary(f, half, begin, end)) f->edges.data[f->edges.count++] = half;
  return true;
}

bool cycle_finder_add_part(cycle_finder *f, size_t first, size_t last, uint32_t begin, uint32_t end)
{
  if (!array_reserve(f->allocator, &f->edges, f->edges.count + (last - first))) return false;
  for (size_t i = first; i < last; ++i)
    if (on_boundary(f, f->edges.data[i], begin, end)) f->edges.data[f->edges.count++] = f->edges.data[i];
  return true;
}

static uint32_t after(uint32_t half) { return half % 3 == 2 ? half - 2 : half + 1; }

bool cycle_finder_trace(cycle_finder *f, size_t first, size_t end, const cycle_corners *out, size_t at)
{
  const uint32_t *edges = f->edges.data;
  uint32_t me = ++f->patch;
  for (size_t i = first; i < end; ++i) f->mark[edges[i]] = me;
  size_t n = 0;
  uint32_t h = first < end ? edges[first] : 0;
  for (; n < end - first; ++n) {
    if (n && h == edges[first]) return false; /* closed too early: there is another cycle */
    uint32_t other = f->across->half[h];
    out->vertex[at + n] = f->triangles[h];
    out->other[at + n] = other == NO_TRIANGLE ? NO_TRIANGLE : other / 3;
    h = after(h);
    while (f->mark[h] != me) h = after(f->across->half[h]);
  }
  return n > 0 && h == edges[first];
}
