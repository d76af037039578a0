/* The triangles of all frames as a glTF animation: every frame has nodes of its own, and a scale
 * of 1 while it is shown, 0 before and after. That is how glTF makes nodes visible; viewers
 * leave out what has the scale 0. */
#include "common/contacts_inside.h"

#include "common/output.h"
#include "io/show.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangles of one body in one frame: list[begin .. end). */
typedef struct run {
  size_t begin, end;
  size_t frame; /* how many frames are before it in the list */
} run;

static bool next_run(const contacts_out *o, run *r)
{
  size_t before = r->begin;
  r->begin = r->end;
  if (r->begin == o->count) return false;
  const found *f = &o->list[r->begin];
  r->frame += r->begin > 0 && o->list[before].frame != f->frame;
  while (r->end < o->count && o->list[r->end].frame == f->frame && o->list[r->end].body == f->body) ++r->end;
  return true;
}

/* What is written before the parts are. */
typedef struct counts {
  size_t runs, frames; /* runs, and frames that have any */
  bool animated;       /* several frames were looked at */
} counts;

static counts count(const contacts_out *o)
{
  counts c = {.animated = !o->numbered && o->count > 0 && o->stage->end - o->stage->begin > 1};
  run r = {0};
  for (; next_run(o, &r); ++c.runs) c.frames = r.frame + 1;
  return c;
}

/* -------------------------------------------------------------------------------------- keys -- */

/* When a frame is shown: from its time to the next frame's, or to the end. */
typedef enum keys { KEYS_FIRST, KEYS_MIDDLE, KEYS_LAST, KEYS_KINDS } keys;
enum { KEYS_MOST = 3 };
static const int key_counts[KEYS_KINDS] = {2, 3, 3};
static const float key_scales[KEYS_KINDS][KEYS_MOST] = {{1, 0}, {0, 1, 0}, {0, 1, 1}};
enum { SCALES_SIZE = 12 * (2 + 3 + 3), TIMES_SIZE = 4 * KEYS_MOST };

static keys keys_of(const stage *s, size_t frame)
{
  return frame == s->begin ? KEYS_FIRST : frame + 1 == s->end ? KEYS_LAST : KEYS_MIDDLE;
}

/* Rounded down: who looks at the time of a frame sees this frame, not the one before. */
static float time_of(const stage *s, size_t frame)
{
  double exact = (double)(frame - s->begin) / s->fps;
  float time = (float)exact;
  return (double)time > exact ? nextafterf(time, 0) : time;
}

/* Two or three, from 0 on. */
static void key_times(const stage *s, size_t frame, float times[KEYS_MOST])
{
  float shown = time_of(s, frame), over = time_of(s, frame + 1);
  times[0] = 0;
  times[1] = frame == s->begin ? over : shown;
  times[2] = over;
}

/* ------------------------------------------------------------------------------------- parts -- */

static void put_numbers(json *j, const char *key, const float *values, int count)
{
  json_put_open(j, key, '[');
  for (int i = 0; i < count; ++i) json_real(j, (double)values[i]);
  json_close(j, ']');
}

static void put_bounds(json *j, const contacts_out *o, const run *r)
{
  float low[3], high[3];
  for (size_t i = r->begin; i < r->end; ++i)
    for (int k = 0; k < 9; ++k) {
      float x = (float)o->list[i].xyz[k / 3][k % 3];
      bool first = i == r->begin && k < 3;
      if (first || x < low[k % 3]) low[k % 3] = x;
      if (first || x > high[k % 3]) high[k % 3] = x;
    }
  put_numbers(j, "min", low, 3);
  put_numbers(j, "max", high, 3);
}

static void put_node(json *j, const contacts_out *o, const run *r, size_t index, bool hidden)
{
  const found *f = &o->list[r->begin];
  static const float zero[3];
  char name[300], shown[200];
  io_show_into(shown, sizeof shown, o->stage->bodies[f->body].name);
  snprintf(name, sizeof name, "frame %u: %s", f->frame, shown);
  json_put_text(j, "name", name);
  json_put_whole(j, "mesh", index);
  /* programs that play nothing show the first frame */
  if (hidden) put_numbers(j, "scale", zero, 3);
}

static void put_mesh(json *j, const contacts_out *o, const run *r, size_t index)
{
  json_put_open(j, "primitives", '[');
  json_open(j, '{');
  json_put_open(j, "attributes", '{');
  json_put_whole(j, "POSITION", index);
  json_close(j, '}');
  json_put_whole(j, "material", o->list[r->begin].body % CONTACTS_COLOURS);
  json_close(j, '}');
  json_close(j, ']');
}

static void put_accessor(json *j, size_t view, size_t offset, size_t values, const char *type)
{
  json_put_whole(j, "bufferView", view);
  json_put_whole(j, "byteOffset", offset);
  json_put_whole(j, "componentType", 5126);
  json_put_whole(j, "count", values);
  json_put_text(j, "type", type);
}

static void put_view(json *j, size_t offset, size_t length)
{
  json_open(j, '{');
  json_put_whole(j, "buffer", 0);
  json_put_whole(j, "byteOffset", offset);
  json_put_whole(j, "byteLength", length);
  json_close(j, '}');
}

/* Positions of the runs; then, of an animation, the scales and the times of each frame. */
static void put_accessors(json *j, const contacts_out *o, const counts *c)
{
  run r = {0};
  json_put_open(j, "accessors", '[');
  while (next_run(o, &r)) {
    json_open(j, '{');
    put_accessor(j, 0, 36 * r.begin, 3 * (r.end - r.begin), "VEC3");
    put_bounds(j, o, &r);
    json_close(j, '}');
  }
  for (size_t k = 0, offset = 0; c->animated && k < KEYS_KINDS; offset += 12 * (size_t)key_counts[k++]) {
    json_open(j, '{');
    put_accessor(j, 1, offset, (size_t)key_counts[k], "VEC3");
    json_close(j, '}');
  }
  size_t seen = 0;
  for (r = (run){0}; c->animated && next_run(o, &r);) {
    if (r.frame < seen) continue;
    float times[KEYS_MOST];
    size_t frame = o->list[r.begin].frame;
    int n = key_counts[keys_of(o->stage, frame)];
    key_times(o->stage, frame, times);
    json_open(j, '{');
    put_accessor(j, 2, TIMES_SIZE * seen++, (size_t)n, "SCALAR");
    put_numbers(j, "min", times, 1);
    put_numbers(j, "max", times + n - 1, 1);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static size_t data_size(const contacts_out *o, const counts *c)
{
  return 36 * o->count + (c->animated ? SCALES_SIZE + TIMES_SIZE * c->frames : 0);
}

static void put_views(json *j, const contacts_out *o, const counts *c)
{
  json_put_open(j, "bufferViews", '[');
  put_view(j, 0, 36 * o->count);
  if (c->animated) put_view(j, 36 * o->count, SCALES_SIZE);
  if (c->animated) put_view(j, 36 * o->count + SCALES_SIZE, TIMES_SIZE * c->frames);
  json_close(j, ']');
  json_put_open(j, "buffers", '[');
  json_open(j, '{');
  json_put_whole(j, "byteLength", data_size(o, c));
  json_close(j, '}');
  json_close(j, ']');
}

static void put_samplers(json *j, const contacts_out *o, const counts *c)
{
  run r = {0};
  size_t seen = 0;
  json_put_open(j, "samplers", '[');
  while (next_run(o, &r)) {
    if (r.frame < seen) continue;
    json_open(j, '{');
    json_put_whole(j, "input", c->runs + KEYS_KINDS + seen++);
    json_put_text(j, "interpolation", "STEP");
    json_put_whole(j, "output", c->runs + keys_of(o->stage, o->list[r.begin].frame));
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void put_animation(json *j, const contacts_out *o, const counts *c)
{
  run r = {0};
  if (!c->animated) return;
  json_put_open(j, "animations", '[');
  json_open(j, '{');
  json_put_text(j, "name", "frames");
  put_samplers(j, o, c);
  json_put_open(j, "channels", '[');
  for (size_t i = 0; next_run(o, &r); ++i) {
    json_open(j, '{');
    json_put_whole(j, "sampler", r.frame);
    json_put_open(j, "target", '{');
    json_put_whole(j, "node", i);
    json_put_text(j, "path", "scale");
    json_close(j, '}');
    json_close(j, '}');
  }
  json_close(j, ']');
  json_close(j, '}');
  json_close(j, ']');
}

static void put_materials(json *j)
{
  json_put_open(j, "materials", '[');
  for (uint32_t m = 0; m < CONTACTS_COLOURS; ++m) {
    json_open(j, '{');
    json_put_bool(j, "doubleSided", true);
    json_put_open(j, "pbrMetallicRoughness", '{');
    json_put_open(j, "baseColorFactor", '[');
    for (int k = 0; k < 3; ++k) json_real(j, round(1000 * pow(contacts_colour(m)[k] / 255.0, 2.2)) / 1000);
    json_real(j, 1);
    json_close(j, ']');
    json_put_real(j, "metallicFactor", 0);
    json_close(j, '}');
    json_close(j, '}');
  }
  json_close(j, ']');
}

/* glTF has no empty lists: without triangles there is an empty scene. */
static void put_nodes(json *j, const contacts_out *o, const counts *c)
{
  run r = {0};
  json_put_open(j, "nodes", '[');
  for (size_t i = 0; next_run(o, &r); ++i) {
    json_open(j, '{');
    put_node(j, o, &r, i, c->animated && r.frame > 0);
    json_close(j, '}');
  }
  json_close(j, ']');
  json_put_open(j, "meshes", '[');
  r = (run){0};
  for (size_t i = 0; next_run(o, &r); ++i) {
    json_open(j, '{');
    put_mesh(j, o, &r, i);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void put_head(json *j, const counts *c)
{
  json_put_open(j, "asset", '{');
  json_put_text(j, "version", "2.0");
  json_put_text(j, "generator", "pliant");
  json_close(j, '}');
  json_put_whole(j, "scene", 0);
  json_put_open(j, "scenes", '[');
  json_open(j, '{');
  if (c->runs > 0) {
    json_put_open(j, "nodes", '[');
    for (size_t i = 0; i < c->runs; ++i) json_whole(j, i);
    json_close(j, ']');
  }
  json_close(j, '}');
  json_close(j, ']');
}

static void write_json(const contacts_out *o, const counts *c, FILE *file)
{
  json j = {.file = file};
  json_open(&j, '{');
  put_head(&j, c);
  put_materials(&j);
  if (c->runs > 0) {
    put_nodes(&j, o, c);
    put_animation(&j, o, c);
    put_accessors(&j, o, c);
    put_views(&j, o, c);
  }
  json_close(&j, '}');
}

/* -------------------------------------------------------------------------------------- file -- */

static bool fits_floats(const contacts_out *o)
{
  for (size_t i = 0; i < o->count; ++i)
    for (int k = 0; k < 9; ++k)
      if (fabs(o->list[i].xyz[k / 3][k % 3]) > FLT_MAX) {
        output_complain("%s: triangle %u does not fit glTF's floats: write a .ply", o->path, o->list[i].triangle);
        return false;
      }
  return true;
}

static void put_float(FILE *file, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  contacts_put_little(file, bits, 4);
}

static void write_data(const contacts_out *o, const counts *c, FILE *file)
{
  for (size_t i = 0; i < o->count; ++i)
    for (int k = 0; k < 9; ++k) put_float(file, (float)o->list[i].xyz[k / 3][k % 3]);
  if (!c->animated) return;
  for (int kind = 0; kind < KEYS_KINDS; ++kind)
    for (int k = 0; k < 3 * key_counts[kind]; ++k) put_float(file, key_scales[kind][k / 3]);
  run r = {0};
  for (size_t seen = 0; next_run(o, &r);) {
    float times[KEYS_MOST];
    if (r.frame < seen) continue;
    ++seen;
    key_times(o->stage, o->list[r.begin].frame, times);
    for (int k = 0; k < KEYS_MOST; ++k) put_float(file, times[k]);
  }
}

/* The JSON, padded to words; NULL: out of memory. */
static char *make_json(const contacts_out *o, const counts *c, size_t *size)
{
  char *text = NULL;
  FILE *memory = open_memstream(&text, size);
  if (!memory) return NULL;
  write_json(o, c, memory);
  while (fflush(memory) == 0 && *size % 4) fputc(' ', memory);
  if (fclose(memory) == 0) return text;
  free(text);
  return NULL;
}

bool contacts_write_glb(const contacts_out *o, FILE *file)
{
  if (!fits_floats(o)) return false;
  counts c = count(o);
  size_t size = 0;
  char *text = make_json(o, &c, &size);
  if (!text) return contacts_complain_memory(o);
  uint64_t bytes = c.runs ? data_size(o, &c) : 0, total = 12 + 8 + size + (bytes ? 8 + bytes : 0);
  bool good = total <= UINT32_MAX;
  if (!good) output_complain("%s: a .glb holds at most 4 GB: write a .ply, or one file for each frame", o->path);
  if (good) {
    contacts_put_little(file, 0x46546c67, 4); /* glTF */
    contacts_put_little(file, 2, 4);
    contacts_put_little(file, total, 4);
    contacts_put_little(file, size, 4);
    contacts_put_little(file, 0x4e4f534a, 4); /* JSON */
    fwrite(text, 1, size, file);
  }
  if (good && bytes) {
    contacts_put_little(file, bytes, 4);
    contacts_put_little(file, 0x004e4942, 4); /* BIN */
    write_data(o, &c, file);
  }
  free(text);
  return good;
}
