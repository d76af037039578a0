/* Patterns with one %d or %0Nd. The user's text is parsed, never given to printf. */
#include "io/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* PREFIX %0Nd SUFFIX, with %% made % in both. */
typedef struct numbered {
  char *prefix, *suffix;
  int width; /* at least so many digits, zeros in front; 0: as many as it takes */
} numbered;

static void numbered_free(numbered *p)
{
  free(p->prefix);
  free(p->suffix);
}

/* Reads %d or %0Nd at `at`, which is at the %. NULL: it is something else. */
static const char *parse_field(const char *at, int *width)
{
  *width = 0;
  ++at;
  if (*at == 'd') return at + 1;
  if (*at != '0' || !is_digit(at[1])) return NULL;
  int digits = at[1] - '0';
  at += 2;
  if (is_digit(*at)) digits = 10 * digits + (*at++ - '0');
  if (*at != 'd' || digits < 1 || digits > 18) return NULL;
  *width = digits;
  return at + 1;
}

static bool parse_pattern(const char *name, numbered *out, io_error *error)
{
  *out = (numbered){calloc(strlen(name) + 1, 1), calloc(strlen(name) + 1, 1), 0};
  if (!out->prefix || !out->suffix) return io_fail(error, name, 0, "out of memory");
  char *to = out->prefix;
  int fields = 0;
  for (const char *at = name; *at;) {
    if (*at != '%') {
      *to++ = *at++;
    } else if (at[1] == '%') {
      *to++ = '%';
      at += 2;
    } else {
      at = ++fields == 1 ? parse_field(at, &out->width) : NULL;
      if (!at)
        return io_fail(error, name, 0,
                       "no such file; as a pattern it may hold one %%d or %%0Nd (%%04d), and %%%% for a percent sign");
      to = out->suffix;
    }
  }
  return fields == 1 || io_fail(error, name, 0, "no such file");
}

/* NULL: out of memory. */
static char *numbered_path(const numbered *p, unsigned long long number)
{
  size_t size = strlen(p->prefix) + strlen(p->suffix) + 32;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s%0*llu%s", p->prefix, p->width, number, p->suffix);
  return path;
}

/* The number that this entry of the prefix's directory stands for, if it is one of the pattern's; `rest` is the part of
 * the suffix in the same path component. */
static bool entry_number(const numbered *p, const char *entry, const char *base, size_t rest,
                         unsigned long long *number)
{
  size_t n = strlen(base);
  if (strncmp(entry, base, n) != 0) return false;
  entry += n;
  size_t digits = strspn(entry, "0123456789");
  /* 18 digits fit; and the number must be written as the pattern writes it. */
  if (digits == 0 || digits > 18 || digits < (size_t)p->width) return false;
  if (digits > (size_t)p->width && digits > 1 && *entry == '0') return false;
  if (strlen(entry + digits) != rest || strncmp(entry + digits, p->suffix, rest) != 0) return false;
  *number = strtoull(entry, NULL, 10);
  return true;
}

/* The lowest number for which there is a file. Returns 1, or 0: there is none, or below 0: minus what went wrong. */
static int lowest_number(const numbered *p, unsigned long long *lowest)
{
  const char *slash = strrchr(p->prefix, '/');
  const char *base = slash ? slash + 1 : p->prefix;
  char *folder = slash ? strndup(p->prefix, (size_t)(base - p->prefix)) : strdup(".");
  if (!folder) return -ENOMEM;
  DIR *directory = opendir(folder);
  int wrong = directory ? 0 : errno;
  free(folder);
  if (!directory) return wrong == ENOENT || wrong == ENOTDIR ? 0 : -wrong;
  size_t rest = strcspn(p->suffix, "/");
  int found = 0;
  for (const char *entry; found >= 0 && (entry = io_next_entry(directory, &wrong));) {
    unsigned long long number;
    if (!entry_number(p, entry, base, rest, &number) || (found && number >= *lowest)) continue;
    char *path = numbered_path(p, number);
    if (!path)
      found = -ENOMEM;
    else if (io_look(path) != IO_TARGET_OTHER) {
      found = 1;
      *lowest = number;
    }
    free(path);
  }
  closedir(directory);
  return wrong ? -wrong : found;
}

bool io_expand_numbered(const char *name, io_sequence *out, io_error *error)
{
  numbered pattern;
  unsigned long long number = 0;
  bool ok = parse_pattern(name, &pattern, error);
  int found = ok ? lowest_number(&pattern, &number) : 0;
  if (ok && found == 0) ok = io_fail(error, name, 0, "no file is numbered like this pattern");
  if (found < 0) ok = io_fail(error, name, 0, "its folder cannot be listed: %s", strerror(-found));
  while (ok && found > 0) {
    char *path = numbered_path(&pattern, number++);
    if (path && io_look(path) == IO_TARGET_OTHER) {
      free(path);
      break;
    }
    if (io_paths_add(out, path)) continue;
    io_sequence_free(out);
    ok = io_fail(error, name, 0, "out of memory");
  }
  numbered_free(&pattern);
  return ok && io_paths_check(out, error);
}
