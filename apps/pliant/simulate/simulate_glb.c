/* One animated glTF file (.glb) of all bodies.
 *
 * A body's points are coordinates * terms + centre (sim_body_coordinates), so a mesh needs one
 * morph target for each coordinate (9, or 27 of quadratic bodies, and more of several clusters),
 * which all bodies of a shape share; a frame of a body is a translation and the weights of these
 * targets: how far coordinates are from those at rest. The animation is exact, and its size per
 * frame does not depend on the number of points. */
#include "common/output.h"
#include "io/output.h"
#include "simulate/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
  unsigned char *data;
  size_t size, room;
  bool failed;
} bytes;

struct simulate_glb {
  float *frames; /* of each frame, of each body: translation, then weights */
  size_t frame_count, frame_room, frame_size;
  int terms;    /* of each point: the same for all bodies */
  double *rest; /* of each shape: coordinates at rest, 3 * terms */
  size_t body_count;
  double *times;
};

enum { FLOATS = 5126, WORDS = 5125, TERMS_MOST = 10 * SIM_CLUSTERS_MOST };

static void append(bytes *b, const void *data, size_t size)
{
  if (b->room - b->size < size && !b->failed) {
    size_t room = 2 * (b->size + size) + 4096;
    unsigned char *grown = realloc(b->data, room);
    b->failed = !grown;
    if (grown) b->data = grown, b->room = room;
  }
  if (b->failed) return;
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

static void print(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(bytes *b, const char *format, ...)
{
  char line[512];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (n < 0 || (size_t)n >= sizeof line) b->failed = true;
  if (!b->failed) append(b, line, (size_t)n);
}

bool simulate_glb_open(const simulate_job *job, simulate_glb **out)
{
  simulate_glb *g = *out = calloc(1, sizeof *g);
  if (!g) return false;
  g->body_count = sim_body_count(job->world);
  g->terms = sim_body_coordinates(job->world, 0, NULL);
  g->frame_size = g->body_count * (3 + 3 * (size_t)g->terms);
  g->rest = calloc(g->body_count * 3 * (size_t)g->terms, sizeof *g->rest);
  if (!g->rest) return false;
  for (size_t i = 0; i < g->body_count; ++i) sim_body_rest(job->world, (int)i, g->rest + i * 3 * (size_t)g->terms);
  return simulate_glb_frame(g, job, 0);
}

void simulate_glb_close(simulate_glb *g)
{
  if (!g) return;
  free(g->frames), free(g->times), free(g->rest), free(g);
}

bool simulate_glb_frame(simulate_glb *g, const simulate_job *job, double seconds)
{
  if (g->frame_count == g->frame_room) {
    size_t room = 2 * g->frame_room + 16;
    float *frames = realloc(g->frames, room * g->frame_size * sizeof *frames);
    if (frames) g->frames = frames;
    double *times = realloc(g->times, room * sizeof *times);
    if (times) g->times = times;
    if (!frames || !times) return false;
    g->frame_room = room;
  }
  float *at = g->frames + g->frame_count * g->frame_size;
  g->times[g->frame_count++] = seconds;
  for (size_t i = 0; i < g->body_count; ++i) {
    double matrix[3][9], centre[3], z[3 * TERMS_MOST];
    const double *rest = g->rest + i * 3 * (size_t)g->terms;
    sim_body_state(job->world, (int)i, matrix, centre);
    sim_body_coordinates(job->world, (int)i, z);
    for (int k = 0; k < 3; ++k) *at++ = (float)centre[k];
    for (int j = 0; j < g->terms; ++j)
      for (int k = 0; k < 3; ++k) *at++ = (float)(z[k * g->terms + j] - rest[k * g->terms + j]);
  }
  return true;
}

/* ---------------------------------------------------------------------------------- contents -- */

typedef struct writer {
  bytes json, views, accessors, data;
  int count; /* of accessors; each has a view of its own */
} writer;

/* An accessor of `count` elements of `width` floats or indices; its least and greatest values
 * with `bounded`. */
static int add(writer *w, const void *data, size_t count, int width, int type, bool bounded)
{
  static const char *const names[] = {"", "SCALAR", "", "VEC3"};
  size_t size = count * (size_t)width * 4;
  print(&w->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", w->count ? "," : "", w->data.size, size);
  print(&w->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"", w->count ? "," : "",
        w->count, type, count, names[width]);
  for (int side = 0; bounded && side < 2; ++side) {
    print(&w->accessors, ",\"%s\":[", side ? "max" : "min");
    for (int k = 0; k < width; ++k) {
      float best = ((const float *)data)[k];
      for (size_t i = 1; i < count; ++i) {
        float x = ((const float *)data)[i * (size_t)width + (size_t)k];
        best = side ? fmaxf(best, x) : fminf(best, x);
      }
      print(&w->accessors, "%s%.9g", k ? "," : "", best);
    }
    print(&w->accessors, "]");
  }
  print(&w->accessors, "}");
  append(&w->data, data, size);
  return w->count++;
}

/* A body of a shape; -1: none. */
static int body_of(const simulate_job *job, int shape)
{
  for (size_t i = 0; i < sim_body_count(job->world); ++i)
    if (sim_body_shape(job->world, (int)i) == shape) return (int)i;
  return -1;
}

/* The mesh of a shape at rest, and a morph target for each coordinate. */
static bool add_mesh(writer *w, const simulate_job *job, int shape, int columns)
{
  const simulate_mesh *m = &job->meshes[shape];
  float *xyz = malloc(3 * m->point_count * sizeof *xyz);
  if (!xyz) return false;
  int body = body_of(job, shape);
  double terms[TERMS_MOST] = {0};
  for (size_t i = 0; i < m->point_count; ++i) {
    double own[9];
    sim_point_terms(job->world, shape, i, own);
    for (int k = 0; k < 3; ++k) xyz[3 * i + (size_t)k] = (float)own[k];
  }
  int indices = add(w, m->triangles, 3 * m->triangle_count, 1, WORDS, false);
  int base = add(w, xyz, m->point_count, 3, FLOATS, true);
  print(&w->json, "{\"primitives\":[{\"indices\":%d,\"attributes\":{\"POSITION\":%d},\"targets\":[", indices, base);
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < 3; ++k) {
      memset(xyz, 0, 3 * m->point_count * sizeof *xyz);
      for (size_t i = 0; i < m->point_count; ++i) {
        if (body >= 0) sim_body_terms(job->world, body, i, terms);
        xyz[3 * i + (size_t)k] = (float)terms[j];
      }
      print(&w->json, "%s{\"POSITION\":%d}", j + k ? "," : "", add(w, xyz, m->point_count, 3, FLOATS, true));
    }
  print(&w->json, "]}],\"weights\":[");
  for (int i = 0; i < 3 * columns; ++i) print(&w->json, "%s0", i ? "," : "");
  print(&w->json, "]}");
  free(xyz);
  return true;
}

static void add_nodes(writer *w, const simulate_glb *g, const simulate_job *job)
{
  const float *at = g->frames;
  for (size_t i = 0; i < g->body_count; at += 3 + 3 * g->terms, ++i) {
    print(&w->json, "%s{\"name\":\"body %zu\",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g],\"weights\":[", i ? "," : "",
          i, sim_body_shape(job->world, (int)i), at[0], at[1], at[2]);
    for (int k = 0; k < 3 * g->terms; ++k) print(&w->json, "%s%.9g", k ? "," : "", at[3 + k]);
    print(&w->json, "]}");
  }
}

/* Samplers 2 i and 2 i + 1 are the translation and the weights of body i. */
static bool add_animation(writer *w, const simulate_glb *g)
{
  size_t n = g->frame_count, offset = 0;
  float *track = malloc(n * 3 * TERMS_MOST * sizeof *track);
  if (!track) return false;
  for (size_t f = 0; f < n; ++f) track[f] = (float)g->times[f];
  int times = add(w, track, n, 1, FLOATS, true);
  print(&w->json, "\"samplers\":[");
  for (size_t i = 0; i < g->body_count; ++i) {
    size_t weights = 3 * (size_t)g->terms;
    for (size_t f = 0; f < n; ++f) memcpy(track + 3 * f, g->frames + f * g->frame_size + offset, 3 * sizeof *track);
    int move = add(w, track, n, 3, FLOATS, false);
    for (size_t f = 0; f < n; ++f)
      memcpy(track + weights * f, g->frames + f * g->frame_size + offset + 3, weights * sizeof *track);
    int bend = add(w, track, n * weights, 1, FLOATS, false);
    print(&w->json, "%s{\"input\":%d,\"output\":%d},{\"input\":%d,\"output\":%d}", i ? "," : "", times, move, times,
          bend);
    offset += 3 + weights;
  }
  print(&w->json, "],\"channels\":[");
  for (size_t i = 0; i < g->body_count; ++i)
    print(&w->json,
          "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"translation\"}},{\"sampler\":%zu,\"target\":{"
          "\"node\":%zu,\"path\":\"weights\"}}",
          i ? "," : "", 2 * i, i, 2 * i + 1, i);
  print(&w->json, "]");
  free(track);
  return true;
}

static bool compose(writer *w, const simulate_glb *g, const simulate_job *job)
{
  print(&w->json,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant simulate\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
  for (size_t i = 0; i < g->body_count; ++i) print(&w->json, "%s%zu", i ? "," : "", i);
  print(&w->json, "]}],\"meshes\":[");
  for (size_t s = 0; s < job->mesh_count; ++s) {
    if (s) print(&w->json, ",");
    if (!add_mesh(w, job, (int)s, g->terms)) return false;
  }
  print(&w->json, "],\"nodes\":[");
  add_nodes(w, g, job);
  print(&w->json, "],\"animations\":[{\"name\":\"simulation\",");
  if (!add_animation(w, g)) return false;
  print(&w->json, "}],\"bufferViews\":[");
  if (!w->views.failed) append(&w->json, w->views.data, w->views.size);
  print(&w->json, "],\"accessors\":[");
  if (!w->accessors.failed) append(&w->json, w->accessors.data, w->accessors.size);
  print(&w->json, "],\"buffers\":[{\"byteLength\":%zu}]}", w->data.size);
  while (w->json.size % 4 && !w->json.failed) print(&w->json, " ");
  return !(w->json.failed || w->views.failed || w->accessors.failed || w->data.failed);
}

/* stdio keeps its errors until the file is closed. */
static void put(const writer *w, FILE *file)
{
  uint32_t words = (uint32_t)w->json.size, data = (uint32_t)w->data.size;
  uint32_t head[5] = {0x46546C67, 2, 12 + 8 + words + 8 + data, words, 0x4E4F534A}, second[2] = {data, 0x004E4942};
  fwrite(head, sizeof head, 1, file);
  fwrite(w->json.data, w->json.size, 1, file);
  fwrite(second, sizeof second, 1, file);
  fwrite(w->data.data, w->data.size, 1, file);
}

bool simulate_glb_write(simulate_glb *g, const simulate_job *job, const char *path)
{
  writer w = {0};
  bool good = compose(&w, g, job);
  if (!good) output_complain("simulate: out of memory for the animation; use a larger --every");
  if (good && w.data.size > UINT32_MAX - 64 - w.json.size) {
    output_complain("%s: the animation is larger than 4 GB, which .glb cannot hold; use a larger --every", path);
    good = false;
  }
  io_output out;
  io_error error = {""};
  if (good) {
    good = io_output_open(&out, path, &error);
    if (good) put(&w, out.file);
    good = good && io_output_close(&out, true, &error);
    if (!good) output_complain("%s", error.text);
  }
  free(w.json.data), free(w.views.data), free(w.accessors.data), free(w.data.data);
  return good;
}
