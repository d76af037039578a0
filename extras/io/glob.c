/* Patterns with *, ? and [...], component by component: fnmatch against the entries of a folder.
 * Not glob(3): glibc's (2.36) frees twice when it runs out of memory. A pattern never crosses a
 * slash, a leading dot must be matched by a dot, and `.` and `..` are matched by no pattern. */
#include "io/paths.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool is_special(const char *component) { return strpbrk(component, "*?[") != NULL; }

/* 0, or what went wrong. `done` is the part of the path that is settled, "" at the start; `rest`
 * what is to be matched. */
static int expand(const char *done, const char *rest, io_sequence *out);

/* `name` is one component that matched; slashes after it are kept as they are. */
static int descend(const char *done, const char *name, const char *slashes, size_t slash_count, const char *rest,
                   io_sequence *out)
{
  size_t n = strlen(done), m = strlen(name);
  char *path = malloc(n + m + slash_count + 1);
  if (!path) return ENOMEM;
  memcpy(path, done, n);
  memcpy(path + n, name, m);
  memcpy(path + n + m, slashes, slash_count);
  path[n + m + slash_count] = '\0';
  if (*rest) {
    int wrong = expand(path, rest, out);
    free(path);
    return wrong;
  }
  if (io_look(path) != IO_TARGET_OTHER) return io_paths_add(out, path) ? 0 : ENOMEM;
  free(path);
  return 0;
}

static int match_entries(const char *done, const char *component, const char *slashes, size_t slash_count,
                         const char *rest, io_sequence *out)
{
  DIR *directory = opendir(*done ? done : ".");
  /* A folder that is not there or may not be read holds nothing for us; a machine in trouble is
   * another matter. */
  if (!directory) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
  int wrong = 0, end = 0;
  for (const char *entry; !wrong && (entry = io_next_entry(directory, &end));) {
    /* nobody means the folder above by .* */
    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0) continue;
    int match = fnmatch(component, entry, FNM_PERIOD);
    if (match == 0)
      wrong = descend(done, entry, slashes, slash_count, rest, out);
    else if (match != FNM_NOMATCH)
      wrong = ENOMEM;
  }
  closedir(directory);
  return wrong ? wrong : end;
}

static int expand(const char *done, const char *rest, io_sequence *out)
{
  size_t length = strcspn(rest, "/"), slash_count = strspn(rest + length, "/");
  char *component = strndup(rest, length);
  if (!component) return ENOMEM;
  const char *slashes = rest + length, *next = slashes + slash_count;
  int wrong = is_special(component) ? match_entries(done, component, slashes, slash_count, next, out)
                                    : descend(done, component, slashes, slash_count, next, out);
  free(component);
  return wrong;
}

bool io_expand_glob(const char *pattern, io_sequence *out, io_error *error)
{
  int wrong = expand("", pattern, out);
  if (!wrong && out->count) return true;
  io_sequence_free(out);
  if (wrong == ENOMEM) return io_fail(error, pattern, 0, "out of memory");
  if (wrong) return io_fail(error, pattern, 0, "its folder cannot be listed: %s", strerror(wrong));
  return io_fail(error, pattern, 0, "no file matches this pattern");
}
