/* Bodies from a glTF scene: every node with triangles, rigid, morphing or skinned, moved by an
 * animation. */
#include "common/stage.h"

#include "common/output.h"
#include "io/gltf_positions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES = 1, MORPHS = 2 };

static const char *path_of(const stage_input *input) { return input->def.names[0]; }

static bool complain(const io_error *error)
{
  output_complain("%s", error->text);
  return false;
}

/* Why the library refused something of this body. */
static bool complain_body(const stage *s, const stage_input *input, const stage_body *body)
{
  output_complain("%s: %s: %s", path_of(input), body->name, pl_context_message(s->context));
  return false;
}

static bool complain_memory(const stage_input *input)
{
  output_complain("%s: out of memory", path_of(input));
  return false;
}

/* -------------------------------------------------------------------------------------- file -- */

bool stage_gltf_open(stage *s, stage_input *input)
{
  io_error error;
  gltf_options how = {.scene = s->def.options.scene, .allow_outside = s->def.options.allow_outside};
  if (!gltf_read_with(path_of(input), &how, &input->gltf, &error)) return complain(&error);
  if (!stage_clips_choose(s, input)) return false;
  if (!gltf_pose_create(input->gltf, &input->pose, &error) ||
      !gltf_evaluate(input->pose, input->clips[0].animation, 0, &error))
    return complain(&error);
  const char *note = gltf_note(input->gltf);
  if (note[0]) output_note("%s: %s", path_of(input), note);
  return true;
}

void stage_gltf_close(stage_input *input)
{
  gltf_pose_free(input->pose);
  gltf_free(input->gltf);
  free(input->clips);
  free(input->changes);
  input->pose = NULL;
  input->gltf = NULL;
  input->clips = NULL;
  input->changes = NULL;
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* Whether two poses place a body differently, and whether they weigh its targets differently. */
static uint8_t differ(const stage_input *input, const gltf_pose *x, const gltf_pose *y, size_t part)
{
  const gltf_body *body = gltf_body_at(input->gltf, part);
  size_t targets = body->mesh->target_count * sizeof(double), bones = body->bone_count * sizeof(gltf_transform);
  bool moves = memcmp(gltf_pose_transform(x, part), gltf_pose_transform(y, part), sizeof(gltf_transform)) != 0;
  if (bones) moves = moves || memcmp(gltf_pose_bones(x, part), gltf_pose_bones(y, part), bones) != 0;
  bool morphs = targets && memcmp(gltf_pose_weights(x, part), gltf_pose_weights(y, part), targets) != 0;
  return (uint8_t)((moves ? MOVES : 0) | (morphs ? MORPHS : 0));
}

/* What the clips change of each body: within them, and from one to the next. The pose is that of
 * the first clip. */
static bool find_changes(stage_input *input)
{
  size_t count = gltf_body_count(input->gltf);
  gltf_pose *other = NULL;
  io_error error;
  input->changes = calloc(count, 1);
  if (!input->changes) return complain_memory(input);
  bool good = gltf_pose_create(input->gltf, &other, &error);
  for (size_t k = 0; good && k < input->clip_count; ++k) {
    int animation = input->clips[k].animation;
    good = gltf_evaluate(other, animation, 0, &error);
    for (size_t i = 0; good && i < count; ++i) {
      input->changes[i] |= differ(input, input->pose, other, i);
      if (gltf_body_moves(input->gltf, i, animation)) input->changes[i] |= MOVES;
      if (gltf_body_morphs(input->gltf, i, animation)) input->changes[i] |= MORPHS;
    }
  }
  gltf_pose_free(other);
  return good || complain(&error);
}

/* Weights that no key changes are those of time 0 for all time. */
static bool weights_matter(const stage_input *input, size_t part)
{
  const double *weights = gltf_pose_weights(input->pose, part);
  for (size_t i = 0; i < gltf_body_at(input->gltf, part)->mesh->target_count; ++i)
    if (weights[i] != 0) return true;
  return input->changes[part] & MORPHS;
}

static bool make_morph(stage *s, const stage_input *input, stage_body *body, const pl_mesh_def *mesh)
{
  const gltf_mesh *from = gltf_body_at(input->gltf, body->part)->mesh;
  pl_status status = gltf_create_morph(s->context, from, mesh, s->def.inbetweens, &s->def.body, &body->body);
  if (status == PL_ERROR_MEMORY) return complain_memory(input);
  return status == PL_OK || complain_body(s, input, body);
}

/* A body that is skinned; or a free one if it morphs too, which is set vertex by vertex. */
static bool make_skin(stage *s, const stage_input *input, stage_body *body, const pl_mesh_def *mesh)
{
  const gltf_body *from = gltf_body_at(input->gltf, body->part);
  bool morphs = weights_matter(input, body->part);
  body->bends =
      morphs ? calloc(3 * from->mesh->vertex_count, sizeof(double)) : calloc(from->bone_count, sizeof(pl_transform));
  if (!body->bends) return complain_memory(input);
  pl_skin_def skin = gltf_skin_def(from);
  pl_status status = morphs ? pl_body_create_free(s->context, mesh, &s->def.body, &body->body)
                            : pl_body_create_skin(s->context, mesh, &skin, &s->def.body, &body->body);
  return status == PL_OK || complain_body(s, input, body);
}

static bool weld_body(stage *s, const stage_input *input, stage_body *body)
{
  if (!s->def.weld) return true;
  uint32_t *map = malloc((body->vertex_count + 1) * sizeof *map);
  if (!map || !stage_weld_begin(body)) {
    free(map);
    return complain_memory(input);
  }
  const gltf_mesh *mesh = gltf_body_at(input->gltf, body->part)->mesh;
  pl_status status = gltf_weld(s->context, mesh, body->welded_triangles, map);
  if (status == PL_OK) stage_weld_end(body, map);
  free(map);
  return status == PL_OK || (status == PL_ERROR_MEMORY ? complain_memory(input) : complain_body(s, input, body));
}

static bool make_body(stage *s, stage_input *input, size_t part)
{
  const gltf_body *from = gltf_body_at(input->gltf, part);
  stage_body *body = stage_add(s, input, from->name);
  if (!body) return false;
  body->triangles = from->mesh->triangles;
  body->triangle_count = from->mesh->triangle_count;
  body->vertex_count = from->mesh->vertex_count;
  body->moves = input->changes[part] & MOVES;
  body->morphs = input->changes[part] & MORPHS;
  if (!weld_body(s, input, body)) return false;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = gltf_positions(from->mesh);
  mesh.triangles = body->triangles;
  mesh.triangle_count = from->mesh->triangle_count;
  if (from->has_skin) return make_skin(s, input, body, &mesh);
  if (weights_matter(input, part)) return make_morph(s, input, body, &mesh);
  return pl_body_create_rigid(s->context, &mesh, &s->def.body, &body->body) == PL_OK || complain_body(s, input, body);
}

bool stage_gltf_make(stage *s, stage_input *input)
{
  if (!find_changes(input)) return false;
  for (size_t i = 0; i < gltf_body_count(input->gltf); ++i)
    if (!make_body(s, input, i)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------ frames -- */

bool stage_gltf_evaluate(stage *s, stage_input *input, size_t frame)
{
  const stage_clip *clip = stage_clip_at(input, frame);
  io_error error;
  if (gltf_evaluate(input->pose, clip->animation, (double)(frame - clip->first) / s->fps, &error)) return true;
  output_complain("frame %zu: %s", frame, error.text);
  return false;
}

/* Into the world, and where the options put it. */
static pl_transform placed(const stage_input *input, const gltf_transform *from)
{
  pl_transform to;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) to.m[i][k] = from->m[i][k];
    to.t[i] = from->t[i];
  }
  return input->def.is_placed ? inputs_compose(&input->def.place, &to) : to;
}

static bool place_body(stage *s, stage_input *input, stage_body *body, bool always)
{
  pl_transform now = placed(input, gltf_pose_transform(input->pose, body->part));
  if (!always && memcmp(&now, &body->at, sizeof now) == 0) return true;
  body->at = now;
  return pl_body_set_transform(body->body, &now) == PL_OK || complain_body(s, input, body);
}

static bool set_weights(stage *s, stage_input *input, stage_body *body)
{
  int count = (int)gltf_body_at(input->gltf, body->part)->mesh->target_count;
  return pl_body_set_weights(body->body, gltf_pose_weights(input->pose, body->part), count) == PL_OK ||
         complain_body(s, input, body);
}

static bool set_positions(stage *s, stage_input *input, stage_body *body)
{
  if (!stage_gltf_positions(s, body, body->bends)) return false;
  return pl_body_set_positions(body->body, pl_positions_f64(body->bends, body->vertex_count)) == PL_OK ||
         complain_body(s, input, body);
}

/* The bones of a skin, if they are not where they were; of one that morphs all positions. */
static bool bend_body(stage *s, stage_input *input, stage_body *body, bool always)
{
  if (pl_body_motion(body->body) == PL_MOTION_FREE) return set_positions(s, input, body);
  size_t count = gltf_body_at(input->gltf, body->part)->bone_count;
  const gltf_transform *now = gltf_pose_bones(input->pose, body->part);
  pl_transform *bones = body->bends;
  bool changed = always;
  for (size_t i = 0; i < count; ++i) {
    pl_transform bone = placed(input, &now[i]);
    changed = changed || memcmp(&bone, &bones[i], sizeof bone) != 0;
    bones[i] = bone;
  }
  return !changed || pl_body_set_bones(body->body, bones, count) == PL_OK || complain_body(s, input, body);
}

/* `always`: all are placed; otherwise only what changes is handed on. */
bool stage_gltf_move(stage *s, stage_input *input, bool always)
{
  for (size_t i = input->first; i < input->first + input->count; ++i) {
    stage_body *body = &s->bodies[i];
    if (!always && !body->moves && !body->morphs) continue;
    if (body->bends) {
      if (!bend_body(s, input, body, always)) return false;
      continue;
    }
    if ((always || body->moves) && !place_body(s, input, body, always)) return false;
    if (pl_body_motion(body->body) != PL_MOTION_MORPH || !(always || body->morphs)) continue;
    if (!set_weights(s, input, body)) return false;
  }
  return true;
}

bool stage_gltf_positions(const stage *s, const stage_body *body, double *xyz)
{
  const stage_input *input = &s->inputs[body->input];
  io_error error;
  if (!gltf_pose_positions(input->pose, body->part, xyz, &error)) return complain(&error);
  if (!input->def.is_placed) return true;
  const pl_transform *at = &input->def.place;
  for (size_t i = 0; i < body->vertex_count; ++i) {
    double *p = xyz + 3 * i, q[3];
    for (int k = 0; k < 3; ++k) q[k] = at->m[k][0] * p[0] + at->m[k][1] * p[1] + at->m[k][2] * p[2] + at->t[k];
    memcpy(p, q, sizeof q);
  }
  return true;
}
