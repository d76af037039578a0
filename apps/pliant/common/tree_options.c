/* Words come from the library's own lists, defaults from pl_body_def_default(): neither is
 * written twice. */
#include "common/tree_options.h"

#include "common/command.h"
#include "common/output.h"
#include "io/reader.h"
#include "pliant/pliant.h"

#include <stdio.h>
#include <string.h>

static const char *const arity_words[] = {"2", "4", "8", NULL};

static const option table[] = {
    {.name = "strategy",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, strategy),
     .kind_of = PL_WORDS_STRATEGY,
     .omit =
         /* of motions that files do not have; auto gives them where they fit; and a baseline of
          * lab/ */
     "blend governed match kinetic boxtree bergen",
     .help = "which bounding volumes are refitted when: all of them before the query (bottom-up), only "
             "those that the query opens (top-down), or the upper levels before and the rest on demand (hybrid); auto "
             "chooses by the motion"},
    {.name = "builder",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, builder),
     .kind_of = PL_WORDS_BUILDER,
     .help = "the tree follows the first shape (split) or the connectivity of the mesh, from the whole down "
             "(partition) or from "
             "the triangles up (matching)"},
    {.name = "volume",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, volume),
     .kind_of = PL_WORDS_VOLUME,
     .help = "bounding volumes of the tree: axis-aligned boxes alone, or also spheres, k-DOPs, oriented boxes or swept "
             "rectangles"},
    {.name = "cut",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, cut),
     .kind_of = PL_WORDS_CUT,
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
     .help = "hybrid: levels below the root refitted before a query; -1: those of at most about sqrt(leaves) volumes"},
    {.name = "lazy",
     .kind = OPTION_WHOLE,
     .offset = offsetof(tree_options, lazy),
     .value = "N",
     .low = 1,
     .high = 64,
     .help = "hybrid, top-down: levels refitted at once on demand"},
    {.name = "criterion",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, criterion),
     .kind_of = PL_WORDS_CRITERION,
     .help =
         "inflate: which volumes are refitted instead of only grown: those that have grown too much (a), that the last "
         "query entered (b), whose children it found farther away than they seemed (c), or a combination of these"},
    {.name = "p-max",
     .kind = OPTION_REAL,
     .offset = offsetof(tree_options, p_max),
     .value = "X",
     .low = 0,
     .high = 1e9,
     .help = "inflate, test a: the growth, as a fraction of the volume's size, that is too much"},
    {.name = "k",
     .kind = OPTION_REAL,
     .offset = offsetof(tree_options, k),
     .value = "X",
     .low = 0,
     .high = 1,
     .help = "inflate, test c: the fraction of the growth by which the children are farther away"},
    {.name = "gamma",
     .kind = OPTION_REAL,
     .offset = offsetof(tree_options, gamma),
     .value = "X",
     .low = 0,
     .high = 1e9,
     .help = "inflate, test c: the growth, as a fraction of the volume's size, above which the volume is refitted"},
    {.name = "growth",
     .kind = OPTION_WORD,
     .offset = offsetof(tree_options, growth),
     .kind_of = PL_WORDS_GROWTH,
     .help = "inflate: volumes that are not refitted move with their vertices and grow by the remaining displacement "
             "(follow), or stay in place and grow by the whole displacement (stand)"},
    {.name = "settings",
     .kind = OPTION_TEXT,
     .offset = offsetof(tree_options, settings),
     .value = "FILE",
     .help = "read all options of this group from a file that pliant tune has saved; options on the command line win"},
};

static tree_options options_of(const pl_body_def *def)
{
  return (tree_options){.strategy = (int)def->strategy,
                        .builder = (int)def->builder,
                        .volume = (int)def->volume,
                        .cut = (int)def->cut,
                        .arity_word = def->arity == 2   ? 0
                                      : def->arity == 4 ? 1
                                                        : 2,
                        .leaf = def->leaf_size,
                        .eager = def->eager_levels,
                        .lazy = def->lazy_levels,
                        .criterion = (int)def->inflate.criterion,
                        .p_max = def->inflate.p_max,
                        .k = def->inflate.k,
                        .gamma = def->inflate.gamma,
                        .growth = (int)def->inflate.growth};
}

tree_options tree_options_default(void)
{
  pl_body_def def = pl_body_def_default();
  return options_of(&def);
}

/* The file that the line names; NULL: none. */
static const char *settings_file(int argc, char **argv)
{
  const char *path = NULL;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    if (strcmp(argv[i], "--settings") == 0 && i + 1 < argc)
      path = argv[++i];
    else if (strncmp(argv[i], "--settings=", 11) == 0)
      path = argv[i] + 11;
  }
  return path;
}

/* The whole of a small text file; a regular one, as a pipe could keep us waiting. */
static bool read_text(const char *path, char *text, size_t size)
{
  io_source file;
  io_error error;
  if (!io_file_load(path, &file, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  bool ok = file.size < size && !memchr(file.data, '\0', file.size);
  if (ok) {
    memcpy(text, file.data, file.size);
    text[file.size] = '\0';
  } else {
    output_complain("%s: not a file of settings", path);
  }
  io_file_unload(&file);
  return ok;
}

int tree_options_settings(tree_options *o, int argc, char **argv)
{
  const char *path = settings_file(argc, argv);
  char text[8192];
  if (!path) return OPTIONS_GO_ON;
  if (!read_text(path, text, sizeof text)) return EXIT_ERROR;
  pl_context *context;
  if (pl_context_create(NULL, &context) != PL_OK) return output_complain("out of memory");
  pl_body_def def = tree_options_def(o);
  int code = OPTIONS_GO_ON;
  if (pl_body_def_parse(context, text, &def) != PL_OK)
    code = output_complain("%s: %s", path, pl_context_message(context));
  else
    *o = options_of(&def);
  pl_context_destroy(context);
  return code;
}

option_group tree_options_group(tree_options *target)
{
  return (option_group){"Tree", table, OPTION_COUNT(table), target};
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
  def.inflate = (pl_inflate_def){(pl_criterion)o->criterion, o->p_max, o->k, o->gamma, (pl_growth)o->growth};
  return def;
}

const char *tree_options_text(const pl_body_def *def, char text[TREE_TEXT])
{
  bool split = def->builder == PL_BUILDER_SPLIT;
  snprintf(text, TREE_TEXT, "%s%s%s, up to %d children per node, up to %d triangle%s per leaf, %s",
           pl_word(PL_WORDS_BUILDER, def->builder), split ? " at the " : "",
           split ? pl_word(PL_WORDS_CUT, def->cut) : "", def->arity, def->leaf_size, def->leaf_size == 1 ? "" : "s",
           pl_word(PL_WORDS_VOLUME, def->volume));
  return text;
}
