/* Words come from the library's own lists, defaults from pl_body_def_default(): neither is written twice. */
#include "tree_options.h"

#include <stdio.h>

#define WORD(name, word) word,
static const char *const builder_words[] = {PL_BUILDER_LIST(WORD) NULL};
static const char *const cut_words[] = {PL_CUT_LIST(WORD) NULL};
static const char *const strategy_words[] = {PL_STRATEGY_LIST(WORD) NULL};
static const char *const volume_words[] = {PL_VOLUME_LIST(WORD) NULL};
#undef WORD
static const char *const arity_words[] = {"2", "4", "8", NULL};

static const option table[] = {
    {.name = "strategy",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, strategy),
     .words = strategy_words,
     .help = "which bounding volumes are brought up to date when: all of them before the query (bottom-up), only "
             "those that the query opens (top-down), the upper levels before and the rest on demand (hybrid), or as "
             "the baseline of van den Bergen does (bergen); auto lets pliant choose"},
    {.name = "builder",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, builder),
     .words = builder_words,
     .help = "the tree follows the first shape (split) or the connectivity of the mesh (partition)"},
    {.name = "volume",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, volume),
     .words = volume_words,
     .help = "what bounds the nodes of a tree: boxes along the axes, or spheres, k-DOPs, oriented boxes or swept "
             "rectangles beside them"},
    {.name = "cut",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, cut),
     .words = cut_words,
     .help = "where --builder split cuts a box"},
    {.name = "arity",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, arity_word),
     .words = arity_words,
     .help = "children per node"},
    {.name = "leaf",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tree_options, leaf),
     .value = "N",
     .low = 1,
     .high = 8,
     .help = "most triangles per leaf, 1 to 8"},
    {.name = "eager",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tree_options, eager),
     .value = "N",
     .low = -1,
     .high = 64,
     .help = "hybrid: levels below the root refreshed before a query; -1 is half of the depth"},
    {.name = "lazy",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tree_options, lazy),
     .value = "N",
     .low = 1,
     .high = 64,
     .help = "hybrid, top-down: levels refreshed at once where a query arrives"},
};

tree_options tree_options_default(void)
{
  pl_body_def def = pl_body_def_default();
  return (tree_options){.strategy = (int)def.strategy,
                        .builder = (int)def.builder,
                        .volume = (int)def.volume,
                        .cut = (int)def.cut,
                        .arity_word = def.arity == 2   ? 0
                                      : def.arity == 4 ? 1
                                                       : 2,
                        .leaf = def.leaf_size,
                        .eager = def.eager_levels,
                        .lazy = def.lazy_levels};
}

option_group tree_options_group(tree_options *target)
{
  return (option_group){"Tree", table, sizeof table / sizeof table[0], target};
}

pl_body_def tree_options_def(const tree_options *o)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = (pl_strategy)o->strategy;
  def.builder = (pl_builder)o->builder;
  def.volume = (pl_volume)o->volume;
  def.cut = (pl_cut)o->cut;
  def.arity = 2 << o->arity_word;
  def.leaf_size = o->leaf;
  def.eager_levels = o->eager;
  def.lazy_levels = o->lazy;
  return def;
}

const char *tree_options_text(const pl_body_def *def, char text[TREE_TEXT])
{
  bool split = def->builder == PL_BUILDER_SPLIT;
  snprintf(text, TREE_TEXT, "%s%s%s, up to %d children per node, up to %d triangle%s per leaf, %s",
           pl_builder_text(def->builder), split ? " at the " : "", split ? pl_cut_text(def->cut) : "", def->arity,
           def->leaf_size, def->leaf_size == 1 ? "" : "s", pl_volume_text(def->volume));
  return text;
}
