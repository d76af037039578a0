/* What every reader does at the end: arrays that grow, vertices joined by position, and one-line
 * messages. */
#include "io/reader.h"
#include "io/show.h"
#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool io_fail(io_error *error, const char *name, size_t line, const char *format, ...)
{
  char shown[256], where[32] = "";
  io_show_into(shown, sizeof shown, name);
  if (line) snprintf(where, sizeof where, ":%zu", line);
  int n = snprintf(error->text, sizeof error->text, "%s%s: ", shown, where);
  va_list arguments;
  va_start(arguments, format);
  char said[sizeof error->text];
  const size_t room = sizeof error->text - (size_t)n;
  vsnprintf(said, room, format, arguments);
  va_end(arguments);
  io_show_into(error->text + n, room, said); /* a name may stand here too */
  return false;
}

void io_note(io_mesh *mesh, const char *format, ...)
{
  size_t n = strlen(mesh->note);
  if (n && n + 3 < sizeof mesh->note) n += (size_t)snprintf(mesh->note + n, sizeof mesh->note - n, "; ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(mesh->note + n, sizeof mesh->note - n, format, arguments);
  va_end(arguments);
}

bool io_text_coordinate(io_text *t, const io_source *source, double *out, io_error *error)
{
  switch (io_parse_double(&t->at, t->end, out)) {
  case IO_NUMBER_OK:
    return true;
  case IO_NUMBER_LARGE:
    return io_fail(error, source->name, t->line, "coordinate '%s' is too large for a double",
                   io_text_word(t->at, t->end).text);
  default:
    break;
  }
  if (io_text_at_eol(t))
    return io_fail(error, source->name, t->line, "a vertex needs three coordinates; the line ends early");
  return io_fail(error, source->name, t->line, "'%s' is not a finite decimal number; coordinates must be",
                 io_text_word(t->at, t->end).text);
}

/* At least `wanted` of `size` bytes each, at least half as many again as before. */
static bool grow(void **array, size_t *room, size_t wanted, size_t size)
{
  if (wanted <= *room) return true;
  size_t more = *room + *room / 2 + 64;
  if (more < wanted) more = wanted;
  if (more > SIZE_MAX / size) return false;
  void *moved = realloc(*array, more * size);
  if (!moved) return false;
  *array = moved;
  *room = more;
  return true;
}

bool io_builder_reserve(io_builder *b, size_t vertices, size_t triangles)
{
  void *xyz = b->xyz, *list = b->triangles;
  /* An index must fit 32 bits, and the last one stays free for callers that want a "none". */
  bool ok = vertices <= UINT32_MAX && grow(&xyz, &b->vertex_room, vertices, 3 * sizeof(double));
  ok = ok && grow(&list, &b->triangle_room, triangles, 3 * sizeof(uint32_t));
  b->xyz = xyz;
  b->triangles = list;
  return ok;
}

bool io_builder_segment(io_builder *b, uint32_t i, uint32_t j)
{
  void *list = b->segments;
  const bool ok = grow(&list, &b->segment_room, b->segment_count + 1, 2 * sizeof(uint32_t));
  b->segments = list;
  if (!ok) return false;
  b->segments[2 * b->segment_count] = i;
  b->segments[2 * b->segment_count++ + 1] = j;
  return true;
}

bool io_builder_point(io_builder *b, uint32_t i)
{
  void *list = b->points;
  const bool ok = grow(&list, &b->point_room, b->point_count + 1, sizeof(uint32_t));
  b->points = list;
  if (!ok) return false;
  b->points[b->point_count++] = i;
  return true;
}

/* Segments and points become triangles behind the others. */
static bool append_parts(io_builder *b)
{
  if (!io_builder_reserve(b, 0, b->triangle_count + b->segment_count + b->point_count)) return false;
  for (size_t i = 0; i < b->segment_count; ++i) {
    const uint32_t *v = b->segments + 2 * i;
    if (!io_builder_triangle(b, v[0], v[1], v[1])) return false;
  }
  for (size_t i = 0; i < b->point_count; ++i)
    if (!io_builder_triangle(b, b->points[i], b->points[i], b->points[i])) return false;
  return true;
}

void io_builder_free(io_builder *b)
{
  free(b->xyz);
  free(b->triangles);
  free(b->segments);
  free(b->points);
  *b = (io_builder){0};
}

bool io_builder_no_memory(io_builder *b, const io_source *source, io_error *error)
{
  io_fail(error, source->name, 0, "out of memory after %zu vertices and %zu triangles", b->vertex_count,
          b->triangle_count);
  io_builder_free(b);
  return false;
}

static void *shrink(void *array, size_t bytes)
{
  void *moved = bytes ? realloc(array, bytes) : NULL;
  return moved ? moved : array;
}

bool io_builder_finish(io_builder *b, const io_source *source, io_mesh *out, io_error *error)
{
  if (!append_parts(b)) return io_builder_no_memory(b, source, error);
  if (b->triangle_count == 0) {
    const char *less = b->short_faces ? " and faces of fewer than 3 corners" : "";
    if (b->vertex_count == 0)
      io_fail(error, source->name, 0, "holds no triangles and no vertices; a surface is needed");
    else
      io_fail(error, source->name, 0, "holds no triangles, only %zu %s%s; a surface is needed", b->vertex_count,
              b->vertex_count == 1 ? "vertex" : "vertices", less);
    io_builder_free(b);
    return false;
  }
  size_t values = 3 * b->vertex_count;
  float *floats = NULL;
  if (!b->is_double) {
    floats = malloc(values * sizeof *floats);
    if (!floats) return io_builder_no_memory(b, source, error);
    for (size_t i = 0; i < values; ++i) floats[i] = (float)b->xyz[i];
  }
  out->xyz = shrink(b->xyz, values * sizeof(double));
  out->xyz_f32 = floats;
  out->vertex_count = b->vertex_count;
  out->triangles = shrink(b->triangles, 3 * b->triangle_count * sizeof(uint32_t));
  out->triangle_count = b->triangle_count;
  out->segment_count = b->segment_count;
  out->point_count = b->point_count;
  out->is_double = b->is_double;
  if (b->short_faces) io_note(out, "left out: faces of fewer than 3 corners (%zu)", b->short_faces);
  free(b->segments);
  free(b->points);
  *b = (io_builder){0};
  return true;
}

void io_mesh_free(io_mesh *mesh)
{
  free(mesh->xyz);
  free(mesh->xyz_f32);
  free(mesh->triangles);
  *mesh = (io_mesh){0};
}

static uint64_t position_hash(const double xyz[3])
{
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 3; ++k) {
    double x = xyz[k] + 0.0; /* -0 becomes 0 */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

static bool weld_grow(io_weld *weld, const io_builder *b)
{
  size_t room = weld->room ? 2 * weld->room : 256;
  uint32_t *slots = room > SIZE_MAX / 2 / sizeof *slots ? NULL : calloc(room, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < weld->room; ++i) {
    if (!weld->slots[i]) continue;
    size_t slot = position_hash(b->xyz + 3 * (size_t)(weld->slots[i] - 1)) & (room - 1);
    while (slots[slot]) slot = (slot + 1) & (room - 1);
    slots[slot] = weld->slots[i];
  }
  free(weld->slots);
  *weld = (io_weld){slots, room};
  return true;
}

bool io_weld_vertex(io_weld *weld, io_builder *b, const double xyz[3], uint32_t *vertex)
{
  if (2 * (b->vertex_count + 1) > weld->room && !weld_grow(weld, b)) return false;
  size_t slot = position_hash(xyz) & (weld->room - 1);
  for (; weld->slots[slot]; slot = (slot + 1) & (weld->room - 1)) {
    const double *other = b->xyz + 3 * (size_t)(weld->slots[slot] - 1);
    if (other[0] != xyz[0] || other[1] != xyz[1] || other[2] != xyz[2]) continue;
    *vertex = weld->slots[slot] - 1;
    return true;
  }
  *vertex = (uint32_t)b->vertex_count;
  if (!io_builder_vertex(b, xyz)) return false;
  weld->slots[slot] = *vertex + 1;
  return true;
}

void io_weld_free(io_weld *weld)
{
  free(weld->slots);
  *weld = (io_weld){0};
}
