/* Sequences, frame by frame. Of a frame only its positions stay; its triangles are compared with
 * the first frame's and dropped. */
#include "common/frames.h"

#include "common/output.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail_memory(io_error *error, const char *path)
{
  snprintf(error->text, sizeof error->text, "%s: out of memory", path);
  return false;
}

/* ---------------------------------------------------------------------------- lists of files -- */

/* The end of a run of digits, and the digits without leading zeros. */
static const char *digits_end(const char **s)
{
  while (**s == '0') ++*s;
  const char *end = *s;
  while (isdigit((unsigned char)*end)) ++end;
  return end;
}

/* Runs of digits compare as numbers of any length, everything else byte by byte. */
static int compare_numbers(const char *a, const char *b)
{
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      const char *end_a = digits_end(&a), *end_b = digits_end(&b);
      if (end_a - a != end_b - b) return end_a - a < end_b - b ? -1 : 1;
      int order = memcmp(a, b, (size_t)(end_a - a));
      if (order != 0) return order;
      a = end_a;
      b = end_b;
    } else if (*a != *b) {
      return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    } else {
      ++a;
      ++b;
    }
  }
  return (*a != '\0') - (*b != '\0');
}

static int compare_paths(const void *a, const void *b) { return compare_numbers(*(char *const *)a, *(char *const *)b); }

bool frames_same_but_numbers(const char *a, const char *b)
{
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      a = digits_end(&a);
      b = digits_end(&b);
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

/* Several names, as a shell gives them for an unquoted pattern: by the alphabet, 10 before 2. */
static bool list_files(frames *f, char *const *names, int count, io_error *error)
{
  f->files.paths = calloc((size_t)count, sizeof *f->files.paths);
  if (!f->files.paths) return fail_memory(error, names[0]);
  bool numbered = true;
  for (int i = 0; i < count; ++i) {
    size_t size = strlen(names[i]) + 1;
    char *copy = malloc(size);
    if (!copy) return fail_memory(error, names[i]);
    memcpy(copy, names[i], size);
    f->files.paths[f->files.count++] = copy;
    numbered = numbered && frames_same_but_numbers(names[0], names[i]);
  }
  if (!numbered) return true;
  qsort(f->files.paths, f->files.count, sizeof *f->files.paths, compare_paths);
  return io_sequence_number(&f->files, f->def.gaps, error);
}

/* --------------------------------------------------------------------------------- one frame -- */

static bool same_topology(const frames *f, size_t index, const io_mesh *mesh, io_error *error)
{
  const char *path = f->files.paths[index], *first = f->files.paths[0];
  if (mesh->vertex_count != f->vertex_count || mesh->triangle_count != f->triangle_count) {
    snprintf(error->text, sizeof error->text,
             "%s: frame %zu has %zu triangles and %zu vertices, frame 0 (%s) has %zu and %zu: all frames need the same "
             "topology",
             path, index, mesh->triangle_count, mesh->vertex_count, first, f->triangle_count, f->vertex_count);
    return false;
  }
  for (size_t t = 0; t < f->triangle_count; ++t) {
    const uint32_t *now = mesh->triangles + 3 * t, *then = f->triangles + 3 * t;
    if (memcmp(now, then, 3 * sizeof *now) == 0) continue;
    snprintf(
        error->text, sizeof error->text,
        "%s: frame %zu joins vertices %u %u %u in triangle %zu, frame 0 (%s) joins %u %u %u: all frames need the same "
        "topology",
        path, index, now[0], now[1], now[2], t, first, then[0], then[1], then[2]);
    return false;
  }
  return true;
}

/* As the library moves a vertex: from left to right in double. */
static bool place_positions(const frames_def *def, io_mesh *mesh, const char *path, io_error *error)
{
  if (!def->is_placed) return true;
  for (size_t i = 0; i < mesh->vertex_count; ++i) {
    double *p = mesh->xyz + 3 * i, q[3];
    for (int k = 0; k < 3; ++k) {
      const double *m = def->place.m[k];
      q[k] = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + def->place.t[k];
      if (isfinite(q[k])) continue;
      snprintf(error->text, sizeof error->text,
               "%s: vertex %zu leaves the doubles where it is moved to: use smaller "
               "numbers",
               path, i);
      return false;
    }
    memcpy(p, q, sizeof q);
  }
  free(mesh->xyz_f32);
  mesh->xyz_f32 = NULL;
  mesh->is_double = true;
  return true;
}

/* Leaves one array of positions: float if the file has no more precision, or if it was asked
 * for. */
static bool keep_one_precision(io_mesh *mesh, bool rounded, const char *path, io_error *error)
{
  if (mesh->is_double && !rounded) return true;
  if (!mesh->xyz_f32) {
    mesh->xyz_f32 = malloc(3 * mesh->vertex_count * sizeof *mesh->xyz_f32);
    if (!mesh->xyz_f32) return fail_memory(error, path);
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
      mesh->xyz_f32[i] = (float)mesh->xyz[i];
      if (isfinite(mesh->xyz_f32[i])) continue;
      snprintf(error->text, sizeof error->text, "%s: vertex %zu has the coordinate %g, too large for --float", path,
               i / 3, mesh->xyz[i]);
      return false;
    }
  }
  mesh->is_double = false;
  free(mesh->xyz);
  mesh->xyz = NULL;
  return true;
}

bool frames_read(frames *f, size_t index, io_error *error)
{
  const char *path = f->files.paths[index];
  io_mesh mesh = {0};
  bool first = f->triangles == NULL;
  bool good = f->gltf                 ? frames_gltf_read(f, index, &mesh, error)
              : f->cache              ? frames_cache_read(f, index, &mesh, error)
              : first && f->def.split ? io_mesh_read_groups(path, &mesh, &f->groups, error)
                                      : io_mesh_read(path, &mesh, error);
  if (!good) return false;
  good = (first || same_topology(f, index, &mesh, error)) && place_positions(&f->def, &mesh, path, error) &&
         keep_one_precision(&mesh, f->def.rounded, path, error);
  if (!good) {
    io_mesh_free(&mesh);
    return false;
  }
  if (first) {
    f->triangles = mesh.triangles;
    f->triangle_count = mesh.triangle_count;
    f->vertex_count = mesh.vertex_count;
    memcpy(f->note, mesh.note, sizeof f->note);
    f->is_partial = mesh.is_partial;
  } else {
    free(mesh.triangles);
  }
  mesh.triangles = NULL;
  mesh.triangle_count = 0;
  io_mesh_free(&f->now);
  f->now = mesh;
  return true;
}

/* ------------------------------------------------------------------------------------ frames -- */

bool frames_open(frames *f, char *const *names, int count, const frames_def *def, io_error *error)
{
  *f = (frames){.def = def ? *def : (frames_def){0}};
  bool open = count > 1                    ? list_files(f, names, count, error)
              : gltf_is_name(names[0])     ? frames_gltf_open(f, names[0], error)
              : io_cache_is_name(names[0]) ? frames_cache_open(f, names[0], error)
                                           : io_sequence_open_with(names[0], f->def.gaps, &f->files, error);
  if (open && frames_read(f, 0, error)) return true;
  frames_close(f);
  return false;
}

void frames_note(const frames *f)
{
  if (f->files.note[0]) output_note("%s%s%s", f->gltf ? frames_path(f, 0) : "", f->gltf ? ": " : "", f->files.note);
  if (f->note[0] && f->is_partial)
    output_unchecked("%s: %s", frames_path(f, 0), f->note);
  else if (f->note[0])
    output_note("%s: %s", frames_path(f, 0), f->note);
}

void frames_close(frames *f)
{
  frames_gltf_close(f);
  frames_cache_close(f);
  io_sequence_free(&f->files);
  io_mesh_free(&f->now);
  io_groups_free(&f->groups);
  free(f->triangles);
  *f = (frames){0};
}

const char *frames_path(const frames *f, size_t index) { return f->files.paths[frames_still(f) ? 0 : index]; }

bool frames_still(const frames *f) { return f->files.count == 1; }

pl_positions frames_positions(const frames *f)
{
  return f->now.is_double ? pl_positions_f64(f->now.xyz, f->vertex_count)
                          : pl_positions_f32(f->now.xyz_f32, f->vertex_count);
}

pl_mesh_def frames_mesh(const frames *f)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = frames_positions(f);
  mesh.triangles = f->triangles;
  mesh.triangle_count = f->triangle_count;
  return mesh;
}
