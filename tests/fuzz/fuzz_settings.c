// build: src/body/settings.c apps/pliant/common/tree_options.c apps/pliant/common/options.c apps/pliant/common/output.c
// apps/pliant/common/ranks.c apps/pliant/common/shard*.c extras/io/*.c -Isrc -Iinclude -Iapps/pliant
// build/test/src/libpliant_inside.a -lm -lpthread
/* libFuzzer's entry for settings: the bytes as a text for pl_body_def_parse(), and as a file for
 * --settings. What is accepted must print to a text that reads back to the same; what is refused
 * must leave the definition alone and say why in one line. */
#include "common/tree_options.h"
#include "pliant/pliant.h"
#include "tests/fuzz/stderr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By its text: a struct has gaps. */
static bool same(const pl_body_def *a, const pl_body_def *b)
{
  char x[1024], y[1024];
  return pl_body_def_print(a, x, sizeof x) == pl_body_def_print(b, y, sizeof y) && strcmp(x, y) == 0;
}

static void check_parse(pl_context *context, const char *text)
{
  pl_body_def def = pl_body_def_default(), before = def, back = def;
  if (pl_body_def_parse(context, text, &def) != PL_OK) {
    const char *why = pl_context_message(context);
    require(same(&def, &before), "a refused text has changed something");
    require(*why && !strchr(why, '\n'), "a refusal without its line");
    return;
  }
  char printed[1024];
  require(pl_body_def_print(&def, printed, sizeof printed) < sizeof printed, "a definition longer than promised");
  require(pl_body_def_parse(context, printed, &back) == PL_OK && same(&def, &back),
          "a definition that does not come back");
}

static void check_file(const uint8_t *data, size_t size)
{
  char path[] = "/tmp/pliant-fuzz-XXXXXX", word[] = "--settings", name[] = "collide";
  int file = mkstemp(path);
  require(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0, "no file to be made");
  char *line[] = {name, word, path, NULL};
  tree_options o = tree_options_default();
  listen_to_stderr();
  int code = tree_options_settings(&o, 3, line);
  check_stderr(code == OPTIONS_GO_ON);
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static pl_context *context;
  char *text = malloc(size + 1);
  if (!context) require(pl_context_create(NULL, &context) == PL_OK, "no context");
  memcpy(text, data, size);
  text[size] = '\0';
  check_parse(context, text);
  free(text);
  check_file(data, size);
  return 0;
}
