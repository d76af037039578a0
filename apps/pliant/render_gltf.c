/* Bodies from a glTF scene: every node with triangles, rigid or morphing, moved by an animation. */
#include "command.h"
#include "gltf_positions.h"
#include "output.h"
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1000000000 };
static const double most_weight = 1e6; /* cubic splines may go beyond their keys, so the range is wide */

typedef struct gltf_source {
  gltf_scene *file;
  gltf_pose *pose;
  int animation;
  double **xyz; /* of each body that morphs: world positions, for normals; NULL otherwise */
} gltf_source;

static const char *path_of(const render_job *job) { return job->names[0]; }

static bool complain(const io_error *error)
{
  output_complain("%s", error->text);
  return false;
}

static bool choose_animation(const render_job *job, gltf_source *s)
{
  const char *name = job->options.animation;
  s->animation = gltf_animation_count(s->file) > 0 ? 0 : GLTF_REST;
  if (!name) return true;
  s->animation = strcmp(name, "rest") == 0  ? GLTF_REST
                 : strcmp(name, "all") == 0 ? GLTF_ALL_ANIMATIONS
                                            : gltf_animation_find(s->file, name);
  if (s->animation != -1 || strcmp(name, "rest") == 0) return true;
  output_complain("%s: there is no animation %s: pliant info lists those there are", path_of(job), name);
  return false;
}

static bool count_frames(render_job *job, const gltf_source *s)
{
  double seconds = gltf_duration(s->file, s->animation);
  double last = floor(seconds * job->options.fps * (1 + 1e-7) + 1e-9);
  job->frame_count = last < MOST_FRAMES ? (size_t)last + 1 : 0;
  if (job->frame_count == 0)
    output_complain("%s: %g seconds with %g frames each are too many: choose a lower --fps", path_of(job), seconds,
                    job->options.fps);
  return job->frame_count > 0;
}

static bool morphs(const gltf_source *s, size_t body)
{
  const double *weights = gltf_pose_weights(s->pose, body);
  for (size_t i = 0; i < gltf_body_at(s->file, body)->mesh->target_count; ++i)
    if (weights[i] != 0) return true;
  return gltf_body_morphs(s->file, body, s->animation);
}

static pl_body *make_morph(render_job *job, const gltf_mesh *from, const pl_mesh_def *mesh)
{
  size_t count = from->target_count + 1;
  pl_body *body = NULL;
  pl_positions *references = calloc(count, sizeof *references);
  double *zeros = calloc(3 * from->vertex_count, sizeof *zeros); /* for targets that move nothing */
  if (references && zeros) {
    references[0] = mesh->positions;
    for (size_t i = 1; i < count; ++i) references[i] = gltf_deltas(from, i - 1, zeros);
    pl_morph_def morph = pl_morph_def_default();
    morph.kind = PL_MORPH_ADDITIVE;
    morph.references = references;
    morph.reference_count = count < 1000 ? (int)count : 1000; /* the library has a limit, far below, and says so */
    morph.weight_low = -most_weight;
    morph.weight_high = most_weight;
    pl_body_create_morph(job->context, mesh, &morph, &job->def, &body);
  }
  free(references);
  free(zeros);
  return body;
}

static bool open_body(render_job *job, gltf_source *s, size_t i)
{
  const gltf_body *from = gltf_body_at(s->file, i);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = gltf_positions(from->mesh);
  mesh.triangles = from->mesh->triangles;
  mesh.triangle_count = from->mesh->triangle_count;
  pl_body *body = NULL;
  if (from->has_skin || morphs(s, i)) {
    s->xyz[i] = malloc(3 * from->mesh->vertex_count * sizeof **s->xyz);
    if (!s->xyz[i]) return render_complain_memory(path_of(job));
  }
  if (from->has_skin) { /* shading needs all positions anyway */
    pl_body_create_free(job->context, &mesh, &job->def, &body);
  } else if (s->xyz[i]) {
    body = make_morph(job, from->mesh, &mesh);
  } else {
    pl_body_create_rigid(job->context, &mesh, &job->def, &body);
  }
  if (!render_add(job, body, &mesh, from->name)) return false;
  if (s->xyz[i]) job->traced[i].positions = pl_positions_f64(s->xyz[i], from->mesh->vertex_count);
  job->actors[i].changed = true;
  return true;
}

/* world = m * model + t, in the library's words. */
static pl_transform placement_of(const gltf_transform *from)
{
  pl_transform to;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) to.m[i][k] = from->m[i][k];
    to.t[i] = from->t[i];
  }
  return to;
}

static bool pose_gltf(render_job *job, size_t frame)
{
  gltf_source *s = job->data;
  io_error error;
  if (!gltf_evaluate(s->pose, s->animation, (double)frame / job->options.fps, &error)) return complain(&error);
  for (size_t i = 0; i < job->actor_count; ++i) {
    render_actor *a = &job->actors[i];
    pl_transform now = placement_of(gltf_pose_transform(s->pose, i));
    bool moved = memcmp(&now, &a->placement, sizeof now) != 0;
    a->placement = now;
    if (s->xyz[i]) {
      a->weights = gltf_pose_weights(s->pose, i);
      a->weight_count = (int)gltf_body_at(s->file, i)->mesh->target_count;
      if (!gltf_pose_positions(s->pose, i, s->xyz[i], &error)) return complain(&error);
    } else {
      job->traced[i].placement = &a->placement;
    }
    a->changed = a->changed || moved || s->xyz[i];
  }
  return true;
}

static bool open_gltf(render_job *job)
{
  io_error error;
  gltf_source *s = calloc(1, sizeof *s);
  job->data = s;
  if (!s) return render_complain_memory(path_of(job));
  gltf_options how = {job->options.scene, job->options.allow_outside};
  if (!gltf_read_with(path_of(job), &how, &s->file, &error)) return complain(&error);
  if (!choose_animation(job, s) || !count_frames(job, s)) return false;
  if (!gltf_pose_create(s->file, &s->pose, &error) || !gltf_evaluate(s->pose, s->animation, 0, &error))
    return complain(&error);
  if (gltf_note(s->file)[0]) output_note("%s: %s", path_of(job), gltf_note(s->file));
  size_t count = gltf_body_count(s->file);
  s->xyz = calloc(count, sizeof *s->xyz);
  if (!s->xyz) return render_complain_memory(path_of(job));
  for (size_t i = 0; i < count; ++i)
    if (!open_body(job, s, i)) return false;
  return true;
}

static void close_gltf(render_job *job)
{
  gltf_source *s = job->data;
  if (!s) return;
  for (size_t i = 0; s->xyz && i < gltf_body_count(s->file); ++i) free(s->xyz[i]);
  free(s->xyz);
  gltf_pose_free(s->pose);
  gltf_free(s->file);
  free(s);
}

const render_source render_gltf = {open_gltf, pose_gltf, close_gltf};
