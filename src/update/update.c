/* What strategies share: the border, and running the eager pass. */
#include "update/choice.h"
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

/* The border of the upper levels, for a schedule that has none. */
static bool add_border(update *u, const pl_body_def *def)
{
  const pl_allocator *allocator = &u->context->def.allocator;
  update other = {.context = u->context, .tree = u->tree};
  const bool memory = list_border(&other, schedule_middle.border_level(&other, def)) == PL_OK;
  mem_free(allocator, memory ? u->border : other.border);
  mem_free(allocator, memory ? u->above : other.above);
  if (!memory) return false;
  u->border = other.border;
  u->border_count = other.border_count;
  u->above = other.above;
  u->above_count = other.above_count;
  u->eager_levels = other.eager_levels;
  u->tree->bytes += ((size_t)u->border_count + u->above_count) * sizeof(uint32_t);
  return true;
}

bool update_choose(update *u, const motion *m, const pl_body_def *def)
{
  if (!choice_suits(def)) return true;
  if (!choice_open(u)) return false;
  const bool listed = u->schedule->border_level(u, def) >= 0 || add_border(u, def);
  if (listed)
    choice_begin_with(u, m);
  else
    choice_free(u);
  return listed;
}

void update_free(update *u)
{
  if (!u->context) return;
  const pl_allocator *allocator = &u->context->def.allocator;
  if (u->choice) u->source = u->choice->source; /* whose state it is */
  if (u->state && u->source->destroy) u->source->destroy(u);
  mem_free(allocator, u->state);
  repair_destroy(u);
  choice_free(u);
  mem_free(allocator, u->border);
  mem_free(allocator, u->above);
  memset(u, 0, sizeof *u);
}

const source_kind *update_source_of(const update *u) { return u->choice ? u->choice->source : u->source; }

void update_invalidate(update *u)
{
  if (u->choice) choice_end(u);
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
  const uint32_t node = u->border[index];
  const bool whole = u->choice && u->choice->mode == MODE_WHOLE;
  const uint64_t made = whole ? source_children.range(u, node, u->tree->nodes.end[node]) : u->schedule->piece(u, index);
  atomic_fetch_add_explicit(&u->count, made, memory_order_relaxed);
}

void update_expect(update *u, size_t count)
{
  if (!u->choice || !count) return;
  atomic_fetch_add_explicit(&u->choice->points, count, memory_order_relaxed);
}

void update_asked(update *u, asked_kind kind)
{
  if (u->choice) u->choice->kind = kind;
}

void update_above(update *u)
{
  uint64_t made = 0;
  const bool whole = u->choice && u->choice->mode == MODE_WHOLE;
  for (uint32_t i = 0; i < u->above_count; ++i)
    made += whole ? source_children.range(u, u->above[i], u->above[i] + 1) : u->schedule->above(u, u->above[i]);
  if (whole) u->whole_done = true;
  if (u->source->eager_done) u->source->eager_done(u);
  u->pending = false;
  u->count += made;
}
