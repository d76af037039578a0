#include "bench/auto_actors.h"

#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEQUENCE = 21 /* frames: there and back are 40 */ };
enum { PAIRS = 1, SELF = 2, NEAR = 4, DISTANCE = 8, POINTS = 16, FEW = 32, MANY = 64, ALL = 127 };

static pl_mesh_def mesh_of(const scene_mesh *m, const float *xyz)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(xyz, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static bool create_free(auto_stage *s, const pl_body_def *def, const scene_mesh *m, pl_body **out)
{
  const pl_mesh_def mesh = mesh_of(m, m->xyz);
  return pl_body_create_free(s->context, &mesh, def, out) == PL_OK;
}

static pl_status set_free(auto_stage *s)
{
  return pl_body_set_positions(s->body, pl_positions_f32(s->mesh.xyz, s->mesh.vertex_count));
}

static pl_status set_controls(auto_stage *s)
{
  return pl_body_set_controls(s->body, pl_positions_f32(s->mesh.xyz, s->mesh.vertex_count));
}

static pl_status set_bones(auto_stage *s) { return pl_body_set_bones(s->body, s->bones, s->bone_count); }

/* ------------------------------------------------------------------------------- free bodies -- */

static bool pose_sphere(auto_stage *s, int frame)
{
  scene_s1_pose(&s->mesh, &s->meshes[0], 4 * frame + 20);
  return true;
}

static bool open_sphere(auto_stage *s, const pl_body_def *def)
{
  const int f = scene_geosphere_frequency(s->actor->triangles);
  if (!scene_geosphere(f, &s->mesh) || !scene_geosphere(f, &s->meshes[0])) return false;
  return pose_sphere(s, 0) && create_free(s, def, &s->mesh, &s->body);
}

static bool pose_cloth(auto_stage *s, int frame)
{
  scene_s3_pose(&s->mesh, 59 + frame);
  return true;
}

static bool open_cloth(auto_stage *s, const pl_body_def *def)
{
  if (!scene_cloth((int)sqrt(s->actor->triangles / 2.0), &s->mesh)) return false;
  return pose_cloth(s, 0) && create_free(s, def, &s->mesh, &s->body);
}

static bool pose_crowd(auto_stage *s, int frame)
{
  for (int b = 0; b < SCENE_S2_BODIES; ++b) scene_s2_pose(&s->meshes[b], b, 120 + 2 * frame);
  return true;
}

static bool open_crowd(auto_stage *s, const pl_body_def *def)
{
  bool ok = pl_scene_create(s->context, NULL, &s->scene) == PL_OK;
  for (int b = 0; ok && b < SCENE_S2_BODIES; ++b) {
    ok = scene_geosphere(scene_geosphere_frequency(s->actor->triangles), &s->meshes[b]);
    if (ok) scene_s2_pose(&s->meshes[b], b, 120);
    ok = ok && create_free(s, def, &s->meshes[b], &s->bodies[b]) && pl_scene_add(s->scene, s->bodies[b], NULL) == PL_OK;
  }
  s->body = s->bodies[0];
  return ok;
}

static pl_status set_crowd(auto_stage *s)
{
  pl_status status = PL_OK;
  for (int b = 0; b < SCENE_S2_BODIES && status == PL_OK; ++b)
    status = pl_body_set_positions(s->bodies[b], pl_positions_f32(s->meshes[b].xyz, s->meshes[b].vertex_count));
  return status;
}

static uint32_t soup_state;
static float soup_draw(void) /* [-1, 1) */
{
  soup_state = soup_state * 1664525u + 1013904223u;
  return (float)(soup_state >> 8) / (float)(1u << 23) - 1;
}

static bool pose_soup(auto_stage *s, int frame)
{
  (void)frame;
  for (size_t v = 0; v < s->mesh.vertex_count; ++v)
    for (size_t k = 0; k < 3; ++k) s->mesh.xyz[3 * v + k] += s->velocity[3 * (v / 3) + k];
  return true;
}

static bool open_soup(auto_stage *s, const pl_body_def *def)
{
  scene_mesh *m = &s->mesh;
  m->triangle_count = (size_t)s->actor->triangles;
  m->vertex_count = 3 * m->triangle_count;
  m->xyz = malloc((3 * m->vertex_count + 1) * sizeof *m->xyz);
  m->rest = malloc(sizeof *m->rest);
  m->triangles = malloc(3 * m->triangle_count * sizeof *m->triangles);
  s->velocity = malloc(3 * m->triangle_count * sizeof *s->velocity);
  if (!m->xyz || !m->triangles || !s->velocity) return false;
  soup_state = 3;
  for (size_t t = 0; t < m->triangle_count; ++t) {
    const float at[3] = {soup_draw(), soup_draw(), soup_draw()};
    for (size_t i = 0; i < 9; ++i) m->xyz[9 * t + i] = at[i % 3] + 0.03f * soup_draw();
    for (size_t k = 0; k < 3; ++k) {
      s->velocity[3 * t + k] = 0.002f * soup_draw();
      m->triangles[3 * t + k] = (uint32_t)(3 * t + k);
    }
  }
  return create_free(s, def, m, &s->body);
}

/* --------------------------------------------------------------------------- governed bodies -- */

static bool pose_animal(auto_stage *s, int frame)
{
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  scene_animal_run(frame, matrix, shift);
  for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
    memcpy(s->bones[k].m, matrix[k], sizeof s->bones[k].m);
    memcpy(s->bones[k].t, shift[k], sizeof s->bones[k].t);
  }
  return true;
}

static bool open_animal(auto_stage *s, const pl_body_def *def)
{
  scene_animal *a = &s->animal;
  s->bone_count = SCENE_ANIMAL_BONES;
  s->bones = malloc(s->bone_count * sizeof *s->bones);
  if (!s->bones || !scene_animal_make(s->actor->triangles, a)) return false;
  const pl_mesh_def mesh = mesh_of(&a->mesh, a->mesh.rest);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = s->bone_count;
  skin.weights = (pl_weights){.vertex_count = a->mesh.vertex_count,
                              .per_vertex = (size_t)a->per_vertex,
                              .governors = a->bones,
                              .values = a->weights,
                              .type = PL_F32,
                              .normalise = true};
  return pl_body_create_skin(s->context, &mesh, &skin, def, &s->body) == PL_OK && pose_animal(s, 0);
}

static bool pose_fold(auto_stage *s, int frame)
{
  scene_control_fold(&s->mesh, 40 + frame);
  return true;
}

static bool open_fold(auto_stage *s, const pl_body_def *def)
{
  if (!scene_control_cloth(&s->mesh)) return false;
  const pl_mesh_def mesh = mesh_of(&s->mesh, s->mesh.rest);
  pl_subdivide_def subdivide = pl_subdivide_def_default();
  subdivide.levels = 3;
  return pl_body_create_subdivide(s->context, &mesh, &subdivide, def, &s->body) == PL_OK && pose_fold(s, 0);
}

static bool pose_bear(auto_stage *s, int frame)
{
  scene_bear_pose(frame, (float(*)[3])(void *)s->mesh.xyz);
  return true;
}

static bool open_bear(auto_stage *s, const pl_body_def *def)
{
  float rest[SCENE_BEAR_PARTICLES][3];
  scene_mesh surface;
  if (!scene_bear(s->actor->triangles / 320, &surface)) return false;
  const pl_mesh_def mesh = mesh_of(&surface, surface.rest);
  pl_particles_def points = pl_particles_def_default();
  scene_bear_rest(rest);
  points.particles = pl_positions_f32(rest[0], SCENE_BEAR_PARTICLES);
  const bool ok = pl_body_create_points(s->context, &mesh, &points, def, &s->body) == PL_OK;
  scene_mesh_free(&surface);
  s->mesh.xyz = malloc(3 * sizeof(float) * SCENE_BEAR_PARTICLES);
  s->mesh.vertex_count = SCENE_BEAR_PARTICLES;
  return ok && s->mesh.xyz && pose_bear(s, 0);
}

static void data_path(const char *file, char out[512])
{
  const char *folder = getenv("PLIANT_DATA");
  snprintf(out, 512, "%s/%s", folder ? folder : "../shared/data", file);
}

bool auto_actor_is_there(const auto_actor *a)
{
  char path[512], first[512];
  if (!a->file) return true;
  data_path(a->file, path);
  char *number = strstr(path, "%d");
  if (number) {
    snprintf(first, sizeof first, "%.*s0%s", (int)(number - path), path, number + 2);
    memcpy(path, first, sizeof path);
  }
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

/* -------------------------------------------------------------------------------- sequences -- */

/* There and back again. */
static bool pose_sequence(auto_stage *s, int frame)
{
  const size_t n = s->frame_count, round = n > 1 ? 2 * (n - 1) : 1, at = (size_t)frame % round,
               size = 3 * s->mesh.vertex_count;
  memcpy(s->mesh.xyz, s->frames + size * (at < n ? at : round - at), size * sizeof *s->mesh.xyz);
  return true;
}

static bool keep_frame(auto_stage *s, size_t frame, const io_mesh *m)
{
  scene_mesh *to = &s->mesh;
  const size_t size = 3 * m->vertex_count;
  if (frame == 0) {
    to->vertex_count = m->vertex_count;
    to->triangle_count = m->triangle_count;
    to->triangles = malloc(3 * m->triangle_count * sizeof *to->triangles);
    to->xyz = malloc(size * sizeof *to->xyz);
    s->frames = malloc(s->frame_count * size * sizeof *s->frames);
    if (!to->triangles || !to->xyz || !s->frames) return false;
    memcpy(to->triangles, m->triangles, 3 * m->triangle_count * sizeof *to->triangles);
  }
  if (m->vertex_count != to->vertex_count || m->triangle_count != to->triangle_count) return false;
  for (size_t i = 0; i < size; ++i) s->frames[frame * size + i] = (float)m->xyz[i];
  return true;
}

static bool open_sequence(auto_stage *s, const pl_body_def *def)
{
  char path[512];
  io_error error;
  io_sequence files;
  data_path(s->actor->file, path);
  if (!io_sequence_open(path, &files, &error)) return false;
  s->frame_count = files.count < MOST_SEQUENCE ? files.count : MOST_SEQUENCE;
  bool ok = s->frame_count > 0;
  for (size_t k = 0; ok && k < s->frame_count; ++k) {
    io_mesh m;
    ok = io_mesh_read(files.paths[k], &m, &error);
    if (!ok) break;
    ok = keep_frame(s, k, &m);
    io_mesh_free(&m);
  }
  io_sequence_free(&files);
  return ok && pose_sequence(s, 0) && create_free(s, def, &s->mesh, &s->body);
}

static bool pose_file(auto_stage *s, int frame)
{
  io_error error;
  const double time = fmod(frame / 30.0, gltf_duration(s->file, 0));
  if (!gltf_evaluate(s->file_pose, 0, time, &error)) return false;
  memcpy(s->bones, gltf_pose_bones(s->file_pose, s->file_body), s->bone_count * sizeof *s->bones);
  return true;
}

static bool open_file(auto_stage *s, const pl_body_def *def)
{
  char path[512];
  io_error error;
  data_path(s->actor->file, path);
  if (!gltf_read(path, NULL, &s->file, &error) || !gltf_pose_create(s->file, &s->file_pose, &error)) return false;
  while (!gltf_body_at(s->file, s->file_body)->has_skin) ++s->file_body;
  const gltf_body *from = gltf_body_at(s->file, s->file_body);
  const gltf_mesh *m = from->mesh;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->positions, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = s->bone_count = from->bone_count;
  skin.weights = (pl_weights){.vertex_count = m->vertex_count,
                              .per_vertex = m->influences,
                              .governors = m->joints,
                              .values = m->joint_weights,
                              .type = PL_F64};
  s->bones = malloc(s->bone_count * sizeof *s->bones);
  return s->bones && pl_body_create_skin(s->context, &mesh, &skin, def, &s->body) == PL_OK && pose_file(s, 0);
}

/* ------------------------------------------------------------------------------------- stage -- */

#define STORED                                                                                                         \
  {                                                                                                                    \
    PL_STRATEGY_AUTO, PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN, PL_STRATEGY_COUNT               \
  }
#define GOVERNED                                                                                                       \
  {                                                                                                                    \
    PL_STRATEGY_AUTO, PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_GOVERNED, PL_STRATEGY_COUNT               \
  }

const auto_actor auto_actors[] = {
    {"sphere", NULL, ALL & ~SELF, STORED, 0, 20480, open_sphere, pose_sphere, set_free},
    {"27 bodies", NULL, PAIRS | NEAR | DISTANCE | FEW | MANY, STORED, 0, 5120, open_crowd, pose_crowd, set_crowd},
    {"cloth", NULL, ALL, STORED, 0, 20000, open_cloth, pose_cloth, set_free},
    {"soup", NULL, ALL & ~SELF, STORED, 0, 10000, open_soup, pose_soup, set_free},
    {"animal", NULL, ALL, GOVERNED, 6, 20000, open_animal, pose_animal, set_bones},
    {"subdivided cloth", NULL, ALL, GOVERNED, 12, 25600, open_fold, pose_fold, set_controls},
    {"bear", NULL, ALL, GOVERNED, 20, 20000, open_bear, pose_bear, set_controls},
    {"CesiumMan", "gltf/CesiumMan/CesiumMan.glb", ALL, GOVERNED, 4, 0, open_file, pose_file, set_bones},
    {"Fox", "gltf/Fox/Fox.glb", ALL, GOVERNED, 4, 0, open_file, pose_file, set_bones},
    {"Rumba", "sequences/Rumba_Dancing/shell%d.obj", ALL, STORED, 0, 0, open_sequence, pose_sequence, set_free},
    {"cactus", "sequences/cactus_deformed/cactus_deformed_%d.off", ALL, STORED, 0, 0, open_sequence, pose_sequence,
     set_free},
    {0},
};

static bool add_ball(auto_stage *s, double x, double radius, pl_body **out)
{
  scene_mesh m;
  if (!scene_geosphere(8, &m)) return false;
  for (size_t i = 0; i < 3 * m.vertex_count; ++i)
    m.xyz[i] = (float)((double)m.rest[i] * radius + s->middle[i % 3] + (i % 3 == 0) * x);
  const bool ok = create_free(s, NULL, &m, out);
  scene_mesh_free(&m);
  return ok;
}

bool auto_stage_open(const auto_actor *actor, pl_strategy strategy, const bench_options *options, auto_stage *s)
{
  *s = (auto_stage){.actor = actor};
  pl_context_def context = pl_context_def_default();
  pl_body_def def = pl_body_def_default();
  context.threads = options->threads ? options->threads : 1;
  def.strategy = strategy;
  float lower[3], upper[3];
  if (pl_context_create(&context, &s->context) != PL_OK || !actor->open(s, &def) || !auto_stage_set(s, 0)) return false;
  if (pl_body_box(s->body, lower, upper) != PL_OK) return false;
  for (int k = 0; k < 3; ++k) {
    s->middle[k] = 0.5 * ((double)lower[k] + (double)upper[k]);
    s->radius = fmax(s->radius, 0.5 * ((double)upper[k] - (double)lower[k]));
  }
  s->small = !s->scene && pl_body_triangle_count(s->body) < 6000;
  return add_ball(s, 0.8 * s->radius, 0.3 * s->radius, &s->ball) &&
         add_ball(s, 1.7 * s->radius, 0.3 * s->radius, &s->far);
}

void auto_stage_close(auto_stage *s)
{
  pl_context_destroy(s->context);
  scene_mesh_free(&s->mesh);
  for (int b = 0; b < AUTO_MOST_BODIES; ++b) scene_mesh_free(&s->meshes[b]);
  scene_animal_free(&s->animal);
  free(s->bones);
  free(s->velocity);
  free(s->frames);
  if (s->file_pose) gltf_pose_free(s->file_pose);
  if (s->file) gltf_free(s->file);
}

bool auto_stage_pose(auto_stage *s, int frame) { return s->actor->pose(s, frame); }

bool auto_stage_set(auto_stage *s, int frame)
{
  (void)frame;
  return s->actor->set(s) == PL_OK;
}

double auto_stage_update_cost(const auto_stage *s, uint64_t n_u)
{
  const double weights = s->actor->weights, all = (double)n_u;
  pl_body_info info;
  if (pl_body_get_info(s->body, false, &info) != PL_OK) return 0;
  pl_strategy strategy = pl_body_strategy(s->body);
  if (strcmp(info.choice, "fixed") != 0) {
    strategy = strcmp(info.choice, "whole") == 0 ? PL_STRATEGY_BOTTOM_UP
               : strcmp(info.choice, "own") == 0 ? PL_STRATEGY_GOVERNED
                                                 : PL_STRATEGY_HYBRID;
  }
  if (strategy == PL_STRATEGY_GOVERNED) return (9 + 4 * weights) * all;
  const double vertices = (double)pl_body_vertex_count(s->body);
  const double read = strategy == PL_STRATEGY_BOTTOM_UP ? 0 : 0.15 * vertices;
  const double store = read + (weights > 0 ? (1 + 0.65 * weights) * vertices : 0);
  return store + (strategy == PL_STRATEGY_BOTTOM_UP ? 3 : 9) * all;
}
