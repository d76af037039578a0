// build: apps/pliant/common/options.c apps/pliant/common/play_options.c apps/pliant/common/tree_options.c
// apps/pliant/common/pair_choice.c apps/pliant/common/inputs.c apps/pliant/common/number_name.c
// apps/pliant/common/frame_range.c apps/pliant/common/frames*.c apps/pliant/common/output.c apps/pliant/common/ranks.c
// apps/pliant/common/shard*.c apps/pliant/common/results_out.c apps/pliant/common/report*.c
// apps/pliant/common/contacts*.c apps/pliant/common/touch_point.c apps/pliant/common/picture*.c
// apps/pliant/common/page.c apps/pliant/common/ticks.c apps/pliant/common/stage*.c apps/pliant/common/interrupts.c
// apps/pliant/common/two_inputs.c apps/pliant/common/world_positions.c apps/pliant/common/progress.c
// extras/io/gltf_weld.c extras/io/gltf_morph.c extras/io/*.c -Isrc -Iinclude -Iapps/pliant
// build/test/src/libpliant_inside.a -lm -lpthread
/* libFuzzer's entry for command lines: the bytes, cut at line ends, are the words of a line of
 * `pliant collide`. A line is refused in one line on stderr, or its values are in their ranges
 * and its files are words of the line. */
#include "common/command.h"
#include "common/play_options.h"
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

static void check_values(const line_options *o, const input_list *inputs)
{
  const tree_options *t = &o->common.tree;
  require(o->limit >= 0 && o->limit <= 1000 && o->word >= 0 && o->word < 3, "a whole number out of range");
  require(isfinite(o->part) && fabs(o->part) <= 1 && (!o->text || *o->text), "a real number out of range");
  require(o->common.threads >= 0 && o->common.threads <= 256 && !(o->common.json && o->common.csv), "a line unchecked");
  require(t->leaf >= 1 && t->leaf <= 8 && t->arity_word >= 0 && t->arity_word < 3 && t->p_max >= 0,
          "a tree out of range");
  require(inputs->count > 0 && inputs->count <= OPTIONS_MOST_VALUES, "a number of inputs out of range");
  for (int i = 0; i < inputs->count; ++i) {
    const input_def *input = &inputs->values[i];
    require(input->count > 0, "an input without files");
    for (int j = 0; j < input->count; ++j) require(input->names[j] != NULL, "a file that is none");
    for (int j = 0; j < 9; ++j) require(isfinite(input->place.m[j / 3][j % 3]), "a place that is none");
  }
}

static void run(int argc, char **argv)
{
  line_options o = {.common = play_options_default()};
  const play_tables own = {.output = output_table,
                           .query = query_table,
                           .output_count = OPTION_COUNT(output_table),
                           .query_count = OPTION_COUNT(query_table),
                           .target = &o};
  input_list inputs;
  listen_to_stderr();
  int code = play_options_parse(&o.common, &text, &own, argc, argv, &inputs);
  check_stderr(code == OPTIONS_GO_ON || code == EXIT_DONE);
  require(code == OPTIONS_GO_ON || code == EXIT_DONE || code == EXIT_ERROR || code == EXIT_USAGE,
          "an unknown exit code");
  if (code != OPTIONS_GO_ON) return;
  check_values(&o, &inputs);
  inputs_free(&inputs);
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
