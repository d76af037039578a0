/* Paths of the command line to assets: files by themselves, folders with everything below them,
 * patterns. Neighbours whose names differ in numbers only are the frames of one asset. */
#include "check/check.h"
#include "common/command.h"
#include "common/output.h"
#include "io/paths.h"
#include "io/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool add_name(io_sequence *list, const char *path)
{
  if ((list->count & (list->count - 1)) == 0) {
    char **moved = realloc(list->paths, (list->count ? 2 * list->count : 1) * sizeof *moved);
    if (!moved) return output_complain("%s: out of memory", path), false;
    list->paths = moved;
  }
  char *copy = strdup(path);
  if (!copy) return output_complain("%s: out of memory", path), false;
  list->paths[list->count++] = copy;
  return true;
}

/* Also of files that cannot be read, or not wholly: that is said, not passed over. */
static bool is_asset_name(const char *path) { return io_is_mesh_name(path) || io_cache_is_name(path); }

static bool is_folder(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The meshes of the caches in a folder: they are moved by them, and are no assets themselves. An
 * array without a mesh is something else. */
static bool find_moved(io_sequence *inside, io_sequence *moved)
{
  size_t kept = 0;
  for (size_t i = 0; i < inside->count; ++i) {
    char *path = inside->paths[i], *mesh = io_cache_is_name(path) ? frames_cache_mesh(path) : NULL;
    bool good = !mesh || add_name(moved, mesh), other = !mesh && io_ending_is(path, "npy");
    free(mesh);
    if (!good) return false;
    if (other)
      free(path);
    else
      inside->paths[kept++] = path;
  }
  inside->count = kept;
  if (moved->count) qsort(moved->paths, moved->count, sizeof *moved->paths, compare_names);
  return true;
}

static bool is_moved(const io_sequence *moved, char *path)
{
  return moved->count && bsearch(&path, moved->paths, moved->count, sizeof *moved->paths, compare_names);
}

/* All mesh files below a folder, by name; folders that are links are named, not followed, as they
 * could lead back. */
static bool add_folder(io_sequence *list, const char *folder)
{
  io_sequence inside = {0}, moved = {0};
  DIR *directory = opendir(folder);
  bool good = true;
  if (!directory) return add_name(list, folder); /* an asset that cannot be read */
  for (struct dirent *entry; good && (entry = readdir(directory));) {
    char path[4096];
    if (entry->d_name[0] == '.') continue;
    const char *slash = *folder && folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name) >= (int)sizeof path) {
      output_complain("%s: a path below it is too long", folder);
      good = false;
    } else {
      good = add_name(&inside, path);
    }
  }
  closedir(directory);
  if (inside.count) qsort(inside.paths, inside.count, sizeof *inside.paths, compare_names);
  good = good && find_moved(&inside, &moved);
  for (size_t i = 0; good && i < inside.count; ++i) {
    struct stat about;
    if (lstat(inside.paths[i], &about) == 0 && S_ISDIR(about.st_mode))
      good = add_folder(list, inside.paths[i]);
    else if (is_folder(inside.paths[i]))
      output_unchecked("%s: a link to a folder is not followed: name it as well", inside.paths[i]);
    else if (is_asset_name(inside.paths[i]) && !is_moved(&moved, inside.paths[i]))
      good = add_name(list, inside.paths[i]);
  }
  io_sequence_free(&inside);
  io_sequence_free(&moved);
  return good;
}

static bool add_path(io_sequence *list, const char *path)
{
  if (is_folder(path)) {
    size_t before = list->count;
    if (!add_folder(list, path)) return false;
    if (list->count > before) return true;
    output_complain("%s: there is no glTF, OBJ, PLY, STL or OFF file in it or below it", path);
    return false;
  }
  io_sequence found = {0};
  io_error error;
  if (!strpbrk(path, "*?[")) return add_name(list, path);
  bool good = io_sequence_open(path, &found, &error);
  if (!good) output_complain("%s", error.text);
  for (size_t i = 0; good && i < found.count; ++i) good = add_name(list, found.paths[i]);
  io_sequence_free(&found);
  return good;
}

/* Compares paths; "./" before one and slashes behind a slash do not count. */
static int compare_plainly(const char *a, const char *b)
{
  while (a[0] == '.' && a[1] == '/') a += 1 + strspn(a + 1, "/");
  while (b[0] == '.' && b[1] == '/') b += 1 + strspn(b + 1, "/");
  while (*a && *a == *b) {
    const bool slash = *a == '/';
    a += slash ? strspn(a, "/") : 1;
    b += slash ? strspn(b, "/") : 1;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

static int compare_paths(const void *a, const void *b)
{
  char *const *x = *(char **const *)a, *const *y = *(char **const *)b;
  int order = compare_plainly(*x, *y);
  return order ? order : (x > y) - (x < y);
}

/* A file that two arguments name, such as a folder and a file in it, is one asset. */
static bool drop_repeated(io_sequence *list)
{
  size_t kept = 0;
  char ***order = malloc((list->count + 1) * sizeof *order);
  bool *again = calloc(list->count + 1, sizeof *again), good = order && again;
  for (size_t i = 0; good && i < list->count; ++i) order[i] = &list->paths[i];
  if (good) qsort(order, list->count, sizeof *order, compare_paths);
  for (size_t i = 1; good && i < list->count; ++i)
    again[order[i] - list->paths] = compare_plainly(*order[i - 1], *order[i]) == 0;
  for (size_t i = 0; good && i < list->count; ++i)
    if (again[i])
      free(list->paths[i]);
    else
      list->paths[kept++] = list->paths[i];
  if (good)
    list->count = kept;
  else
    output_complain("out of memory");
  free(order);
  free(again);
  return good;
}

/* Returns whether file i is a later frame of the same asset as the file before it. */
static bool goes_on(const io_sequence *list, size_t i)
{
  return i > 0 && !gltf_is_name(list->paths[i]) && !gltf_is_name(list->paths[i - 1]) &&
         !io_cache_is_name(list->paths[i]) && frames_same_but_numbers(list->paths[i - 1], list->paths[i]);
}

int check_find_assets(check_job *job, const arguments *paths)
{
  if (!paths->count) return options_refuse("check", "name a file, a folder or a pattern");
  for (int i = 0; i < paths->count; ++i)
    if (!add_path(&job->names, paths->values[i])) return EXIT_ERROR;
  if (!drop_repeated(&job->names)) return EXIT_ERROR;
  job->assets = calloc(job->names.count + 1, sizeof *job->assets);
  if (!job->assets) return output_complain("out of memory");
  for (size_t i = 0; i < job->names.count; ++i) {
    if (!goes_on(&job->names, i))
      job->assets[job->asset_count++] = (check_asset){.name = job->names.paths[i], .files = &job->names.paths[i]};
    ++job->assets[job->asset_count - 1].file_count;
  }
  for (size_t i = 0; i < job->asset_count; ++i)
    if (!check_rules_read(&job->assets[i], &job->options.rules)) return EXIT_ERROR;
  job->end = job->asset_count;
  return OPTIONS_GO_ON;
}

void check_forget(check_asset *a)
{
  for (size_t k = 0; k < a->finding_count; ++k) {
    check_finding *f = &a->findings[k];
    for (int i = 0; i < 2; ++i) check_side_free(&f->side[i]);
    free(f->animation);
    free(f->label);
  }
  for (size_t k = 0; k < a->clip_count; ++k) {
    free(a->clips[k].animation);
    free(a->clips[k].regions);
    free(a->clips[k].depth);
  }
  free(a->clips);
  free(a->findings);
  free(a->messages);
  *a = (check_asset){.name = a->name, .files = a->files, .file_count = a->file_count, .rules = a->rules};
}

void check_free(check_job *job)
{
  for (size_t i = 0; i < job->asset_count; ++i) {
    check_asset *a = &job->assets[i];
    check_forget(a);
    if (a->rules) free(a->rules->text);
    free(a->rules);
  }
  free(job->assets);
  check_baseline_free(job);
  io_sequence_free(&job->names);
}
