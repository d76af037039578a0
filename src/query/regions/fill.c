/* The parts of the surfaces that regions cut off: vertices that uncut edges join, from the ends of cut edges on. A part is filled once,
 * however many regions it belongs to. Cost: the size of the parts that are wanted: those behind a closed body, or all. */
#include "query/regions/regions.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ parts -- */

static bool is_cut(const regions_scratch *q, uint32_t u, uint32_t v, uint32_t surface)
{
  uint64_t feature = u < v ? feature_key(u, v) : feature_key(v, u);
  size_t mask = q->edge_slots.count - 1, at = regions_hash(feature, surface) & mask;
  for (; q->edge_slots.data[at]; at = (at + 1) & mask) {
    const region_edge *e = &q->edges.data[q->edge_slots.data[at] - 1];
    if (e->feature == feature && e->surface == surface) return true;
  }
  return false;
}

/* Marks of triangles: those that touch have a number, those of parts that are filled have none. */
enum { TRIANGLE_FILLED = UINT32_MAX };

static bool is_touched(const regions_scratch *q, const region_surface *s, uint32_t triangle)
{
  uint64_t mark = s->touched.data[triangle];
  return mark >> 32 == q->turn && (uint32_t)mark != TRIANGLE_FILLED;
}

/* The part of a vertex; NO_INDEX: none yet, which PART_ON is, too. */
static uint32_t part_of(const regions_scratch *q, const region_surface *s, uint32_t vertex)
{
  uint64_t part = s->part.data[vertex];
  return part >> 32 == q->turn ? (uint32_t)part : NO_INDEX;
}

static bool is_marked(const regions_scratch *q, const region_surface *s, uint32_t vertex)
{
  return s->part.data[vertex] >> 32 == q->turn;
}

/* There is room for it. */
static inline void visit(regions_scratch *q, region_surface *s, uint32_t vertex, uint32_t part)
{
  if (is_marked(q, s, vertex)) return;
  s->part.data[vertex] = (uint64_t)q->turn << 32 | part;
  q->part_vertices.data[q->part_vertices.count++] = vertex;
}

/* Goes on from a vertex over the triangles around it. A triangle that touches nothing belongs to the part. */
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
        if (!is_cut(q, vertex, corner[c], index)) visit(q, s, corner[c], part);
    }
  }
  return true;
}

static double triangle_area(const double t[3][3], double normal[3])
{
  double e[3], f[3];
  for (int k = 0; k < 3; ++k) {
    e[k] = t[1][k] - t[0][k];
    f[k] = t[2][k] - t[0][k];
  }
  for (int k = 0; k < 3; ++k) normal[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  return 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
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
    part->area += triangle_area((const double(*)[3])t, normal);
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

/* -------------------------------------------------------------------------------------- pieces of triangles -- */

/* Behind the other surface: what of each touched triangle. A region of a plane has the area 1/2 of the sum of p x q over its border, seen
 * from corner 0: its segments, with what is behind on their left, and its piece of the edge between corners 1 and 2; the other two edges
 * pass through corner 0. */
static void add_segment_area(regions_run *r, const region_piece *p, unsigned s, const double from[3],
                             const double to[3])
{
  regions_scratch *q = r->q;
  double t[3][3], other[3][3], n[3], m[3], e[3], f[3], left = 0, sum = 0;
  uint32_t triangle = s ? p->b : p->a;
  surface_triangle(surface_of(r, s), triangle, t);
  surface_triangle(surface_of(r, !s), s ? p->a : p->b, other);
  double area = triangle_area((const double(*)[3])t, n);
  triangle_area((const double(*)[3])other, m);
  for (int k = 0; k < 3; ++k) {
    e[k] = from[k] - t[0][k];
    f[k] = to[k] - t[0][k];
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    left -= (n[i] * (f[j] - e[j]) - n[j] * (f[i] - e[i])) * m[k];
    sum += (e[i] * f[j] - e[j] * f[i]) * n[k];
  }
  if (!(area > 0)) return;
  uint32_t slot = (uint32_t)surface_of(r, s)->touched.data[triangle];
  q->behind.data[slot] += (left > 0 ? 0.25 : -0.25) * sum / area;
}

/* Where the segment of a piece runs through the inside of a triangle, not along an edge. */
static bool runs_inside(const region_piece *p, unsigned s)
{
  unsigned bits = 0;
  for (int c = 0; c < 2; ++c) bits |= feature_bits(s ? p->at[c].b : p->at[c].a);
  return bits == 7;
}

static double edge_behind(const regions_run *r, const region_surface *s, uint32_t index, uint32_t u, uint32_t v,
                          bool unfilled)
{
  const regions_scratch *q = r->q;
  uint64_t feature = u < v ? feature_key(u, v) : feature_key(v, u);
  size_t mask = q->edge_slots.count - 1, at = regions_hash(feature, index) & mask;
  for (; q->edge_slots.data[at]; at = (at + 1) & mask) {
    const region_edge *e = &q->edges.data[q->edge_slots.data[at] - 1];
    if (e->feature == feature && e->surface == index) return e->behind;
  }
  uint32_t part = part_of(q, s, u);
  if (part == NO_INDEX) part = part_of(q, s, v);
  if (part == NO_INDEX) return is_marked(q, s, u) ? 0 : unfilled;
  return q->parts.data[part].behind;
}

/* Numbers the triangles that touch. */
static pl_status number_touched(regions_run *r)
{
  regions_scratch *q = r->q;
  uint32_t count = 0;
  for (size_t i = 0; i < q->pieces.count; ++i)
    for (unsigned s = 0; s < 2; ++s) {
      region_surface *surface = surface_of(r, s);
      uint32_t t = s ? q->pieces.data[i].b : q->pieces.data[i].a;
      if (!is_touched(q, surface, t)) surface->touched.data[t] = (uint64_t)q->turn << 32 | count++;
    }
  if (!regions_reserve(r, &q->behind, count) || !regions_reserve(r, &q->whole, count)) return regions_no_memory(r);
  memset(q->behind.data, 0, count * sizeof *q->behind.data);
  for (uint32_t i = 0; i < count; ++i) q->whole.data[i] = -1;
  return PL_OK;
}

static void cut_triangles(regions_run *r, const bool turned[2])
{
  regions_scratch *q = r->q;
  for (size_t i = 0; i < q->pieces.count; ++i) {
    const region_piece *p = &q->pieces.data[i];
    for (unsigned s = 0; s < 2 && p->count == 2 && !p->flat; ++s)
      if (runs_inside(p, s)) add_segment_area(r, p, s, piece_name(q, p, 0)->at, piece_name(q, p, 1)->at);
  }
  for (size_t i = 0; i < q->pieces.count; ++i)
    for (unsigned s = 0; s < 2; ++s) {
      const region_surface *surface = surface_of(r, s);
      uint32_t t = s ? q->pieces.data[i].b : q->pieces.data[i].a, slot = (uint32_t)surface->touched.data[t];
      if (q->whole.data[slot] >= 0) continue;
      double corner[3][3], normal[3];
      const uint32_t *v = surface_corners(surface, t);
      surface_triangle(surface, t, corner);
      double area = triangle_area((const double(*)[3])corner, normal);
      double behind = q->behind.data[slot] + area * edge_behind(r, surface, surface_index(r, s), v[1], v[2], turned[s]);
      q->whole.data[slot] = area;
      q->behind.data[slot] = behind < 0 ? 0 : behind > area ? area : behind;
    }
}

/* ------------------------------------------------------------------------------------------------------ sides -- */

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

static void weigh(regions_run *r, side_choice *c, const pl_contact_region *row)
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
      uint32_t slot = (uint32_t)s->touched.data[q->triangles.data[i]];
      c->area[behind] += behind ? q->behind.data[slot] : q->whole.data[slot] - q->behind.data[slot];
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

static void deepen(pl_contact_region *row, unsigned side, double depth, const double deepest[3],
                   const double nearest[3])
{
  if (depth > row->side[side].depth) row->side[side].depth = depth;
  if (!(depth > row->depth)) return;
  row->depth = depth;
  row->deepest_side = (int)side;
  memcpy(row->deepest, deepest, sizeof row->deepest);
  memcpy(row->surface, nearest, sizeof row->surface);
}

/* The patches and the depth of a side that is cut off. */
static pl_status take_parts(regions_run *r, uint32_t owner, bool behind, pl_contact_region *row)
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

/* Within one body: is what is behind more than half of it? Then the surface is turned inside out there, or the other part is meant. */
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

/* Fills the parts that regions may cut off: behind a closed body, and everywhere where that does not say which one is meant. */
static pl_status fill_parts(regions_run *r, const bool closed[2], const bool turned[2], uint32_t owners)
{
  regions_scratch *q = r->q;
  pl_status status = PL_OK;
  for (size_t i = 0; i < q->seeds.count && status == PL_OK; ++i) {
    const region_seed *at = &q->sorted_seeds.data[i];
    const unsigned s = at->owner & 1;
    if (!closed[s] || at->behind != turned[s]) status = fill_from(r, at);
  }
  for (uint32_t owner = 0; r->self && owner < owners && status == PL_OK; ++owner)
    if (is_most(r, owner))
      for (uint32_t i = q->first_seed.data[owner]; i < q->first_seed.data[owner + 1] && status == PL_OK; ++i)
        status = fill_from(r, &q->sorted_seeds.data[i]);
  return status;
}

static pl_status decide_side(regions_run *r, uint32_t owner, bool closed, bool turned)
{
  regions_scratch *q = r->q;
  pl_contact_region *row = &q->rows.data[r->first_row + owner / 2];
  pl_region_side *side = &row->side[owner & 1];
  side_choice c = {.owner = owner};
  side->patch_begin = side->patch_end = q->patch_ids.count;
  weigh(r, &c, row);
  bool slit = !c.any[0] && !c.any[1] && (row->ends || row->contour_begin == row->contour_end);
  if (c.torn || slit) return PL_OK;
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
    pl_contact_region *row = &q->rows.data[r->first_row + span->owner / 2];
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
  pl_status status = number_touched(r);
  for (unsigned s = 0; s < 2 && status == PL_OK; ++s) status = look_at_other(r, s, &closed[s], &turned[s]);
  uint32_t owners = 2 * (uint32_t)(q->rows.count - r->first_row);
  if (status == PL_OK) status = fill_parts(r, closed, turned, owners);
  if (status != PL_OK) return status;
  cut_triangles(r, turned);
  for (uint32_t owner = 0; owner < owners && status == PL_OK; ++owner)
    status = decide_side(r, owner, closed[owner & 1], turned[owner & 1]);
  return status == PL_OK && r->def->depth ? measure_spans(r, turned) : status;
}
