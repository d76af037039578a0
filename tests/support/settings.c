#include "support/settings.h"

#include <stdio.h>

static const char *const simds[] = {"scalar", "sse2", "avx2"};

/* Like the digits of a number: the first part that can still grow does, and those before it begin again. */
static bool grow(setting *s)
{
  pl_body_def *d = &s->body;
  int cuts = d->builder == PL_BUILDER_SPLIT ? PL_CUT_COUNT : 1;
  if ((int)d->strategy + 1 < FREE_STRATEGIES) return d->strategy = (pl_strategy)(d->strategy + 1), true;
  d->strategy = (pl_strategy)1;
  d->leaf_size += d->arity == 8 ? s->leaf_step_8 : s->leaf_step;
  if (d->leaf_size <= 8) return true;
  d->leaf_size = 1;
  if ((d->arity *= 2) <= 8) return true;
  d->arity = 2;
  if ((int)d->cut + 1 < cuts) return d->cut = (pl_cut)(d->cut + 1), true;
  d->cut = (pl_cut)0;
  d->builder = (pl_builder)(d->builder + 1);
  return (int)d->builder < PL_BUILDER_COUNT;
}

bool setting_next(setting *s)
{
  if (!s->begun) {
    s->begun = true;
    s->number = 0;
    s->body = pl_body_def_default();
    s->body.builder = (pl_builder)0;
    s->body.cut = (pl_cut)0;
    s->body.arity = 2;
    s->body.leaf_size = 1;
    s->body.strategy = (pl_strategy)1;
  } else {
    if (!grow(s)) return false;
    ++s->number;
  }
  int n = s->number;
  s->body.borrow = n % 2;
  s->body.eager_levels = n % 7 == 3 ? n % 5 : -1;
  s->body.lazy_levels = 1 + n % 3;
  s->context = pl_context_def_default();
  s->context.threads = 1 << n % 3;
  s->context.simd = n % 4 < 3 ? simds[n % 3] : NULL;
  return true;
}

bool setting_new_tree(const setting *s) { return s->body.strategy == (pl_strategy)1; }

const char *setting_text(const setting *s, bool doubles, char text[SETTING_TEXT])
{
  const pl_body_def *d = &s->body;
  snprintf(text, SETTING_TEXT, "%s/%s arity %d leaf %d %s %s %s %s", pl_builder_text(d->builder), pl_cut_text(d->cut),
           d->arity, d->leaf_size, pl_strategy_text(d->strategy), pl_volume_text(d->volume),
           s->context.simd ? s->context.simd : "best", doubles ? "double" : "float");
  return text;
}
