/* What of the triangles that touch is behind the other surface. */
#include "query/regions/regions.h"

#include <float.h>
#include <math.h>
#include <string.h>

int regions_exponent(double most)
{
  int exponent = 0;
  if (most > 0 && !(most > 0x1p-200 && most < 0x1p200)) frexp(fmin(most, DBL_MAX), &exponent);
  return exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
}

double regions_triangle_area(const double t[3][3], double normal[3], int *exponent)
{
  double e[3], f[3], most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, fmax(fabs(t[1][k] - t[0][k]), fabs(t[2][k] - t[0][k])));
  *exponent = regions_exponent(most);
  const double unit = *exponent ? ldexp(1, -*exponent) : 1;
  for (int k = 0; k < 3; ++k) {
    e[k] = t[1][k] * unit - t[0][k] * unit;
    f[k] = t[2][k] * unit - t[0][k] * unit;
  }
  for (int k = 0; k < 3; ++k) normal[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  return 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

/* The triangle of side s of a piece. */
static region_touched *touched_of(const regions_run *r, const region_piece *p, unsigned s)
{
  return &r->q->touched.data[(uint32_t)surface_of(r, s)->touched.data[s ? p->b : p->a]];
}

/* Behind the other surface: what of each touched triangle. A region of a plane has the area 1/2
 * of the sum of p x q over its border, seen from corner 0: its segments, with what is behind on
 * their left, and its piece of the edge between corners 1 and 2; the other two edges pass
 * through corner 0. */
static void add_segment_area(regions_run *r, const region_piece *p, unsigned s, const double from[3],
                             const double to[3])
{
  region_touched *own = touched_of(r, p, s);
  const double *n = own->normal, *m = touched_of(r, p, !s)->normal, *corner;
  const region_surface *surface = surface_of(r, s);
  const double unit = own->exponent ? ldexp(1, -own->exponent) : 1;
  double e[3], f[3], left = 0, sum = 0;
  corner = surface_vertex(surface, surface_corners(surface, own->triangle)[0]);
  for (int k = 0; k < 3; ++k) {
    e[k] = from[k] * unit - corner[k] * unit;
    f[k] = to[k] * unit - corner[k] * unit;
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    left -= (n[i] * (f[j] - e[j]) - n[j] * (f[i] - e[i])) * m[k];
    sum += (e[i] * f[j] - e[j] * f[i]) * n[k];
  }
  if (own->area > 0) own->behind += (left > 0 ? 0.25 : -0.25) * sum / own->area;
}

/* Where the segment of a piece runs through the inside of a triangle, not along an edge. */
static bool runs_inside(const region_piece *p, unsigned s)
{
  unsigned bits = 0;
  for (int c = 0; c < 2; ++c) bits |= feature_bits(s ? p->at[c].b : p->at[c].a);
  return bits == 7;
}

/* Where the end of a cut edge is: SIDE_UNCLEAR if its nearest cut does not say it. */
static int8_t end_side(const regions_scratch *q, const region_edge *e, uint32_t vertex)
{
  const bool low = vertex == feature_low(e->feature);
  const int8_t lower = q->sorted_cuts.data[e->first + (low ? 0 : e->count - 1)].lower;
  return lower == SIDE_UNCLEAR || low ? lower : (int8_t)-lower;
}

/* The fraction that is behind of the edge across from the first corner of a triangle. If nothing
 * cuts it, it is where its part is. Within one body, a part may be behind one region and in front
 * of another: there the cuts of the triangle's other edges say where its ends are. */
static double far_edge_behind(const regions_run *r, const region_surface *s, uint32_t index, const uint32_t v[3],
                              bool unfilled)
{
  const regions_scratch *q = r->q;
  const region_edge *e = regions_cut_edge(q, v[1], v[2], index);
  if (e) return e->behind;
  uint32_t number = part_of(q, s, v[1]);
  if (number == NO_INDEX) number = part_of(q, s, v[2]);
  const region_part *part = number == NO_INDEX ? NULL : &q->parts.data[number];
  for (int c = 1; c < 3 && (r->self || (part && part->torn)); ++c) {
    e = regions_cut_edge(q, v[0], v[c], index);
    const int8_t side = e ? end_side(q, e, v[c]) : SIDE_UNCLEAR;
    if (side != SIDE_UNCLEAR) return side < 0;
  }
  if (!part) return is_marked(q, s, v[1]) ? 0 : unfilled;
  return part->torn ? unfilled : part->behind;
}

/* Numbers the triangles that touch. */
pl_status regions_number_touched(regions_run *r)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->touched, 2 * q->pieces.count)) return regions_no_memory(r);
  q->touched.count = 0;
  for (size_t i = 0; i < q->pieces.count; ++i)
    for (unsigned s = 0; s < 2; ++s) {
      region_surface *surface = surface_of(r, s);
      uint32_t triangle = s ? q->pieces.data[i].b : q->pieces.data[i].a;
      if (is_touched(q, surface, triangle)) continue;
      double corner[3][3];
      region_touched *t = &q->touched.data[q->touched.count];
      surface->touched.data[triangle] = (uint64_t)q->turn << 32 | q->touched.count++;
      *t = (region_touched){.surface = surface_index(r, s), .triangle = triangle};
      surface_triangle(surface, triangle, corner);
      t->area = regions_triangle_area((const double(*)[3])corner, t->normal, &t->exponent);
    }
  return PL_OK;
}

void regions_cut_triangles(regions_run *r, const bool turned[2])
{
  regions_scratch *q = r->q;
  for (size_t i = 0; i < q->pieces.count; ++i) {
    const region_piece *p = &q->pieces.data[i];
    for (unsigned s = 0; s < 2 && p->count == 2 && !p->flat; ++s)
      if (runs_inside(p, s)) add_segment_area(r, p, s, piece_name(q, p, 0)->at, piece_name(q, p, 1)->at);
  }
  for (size_t i = 0; i < q->touched.count; ++i) {
    region_touched *t = &q->touched.data[i];
    const region_surface *surface = &q->surface[t->surface];
    const uint32_t *v = surface_corners(surface, t->triangle);
    double behind = t->behind + t->area * far_edge_behind(r, surface, t->surface, v, turned[t->surface]);
    t->behind = behind > 0 ? fmin(behind, t->area) : 0; /* 0 as well if slivers make it no number */
  }
}
