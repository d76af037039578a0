/* --resume: a log of records. A run that was killed leaves at most one record without its end,
 * which the next run cuts off; records of other files or options are kept and not used. Logs may
 * be put one behind the other, so that several machines can each have one. */
#include "check/check.h"
#include "common/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  FILE *file; /* NULL: none */
  const char *path;
} log_now;

typedef struct keyed {
  uint64_t key;
  check_asset *asset;
} keyed;

static int compare_keys(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static check_asset *asset_of(const keyed *list, size_t count, uint64_t key)
{
  keyed wanted = {key, NULL};
  const keyed *found = count ? bsearch(&wanted, list, count, sizeof *list, compare_keys) : NULL;
  return found ? found->asset : NULL;
}

/* Returns whether the file is a log, or empty: what we would append to, and cut, must be ours. The
 * first record of a run that was killed may have been cut off anywhere. */
static bool is_log(FILE *file)
{
  static const char begin[] = "asset ";
  char found[sizeof begin - 1];
  size_t n = fread(found, 1, sizeof found, file);
  rewind(file);
  return memcmp(found, begin, n) == 0;
}

/* Takes all whole records; returns where the last of them ends. */
static long take_records(FILE *file, const keyed *list, size_t count)
{
  char *line = NULL;
  size_t room = 0;
  long end = 0;
  check_asset *asset = NULL;
  for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
    uint64_t key;
    if (line[n - 1] != '\n') break;
    line[n - 1] = '\0';
    if (sscanf(line, "asset %" SCNx64, &key) == 1) {
      if (asset && !asset->done) check_forget(asset);
      asset = asset_of(list, count, key);
      if (asset && asset->done) asset = NULL; /* a second time; the first one counts */
    }
    bool ends = strcmp(line, "end") == 0;
    if (asset && check_record_take(asset, line) < 0) {
      check_forget(asset);
      asset = NULL;
    }
    if (ends) end = ftell(file);
  }
  if (asset && !asset->done) check_forget(asset);
  free(line);
  return end;
}

bool check_log_open(check_job *job)
{
  const char *path = log_now.path = job->options.resume;
  if (!path) return true;
  size_t count = job->end - job->begin;
  keyed *list = malloc((count + 1) * sizeof *list);
  log_now.file = fopen(path, "a+");
  bool good = list && log_now.file;
  if (!log_now.file)
    output_complain("%s: %s", path, strerror(errno));
  else if (!list)
    output_complain("out of memory");
  if (good) rewind(log_now.file);
  if (good && !is_log(log_now.file)) {
    output_complain("%s: is no log that pliant check --resume has written; name a new file", path);
    good = false;
  }
  if (good) {
    for (size_t i = 0; i < count; ++i) {
      check_asset *a = &job->assets[job->begin + i];
      list[i] = (keyed){check_key(job, a), a};
    }
    if (count) qsort(list, count, sizeof *list, compare_keys);
    long end = take_records(log_now.file, list, count);
    good = fseek(log_now.file, 0, SEEK_END) == 0 && ftruncate(fileno(log_now.file), end) == 0;
    if (!good) output_complain("%s: cannot be written", path);
  }
  free(list);
  return good;
}

bool check_log_add(const check_asset *asset, uint64_t key)
{
  if (!log_now.file) return true;
  check_record_write(log_now.file, asset, key);
  if (fflush(log_now.file) == 0) return true;
  output_complain("%s: could not be written: %s", log_now.path, strerror(errno));
  return false;
}

bool check_log_close(void)
{
  if (!log_now.file) return true;
  bool good = fclose(log_now.file) == 0;
  log_now.file = NULL;
  if (!good) output_complain("%s: could not be written", log_now.path);
  return good;
}
