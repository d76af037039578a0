/* build: extras/io */
/* libFuzzer's entry: every reader on the same bytes. What a reader accepts must be a mesh that
 * can be used, and must come back from text to the same doubles; what it refuses must leave
 * nothing behind and say why in one line. */
#include "io/number.h"
#include "io/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "broken: %s\n", what);
  abort();
}

static void check_number(double value)
{
  char text[40];
  size_t length = io_format_double(text, value);
  const char *at = text;
  double back;
  require(io_parse_double(&at, text + length, &back) == IO_NUMBER_OK && memcmp(&back, &value, sizeof back) == 0,
          "a coordinate does not survive its own text");
}

static void check_mesh(const io_mesh *mesh)
{
  require(mesh->triangle_count > 0, "a mesh without triangles");
  for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
    require(mesh->triangles[i] < mesh->vertex_count, "an index out of range");
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
    require(isfinite(mesh->xyz[i]), "a coordinate that is not finite");
    require(mesh->is_double || (double)mesh->xyz_f32[i] == mesh->xyz[i], "a float that is not its double");
    if (i < 30) check_number(mesh->xyz[i]);
  }
  require(mesh->is_double == !mesh->xyz_f32, "floats of doubles");
}

/* A number alone, against strtod in the C locale, which the fuzzer runs in. */
static void fuzz_number(const uint8_t *data, size_t size)
{
  char text[1024];
  if (size >= sizeof text) return;
  memcpy(text, data, size);
  text[size] = '\0';
  const char *at = text;
  double ours;
  if (io_parse_double(&at, text + size, &ours) != IO_NUMBER_OK) return;
  char *end;
  double theirs = strtod(text, &end);
  require(end == at && memcmp(&ours, &theirs, sizeof ours) == 0, "a number that strtod reads otherwise");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool (*const readers[])(const io_source *, io_mesh *, io_error *) = {io_read_obj, io_read_off, io_read_ply,
                                                                              io_read_stl};
  io_source source = {"fuzz", (const char *)data, size};
  fuzz_number(data, size);
  for (int i = 0; i < 4; ++i) {
    io_mesh mesh;
    io_error error = {""};
    bool ok = readers[i](&source, &mesh, &error);
    if (ok)
      check_mesh(&mesh);
    else
      require(!mesh.xyz && !mesh.triangles && *error.text && !strchr(error.text, '\n'), "a refusal without its line");
    io_mesh_free(&mesh);
  }
  io_is_stl(&source);
  io_is_off(&source);
  io_is_ply(&source);
  return 0;
}
