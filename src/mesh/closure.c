/* Closed surfaces: the border of a sum of triangles is the sum of their directed edges, and a
 * surface is closed where that is zero, or at least even. */
#include "mesh/closure.h"

#include "mesh/edges.h"

static border_edge balance(const half_edges *h, const uint32_t *triangles, size_t begin, size_t end)
{
  border_edge e = {h->low[h->sorted[begin]], h->high[h->sorted[begin]], 0};
  for (size_t i = begin; i < end; ++i) e.times += triangles[h->sorted[i]] == e.from ? 1 : -1;
  if (e.times < 0) e = (border_edge){e.to, e.from, -e.times};
  return e;
}

/* Fills in the border where there is one; otherwise only counts. Returns whether every edge has
 * an even number of triangles. */
static bool follow(const half_edges *h, const uint32_t *triangles, closure *c)
{
  bool even = true;
  c->border_count = 0;
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    if (half_edges_none(h, begin)) continue;
    border_edge e = balance(h, triangles, begin, end);
    even = even && (end - begin) % 2 == 0;
    if (!e.times) continue;
    if (c->border) c->border[c->border_count] = e;
    ++c->border_count;
  }
  return even;
}

closure *closure_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                        size_t vertex_count)
{
  half_edges h;
  closure *c = mem_new(allocator, 1, sizeof *c);
  if (!c || !half_edges_create(allocator, triangles, triangle_count, vertex_count, &h)) {
    mem_free(allocator, c);
    return NULL;
  }
  bool even = follow(&h, triangles, c);
  c->kind = !c->border_count ? PL_CLOSURE_CLOSED : even ? PL_CLOSURE_UNORIENTED : PL_CLOSURE_OPEN;
  c->edge_count = c->border_count;
  if (c->kind == PL_CLOSURE_OPEN) {
    c->border = mem_raw(allocator, c->border_count, sizeof *c->border);
    if (c->border) follow(&h, triangles, c);
  }
  bool room = c->kind != PL_CLOSURE_OPEN || c->border;
  half_edges_free(allocator, &h);
  if (room) return c;
  mem_free(allocator, c);
  return NULL;
}

void closure_free(const pl_allocator *allocator, closure *c)
{
  if (!c) return;
  mem_free_all(allocator, c->border, c);
}
