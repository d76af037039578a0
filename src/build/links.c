/* Triangles and their neighbours as a graph. Weights are lengths as integers: their sums are
 * exact, and a link has the same weight from both sides, whatever the order of the sum. Cost:
 * O(triangles). */
#include "build/links.h"

#include <math.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

/* Coordinates times this are at most 1. */
static double unit_scale(const build_input *in)
{
  double most = 0;
  for (size_t i = 0; i < 3 * in->vertex_count; ++i) most = fabs(in->xyz[i]) > most ? fabs(in->xyz[i]) : most;
  return most > 0x1p-1000 ? 1 / most : 0;
}

static double edge_length(const build_input *in, uint32_t t, uint32_t e, double scale)
{
  const uint32_t *v = in->triangles + 3 * (size_t)t;
  const double *a = in->xyz + 3 * (size_t)v[e], *b = in->xyz + 3 * (size_t)v[(e + 1) % 3];
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    double d = a[i] * scale - b[i] * scale;
    sum += d * d;
  }
  return sqrt(sum);
}

/* Lengths of edges as integers, in a unit for which the sum of all fits. */
static uint64_t length_weight(const build_input *in, uint32_t t, uint32_t e, double scale)
{
  /* At most 4 (a diagonal of the cube of side 2) times 2^60 over 4 n, and at most 3 n edges. */
  double unit = 0x1p58 / (double)in->triangle_count;
  return (uint64_t)(edge_length(in, t, e, scale) * unit);
}

/* Links the triangles of each edge, one to the next. Called twice: to count the links of each
 * triangle into first[t + 1], and to write them from first[t] on. */
static void link_triangles(const build_input *in, const mesh_edges *edges, uint32_t *last, bool write, link_graph *g)
{
  double scale = unit_scale(in);
  memset(last, 0xff, edges->count * sizeof *last);
  for (uint32_t t = 0; t < g->count; ++t)
    for (uint32_t e = 0; e < 3; ++e) {
      uint32_t edge = edges->of[3 * (size_t)t + e];
      if (edge == (uint32_t)NO_EDGE) continue;
      uint32_t other = last[edge];
      last[edge] = t;
      if (other == none || other == t) continue;
      if (!write) {
        ++g->first[t + 1];
        ++g->first[other + 1];
        continue;
      }
      uint64_t weight = length_weight(in, t, e, scale);
      uint32_t there = g->first[other]++, here = g->first[t]++;
      g->to[there] = t;
      g->to[here] = other;
      g->weight[there] = g->weight[here] = weight;
    }
}

/* Merges the links of triangles with more than one edge in common into one, with the sum of
 * their lengths. Before, first[t] is the end of the links of t. */
static void merge_links(link_graph *g)
{
  uint32_t begin = 0, end = 0;
  for (uint32_t t = 0; t < g->count; ++t) {
    uint32_t stop = g->first[t], start = end;
    g->first[t] = start;
    for (uint32_t k = begin; k < stop; ++k) {
      uint32_t same = start;
      while (same < end && g->to[same] != g->to[k]) ++same;
      if (same == end) {
        g->to[end] = g->to[k];
        g->weight[end++] = g->weight[k];
      } else {
        g->weight[same] += g->weight[k];
      }
    }
    begin = stop;
  }
  g->first[g->count] = end;
}

bool link_graph_create(const pl_allocator *a, size_t nodes, size_t links, link_graph *out)
{
  out->count = (uint32_t)nodes;
  return mem_take_new(a, &out->first, nodes + 1) && mem_take(a, &out->to, links) && mem_take(a, &out->weight, links);
}

void link_graph_free(const pl_allocator *a, link_graph *g) { mem_free_all(a, g->first, g->to, g->weight); }

bool links_create(const build_input *in, const mesh_edges *edges, link_graph *out)
{
  const pl_allocator *a = &in->context->def.allocator;
  size_t n = in->triangle_count;
  /* links are counted in 32 bits; their memory would be 100 GB */
  if (n > UINT32_MAX / 6) return false;
  uint32_t *last = mem_raw(a, edges->count, sizeof *last);
  bool ok = link_graph_create(a, n, 6 * n, out) && last;
  if (ok) {
    link_triangles(in, edges, last, false, out);
    for (size_t t = 0; t < n; ++t) out->first[t + 1] += out->first[t];
    link_triangles(in, edges, last, true, out);
    merge_links(out);
  }
  mem_free(a, last);
  return ok;
}
