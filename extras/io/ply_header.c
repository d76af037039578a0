/* The text part of a PLY file. Its lines end as its first one does, since binary data may
 * follow. */
#include "io/ply_header.h"

#include <stdlib.h>

size_t ply_type_size(ply_type type)
{
  static const unsigned char sizes[] = {
#define X(name_of_type, name, other, size) size,
      PLY_TYPES(X)
#undef X
  };
  return sizes[type];
}

bool io_is_ply(const io_source *source)
{
  return source->size >= 4 && memcmp(source->data, "ply", 3) == 0 && strchr("\r\n \t", source->data[3]) &&
         source->data[3];
}

/* The words of one header line. */
typedef struct line {
  const char *word[6];
  size_t length[6];
  size_t count; /* of the words; those after the sixth are not kept */
} line;

static line split(io_text *t)
{
  line l = {.count = 0};
  for (;;) {
    io_text_blanks(t);
    if (io_text_at_eol(t)) return l;
    const char *end = io_text_word_end(t);
    if (l.count < 6) {
      l.word[l.count] = t->at;
      l.length[l.count] = (size_t)(end - t->at);
    }
    ++l.count;
    t->at = end;
  }
}

static bool is(const line *l, size_t i, const char *word)
{
  return i < l->count && i < 6 && l->length[i] == strlen(word) && memcmp(l->word[i], word, l->length[i]) == 0;
}

static io_word shown(const line *l, size_t i)
{
  if (i >= l->count || i >= 6) return (io_word){""};
  return io_text_word(l->word[i], l->word[i] + l->length[i]);
}

static bool parse_type(const line *l, size_t i, ply_type *out)
{
#define X(type, name, other, size)                                                                                     \
  if (is(l, i, name) || is(l, i, other)) {                                                                             \
    *out = type;                                                                                                       \
    return true;                                                                                                       \
  }
  PLY_TYPES(X)
#undef X
  return false;
}

/* One more of `size` bytes at the end of an array that has room for the next power of two. */
static bool append(void **array, size_t *count, const void *item, size_t size)
{
  if ((*count & (*count - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
    void *moved = realloc(*array, (*count ? 2 * *count : 1) * size);
    if (!moved) return false;
    *array = moved;
  }
  memcpy((char *)*array + *count * size, item, size);
  ++*count;
  return true;
}

typedef struct state {
  ply_header *header;
  const io_source *source;
  size_t line;
  bool has_format;
  io_error *error;
} state;

static bool read_format(state *s, const line *l)
{
  static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  for (int i = 0; i < 3; ++i) {
    if (!is(l, 1, names[i])) continue;
    s->header->format = (ply_format)i;
    s->has_format = true;
    return true;
  }
  return io_fail(s->error, s->source->name, s->line, "format '%s' is not known", shown(l, 1).text);
}

static bool read_element(state *s, const line *l)
{
  ply_header *h = s->header;
  int64_t count = 0;
  const char *at = l->count == 3 ? l->word[2] : NULL, *end = at ? at + l->length[2] : NULL;
  if (!at || io_parse_integer(&at, end, &count) != IO_NUMBER_OK || at != end || count < 0)
    return io_fail(s->error, s->source->name, s->line, "an element needs a name and a count, as in 'element vertex 8'");
  ply_element e = {.kind = PLY_OTHER, .count = (size_t)count, .first = h->property_count};
  if (is(l, 1, "vertex")) e.kind = PLY_VERTEX;
  if (is(l, 1, "face")) e.kind = PLY_FACE;
  if (is(l, 1, "tristrips")) e.kind = PLY_STRIPS;
  if (is(l, 1, "edge")) e.kind = PLY_EDGE;
  for (size_t i = 0; i < h->element_count; ++i)
    if (e.kind != PLY_OTHER && h->elements[i].kind == e.kind)
      return io_fail(s->error, s->source->name, s->line, "element '%s' is announced twice", shown(l, 1).text);
  if (e.kind == PLY_VERTEX) h->vertex_count = e.count;
  void *elements = h->elements;
  bool ok = append(&elements, &h->element_count, &e, sizeof e);
  h->elements = elements;
  return ok || io_fail(s->error, s->source->name, s->line, "out of memory");
}

static ply_role role_of(const line *l, size_t i, const ply_element *e, bool is_list)
{
  if (is_list) {
    bool indices = is(l, i, "vertex_indices") || is(l, i, "vertex_index");
    return indices && (e->kind == PLY_FACE || e->kind == PLY_STRIPS) ? PLY_INDICES : PLY_SKIP;
  }
  if (e->kind == PLY_EDGE) return is(l, i, "vertex1") ? PLY_FROM : is(l, i, "vertex2") ? PLY_TO : PLY_SKIP;
  if (e->kind != PLY_VERTEX) return PLY_SKIP;
  return is(l, i, "x") ? PLY_X : is(l, i, "y") ? PLY_Y : is(l, i, "z") ? PLY_Z : PLY_SKIP;
}

static bool read_property(state *s, const line *l)
{
  ply_header *h = s->header;
  if (h->element_count == 0) return io_fail(s->error, s->source->name, s->line, "a property stands before any element");
  ply_element *e = &h->elements[h->element_count - 1];
  ply_property p = {.is_list = is(l, 1, "list")};
  if (p.is_list && !parse_type(l, 2, &p.count_type))
    return io_fail(s->error, s->source->name, s->line, "property type '%s' is not known", shown(l, 2).text);
  size_t at = p.is_list ? 3 : 1; /* of the type; the name follows */
  if (!parse_type(l, at, &p.type))
    return io_fail(s->error, s->source->name, s->line, "property type '%s' is not known", shown(l, at).text);
  if (l->count != at + 2) return io_fail(s->error, s->source->name, s->line, "a property needs a type and a name");
  if (p.is_list && p.count_type >= PLY_F32)
    return io_fail(s->error, s->source->name, s->line, "the length of a list must be an integer");
  p.role = role_of(l, at + 1, e, p.is_list);
  if (p.role >= PLY_FROM && p.role <= PLY_INDICES && p.type >= PLY_F32)
    return io_fail(s->error, s->source->name, s->line, "vertex indices must be integers");
  for (size_t i = e->first; i < h->property_count; ++i)
    if (p.role != PLY_SKIP && h->properties[i].role == p.role)
      return io_fail(s->error, s->source->name, s->line, "property '%s' is announced twice", shown(l, at + 1).text);
  e->least += h->format == PLY_ASCII ? 2 : ply_type_size(p.is_list ? p.count_type : p.type);
  ++e->properties;
  void *properties = h->properties;
  bool ok = append(&properties, &h->property_count, &p, sizeof p);
  h->properties = properties;
  return ok || io_fail(s->error, s->source->name, s->line, "out of memory");
}

static bool has_role(const ply_header *h, const ply_element *e, ply_role role)
{
  for (size_t i = e->first; i < e->first + e->properties; ++i)
    if (h->properties[i].role == role) return true;
  return false;
}

static bool check(state *s)
{
  const ply_header *h = s->header;
  if (h->vertex_count >= UINT32_MAX)
    return io_fail(s->error, s->source->name, 0, "the header claims %zu vertices; 4294967294 are the most",
                   h->vertex_count);
  bool vertices = false;
  for (size_t i = 0; i < h->element_count; ++i) {
    const ply_element *e = &h->elements[i];
    bool indices = has_role(h, e, PLY_INDICES);
    vertices = vertices || e->kind == PLY_VERTEX;
    if (e->kind == PLY_VERTEX && !(has_role(h, e, PLY_X) && has_role(h, e, PLY_Y) && has_role(h, e, PLY_Z)))
      return io_fail(s->error, s->source->name, 0, "its vertices have no x, y and z");
    if (e->kind == PLY_FACE && !indices)
      return io_fail(s->error, s->source->name, 0, "its faces have no list vertex_indices");
    if (e->kind == PLY_EDGE && !(has_role(h, e, PLY_FROM) && has_role(h, e, PLY_TO)))
      h->elements[i].kind = PLY_OTHER; /* edges of something else */
  }
  return vertices || io_fail(s->error, s->source->name, 0, "holds no vertices and no triangles; a surface is needed");
}

static bool read_lines(state *s, io_text *t)
{
  for (bool first = true;; first = false) {
    s->line = t->line;
    line l = split(t);
    if (io_text_ended(t) && !is(&l, 0, "end_header"))
      return io_fail(s->error, s->source->name, t->line, "the header has no end_header; is the file complete?");
    io_text_next_line(t);
    if (first || l.count == 0 || is(&l, 0, "comment") || is(&l, 0, "obj_info")) continue;
    if (is(&l, 0, "end_header")) break;
    bool format = is(&l, 0, "format"), element = is(&l, 0, "element"), property = is(&l, 0, "property");
    if (!format && !element && !property)
      return io_fail(s->error, s->source->name, s->line, "'%s' is not known in a PLY header", shown(&l, 0).text);
    if (format == s->has_format)
      return io_fail(s->error, s->source->name, s->line, format ? "a second format" : "the format must come first");
    if (!(format ? read_format(s, &l) : element ? read_element(s, &l) : read_property(s, &l))) return false;
  }
  return s->has_format || io_fail(s->error, s->source->name, s->line, "the header names no format");
}

bool ply_header_read(io_text *text, const io_source *source, ply_header *out, io_error *error)
{
  *out = (ply_header){0};
  if (!io_is_ply(source)) return io_fail(error, source->name, 1, "does not start with 'ply', as a PLY file must");
  const char *p = source->data + 3, *end = source->data + source->size;
  while (p < end && (*p == ' ' || *p == '\t')) ++p;
  bool cr_only = p < end && *p == '\r' && (p + 1 == end || p[1] != '\n');
  *text = (io_text){source->data, end, 1, cr_only ? '\r' : '\n'};
  state s = {out, source, 1, false, error};
  if (read_lines(&s, text) && check(&s)) return true;
  ply_header_free(out);
  return false;
}

void ply_header_free(ply_header *header)
{
  free(header->elements);
  free(header->properties);
  *header = (ply_header){0};
}
