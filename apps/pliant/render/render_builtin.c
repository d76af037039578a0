/* The built-in scenes: the bodies that tests and experiments play, to be looked at. */
#include "render/render_builtin.h"
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "render/render.h"
#include "scenes/morph.h"
#include "scenes/museum.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BALL_TRIANGLES = 20480, CLOTH_QUADS = 160 };

typedef struct builtin_source {
  const render_scene *scene;
  scene_mesh *meshes;
  size_t count;
  morph_mesh shape;
  museum_art art;
  float **xyz; /* of each dolphin: world positions, for normals */
  morph_pose *poses;
  size_t shown; /* the frame that is posed; SIZE_MAX: none */
} builtin_source;

struct render_scene {
  const char *name, *about;
  size_t frames;
  bool (*open)(render_job *job, builtin_source *s);
  void (*pose)(render_job *job, builtin_source *s, size_t frame);
  double azimuth, elevation;
  trace_ground_kind ground;
  trace_mood sky;
};

/* ----------------------------------------------------------------------------------- helpers -- */

static bool add_mesh(render_job *job, builtin_source *s, size_t i)
{
  scene_mesh *m = &s->meshes[i];
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_body *body = NULL;
  pl_body_create_free(job->context, &mesh, &job->def, &body);
  return render_add(job, body, &mesh, s->scene->name);
}

/* Meshes are made and posed before bodies are: trees follow the first shape. */
static bool add_meshes(render_job *job, builtin_source *s)
{
  s->scene->pose(job, s, 0);
  for (size_t i = 0; i < s->count; ++i)
    if (!add_mesh(job, s, i)) return false;
  return true;
}

static bool make_meshes(builtin_source *s, size_t count, int triangles)
{
  s->meshes = calloc(count, sizeof *s->meshes);
  for (size_t i = 0; s->meshes && i < count; ++i, ++s->count)
    if (!scene_geosphere(scene_geosphere_frequency(triangles), &s->meshes[i])) return false;
  return s->meshes != NULL;
}

static int triangles_or(const render_job *job, int otherwise)
{
  return job->options.triangles > 0 ? job->options.triangles : otherwise;
}

/* ------------------------------------------------------------------------------------ scenes -- */

static bool open_s4(render_job *job, builtin_source *s)
{
  if (!make_meshes(s, SCENE_S4_BODIES, triangles_or(job, SCENE_S4_TRIANGLES))) return render_complain_memory("s4");
  return add_meshes(job, s);
}

static void pose_s4(render_job *job, builtin_source *s, size_t frame)
{
  for (size_t i = 0; i < s->count; ++i) scene_s4_pose(&s->meshes[i], (int)i, (int)frame);
}

static bool open_s1(render_job *job, builtin_source *s)
{
  if (!make_meshes(s, 2, triangles_or(job, BALL_TRIANGLES))) return render_complain_memory("s1");
  return add_meshes(job, s);
}

static void pose_s1(render_job *job, builtin_source *s, size_t frame)
{
  scene_s1_pose(&s->meshes[0], &s->meshes[1], (int)frame);
}

static bool open_s2(render_job *job, builtin_source *s)
{
  if (!make_meshes(s, SCENE_S2_BODIES, triangles_or(job, SCENE_S2_TRIANGLES))) return render_complain_memory("s2");
  return add_meshes(job, s);
}

static void pose_s2(render_job *job, builtin_source *s, size_t frame)
{
  for (size_t i = 0; i < s->count; ++i) scene_s2_pose(&s->meshes[i], (int)i, (int)frame);
}

/* The ball on which the cloth falls is ours to show: a little smaller than the cloth takes it to
 * be. */
static bool open_cloth(render_job *job, builtin_source *s)
{
  const float radius = 0.392f;
  int quads = job->options.triangles > 0 ? (int)ceil(sqrt(job->options.triangles / 2.0)) : CLOTH_QUADS;
  s->meshes = calloc(2, sizeof *s->meshes);
  s->count = 2;
  bool good = s->meshes && scene_cloth(quads, &s->meshes[0]) &&
              scene_geosphere(scene_geosphere_frequency(BALL_TRIANGLES), &s->meshes[1]);
  if (!good) return render_complain_memory("cloth");
  scene_mesh *ball = &s->meshes[1];
  for (size_t i = 0; i < 3 * ball->vertex_count; ++i) ball->xyz[i] = radius * ball->rest[i];
  if (!add_meshes(job, s)) return false;
  job->traced[0].material.mirror = (float)(job->options.mirror >= 0 ? job->options.mirror : 0);
  job->traced[0].material.specular = 0.08f;
  job->traced[0].material.gloss = 12;
  return true;
}

static void pose_cloth(render_job *job, builtin_source *s, size_t frame) { scene_s3_pose(&s->meshes[0], (int)frame); }

/* ---------------------------------------------------------------------------------- dolphins -- */

static void pose_dolphins(render_job *job, builtin_source *s, size_t frame)
{
  for (size_t i = 0; i < MORPH_B2_DOLPHINS; ++i) {
    morph_pose *p = &s->poses[i];
    morph_b2_pose((int)i, (int)frame, p);
    p->shift[0] -= 8 * ((double)frame / (MORPH_B2_STEPS - 1.0)); /* the camera swims along */
    morph_blend(&s->shape, p, s->xyz[i]);
    if (i >= job->actor_count) continue; /* not made yet */
    render_actor *a = &job->actors[i];
    a->weights = p->weight;
    a->weight_count = MORPH_REFERENCES;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) a->placement.m[r][c] = p->rotation[3 * r + c];
      a->placement.t[r] = p->shift[r];
    }
  }
}

static bool add_dolphin(render_job *job, builtin_source *s, size_t i)
{
  pl_positions references[MORPH_REFERENCES];
  for (int r = 0; r < MORPH_REFERENCES; ++r)
    references[r] = pl_positions_f32(s->shape.references[r], s->shape.vertex_count);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = references[0];
  mesh.triangles = s->shape.triangles;
  mesh.triangle_count = s->shape.triangle_count;
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = MORPH_REFERENCES;
  pl_body *body = NULL;
  pl_body_create_morph(job->context, &mesh, &morph, &job->def, &body);
  if (!render_add(job, body, &mesh, "dolphins")) return false;
  static const float skin[3][3] = {{0.30f, 0.36f, 0.42f}, {0.38f, 0.43f, 0.47f}, {0.24f, 0.30f, 0.37f}};
  trace_body *traced = &job->traced[i];
  traced->positions = pl_positions_f32(s->xyz[i], s->shape.vertex_count);
  for (int k = 0; k < 3; ++k) traced->material.colour[k] = skin[i % 3][k];
  return true;
}

static bool open_dolphins(render_job *job, builtin_source *s)
{
  enum { USUAL = MORPH_DOLPHIN_TRIANGLES << 2 * 3 };
  int level = 0;
  while (level < MORPH_DOLPHIN_LEVELS - 1 && (MORPH_DOLPHIN_TRIANGLES << 2 * level) < triangles_or(job, USUAL)) ++level;
  s->xyz = calloc(MORPH_B2_DOLPHINS, sizeof *s->xyz);
  s->poses = calloc(MORPH_B2_DOLPHINS, sizeof *s->poses);
  bool good = s->xyz && s->poses && morph_dolphin(level, &s->shape);
  for (size_t i = 0; good && i < MORPH_B2_DOLPHINS; ++i) {
    s->xyz[i] = malloc((3 * s->shape.vertex_count + 1) * sizeof **s->xyz);
    good = s->xyz[i] != NULL;
  }
  if (!good) return render_complain_memory("dolphins");
  for (size_t i = 0; i < MORPH_B2_DOLPHINS; ++i)
    if (!add_dolphin(job, s, i)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------ museum -- */

static void pose_museum(render_job *job, builtin_source *s, size_t frame) { museum_art_pose(&s->art, (int)frame); }

static void look_at_museum(size_t frame, trace_view *view)
{
  museum_view v = museum_camera((int)frame);
  for (int k = 0; k < 3; ++k) {
    view->eye[k] = v.eye[k];
    view->at[k] = v.at[k];
  }
  view->degrees = v.degrees;
}

static bool add_to_museum(render_job *job, pl_body *body, const pl_mesh_def *mesh, museum_look look)
{
  if (!render_add(job, body, mesh, look.name)) return false;
  trace_material *m = &job->traced[job->actor_count - 1].material;
  memcpy(m->colour, look.colour, sizeof m->colour);
  m->mirror = (float)(job->options.mirror >= 0 ? job->options.mirror : look.mirror);
  m->specular = look.mirror;
  return true;
}

static bool add_art(render_job *job, builtin_source *s)
{
  pl_positions keys[MUSEUM_KEYS];
  for (int k = 0; k < MUSEUM_KEYS; ++k) keys[k] = pl_positions_f32(s->art.key[k], s->art.vertex_count);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(s->art.xyz, s->art.vertex_count);
  mesh.triangles = s->art.triangles;
  mesh.triangle_count = s->art.triangle_count;
  pl_soup_def soup = pl_soup_def_default();
  soup.key_poses = keys;
  soup.key_pose_count = MUSEUM_KEYS;
  pl_body *body = NULL;
  pl_body_create_soup(job->context, &mesh, &soup, &job->def, &body);
  return add_to_museum(job, body, &mesh, museum_art_look());
}

static bool open_museum(render_job *job, builtin_source *s)
{
  s->meshes = calloc(MUSEUM_PARTS, sizeof *s->meshes);
  s->count = s->meshes ? MUSEUM_PARTS : 0;
  int triangles = triangles_or(job, MUSEUM_TRIANGLES);
  bool good = s->meshes && museum_art_make(triangles < 1000 ? 1000 : triangles, &s->art);
  for (int part = 0; good && part < MUSEUM_PARTS; ++part) good = museum_room((museum_part)part, &s->meshes[part]);
  if (!good) return render_complain_memory("museum");
  if (!add_art(job, s)) return false;
  for (int part = 0; part < MUSEUM_PARTS; ++part) {
    const scene_mesh *m = &s->meshes[part];
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
    mesh.triangles = m->triangles;
    mesh.triangle_count = m->triangle_count;
    pl_body *body = NULL;
    pl_body_create_rigid(job->context, &mesh, NULL, &body);
    if (!add_to_museum(job, body, &mesh, museum_room_look((museum_part)part))) return false;
  }
  job->look = look_at_museum;
  if (!job->options.lights)
    for (int i = 0; i < MUSEUM_LIGHTS; ++i, ++job->world.light_count)
      for (int k = 0; k < 3; ++k) job->world.lights[i].at[k] = museum_light_at(i).at[k];
  return true;
}

/* ------------------------------------------------------------------------------------ source -- */

static const render_scene scenes[] = {
    {"s4", "nine bumpy bodies, eight in a ring", SCENE_S4_FRAMES, open_s4, pose_s4, 38, 24, TRACE_GROUND_CHECKER,
     TRACE_MOOD_DAY},
    {"s1", "two bumpy spheres sink into each other", SCENE_S1_STEPS, open_s1, pose_s1, 330, 14, TRACE_GROUND_CHECKER,
     TRACE_MOOD_DAY},
    {"s2", "27 bodies close in on each other", SCENE_S2_STEPS, open_s2, pose_s2, 30, 18, TRACE_GROUND_CHECKER,
     TRACE_MOOD_DAY},
    {"cloth", "a cloth falls on a ball", SCENE_S3_STEPS, open_cloth, pose_cloth, 25, 20, TRACE_GROUND_CHECKER,
     TRACE_MOOD_DAY},
    {"dolphins", "twelve morphing dolphins", MORPH_B2_STEPS, open_dolphins, pose_dolphins, 328, 12, TRACE_GROUND_NONE,
     TRACE_MOOD_SEA},
    {"museum", "a piece of art changes its shape", MUSEUM_FRAMES, open_museum, pose_museum, 30, 10, TRACE_GROUND_NONE,
     TRACE_MOOD_STUDIO},
};
enum { SCENE_COUNT = sizeof scenes / sizeof *scenes };

static const render_scene *find(const char *name)
{
  for (int i = 0; i < SCENE_COUNT; ++i)
    if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
  return NULL;
}

int render_builtin_refuse(const char *name)
{
  const char *names[SCENE_COUNT], *nearest;
  char list[256] = "";
  for (int i = 0; i < SCENE_COUNT; ++i) {
    names[i] = scenes[i].name;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  if (find(name)) return OPTIONS_GO_ON;
  nearest = options_nearest(name, names, SCENE_COUNT);
  return options_refuse("render", "--scene %s: there are %s%s%s%s", name, list, nearest ? "; did you mean " : "",
                        nearest ? nearest : "", nearest ? "?" : "");
}

bool render_builtin_morphs(const char *name) { return strcmp(name, "dolphins") == 0; }

static bool pose_builtin(render_job *job, size_t frame)
{
  builtin_source *s = job->data;
  if (frame == s->shown) return true;
  s->scene->pose(job, s, frame);
  for (size_t i = 0; i < job->actor_count; ++i) job->actors[i].changed = true;
  s->shown = frame;
  return true;
}

static bool open_builtin(render_job *job)
{
  builtin_source *s = calloc(1, sizeof *s);
  job->data = s;
  if (!s) return render_complain_memory(job->options.scene);
  s->shown = SIZE_MAX;
  s->scene = find(job->options.scene);
  job->frame_count = s->scene->frames;
  job->azimuth = s->scene->azimuth;
  job->elevation = s->scene->elevation;
  job->ground = s->scene->ground;
  job->sky = s->scene->sky;
  return s->scene->open(job, s);
}

static void close_builtin(render_job *job)
{
  builtin_source *s = job->data;
  if (!s) return;
  for (size_t i = 0; i < s->count; ++i) scene_mesh_free(&s->meshes[i]);
  for (size_t i = 0; s->xyz && i < MORPH_B2_DOLPHINS; ++i) free(s->xyz[i]);
  morph_mesh_free(&s->shape);
  museum_art_free(&s->art);
  free(s->meshes);
  free(s->xyz);
  free(s->poses);
  free(s);
}

const render_source render_builtin = {open_builtin, pose_builtin, close_builtin};
