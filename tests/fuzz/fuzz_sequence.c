// build: extras/io/*.c -lm
/* libFuzzer's entry for numbered sequences: the bytes as the name of a sequence (a file, a
 * folder, a pattern of * ? [...], or one of %d), in a folder with files, a folder, and a link
 * that leads nowhere. What is opened must be files that are there, each once; what is refused
 * must leave nothing behind and say why in one line. */
#include "io/io.h"
#include "tests/fuzz/stderr.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/pliant-fuzz-XXXXXX";
static const char *const names[] = {"a.obj",       "f1.obj",      "f2.obj",          "f10.obj",    "f007.obj",
                                    "f008.obj",    "x9f.ply",     "%d.off",          "[b].obj",    "sub/s_1.stl",
                                    "sub/s_2.stl", "sub/s_4.stl", "sub/.hidden.stl", "late/n3.obj"};
enum { NAMES = sizeof names / sizeof names[0] };

static int before; /* the current folder of the fuzzer's own */

static void take_away(void)
{
  if (chdir(folder) != 0) return;
  for (int i = 0; i < NAMES; ++i) unlink(names[i]);
  unlink("late/n4.obj");
  rmdir("sub");
  rmdir("late");
  rmdir(folder);
}

static void set_up(void)
{
  before = open(".", O_RDONLY);
  require(before >= 0 && mkdtemp(folder) && chdir(folder) == 0, "no folder to be made");
  require(mkdir("sub", 0700) == 0 && mkdir("late", 0700) == 0, "no folder to be made");
  for (int i = 0; i < NAMES; ++i) {
    FILE *file = fopen(names[i], "w");
    require(file && fclose(file) == 0, "no file to be made");
  }
  require(symlink("nowhere", "late/n4.obj") == 0, "no link to be made");
  atexit(take_away);
}

static void check_paths(const io_sequence *s)
{
  struct stat about;
  require(s->count > 0, "a sequence of nothing");
  for (size_t i = 0; i < s->count; ++i) {
    /* other folders change while we look */
    if (s->paths[i][0] == '/' || strstr(s->paths[i], "..")) continue;
    require(stat(s->paths[i], &about) == 0, "a frame that is not there");
    require(s->count == 1 || S_ISREG(about.st_mode), "a frame that is no file");
    for (size_t j = 0; j < i; ++j) require(strcmp(s->paths[i], s->paths[j]) != 0, "a frame twice");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool ready;
  char name[257];
  if (size >= sizeof name || memchr(data, '\0', size)) return 0;
  memcpy(name, data, size);
  name[size] = '\0';
  /* the rest of the machine is no business of ours */
  if (name[0] == '/' || strstr(name, "..")) return 0;
  if (!ready) set_up();
  ready = true;
  require(chdir(folder) == 0, "the folder is gone");
  io_sequence s;
  io_error error = {""};
  if (io_sequence_open(name, &s, &error))
    check_paths(&s);
  else
    require(!s.paths && !s.count && *error.text && !strchr(error.text, '\n'), "a refusal without its line");
  io_sequence_free(&s);
  require(fchdir(before) == 0, "no way back");
  return 0;
}
