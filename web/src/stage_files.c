/* Stages from files: mesh files and numbered sequences of them, each a free body, and glTF
 * scenes, each node with triangles a rigid, morphing or skinned body. Vertices are welded
 * (pl_mesh_weld()), so that seams are not contacts. */
#include "web/src/stage.h"

#include "io/gltf.h"
#include "io/gltf_positions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The frames of one mesh. */
typedef struct film {
  io_mesh *frames;
  size_t count;
} film;

typedef struct input {
  film film;
  gltf_scene *gltf; /* NULL: a film */
  gltf_pose *pose;
  int animation;
  size_t first_part, parts;
} input;

typedef struct collection {
  input *inputs;
  size_t count;
} collection;

static input *input_of(web_stage *stage, size_t part)
{
  collection *c = stage->data;
  size_t i = 0;
  while (part >= c->inputs[i].first_part + c->inputs[i].parts) ++i;
  return &c->inputs[i];
}

static pl_positions frame_positions(const film *f, size_t frame)
{
  const io_mesh *m = &f->frames[frame < f->count ? frame : f->count - 1];
  return m->is_double ? pl_positions_f64(m->xyz, m->vertex_count) : pl_positions_f32(m->xyz_f32, m->vertex_count);
}

/* ----------------------------------------------------------------------------------- welding -- */

static bool weld_begin(web_part *p)
{
  p->welded = malloc(3 * p->triangle_count * sizeof *p->welded);
  return p->welded ? true : web_fail("out of memory");
}

static bool weld_film(web_stage *stage, web_part *p, const film *f)
{
  pl_positions *poses = malloc(f->count * sizeof *poses);
  if (!poses) return web_fail("out of memory");
  for (size_t k = 0; k < f->count; ++k) poses[k] = frame_positions(f, k);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = poses[0];
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_weld_def def = pl_weld_def_default();
  def.poses = poses;
  def.pose_count = f->count;
  bool good = weld_begin(p) && web_check(stage->context, pl_mesh_weld(stage->context, &mesh, &def, p->welded, NULL));
  free(poses);
  if (good) p->triangles = p->welded;
  return good;
}

static bool weld_gltf(web_stage *stage, web_part *p, const gltf_mesh *mesh)
{
  if (!weld_begin(p)) return false;
  pl_status status = gltf_weld(stage->context, mesh, p->welded, NULL);
  if (!web_check(status == PL_ERROR_MEMORY ? NULL : stage->context, status)) return false;
  p->triangles = p->welded;
  return true;
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* With a skin and morph targets: a free body, which gets all positions. */
static bool is_evaluated(const gltf_body *body) { return body->has_skin && body->morphs; }

static pl_status make_body(web_stage *stage, size_t part, const pl_body_def *def, pl_body **out)
{
  input *in = input_of(stage, part);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = stage->parts[part].triangles;
  mesh.triangle_count = stage->parts[part].triangle_count;
  if (!in->gltf) {
    pl_body_def borrowing = *def;
    borrowing.borrow = true; /* the frames stay where they are */
    mesh.positions = frame_positions(&in->film, 0);
    return pl_body_create_free(stage->context, &mesh, &borrowing, out);
  }
  const gltf_body *from = gltf_body_at(in->gltf, part - in->first_part);
  mesh.positions = gltf_positions(from->mesh);
  if (is_evaluated(from)) return pl_body_create_free(stage->context, &mesh, def, out);
  if (from->has_skin) {
    pl_skin_def skin = gltf_skin_def(from);
    return pl_body_create_skin(stage->context, &mesh, &skin, def, out);
  }
  if (from->morphs) return gltf_create_morph(stage->context, from->mesh, &mesh, 0, def, out);
  return pl_body_create_rigid(stage->context, &mesh, def, out);
}

/* ------------------------------------------------------------------------------------ frames -- */

static pl_transform transform_of(const gltf_transform *from)
{
  pl_transform to;
  _Static_assert(sizeof to == sizeof *from, "both are nine numbers of a matrix and three of a shift");
  memcpy(&to, from, sizeof to);
  return to;
}

static bool set_evaluated(web_stage *stage, const input *in, size_t i, pl_body *body)
{
  size_t count = pl_body_vertex_count(body);
  double *xyz = malloc(3 * count * sizeof *xyz);
  io_error error = {"out of memory"};
  bool good = xyz && gltf_pose_positions(in->pose, i, xyz, &error);
  good = good ? web_check(stage->context, pl_body_set_positions(body, pl_positions_f64(xyz, count)))
              : web_fail("%s", error.text);
  free(xyz);
  return good;
}

static bool pose_gltf_body(web_stage *stage, const input *in, size_t i)
{
  const gltf_body *from = gltf_body_at(in->gltf, i);
  pl_body *body = stage->parts[in->first_part + i].driver;
  if (is_evaluated(from)) return set_evaluated(stage, in, i, body);
  if (from->has_skin) {
    const pl_transform *bones = (const pl_transform *)(const void *)gltf_pose_bones(in->pose, i);
    return web_check(stage->context, pl_body_set_bones(body, bones, from->bone_count));
  }
  pl_transform at = transform_of(gltf_pose_transform(in->pose, i));
  pl_status status = pl_body_set_transform(body, &at);
  if (status == PL_OK && from->morphs)
    status = pl_body_set_weights(body, gltf_pose_weights(in->pose, i), (int)from->mesh->target_count);
  return web_check(stage->context, status);
}

static bool pose_files(web_stage *stage, int frame)
{
  collection *c = stage->data;
  for (size_t k = 0; k < c->count; ++k) {
    input *in = &c->inputs[k];
    if (!in->gltf) {
      pl_positions now = frame_positions(&in->film, (size_t)frame);
      if (!web_check(stage->context, pl_body_set_positions(stage->parts[in->first_part].driver, now))) return false;
      continue;
    }
    io_error error;
    if (!gltf_evaluate(in->pose, in->animation, frame / stage->fps, &error)) return web_fail("%s", error.text);
    for (size_t i = 0; i < in->parts; ++i)
      if (!pose_gltf_body(stage, in, i)) return false;
  }
  return true;
}

static void close_files(web_stage *stage)
{
  collection *c = stage->data;
  for (size_t k = 0; k < c->count; ++k) {
    for (size_t i = 0; i < c->inputs[k].film.count; ++i) io_mesh_free(&c->inputs[k].film.frames[i]);
    free(c->inputs[k].film.frames);
    gltf_pose_free(c->inputs[k].pose);
    gltf_free(c->inputs[k].gltf);
  }
  free(c->inputs);
  free(c);
}

static const web_source films = {make_body, pose_files, close_files};

/* Frame i is at i / fps; the end counts. */
static void count_frames(web_stage *stage)
{
  collection *c = stage->data;
  stage->frames = 1;
  for (size_t k = 0; k < c->count; ++k) {
    input *in = &c->inputs[k];
    double last = in->gltf ? floor(gltf_duration(in->gltf, in->animation) * stage->fps * (1 + 1e-7) + 1e-9)
                           : (double)in->film.count - 1;
    if (last >= stage->frames) stage->frames = last < 1e6 ? (int)last + 1 : 1000000;
  }
}

/* ----------------------------------------------------------------------------------- opening -- */

web_stage *WEB_EXPORT(web_stage_files)(pl_context *context)
{
  collection *c = calloc(1, sizeof *c);
  web_stage *stage = c ? web_stage_create(context, &films, c) : NULL;
  if (!stage) {
    free(c);
    web_fail("out of memory");
  }
  return stage;
}

static input *add_input(web_stage *stage)
{
  collection *c = stage->data;
  input *inputs = realloc(c->inputs, (c->count + 1) * sizeof *inputs);
  if (!inputs) return web_fail("out of memory"), NULL;
  c->inputs = inputs;
  inputs[c->count] = (input){.animation = GLTF_REST, .first_part = stage->part_count};
  return &inputs[c->count++];
}

static void add_note(web_stage *stage, const char *name, const char *note)
{
  size_t used = strlen(stage->note);
  if (note[0]) snprintf(stage->note + used, sizeof stage->note - used, "%s%s: %s", used ? "; " : "", name, note);
}

/* A sequence's next frame, of the last input; or, as the first, a body of its own. */
int WEB_EXPORT(web_stage_add_mesh)(web_stage *stage, const char *name, int next)
{
  collection *c = stage->data;
  io_mesh mesh;
  io_error error;
  if (!io_mesh_read(name, &mesh, &error)) return web_fail("%s", error.text);
  input *in = next ? &c->inputs[c->count - 1] : add_input(stage);
  io_mesh *frames = in ? realloc(in->film.frames, (in->film.count + 1) * sizeof *frames) : NULL;
  if (!frames) {
    io_mesh_free(&mesh);
    return web_fail("out of memory");
  }
  in->film.frames = frames;
  frames[in->film.count++] = mesh;
  const io_mesh *first = &frames[0];
  if (mesh.vertex_count != first->vertex_count || mesh.triangle_count != first->triangle_count)
    return web_fail("%s: has %zu vertices and %zu triangles, its first frame %zu and %zu; all frames need the same",
                    name, mesh.vertex_count, mesh.triangle_count, first->vertex_count, first->triangle_count);
  if (next) return 1;
  add_note(stage, name, mesh.note);
  web_part *p = web_stage_part(stage, name, first->triangles, first->triangle_count, first->vertex_count);
  if (!p) return 0;
  p->self = true;
  in->parts = 1;
  return 1;
}

int WEB_EXPORT(web_stage_add_gltf)(web_stage *stage, const char *name)
{
  io_error error;
  gltf_scene *scene = NULL;
  if (!gltf_read(name, NULL, &scene, &error)) return web_fail("%s", error.text);
  input *in = add_input(stage);
  if (!in) {
    gltf_free(scene);
    return 0;
  }
  in->gltf = scene;
  in->animation = gltf_animation_count(scene) > 0 ? 0 : GLTF_REST;
  if (!gltf_pose_create(scene, &in->pose, &error)) return web_fail("%s", error.text);
  add_note(stage, name, gltf_note(scene));
  in->parts = gltf_body_count(scene);
  for (size_t i = 0; i < in->parts; ++i) {
    const gltf_body *body = gltf_body_at(scene, i);
    web_part *p =
        web_stage_part(stage, body->name, body->mesh->triangles, body->mesh->triangle_count, body->mesh->vertex_count);
    if (!p || !weld_gltf(stage, p, body->mesh)) return 0;
    p->self = true;
  }
  return 1;
}

/* After the last file. Bodies come with web_stage_settle(). */
int WEB_EXPORT(web_stage_complete)(web_stage *stage)
{
  collection *c = stage->data;
  if (stage->part_count == 0) return web_fail("no mesh was given");
  for (size_t k = 0; k < c->count; ++k) {
    const input *in = &c->inputs[k];
    if (!in->gltf && !weld_film(stage, &stage->parts[in->first_part], &in->film)) return 0;
  }
  count_frames(stage);
  return 1;
}

/* Number of animations of the first glTF scene. */
int WEB_EXPORT(web_stage_animations)(web_stage *stage)
{
  if (stage->source != &films) return 0;
  collection *c = stage->data;
  for (size_t k = 0; k < c->count; ++k)
    if (c->inputs[k].gltf) return (int)gltf_animation_count(c->inputs[k].gltf);
  return 0;
}

/* Name of an animation of the first glTF scene that has it. */
const char *WEB_EXPORT(web_stage_animation_name)(web_stage *stage, int animation)
{
  collection *c = stage->data;
  for (size_t k = 0; k < c->count; ++k)
    if (c->inputs[k].gltf && (size_t)animation < gltf_animation_count(c->inputs[k].gltf))
      return gltf_animation_name(c->inputs[k].gltf, (size_t)animation);
  return "";
}

/* Plays another animation, from its start; glTF scenes that do not have it stay at rest. */
int WEB_EXPORT(web_stage_choose_animation)(web_stage *stage, int animation)
{
  collection *c = stage->data;
  for (size_t k = 0; k < c->count; ++k) {
    input *in = &c->inputs[k];
    if (in->gltf) in->animation = animation < (int)gltf_animation_count(in->gltf) ? animation : GLTF_REST;
  }
  count_frames(stage);
  return web_stage_pose(stage, 0);
}
