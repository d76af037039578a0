/* Bodies from a glTF scene: every node with triangles, rigid, morphing or skinned, moved by an animation. */
#include "stage.h"

#include "io/gltf_positions.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1000000000 };
static const double most_weight = 1e6; /* cubic splines may go beyond their keys, so the range is wide */

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

/* --------------------------------------------------------------------------------------------------------- file -- */

static bool choose_animation(const stage *s, stage_input *input)
{
  const char *name = s->def.options.animation;
  size_t count = gltf_animation_count(input->gltf);
  input->animation = count > 0 ? 0 : GLTF_REST;
  if (!name) return true;
  if (strcmp(name, "rest") == 0) {
    input->animation = GLTF_REST;
    return true;
  }
  if (strcmp(name, "all") == 0) {
    input->animation = GLTF_ALL_ANIMATIONS;
    return true;
  }
  input->animation = gltf_animation_find(input->gltf, name);
  if (input->animation >= 0) return true;
  if (count == 0)
    output_complain("%s: there is no animation %s, nor any other: leave --animation out", path_of(input), name);
  else
    output_complain("%s: there is no animation %s; there %s %zu, the first is %s: pliant info lists them",
                    path_of(input), name, count == 1 ? "is" : "are", count, gltf_animation_name(input->gltf, 0));
  return false;
}

/* Frame i is at i / fps; the end counts, although a time that was stored as float may fall short of it. */
static bool count_frames(const stage *s, stage_input *input)
{
  double seconds = gltf_duration(input->gltf, input->animation);
  double last = floor(seconds * s->fps * (1 + 1e-7) + 1e-9);
  input->frame_count = last < MOST_FRAMES ? (size_t)last + 1 : 0;
  if (input->frame_count == 0)
    output_complain("%s: %g seconds with %g frames each are too many: choose a lower --fps", path_of(input), seconds,
                    s->fps);
  return input->frame_count > 0;
}

bool stage_gltf_open(stage *s, stage_input *input)
{
  io_error error;
  gltf_options how = {.scene = s->def.options.scene, .allow_outside = s->def.options.allow_outside};
  if (!gltf_read_with(path_of(input), &how, &input->gltf, &error)) return complain(&error);
  if (!choose_animation(s, input) || !count_frames(s, input)) return false;
  if (!gltf_pose_create(input->gltf, &input->pose, &error) || !gltf_evaluate(input->pose, input->animation, 0, &error))
    return complain(&error);
  const char *note = gltf_note(input->gltf);
  if (note[0]) output_note("%s: %s", path_of(input), note);
  return true;
}

void stage_gltf_close(stage_input *input)
{
  gltf_pose_free(input->pose);
  gltf_free(input->gltf);
  input->pose = NULL;
  input->gltf = NULL;
}

/* ------------------------------------------------------------------------------------------------------- bodies -- */

/* Weights that no key changes are those of time 0 for all time. */
static bool weights_matter(const stage_input *input, size_t part)
{
  const double *weights = gltf_pose_weights(input->pose, part);
  for (size_t i = 0; i < gltf_body_at(input->gltf, part)->mesh->target_count; ++i)
    if (weights[i] != 0) return true;
  return gltf_body_morphs(input->gltf, part, input->animation);
}

static bool make_morph(stage *s, const stage_input *input, stage_body *body, const pl_mesh_def *mesh)
{
  const gltf_mesh *from = gltf_body_at(input->gltf, body->part)->mesh;
  size_t count = from->target_count + 1;
  pl_positions *references = calloc(count, sizeof *references);
  double *zeros = calloc(3 * from->vertex_count, sizeof *zeros); /* for targets that move nothing */
  pl_status status = references && zeros ? PL_OK : PL_ERROR_MEMORY;
  if (status == PL_OK) {
    references[0] = mesh->positions;
    for (size_t i = 1; i < count; ++i) references[i] = gltf_deltas(from, i - 1, zeros);
    pl_morph_def morph = pl_morph_def_default();
    morph.kind = PL_MORPH_ADDITIVE;
    morph.references = references;
    morph.reference_count = count < 1000 ? (int)count : 1000; /* the library has a limit, far below, and says so */
    morph.weight_low = -most_weight;
    morph.weight_high = most_weight;
    morph.inbetweens = s->def.inbetweens;
    status = pl_body_create_morph(s->context, mesh, &morph, &s->def.body, &body->body);
    if (status != PL_OK) complain_body(s, input, body);
  } else
    complain_memory(input);
  free(references);
  free(zeros);
  return status == PL_OK;
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
  body->moves = gltf_body_moves(input->gltf, part, input->animation);
  body->morphs = gltf_body_morphs(input->gltf, part, input->animation);
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
  for (size_t i = 0; i < gltf_body_count(input->gltf); ++i)
    if (!make_body(s, input, i)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------- frames -- */

bool stage_gltf_evaluate(stage *s, stage_input *input, size_t frame)
{
  io_error error;
  if (gltf_evaluate(input->pose, input->animation, (double)frame / s->fps, &error)) return true;
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
