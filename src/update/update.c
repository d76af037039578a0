/* What strategies share: the border, and running the part before the queries. */
#include "update/update.h"

#include <string.h>

bool update_from_vertices(pl_strategy strategy, pl_volume volume)
{
  const shape_kind *kind = shape_kind_of(volume);
  return (kind && !kind->merge) || strategy == PL_STRATEGY_TOP_DOWN || strategy == PL_STRATEGY_HYBRID;
}

/* The level of the border's nodes; -1: there is none. */
static int border_level(const update *u)
{
  if (update_is_eager(u)) return u->t->depth / 2;
  return u->eager_levels - 1;
}

pl_status update_create(pl_context *context, update *u, tree *t, const points *p, const pl_body_def *def)
{
  memset(u, 0, sizeof *u);
  *u = (update){.t = t,
                .p = p,
                .k = kernels_of(context->isa),
                .strategy = def->strategy,
                .shape = shape_kind_of(def->volume),
                .lazy_levels = def->lazy_levels,
                .pending = true};
  int eager = def->eager_levels;
  pl_strategy strategy = def->strategy;
  u->eager_levels = strategy == PL_STRATEGY_TOP_DOWN || strategy == PL_STRATEGY_BLEND ? 0
                    : eager < 0                                                       ? t->depth / 2
                    : eager < t->depth                                                ? eager
                                                                                      : t->depth;
  int level = border_level(u);
  for (uint32_t i = 0; i < t->inner_count; ++i) {
    u->border_count += t->level[i] == level;
    u->above_count += t->level[i] < level;
  }
  u->border = mem_raw(&context->def.allocator, u->border_count, sizeof *u->border);
  u->above = mem_raw(&context->def.allocator, u->above_count, sizeof *u->above);
  if (!u->border || !u->above) {
    update_free(context, u);
    return fail(context, PL_ERROR_MEMORY, "no memory for the upper levels of a tree");
  }
  uint32_t border = 0, above = 0;
  for (uint32_t i = t->inner_count; i-- > 0;) {
    if (t->level[i] == level) u->border[border++] = i;
    if (t->level[i] < level) u->above[above++] = i;
  }
  t->bytes += ((size_t)border + above) * sizeof(uint32_t) + sizeof *u;
  if (!update_is_eager(u) && border) {
    pl_status status = update_make_runs(context, u);
    if (status != PL_OK) {
      update_free(context, u);
      return status;
    }
  }
  return PL_OK;
}

void update_free(pl_context *context, update *u)
{
  mem_free(&context->def.allocator, u->border);
  mem_free(&context->def.allocator, u->above);
  mem_free(&context->def.allocator, u->run_first);
  mem_free(&context->def.allocator, u->runs);
  memset(u, 0, sizeof *u);
}

void update_invalidate(update *u)
{
  tree_next_frame(u->t);
  u->pending = true;
}

uint64_t update_border(update *u, uint32_t index)
{
  uint32_t node = u->border[index];
  if (update_is_eager(u)) {
    shapes_refit(u->t, u->shape, u->p, node, u->t->end[node]);
    return u->k->refit(u->t, u->p, node, u->t->end[node]);
  }
  uint64_t made =
      u->run_first ? u->k->refresh_runs(u->t, u->p, node, u->run_first + (size_t)index * (size_t)u->t->width, u->runs)
                   : u->k->refresh(u->t, u->p, node);
  shapes_fit(u->t, u->shape, u->p, node, node + 1);
  atomic_store_explicit(&u->t->stamp[node], u->t->frame, memory_order_release);
  return made;
}

uint64_t update_above(update *u)
{
  uint64_t made = 0;
  for (uint32_t i = 0; i < u->above_count; ++i) {
    shapes_refit(u->t, u->shape, u->p, u->above[i], u->above[i] + 1);
    made += u->k->refit(u->t, u->p, u->above[i], u->above[i] + 1);
  }
  u->pending = false;
  return made;
}

uint64_t update_run(update *u)
{
  if (!u->pending) return 0;
  if (update_is_eager(u)) {
    u->pending = false;
    shapes_refit(u->t, u->shape, u->p, 0, u->t->inner_count);
    return u->k->refit(u->t, u->p, 0, u->t->inner_count);
  }
  uint64_t made = 0;
  for (uint32_t i = 0; i < u->border_count; ++i) made += update_border(u, i);
  return made + update_above(u);
}
