/* Distances without a tree: every triangle of one body against every triangle of the other, boxes first. Shares with the engine only
 * the distance of two triangles. Cost: O(n m). */
#include "core/timer.h"
#include "exact/tri_tri_distance.h"
#include "pliant/reference.h"
#include "reference/reference.h"

#include <stdlib.h>
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

static void search(const soup *a, const soup *b, const pl_distance_def *def, pl_distance *out)
{
  double cut = soup_square(def->limit);
  *out = (pl_distance){.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX};
  for (size_t i = 0; i < a->count; ++i)
    for (size_t j = 0; j < b->count; ++j) {
      if (soup_apart(a, i, b, j) > cut) continue;
      if (def->filter && !def->filter(def->user, (pl_pair){(uint32_t)i, (uint32_t)j})) continue;
      closest c;
      tri_tri_distance((const double(*)[3])a->corners[i], (const double(*)[3])b->corners[j], &c);
      ++out->counters.n_p;
      if (c.distance > def->limit) continue;
      if (out->triangle_a != UINT32_MAX && !(c.distance < out->distance)) continue;
      out->distance = c.distance;
      out->triangle_a = (uint32_t)i;
      out->triangle_b = (uint32_t)j;
      memcpy(out->point_a, c.a, sizeof c.a);
      memcpy(out->point_b, c.b, sizeof c.b);
      cut = soup_square(c.distance);
      if (c.distance == 0) return;
    }
}

static void finish(const pl_distance_def *def, double start, pl_distance *out)
{
  out->lower = fmin(out->distance, def->limit);
  out->counters.ms_query = timer_ms() - start;
}

pl_status reference_distance(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out)
{
  double start = timer_ms();
  soup s = {0}, t = {0};
  pl_status status = soup_create(a, &s);
  if (status == PL_OK) status = soup_create(b, &t);
  if (status == PL_OK) {
    search(&s, &t, def, out);
    finish(def, start, out);
  }
  soup_free(a->context, &s);
  soup_free(a->context, &t);
  return status;
}

pl_status pl_reference_distance_sized(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out,
                                      size_t out_size)
{
  return distance_query(&(distance_question){a, b, def, out, out_size}, reference_distance);
}

static pl_status point_distance(pl_body *body, const double point[3], const pl_distance_def *def, pl_distance *out)
{
  double start = timer_ms(), corners[1][3][3], box[3] = {point[0], point[1], point[2]};
  for (int i = 0; i < 9; ++i) corners[0][i / 3][i % 3] = point[i % 3];
  soup s = {.count = 1, .corners = corners}, t = {0};
  for (int k = 0; k < 6; ++k) s.box[k] = &box[k % 3];
  pl_status status = soup_create(body, &t);
  if (status == PL_OK) {
    search(&s, &t, def, out);
    finish(def, start, out);
  }
  soup_free(body->context, &t);
  return status;
}

pl_status pl_reference_distance_point_sized(pl_body *body, const double point[3], const pl_distance_def *def,
                                            pl_distance *out, size_t out_size)
{
  return point_distance_query(&(distance_question){body, NULL, def, out, out_size}, point, point_distance);
}
