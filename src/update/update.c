/* What strategies share: the border, and running the eager pass. */
#include "update/repair.h"

#include <string.h>

/* The nodes of the border's level, and those above, last first. */
static pl_status list_border(update *u, int level)
{
  const tree *t = u->tree;
  const pl_allocator *allocator = &u->context->def.allocator;
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) {
    u->border_count += t->nodes.level[i] == level;
    u->above_count += t->nodes.level[i] < level;
  }
  u->border = mem_raw(allocator, u->border_count, sizeof *u->border);
  u->above = mem_raw(allocator, u->above_count, sizeof *u->above);
  if (!u->border || !u->above) return PL_ERROR_MEMORY;
  uint32_t border = 0, above = 0;
  for (uint32_t i = t->nodes.inner_count; i-- > 0;) {
    if (t->nodes.level[i] == level) u->border[border++] = i;
    if (t->nodes.level[i] < level) u->above[above++] = i;
  }
  return PL_OK;
}

pl_status update_open(update *u, const motion *m, const pl_body_def *def)
{
  pl_context *context = u->context;
  tree *t = u->tree;
  u->points = &m->now;
  u->controls = m->controls;
  u->kernels = kernels_of(context->isa);
  u->lanes = m->kind->lanes_ready ? u->kernels->pairs->lanes[m->name] : NULL;
  u->pending = true;
  t->tight = u->source->tight;
  pl_status status = list_border(u, u->schedule->border_level(u, def));
  if (status == PL_OK && u->source->state_size) {
    u->state = mem_new(&context->def.allocator, 1, u->source->state_size);
    if (!u->state) status = PL_ERROR_MEMORY;
  }
  t->bytes += ((size_t)u->border_count + u->above_count) * sizeof(uint32_t) + sizeof *u + u->source->state_size;
  if (status != PL_OK) fail(context, status, "no memory for the upper levels of a tree");
  if (status == PL_OK && u->source->create) status = u->source->create(u, def);
  if (status != PL_OK) update_free(u);
  return status;
}

pl_status update_create(pl_context *context, update *u, tree *t, const motion *m, const pl_body_def *def)
{
  const strategy_row *row = strategy_row_of(def->strategy);
  memset(u, 0, sizeof *u);
  *u = (update){.context = context,
                .tree = t,
                .schedule = row->schedule,
                .source = row->source,
                .shape = shape_kind_of(def->volume),
                .lazy_levels = def->lazy_levels};
  return update_open(u, m, def);
}

void update_free(update *u)
{
  if (!u->context) return;
  const pl_allocator *allocator = &u->context->def.allocator;
  if (u->state && u->source->destroy) u->source->destroy(u);
  mem_free(allocator, u->state);
  repair_destroy(u);
  mem_free(allocator, u->border);
  mem_free(allocator, u->above);
  memset(u, 0, sizeof *u);
}

void update_invalidate(update *u)
{
  if (u->source->moved) u->source->moved(u);
  tree_next_frame(u->tree);
  u->pending = true;
  u->whole_done = false;
  u->rays = 0;
  u->count = 0;
  if (u->source->begin) u->source->begin(u);
}

void update_border(update *u, uint32_t index)
{
  atomic_fetch_add_explicit(&u->count, u->schedule->piece(u, index), memory_order_relaxed);
}

void update_above(update *u)
{
  uint64_t made = 0;
  for (uint32_t i = 0; i < u->above_count; ++i) made += u->schedule->above(u, u->above[i]);
  if (u->source->eager_done) u->source->eager_done(u);
  u->pending = false;
  u->count += made;
}
