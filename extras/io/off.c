/* Object File Format: [ST][C][N]OFF, text. Vertex colours, normals and texture coordinates, face
 * colours and the count of edges are passed over. 4OFF, nOFF and binary files are refused.
 * Comments run from # to the end of the line. */
#include "io/text.h"

typedef struct off {
  io_text text;
  const io_source *source;
  io_builder mesh;
  size_t vertices, faces; /* as the header claims */
  /* numbers that may follow the coordinates of a vertex; -1: any (colours have 3 or 4) */
  int extra;
} off;

/* [ST][C][N][4][n]OFF at the first word; `length` is that of the word up to OFF, which digits
 * may follow at once. */
static bool match_keyword(const char *at, const char *end, size_t *length, int *extra, bool *other)
{
  const char *p = at;
  *extra = 0;
  *other = false;
  if (end - p > 2 && p[0] == 'S' && p[1] == 'T') p += 2, *extra += 2;
  if (p < end && *p == 'C') ++p, *extra = -1;
  if (p < end && *p == 'N') ++p, *extra += *extra < 0 ? 0 : 3;
  for (; p < end && (*p == '4' || *p == 'n'); ++p) *other = true;
  if (end - p < 3 || memcmp(p, "OFF", 3) != 0) return false;
  p += 3;
  *length = (size_t)(p - at);
  return p == end || (unsigned char)*p <= ' ' || *p == '#' || (*p >= '0' && *p <= '9');
}

static io_text open_text(const io_source *source)
{
  io_text t = io_text_open(source);
  /* a byte order mark */
  if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0) t.at += 3;
  io_text_space(&t, '#');
  return t;
}

bool io_is_off(const io_source *source)
{
  io_text t = open_text(source);
  size_t length;
  int extra;
  bool other;
  return match_keyword(t.at, t.end, &length, &extra, &other);
}

static bool read_count(off *o, const char *what, size_t *out, io_error *error)
{
  io_text *t = &o->text;
  io_text_space(t, '#');
  const char *word = t->at;
  int64_t count = 0;
  io_number number = io_parse_integer(&t->at, t->end, &count);
  bool ends = t->at == t->end || (unsigned char)*t->at <= ' ' || *t->at == '#';
  if (number != IO_NUMBER_OK || count < 0 || !ends)
    return io_fail(error, o->source->name, t->line, "'%s' stands where the number of %s should be",
                   io_text_word(word, t->end).text, what);
  *out = (size_t)count;
  return true;
}

/* The first word may be missing, as the format allows; then the counts come first. */
static bool read_header(off *o, io_error *error)
{
  io_text *t = &o->text;
  size_t length;
  bool other;
  if (match_keyword(t->at, t->end, &length, &o->extra, &other)) {
    if (other)
      return io_fail(error, o->source->name, t->line, "only points with three coordinates are read, not '%s'",
                     io_text_word(t->at, t->end).text);
    t->at += length;
    io_text_blanks(t);
    if (t->end - t->at >= 6 && memcmp(t->at, "BINARY", 6) == 0)
      return io_fail(error, o->source->name, t->line, "binary OFF is not read; save it as text, or as PLY");
  } else if (t->at == t->end || *t->at < '0' || *t->at > '9') {
    return io_fail(error, o->source->name, t->line, "does not start with OFF, as an OFF file should");
  }
  if (!read_count(o, "vertices", &o->vertices, error) || !read_count(o, "faces", &o->faces, error)) return false;
  io_text_next_line(t); /* the number of edges, which may be missing */

  /* A vertex takes at least six characters, a face two; the very last may lack its line end. */
  size_t left = (size_t)(t->end - t->at) + 1;
  if (o->vertices > left / 6 || o->faces > (left - 6 * o->vertices) / 2)
    return io_fail(error, o->source->name, 0, "the header claims %zu vertices and %zu faces, but only %zu bytes follow",
                   o->vertices, o->faces, left - 1);
  return true;
}

static bool read_vertex(off *o, io_error *error)
{
  io_text *t = &o->text;
  double xyz[3];
  for (int k = 0; k < 3; ++k) {
    io_text_space(t, '#');
    if (io_text_ended(t))
      return io_fail(error, o->source->name, t->line, "the file ends after %zu of %zu vertices", o->mesh.vertex_count,
                     o->vertices);
    if (!io_text_coordinate(t, o->source, &xyz[k], error)) return false;
  }
  int extra = 0;
  for (;; ++extra) {
    io_text_blanks(t);
    if (io_text_at_eol(t) || *t->at == '#') break;
    t->at = io_text_word_end(t);
  }
  if (o->extra >= 0 && extra > o->extra)
    return io_fail(error, o->source->name, t->line,
                   "vertex has %d numbers where %d were expected; each needs its own line", 3 + extra, 3 + o->extra);
  return io_builder_vertex(&o->mesh, xyz) || io_builder_no_memory(&o->mesh, o->source, error);
}

static bool read_index(off *o, int64_t *out, io_error *error)
{
  io_text *t = &o->text;
  io_text_space(t, '#');
  const char *word = t->at;
  io_number number = io_parse_integer(&t->at, t->end, out);
  bool ends = t->at == t->end || (unsigned char)*t->at <= ' ' || *t->at == '#';
  if (number == IO_NUMBER_OK && ends) return true;
  if (word == t->end) return io_fail(error, o->source->name, t->line, "the file ends within its %zu faces", o->faces);
  return io_fail(error, o->source->name, t->line, "'%s' is not a vertex of a face", io_text_word(word, t->end).text);
}

static bool read_face(off *o, io_error *error)
{
  int64_t corners, index;
  if (!read_index(o, &corners, error)) return false;
  if (corners < 0) return io_fail(error, o->source->name, o->text.line, "face of %lld vertices", (long long)corners);
  io_fan fan = {0};
  for (int64_t i = 0; i < corners; ++i) {
    if (!read_index(o, &index, error)) return false;
    if (index < 0 || (uint64_t)index >= o->vertices)
      return io_fail(error, o->source->name, o->text.line, "face names vertex %lld of %zu (counted from 0)",
                     (long long)index, o->vertices);
    if (!io_fan_corner(&o->mesh, &fan, (uint32_t)index)) return io_builder_no_memory(&o->mesh, o->source, error);
  }
  o->mesh.short_faces += corners < 3;
  io_text_next_line(&o->text); /* the face's colour */
  return true;
}

bool io_read_off(const io_source *source, io_mesh *out, io_error *error)
{
  off o = {.text = open_text(source), .source = source};
  *out = (io_mesh){0};
  bool ok = read_header(&o, error);
  if (ok && !io_builder_reserve(&o.mesh, o.vertices, o.faces)) return io_builder_no_memory(&o.mesh, source, error);
  for (size_t i = 0; ok && i < o.vertices; ++i) ok = read_vertex(&o, error);
  for (size_t i = 0; ok && i < o.faces; ++i) ok = read_face(&o, error);
  if (!ok) {
    io_builder_free(&o.mesh);
    return false;
  }
  io_text_space(&o.text, '#');
  size_t surplus = (size_t)(o.text.end - o.text.at), line = o.text.line;
  if (!io_builder_finish(&o.mesh, source, out, error)) return false;
  if (surplus) io_note(out, "left out: what follows the last face, from line %zu on", line);
  return true;
}
