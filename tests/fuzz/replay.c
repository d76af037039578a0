/* The fuzz targets without libFuzzer: every file of the folders named, and so many changes of
 * each, the same in every run.
 *   fuzz_io --changes 50 FOLDER...
 * Whatever a target does not like ends the program. */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 };

typedef struct input {
  uint8_t bytes[MOST];
  size_t size;
} input;

static uint64_t random_state = 1;
static size_t inputs_given;

static size_t pick(size_t count)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(random_state >> 33) % count;
}

/* From memory of just its size, so that a byte read behind its end is seen. */
static void give(const input *in)
{
  uint8_t *exact = malloc(in->size ? in->size : 1);
  if (!exact) abort();
  memcpy(exact, in->bytes, in->size);
  LLVMFuzzerTestOneInput(exact, in->size);
  free(exact);
  ++inputs_given;
}

static void change(input *in)
{
  static const char *const pieces[] = {"-1", "1e999", "nan", "4294967296", "\n", " ", "0", "[", "\"", "/", "%d", "--"};
  for (size_t rounds = 1 + pick(4); rounds > 0 && in->size > 0; --rounds) {
    size_t at = pick(in->size);
    switch (pick(5)) {
    case 0:
      in->bytes[at] ^= (uint8_t)(1u << pick(8));
      break;
    case 1:
      in->bytes[at] = (uint8_t)pick(256);
      break;
    case 2:
      in->size = at;
      break;
    case 3: { /* a piece of it stands somewhere else too */
      size_t to = pick(in->size), longest = in->size - (at > to ? at : to);
      memmove(in->bytes + to, in->bytes + at, pick(longest + 1));
      break;
    }
    default: {
      const char *piece = pieces[pick(sizeof pieces / sizeof pieces[0])];
      for (size_t i = 0; piece[i] && at + i < in->size; ++i) in->bytes[at + i] = (uint8_t)piece[i];
    }
    }
  }
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void give_file(const char *folder, const char *name, size_t changes)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return;
  static input in, changed;
  in.size = fread(in.bytes, 1, MOST, file);
  fclose(file);
  give(&in);
  for (size_t i = 0; i < changes; ++i) {
    changed = in;
    change(&changed);
    give(&changed);
  }
}

/* In the order of names: a folder has none. */
static bool give_folder(const char *folder, size_t changes)
{
  enum { MOST_FILES = 2000 };
  static char *names[MOST_FILES];
  size_t count = 0;
  DIR *listed = opendir(folder);
  if (!listed) return false;
  for (struct dirent *entry; (entry = readdir(listed)) && count < MOST_FILES;)
    if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name))) ++count;
  closedir(listed);
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 0; i < count; ++i) {
    give_file(folder, names[i], changes);
    free(names[i]);
  }
  return count > 0;
}

int main(int argc, char **argv)
{
  size_t changes = 0;
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--changes") == 0 && i + 1 < argc) {
      changes = (size_t)strtoul(argv[++i], NULL, 10);
    } else if (!give_folder(argv[i], changes)) {
      fprintf(stderr, "replay: %s holds no inputs\n", argv[i]);
      return 1;
    }
  fprintf(stderr, "%zu inputs\n", inputs_given);
  return inputs_given > 0 ? 0 : 1;
}
