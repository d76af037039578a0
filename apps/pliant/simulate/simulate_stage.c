/* Bodies of `pliant simulate`: from the scenes of scenes/soft.h, or from mesh files that are
 * scaled, dropped and perhaps repeated. */
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "io/gltf.h"
#include "io/output.h"
#include "io/show.h"
#include "simulate/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"pile", "trio", "duo", "rope"};

int simulate_scene_refuse(const char *name)
{
  size_t count = sizeof names / sizeof *names;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(name, names[i]) == 0) return OPTIONS_GO_ON;
  const char *nearest = options_nearest(name, names, count);
  return options_refuse("simulate", "there is no scene and no file %s; %s%s%s", name,
                        nearest ? "did you mean " : "scenes are pile, trio, duo and rope", nearest ? nearest : "",
                        nearest ? "?" : "");
}

static bool complain_memory(void)
{
  output_complain("simulate: out of memory");
  return false;
}

static bool complain_world(const sim_world *world)
{
  output_complain("simulate: %s", sim_world_message(world));
  return false;
}

/* ------------------------------------------------------------------------------------ scenes -- */

static bool make_scene(simulate_job *job)
{
  const simulate_options *o = &job->options;
  if (strcmp(job->scene_name, "pile") == 0) return soft_scene_pile(o->bodies ? o->bodies : SOFT_PILE, &job->scene);
  if (strcmp(job->scene_name, "trio") == 0) return soft_scene_trio(o->points ? o->points : 19000, &job->scene);
  if (strcmp(job->scene_name, "rope") == 0) return soft_scene_rope(o->points ? o->points : 2000, &job->scene);
  return soft_scene_duo(o->points ? o->points : 8000, &job->scene);
}

/* ------------------------------------------------------------------------------------- files -- */

/* A file's mesh about its middle, a metre large. */
static bool read_mesh(const char *path, scene_mesh *out)
{
  io_mesh mesh;
  io_error error;
  if (!(gltf_is_name(path) ? gltf_read_joined(path, &mesh, &error) : io_mesh_read(path, &mesh, &error))) {
    output_complain("%s", error.text);
    return false;
  }
  if (mesh.note[0]) output_note("%s: %s", io_show(path).text, mesh.note);
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
  for (size_t i = 0; i < 3 * mesh.vertex_count; ++i) {
    lower[i % 3] = fmin(lower[i % 3], mesh.xyz[i]);
    upper[i % 3] = fmax(upper[i % 3], mesh.xyz[i]);
  }
  for (int k = 0; k < 3; ++k) size = fmax(size, upper[k] / 2 - lower[k] / 2);
  bool good = size > 0 && isfinite(size);
  if (!good) output_complain("%s: all points are in one place, or too far apart to be scaled", path);
  *out = (scene_mesh){.vertex_count = mesh.vertex_count, .triangle_count = mesh.triangle_count};
  if (good) {
    out->rest = malloc(3 * mesh.vertex_count * sizeof *out->rest);
    out->triangles = malloc(3 * mesh.triangle_count * sizeof *out->triangles);
    good = (out->rest && out->triangles) || complain_memory();
  }
  for (size_t i = 0; good && i < 3 * mesh.vertex_count; ++i)
    out->rest[i] = (float)((mesh.xyz[i] - (lower[i % 3] / 2 + upper[i % 3] / 2)) / size / 2);
  if (good) memcpy(out->triangles, mesh.triangles, 3 * mesh.triangle_count * sizeof *out->triangles);
  io_mesh_free(&mesh);
  return good;
}

static bool read_files(simulate_job *job)
{
  enum { MOST = sizeof job->scene.meshes / sizeof *job->scene.meshes };
  soft_scene *s = &job->scene;
  int copies = job->options.bodies ? job->options.bodies : 1;
  if (job->file_count > MOST) {
    output_complain("simulate: at most %d files at once, but %d were given", MOST, job->file_count);
    return false;
  }
  *s = (soft_scene){.gravity = {0, -9.81, 0}, .floor = true, .friction = 0.4, .stretch = 0.3};
  s->actor_count = (size_t)copies * (size_t)job->file_count;
  s->actors = calloc(s->actor_count, sizeof *s->actors);
  if (!s->actors) return complain_memory();
  for (int i = 0; i < job->file_count; ++i) {
    ++s->mesh_count;
    if (!read_mesh(job->files[i], &s->meshes[i])) return false;
  }
  double start = job->options.height == job->options.height ? job->options.height : 0.5;
  for (size_t i = 0; i < s->actor_count; ++i) {
    soft_actor *a = &s->actors[i];
    double turn = 0.35 * (double)i;
    a->mesh = (int)(i % (size_t)job->file_count);
    a->position[0] = 0.12 * sin(2.4 * (double)i), a->position[2] = 0.12 * cos(2.4 * (double)i);
    a->position[1] = 0.75 + start + 1.3 * (double)i;
    a->rotation[1] = sin(turn / 2), a->rotation[3] = cos(turn / 2);
  }
  const double eye[3] = {2.4, 2.2, 4.4}, at[3] = {0, 0.6, 0};
  memcpy(s->eye, eye, sizeof eye), memcpy(s->at, at, sizeof at);
  return true;
}

/* ------------------------------------------------------------------------------------- stage -- */

static bool note_meshes(simulate_job *job)
{
  size_t bodies = sim_body_count(job->world);
  job->mesh_count = job->scene.mesh_count;
  job->meshes = calloc(job->mesh_count, sizeof *job->meshes);
  job->positions = calloc(bodies, sizeof *job->positions);
  if (!job->meshes || !job->positions) return complain_memory();
  for (size_t i = 0; i < job->mesh_count; ++i) {
    const scene_mesh *m = &job->scene.meshes[i];
    job->meshes[i] = (simulate_mesh){m->triangles, m->triangle_count, m->vertex_count, m->rest};
  }
  for (size_t i = 0; i < bodies; ++i) {
    job->positions[i] = malloc(3 * sim_body_points(job->world, (int)i) * sizeof(float));
    if (!job->positions[i]) return complain_memory();
  }
  return true;
}

bool simulate_stage_open(simulate_job *job)
{
  if (job->scene_name ? !(make_scene(job) || complain_memory()) : !read_files(job)) return false;
  double gravity = job->world_def.gravity[1], friction = job->world_def.friction;
  sim_world_def_for(&job->scene, &job->world_def);
  if (job->options.gravity == job->options.gravity) job->world_def.gravity[1] = gravity;
  if (job->options.friction == job->options.friction) job->world_def.friction = friction;
  if (sim_world_create(&job->world_def, &job->world) != SIM_OK) return complain_memory();
  if (sim_add_scene(job->world, &job->scene, &job->body_def) != SIM_OK) return complain_world(job->world);
  return note_meshes(job);
}

void simulate_stage_close(simulate_job *job)
{
  for (size_t i = 0; job->positions && i < sim_body_count(job->world); ++i) free(job->positions[i]);
  free(job->positions);
  free(job->meshes);
  sim_world_destroy(job->world);
  soft_scene_free(&job->scene);
}

void simulate_take_positions(simulate_job *job)
{
  for (size_t i = 0; i < sim_body_count(job->world); ++i) sim_body_positions(job->world, (int)i, job->positions[i]);
}

/* ------------------------------------------------------------------------------- checkpoints -- */

static bool file_failed(const char *path, const char *why)
{
  output_complain("%s: %s", io_show(path).text, why);
  return false;
}

bool simulate_load(simulate_job *job)
{
  FILE *file = fopen(job->options.resume, "rb");
  if (!file) return file_failed(job->options.resume, strerror(errno));
  sim_status status = sim_world_load(job->world, file);
  fclose(file);
  return status == SIM_OK || file_failed(job->options.resume, sim_world_message(job->world));
}

bool simulate_save(simulate_job *job)
{
  io_output out;
  io_error error = {""};
  bool good = io_output_open(&out, job->options.checkpoint, &error);
  if (good) {
    bool saved = sim_world_save(job->world, out.file) == SIM_OK;
    if (!saved && !ferror(out.file))
      snprintf(error.text, sizeof error.text, "%s: %s", job->options.checkpoint, sim_world_message(job->world));
    good = io_output_close(&out, saved || ferror(out.file), &error);
  }
  if (!good) output_complain("%s", error.text);
  return good;
}
