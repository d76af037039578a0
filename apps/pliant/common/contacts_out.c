#include "common/contacts_inside.h"

#include "common/command.h"
#include "common/number_name.h"
#include "common/output.h"
#include "io/output.h"
#include "io/show.h"

#include <stdlib.h>
#include <string.h>

int contacts_out_check(const char *command, const char *path)
{
  if (!path) return OPTIONS_GO_ON;
  if (!name_ends_with(path, ".ply") && !name_ends_with(path, ".glb"))
    return options_refuse(command, "--out %s: the name must end in .ply or .glb", path);
  if (number_name_find(path) < 0)
    return options_refuse(command, "--out %s: the name may have one number at most, as in contacts_%%04d.ply", path);
  return OPTIONS_GO_ON;
}

bool contacts_complain_memory(const contacts_out *o)
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

/* ------------------------------------------------------------------------------------ gather -- */

static int compare_keys(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static bool add(contacts_out *o, size_t frame, world_positions *where, uint64_t key)
{
  if (o->count == o->room) {
    size_t room = 2 * o->room + 256;
    found *moved = realloc(o->list, room * sizeof *moved);
    if (!moved) return contacts_complain_memory(o);
    o->list = moved;
    o->room = room;
  }
  found *f = &o->list[o->count++];
  *f = (found){.frame = (uint32_t)frame, .body = (uint32_t)(key >> 32), .triangle = (uint32_t)key};
  return world_positions_triangle(where, f->body, f->triangle, f->xyz);
}

static bool write_file(contacts_out *o, size_t frame);

bool contacts_out_frame(contacts_out *o, size_t frame, world_positions *where, const mark *marks, size_t count)
{
  if (2 * count > o->key_room) {
    uint64_t *moved = realloc(o->keys, 3 * count * sizeof *moved);
    if (!moved) return contacts_complain_memory(o);
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

/* --------------------------------------------------------------------------------------- PLY -- */

void contacts_put_little(FILE *file, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; ++i) fputc((int)(bits >> 8 * i & 255), file);
}

static void put_f64(FILE *file, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  contacts_put_little(file, bits, 8);
}

const uint8_t *contacts_colour(uint32_t body)
{
  static const uint8_t colours[CONTACTS_COLOURS][3] = {{229, 40, 40},  {255, 150, 20}, {230, 60, 140},
                                                       {250, 205, 40}, {190, 30, 70},  {255, 110, 80}};
  return colours[body % CONTACTS_COLOURS];
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
    for (uint64_t k = 0; k < 3; ++k) contacts_put_little(file, 3 * i + k, 4);
    fwrite(contacts_colour(f->body), 1, 3, file);
    contacts_put_little(file, f->frame, 4);
    contacts_put_little(file, f->body, 4);
    contacts_put_little(file, f->triangle, 4);
  }
  return true;
}

/* ------------------------------------------------------------------------------------- files -- */

static bool write_file(contacts_out *o, size_t frame)
{
  char path[4096];
  io_error error = {""};
  number_name_make(o->path, frame, path, sizeof path);
  io_output out;
  bool told = false, good = io_output_open(&out, path, &error);
  if (good) {
    good = o->is_glb ? contacts_write_glb(o, out.file) : write_ply(o, out.file);
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
