/* Wavefront OBJ: v, f, l and p; everything else is left out, and said so where it would have been
 * shape. A face may name vertices that stand further down, so the largest such index is checked
 * at the end. A backslash at a line's end joins the next line, except in comments, where it is a
 * stray path more often than not. */
#include "io/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The groups of the parts of one kind so far. */
typedef struct obj_labels {
  uint32_t *of;
  size_t filled, room;
} obj_labels;

/* The current group, and all so far by name. Open addressing, O(1) each. */
typedef struct obj_groups {
  io_groups *out;   /* NULL: they are not wanted */
  const char *name; /* of the current one, in the source */
  size_t name_length;
  bool named; /* there was a g or an o */
  bool known; /* `current` is its number */
  uint32_t current;
  uint32_t *slots;  /* group + 1, or 0 */
  size_t slot_room; /* a power of two, or 0 */
  obj_labels triangles, segments, points;
} obj_groups;

typedef struct obj {
  io_text text;
  const io_source *source;
  io_builder mesh;
  int64_t ahead; /* the largest index beyond the vertices so far, and its line */
  size_t ahead_line;
  const char *ahead_of;                  /* what names it */
  size_t short_lines, surfaces, unknown; /* statements left out */
  size_t unknown_line;
  io_word unknown_word;
  obj_groups groups;
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

/* /texture, /texture/normal, //normal: the numbers do not matter, but a word must not hide among
 * them. */
static bool skip_references(io_text *t)
{
  for (int slash = 0; slash < 2 && t->at < t->end && *t->at == '/'; ++slash) {
    ++t->at;
    if (t->at < t->end && (*t->at == '-' || *t->at == '+')) ++t->at;
    while (t->at < t->end && *t->at >= '0' && *t->at <= '9') ++t->at;
  }
  return t->at == t->end || (unsigned char)*t->at <= ' ' || *t->at == '#' || *t->at == '\\';
}

/* A vertex of a face, a line or a point, which `of` names. */
static bool read_index(obj *o, const char *of, uint32_t *vertex, io_error *error)
{
  io_text *t = &o->text;
  const char *word = t->at;
  int64_t index = 0, count = (int64_t)o->mesh.vertex_count;
  io_number number = io_parse_integer(&t->at, t->end, &index);
  if (number == IO_NUMBER_NONE || (number == IO_NUMBER_OK && !skip_references(t)))
    return io_fail(error, o->source->name, t->line, "'%s' is not a %s's vertex (1, 1/2, 1//3 or 1/2/3)",
                   io_text_word(word, t->end).text, of);
  if (number == IO_NUMBER_LARGE || index > UINT32_MAX || -index > count)
    return io_fail(error, o->source->name, t->line, "%s names vertex %s of %lld", of, io_text_word(word, t->end).text,
                   (long long)count);
  if (index == 0) return io_fail(error, o->source->name, t->line, "%s names vertex 0; OBJ counts from 1", of);
  if (index > count && index > o->ahead) {
    o->ahead = index;
    o->ahead_line = t->line;
    o->ahead_of = of;
  }
  *vertex = (uint32_t)(index > 0 ? index - 1 : count + index);
  return true;
}

/* Is there another vertex in this statement? */
static bool has_index(obj *o)
{
  obj_blanks(&o->text);
  return !io_text_at_eol(&o->text) && *o->text.at != '#';
}

static bool read_face(obj *o, io_error *error)
{
  io_fan fan = {0};
  uint32_t vertex;
  while (has_index(o)) {
    if (!read_index(o, "face", &vertex, error)) return false;
    if (!io_fan_corner(&o->mesh, &fan, vertex)) return io_builder_no_memory(&o->mesh, o->source, error);
  }
  o->mesh.short_faces += fan.corners < 3;
  io_text_next_line(&o->text);
  return true;
}

static bool read_line(obj *o, io_error *error)
{
  uint32_t last = 0, vertex;
  size_t count = 0;
  for (; has_index(o); last = vertex) {
    if (!read_index(o, "line", &vertex, error)) return false;
    if (count++ && !io_builder_segment(&o->mesh, last, vertex)) return io_builder_no_memory(&o->mesh, o->source, error);
  }
  o->short_lines += count < 2;
  io_text_next_line(&o->text);
  return true;
}

static bool read_points(obj *o, io_error *error)
{
  uint32_t vertex;
  while (has_index(o)) {
    if (!read_index(o, "point", &vertex, error)) return false;
    if (!io_builder_point(&o->mesh, vertex)) return io_builder_no_memory(&o->mesh, o->source, error);
  }
  io_text_next_line(&o->text);
  return true;
}

/* ------------------------------------------------------------------------------------ groups -- */

static size_t hash_name(const char *name, size_t length)
{
  uint64_t h = 1469598103934665603u; /* FNV-1a */
  for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)name[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 32);
}

static bool grow_slots(obj_groups *g)
{
  size_t room = g->slot_room ? 2 * g->slot_room : 64;
  uint32_t *slots = calloc(room, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < g->out->count; ++i) {
    size_t at = hash_name(g->out->names[i], strlen(g->out->names[i])) & (room - 1);
    while (slots[at]) at = (at + 1) & (room - 1);
    slots[at] = (uint32_t)i + 1;
  }
  free(g->slots);
  g->slots = slots;
  g->slot_room = room;
  return true;
}

static bool add_group(obj_groups *g, size_t slot)
{
  io_groups *out = g->out;
  if ((out->count & (out->count - 1)) == 0) {
    char **moved = realloc(out->names, (out->count ? 2 * out->count : 1) * sizeof *moved);
    if (!moved) return false;
    out->names = moved;
  }
  char *name = malloc(g->name_length + 1);
  if (!name) return false;
  memcpy(name, g->name, g->name_length);
  name[g->name_length] = '\0';
  out->names[out->count++] = name;
  g->slots[slot] = (uint32_t)out->count;
  return true;
}

/* The number of the current group, which has triangles now. */
static bool find_group(obj_groups *g)
{
  io_groups *out = g->out;
  if (2 * (out->count + 1) > g->slot_room && !grow_slots(g)) return false;
  size_t at = hash_name(g->name, g->name_length) & (g->slot_room - 1);
  for (; g->slots[at]; at = (at + 1) & (g->slot_room - 1)) {
    const char *name = out->names[g->slots[at] - 1];
    if (strlen(name) == g->name_length && memcmp(name, g->name, g->name_length) == 0) break;
  }
  if (!g->slots[at] && !add_group(g, at)) return false;
  g->current = g->slots[at] - 1;
  g->known = true;
  return true;
}

/* The parts of one kind since the last call belong to the current group; there are `count` now. */
static bool group_parts(obj_groups *g, obj_labels *labels, size_t count)
{
  if (!g->out || labels->filled == count) return true;
  if (!g->known && !find_group(g)) return false;
  if (count > labels->room) {
    const size_t room = count + count / 2 + 64;
    uint32_t *moved = realloc(labels->of, room * sizeof *moved);
    if (!moved) return false;
    labels->of = moved;
    labels->room = room;
  }
  while (labels->filled < count) labels->of[labels->filled++] = g->current;
  return true;
}

static bool group_all(obj *o)
{
  obj_groups *g = &o->groups;
  return group_parts(g, &g->triangles, o->mesh.triangle_count) && group_parts(g, &g->segments, o->mesh.segment_count) &&
         group_parts(g, &g->points, o->mesh.point_count);
}

/* Segments stand behind triangles, and points behind segments. */
static bool join_labels(obj_groups *g)
{
  const obj_labels *rest[2] = {&g->segments, &g->points};
  for (int i = 0; i < 2 && g->out; ++i) {
    if (!rest[i]->filled) continue;
    const size_t filled = g->triangles.filled, count = filled + rest[i]->filled;
    uint32_t *moved = realloc(g->triangles.of, count * sizeof *moved);
    if (!moved) return false;
    memcpy(moved + filled, rest[i]->of, rest[i]->filled * sizeof *moved);
    g->triangles = (obj_labels){moved, count, count};
  }
  return true;
}

/* g and o: the rest of the line is the name, without blanks and backslashes at its end; a name
 * holds no zero byte. */
static void begin_group(obj *o)
{
  io_text *t = &o->text;
  io_text_blanks(t);
  const char *name = t->at, *end = name;
  while (end < t->end && *end != t->eol && *end != '\n' && *end != '\r' && *end) ++end;
  while (end > name && (io_is_space(end[-1]) || end[-1] == '\\')) --end;
  o->groups.named = true;
  o->groups.name = end > name ? name : "default";
  o->groups.name_length = end > name ? (size_t)(end - name) : strlen("default");
  o->groups.known = false;
}

static bool is_one_of(const char *word, size_t length, const char *list)
{
  for (const char *p = list; *p; p += strlen(p) + 1)
    if (strlen(p) == length && memcmp(p, word, length) == 0) return true;
  return false;
}

/* Everything but v, f, l and p. */
static void leave_out(obj *o, const char *word, size_t length)
{
  static const char attributes[] =
      "vt\0vn\0vp\0g\0s\0mg\0o\0usemtl\0mtllib\0usemap\0maplib\0bevel\0c_interp\0d_interp\0lod\0"
      "shadow_obj\0trace_obj\0cstype\0deg\0bmat\0step\0parm\0trim\0hole\0scrv\0sp\0end\0con\0"
      "ctech\0stech\0";
  static const char free_form[] = "curv\0curv2\0surf\0";
  if (is_one_of(word, length, free_form))
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
  if (length == 1 && (*word == 'f' || *word == 'l' || *word == 'p'))
    return (*word == 'f'   ? read_face(o, error)
            : *word == 'l' ? read_line(o, error)
                           : read_points(o, error)) &&
           (group_all(o) || io_builder_no_memory(&o->mesh, o->source, error));
  if (length == 1 && (*word == 'g' || *word == 'o')) begin_group(o);
  leave_out(o, word, length);
  return true;
}

static void add_notes(const obj *o, io_mesh *mesh)
{
  if (o->short_lines) io_note(mesh, "left out: lines of fewer than 2 vertices (%zu)", o->short_lines);
  mesh->is_partial = o->surfaces > 0;
  if (o->surfaces) io_note(mesh, "left out: free-form curves and surfaces (%zu)", o->surfaces);
  if (o->unknown)
    io_note(mesh, "left out: statements that OBJ does not know (%zu, first '%s' in line %zu)", o->unknown,
            o->unknown_word.text, o->unknown_line);
}

static bool read_statements(obj *o, io_error *error)
{
  bool ok = true;
  while (ok) {
    io_text_space(&o->text, '#');
    if (io_text_ended(&o->text)) break;
    ok = read_statement(o, error);
  }
  if (ok && o->ahead > (int64_t)o->mesh.vertex_count)
    ok = io_fail(error, o->source->name, o->ahead_line, "%s names vertex %lld of %zu", o->ahead_of, (long long)o->ahead,
                 o->mesh.vertex_count);
  if (!ok) io_builder_free(&o->mesh);
  return ok;
}

bool io_read_obj_groups(const io_source *source, io_mesh *out, io_groups *groups, io_error *error)
{
  obj o = {.text = io_text_open(source), .source = source};
  o.groups = (obj_groups){.out = groups, .name = "default", .name_length = strlen("default")};
  *out = (io_mesh){0};
  /* a byte order mark */
  if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0) o.text.at += 3;
  bool ok = read_statements(&o, error) && (join_labels(&o.groups) || io_builder_no_memory(&o.mesh, source, error)) &&
            io_builder_finish(&o.mesh, source, out, error);
  if (groups) groups->of_triangle = o.groups.triangles.of;
  free(o.groups.segments.of);
  free(o.groups.points.of);
  free(o.groups.slots);
  if (ok) add_notes(&o, out);
  if (groups && !(ok && o.groups.named)) io_groups_free(groups);
  return ok;
}

bool io_read_obj(const io_source *source, io_mesh *out, io_error *error)
{
  return io_read_obj_groups(source, out, NULL, error);
}

void io_groups_free(io_groups *groups)
{
  for (size_t i = 0; i < groups->count; ++i) free(groups->names[i]);
  free(groups->names);
  free(groups->of_triangle);
  *groups = (io_groups){0};
}
