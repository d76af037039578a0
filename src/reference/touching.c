/* Touching triangles without a tree: every triangle of one body against every triangle of the
 * other, boxes first, then the exact test. Shares with the engine only the exact triangle test
 * and the list of triangles. Cost: O(n m). */
#include "exact/tri_tri.h"
#include "reference/reference.h"

#include <string.h>

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
