/* A mesh that a point cache moves: the mesh lies beside the cache, with the same name but for the
 * ending; or the cache has more dots, as body.walk.pc2 of body.obj has. */
#include "common/frames.h"

#include "common/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool exists(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

char *frames_cache_mesh(const char *cache)
{
  static const char *const endings[] = {"obj", "ply", "stl", "off"};
  size_t room = strlen(cache) + 8;
  char *path = malloc(room), *stem = strdup(cache);
  while (path && stem) {
    char *slash = strrchr(stem, '/'), *dot = strrchr(stem, '.');
    if (!dot || (slash && dot < slash)) break;
    *dot = '\0';
    for (int i = 0; i < 4; ++i) {
      snprintf(path, room, "%s.%s", stem, endings[i]);
      if (!exists(path)) continue;
      free(stem);
      return path;
    }
  }
  free(path);
  free(stem);
  return NULL;
}

static bool name_frames(frames *f, const char *path, size_t count, io_error *error)
{
  f->files.paths = calloc(count, sizeof *f->files.paths);
  for (; f->files.paths && f->files.count < count; ++f->files.count)
    if (!(f->files.paths[f->files.count] = strdup(path))) break;
  if (f->files.count == count) return true;
  snprintf(error->text, sizeof error->text, "%s: out of memory", path);
  return false;
}

bool frames_cache_open(frames *f, const char *path, io_error *error)
{
  if (!io_cache_open(path, &f->cache, error)) return false;
  f->cache_mesh = frames_cache_mesh(path);
  if (f->cache_mesh) return name_frames(f, path, io_cache_frames(f->cache), error);
  snprintf(error->text, sizeof error->text,
           "%.300s: the mesh that it moves is not beside it: an OBJ, PLY, STL or OFF file of the same name", path);
  return false;
}

bool frames_cache_read(frames *f, size_t index, io_mesh *out, io_error *error)
{
  if (!io_mesh_read(f->cache_mesh, out, error)) return false;
  if (out->vertex_count != io_cache_points(f->cache)) {
    snprintf(error->text, sizeof error->text, "%.200s: has %zu points, and its mesh %.200s has %zu vertices",
             f->files.paths[index], io_cache_points(f->cache), f->cache_mesh, out->vertex_count);
    io_mesh_free(out);
    return false;
  }
  if (!out->xyz) out->xyz = malloc(3 * out->vertex_count * sizeof *out->xyz);
  free(out->xyz_f32);
  out->xyz_f32 = NULL;
  out->is_double = io_cache_is_double(f->cache);
  if (out->xyz && io_cache_read(f->cache, index, out->xyz, error)) return true;
  if (!out->xyz) snprintf(error->text, sizeof error->text, "%.300s: out of memory", f->files.paths[index]);
  io_mesh_free(out);
  return false;
}

void frames_cache_close(frames *f)
{
  io_cache_close(f->cache);
  free(f->cache_mesh);
  f->cache = NULL;
  f->cache_mesh = NULL;
}
