/* What strategies share: the border, and running the part before the queries. */
#include "update/update.h"

#include <string.h>

bool update_from_vertices(pl_strategy strategy, pl_volume volume)
{
  const shape_kind *kind = shape_kind_of(volume);
  return (kind && !kind->merge) || strategy == PL_STRATEGY_TOP_DOWN || strategy == PL_STRATEGY_HYBRID ||
         strategy == PL_STRATEGY_INFLATE;
}

/* How far down volumes are made before the queries: as long as a level has no more of them than the square root of twice the number of
 * leaves. That is the middle of an even tree (Larsson 2003, paper C, eq. 7.5) and stays so where a few leaves lie deep.
 * Model: reading V vertices in runs takes 0.3 ns each, whatever the level; a box takes 30 ns; a box that is left to the queries 1 ns
 * for each of its vertices. So a level of m boxes pays if the part f of it that queries open has f V > 30 m: with a quarter opened,
 * m < V / 120, which is near that root for the 10^4 to 10^5 triangles where it matters. The factor of two was set by measuring:
 * without it larsson-c1 has a level less, an update twice as fast and rays that take 3 to 8 % longer in all. */
static int middle_level(const tree *t)
{
  uint32_t count[TREE_MOST_DEPTH + 2] = {0};
  for (uint32_t i = 0; i < t->inner_count; ++i) count[t->level[i] + 1] += t->children[i];
  int level = 0;
  while (level < t->depth && (uint64_t)count[level + 1] * count[level + 1] <= 2 * (uint64_t)t->leaf_count) ++level;
  return level;
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
                    : eager < 0                                                       ? middle_level(t)
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
  pl_status status = strategy == PL_STRATEGY_INFLATE ? inflation_create(context, u, &def->inflate) : PL_OK;
  if (status != PL_OK) update_free(context, u);
  return status;
}

void update_free(pl_context *context, update *u)
{
  if (u->t) inflation_free(context, u->t);
  mem_free(&context->def.allocator, u->border);
  mem_free(&context->def.allocator, u->above);
  mem_free(&context->def.allocator, u->run_first);
  mem_free(&context->def.allocator, u->runs);
  memset(u, 0, sizeof *u);
}

void update_invalidate(update *u)
{
  if (u->t->inflation) inflate_moved(u);
  tree_next_frame(u->t);
  u->pending = true;
  u->all_made = false;
  u->rays = 0;
}

uint64_t update_border(update *u, uint32_t index)
{
  uint32_t node = u->border[index];
  if (u->t->inflation) return inflate_range(u, node, u->t->end[node]);
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
    if (u->t->inflation) {
      made += inflate_range(u, u->above[i], u->above[i] + 1);
      continue;
    }
    shapes_refit(u->t, u->shape, u->p, u->above[i], u->above[i] + 1);
    made += u->k->refit(u->t, u->p, u->above[i], u->above[i] + 1);
  }
  u->pending = false;
  if (u->t->inflation) u->t->inflation->all = false;
  return made;
}

uint64_t update_run(update *u)
{
  if (!u->pending) return 0;
  if (u->t->inflation) {
    uint64_t made = inflate_range(u, 0, u->t->inner_count);
    u->pending = u->t->inflation->all = false;
    return made;
  }
  if (update_is_eager(u)) {
    u->pending = false;
    shapes_refit(u->t, u->shape, u->p, 0, u->t->inner_count);
    return u->k->refit(u->t, u->p, 0, u->t->inner_count);
  }
  uint64_t made = 0;
  for (uint32_t i = 0; i < u->border_count; ++i) made += update_border(u, i);
  return made + update_above(u);
}
