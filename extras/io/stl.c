/* STL, binary and text. Which one it is, the size tells: 84 + 50 n bytes, n in bytes 80 to 83,
 * is binary, even if it begins with "solid". STL has no shared vertices; those at exactly the same
 * position become one, in the order of their first use. */
#include "io/text.h"

#include <math.h>
#include <strings.h>

enum { HEADER = 84, RECORD = 50 };

typedef struct stl {
  const io_source *source;
  io_builder mesh;
  io_weld weld;
} stl;

static uint32_t little_32(const char *at)
{
  const unsigned char *p = (const unsigned char *)at;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float little_float(const char *at)
{
  uint32_t bits = little_32(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t claimed_size(const io_source *s) { return HEADER + (uint64_t)RECORD * little_32(s->data + 80); }
static bool has_exact_size(const io_source *s) { return s->size >= HEADER && claimed_size(s) == s->size; }

static bool word_is(const io_text *t, const char *word)
{
  size_t length = (size_t)(io_text_word_end(t) - t->at);
  return length == strlen(word) && strncasecmp(t->at, word, length) == 0;
}

/* "solid", and the next line begins with facet or endsolid. */
static bool looks_like_text(const io_source *source)
{
  io_text t = io_text_open(source);
  io_text_space(&t, 0);
  if (!word_is(&t, "solid")) return false;
  io_text_next_line(&t);
  io_text_space(&t, 0);
  return word_is(&t, "facet") || word_is(&t, "endsolid");
}

/* For a file that is STL by its name: text unless bytes show that text never has. So a mistake
 * in a text file is named by its line, and not as a wrong count in a binary header. */
static bool is_text(const io_source *source)
{
  if (has_exact_size(source)) return false;
  io_text t = io_text_open(source);
  io_text_space(&t, 0);
  size_t front = source->size < 512 ? source->size : 512;
  return word_is(&t, "solid") && !memchr(source->data, '\0', front);
}

bool io_is_stl(const io_source *source)
{
  return (has_exact_size(source) && little_32(source->data + 80) > 0) || looks_like_text(source);
}

static bool add_triangle(stl *s, double corners[3][3], io_error *error)
{
  uint32_t v[3];
  for (int k = 0; k < 3; ++k)
    if (!io_weld_vertex(&s->weld, &s->mesh, corners[k], &v[k])) return io_builder_no_memory(&s->mesh, s->source, error);
  return io_builder_triangle(&s->mesh, v[0], v[1], v[2]) || io_builder_no_memory(&s->mesh, s->source, error);
}

static bool read_binary(stl *s, io_error *error)
{
  const io_source *source = s->source;
  if (source->size < HEADER)
    return io_fail(error, source->name, 0, "is neither text STL (no 'solid', 'facet') nor binary (only %zu bytes)",
                   source->size);
  uint32_t count = little_32(source->data + 80);
  if (claimed_size(source) > source->size)
    return io_fail(error, source->name, 0,
                   "the header claims %lu triangles, which are %llu bytes, but the file has %zu", (unsigned long)count,
                   (unsigned long long)claimed_size(source), source->size);
  if (!io_builder_reserve(&s->mesh, 0, count)) return io_builder_no_memory(&s->mesh, source, error);
  for (uint32_t i = 0; i < count; ++i) {
    const char *record = source->data + HEADER + (size_t)RECORD * i + 12; /* past the normal */
    double corners[3][3];
    for (int k = 0; k < 9; ++k) {
      corners[k / 3][k % 3] = little_float(record + 4 * k);
      if (!isfinite(corners[k / 3][k % 3]))
        return io_fail(error, source->name, 0, "triangle %lu has a coordinate that is not finite", (unsigned long)i);
    }
    if (!add_triangle(s, corners, error)) return false;
  }
  return true;
}

/* The next word, on this line or a later one, must be this one. */
static bool expect(stl *s, io_text *t, const char *word, io_error *error)
{
  io_text_space(t, 0);
  if (io_text_ended(t)) return io_fail(error, s->source->name, t->line, "the file ends where '%s' should stand", word);
  if (!word_is(t, word))
    return io_fail(error, s->source->name, t->line, "'%s' stands where '%s' should", io_text_word(t->at, t->end).text,
                   word);
  t->at = io_text_word_end(t);
  return true;
}

/* From the word after `facet` to endfacet. */
static bool read_facet(stl *s, io_text *t, io_error *error)
{
  double corners[3][3];
  io_text_next_line(t); /* the normal: it is not used, and is often nan */
  if (!expect(s, t, "outer", error) || !expect(s, t, "loop", error)) return false;
  for (int k = 0; k < 3; ++k) {
    if (!expect(s, t, "vertex", error)) return false;
    for (int c = 0; c < 3; ++c) {
      io_text_blanks(t);
      if (!io_text_coordinate(t, s->source, &corners[k][c], error)) return false;
    }
  }
  if (!expect(s, t, "endloop", error) || !expect(s, t, "endfacet", error)) return false;
  return add_triangle(s, corners, error);
}

static bool read_text(stl *s, io_error *error)
{
  io_text t = io_text_open(s->source);
  bool inside = false;
  for (io_text_space(&t, 0); !io_text_ended(&t); io_text_space(&t, 0)) {
    bool facet = inside && word_is(&t, "facet");
    bool begins = !inside && word_is(&t, "solid"), ends = inside && (word_is(&t, "endsolid") || word_is(&t, "end"));
    if (!facet && !begins && !ends)
      return io_fail(error, s->source->name, t.line, "'%s' stands where '%s' should", io_text_word(t.at, t.end).text,
                     inside ? "facet' or 'endsolid" : "solid");
    t.at = io_text_word_end(&t);
    if (facet && !read_facet(s, &t, error)) return false;
    if (begins || ends) {
      inside = begins;
      io_text_next_line(&t); /* the name */
    }
  }
  return !inside || io_fail(error, s->source->name, t.line, "the file ends without 'endsolid'; is it complete?");
}

bool io_read_stl(const io_source *source, io_mesh *out, io_error *error)
{
  stl s = {.source = source};
  *out = (io_mesh){0};
  bool text = is_text(source);
  bool ok = text ? read_text(&s, error) : read_binary(&s, error);
  io_weld_free(&s.weld);
  if (!ok) {
    io_builder_free(&s.mesh);
    return false;
  }
  if (!io_builder_finish(&s.mesh, source, out, error)) return false;
  if (!text && !has_exact_size(source))
    io_note(out, "left out: what follows the last triangle (%llu bytes)",
            (unsigned long long)(source->size - claimed_size(source)));
  return true;
}
