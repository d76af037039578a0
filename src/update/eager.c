/* The eager pass of one body or of many, on all of the context's workers where that is worth it.
 * Work is cut into pieces of some border nodes each; their number does not depend on the number
 * of workers. */
#include "update/choice.h"

enum { PIECE_TRIANGLES = 8192 }; /* border nodes that one piece takes have about so many */

/* Of costs (update_cost()): about 5 us, from which on workers that are awake help; those that
 * sleep are woken from 1 on. */
#define WORTH_SHARING 0.2

typedef struct eager_run {
  update *const *list;
  const uint32_t *first; /* pieces before those of an update */
  size_t count;
} eager_run;

static uint32_t border_step(const update *u)
{
  uint32_t per_node = u->border_count ? u->tree->prims.triangle_count / u->border_count + 1 : 1;
  return per_node >= PIECE_TRIANGLES ? 1 : PIECE_TRIANGLES / per_node;
}

/* Is everything left to the walks? */
static bool is_left_out(const update *u)
{
  return u->choice && (u->choice->mode == MODE_NONE || u->choice->mode == MODE_OWN);
}

static uint32_t piece_count(const update *u)
{
  if (is_left_out(u)) return 0;
  uint32_t step = border_step(u);
  return (u->border_count + step - 1) / step;
}

static void piece_task(void *data, int task, int worker)
{
  (void)worker;
  const eager_run *r = data;
  size_t low = 0, high = r->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (r->first[middle] <= (uint32_t)task)
      low = middle;
    else
      high = middle;
  }
  update *u = r->list[low];
  uint32_t step = border_step(u), begin = ((uint32_t)task - r->first[low]) * step, end = begin + step;
  for (uint32_t i = begin; i < (end < u->border_count ? end : u->border_count); ++i) update_border(u, i);
}

static void above_task(void *data, int task, int worker)
{
  (void)worker;
  const eager_run *r = data;
  update *u = r->list[task];
  if (is_left_out(u))
    u->pending = false;
  else
    update_above(u);
}

/* On this thread. Returns the number of volumes. */
static uint64_t run_alone(update *u)
{
  u->count = 0;
  if (is_left_out(u)) {
    u->pending = false;
    return 0;
  }
  const bool whole = u->choice && u->choice->mode == MODE_WHOLE;
  const source_kind *from = whole ? &source_children : u->source;
  if ((whole || update_is_eager(u)) && from->range) { /* one pass: no border is needed */
    u->count = from->range(u, 0, u->tree->nodes.inner_count);
    u->whole_done = whole;
    if (u->source->eager_done) u->source->eager_done(u);
    u->pending = false;
    return u->count;
  }
  for (uint32_t i = 0; i < u->border_count; ++i) update_border(u, i);
  update_above(u);
  return u->count;
}

pl_status update_eager(pl_context *context, update *const *list, uint32_t *first, size_t count, uint64_t *made)
{
  double cost = 0; /* relative to the cost at which waking other threads pays */
  uint32_t pieces = 0;
  for (size_t i = 0; i < count; ++i)
    if (list[i]->choice) choice_begin(list[i]);
  for (size_t i = 0; context->threads > 1 && i < count; ++i) cost += update_cost(list[i]);
  if (cost <= WORTH_SHARING) {
    for (size_t i = 0; i < count; ++i) *made += run_alone(list[i]);
    return PL_OK;
  }
  for (size_t i = 0; i < count; ++i) {
    first[i] = pieces;
    pieces += piece_count(list[i]);
    list[i]->count = 0;
  }
  first[count] = pieces;
  eager_run r = {list, first, count};
  pl_status status = cost > 1 ? parallel_for(context, true, piece_task, &r, (int)pieces)
                              : parallel_for_awake(context, piece_task, &r, (int)pieces);
  if (status == PL_OK) status = parallel_for(context, cost > 10, above_task, &r, (int)count);
  for (size_t i = 0; status == PL_OK && i < count; ++i) *made += list[i]->count;
  return status;
}

pl_status update_now(update *u, uint64_t *made)
{
  uint32_t first[2];
  return u->pending ? update_eager(u->context, &u, first, 1, made) : PL_OK;
}
