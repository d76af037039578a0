/* Wavefront OBJ: v and f; everything else is left out, and said so where it would have been shape.
 * A face may name vertices that stand further down, so the largest such index is checked at the end.
 * A backslash at a line's end joins the next line, except in comments, where it is a stray path more often than not. */
#include "io/text.h"

#include <stdio.h>

typedef struct obj {
  io_text text;
  const io_source *source;
  io_builder mesh;
  int64_t ahead; /* the largest index beyond the vertices so far, and its line */
  size_t ahead_line;
  size_t lines_points, surfaces, unknown; /* statements left out */
  size_t unknown_line;
  io_word unknown_word;
} obj;

/* Blanks, and joined lines. */
static void obj_blanks(io_text *t)
{
  for (;;) {
    io_text_blanks(t);
    if (t->at == t->end || *t->at != '\\') return;
    io_text next = *t;
    ++next.at;
    io_text_blanks(&next);
    if (!io_text_at_eol(&next)) return;
    io_text_next_line(&next);
    *t = next;
  }
}

static bool joins_next(const io_text *t, const char *line, const char *end)
{
  while (end > line && end[-1] != t->eol && io_is_space(end[-1])) --end;
  return end > line && end[-1] == '\\';
}

/* Past the rest of a statement and the lines that it is joined with. */
static void skip_statement(io_text *t)
{
  for (;;) {
    const char *line = t->at;
    io_text_next_line(t);
    const char *end = t->at > line && t->at[-1] == t->eol ? t->at - 1 : t->at;
    if (io_text_ended(t) || !joins_next(t, line, end)) return;
  }
}

static bool read_vertex(obj *o, io_error *error)
{
  double xyz[3];
  for (int k = 0; k < 3; ++k) {
    obj_blanks(&o->text);
    if (!io_text_coordinate(&o->text, o->source, &xyz[k], error)) return false;
  }
  skip_statement(&o->text); /* a weight or a colour */
  return io_builder_vertex(&o->mesh, xyz) || io_builder_no_memory(&o->mesh, o->source, error);
}

/* /texture, /texture/normal, //normal: the numbers do not matter, but a word must not hide among them. */
static bool skip_references(io_text *t)
{
  for (int slash = 0; slash < 2 && t->at < t->end && *t->at == '/'; ++slash) {
    ++t->at;
    if (t->at < t->end && (*t->at == '-' || *t->at == '+')) ++t->at;
    while (t->at < t->end && *t->at >= '0' && *t->at <= '9') ++t->at;
  }
  return t->at == t->end || (unsigned char)*t->at <= ' ' || *t->at == '#' || *t->at == '\\';
}

static bool read_corner(obj *o, io_fan *fan, io_error *error)
{
  io_text *t = &o->text;
  const char *word = t->at;
  int64_t index = 0, count = (int64_t)o->mesh.vertex_count;
  io_number number = io_parse_integer(&t->at, t->end, &index);
  if (number == IO_NUMBER_NONE || (number == IO_NUMBER_OK && !skip_references(t)))
    return io_fail(error, o->source->name, t->line, "'%s' is not a face's vertex (1, 1/2, 1//3 or 1/2/3)",
                   io_text_word(word, t->end).text);
  if (number == IO_NUMBER_LARGE || index > UINT32_MAX || -index > count)
    return io_fail(error, o->source->name, t->line, "face names vertex %s of %lld", io_text_word(word, t->end).text,
                   (long long)count);
  if (index == 0) return io_fail(error, o->source->name, t->line, "face names vertex 0; OBJ counts from 1");
  if (index > count && index > o->ahead) {
    o->ahead = index;
    o->ahead_line = t->line;
  }
  uint32_t vertex = (uint32_t)(index > 0 ? index - 1 : count + index);
  return io_fan_corner(&o->mesh, fan, vertex) || io_builder_no_memory(&o->mesh, o->source, error);
}

static bool read_face(obj *o, io_error *error)
{
  io_fan fan = {0};
  for (;;) {
    obj_blanks(&o->text);
    if (io_text_at_eol(&o->text) || *o->text.at == '#') break;
    if (!read_corner(o, &fan, error)) return false;
  }
  o->mesh.short_faces += fan.corners < 3;
  io_text_next_line(&o->text);
  return true;
}

static bool is_one_of(const char *word, size_t length, const char *list)
{
  for (const char *p = list; *p; p += strlen(p) + 1)
    if (strlen(p) == length && memcmp(p, word, length) == 0) return true;
  return false;
}

/* Everything but v and f. */
static void leave_out(obj *o, const char *word, size_t length)
{
  static const char attributes[] =
      "vt\0vn\0vp\0g\0s\0mg\0o\0usemtl\0mtllib\0usemap\0maplib\0bevel\0c_interp\0d_interp\0lod\0"
      "shadow_obj\0trace_obj\0cstype\0deg\0bmat\0step\0parm\0trim\0hole\0scrv\0sp\0end\0con\0"
      "ctech\0stech\0";
  static const char edges[] = "l\0p\0";
  static const char free_form[] = "curv\0curv2\0surf\0";
  if (is_one_of(word, length, edges))
    ++o->lines_points;
  else if (is_one_of(word, length, free_form))
    ++o->surfaces;
  else if (!is_one_of(word, length, attributes) && o->unknown++ == 0) {
    o->unknown_line = o->text.line;
    o->unknown_word = io_text_word(word, word + length);
  }
  skip_statement(&o->text);
}

static bool read_statement(obj *o, io_error *error)
{
  const char *word = o->text.at;
  o->text.at = io_text_word_end(&o->text);
  size_t length = (size_t)(o->text.at - word);
  if (length == 1 && *word == 'v') return read_vertex(o, error);
  if (length == 1 && *word == 'f') return read_face(o, error);
  leave_out(o, word, length);
  return true;
}

static void add_notes(const obj *o, io_mesh *mesh)
{
  if (o->lines_points) io_note(mesh, "left out: lines and points (%zu)", o->lines_points);
  if (o->surfaces) io_note(mesh, "left out: free-form curves and surfaces (%zu)", o->surfaces);
  if (o->unknown)
    io_note(mesh, "left out: statements that OBJ does not know (%zu, first '%s' in line %zu)", o->unknown,
            o->unknown_word.text, o->unknown_line);
}

bool io_read_obj(const io_source *source, io_mesh *out, io_error *error)
{
  obj o = {.text = io_text_open(source), .source = source};
  *out = (io_mesh){0};
  if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0) o.text.at += 3; /* a byte order mark */
  bool ok = true;
  while (ok) {
    io_text_space(&o.text, '#');
    if (io_text_ended(&o.text)) break;
    ok = read_statement(&o, error);
  }
  if (ok && o.ahead > (int64_t)o.mesh.vertex_count)
    ok = io_fail(error, source->name, o.ahead_line, "face names vertex %lld of %zu", (long long)o.ahead,
                 o.mesh.vertex_count);
  if (!ok) {
    io_builder_free(&o.mesh);
    return false;
  }
  if (!io_builder_finish(&o.mesh, source, out, error)) return false;
  add_notes(&o, out);
  return true;
}
