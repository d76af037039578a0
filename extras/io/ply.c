/* PLY: text, binary little and big endian. Vertices need x, y, z of any scalar type; faces a
 * list vertex_indices or vertex_index; tristrips are unrolled; edges, with vertex1 and vertex2, are
 * segments. In a file with none of these each vertex is a point. All other elements and properties
 * are passed over, lists too. In text every element stands on a line of its own, and the line
 * must hold exactly what the header says. */
#include "io/ply_header.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct ply {
  io_text text; /* in a binary file only `at` and `end` mean anything */
  ply_header header;
  const io_source *source;
  io_builder mesh;
  io_error *error;
  const ply_element *element; /* being read, and which of them */
  size_t row;
} ply;

__attribute__((format(printf, 2, 3))) static bool fail(ply *p, const char *format, ...)
{
  static const char *const kinds[] = {"vertex", "face", "strip", "edge", "element"};
  char sentence[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  if (p->header.format == PLY_ASCII) return io_fail(p->error, p->source->name, p->text.line, "%s", sentence);
  return io_fail(p->error, p->source->name, 0, "%s %zu: %s", kinds[p->element->kind], p->row, sentence);
}

static bool no_memory(ply *p) { return io_builder_no_memory(&p->mesh, p->source, p->error); }

/* `size` bytes as an integer, in the file's order. */
static uint64_t raw(const ply *p, size_t size)
{
  const unsigned char *at = (const unsigned char *)p->text.at;
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits = bits << 8 | at[p->header.format == PLY_BIG ? i : size - 1 - i];
  return bits;
}

static double decode(const ply *p, ply_type type)
{
  uint64_t bits = raw(p, ply_type_size(type));
  uint32_t low = (uint32_t)bits;
  float f;
  double d;
  switch (type) {
  case PLY_I8:
    return (int8_t)bits;
  case PLY_U8:
    return (uint8_t)bits;
  case PLY_I16:
    return (int16_t)bits;
  case PLY_U16:
    return (uint16_t)bits;
  case PLY_I32:
    return (int32_t)bits;
  case PLY_U32:
    return low;
  case PLY_F32:
    memcpy(&f, &low, sizeof f);
    return (double)f;
  default:
    memcpy(&d, &bits, sizeof d);
    return d;
  }
}

/* The next value of the element. Integers of 32 bits are exact in a double. */
static bool take(ply *p, ply_type type, double *out)
{
  io_text *t = &p->text;
  if (p->header.format != PLY_ASCII) {
    if ((size_t)(t->end - t->at) < ply_type_size(type)) return fail(p, "the file ends here; is it complete?");
    *out = decode(p, type);
    t->at += ply_type_size(type);
    return true;
  }
  io_text_blanks(t);
  if (io_text_at_eol(t)) return fail(p, "the line ends early: the header announces more values");
  io_number number = io_parse_double(&t->at, t->end, out);
  if (number == IO_NUMBER_OK) return true;
  const char *what = number == IO_NUMBER_LARGE ? "is too large for a double" : "is not a finite decimal number";
  return fail(p, "'%s' %s", io_text_word(t->at, t->end).text, what);
}

/* Values that do not matter: in text they may be anything, even nan. */
static bool skip(ply *p, ply_type type, size_t count)
{
  io_text *t = &p->text;
  if (p->header.format != PLY_ASCII) {
    size_t size = ply_type_size(type);
    if (count > (size_t)(t->end - t->at) / size) return fail(p, "the file ends here; is it complete?");
    t->at += count * size;
    return true;
  }
  for (; count; --count) {
    io_text_blanks(t);
    const char *end = io_text_word_end(t);
    if (end == t->at) return fail(p, "the line ends early: the header announces more values");
    t->at = end;
  }
  return true;
}

static bool take_integer(ply *p, ply_type type, double low, double *out)
{
  if (!take(p, type, out)) return false;
  if (*out >= low && *out <= UINT32_MAX && *out == floor(*out)) return true;
  return fail(p, low < 0 ? "%.17g is not an index" : "%.17g is not the length of a list", *out);
}

static bool take_vertex(ply *p, ply_type type, double low, double *out)
{
  if (!take_integer(p, type, -INFINITY, out)) return false;
  if (*out >= low && *out < (double)p->header.vertex_count) return true;
  return fail(p, "%s names vertex %.0f of %zu (counted from 0)", p->element->kind == PLY_EDGE ? "edge" : "face", *out,
              p->header.vertex_count);
}

static bool read_polygon(ply *p, ply_type type, size_t corners)
{
  io_fan fan = {0};
  double vertex;
  for (size_t i = 0; i < corners; ++i) {
    if (!take_vertex(p, type, 0, &vertex)) return false;
    if (!io_fan_corner(&p->mesh, &fan, (uint32_t)vertex)) return no_memory(p);
  }
  p->mesh.short_faces += corners < 3;
  return true;
}

/* Strips, one after the other with -1 between; every second triangle is turned, so that all face
 * the same way. */
static bool read_strips(ply *p, ply_type type, size_t corners)
{
  double vertex;
  uint32_t a = 0, b = 0;
  size_t n = 0;
  for (size_t i = 0; i < corners; ++i) {
    if (!take_vertex(p, type, -1, &vertex)) return false;
    if (vertex < 0) {
      n = 0;
      continue;
    }
    uint32_t c = (uint32_t)vertex;
    bool turned = n % 2 == 1;
    if (n >= 2 && !io_builder_triangle(&p->mesh, turned ? b : a, turned ? a : b, c)) return no_memory(p);
    a = b;
    b = c;
    ++n;
  }
  return true;
}

static bool read_list(ply *p, const ply_property *property)
{
  double count;
  if (!take_integer(p, property->count_type, 0, &count)) return false;
  if (property->role == PLY_SKIP) return skip(p, property->type, (size_t)count);
  return p->element->kind == PLY_STRIPS ? read_strips(p, property->type, (size_t)count)
                                        : read_polygon(p, property->type, (size_t)count);
}

static bool add_vertex(ply *p, const double xyz[3])
{
  if (!isfinite(xyz[0]) || !isfinite(xyz[1]) || !isfinite(xyz[2]))
    return fail(p, "has a coordinate that is not finite");
  return io_builder_vertex(&p->mesh, xyz) || no_memory(p);
}

static bool read_row(ply *p)
{
  const ply_element *e = p->element;
  double value[PLY_TO + 1];
  bool text = p->header.format == PLY_ASCII;
  if (text) io_text_space(&p->text, 0);
  if (text && io_text_ended(&p->text)) return fail(p, "the file ends before all that the header announces");
  for (size_t i = e->first; i < e->first + e->properties; ++i) {
    const ply_property *property = &p->header.properties[i];
    if (property->is_list) {
      if (!read_list(p, property)) return false;
    } else if (property->role == PLY_SKIP) {
      if (!skip(p, property->type, 1)) return false;
    } else if (e->kind == PLY_EDGE ? !take_vertex(p, property->type, 0, &value[property->role])
                                   : !take(p, property->type, &value[property->role])) {
      return false;
    }
  }
  if (e->kind == PLY_VERTEX && !add_vertex(p, value)) return false;
  if (e->kind == PLY_EDGE && !io_builder_segment(&p->mesh, (uint32_t)value[PLY_FROM], (uint32_t)value[PLY_TO]))
    return no_memory(p);
  if (!text) return true;
  io_text_blanks(&p->text);
  return io_text_at_eol(&p->text) || fail(p, "the line holds more values than the header announces");
}

static bool read_element(ply *p, const ply_element *e)
{
  static const char *const plural[] = {"vertices", "faces", "strips", "edges", "elements"};
  size_t left = (size_t)(p->text.end - p->text.at) + (p->header.format == PLY_ASCII);
  if (e->properties == 0) return true; /* takes no bytes, however many there are */
  if (e->count > left / e->least)
    return io_fail(p->error, p->source->name, 0, "the header claims %zu %s, but only %zu bytes are left for them",
                   e->count, plural[e->kind], (size_t)(p->text.end - p->text.at));
  p->element = e;
  bool reserved =
      io_builder_reserve(&p->mesh, e->kind == PLY_VERTEX ? e->count : 0, e->kind == PLY_FACE ? e->count : 0);
  if (!reserved) return no_memory(p);
  for (p->row = 0; p->row < e->count; ++p->row)
    if (!read_row(p)) return false;
  return true;
}

/* In a file of vertices alone. */
static bool add_points(ply *p)
{
  for (size_t i = 0; i < p->header.element_count; ++i) {
    const ply_element *e = &p->header.elements[i];
    if (e->count && e->kind != PLY_VERTEX && e->kind != PLY_OTHER) return true;
  }
  for (size_t v = 0; v < p->mesh.vertex_count; ++v)
    if (!io_builder_point(&p->mesh, (uint32_t)v)) return no_memory(p);
  return true;
}

/* A binary file that declares its coordinates double keeps them so, whatever the values are. */
static bool declares_double(const ply_header *h)
{
  if (h->format == PLY_ASCII) return false;
  for (size_t i = 0; i < h->property_count; ++i)
    if (h->properties[i].role <= PLY_Z && h->properties[i].type == PLY_F64) return true;
  return false;
}

bool io_read_ply(const io_source *source, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  ply p = {.source = source, .error = error};
  if (!ply_header_read(&p.text, source, &p.header, error)) return false;
  bool ok = true;
  for (size_t i = 0; ok && i < p.header.element_count; ++i) ok = read_element(&p, &p.header.elements[i]);
  ok = ok && add_points(&p);
  bool text = p.header.format == PLY_ASCII;
  p.mesh.is_double = p.mesh.is_double || declares_double(&p.header);
  ply_header_free(&p.header);
  if (!ok) {
    io_builder_free(&p.mesh);
    return false;
  }
  if (text) io_text_space(&p.text, 0);
  size_t surplus = (size_t)(p.text.end - p.text.at);
  if (!io_builder_finish(&p.mesh, source, out, error)) return false;
  if (surplus) io_note(out, "left out: what follows the last element (%zu bytes)", surplus);
  return true;
}
