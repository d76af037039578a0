/* The parts of the surfaces that regions cut off: vertices that uncut edges join, from the ends
 * of cut edges on. A part is filled once, however many regions it belongs to. Cost: the size of
 * the parts that are wanted: those behind a closed body, or all. */
#include "query/regions/regions.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- parts -- */

/* There is room for it. */
static inline void visit(regions_scratch *q, region_surface *s, uint32_t vertex, uint32_t part)
{
  if (is_marked(q, s, vertex)) return;
  s->part.data[vertex] = (uint64_t)q->turn << 32 | part;
  q->part_vertices.data[q->part_vertices.count++] = vertex;
}

/* Goes on from a vertex over the triangles around it. A triangle that touches nothing belongs to
 * the part. */
static bool spread(regions_run *r, region_surface *s, uint32_t index, uint32_t vertex, uint32_t part)
{
  regions_scratch *q = r->q;
  uint32_t begin = s->fans->first[vertex], end = s->fans->first[vertex + 1];
  if (!regions_reserve(r, &q->part_vertices, q->part_vertices.count + 2 * (size_t)(end - begin)) ||
      !regions_reserve(r, &q->part_triangles, q->part_triangles.count + (end - begin)))
    return false;
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t t = s->fans->around[i];
    const uint32_t *corner = surface_corners(s, t);
    if (s->touched.data[t] >> 32 != q->turn) {
      for (int c = 0; c < 3; ++c) visit(q, s, corner[c], part);
      s->touched.data[t] = (uint64_t)q->turn << 32 | TRIANGLE_FILLED;
      q->part_triangles.data[q->part_triangles.count++] = t;
    } else if (is_touched(q, s, t)) {
      for (int c = 0; c < 3; ++c)
        if (!regions_cut_edge(q, vertex, corner[c], index)) visit(q, s, corner[c], part);
    }
  }
  return true;
}

static pl_status add_areas(regions_run *r, region_surface *s, region_part *part)
{
  regions_scratch *q = r->q;
  for (size_t i = part->vertex_begin; i < part->vertex_end; ++i)
    if (!surface_want(r, s, q->part_vertices.data[i])) return regions_no_memory(r);
  pl_status status = surface_evaluate(r, s);
  for (size_t i = part->triangle_begin; i < part->triangle_end && status == PL_OK; ++i) {
    double t[3][3], normal[3];
    surface_triangle(s, q->part_triangles.data[i], t);
    int exponent;
    const double area = regions_triangle_area((const double(*)[3])t, normal, &exponent);
    part->area += exponent ? ldexp(area, 2 * exponent) : area;
  }
  return status;
}

/* Within one closed body: more than half of it, which is never what is cut off. */
static bool is_large(const regions_run *r, const region_part *part)
{
  return r->self && 2 * (part->vertex_end - part->vertex_begin) > r->q->surface[0].fans->vertex_count;
}

static pl_status fill_from(regions_run *r, const region_seed *at)
{
  regions_scratch *q = r->q;
  const uint32_t side = at->owner & 1, index = surface_index(r, side);
  region_surface *s = &q->surface[index];
  if (is_marked(q, s, at->vertex)) return PL_OK;
  if (!regions_reserve(r, &q->parts, q->parts.count + 1)) return regions_no_memory(r);
  uint32_t number = (uint32_t)q->parts.count++;
  region_part part = {.surface = index,
                      .side = side,
                      .vertex_begin = q->part_vertices.count,
                      .triangle_begin = q->part_triangles.count,
                      .behind = at->behind,
                      .number = NO_INDEX};
  if (!regions_reserve(r, &q->part_vertices, q->part_vertices.count + 1)) return regions_no_memory(r);
  visit(q, s, at->vertex, number);
  for (size_t i = part.vertex_begin; i < q->part_vertices.count; ++i)
    if (!spread(r, s, index, q->part_vertices.data[i], number)) return regions_no_memory(r);
  part.vertex_end = q->part_vertices.count;
  part.triangle_end = q->part_triangles.count;
  bool closed = s->closure->kind == PL_CLOSURE_CLOSED;
  pl_status status = closed && is_large(r, &part) ? PL_OK : add_areas(r, s, &part);
  q->parts.data[number] = part;
  return status;
}

/* ------------------------------------------------------------------------------------- sides -- */

/* Has side s of the group another surface with an inside, and does that face inwards? */
static pl_status look_at_other(regions_run *r, unsigned s, bool *closed, bool *turned)
{
  const regions_scratch *q = r->q;
  *turned = false;
  *closed = surface_of(r, !s)->closure->kind == PL_CLOSURE_CLOSED;
  if (!*closed || r->self) return PL_OK;
  for (size_t i = 0; i < q->seeds.count; ++i) {
    const region_seed *at = &q->seeds.data[i];
    if ((at->owner & 1) != s || is_marked(q, surface_of(r, s), at->vertex)) continue;
    bool inside = false;
    pl_status status = regions_inside(r, s, at->vertex, &inside);
    *turned = inside != at->behind;
    return status;
  }
  return PL_OK;
}

/* One side of one region while it is decided. */
typedef struct side_choice {
  uint32_t owner;
  double area[2]; /* in front, behind: what would be cut off there */
  bool torn;      /* both are the same part */
  bool any[2];
} side_choice;

static void weigh(regions_run *r, side_choice *c, const pl_region *row)
{
  regions_scratch *q = r->q;
  const unsigned side = c->owner & 1;
  const region_surface *s = surface_of(r, side);
  for (int behind = 0; behind < 2; ++behind) {
    for (uint32_t i = q->first_seed.data[c->owner]; i < q->first_seed.data[c->owner + 1]; ++i) {
      const region_seed *at = &q->sorted_seeds.data[i];
      uint32_t number = part_of(q, s, at->vertex);
      if (at->behind != behind) continue;
      c->any[behind] = true;
      if (number == NO_INDEX) continue;
      region_part *part = &q->parts.data[number];
      uint32_t mark = 2 * c->owner + (uint32_t)behind + 1;
      c->torn = c->torn || (behind && part->mark == mark - 1);
      if (part->mark != mark) c->area[behind] += part->area;
      part->mark = mark;
    }
    for (size_t i = row->side[side].triangle_begin; i < row->side[side].triangle_end; ++i) {
      const region_touched *t = &q->touched.data[(uint32_t)s->touched.data[q->triangles.data[i]]];
      const double area = behind ? t->behind : t->area - t->behind;
      c->area[behind] += t->exponent ? ldexp(area, 2 * t->exponent) : area;
    }
  }
}

static pl_status add_patch(regions_run *r, region_part *part)
{
  regions_scratch *q = r->q;
  size_t n = part->triangle_end - part->triangle_begin;
  if (part->number == NO_INDEX) {
    if (!regions_reserve(r, &q->patches, q->patches.count + 1) ||
        !regions_reserve(r, &q->patch_triangles, q->patch_triangles.count + n))
      return regions_no_memory(r);
    part->number = (uint32_t)q->patches.count;
    pl_patch *made = &q->patches.data[q->patches.count++];
    memset(made, 0, sizeof *made);
    made->begin = q->patch_triangles.count;
    made->end = made->begin + n;
    made->area = part->area;
    made->depth = part->depth;
    memcpy(made->deepest, part->deepest, sizeof made->deepest);
    memcpy(made->surface, part->nearest, sizeof made->surface);
    if (n)
      memcpy(q->patch_triangles.data + made->begin, q->part_triangles.data + part->triangle_begin,
             n * sizeof(uint32_t));
    q->patch_triangles.count += n;
  }
  if (!regions_reserve(r, &q->patch_ids, q->patch_ids.count + 1)) return regions_no_memory(r);
  q->patch_ids.data[q->patch_ids.count++] = part->number;
  return PL_OK;
}

static void deepen(pl_region *row, unsigned side, double depth, const double deepest[3], const double nearest[3])
{
  if (depth > row->side[side].depth) row->side[side].depth = depth;
  if (!(depth > row->depth)) return;
  row->depth = depth;
  row->deepest_side = (int)side;
  memcpy(row->deepest, deepest, sizeof row->deepest);
  memcpy(row->surface, nearest, sizeof row->surface);
}

/* The patches and the depth of a side that is cut off. */
static pl_status take_parts(regions_run *r, uint32_t owner, bool behind, pl_region *row)
{
  regions_scratch *q = r->q;
  const unsigned side = owner & 1;
  const region_surface *s = surface_of(r, side);
  pl_status status = PL_OK;
  for (uint32_t i = q->first_seed.data[owner]; i < q->first_seed.data[owner + 1] && status == PL_OK; ++i) {
    const region_seed *at = &q->sorted_seeds.data[i];
    uint32_t number = part_of(q, s, at->vertex);
    if (at->behind != behind || number == NO_INDEX) continue;
    region_part *part = &q->parts.data[number];
    if (part->mark == UINT32_MAX - owner) continue; /* taken already */
    part->mark = UINT32_MAX - owner;
    if (r->def->depth) status = regions_measure(r, part);
    if (status == PL_OK) status = add_patch(r, part);
    if (status == PL_OK && r->def->depth) deepen(row, side, part->depth, part->deepest, part->nearest);
  }
  return status;
}

/* Within one body: is what is behind more than half of it? Then the surface is turned inside out
 * there, or the other part is meant. */
static bool is_most(const regions_run *r, uint32_t owner)
{
  const regions_scratch *q = r->q;
  const region_surface *s = &q->surface[0];
  for (uint32_t i = q->first_seed.data[owner]; r->self && i < q->first_seed.data[owner + 1]; ++i) {
    const region_seed *at = &q->sorted_seeds.data[i];
    uint32_t number = at->behind ? part_of(q, s, at->vertex) : NO_INDEX;
    if (number == NO_INDEX) continue;
    if (is_large(r, &q->parts.data[number])) return true;
  }
  return false;
}

/* Fills the parts that regions may cut off: behind a closed body, and everywhere where that does
 * not say which one is meant. */
static pl_status fill_parts(regions_run *r, const bool closed[2], const bool turned[2], uint32_t owners)
{
  regions_scratch *q = r->q;
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->seeds.count && status == PL_OK; ++i) {
    const region_seed *at = &q->sorted_seeds.data[i];
    const unsigned s = at->owner & 1;
    if (!q->slit.data[at->owner] && (!closed[s] || at->behind != turned[s])) status = fill_from(r, at);
  }
  for (uint32_t owner = 0; r->self && owner < owners && status == PL_OK; ++owner)
    if (!q->slit.data[owner] && is_most(r, owner))
      for (uint32_t i = q->first_seed.data[owner]; i < q->first_seed.data[owner + 1] && status == PL_OK; ++i)
        status = fill_from(r, &q->sorted_seeds.data[i]);
  return status;
}

/* Marks the parts on both sides of a contour. */
static void find_torn(regions_run *r, uint32_t owners)
{
  regions_scratch *q = r->q;
  for (uint32_t owner = 0; owner < owners; ++owner)
    for (int behind = 0; behind < 2; ++behind)
      for (uint32_t i = q->first_seed.data[owner]; i < q->first_seed.data[owner + 1]; ++i) {
        const region_seed *at = &q->sorted_seeds.data[i];
        uint32_t number = part_of(q, surface_of(r, owner & 1), at->vertex);
        if (at->behind != behind || number == NO_INDEX) continue;
        region_part *part = &q->parts.data[number];
        if (!behind) part->mark = owner + 1;
        part->torn = part->torn || (behind && part->mark == owner + 1);
      }
  for (size_t i = 0; i < q->parts.count; ++i) q->parts.data[i].mark = 0;
}

static pl_status decide_side(regions_run *r, uint32_t owner, bool closed, bool turned)
{
  regions_scratch *q = r->q;
  pl_region *row = &q->rows.data[r->first_row + owner / 2];
  pl_region_side *side = &row->side[owner & 1];
  side_choice c = {.owner = owner};
  side->patch_begin = side->patch_end = q->patch_ids.count;
  weigh(r, &c, row);
  bool slit = !c.any[0] && !c.any[1] && (row->ends || row->contour_begin == row->contour_end);
  if (c.torn || slit || q->slit.data[owner]) return PL_OK;
  bool behind = closed ? !turned && !is_most(r, owner) : c.area[1] <= c.area[0];
  side->cut_off = true;
  side->behind = behind != turned;
  side->area = c.area[behind];
  pl_status status = take_parts(r, owner, behind, row);
  side->patch_end = q->patch_ids.count;
  return status;
}

/* Pieces of edges, for regions that cut off no vertex. */
static pl_status measure_spans(regions_run *r, const bool turned[2])
{
  regions_scratch *q = r->q;
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->spans.count && status == PL_OK; ++i) {
    const region_span *span = &q->spans.data[i];
    pl_region *row = &q->rows.data[r->first_row + span->owner / 2];
    const unsigned side = span->owner & 1;
    double point[3], nearest[3], depth;
    if (!row->side[side].cut_off || row->side[side].behind != (span->behind != turned[side])) continue;
    status = regions_measure_span(r, span, point, nearest, &depth);
    if (status == PL_OK) deepen(row, side, depth, point, nearest);
  }
  return status;
}

pl_status regions_fill(regions_run *r)
{
  regions_scratch *q = r->q;
  bool closed[2], turned[2];
  q->parts.count = q->part_vertices.count = q->part_triangles.count = 0;
  pl_status status = regions_number_touched(r);
  for (unsigned s = 0; s < 2 && status == PL_OK; ++s) status = look_at_other(r, s, &closed[s], &turned[s]);
  uint32_t owners = 2 * (uint32_t)(q->rows.count - r->first_row);
  if (status == PL_OK) status = regions_find_slits(r, closed, owners);
  if (status == PL_OK) status = fill_parts(r, closed, turned, owners);
  if (status != PL_OK) return status;
  find_torn(r, owners);
  regions_cut_triangles(r, turned);
  for (uint32_t owner = 0; owner < owners && status == PL_OK; ++owner)
    status = decide_side(r, owner, closed[owner & 1], turned[owner & 1]);
  return status == PL_OK && r->def->depth ? measure_spans(r, turned) : status;
}
