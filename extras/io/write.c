/* Meshes to files: OBJ and OFF as text that reads back to the same doubles, PLY as binary little
 * endian in the mesh's precision, STL as binary, which has only float. */
#include "io/number.h"
#include "io/output.h"
#include "io/reader.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void put_little(FILE *file, uint64_t bits, int bytes)
{
  unsigned char out[8] = {0};
  for (int i = 0; i < bytes; ++i) out[i] = (unsigned char)(bits >> 8 * i);
  fwrite(out, 1, (size_t)bytes, file);
}

static void put_float(FILE *file, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_little(file, bits, 4);
}

static void put_coordinates(FILE *file, const double xyz[3])
{
  for (int k = 0; k < 3; ++k) {
    char text[40];
    size_t length = io_format_double(text, xyz[k]);
    fwrite(text, 1, length, file);
    fputc(k < 2 ? ' ' : '\n', file);
  }
}

/* Triangles that are no segments and points. */
static size_t face_count(const io_mesh *mesh) { return mesh->triangle_count - mesh->segment_count - mesh->point_count; }

static bool write_obj(FILE *file, const io_mesh *mesh, const char *path, io_error *error)
{
  (void)path;
  (void)error;
  for (size_t i = 0; i < mesh->vertex_count; ++i) {
    fputs("v ", file);
    put_coordinates(file, mesh->xyz + 3 * i);
  }
  const size_t faces = face_count(mesh), segments = faces + mesh->segment_count;
  for (size_t i = 0; i < mesh->triangle_count; ++i) {
    const uint32_t *t = mesh->triangles + 3 * i;
    if (i < faces)
      fprintf(file, "f %llu %llu %llu\n", t[0] + 1ull, t[1] + 1ull, t[2] + 1ull);
    else if (i < segments)
      fprintf(file, "l %llu %llu\n", t[0] + 1ull, t[1] + 1ull);
    else
      fprintf(file, "p %llu\n", t[0] + 1ull);
  }
  return true;
}

static bool write_off(FILE *file, const io_mesh *mesh, const char *path, io_error *error)
{
  (void)path;
  (void)error;
  fprintf(file, "OFF\n%zu %zu 0\n", mesh->vertex_count, mesh->triangle_count);
  for (size_t i = 0; i < mesh->vertex_count; ++i) put_coordinates(file, mesh->xyz + 3 * i);
  for (size_t i = 0; i < mesh->triangle_count; ++i) {
    const uint32_t *t = mesh->triangles + 3 * i;
    fprintf(file, "3 %lu %lu %lu\n", (unsigned long)t[0], (unsigned long)t[1], (unsigned long)t[2]);
  }
  return true;
}

static bool write_ply(FILE *file, const io_mesh *mesh, const char *path, io_error *error)
{
  (void)path;
  (void)error;
  const char *type = mesh->is_double ? "double" : "float", *index = mesh->vertex_count > INT32_MAX ? "uint" : "int";
  const size_t faces = face_count(mesh), segments = mesh->segment_count;
  fprintf(file, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", mesh->vertex_count);
  fprintf(file, "property %s x\nproperty %s y\nproperty %s z\n", type, type, type);
  /* int is what everyone reads; uint only where int does not reach. */
  if (!mesh->point_count || faces)
    fprintf(file, "element face %zu\nproperty list uchar %s vertex_indices\n", faces, index);
  if (segments) fprintf(file, "element edge %zu\nproperty %s vertex1\nproperty %s vertex2\n", segments, index, index);
  fputs("end_header\n", file);
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
    uint64_t bits;
    memcpy(&bits, &mesh->xyz[i], sizeof bits);
    if (mesh->is_double)
      put_little(file, bits, 8);
    else
      put_float(file, (float)mesh->xyz[i]);
  }
  for (size_t i = 0; i < faces; ++i) {
    fputc(3, file);
    for (int k = 0; k < 3; ++k) put_little(file, mesh->triangles[3 * i + k], 4);
  }
  for (size_t i = faces; i < faces + segments; ++i)
    for (int k = 0; k < 2; ++k) put_little(file, mesh->triangles[3 * i + k], 4);
  return true;
}

/* The unit normal, or zero for a triangle without one. */
static void put_normal(FILE *file, const double *a, const double *b, const double *c)
{
  double u[3], v[3];
  for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
  double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  bool usable = length > 0 && isfinite(length);
  for (int k = 0; k < 3; ++k) put_float(file, usable ? (float)(n[k] / length) : 0.0f);
}

static bool write_stl(FILE *file, const io_mesh *mesh, const char *path, io_error *error)
{
  if (mesh->triangle_count > UINT32_MAX)
    return io_fail(error, path, 0, "STL holds at most 4294967295 triangles, not %zu; write PLY", mesh->triangle_count);
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
    if (fabs(mesh->xyz[i]) > FLT_MAX)
      return io_fail(error, path, 0, "vertex %zu does not fit STL's floats; write PLY", i / 3);
  char head[80] = "written by pliant"; /* not "solid": some readers take that for text */
  fwrite(head, 1, sizeof head, file);
  put_little(file, mesh->triangle_count, 4);
  for (size_t i = 0; i < mesh->triangle_count; ++i) {
    const double *corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = mesh->xyz + 3 * (size_t)mesh->triangles[3 * i + k];
    put_normal(file, corner[0], corner[1], corner[2]);
    for (int k = 0; k < 9; ++k) put_float(file, (float)corner[k / 3][k % 3]);
    put_little(file, 0, 2);
  }
  return true;
}

/* Has the format a place for segments and points? */
static bool check_parts(const io_mesh *mesh, const char *path, io_error *error)
{
  const size_t parts = mesh->segment_count + mesh->point_count, first = mesh->triangle_count - mesh->point_count;
  if (!parts || io_ending_is(path, "obj")) return true;
  if (!io_ending_is(path, "ply"))
    return io_fail(error, path, 0, "this format has no place for segments and points (%zu); write OBJ", parts);
  bool all = mesh->point_count == mesh->vertex_count && mesh->point_count == mesh->triangle_count;
  for (size_t i = 0; all && i < mesh->point_count; ++i) all = mesh->triangles[3 * (first + i)] == i;
  return !mesh->point_count || all ||
         io_fail(error, path, 0, "PLY has no place for points that are not all vertices (%zu); write OBJ",
                 mesh->point_count);
}

static bool check_mesh(const io_mesh *mesh, const char *path, io_error *error)
{
  if (mesh->triangle_count == 0) return io_fail(error, path, 0, "a mesh without triangles is not written");
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
    if (!isfinite(mesh->xyz[i])) return io_fail(error, path, 0, "vertex %zu of the mesh is not finite", i / 3);
  for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
    if (mesh->triangles[i] >= mesh->vertex_count)
      return io_fail(error, path, 0, "triangle %zu of the mesh names vertex %lu of %zu", i / 3,
                     (unsigned long)mesh->triangles[i], mesh->vertex_count);
  return true;
}

typedef bool (*writer)(FILE *file, const io_mesh *mesh, const char *path, io_error *error);

bool io_mesh_write(const char *path, const io_mesh *mesh, io_error *error)
{
  error->text[0] = '\0';
  writer write = io_ending_is(path, "obj")   ? write_obj
                 : io_ending_is(path, "off") ? write_off
                 : io_ending_is(path, "ply") ? write_ply
                 : io_ending_is(path, "stl") ? write_stl
                                             : NULL;
  if (!write) return io_fail(error, path, 0, "the ending must be .obj, .ply, .stl or .off");
  if (!check_mesh(mesh, path, error) || !check_parts(mesh, path, error)) return false;
  io_output out;
  if (!io_output_open(&out, path, error)) return false;
  bool ok = write(out.file, mesh, path, error);
  return io_output_close(&out, ok, error);
}
