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

/* The number that this entry of the prefix's directory stands for, if it is one of the
 * pattern's; `rest` is the part of the suffix in the same path component. */
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

/* Numbers that have a file, and how a file is numbered whose number is written in another way. */
typedef struct found_numbers {
  unsigned long long *values;
  size_t count;
  int other_width; /* digits of one with zeros in front, or without; -1: none was seen */
} found_numbers;

static bool add_number(found_numbers *f, unsigned long long number)
{
  if ((f->count & (f->count - 1)) == 0) {
    unsigned long long *moved = realloc(f->values, (f->count ? 2 * f->count : 1) * sizeof *moved);
    if (!moved) return false;
    f->values = moved;
  }
  f->values[f->count++] = number;
  return true;
}

static int compare_values(const void *a, const void *b)
{
  unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
  return (x > y) - (x < y);
}

/* Would the entry fit if its number were written as the pattern writes it? */
static void look_at_width(const numbered *p, const char *entry, const char *base, size_t rest, found_numbers *f)
{
  size_t n = strlen(base), digits;
  if (strncmp(entry, base, n) != 0) return;
  digits = strspn(entry + n, "0123456789");
  if (digits == 0 || digits > 18 || strlen(entry + n + digits) != rest) return;
  if (strncmp(entry + n + digits, p->suffix, rest) == 0) f->other_width = entry[n] == '0' ? (int)digits : 0;
}

/* 0, or what went wrong. */
static int find_numbers(const numbered *p, found_numbers *f)
{
  const char *slash = strrchr(p->prefix, '/');
  const char *base = slash ? slash + 1 : p->prefix;
  char *folder = slash ? strndup(p->prefix, (size_t)(base - p->prefix)) : strdup(".");
  if (!folder) return ENOMEM;
  DIR *directory = opendir(folder);
  int wrong = directory ? 0 : errno;
  free(folder);
  if (!directory) return wrong == ENOENT || wrong == ENOTDIR ? 0 : wrong;
  size_t rest = strcspn(p->suffix, "/");
  bool memory = true;
  for (const char *entry; memory && (entry = io_next_entry(directory, &wrong));) {
    unsigned long long number;
    if (!entry_number(p, entry, base, rest, &number)) {
      look_at_width(p, entry, base, rest, f);
      continue;
    }
    char *path = numbered_path(p, number);
    memory = path && (io_look(path) == IO_TARGET_OTHER || add_number(f, number));
    free(path);
  }
  closedir(directory);
  if (f->count) qsort(f->values, f->count, sizeof *f->values, compare_values);
  return memory ? wrong : ENOMEM;
}

static bool fail_none(const numbered *p, const char *name, const found_numbers *f, io_error *error)
{
  if (f->other_width < 0) return io_fail(error, name, 0, "no file is numbered like this pattern");
  char width[32] = "";
  if (f->other_width > 0) snprintf(width, sizeof width, "0%d", f->other_width);
  return io_fail(error, name, 0, "no file is numbered like this pattern; did you mean %s%%%sd%s?", p->prefix, width,
                 p->suffix);
}

bool io_expand_numbered(const char *name, io_gaps gaps, io_sequence *out, io_error *error)
{
  numbered pattern;
  found_numbers found = {.other_width = -1};
  bool ok = parse_pattern(name, &pattern, error);
  int wrong = ok ? find_numbers(&pattern, &found) : 0;
  if (wrong == ENOMEM)
    ok = io_fail(error, name, 0, "out of memory");
  else if (wrong)
    ok = io_fail(error, name, 0, "its folder cannot be listed: %s", strerror(wrong));
  else if (ok && found.count == 0)
    ok = fail_none(&pattern, name, &found, error);
  for (size_t i = 0; ok && i < found.count; ++i) {
    if (i > 0 && gaps == IO_GAPS_STOP && found.values[i] != found.values[i - 1] + 1) break;
    if (io_paths_add(out, numbered_path(&pattern, found.values[i]))) continue;
    io_sequence_free(out);
    ok = io_fail(error, name, 0, "out of memory");
  }
  free(found.values);
  numbered_free(&pattern);
  return ok && io_paths_check(out, error);
}
