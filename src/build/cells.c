/* Cells are paired before triangles are: a triangle that was subdivided has more triangles that
 * point one way than the other, so that no pairing of its triangles stays within it; two such
 * triangles side by side have as many of each. Links between pairs of cells then weigh so little
 * that levels are paired within them as long as there is a choice. Cost: O(links), and a pairing
 * of the cells. */
#include "build/cells.h"

#include "build/links.h"

#include <string.h>

enum { LIGHTER = 8 /* bits */ };

static const uint32_t none = UINT32_MAX;

/* The graph of the cells. place: scratch by cell. */
static void link_cells(const link_graph *g, size_t together, uint32_t *place, link_graph *out)
{
  uint32_t end = 0;
  memset(place, 0xff, out->count * sizeof *place);
  for (uint32_t c = 0; c < out->count; ++c) {
    uint32_t begin = end;
    out->first[c] = begin;
    for (size_t t = c * together; t < (c + 1) * together && t < g->count; ++t)
      for (uint32_t k = g->first[t]; k < g->first[t + 1]; ++k) {
        uint32_t to = (uint32_t)(g->to[k] / together);
        if (to == c) continue;
        if (place[to] == none || place[to] < begin) {
          place[to] = end;
          out->to[end] = to;
          out->weight[end++] = 0;
        }
        out->weight[place[to]] += g->weight[k];
      }
  }
  out->first[out->count] = end;
}

static void lighten(link_graph *g, size_t together, const uint32_t *mate)
{
  for (uint32_t t = 0; t < g->count; ++t)
    for (uint32_t k = g->first[t]; k < g->first[t + 1]; ++k) {
      uint32_t from = (uint32_t)(t / together), to = (uint32_t)(g->to[k] / together);
      if (from != to && mate[from] != to) g->weight[k] >>= LIGHTER;
    }
}

bool cells_favour(const pl_allocator *a, size_t together, link_graph *g)
{
  if (together < 2 || g->count <= together) return true;
  size_t count = (g->count + together - 1) / together;
  link_graph cells = {0};
  pairing pairs = {0};
  uint32_t *place = mem_raw(a, count, sizeof *place);
  bool *favoured = mem_new(a, count, sizeof *favoured);
  bool ok =
      place && favoured && link_graph_create(a, count, g->first[g->count], &cells) && pairing_create(a, count, &pairs);
  if (ok) {
    link_cells(g, together, place, &cells);
    pairing_find(&pairs, &cells, favoured);
    lighten(g, together, pairs.mate);
  }
  mem_free_all(a, place, favoured);
  link_graph_free(a, &cells);
  pairing_free(a, &pairs);
  return ok;
}
