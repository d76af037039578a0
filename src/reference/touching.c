/* Touching triangles without a tree: every triangle of one body against every triangle of the other, boxes first, then the exact test.
 * Shares with the engine only the exact triangle test and the list of triangles. Cost: O(n m). */
#include "exact/tri_tri.h"
#include "reference/reference.h"

#include <string.h>

pl_status soup_create(pl_body *body, soup *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  size_t n = body->tree->prims.triangle_count;
  memset(out, 0, sizeof *out);
  out->count = n;
  out->corners = mem_raw(allocator, n, sizeof *out->corners);
  for (int k = 0; k < 6; ++k) out->box[k] = mem_raw(allocator, n, sizeof *out->box[k]);
  bool all = out->corners != NULL;
  for (int k = 0; k < 6; ++k) all = all && out->box[k];
  if (!all) {
    soup_free(body->context, out);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for %zu triangles", n);
  }
  for (size_t i = 0; i < n; ++i) {
    uint32_t id = body->tree->prims.tri_id[i];
    for (int c = 0; c < 3; ++c)
      points_world(&body->motion.now, body->tree->prims.tri[3 * i + (size_t)c], out->corners[id][c]);
    for (int k = 0; k < 3; ++k) {
      double x = out->corners[id][0][k], y = out->corners[id][1][k], z = out->corners[id][2][k];
      out->box[k][id] = fmin(x, fmin(y, z));
      out->box[k + 3][id] = fmax(x, fmax(y, z));
    }
  }
  return PL_OK;
}

void soup_free(pl_context *context, soup *s)
{
  mem_free(&context->def.allocator, s->corners);
  for (int k = 0; k < 6; ++k) mem_free(&context->def.allocator, s->box[k]);
  memset(s, 0, sizeof *s);
}

bool reference_append(pl_context *context, row_list out, const void *row)
{
  if (rows_append(&context->def.allocator, out, row, 1)) return true;
  fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
  return false;
}

/* Appends the pairs of triangle i of a. Returns false if out of memory. */
static bool pairs_of(pl_context *context, const soup *a, size_t i, const soup *b, const reference_wish *wish,
                     row_list out, pl_counters *counters)
{
  for (size_t j = 0; j < b->count; ++j) {
    if (soup_boxes_apart(a, i, b, j)) continue;
    pl_pair pair = {(uint32_t)i, (uint32_t)j};
    if (wish->filter && !wish->filter(wish->user, pair)) continue;
    ++counters->n_p;
    if (!tri_tri_touch((const double(*)[3])a->corners[i], (const double(*)[3])b->corners[j])) continue;
    if (!reference_append(context, out, &pair)) return false;
    if (wish->first) return true;
  }
  return true;
}

pl_status reference_pairs(pl_body *a, pl_body *b, const reference_wish *wish, row_list out, pl_counters *counters)
{
  soup s = {0}, t = {0};
  const size_t begin = *out.count;
  pl_status status = soup_create(a, &s);
  if (status == PL_OK) status = soup_create(b, &t);
  bool memory = true;
  for (size_t i = 0; status == PL_OK && memory && i < s.count && !(wish->first && *out.count > begin); ++i)
    memory = pairs_of(a->context, &s, i, &t, wish, out, counters);
  soup_free(a->context, &s);
  soup_free(a->context, &t);
  return memory ? status : PL_ERROR_MEMORY;
}
