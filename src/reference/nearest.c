/* Least distances without a tree: every triangle of one body against every triangle of the
 * other, or of one body against every later one, boxes first. Shares with the engine only the
 * distance of two triangles. Cost: O(n m). */
#include "exact/tri_tri_distance.h"
#include "reference/reference.h"

#include <string.h>

double soup_apart(const soup *a, size_t i, const soup *b, size_t j)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double gap = fmax(0, fmax(a->box[k][i] - b->box[k + 3][j], b->box[k][j] - a->box[k + 3][i]));
    square += gap * gap;
  }
  return square * (1 - 0x1p-40) - 0x1p-1000;
}

double soup_square(double reach) { return reach * reach * (1 + 0x1p-40); }

typedef struct search {
  const soup *a, *b;
  const surroundings *around; /* of one body; NULL: two bodies */
  const reference_wish *wish;
  double margin;
  distance_found *out;
} search;

static void measure(const search *s, size_t i, size_t j)
{
  distance_found *out = s->out;
  bool close[3][3];
  closest c;
  if (soup_lacks(s->a, i) || soup_lacks(s->b, j)) return;
  if (soup_apart(s->a, i, s->b, j) > soup_square(fmin(s->margin, out->distance))) return;
  if (s->around && surroundings_have(s->around, j, close)) return;
  if (s->wish->filter && !s->wish->filter(s->wish->user, (pl_pair){(uint32_t)i, (uint32_t)j})) return;
  tri_tri_distance((const double(*)[3])s->a->corners[i], (const double(*)[3])s->b->corners[j], &c);
  ++out->counters.n_p;
  if (c.distance > s->margin) return;
  if (out->triangle_a != UINT32_MAX && !(c.distance < out->distance)) return;
  out->distance = c.distance;
  out->triangle_a = (uint32_t)i;
  out->triangle_b = (uint32_t)j;
  memcpy(out->point_a, c.a, sizeof c.a);
  memcpy(out->point_b, c.b, sizeof c.b);
}

pl_status reference_distance(pl_body *a, pl_body *b, const reference_wish *wish, double margin, distance_found *out)
{
  const bool is_one = a == b;
  soup s = {0}, t = {0};
  surroundings around = {0};
  *out = (distance_found){.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  pl_status status = soup_create(a, &s);
  if (status == PL_OK && !is_one) status = soup_create(b, &t);
  if (status == PL_OK && is_one) status = surroundings_create(a, &s, wish->rings, &around);
  search all = {&s, is_one ? &s : &t, is_one ? &around : NULL, wish, margin, out};
  for (size_t i = 0; status == PL_OK && i < s.count && out->distance > 0; ++i) {
    if (is_one) surroundings_of(&around, i);
    for (size_t j = is_one ? i + 1 : 0; j < all.b->count && out->distance > 0; ++j) measure(&all, i, j);
  }
  out->lower = fmin(out->distance, margin);
  surroundings_free(a->context, &around);
  soup_free(a->context, &s);
  soup_free(a->context, &t);
  return status;
}
