/* Windows of time without trees: every triangle against every other, box by box in plain C. Shares with the engine the boxes of single vertices. Cost: O(n m). */
#include "query/time/windows.h"

#include <math.h>

static void box_of(const windows_side *side, uint32_t triangle, float box[WINDOW_FLOATS])
{
  const uint32_t *v = side->body->tree->prims.tri + 3 * (size_t)triangle;
  for (int i = 0; i < WINDOW_FLOATS; ++i) {
    box[i] = side->reach.data[WINDOW_FLOATS * (size_t)v[0] + (size_t)i];
    for (int c = 1; c < 3; ++c) box[i] = fmaxf(box[i], side->reach.data[WINDOW_FLOATS * (size_t)v[c] + (size_t)i]);
  }
}

/* The part of the way before which two boxes are apart; false: they are apart all the time. */
static bool window_of(const float a[WINDOW_FLOATS], const float b[WINDOW_FLOATS], float *from)
{
  static const int column[3][2] = {{0, 1}, {2, 4}, {5, 6}}; /* of each axis: at the start, at the end */
  float to = 1;
  *from = 0;
  for (int i = 0; i < 6; ++i) {
    const int *p = column[i % 3], x = i < 3 ? 0 : 8, y = 8 - x;
    const float start = a[x + p[0]] + b[y + p[0]], end = a[x + p[1]] + b[y + p[1]];
    if (start < 0 && end < 0) return false;
    const float t = 1 / (1 - end / start);
    if (start < 0) *from = fmaxf(*from, t * (1 - 0x1p-20f));
    if (end < 0) to = fminf(to, t * (1 + 0x1p-20f) + 1e-30f);
  }
  return *from <= to;
}

static bool test_all(pl_context *context, windows_scratch *q, double from)
{
  const primitives *a = &q->side[0].body->tree->prims, *b = &q->side[1].body->tree->prims;
  for (uint32_t i = 0; i < a->triangle_count; ++i) {
    float box[WINDOW_FLOATS], other[WINDOW_FLOATS], start;
    box_of(&q->side[0], i, box);
    if (!array_reserve(&context->def.allocator, &q->found, q->found.count + b->triangle_count)) return false;
    for (uint32_t k = 0; k < b->triangle_count; ++k) {
      box_of(&q->side[1], k, other);
      if (window_of(box, other, &start))
        q->found.data[q->found.count++] = (windows_found){windows_parameter(from, start), a->tri_id[i], b->tri_id[k]};
    }
    q->n_p += b->triangle_count;
  }
  return true;
}

pl_status pl_reference_flight_windows(pl_body *a, pl_body *b, const pl_windows_def *def, const pl_windows **out)
{
  call c;
  pl_windows_def full;
  pl_status status = windows_begin(a, b, def, out, &full, &c);
  if (status != PL_OK) return status;
  windows_scratch *q = windows_scratch_of(a, b);
  const double from = windows_plans(a)->s;
  status = q ? windows_reach(a->context, q, from) : PL_ERROR_MEMORY;
  if (status == PL_OK && !test_all(a->context, q, from))
    status = fail(a->context, PL_ERROR_MEMORY, "no memory for pairs of boxes");
  if (status == PL_OK) status = windows_publish(a->context, q, &full, out);
  call_query_end(&c);
  return status;
}
