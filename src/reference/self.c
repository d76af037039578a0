/* Touching triangles of one body without a tree: every triangle against every later one, boxes
 * first, then the exact test. Shares with the engine only the exact tests and the list of
 * triangles. Cost: O(n^2). */
#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "reference/reference.h"

typedef struct checker {
  const reference_wish *wish;
  soup all;
  surroundings around; /* from 2 rings on */
} checker;

static bool is_pair(const checker *c, size_t i, size_t j)
{
  const uint32_t *a = c->all.vertex + 3 * i, *b = c->all.vertex + 3 * j;
  const double(*p)[3] = (const double(*)[3])c->all.corners[i], (*q)[3] = (const double(*)[3])c->all.corners[j];
  return rings_equal(a, b) ? tri_tri_beyond(p, a, q, b) : tri_tri_touch(p, q);
}

/* Returns whether too few edges join the triangles. */
static bool is_left_out(const checker *c, size_t i, size_t j)
{
  bool close[3][3];
  if (c->wish->rings > 1) return surroundings_have(&c->around, j, close);
  return c->wish->rings == 1 && rings_equal(c->all.vertex + 3 * i, c->all.vertex + 3 * j);
}

/* Appends the pairs of triangle i and later ones. Returns false if out of memory. */
static bool pairs_of(pl_context *context, const checker *c, size_t i, row_list out, pl_counters *counters)
{
  const reference_wish *wish = c->wish;
  for (size_t j = i + 1; j < c->all.count; ++j) {
    if (soup_boxes_apart(&c->all, i, &c->all, j)) continue;
    pl_pair pair = {(uint32_t)i, (uint32_t)j};
    if (is_left_out(c, i, j)) continue;
    if (wish->filter && !wish->filter(wish->user, pair)) continue;
    ++counters->n_p;
    if (!is_pair(c, i, j)) continue;
    if (!reference_append(context, out, &pair)) return false;
    if (wish->first) return true;
  }
  return true;
}

pl_status reference_self(pl_body *body, const reference_wish *wish, row_list out, pl_counters *counters)
{
  pl_context *context = body->context;
  const size_t begin = *out.count;
  checker c = {.wish = wish};
  pl_status status = soup_create(body, &c.all);
  if (status == PL_OK && wish->rings > 1) status = surroundings_create(body, &c.all, wish->rings, &c.around);
  for (size_t i = 0; status == PL_OK && i < c.all.count && !(wish->first && *out.count > begin); ++i) {
    if (wish->rings > 1) surroundings_of(&c.around, i);
    if (!pairs_of(context, &c, i, out, counters)) status = PL_ERROR_MEMORY;
  }
  surroundings_free(context, &c.around);
  soup_free(context, &c.all);
  return status;
}
