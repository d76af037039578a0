/* The table of strategies, and which of them a body may have. A row is `const strategy_row
 * pl_inside_strategy_NAME` for each line of STRATEGY_LIST. */
#include "update/update.h"

#include "core/kinds.h"

/* `auto` is not a strategy: update_check() replaces it. */
const strategy_row pl_inside_strategy_AUTO = {0};
const strategy_row pl_inside_strategy_BOTTOM_UP = {&schedule_all, &source_children, MOTION_STORED | MOTION_FIXED,
                                                   false};
const strategy_row pl_inside_strategy_TOP_DOWN = {&schedule_none, &source_vertices, 0, false};
const strategy_row pl_inside_strategy_HYBRID = {&schedule_middle, &source_vertices, MOTION_STORED | MOTION_ANY_WAY,
                                                false};
const strategy_row pl_inside_strategy_INFLATE = {&schedule_unfit, &source_growth, 0, false};
const strategy_row pl_inside_strategy_BLEND = {&schedule_none, &source_references, MOTION_SUMS, false};
const strategy_row pl_inside_strategy_GOVERNED = {&schedule_none, &source_governed, MOTION_GOVERNED, false};
const strategy_row pl_inside_strategy_MATCH = {&schedule_none, &source_match, MOTION_MATCHED, false};
const strategy_row pl_inside_strategy_KINETIC = {&schedule_events, &source_realizers, 0, false};
const strategy_row pl_inside_strategy_BOXTREE = {&schedule_events, &source_planes, 0, false};

#define STRATEGY_ROW(name, word) extern const strategy_row pl_inside_strategy_##name;
STRATEGY_LIST(STRATEGY_ROW)
#undef STRATEGY_ROW

const strategy_row *strategy_row_of(pl_strategy strategy)
{
  static const strategy_row *const rows[] = {
#define STRATEGY_ROW(name, word) [PL_STRATEGY_##name] = &pl_inside_strategy_##name,
      STRATEGY_LIST(STRATEGY_ROW)
#undef STRATEGY_ROW
  };
  return rows[strategy];
}

static pl_strategy choose(unsigned traits)
{
  for (int i = 1; i < PL_STRATEGY_COUNT; ++i) {
    unsigned suits = strategy_row_of((pl_strategy)i)->suits;
    if (suits && (suits & ~traits) == 0) return (pl_strategy)i;
  }
  return PL_STRATEGY_AUTO;
}

/* Motions that may store their positions can be updated as if these were set one by one. */
static unsigned all_traits(unsigned traits)
{
  return traits & MOTION_MAY_STORE ? traits | MOTION_STORED | MOTION_ANY_WAY : traits;
}

bool update_reads_stored(pl_strategy strategy)
{
  const source_kind *from = strategy_row_of(strategy)->source;
  return from && from->reads & MOTION_STORED;
}

pl_status update_check(pl_context *context, pl_motion name, pl_body_def *def)
{
  unsigned traits = motion_kind_of(name)->traits, all = all_traits(traits);
  if (def->strategy == PL_STRATEGY_AUTO) def->strategy = choose(traits);
  if (def->strategy == PL_STRATEGY_AUTO) def->strategy = choose(all);
  const source_kind *from = strategy_row_of(def->strategy)->source;
  if (!from || (from->reads & ~all))
    return fail(context, PL_ERROR_UNSUPPORTED, "a %s body cannot be updated by %s: use auto",
                pl_word(PL_WORDS_MOTION, name), pl_word(PL_WORDS_STRATEGY, def->strategy));
  const shape_kind *shape = shape_kind_of(def->volume);
  if (def->volume != PL_VOLUME_AABB && !shape)
    return fail(context, PL_ERROR_UNSUPPORTED, "volume kind %s is not supported in this build",
                pl_word(PL_WORDS_VOLUME, def->volume));
  if (from->grows && shape && !shape->grow)
    return fail(context, PL_ERROR_UNSUPPORTED, "volume kind %s cannot be inflated",
                pl_word(PL_WORDS_VOLUME, def->volume));
  return PL_OK;
}
