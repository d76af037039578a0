#include "contacts_out.h"

#include "command.h"
#include "io/output.h"
#include "io/show.h"
#include "number_name.h"
#include "output.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct found {
  uint32_t frame, body, triangle;
  double xyz[3][3];
} found;

struct contacts_out {
  const char *path;
  const stage *stage;
  bool numbered, is_glb;
  found *list;
  size_t count, room;
  size_t triangles, files; /* written */
  uint64_t *keys;          /* of one frame: body and triangle */
  size_t key_room;
};

int contacts_out_check(const char *command, const char *path)
{
  if (!path) return OPTIONS_GO_ON;
  if (!name_ends_with(path, ".ply") && !name_ends_with(path, ".glb"))
    return options_refuse(command, "--out %s: a name that ends in .ply or .glb is wanted", path);
  if (number_name_find(path) < 0)
    return options_refuse(command, "--out %s: at most one number is wanted in it, as in contacts_%%04d.ply", path);
  return OPTIONS_GO_ON;
}

static bool complain_memory(const contacts_out *o)
{
  output_complain(
      "%s: out of memory for the triangles of %zu frames; put a number into the name, and each frame gets a "
      "file of its own",
      o->path, o->stage->end - o->stage->begin);
  return false;
}

bool contacts_out_create(const char *path, const stage *s, contacts_out **out)
{
  contacts_out *o = *out = calloc(1, sizeof *o);
  if (!o) {
    output_complain("%s: out of memory", path);
    return false;
  }
  o->path = path;
  o->stage = s;
  o->numbered = number_name_find(path) == 1;
  o->is_glb = name_ends_with(path, ".glb");
  return true;
}

void contacts_out_free(contacts_out *o)
{
  if (!o) return;
  free(o->list);
  free(o->keys);
  free(o);
}

/* ------------------------------------------------------------------------------------------------------- gather -- */

static int compare_keys(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static bool add(contacts_out *o, size_t frame, places *where, uint64_t key)
{
  if (o->count == o->room) {
    size_t room = 2 * o->room + 256;
    found *moved = realloc(o->list, room * sizeof *moved);
    if (!moved) return complain_memory(o);
    o->list = moved;
    o->room = room;
  }
  found *f = &o->list[o->count++];
  *f = (found){.frame = (uint32_t)frame, .body = (uint32_t)(key >> 32), .triangle = (uint32_t)key};
  return places_triangle(where, f->body, f->triangle, f->xyz);
}

static bool write_file(contacts_out *o, size_t frame);

bool contacts_out_frame(contacts_out *o, size_t frame, places *where, const mark *marks, size_t count)
{
  if (2 * count > o->key_room) {
    uint64_t *moved = realloc(o->keys, 3 * count * sizeof *moved);
    if (!moved) return complain_memory(o);
    o->keys = moved;
    o->key_room = 3 * count;
  }
  for (size_t i = 0; i < count; ++i) {
    o->keys[2 * i] = (uint64_t)marks[i].a << 32 | marks[i].triangle_a;
    o->keys[2 * i + 1] = (uint64_t)marks[i].b << 32 | marks[i].triangle_b;
  }
  if (count) qsort(o->keys, 2 * count, sizeof *o->keys, compare_keys);
  for (size_t i = 0; i < 2 * count; ++i)
    if ((i == 0 || o->keys[i] != o->keys[i - 1]) && !add(o, frame, where, o->keys[i])) return false;
  if (!o->numbered || o->count == 0) return true;
  bool good = write_file(o, frame);
  o->count = 0;
  return good;
}

/* ---------------------------------------------------------------------------------------------------------- PLY -- */

static void put_little(FILE *file, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; ++i) fputc((int)(bits >> 8 * i & 255), file);
}

static void put_f64(FILE *file, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_little(file, bits, 8);
}

/* The k-th of some colours, as bytes: reds and yellows, so that two bodies can be told apart. */
static const uint8_t *colour_of(uint32_t body)
{
  static const uint8_t colours[6][3] = {{229, 40, 40},  {255, 150, 20}, {230, 60, 140},
                                        {250, 205, 40}, {190, 30, 70},  {255, 110, 80}};
  return colours[body % 6];
}

static void write_comment(FILE *file, size_t number, const char *name)
{
  fprintf(file, "comment body %zu: ", number);
  for (const char *c = name; *c; ++c) fputc((unsigned char)*c < 32 || *c == 127 ? '?' : *c, file);
  fputc('\n', file);
}

static bool write_ply(const contacts_out *o, FILE *file)
{
  enum { MOST_NAMES = 1000 };
  fprintf(file, "ply\nformat binary_little_endian 1.0\ncomment triangles that pliant has found\n");
  for (size_t i = 0; i < o->stage->body_count && i < MOST_NAMES; ++i) write_comment(file, i, o->stage->bodies[i].name);
  fprintf(file,
          "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n"
          "element face %zu\nproperty list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\n"
          "property uchar blue\nproperty int frame\nproperty int body\nproperty int triangle\nend_header\n",
          3 * o->count, o->count);
  for (size_t i = 0; i < o->count; ++i)
    for (int k = 0; k < 9; ++k) put_f64(file, o->list[i].xyz[k / 3][k % 3]);
  for (size_t i = 0; i < o->count; ++i) {
    const found *f = &o->list[i];
    fputc(3, file);
    for (uint64_t k = 0; k < 3; ++k) put_little(file, 3 * i + k, 4);
    fwrite(colour_of(f->body), 1, 3, file);
    put_little(file, f->frame, 4);
    put_little(file, f->body, 4);
    put_little(file, f->triangle, 4);
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- GLB -- */

/* Triangles of one body in one frame: list[begin .. end). */
typedef struct run {
  size_t begin, end;
} run;

static bool next_run(const contacts_out *o, run *r)
{
  r->begin = r->end;
  if (r->begin == o->count) return false;
  const found *f = &o->list[r->begin];
  while (r->end < o->count && o->list[r->end].frame == f->frame && o->list[r->end].body == f->body) ++r->end;
  return true;
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
  for (int side = 0; side < 2; ++side) {
    json_key(j, side ? "max" : "min");
    json_open(j, '[');
    for (int k = 0; k < 3; ++k) json_real(j, side ? high[k] : low[k]);
    json_close(j, ']');
  }
}

typedef enum part { PART_NODES, PART_MESHES, PART_ACCESSORS, PART_VIEWS } part;

static void put_part(json *j, const contacts_out *o, const run *r, size_t index, part which)
{
  const found *f = &o->list[r->begin];
  char name[300], shown[200];
  io_show_into(shown, sizeof shown, o->stage->bodies[f->body].name);
  snprintf(name, sizeof name, "frame %u: %s", f->frame, shown);
  json_open(j, '{');
  if (which == PART_NODES) {
    json_put_text(j, "name", name);
    json_put_whole(j, "mesh", index);
  } else if (which == PART_MESHES) {
    json_key(j, "primitives");
    json_open(j, '[');
    json_open(j, '{');
    json_key(j, "attributes");
    json_open(j, '{');
    json_put_whole(j, "POSITION", index);
    json_close(j, '}');
    json_put_whole(j, "material", f->body % 6);
    json_close(j, '}');
    json_close(j, ']');
  } else if (which == PART_ACCESSORS) {
    json_put_whole(j, "bufferView", index);
    json_put_whole(j, "componentType", 5126);
    json_put_whole(j, "count", 3 * (r->end - r->begin));
    json_put_text(j, "type", "VEC3");
    put_bounds(j, o, r);
  } else {
    json_put_whole(j, "buffer", 0);
    json_put_whole(j, "byteOffset", 36 * r->begin);
    json_put_whole(j, "byteLength", 36 * (r->end - r->begin));
  }
  json_close(j, '}');
}

static void put_parts(json *j, const contacts_out *o, const char *key, part which)
{
  run r = {0, 0};
  if (o->count == 0) return; /* glTF has no empty lists */
  json_key(j, key);
  json_open(j, '[');
  for (size_t i = 0; next_run(o, &r); ++i) put_part(j, o, &r, i, which);
  json_close(j, ']');
}

static void put_materials(json *j)
{
  json_key(j, "materials");
  json_open(j, '[');
  for (uint32_t m = 0; m < 6; ++m) {
    json_open(j, '{');
    json_put_bool(j, "doubleSided", true);
    json_key(j, "pbrMetallicRoughness");
    json_open(j, '{');
    json_key(j, "baseColorFactor");
    json_open(j, '[');
    for (int k = 0; k < 3; ++k) json_real(j, round(1000 * pow(colour_of(m)[k] / 255.0, 2.2)) / 1000);
    json_real(j, 1);
    json_close(j, ']');
    json_put_real(j, "metallicFactor", 0);
    json_close(j, '}');
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void write_gltf_json(const contacts_out *o, FILE *file)
{
  json j = {.file = file};
  json_open(&j, '{');
  json_key(&j, "asset");
  json_open(&j, '{');
  json_put_text(&j, "version", "2.0");
  json_put_text(&j, "generator", "pliant");
  json_close(&j, '}');
  json_put_whole(&j, "scene", 0);
  json_key(&j, "scenes");
  json_open(&j, '[');
  json_open(&j, '{');
  if (o->count > 0) {
    run r = {0, 0};
    json_key(&j, "nodes");
    json_open(&j, '[');
    for (size_t i = 0; next_run(o, &r); ++i) json_whole(&j, i);
    json_close(&j, ']');
  }
  json_close(&j, '}');
  json_close(&j, ']');
  put_parts(&j, o, "nodes", PART_NODES);
  put_parts(&j, o, "meshes", PART_MESHES);
  put_materials(&j);
  put_parts(&j, o, "accessors", PART_ACCESSORS);
  put_parts(&j, o, "bufferViews", PART_VIEWS);
  if (o->count > 0) {
    json_key(&j, "buffers");
    json_open(&j, '[');
    json_open(&j, '{');
    json_put_whole(&j, "byteLength", 36 * o->count);
    json_close(&j, '}');
    json_close(&j, ']');
  }
  json_close(&j, '}');
}

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

static bool write_glb(const contacts_out *o, FILE *file)
{
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!fits_floats(o) || !memory) {
    if (memory) fclose(memory);
    free(text);
    return memory ? false : complain_memory(o);
  }
  write_gltf_json(o, memory);
  while (fflush(memory) == 0 && size % 4) fputc(' ', memory);
  if (fclose(memory) != 0) return free(text), complain_memory(o);
  uint64_t bytes = 36 * (uint64_t)o->count, total = 12 + 8 + size + (bytes ? 8 + bytes : 0);
  bool good = total <= UINT32_MAX;
  if (!good) output_complain("%s: a .glb holds at most 4 GB: write a .ply, or one file for each frame", o->path);
  if (good) {
    put_little(file, 0x46546c67, 4); /* glTF */
    put_little(file, 2, 4);
    put_little(file, total, 4);
    put_little(file, size, 4);
    put_little(file, 0x4e4f534a, 4); /* JSON */
    fwrite(text, 1, size, file);
    if (bytes) {
      put_little(file, bytes, 4);
      put_little(file, 0x004e4942, 4); /* BIN */
    }
    for (size_t i = 0; i < o->count; ++i)
      for (int k = 0; k < 9; ++k) {
        float value = (float)o->list[i].xyz[k / 3][k % 3];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_little(file, bits, 4);
      }
  }
  free(text);
  return good;
}

/* -------------------------------------------------------------------------------------------------------- files -- */

static bool write_file(contacts_out *o, size_t frame)
{
  char path[4096];
  io_error error = {""};
  number_name_make(o->path, frame, path, sizeof path);
  io_output out;
  bool told = false, good = io_output_open(&out, path, &error);
  if (good) {
    good = o->is_glb ? write_glb(o, out.file) : write_ply(o, out.file);
    told = !good;
    if (!io_output_close(&out, good, &error)) good = false;
  }
  if (!good && !told) output_complain("%s", error.text);
  o->triangles += o->count;
  o->files += good;
  return good;
}

bool contacts_out_finish(contacts_out *o) { return o->numbered || write_file(o, 0); }

void contacts_out_write_end(const contacts_out *o)
{
  char count[OUTPUT_NUMBER_SIZE];
  printf("out       %s", io_show(o->path).text);
  if (o->numbered) printf(", %zu file%s", o->files, o->files == 1 ? "" : "s");
  printf(", %s triangle%s\n", output_count(o->triangles, count), o->triangles == 1 ? "" : "s");
}
