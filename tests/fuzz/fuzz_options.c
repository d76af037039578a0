// build: apps/pliant/options.c apps/pliant/play_options.c apps/pliant/tree_options.c apps/pliant/sides.c apps/pliant/frames.c apps/pliant/output.c io/*.c -Isrc -Iinclude -Iapps/pliant build/test/src/libpliant_inside.a -lm -lpthread
/* libFuzzer's entry for command lines: the bytes, cut at line ends, are the words of a line of `pliant collide`. A line is refused
 * in one line on stderr, or its values are in their ranges and its files are words of the line. */
#include "command.h"
#include "play_options.h"
#include "tests/fuzz/stderr.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct line_options {
  play_options common;
  int limit, word;
  double part;
  bool flag;
  const char *text;
} line_options;

static const char *const words[] = {"one", "two", "other", NULL};
static const option output_table[] = {
    {.name = "json", .kind = OPTION_FLAG, .offset = offsetof(line_options, common.json), .help = "a"},
    {.name = "csv", .kind = OPTION_FLAG, .offset = offsetof(line_options, common.csv), .help = "b"},
    {.name = "limit",
     .kind = OPTION_WHOLE,
     .offset = offsetof(line_options, limit),
     .value = "N",
     .high = 1000,
     .help = "c"},
    {.name = "flag", .kind = OPTION_FLAG, .offset = offsetof(line_options, flag), .help = "d"},
};
static const option query_table[] = {
    {.name = "part",
     .kind = OPTION_REAL,
     .offset = offsetof(line_options, part),
     .value = "X",
     .low = -1,
     .high = 1,
     .help = "e"},
    {.name = "word", .kind = OPTION_WORD, .offset = offsetof(line_options, word), .words = words, .help = "f"},
    {.name = "text", .kind = OPTION_TEXT, .offset = offsetof(line_options, text), .value = "T", .help = "g"},
};
static const command_text text = {.name = "fuzz", .usage = "pliant fuzz", .about = "words", .examples = "  none\n"};

static void check_values(const line_options *o, const arguments *files)
{
  const tree_options *t = &o->common.tree;
  require(o->limit >= 0 && o->limit <= 1000 && o->word >= 0 && o->word < 3, "a whole number out of range");
  require(isfinite(o->part) && fabs(o->part) <= 1 && (!o->text || *o->text), "a real number out of range");
  require(o->common.threads >= 0 && o->common.threads <= 256 && !(o->common.json && o->common.csv), "a line unchecked");
  require(t->leaf >= 1 && t->leaf <= 8 && t->arity_word >= 0 && t->arity_word < 3 && t->p_max >= 0,
          "a tree out of range");
  require(files->divider <= files->count && files->count >= 0, "a divider out of range");
  for (int i = 0; i < files->count; ++i) require(files->values[i] != NULL, "a file that is none");
}

static void run(int argc, char **argv)
{
  line_options o = {.common = play_options_default()};
  const play_tables own = {.output = output_table,
                           .query = query_table,
                           .output_count = OPTION_COUNT(output_table),
                           .query_count = OPTION_COUNT(query_table),
                           .target = &o};
  arguments files;
  play_source source;
  listen_to_stderr();
  int code = play_options_parse(&o.common, &text, &own, argc, argv, &files);
  bool parsed = code == OPTIONS_GO_ON;
  if (parsed) code = play_options_source(&o.common, "fuzz", &files, &source);
  check_stderr(code == OPTIONS_GO_ON || code == EXIT_DONE);
  require(code == OPTIONS_GO_ON || code == EXIT_DONE || code == EXIT_ERROR || code == EXIT_USAGE,
          "an unknown exit code");
  if (parsed) check_values(&o, &files);
  if (code == OPTIONS_GO_ON && !source.scene)
    require(source.lists.count[0] > 0 && source.lists.count[1] > 0, "a side without files");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { MOST_WORDS = 64 };
  static bool quiet;
  if (!quiet) quiet = freopen("/dev/null", "w", stdout) != NULL; /* --help */
  if (size > 2000 || memchr(data, '\0', size)) return 0;         /* no line holds a zero */
  char line[2001], *argv[MOST_WORDS + 2], name[] = "fuzz";
  int argc = 0;
  memcpy(line, data, size);
  line[size] = '\0';
  argv[argc++] = name;
  for (char *at = line; at && argc <= MOST_WORDS;) {
    argv[argc++] = at;
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
  }
  argv[argc] = NULL;
  run(argc, argv);
  return 0;
}
