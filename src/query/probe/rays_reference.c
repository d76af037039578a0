/* What rays hit without a tree: every ray against every triangle, in exact arithmetic. Shares
 * with the engine only the exact test and normal. Cost: O(n m). */
#include "exact/ray_tri.h"
#include "query/probe/rays.h"

#include <stdlib.h>
#include <string.h>

/* The rows so far. */
typedef struct ray_rows {
  const pl_allocator *allocator;
  row_list list;
} ray_rows;

static pl_hit *hit_at(const ray_rows *rows, size_t i) { return (pl_hit *)(void *)rows_at(rows->list, i); }

static bool append_hit(const ray_rows *rows, const pl_hit *hit)
{
  if (!rows_reserve(rows->allocator, rows->list, *rows->list.count + 1)) return false;
  *hit_at(rows, (*rows->list.count)++) = *hit;
  return true;
}

/* Appends one body's hits of a ray; except in mode `all`, the best replaces the row at `first`.
 * false: out of memory. */
static bool hits_of(const ray_question *q, size_t index, const probe_body *b, size_t first, const ray_rows *rows)
{
  const primitives *all = &b->body->tree->prims;
  const bool every = q->def->ray_mode == PL_RAY_MODE_ALL;
  for (size_t i = 0; i < all->triangle_count; ++i) {
    if (prims_hole(all, i)) continue;
    double p[3][3];
    ray_point at;
    for (size_t c = 0; c < 3; ++c) points_world(&b->body->motion.now, all->tri[3 * i + c], p[c]);
    if (!ray_tri_meet(&q->rays[index], (const double(*)[3])p, &at)) continue;
    pl_hit hit = {.t = at.t, .u = at.u, .v = at.v, .triangle = all->tri_id[i], .member = b->member, .body = b->body};
    ray_tri_normal((const double(*)[3])p, hit.normal);
    const bool is_first = *rows->list.count == first;
    if (!every && !is_first && !ray_comes_before(&hit, hit_at(rows, first))) continue;
    if (q->def->hit_filter && !q->def->hit_filter(q->def->user, index, &hit)) continue;
    if (!every && !is_first)
      *hit_at(rows, first) = hit;
    else if (!append_hit(rows, &hit))
      return false;
  }
  return true;
}

static int compare(const void *a, const void *b) { return ray_comes_before(a, b) ? -1 : ray_comes_before(b, a); }

static bool cast(const ray_question *q, const probe_bodies *bodies, const ray_rows *rows, size_t *offsets,
                 pl_counters *counters)
{
  const bool all = q->def->ray_mode == PL_RAY_MODE_ALL;
  for (size_t i = 0; i < q->count; ++i) {
    const size_t first = *rows->list.count;
    if (all) offsets[i] = first;
    for (size_t k = 0; k < bodies->list.count; ++k) {
      counters->n_p += prims_live(&bodies->list.data[k].body->tree->prims);
      if (!hits_of(q, i, &bodies->list.data[k], first, rows)) return false;
    }
    const size_t found = *rows->list.count - first;
    if (all && found > 1) qsort(hit_at(rows, first), found, sizeof(pl_hit), compare);
    if (!all && !found && !append_hit(rows, &RAY_MISSED)) return false;
  }
  if (all) offsets[q->count] = *rows->list.count;
  return true;
}

pl_status rays_reference(const ray_question *q, const probe_bodies *bodies, const pl_result **out)
{
  pl_status status = rays_refuse(q->context, q->rays, q->count);
  if (status != PL_OK) return status;
  result_store *store = q->store;
  const pl_allocator *allocator = &q->context->def.allocator;
  const bool all = q->def->ray_mode == PL_RAY_MODE_ALL;
  const ray_rows rows = {allocator, STORE_ROWS(store, pl_hit)};
  pl_result answer = {.done = q->count};
  const double start = timer_ms();
  store->rows.count = 0;
  if ((all && !rows_reserve(allocator, STORE_MORE(store, size_t), q->count + 1)) ||
      !cast(q, bodies, &rows, (size_t *)(void *)store->more.data, &answer.counters))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for the hits that were found");
  answer.hits = (const pl_hit *)(void *)store->rows.data;
  answer.count = store->rows.count;
  if (all) answer.offsets = (const size_t *)(void *)store->more.data;
  if (q->def->hits) {
    if (q->count) memcpy(q->def->hits, answer.hits, q->count * sizeof(pl_hit));
    answer.hits = q->def->hits;
  }
  answer.counters.ms_query = timer_ms() - start;
  *out = result_publish(store, &answer);
  return PL_OK;
}
