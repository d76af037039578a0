/* Bodies that test and bench share: every rank has all of them, and can pose them for a frame. */
#ifndef WORLD_H
#define WORLD_H

#include "io/io.h"
#include "pliant/pliant.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD_BODIES = 4, WORLD_BONES = 3 };

typedef struct world {
  const char *name;
  size_t count;
  scene_mesh meshes[WORLD_BODIES];
  double *xyz[WORLD_BODIES]; /* positions of the frame */
  bool self[WORLD_BODIES];
  /* the first body has one shape, and `place` moves it: row-major 3 x 3 and a translation */
  bool rigid;
  double place[12];
  /* The first body is a skin of WORLD_BONES bones, in a context of this rank's own. */
  pl_context *context;
  pl_body *skin;
  pl_transform bones[WORLD_BONES];
  char **files; /* of the first body, a frame each; NULL: none */
  int file_count;
  double centre[3], scale; /* of the first file: about 1 around 0 when divided */
} world;

static inline bool world_copy(world *w)
{
  for (size_t i = 0; i < w->count; ++i) {
    scene_mesh *m = &w->meshes[i];
    if (!w->xyz[i]) w->xyz[i] = malloc((3 * m->vertex_count + 1) * sizeof **w->xyz);
    if (!w->xyz[i]) return false;
    for (size_t k = 0; k < 3 * m->vertex_count; ++k) w->xyz[i][k] = (double)m->xyz[k];
  }
  return true;
}

/* Triangles at random among few vertices: duplicates, repeated corners, triangles without area. */
static inline bool world_soup(scene_mesh *m, size_t vertices, size_t triangles)
{
  uint64_t seed = 7;
  *m = (scene_mesh){.rest = malloc(3 * vertices * sizeof(float)),
                    .xyz = malloc((3 * vertices + 1) * sizeof(float)),
                    .triangles = malloc(3 * triangles * sizeof(uint32_t)),
                    .vertex_count = vertices,
                    .triangle_count = triangles};
  if (!m->rest || !m->xyz || !m->triangles) return false;
  for (size_t i = 0; i < 3 * vertices; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    /* few places: corners meet, triangles are in planes */
    m->rest[i] = (float)(seed >> 60) * 0.25f;
  }
  for (size_t i = 0; i < 3 * triangles; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    m->triangles[i] = (uint32_t)((i / 3 * 5 + (seed >> 33) % 9) % vertices);
  }
  return true;
}

/* A sheet that winds to and fro through itself. */
static inline void world_pose_sheet(scene_mesh *m, size_t columns, int step)
{
  for (size_t i = 0; i < m->vertex_count; ++i) {
    float u = (float)(i % columns) / (float)(columns - 1), v = (float)(i / columns) / (float)(columns - 1);
    float *p = m->xyz + 3 * i;
    p[0] = 0.6f * sinf(7 * u + 0.02f * (float)step) + 0.1f * v;
    p[1] = v * 2 - 1;
    p[2] = 0.4f * sinf(11 * u + 3 * v + 0.05f * (float)step);
  }
}

static inline void world_pose_soup(scene_mesh *m, int step)
{
  for (size_t i = 0; i < 3 * m->vertex_count; ++i) m->xyz[i] = m->rest[i] + (i % 5 ? 0.f : 0.0625f * (float)(step % 9));
}

/* A ball that turns and moves, evaluated as pl_body_set_transform() states. */
static inline void world_turn(world *w, int step)
{
  const scene_mesh *m = &w->meshes[0];
  double angle = 0.1 * step + 0.05, c = cos(angle), s = sin(angle);
  const double place[12] = {c, -s, 0, s, c, 0, 0, 0, 1, 0.02 * step, -0.01 * step, 0.3};
  memcpy(w->place, place, sizeof place);
  for (size_t v = 0; v < m->vertex_count; ++v) {
    const float *p = m->rest + 3 * v;
    double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    for (int k = 0; k < 3; ++k)
      w->xyz[0][3 * v + (size_t)k] = place[3 * k] * x + place[3 * k + 1] * y + place[3 * k + 2] * z + place[9 + k];
  }
}

/* Bones along y, each with the vertices near it. The library's body in `context`. */
static inline pl_body *world_make_skin(const world *w, pl_context *context)
{
  const scene_mesh *m = &w->meshes[0];
  uint32_t *governors = malloc((2 * m->vertex_count + 1) * sizeof *governors);
  double *values = malloc((2 * m->vertex_count + 1) * sizeof *values);
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_skin_def def = pl_skin_def_default();
  pl_body *made = NULL;
  for (size_t v = 0; governors && values && v < m->vertex_count; ++v) {
    double y = (double)m->rest[3 * v + 1], at = y < -0.99 ? 0.01 : y > 0.99 ? 1.99 : y + 1;
    governors[2 * v] = (uint32_t)at;
    governors[2 * v + 1] = (uint32_t)at + 1;
    values[2 * v + 1] = at - (double)governors[2 * v];
    values[2 * v] = 1 - values[2 * v + 1];
  }
  mesh.positions = pl_positions_f32(m->rest, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  def.bone_count = WORLD_BONES;
  def.weights = (pl_weights){
      .vertex_count = m->vertex_count, .per_vertex = 2, .governors = governors, .values = values, .type = PL_F64};
  if (governors && values) pl_body_create_skin(context, &mesh, &def, NULL, &made);
  free(governors);
  free(values);
  return made;
}

static inline bool world_skin(world *w)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  if (pl_context_create(&def, &w->context) == PL_OK) w->skin = world_make_skin(w, w->context);
  return w->skin != NULL;
}

static inline bool world_bend(world *w, int step)
{
  for (int i = 0; i < WORLD_BONES; ++i) {
    double angle = 0.07 * step * (i - 1) + 0.2, c = cos(angle), s = sin(angle);
    w->bones[i] = (pl_transform){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}, {0.3 * i, 0.1, 0.01 * step}};
  }
  return pl_body_set_bones(w->skin, w->bones, WORLD_BONES) == PL_OK &&
         pl_body_positions(w->skin, NULL, w->meshes[0].vertex_count, PL_F64, w->xyz[0], 0) == PL_OK;
}

/* Where the first file is, and how large. */
static inline void world_measure(world *w)
{
  const scene_mesh *m = &w->meshes[0];
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < m->vertex_count; ++v) {
      low = fmin(low, w->xyz[0][3 * v + (size_t)k]);
      high = fmax(high, w->xyz[0][3 * v + (size_t)k]);
    }
    w->centre[k] = (low + high) / 2;
    w->scale = fmax(w->scale, (high - low) / 2);
  }
  for (size_t i = 0; i < 3 * m->vertex_count; ++i)
    m->rest[i] = m->xyz[i] = (float)((w->xyz[0][i] - w->centre[i % 3]) / w->scale);
}

/* Positions of a file; the triangles too if the mesh has none yet. false: it cannot be read, or
 * has another number of vertices. */
static inline bool world_read(world *w, const char *path)
{
  io_mesh read;
  io_error error;
  scene_mesh *m = &w->meshes[0];
  bool first = !m->triangles;
  if (!io_mesh_read(path, &read, &error)) return false;
  if (first) {
    *m = (scene_mesh){.vertex_count = read.vertex_count,
                      .triangle_count = read.triangle_count,
                      .rest = malloc((3 * read.vertex_count + 1) * sizeof *m->rest),
                      .xyz = malloc((3 * read.vertex_count + 1) * sizeof *m->xyz),
                      .triangles = malloc((3 * read.triangle_count + 1) * sizeof *m->triangles)};
    if (m->triangles) memcpy(m->triangles, read.triangles, 3 * read.triangle_count * sizeof *m->triangles);
    w->xyz[0] = malloc((3 * read.vertex_count + 1) * sizeof **w->xyz);
  }
  bool good = m->triangles && m->rest && m->xyz && w->xyz[0] && read.vertex_count == m->vertex_count;
  if (good) memcpy(w->xyz[0], read.xyz, 3 * read.vertex_count * sizeof **w->xyz);
  if (good && first) world_measure(w);
  io_mesh_free(&read);
  return good;
}

/* The body of a sequence, against itself and a ball that goes through it. motion: free plays the
 * files as they are; rigid and skin move the first one, made about 1 large. */
static inline bool world_make_files(world *w, const char *motion, char **files, int count)
{
  *w = (world){.name = "files", .count = 2, .self = {true}, .files = files, .file_count = count};
  w->rigid = !strcmp(motion, "rigid");
  if (count < 1 || !world_read(w, files[0]) || !scene_geosphere(6, &w->meshes[1])) return false;
  return strcmp(motion, "skin") != 0 || world_skin(w);
}

static inline bool world_pose_files(world *w, int step)
{
  bool moved = w->rigid || w->skin; /* not by the files */
  if (!world_copy(w) || (!moved && !world_read(w, w->files[step % w->file_count]))) return false;
  double at[3] = {0.7 * sin(0.11 * step), 0.5 * cos(0.07 * step), 0.3 * sin(0.05 * step)};
  for (size_t i = 0; i < 3 * w->meshes[1].vertex_count; ++i) {
    double x = at[i % 3] + 0.5 * (double)w->meshes[1].rest[i];
    w->xyz[1][i] = moved ? x : w->centre[i % 3] + w->scale * x;
  }
  return true;
}

/* name: balls, apart (with a gap between), rigid or skin (one of two balls), cloth or soup;
 * size: about so many triangles. false: out of
 * memory, or no such name. */
static inline bool world_make(world *w, const char *name, int size)
{
  *w = (world){.name = name, .count = 2};
  int f = scene_geosphere_frequency(size / 2), n = (int)sqrt(size / 2.);
  if (!strcmp(name, "balls") || !strcmp(name, "apart"))
    return scene_geosphere(f, &w->meshes[0]) && scene_geosphere(f, &w->meshes[1]);
  w->rigid = !strcmp(name, "rigid");
  if (w->rigid) return scene_geosphere(f, &w->meshes[0]) && scene_geosphere(f, &w->meshes[1]);
  w->self[0] = true;
  if (!strcmp(name, "skin"))
    return scene_geosphere(f, &w->meshes[0]) && scene_geosphere(f, &w->meshes[1]) && world_skin(w);
  if (!strcmp(name, "cloth")) return scene_cloth(n < 2 ? 2 : n, &w->meshes[0]) && scene_cloth(9, &w->meshes[1]);
  return !strcmp(name, "soup") && world_soup(&w->meshes[0], (size_t)size / 4, (size_t)size) &&
         world_soup(&w->meshes[1], 9, 12);
}

static inline bool world_pose(world *w, int step)
{
  bool good = true;
  if (w->files) {
    good = world_pose_files(w, step);
  } else if (!strcmp(w->name, "balls") || !strcmp(w->name, "apart")) {
    scene_s1p_pose(&w->meshes[0], &w->meshes[1], 100 + step % 100);
    for (size_t i = 0; w->name[0] == 'a' && i < w->meshes[1].vertex_count; ++i) w->meshes[1].xyz[3 * i] += 2.5f;
  } else if (w->rigid || w->skin) {
    scene_s1p_pose(&w->meshes[0], &w->meshes[1], 150);
  } else if (!strcmp(w->name, "cloth")) {
    world_pose_sheet(&w->meshes[0], (size_t)sqrt((double)w->meshes[0].vertex_count), step);
    world_pose_sheet(&w->meshes[1], (size_t)sqrt((double)w->meshes[1].vertex_count), 3 * step);
    for (size_t i = 0; i < w->meshes[1].vertex_count; ++i) w->meshes[1].xyz[3 * i] += 0.4f;
  } else {
    world_pose_soup(&w->meshes[0], step);
    world_pose_soup(&w->meshes[1], 2 * step);
  }
  if (!w->files) good = world_copy(w);
  if (good && w->rigid) world_turn(w, step);
  return good && (!w->skin || world_bend(w, step));
}

static inline void world_free(world *w)
{
  pl_context_destroy(w->context);
  for (size_t i = 0; i < w->count; ++i) {
    scene_mesh_free(&w->meshes[i]);
    free(w->xyz[i]);
  }
}

#endif
