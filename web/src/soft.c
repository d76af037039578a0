/* Soft bodies that fall on each other, as a stage: in pliant-full.wasm only. The simulator of
 * sim/ plays once, when the stage is opened; its positions are kept for every frame, so that
 * frames may be asked for in any order. */
#include "web/src/stage.h"

#include "sim/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 180, STEPS = 2, BODIES = 12, MOST_BODIES = 100, FPS = 30 };
/* of the box they fall into; how much they give way */
static const double WIDTH = 2.6, SOFTNESS = 0.7;

typedef struct soft {
  soft_scene scene;
  float *xyz;   /* of each frame, of each body */
  size_t *from; /* of each body in a frame, in floats; and how many there are in all */
} soft;

static const scene_mesh *mesh_of(const soft *s, size_t body) { return &s->scene.meshes[s->scene.actors[body].mesh]; }

static pl_status make_body(web_stage *stage, size_t part, const pl_body_def *def, pl_body **out)
{
  const scene_mesh *m = mesh_of(stage->data, part);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->rest, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_match_def match = pl_match_def_default();
  return pl_body_create_match(stage->context, &mesh, &match, def, out);
}

static bool pose_soft(web_stage *stage, int frame)
{
  const soft *s = stage->data;
  const float *at = s->xyz + (size_t)frame * s->from[s->scene.actor_count];
  for (size_t i = 0; i < stage->part_count; ++i) {
    pl_positions where = pl_positions_f32(at + s->from[i], stage->parts[i].vertex_count);
    if (!web_check(stage->context, pl_body_set_positions(stage->parts[i].driver, where))) return false;
  }
  return true;
}

static void free_soft(soft *s)
{
  if (!s) return;
  soft_scene_free(&s->scene);
  free(s->xyz);
  free(s->from);
  free(s);
}
static void close_soft(web_stage *stage) { free_soft(stage->data); }

static const web_source source = {make_body, pose_soft, close_soft};

/* Plays the simulation; false: web_message() says why. */
static bool simulate(soft *s)
{
  sim_world_def def = sim_world_def_default();
  sim_world_def_for(&s->scene, &def);
  sim_world *world = NULL;
  bool good = sim_world_create(&def, &world) == SIM_OK && sim_add_scene(world, &s->scene, NULL) == SIM_OK;
  for (int frame = 0; good && frame < FRAMES; ++frame) {
    float *at = s->xyz + (size_t)frame * s->from[s->scene.actor_count];
    for (size_t i = 0; i < s->scene.actor_count; ++i) sim_body_positions(world, (int)i, at + s->from[i]);
    for (int k = 0; good && k < STEPS; ++k) good = sim_step(world) == SIM_OK;
  }
  if (!good) web_fail("soft bodies: %s", world ? sim_world_message(world) : "out of memory");
  sim_world_destroy(world);
  return good;
}

/* Four to a layer above a narrow box. */
static bool drop_into_box(soft_scene *scene, int bodies)
{
  if (bodies > MOST_BODIES || !soft_scene_pile(bodies, scene)) return false;
  scene->box = WIDTH;
  scene->stretch = SOFTNESS;
  for (int i = 0; i < bodies; ++i) {
    double *at = scene->actors[i].position;
    at[0] = 1.3 * (i % 2) - 0.65 + 0.03 * (i % 3);
    at[1] = 0.7 + 1.3 * (i / 4);
    at[2] = 1.3 * (i / 2 % 2) - 0.65 + 0.02 * (i % 5);
  }
  return true;
}

static soft *make_soft(int bodies)
{
  soft *s = calloc(1, sizeof *s);
  if (!s || !drop_into_box(&s->scene, bodies)) {
    free(s);
    return web_fail("soft bodies: out of memory, or not 1 to %d of them", MOST_BODIES), NULL;
  }
  s->from = calloc(s->scene.actor_count + 1, sizeof *s->from);
  for (size_t i = 0; s->from && i < s->scene.actor_count; ++i)
    s->from[i + 1] = s->from[i] + 3 * mesh_of(s, i)->vertex_count;
  s->xyz = s->from ? malloc(FRAMES * s->from[s->scene.actor_count] * sizeof *s->xyz) : NULL;
  if (!s->xyz) web_fail("out of memory");
  if (s->xyz && simulate(s)) return s;
  free_soft(s);
  return NULL;
}

/* detail: the number of bodies; 0 for the usual one. Bodies come with web_stage_settle(). */
web_stage *WEB_EXPORT(web_stage_soft)(pl_context *context, int detail)
{
  static const char *const names[] = {"ball", "cube", "ring"};
  soft *s = make_soft(detail > 0 ? detail : BODIES);
  web_stage *stage = s ? web_stage_create(context, &source, s) : NULL;
  if (!stage) {
    free_soft(s);
    return NULL;
  }
  stage->frames = FRAMES;
  stage->fps = FPS;
  for (size_t i = 0; i < s->scene.actor_count; ++i) {
    const scene_mesh *m = mesh_of(s, i);
    char name[32];
    snprintf(name, sizeof name, "%s %zu", names[s->scene.actors[i].mesh], i + 1);
    if (web_stage_part(stage, name, m->triangles, m->triangle_count, m->vertex_count)) continue;
    web_stage_destroy(stage);
    return NULL;
  }
  return stage;
}
