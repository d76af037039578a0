/* The frames of one mesh: a file, a directory, a pattern with * and ?, or a printf pattern.
 * Order: by the last number in the file's name (its ending not counted), then naturally by the
 * whole path. */
#include "io/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A run of digits by its value, of any length: leading zeros first away, then the longer is the
 * larger. */
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

/* The last run of digits before the ending; an ending of nothing but digits is a number itself
 * ("frame.0001"). The folders are left out: "run5/start.obj" has no number. */
const char *io_last_number(const char *path, size_t *length)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *ending = io_ending(path), *end = path + strlen(path);
  if (*ending && ending[strspn(ending, "0123456789")]) end = ending - 1;
  while (end > name && !is_digit(end[-1])) --end;
  const char *first = end;
  while (first > name && is_digit(first[-1])) --first;
  *length = (size_t)(end - first);
  return first;
}

static int compare_paths(const void *left, const void *right)
{
  const char *a = *(char *const *)left, *b = *(char *const *)right;
  size_t m, n;
  const char *x = io_last_number(a, &m), *y = io_last_number(b, &n);
  if (!m != !n) return m ? 1 : -1; /* a name without a number comes first */
  int order = compare_runs(x, m, y, n);
  if (!order) order = compare_natural(a, b);
  return order ? order : strcmp(a, b);
}

/* Room for the next power of two: 0, 1, 2, 4, ... are full. */
bool io_paths_add(io_sequence *list, char *path)
{
  if (!path) return false;
  if ((list->count & (list->count - 1)) == 0) {
    char **moved = realloc(list->paths, (list->count ? 2 * list->count : 1) * sizeof *moved);
    if (!moved) {
      free(path);
      return false;
    }
    list->paths = moved;
  }
  list->paths[list->count++] = path;
  return true;
}

static bool no_memory(io_sequence *s, const char *name, io_error *error)
{
  io_sequence_free(s);
  return io_fail(error, name, 0, "out of memory");
}

io_target io_look(const char *path)
{
  struct stat s;
  if (stat(path, &s) == 0) return S_ISREG(s.st_mode) ? IO_TARGET_FILE : IO_TARGET_OTHER;
  return lstat(path, &s) == 0 && S_ISLNK(s.st_mode) ? IO_TARGET_NOWHERE : IO_TARGET_OTHER;
}

bool io_paths_check(io_sequence *list, io_error *error)
{
  for (size_t i = 0; i < list->count; ++i) {
    if (io_look(list->paths[i]) != IO_TARGET_NOWHERE) continue;
    io_fail(error, list->paths[i], 0, "is a link that leads nowhere; take it away, or put its file back");
    io_sequence_free(list);
    return false;
  }
  return true;
}

/* The folder, a slash where it needs one, and the name; NULL: out of memory. */
static char *join(const char *folder, const char *name)
{
  size_t n = strlen(folder), m = strlen(name);
  char *path = malloc(n + m + 2);
  if (!path) return NULL;
  memcpy(path, folder, n);
  if (n && folder[n - 1] != '/') path[n++] = '/';
  memcpy(path + n, name, m + 1);
  return path;
}

/* Meshes that we read, that assimp may read, and that nobody here reads: a folder with one of
 * these has something to check. */
static const char *const ENDINGS[] = {"obj",   "ply", "off", "stl", "gltf", "glb", "fbx",  "dae",  "3ds",  "x",
                                      "blend", "lwo", "ase", "3mf", "x3d",  "abc", "usd",  "usda", "usdc", "usdz",
                                      "wrl",   "amf", "vtk", "vtp", "msh",  "dxf", "iges", "step"};
enum { ENDING_COUNT = sizeof ENDINGS / sizeof ENDINGS[0] };

static int ending_of(const char *path)
{
  for (int i = 0; i < ENDING_COUNT; ++i)
    if (io_ending_is(path, ENDINGS[i])) return i;
  return -1;
}

bool io_is_mesh_name(const char *path) { return ending_of(path) >= 0; }

/* The files of .gltf and .glb are one kind: scenes. */
static bool is_scene(const char *path) { return io_ending_is(path, "gltf") || io_ending_is(path, "glb"); }
static bool same_kind(const char *a, const char *b)
{
  return is_scene(a) || is_scene(b) ? is_scene(a) && is_scene(b) : ending_of(a) == ending_of(b);
}

/* The last part of a path. */
static const char *name_in(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* All frames of a sequence are files of one kind: others would be left out, or stop it in its
 * middle. Of a pattern (`is_folder` false) only scenes among meshes are refused, since that is
 * what the user asked for. */
static bool check_kinds(const char *name, bool is_folder, io_sequence *list, io_error *error)
{
  for (size_t i = 1; i < list->count; ++i) {
    const char *a = list->paths[0], *b = list->paths[i];
    if (is_folder ? same_kind(a, b) : is_scene(a) == is_scene(b)) continue;
    size_t n = is_folder ? strlen(name) : (size_t)(name_in(name) - name);
    while (n > 1 && name[n - 1] == '/') --n;
    io_fail(error, name, 0,
            "%s files of different kinds, such as %.80s and %.80s: name them, or use a pattern in quotes such as "
            "'%.*s%s*.%s'",
            is_folder ? "holds" : "matches", name_in(a), name_in(b), (int)n, name, n ? "/" : "", io_ending(a));
    io_sequence_free(list);
    return false;
  }
  return true;
}

const char *io_next_entry(DIR *directory, int *number)
{
  errno = 0;
  struct dirent *entry = readdir(directory);
  *number = entry ? 0 : errno;
  return entry ? entry->d_name : NULL;
}

enum { MOST_DEPTH = 32 };

static bool has_meshes(const char *folder, int depth)
{
  DIR *directory = opendir(folder);
  bool found = false;
  int number;
  for (const char *entry; directory && !found && (entry = io_next_entry(directory, &number));) {
    struct stat s;
    char *path = entry[0] == '.' ? NULL : join(folder, entry);
    if (path && lstat(path, &s) == 0)
      found = S_ISDIR(s.st_mode) ? depth > 0 && has_meshes(path, depth - 1) : io_is_mesh_name(entry);
    free(path);
  }
  if (directory) closedir(directory);
  return found;
}

char *io_inner_folder(const char *directory)
{
  DIR *open = opendir(directory);
  char *first = NULL;
  int number;
  for (const char *entry; open && (entry = io_next_entry(open, &number));) {
    struct stat s;
    char *path = entry[0] == '.' ? NULL : join(directory, entry);
    bool earlier = path && (!first || strcmp(path, first) < 0) && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
    if (earlier && has_meshes(path, MOST_DEPTH)) {
      free(first);
      first = path;
    } else {
      free(path);
    }
  }
  if (open) closedir(open);
  return first;
}

static bool open_directory(const char *name, io_sequence *out, io_error *error)
{
  DIR *directory = opendir(name);
  if (!directory) return io_fail(error, name, 0, "cannot be listed: %s", strerror(errno));
  bool ok = true;
  int number = 0;
  for (const char *entry; ok && (entry = io_next_entry(directory, &number));) {
    if (entry[0] == '.' || ending_of(entry) < 0) continue;
    char *path = join(name, entry);
    if (path && io_look(path) == IO_TARGET_OTHER)
      free(path);
    else
      ok = io_paths_add(out, path);
  }
  closedir(directory);
  if (!ok) return no_memory(out, name, error);
  if (number) {
    io_sequence_free(out);
    return io_fail(error, name, 0, "cannot be listed: %s", strerror(number));
  }
  if (out->count) return true;
  io_sequence_free(out);
  return io_fail(error, name, 0,
                 "the directory holds no mesh files (looked for .obj, .ply, .off, .stl, .glb and the like)");
}

static bool open_single(const char *name, io_sequence *out, io_error *error)
{
  return io_paths_add(out, strdup(name)) || no_memory(out, name, error);
}

/* Programs also write frames as name.####.obj. */
static bool fail_absent(const char *name, io_error *error)
{
  const char *first = strchr(name, '#');
  size_t run = first ? strspn(first, "#") : 0;
  if (run == 0 || run > 18 || strchr(first + run, '#'))
    return io_fail(error, *name ? name : "''", 0, "no such file or directory");
  char width[32] = "";
  if (run > 1) snprintf(width, sizeof width, "0%zu", run);
  return io_fail(error, name, 0, "no such file or directory; did you mean %.*s%%%sd%s?", (int)(first - name), name,
                 width, first + run);
}

static bool open_list(const char *name, io_gaps gaps, io_sequence *out, io_error *error)
{
  *out = (io_sequence){0};
  error->text[0] = '\0';
  struct stat s;
  bool exists = stat(name, &s) == 0;
  if (exists) {
    if (!S_ISDIR(s.st_mode)) return open_single(name, out, error);
    if (!open_directory(name, out, error)) return false;
  } else if (strchr(name, '%')) {
    return io_expand_numbered(name, gaps, out, error); /* in order already */
  } else if (strpbrk(name, "*?[")) {
    if (!io_expand_glob(name, out, error)) return false;
  } else {
    return fail_absent(name, error);
  }
  qsort(out->paths, out->count, sizeof *out->paths, compare_paths);
  return io_paths_check(out, error) && check_kinds(name, exists, out, error);
}

bool io_sequence_open(const char *name, io_sequence *out, io_error *error)
{
  return open_list(name, IO_GAPS_STOP, out, error);
}

/* A pattern's list is whole here; where to stop is found as for all others. */
bool io_sequence_open_with(const char *name, io_gaps gaps, io_sequence *out, io_error *error)
{
  return open_list(name, IO_GAPS_SKIP, out, error) && io_sequence_number(out, gaps, error);
}

void io_sequence_free(io_sequence *sequence)
{
  for (size_t i = 0; i < sequence->count; ++i) free(sequence->paths[i]);
  free(sequence->paths);
  *sequence = (io_sequence){0};
}
