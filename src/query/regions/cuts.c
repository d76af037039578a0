/* Which vertices are behind the other surface: along each edge that the other surface cuts, the
 * first and the last cut say on which side the ends are. A cut where the edge only touches, or
 * where the triangles at it disagree, says nothing; such an edge still joins no vertices. */
#include "query/regions/regions.h"

#include <string.h>

static region_edge *edge_of(regions_run *r, uint64_t feature, uint32_t surface)
{
  regions_scratch *q = r->q;
  size_t mask = q->edge_slots.count - 1, at = regions_hash(feature, surface) & mask;
  for (; q->edge_slots.data[at]; at = (at + 1) & mask) {
    region_edge *e = &q->edges.data[q->edge_slots.data[at] - 1];
    if (e->feature == feature && e->surface == surface) return e;
  }
  q->edges.data[q->edges.count++] = (region_edge){.feature = feature, .surface = surface};
  q->edge_slots.data[at] = (uint32_t)q->edges.count;
  return &q->edges.data[q->edges.count - 1];
}

/* Edges and their cuts; vertices that lie on the other surface are marked. */
static pl_status list_cuts(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t most = 2 * q->names.count;
  if (!regions_reserve(r, &q->cuts, most) || !regions_reserve(r, &q->sorted_cuts, most) ||
      !regions_reserve(r, &q->edges, most) || !regions_table(r, &q->edge_slots, most))
    return regions_no_memory(r);
  q->cuts.count = q->edges.count = 0;
  for (size_t i = 0; i < q->names.count; ++i)
    for (unsigned s = 0; s < 2; ++s) {
      const region_name *n = &q->names.data[i];
      region_surface *surface = surface_of(r, s);
      if (feature_is_vertex(n->feature[s]))
        surface->part.data[feature_low(n->feature[s])] = (uint64_t)q->turn << 32 | PART_ON;
      if (!feature_is_edge(n->feature[s])) continue;
      region_edge *e = edge_of(r, n->feature[s], surface_index(r, s));
      ++e->count;
      q->cuts.data[q->cuts.count++] = (region_cut){.edge = (uint32_t)(e - q->edges.data),
                                                   .region = q->pieces.data[n->piece].region,
                                                   .part = n->part[s],
                                                   .lower = n->side[s] ? n->side[s] : SIDE_UNCLEAR,
                                                   .side = (uint8_t)name_side(q, n, s)};
    }
  return PL_OK;
}

static bool cut_before(const region_cut *a, const region_cut *b)
{
  if (a->part != b->part) return a->part < b->part;
  return a->region < b->region;
}

/* By edge, then along it. Most edges have one cut. */
static void sort_cuts(regions_scratch *q)
{
  uint32_t first = 0;
  for (size_t i = 0; i < q->edges.count; ++i) {
    q->edges.data[i].first = first;
    first += q->edges.data[i].count;
  }
  for (size_t i = 0; i < q->cuts.count; ++i)
    q->sorted_cuts.data[q->edges.data[q->cuts.data[i].edge].first++] = q->cuts.data[i];
  for (size_t i = 0; i < q->edges.count; ++i) {
    region_edge *e = &q->edges.data[i];
    e->first -= e->count;
    region_cut *cuts = q->sorted_cuts.data + e->first;
    for (size_t gap = e->count > 1 ? (e->count + 1) / 2 : 0; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
      for (size_t k = gap; k < e->count; ++k) {
        region_cut cut = cuts[k];
        size_t at = k;
        for (; at >= gap && cut_before(&cut, &cuts[at - gap]); at -= gap) cuts[at] = cuts[at - gap];
        cuts[at] = cut;
      }
  }
}

static void add_seed(regions_scratch *q, const region_cut *cut, uint32_t vertex, bool behind)
{
  q->seeds.data[q->seeds.count++] = (region_seed){2 * cut->region + cut->side, vertex, behind};
}

/* The ends of an edge, and the pieces of it between its cuts. */
static void read_edge(regions_scratch *q, uint32_t index)
{
  region_edge *e = &q->edges.data[index];
  const region_cut *cuts = q->sorted_cuts.data + e->first, *last = &cuts[e->count - 1];
  if (cuts->lower != SIDE_UNCLEAR) add_seed(q, cuts, feature_low(e->feature), cuts->lower < 0);
  if (last->lower != SIDE_UNCLEAR) add_seed(q, last, feature_high(e->feature), last->lower > 0);
  if (cuts->lower < 0) e->behind += cuts->part;
  if (last->lower == 1) e->behind += 1 - last->part;
  for (uint32_t i = 0; i + 1 < e->count; ++i) {
    const region_cut *from = &cuts[i], *to = &cuts[i + 1];
    if (from->lower == SIDE_UNCLEAR || to->lower != -from->lower) continue;
    bool behind = from->lower > 0;
    double middle = 0.5 * (from->part + to->part);
    if (behind) e->behind += to->part - from->part;
    q->spans.data[q->spans.count++] = (region_span){2 * from->region + from->side, index, middle, behind};
    if (to->region == from->region && to->side == from->side) continue;
    q->spans.data[q->spans.count++] = (region_span){2 * to->region + to->side, index, middle, behind};
  }
}

/* By owner; q->first_seed has one more entry than there are owners. */
static pl_status sort_seeds(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t owners = 2 * (q->rows.count - r->first_row);
  if (!regions_reserve(r, &q->first_seed, owners + 1)) return regions_no_memory(r);
  uint32_t *first = q->first_seed.data;
  memset(first, 0, (owners + 1) * sizeof *first);
  for (size_t i = 0; i < q->seeds.count; ++i) ++first[q->seeds.data[i].owner + 1];
  for (size_t i = 0; i < owners; ++i) first[i + 1] += first[i];
  for (size_t i = 0; i < q->seeds.count; ++i) q->sorted_seeds.data[first[q->seeds.data[i].owner]++] = q->seeds.data[i];
  memmove(first + 1, first, owners * sizeof *first);
  first[0] = 0;
  return PL_OK;
}

pl_status regions_cut(regions_run *r)
{
  regions_scratch *q = r->q;
  pl_status status = list_cuts(r);
  if (status != PL_OK) return status;
  sort_cuts(q);
  if (!regions_reserve(r, &q->seeds, 2 * q->edges.count) || !regions_reserve(r, &q->sorted_seeds, 2 * q->edges.count) ||
      !regions_reserve(r, &q->spans, 2 * q->cuts.count))
    return regions_no_memory(r);
  q->seeds.count = q->spans.count = 0;
  for (uint32_t i = 0; i < q->edges.count; ++i) read_edge(q, i);
  return sort_seeds(r);
}
