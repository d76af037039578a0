#include "bounds/shape.h"

#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>

enum { BUILDER, CUT, ARITY, LEAF, STRATEGY, VOLUME, SCALAR, SIMD, THREADS, BORROW, EAGER, LAZY };

static const char *const simds[] = {SIMD_WORDS};
static const int eager_levels[] = {-1, 0, 1, 2, 4};
enum { SIMDS = sizeof simds / sizeof *simds, EAGERS = sizeof eager_levels / sizeof *eager_levels };

static bool simd_is_here(const char *simd)
{
  pl_context *context = context_of(simd);
  pl_context_destroy(context);
  return context != NULL;
}

static bool leaf_is_wanted(const settings_wish *wish, int arity, int leaf)
{
  int step = arity == 8 ? wish->leaf_step_8 : wish->leaf_step;
  return step == 0 || (leaf - 1) % step == 0;
}

/* Which kinds go together: cuts are for `split`, not all volumes inflate, and not every machine
 * has every instruction set. */
static bool goes_together(const void *user, int a, int x, int b, int y)
{
  if (a == b && a == SIMD) return simd_is_here(simds[x]);
  if (a == b && a == VOLUME) return x == PL_VOLUME_AABB || shape_kind_of((pl_volume)x);
  if (a == BUILDER && b == CUT) return x == PL_BUILDER_SPLIT || y == 0;
  if (a == ARITY && b == LEAF) return leaf_is_wanted(user, 2 << x, 1 + y);
  if (a == STRATEGY && b == VOLUME && x + 1 == PL_STRATEGY_INFLATE) {
    const shape_kind *shape = shape_kind_of((pl_volume)y);
    return !shape || shape->grow;
  }
  return true;
}

void settings_open(product *p, const settings_wish *wish)
{
  const uint32_t tree = 1u << BUILDER | 1u << CUT | 1u << ARITY | 1u << LEAF | 1u << STRATEGY;
  const uint32_t shape = 1u << STRATEGY | 1u << VOLUME | 1u << ARITY, both = wish->both ? 1u << SCALAR : 0;
  *p = (product){.supported = goes_together, .user = wish};
  product_axis(p, "builder", PL_BUILDER_COUNT);
  product_axis(p, "cut", PL_CUT_COUNT);
  product_axis(p, "arity", 3); /* 2, 4, 8 */
  product_axis(p, "leaf", 8);  /* 1 .. 8 */
  product_axis(p, "strategy", FREE_STRATEGIES - 1);
  product_axis(p, "volume", PL_VOLUME_COUNT);
  product_axis(p, "scalar", 2);
  product_axis(p, "simd", SIMDS);
  product_axis(p, "threads", 3); /* 1, 2, 4 */
  product_axis(p, "borrow", 2);
  product_axis(p, "eager levels", EAGERS);
  product_axis(p, "lazy levels", 3);
  if (wish->each_shape) product_group(p, shape | both);
  if (wish->each_tree) product_group(p, tree | both);
  product_make(p);
}

setting setting_of(const product *p, size_t row)
{
  const int8_t *k = p->rows[row].kind;
  setting s = {.body = pl_body_def_default(), .context = pl_context_def_default(), .doubles = k[SCALAR]};
  s.body.builder = (pl_builder)k[BUILDER];
  s.body.cut = (pl_cut)k[CUT];
  s.body.arity = 2 << k[ARITY];
  s.body.leaf_size = 1 + k[LEAF];
  s.body.strategy = (pl_strategy)(1 + k[STRATEGY]);
  s.body.volume = (pl_volume)k[VOLUME];
  s.body.borrow = k[BORROW];
  s.body.eager_levels = eager_levels[k[EAGER]];
  s.body.lazy_levels = 1 + k[LAZY];
  s.context.threads = 1 << k[THREADS];
  s.context.simd = simds[k[SIMD]];
  s.structure = ((k[BUILDER] * PL_CUT_COUNT + k[CUT]) * 3 + k[ARITY]) * 8 + k[LEAF];
  return s;
}

void settings_close(product *p)
{
  product_assert_seen(p);
  product_free(p);
}

const char *setting_text(const setting *s, char text[SETTING_TEXT])
{
  const pl_body_def *d = &s->body;
  snprintf(text, SETTING_TEXT, "%s/%s arity %d leaf %d %s %s %s %s, %d threads", pl_word(PL_WORDS_BUILDER, d->builder),
           pl_word(PL_WORDS_CUT, d->cut), d->arity, d->leaf_size, pl_word(PL_WORDS_STRATEGY, d->strategy),
           pl_word(PL_WORDS_VOLUME, d->volume), s->context.simd, s->doubles ? "double" : "float", s->context.threads);
  return text;
}
