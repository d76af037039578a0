/* The writer of a part. stdout goes to a temporary file, which shard_frame() empties: the
 * commands print as they always do, and a part has the size and hash of every frame's lines. */
#include "common/shard.h"

#include "common/command.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/shard_place.h"
#include "common/shard_text.h"
#include "pliant/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct shard_options {
  const char *shard;
  bool no_costs;
} shard_options;

static const option table[] = {
    {.name = "shard",
     .kind = OPTION_TEXT,
     .offset = offsetof(shard_options, shard),
     .value = "I/N|auto",
     .help = "play only part I of N (from 1) and write it for pliant merge; needs --json or --csv and implies "
             "--no-costs; auto: I and N from PLIANT_SHARD, a Slurm array, OpenCue or an MPI rank"},
    {.name = "no-costs",
     .kind = OPTION_FLAG,
     .offset = offsetof(shard_options, no_costs),
     .help = "leave out times and counters (ms_..., n_v, n_p, n_u), which differ from run to run; the rest of --json "
             "and --csv depends on the input alone"},
};

/* One run of the command has one of these; it is what the command line says. */
static struct {
  shard_options options;
  shard_place place;
  int argc;
  char **words;
  FILE *out;     /* the part; NULL: no shard */
  int temporary; /* where stdout goes meanwhile */
  size_t frames; /* so far */
  shard_pair *pairs;
  size_t pair_count, pair_room;
  bool failed; /* out of memory for pairs, or the part could not be written */
  const shard_record *records;
  size_t record_count, record_at;
  bool replays, wants_replay;
  uint64_t replay_key;
} shard;

void shard_remember(int argc, char **argv)
{
  shard.argc = argc;
  shard.words = calloc((size_t)argc + 1, sizeof *shard.words);
  for (int i = 0; shard.words && i < argc; ++i) shard.words[i] = argv[i];
}

option_group shard_group(void) { return (option_group){"Many machines", table, OPTION_COUNT(table), &shard.options}; }

int shard_check(const char *command, bool lines)
{
  if (!shard.options.shard) return OPTIONS_GO_ON;
  char why[SHARD_PLACE_TEXT];
  if (!shard_place_find(shard.options.shard, &shard.place, why)) return options_refuse(command, "%s", why);
  if (!lines)
    return options_refuse(command, "--shard needs --json or --csv: a summary covers the whole run, not a part");
  return OPTIONS_GO_ON;
}

int shard_refuse(const char *command, bool given, const char *name, const char *why)
{
  if (!shard.options.shard || !given) return OPTIONS_GO_ON;
  return options_refuse(command, "--shard and %s do not go together: %s", name, why);
}

bool shard_costs(void) { return !shard.options.no_costs && !shard.options.shard && !ranks_on(); }
bool shard_is_on(void) { return shard.options.shard != NULL; }
bool shard_has_head(void) { return shard.place.index == 0; }
void shard_want_replay(void) { shard.wants_replay = true; }

uint64_t shard_hash(uint64_t hash, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 1099511628211u;
  return hash;
}

/* The size of a folder is the file system's own. */
uint64_t shard_hash_file(uint64_t hash, const char *path)
{
  struct stat about;
  uint64_t size = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
  return shard_hash(shard_hash(hash, path, strlen(path) + 1), &size, sizeof size);
}

/* -------------------------------------------------------------------------------------- head -- */

static bool is_word(const char *word, const char *name)
{
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

/* Words that do not change the result: these may differ from part to part. */
static int skipped_words(const char *word)
{
  if (!is_word(word, "--shard") && !is_word(word, "--threads") && strcmp(word, "-t") != 0) return 0;
  return strchr(word, '=') ? 1 : 2;
}

/* The words that all parts have in common. write: also into the part. */
static uint64_t put_words(uint64_t key, bool write)
{
  bool divided = false;
  for (int i = 1; i < shard.argc; ++i) {
    const char *word = shard.words[i];
    divided = divided || strcmp(word, "--") == 0;
    int skipped = divided ? 0 : skipped_words(word);
    i += skipped ? skipped - 1 : 0;
    if (skipped) continue;
    key = shard_hash(key, word, strlen(word) + 1);
    if (write) shard_put_word(shard.out, word);
  }
  return key;
}

static bool complain(const char *what)
{
  output_complain("--shard: %s", what);
  return false;
}

/* From here on stdout is a file of our own. */
static bool redirect(void)
{
  fflush(stdout);
  int real = dup(1);
  FILE *temporary = tmpfile();
  shard.out = real >= 0 ? fdopen(real, "wb") : NULL;
  if (!shard.out || !temporary) return complain("no temporary file can be created");
  shard.temporary = fileno(temporary); /* stays open until the end */
  return dup2(shard.temporary, 1) >= 0 || complain("stdout cannot be redirected");
}

static void narrow(size_t *begin, size_t *end)
{
  size_t count = *end - *begin, i = shard.place.index, n = shard.place.count;
  size_t share = count / n, rest = count % n; /* the first `rest` shards have one more */
  *begin += i * share + (i < rest ? i : rest);
  *end = *begin + share + (i < rest);
}

bool shard_begin(const char *command, uint64_t key, size_t *begin, size_t *end)
{
  if (shard.replays && key != shard.replay_key) return complain("the files are not those that the parts were made of");
  if (!shard.options.shard || shard.replays) return true;
  size_t whole[2] = {*begin, *end};
  narrow(begin, end);
  if (!redirect()) return false;
  uint64_t words = put_words(shard_hash(SHARD_HASH_BEGIN, pl_version(), strlen(pl_version())), false);
  fprintf(shard.out, "#pliant part %s %zu %zu %016" PRIx64 " %016" PRIx64 " %zu %zu %zu %zu\n", command,
          shard.place.index + 1, shard.place.count, key, words, *begin, *end, whole[0], whole[1]);
  put_words(words, true);
  return fflush(shard.out) == 0 || complain("the part could not be written");
}

/* ------------------------------------------------------------------------------------ frames -- */

void shard_pair_found(size_t a, size_t b, double value, uint64_t look)
{
  if (!shard.out) return;
  if (shard.pair_count == shard.pair_room) {
    size_t room = 2 * shard.pair_room + 64;
    shard_pair *moved = realloc(shard.pairs, room * sizeof *moved);
    shard.failed = shard.failed || !moved;
    if (!moved) return;
    shard.pairs = moved;
    shard.pair_room = room;
  }
  shard.pairs[shard.pair_count++] = (shard_pair){a, b, value, look};
}

void shard_keep(const char *text)
{
  if (!shard.out || !text) return;
  fputs("#pliant kept ", shard.out);
  shard_put_escaped(shard.out, text);
  fputc('\n', shard.out);
}

/* What stdout has got since the last time, with its size and hash. */
static bool hand_on(void)
{
  fflush(stdout);
  off_t size = lseek(shard.temporary, 0, SEEK_CUR);
  char *text = size > 0 ? malloc((size_t)size) : NULL;
  if (size <= 0) return size == 0;
  bool good = text && pread(shard.temporary, text, (size_t)size, 0) == size;
  if (good) {
    fprintf(shard.out, "#pliant text %zu %016" PRIx64 "\n", (size_t)size,
            shard_hash(SHARD_HASH_BEGIN, text, (size_t)size));
    fwrite(text, 1, (size_t)size, shard.out);
  }
  free(text);
  return good && ftruncate(shard.temporary, 0) == 0 && lseek(shard.temporary, 0, SEEK_SET) == 0;
}

bool shard_frame(size_t frame, double value, const double extra[3])
{
  static const double none[3];
  if (!shard.out) return true;
  if (!extra) extra = none;
  shard.failed = !hand_on() || shard.failed;
  for (size_t i = 0; i < shard.pair_count; ++i) {
    const shard_pair *p = &shard.pairs[i];
    fprintf(shard.out, "#pliant pair %zu %zu %a %016" PRIx64 "\n", p->a, p->b, p->value, p->look);
  }
  shard.pair_count = 0;
  fprintf(shard.out, "#pliant frame %zu %a %a %a %a\n", frame, value, extra[0], extra[1], extra[2]);
  ++shard.frames;
  shard.failed = fflush(shard.out) != 0 || shard.failed;
  return !shard.failed || complain("the part could not be written");
}

int shard_end(int code)
{
  if (!shard.out) return code;
  bool good = !shard.failed && hand_on();
  fprintf(shard.out, "#pliant end %d %zu %d\n", code, shard.frames, shard.wants_replay);
  good = fclose(shard.out) == 0 && good;
  shard.out = NULL;
  free(shard.pairs);
  return good ? code : (complain("the part could not be written"), EXIT_ERROR);
}

/* ------------------------------------------------------------------------------------ replay -- */

void shard_replay(const shard_record *records, size_t count, uint64_t key)
{
  shard.replay_key = key;
  shard.records = records;
  shard.record_count = count;
  shard.replays = true;
}

bool shard_replays(void) { return shard.replays; }

bool shard_next(shard_record *out)
{
  if (shard.record_at == shard.record_count) return false;
  *out = shard.records[shard.record_at++];
  return true;
}
