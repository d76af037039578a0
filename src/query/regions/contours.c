/* Names to points, and what regions are long, wide and flat; segments to contours. */
#include "core/sort.h"
#include "query/regions/regions.h"

#include <math.h>
#include <string.h>

enum { TASK_NAMES = 64 };

/* ------------------------------------------------------------------------------------ points -- */

/* Where a vertex that is on an edge is on it. */
static double vertex_part(const double p[3], const double q[3], const double v[3])
{
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (fabs(0.5 * q[k] - 0.5 * p[k]) > fabs(0.5 * q[axis] - 0.5 * p[axis])) axis = k;
  double length = 0.5 * q[axis] - 0.5 * p[axis], part = (0.5 * v[axis] - 0.5 * p[axis]) / length;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void place_name(const regions_run *r, region_name *n)
{
  const double *p[2] = {NULL, NULL}, *q[2] = {NULL, NULL};
  const region_surface *s[2];
  for (unsigned i = 0; i < 2; ++i) {
    s[i] = surface_of(r, i);
    if (feature_low(n->feature[i]) == UINT32_MAX) continue;
    p[i] = surface_vertex(s[i], feature_low(n->feature[i]));
    q[i] = surface_vertex(s[i], feature_high(n->feature[i]));
  }
  for (unsigned i = 0; i < 2; ++i) {
    const uint64_t other = n->feature[!i];
    if (!feature_is_edge(n->feature[i])) continue;
    if (feature_is_vertex(other)) n->part[i] = vertex_part(p[i], q[i], p[!i]);
    if (feature_is_edge(other)) n->part[i] = edge_edge_part(p[i], q[i], p[!i], q[!i]);
    if (feature_low(other) != UINT32_MAX) continue;
    double face[3][3];
    surface_triangle(s[!i], feature_high(other), face);
    n->part[i] = edge_face_part(p[i], q[i], (const double(*)[3])face);
  }
  for (unsigned i = 0; i < 2; ++i)
    if (feature_is_vertex(n->feature[i])) {
      memcpy(n->at, p[i], sizeof n->at);
      return;
    }
  unsigned edge = !feature_is_edge(n->feature[0]);
  edge_point(p[edge], q[edge], n->part[edge], n->at);
}

static void place_task(void *data, int task, int worker)
{
  const regions_run *r = data;
  regions_scratch *q = r->q;
  size_t begin = (size_t)task * TASK_NAMES, end = begin + TASK_NAMES;
  if (end > q->names.count) end = q->names.count;
  for (size_t i = begin; i < end; ++i) place_name(r, &q->names.data[i]);
}

/* ---------------------------------------------------------------------------------- segments -- */

static double length_of(const double p[3], const double q[3])
{
  double d[3], most = 0, square = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, fabs(d[k] = 0.5 * q[k] - 0.5 * p[k]));
  if (!(most > 0)) return 0;
  if (most > 0x1p-500 && most < 0x1p500) return 2 * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  int power = ilogb(most);
  for (int k = 0; k < 3; ++k) square += ldexp(d[k], -power) * ldexp(d[k], -power);
  return ldexp(2 * sqrt(square), power);
}

/* The two names of a piece that is a segment. Of the names of a piece without area that has more
 * than two, some are the same point: the least and the greatest by their coordinates, and of
 * equal ones the first, are its ends. */
static bool ends_of(const regions_scratch *q, const region_piece *p, uint32_t ends[2])
{
  if (p->count < 2 || (p->flat && p->count > 2)) return false;
  ends[0] = ends[1] = piece_name_id(q, p, 0);
  for (uint32_t c = 1; c < p->count && p->count > 2; ++c) {
    uint32_t id = piece_name_id(q, p, c);
    const double *x = q->names.data[id].at, *low = q->names.data[ends[0]].at, *high = q->names.data[ends[1]].at;
    for (int k = 0, sl = 0, sh = 0; k < 3; ++k) {
      if (!sl) sl = (x[k] > low[k]) - (x[k] < low[k]);
      if (!sh) sh = (x[k] > high[k]) - (x[k] < high[k]);
      if (k < 2) continue;
      if (sl < 0 || (sl == 0 && id < ends[0])) ends[0] = id;
      if (sh > 0 || (sh == 0 && id < ends[1])) ends[1] = id;
    }
  }
  if (p->count == 2) ends[1] = piece_name_id(q, p, 1);
  if (ends[0] == ends[1]) return false;
  if (p->count > 2 && !memcmp(q->names.data[ends[0]].at, q->names.data[ends[1]].at, 3 * sizeof(double))) return false;
  if (ends[0] < ends[1]) return true;
  uint32_t t = ends[0];
  ends[0] = ends[1];
  ends[1] = t;
  return true;
}

/* Adds a segment unless there is one with the same ends: two triangles at an edge that lies in a
 * face have one segment. */
static bool add_segment(regions_scratch *q, const uint32_t ends[2], uint32_t piece)
{
  size_t mask = q->segment_slots.count - 1, at = regions_hash(ends[0], ends[1]) & mask;
  for (; q->segment_slots.data[at]; at = (at + 1) & mask) {
    const region_segment *s = &q->segments.data[q->segment_slots.data[at] - 1];
    if (s->name[0] == ends[0] && s->name[1] == ends[1]) return false;
  }
  q->segments.data[q->segments.count++] = (region_segment){.name = {ends[0], ends[1]}, .piece = piece};
  q->segment_slots.data[at] = (uint32_t)q->segments.count;
  ++q->names.data[ends[0]].degree;
  ++q->names.data[ends[1]].degree;
  return true;
}

/* The area of the convex polygon of a piece in one plane: half the sum of the cross products of
 * neighbours, in the order of their angles around the first edge's normal. */
static double polygon_area(const regions_scratch *q, const region_piece *p)
{
  double x[PIECE_CORNERS][3], centre[3] = {0}, u[3], v[3], n[3] = {0}, angle[PIECE_CORNERS], sum = 0, most = 0;
  int count = p->count < PIECE_CORNERS ? p->count : PIECE_CORNERS;
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < 3; ++k) centre[k] += (x[c][k] = piece_name(q, p, (uint32_t)c)->at[k]) / count;
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < 3; ++k) most = fmax(most, fabs(x[c][k] -= centre[k]));
  const int exponent = regions_exponent(most);
  for (int c = 0; c < count && exponent; ++c)
    for (int k = 0; k < 3; ++k) x[c][k] = ldexp(x[c][k], -exponent);
  for (int c = 1; c < count; ++c) { /* the longest cross product is the stablest normal */
    double w[3], own = 0, best = 0;
    for (int k = 0; k < 3; ++k) w[k] = x[0][(k + 1) % 3] * x[c][(k + 2) % 3] - x[0][(k + 2) % 3] * x[c][(k + 1) % 3];
    for (int k = 0; k < 3; ++k) {
      own += w[k] * w[k];
      best += n[k] * n[k];
    }
    if (own > best) memcpy(n, w, sizeof n);
  }
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0)) return 0;
  memcpy(u, x[0], sizeof u);
  for (int k = 0; k < 3; ++k) v[k] = (n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3]) / length;
  for (int c = 0; c < count; ++c) {
    double own =
        atan2(v[0] * x[c][0] + v[1] * x[c][1] + v[2] * x[c][2], u[0] * x[c][0] + u[1] * x[c][1] + u[2] * x[c][2]);
    double point[3] = {x[c][0], x[c][1], x[c][2]};
    int at = c;
    for (; at > 0 && angle[at - 1] > own; --at) {
      angle[at] = angle[at - 1];
      memcpy(x[at], x[at - 1], sizeof x[at]);
    }
    angle[at] = own;
    memcpy(x[at], point, sizeof x[at]);
  }
  for (int c = 0; c < count; ++c) {
    const double *a = x[c], *b = x[(c + 1) % count];
    for (int k = 0; k < 3; ++k)
      sum += n[k] * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]) / length;
  }
  return ldexp(0.5 * fabs(sum), 2 * exponent);
}

static pl_status find_segments(regions_run *r)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->segments, q->pieces.count) || !regions_table(r, &q->segment_slots, q->pieces.count))
    return regions_no_memory(r);
  q->segments.count = 0;
  for (uint32_t i = 0; i < q->pieces.count; ++i) {
    const region_piece *p = &q->pieces.data[i];
    pl_region *row = &q->rows.data[r->first_row + p->region];
    uint32_t ends[2];
    if (p->flat && p->count > 2) {
      ++row->areas;
      row->flat += polygon_area(q, p);
    }
    if (ends_of(q, p, ends)) add_segment(q, ends, i);
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------- sizes -- */

static uint32_t region_of_name(const regions_scratch *q, const region_name *n)
{
  return q->pieces.data[n->piece].region;
}

static void measure(regions_run *r)
{
  regions_scratch *q = r->q;
  pl_region *rows = q->rows.data + r->first_row;
  size_t count = q->rows.count - r->first_row;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      rows[i].lower[k] = INFINITY;
      rows[i].upper[k] = -INFINITY;
      rows[i].depth = -1; /* until `at` is known: the length of the longest segment */
    }
  for (size_t i = 0; i < q->names.count; ++i) {
    const region_name *n = &q->names.data[i];
    pl_region *row = &rows[region_of_name(q, n)];
    row->ends += n->degree == 1;
    row->branches += n->degree > 2;
    if (row->depth < 0) memcpy(row->at, n->at, sizeof row->at);
    if (row->depth < 0) row->depth = 0;
    for (int k = 0; k < 3; ++k) {
      row->lower[k] = fmin(row->lower[k], n->at[k]);
      row->upper[k] = fmax(row->upper[k], n->at[k]);
    }
  }
  for (size_t i = 0; i < q->segments.count; ++i) {
    const region_segment *s = &q->segments.data[i];
    pl_region *row = &rows[q->pieces.data[s->piece].region];
    const double *from = q->names.data[s->name[0]].at, *to = q->names.data[s->name[1]].at;
    double length = length_of(from, to);
    row->length += length;
    if (!(length > row->depth)) continue;
    row->depth = length;
    for (int k = 0; k < 3; ++k) row->at[k] = 0.5 * from[k] + 0.5 * to[k];
  }
  for (size_t i = 0; i < count; ++i) {
    rows[i].depth = 0;
    memcpy(rows[i].deepest, rows[i].at, sizeof rows[i].at);
    memcpy(rows[i].surface, rows[i].at, sizeof rows[i].at);
  }
}

/* ---------------------------------------------------------------------------------- contours -- */

/* Lists the segments at each name, and sorts the segments by region: q->keys are region << 32 |
 * segment. */
static pl_status link_names(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t n = q->segments.count;
  if (!regions_reserve(r, &q->links, 2 * n) || !regions_reserve(r, &q->keys, n) || !regions_reserve(r, &q->sorting, n))
    return regions_no_memory(r);
  uint32_t first = 0;
  for (size_t i = 0; i < q->names.count; ++i) {
    q->names.data[i].links = first;
    first += q->names.data[i].degree;
  }
  for (uint32_t i = 0; i < n; ++i)
    for (int e = 0; e < 2; ++e) q->links.data[q->names.data[q->segments.data[i].name[e]].links++] = i;
  for (size_t i = 0; i < q->names.count; ++i) q->names.data[i].links -= q->names.data[i].degree;
  for (size_t i = 0; i < n; ++i) q->keys.data[i] = (uint64_t)q->pieces.data[q->segments.data[i].piece].region << 32 | i;
  sort_keys_high(q->keys.data, q->sorting.data, n);
  return PL_OK;
}

static bool add_point(regions_run *r, uint32_t name)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->points, q->points.count + 3)) return false;
  memcpy(q->points.data + q->points.count, q->names.data[name].at, 3 * sizeof(double));
  q->points.count += 3;
  return true;
}

/* Follows segments from a name on, until an end, a branch or the begin. */
static bool follow(regions_run *r, uint32_t name, uint32_t segment)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->contours, q->contours.count + 1) || !add_point(r, name)) return false;
  pl_contour contour;
  memset(&contour, 0, sizeof contour);
  contour.begin = q->points.count / 3 - 1;
  const uint32_t begin = name;
  for (;;) {
    region_segment *s = &q->segments.data[segment];
    s->walked = true;
    name = s->name[0] == name ? s->name[1] : s->name[0];
    const region_name *n = &q->names.data[name];
    contour.closed = name == begin;
    if (contour.closed) break;
    if (!add_point(r, name)) return false;
    if (n->degree != 2) break;
    segment = q->links.data[n->links] == segment ? q->links.data[n->links + 1] : q->links.data[n->links];
  }
  contour.end = q->points.count / 3;
  q->contours.data[q->contours.count++] = contour;
  return true;
}

/* Contours that begin at an end or a branch first, then closed ones. */
static pl_status walk_region(regions_run *r, size_t begin, size_t end, pl_region *row)
{
  regions_scratch *q = r->q;
  row->contour_begin = q->contours.count;
  for (size_t i = begin; i < end && (row->ends || row->branches); ++i)
    for (int e = 0; e < 2; ++e) {
      uint32_t segment = (uint32_t)q->keys.data[i], name = q->segments.data[segment].name[e];
      if (q->segments.data[segment].walked || q->names.data[name].degree == 2) continue;
      if (!follow(r, name, segment)) return regions_no_memory(r);
    }
  for (size_t i = begin; i < end; ++i) {
    uint32_t segment = (uint32_t)q->keys.data[i];
    if (q->segments.data[segment].walked) continue;
    if (!follow(r, q->segments.data[segment].name[0], segment)) return regions_no_memory(r);
  }
  row->contour_end = q->contours.count;
  return PL_OK;
}

pl_status regions_contours(regions_run *r)
{
  regions_scratch *q = r->q;
  int tasks = (int)((q->names.count + TASK_NAMES - 1) / TASK_NAMES);
  pl_status status = parallel_for(r->context, tasks > 2, place_task, r, tasks);
  if (status == PL_OK) status = find_segments(r);
  if (status != PL_OK) return status;
  measure(r);
  status = link_names(r);
  size_t begin = 0, n = q->segments.count;
  for (size_t i = r->first_row; i < q->rows.count && status == PL_OK; ++i) {
    size_t end = begin;
    while (end < n && q->keys.data[end] >> 32 == i - r->first_row) ++end;
    status = walk_region(r, begin, end, &q->rows.data[i]);
    begin = end;
  }
  return status;
}
