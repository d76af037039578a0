/* What the tests of io share: reading from text in memory, scratch files, and what must hold
 * after every read. */
#ifndef TESTS_IO_SUPPORT_H
#define TESTS_IO_SUPPORT_H

#include "support/support.h"

#include "io/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool (*io_reader)(const io_source *source, io_mesh *out, io_error *error);

/* Success: a mesh that can be used; failure: nothing in it, and one line that says why. */
static inline void check_outcome(bool ok, const io_mesh *mesh, const io_error *error)
{
  if (!ok) {
    assert_null(mesh->xyz);
    assert_null(mesh->xyz_f32);
    assert_null(mesh->triangles);
    assert_int_equal(mesh->triangle_count, 0);
    assert_true(strlen(error->text) > 0);
    assert_null(strchr(error->text, '\n'));
    return;
  }
  assert_true(mesh->triangle_count > 0);
  for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) assert_true(mesh->triangles[i] < mesh->vertex_count);
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) assert_true(isfinite(mesh->xyz[i]));
  assert_true(mesh->is_double == (mesh->xyz_f32 == NULL));
  for (size_t i = 0; !mesh->is_double && i < 3 * mesh->vertex_count; ++i)
    assert_true((double)mesh->xyz_f32[i] == mesh->xyz[i]);
}

/* Reads a copy of exactly these bytes, so that a sanitizer sees a step beyond. */
static inline bool read_bytes(io_reader reader, const char *data, size_t size, io_mesh *mesh, io_error *error)
{
  char *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, data, size);
  io_source source = {"test", size ? copy : copy + 1, size};
  error->text[0] = '\0';
  bool ok = reader(&source, mesh, error);
  free(copy);
  check_outcome(ok, mesh, error);
  return ok;
}

static inline bool same_mesh(const io_mesh *a, const io_mesh *b)
{
  return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
         a->segment_count == b->segment_count && a->point_count == b->point_count && a->is_double == b->is_double &&
         memcmp(a->xyz, b->xyz, 3 * a->vertex_count * sizeof(double)) == 0 &&
         memcmp(a->triangles, b->triangles, 3 * a->triangle_count * sizeof(uint32_t)) == 0 &&
         (a->is_double || memcmp(a->xyz_f32, b->xyz_f32, 3 * a->vertex_count * sizeof(float)) == 0);
}

/* A folder of its own for each test: cmocka setup and teardown; the state is its path. */
static inline int scratch_make(void **state)
{
  const char *base = getenv("TMPDIR");
  char *path = malloc(1024);
  if (!path) return -1;
  snprintf(path, 1024, "%s/pliant-io-XXXXXX", base && *base ? base : "/tmp");
  *state = mkdtemp(path);
  return *state ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
  char command[1100];
  snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
  int status = system(command);
  free(*state);
  return status;
}

/* A path in it, in a buffer that the next seven calls leave alone. */
static inline const char *scratch_path(void **state, const char *name)
{
  static char paths[8][1200];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", (char *)*state, name);
  return path;
}

static inline void scratch_write(const char *path, const void *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

#endif
