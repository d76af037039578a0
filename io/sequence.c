/* The frames of one mesh: a file, a directory, a pattern with * and ?, or a printf pattern. The user's text is parsed, never
 * given to printf. Order: by the last number in the name (its ending not counted), then naturally by the whole name. */
#include "io/reader.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A run of digits by its value, of any length: leading zeros first away, then the longer is the larger. */
static int compare_runs(const char *a, size_t a_length, const char *b, size_t b_length)
{
  while (a_length && *a == '0') ++a, --a_length;
  while (b_length && *b == '0') ++b, --b_length;
  if (a_length != b_length) return a_length < b_length ? -1 : 1;
  return memcmp(a, b, a_length);
}

static size_t run_length(const char *p)
{
  size_t n = 0;
  while (is_digit(p[n])) ++n;
  return n;
}

static int compare_natural(const char *a, const char *b)
{
  while (*a && *b) {
    if (is_digit(*a) && is_digit(*b)) {
      size_t m = run_length(a), n = run_length(b);
      int order = compare_runs(a, m, b, n);
      if (order) return order;
      a += m;
      b += n;
    } else {
      if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
      ++a;
      ++b;
    }
  }
  return *a ? 1 : *b ? -1 : 0;
}

/* The last run of digits before the ending; an ending of nothing but digits is a number itself ("frame.0001"). */
static const char *last_number(const char *path, size_t *length)
{
  const char *ending = io_ending(path), *end = path + strlen(path);
  if (*ending && ending[strspn(ending, "0123456789")]) end = ending - 1;
  while (end > path && !is_digit(end[-1])) --end;
  const char *first = end;
  while (first > path && is_digit(first[-1])) --first;
  *length = (size_t)(end - first);
  return first;
}

static int compare_paths(const void *left, const void *right)
{
  const char *a = *(char *const *)left, *b = *(char *const *)right;
  size_t m, n;
  const char *x = last_number(a, &m), *y = last_number(b, &n);
  if (!m != !n) return m ? 1 : -1; /* a name without a number comes first */
  int order = compare_runs(x, m, y, n);
  if (!order) order = compare_natural(a, b);
  return order ? order : strcmp(a, b);
}

/* Takes over `path`. */
static bool add_path(io_sequence *s, size_t *room, char *path)
{
  if (!path) return false;
  if (s->count == *room) {
    size_t more = 2 * *room + 16;
    char **moved = realloc(s->paths, more * sizeof *moved);
    if (!moved) {
      free(path);
      return false;
    }
    s->paths = moved;
    *room = more;
  }
  s->paths[s->count++] = path;
  return true;
}

static bool no_memory(io_sequence *s, const char *name, io_error *error)
{
  io_sequence_free(s);
  return io_fail(error, name, 0, "out of memory");
}

static bool is_file(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static char *join(const char *directory, const char *name)
{
  size_t n = strlen(directory), m = strlen(name);
  char *path = malloc(n + m + 2);
  if (!path) return NULL;
  memcpy(path, directory, n);
  if (n && directory[n - 1] != '/') path[n++] = '/';
  memcpy(path + n, name, m + 1);
  return path;
}

/* Our own kinds first: they win a tie. */
static const char *const ENDINGS[] = {"obj", "ply", "off", "stl", "gltf", "glb", "fbx", "dae", "3ds", "blend", "x", "lwo", "ase", "3mf", "x3d"};
enum { ENDING_COUNT = sizeof ENDINGS / sizeof ENDINGS[0] };

static int ending_of(const char *path)
{
  for (int i = 0; i < ENDING_COUNT; ++i)
    if (io_ending_is(path, ENDINGS[i])) return i;
  return -1;
}

/* Keeps the files of the commonest ending. */
static void keep_commonest(io_sequence *s)
{
  size_t counts[ENDING_COUNT] = {0};
  for (size_t i = 0; i < s->count; ++i) ++counts[ending_of(s->paths[i])];
  int best = 0;
  for (int i = 1; i < ENDING_COUNT; ++i)
    if (counts[i] > counts[best]) best = i;
  size_t kept = 0;
  for (size_t i = 0; i < s->count; ++i) {
    if (ending_of(s->paths[i]) == best) s->paths[kept++] = s->paths[i];
    else free(s->paths[i]);
  }
  s->count = kept;
}

static bool open_directory(const char *name, io_sequence *out, io_error *error)
{
  DIR *directory = opendir(name);
  if (!directory) return io_fail(error, name, 0, "cannot be listed: %s", strerror(errno));
  size_t room = 0;
  bool ok = true;
  for (struct dirent *entry; ok && (entry = readdir(directory));) {
    if (entry->d_name[0] == '.' || ending_of(entry->d_name) < 0) continue;
    char *path = join(name, entry->d_name);
    if (path && !is_file(path)) free(path);
    else ok = add_path(out, &room, path);
  }
  closedir(directory);
  if (!ok) return no_memory(out, name, error);
  keep_commonest(out);
  if (out->count) return true;
  io_sequence_free(out);
  return io_fail(error, name, 0, "the directory holds no mesh files (looked for .obj, .ply, .off, .stl and the like)");
}

static bool open_glob(const char *name, io_sequence *out, io_error *error)
{
  glob_t found;
  int status = glob(name, GLOB_NOSORT, NULL, &found);
  if (status == GLOB_NOSPACE) return no_memory(out, name, error);
  size_t room = 0;
  bool ok = true;
  for (size_t i = 0; status == 0 && ok && i < found.gl_pathc; ++i)
    if (is_file(found.gl_pathv[i])) ok = add_path(out, &room, strdup(found.gl_pathv[i]));
  if (status == 0) globfree(&found);
  if (!ok) return no_memory(out, name, error);
  if (out->count) return true;
  io_sequence_free(out);
  return io_fail(error, name, 0, "no file matches this pattern");
}

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
      if (!at) return io_fail(error, name, 0, "no such file; as a pattern it may hold one %%d or %%0Nd (%%04d), and %%%% for a percent sign");
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

/* The number that this entry of the prefix's directory stands for, if it is one of the pattern's; `rest` is the part of the
 * suffix in the same path component. */
static bool entry_number(const numbered *p, const char *entry, const char *base, size_t rest, unsigned long long *number)
{
  size_t n = strlen(base);
  if (strncmp(entry, base, n) != 0) return false;
  entry += n;
  size_t digits = run_length(entry);
  /* 18 digits fit; and the number must be written as the pattern writes it. */
  if (digits == 0 || digits > 18 || digits < (size_t)p->width) return false;
  if (digits > (size_t)p->width && digits > 1 && *entry == '0') return false;
  if (strlen(entry + digits) != rest || strncmp(entry + digits, p->suffix, rest) != 0) return false;
  *number = strtoull(entry, NULL, 10);
  return true;
}

/* The lowest number for which there is a file. 1: found, 0: none, -1: out of memory. */
static int lowest_number(const numbered *p, unsigned long long *lowest)
{
  const char *slash = strrchr(p->prefix, '/');
  const char *base = slash ? slash + 1 : p->prefix;
  char *folder = slash ? strndup(p->prefix, (size_t)(base - p->prefix)) : strdup(".");
  if (!folder) return -1;
  DIR *directory = opendir(folder);
  free(folder);
  if (!directory) return 0;
  size_t rest = strcspn(p->suffix, "/");
  int found = 0;
  for (struct dirent *entry; found >= 0 && (entry = readdir(directory));) {
    unsigned long long number;
    if (!entry_number(p, entry->d_name, base, rest, &number) || (found && number >= *lowest)) continue;
    char *path = numbered_path(p, number);
    if (!path) found = -1;
    else if (is_file(path)) {
      found = 1;
      *lowest = number;
    }
    free(path);
  }
  closedir(directory);
  return found;
}

static bool open_numbered(const char *name, io_sequence *out, io_error *error)
{
  numbered pattern;
  unsigned long long number = 0;
  size_t room = 0;
  bool ok = parse_pattern(name, &pattern, error);
  int found = ok ? lowest_number(&pattern, &number) : 0;
  if (ok && found == 0) ok = io_fail(error, name, 0, "no file is numbered like this pattern");
  if (found < 0) ok = no_memory(out, name, error);
  while (ok && found > 0) {
    char *path = numbered_path(&pattern, number++);
    if (path && !is_file(path)) {
      free(path);
      break;
    }
    if (!add_path(out, &room, path)) ok = no_memory(out, name, error);
  }
  numbered_free(&pattern);
  return ok;
}

static bool open_single(const char *name, io_sequence *out, io_error *error)
{
  size_t room = 0;
  return add_path(out, &room, strdup(name)) || no_memory(out, name, error);
}

bool io_sequence_open(const char *name, io_sequence *out, io_error *error)
{
  *out = (io_sequence){0};
  error->text[0] = '\0';
  struct stat s;
  if (stat(name, &s) == 0) {
    if (!S_ISDIR(s.st_mode)) return open_single(name, out, error);
    if (!open_directory(name, out, error)) return false;
  } else if (strchr(name, '%')) {
    return open_numbered(name, out, error); /* in order already */
  } else if (strpbrk(name, "*?[")) {
    if (!open_glob(name, out, error)) return false;
  } else {
    return io_fail(error, *name ? name : "''", 0, "no such file or directory");
  }
  qsort(out->paths, out->count, sizeof *out->paths, compare_paths);
  return true;
}

void io_sequence_free(io_sequence *sequence)
{
  for (size_t i = 0; i < sequence->count; ++i) free(sequence->paths[i]);
  free(sequence->paths);
  *sequence = (io_sequence){0};
}
