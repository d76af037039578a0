/* `pliant collide SCENE`: every node of a glTF scene that has triangles is a body; which of them touch, in every frame
 * of an animation? The file is read once, frames are evaluated one at a time, and one pl_scene answers for all bodies:
 * memory does not grow with the number of frames. */
#include "collide_gltf.h"

#include "command.h"
#include "gltf_positions.h"
#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FRAMES = 1000000000 };
static const double default_fps = 30;
static const double most_weight = 1e6; /* cubic splines may go beyond their keys, so the range is wide */

size_t gltf_job_body(const gltf_job *job, const pl_body *body, size_t hint)
{
  size_t i = hint;
  while (job->bodies[i] != body) i = i + 1 < job->body_count ? i + 1 : 0;
  return i;
}

const char *gltf_job_name(const gltf_job *job, size_t body) { return gltf_body_at(job->file, body)->name; }

const char *gltf_motion_text(bool moves, bool morphs)
{
  return moves ? morphs ? "moves and morphs" : "moves" : morphs ? "morphs" : "still";
}

/* Why the library refused something of this body. */
static bool complain_body(const gltf_job *job, size_t body)
{
  output_complain("%s: %s: %s", job->path, gltf_job_name(job, body), pl_context_message(job->context));
  return false;
}

static bool complain_memory(const gltf_job *job)
{
  output_complain("%s: out of memory", job->path);
  return false;
}

/* --------------------------------------------------------------------------------------------------------- file -- */

static bool choose_animation(gltf_job *job)
{
  const char *name = job->options.common.animation;
  size_t count = gltf_animation_count(job->file);
  job->animation = count > 0 ? 0 : GLTF_REST;
  if (!name) return true;
  if (strcmp(name, "rest") == 0)
    job->animation = GLTF_REST;
  else if (strcmp(name, "all") == 0)
    job->animation = GLTF_ALL_ANIMATIONS;
  else {
    job->animation = gltf_animation_find(job->file, name);
    if (job->animation >= 0) return true;
    if (count == 0)
      output_complain("%s: there is no animation %s, nor any other: leave --animation out", job->path, name);
    else
      output_complain("%s: there is no animation %s; there %s %zu, the first is %s: pliant info lists them", job->path,
                      name, count == 1 ? "is" : "are", count, gltf_animation_name(job->file, 0));
    return false;
  }
  return true;
}

/* Frame i is at i / fps; the end counts, although a time that was stored as float may fall short of it. */
static bool count_frames(gltf_job *job)
{
  job->fps = job->options.common.fps > 0 ? job->options.common.fps : default_fps;
  double last = floor(gltf_duration(job->file, job->animation) * job->fps * (1 + 1e-7) + 1e-9);
  job->frame_count = last < MOST_FRAMES ? (size_t)last + 1 : 0;
  if (job->frame_count == 0)
    output_complain("%s: %g seconds with %g frames each are too many: choose a lower --fps", job->path,
                    gltf_duration(job->file, job->animation), job->fps);
  return job->frame_count > 0;
}

static bool open_file(gltf_job *job)
{
  io_error error;
  gltf_options how = {job->options.common.scene, job->options.common.allow_outside};
  if (!gltf_read_with(job->path, &how, &job->file, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  job->body_count = gltf_body_count(job->file);
  if (!choose_animation(job) || !count_frames(job)) return false;
  if (!gltf_pose_create(job->file, &job->pose, &error) || !gltf_evaluate(job->pose, job->animation, 0, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  const char *note = gltf_note(job->file);
  if (note[0]) output_note("%s: %s", job->path, note);
  if (job->body_count == 1)
    output_note("%s: %s is the only body: there is nothing that it could touch", job->path, gltf_job_name(job, 0));
  return true;
}

/* ------------------------------------------------------------------------------------------------------- bodies -- */

/* Weights that no key changes are those of time 0 for all time. */
static bool weights_matter(const gltf_job *job, size_t body)
{
  const double *weights = gltf_pose_weights(job->pose, body);
  for (size_t i = 0; i < gltf_body_at(job->file, body)->mesh->target_count; ++i)
    if (weights[i] != 0) return true;
  return gltf_body_morphs(job->file, body, job->animation);
}

static bool make_morph(gltf_job *job, size_t body, const pl_mesh_def *mesh)
{
  const gltf_mesh *from = gltf_body_at(job->file, body)->mesh;
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
    morph.inbetweens = job->options.inbetweens;
    status = pl_body_create_morph(job->context, mesh, &morph, &job->def, &job->bodies[body]);
    if (status != PL_OK) complain_body(job, body);
  } else
    complain_memory(job);
  free(references);
  free(zeros);
  return status == PL_OK;
}

/* A body that is skinned; or a free one if it morphs too, which is set vertex by vertex. */
static bool make_skin(gltf_job *job, size_t body, const pl_mesh_def *mesh)
{
  const gltf_body *from = gltf_body_at(job->file, body);
  job->bends[body] = weights_matter(job, body) ? calloc(3 * from->mesh->vertex_count, sizeof(double))
                                               : calloc(from->bone_count, sizeof(pl_transform));
  if (!job->bends[body]) return complain_memory(job);
  pl_skin_def skin = gltf_skin_def(from);
  pl_status status = weights_matter(job, body)
                         ? pl_body_create_free(job->context, mesh, &job->def, &job->bodies[body])
                         : pl_body_create_skin(job->context, mesh, &skin, &job->def, &job->bodies[body]);
  return status == PL_OK || complain_body(job, body);
}

static bool make_body(gltf_job *job, size_t body)
{
  const gltf_mesh *from = gltf_body_at(job->file, body)->mesh;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = gltf_positions(from);
  mesh.triangles = from->triangles;
  mesh.triangle_count = from->triangle_count;
  if (gltf_body_at(job->file, body)->has_skin) return make_skin(job, body, &mesh);
  if (weights_matter(job, body)) return make_morph(job, body, &mesh);
  return pl_body_create_rigid(job->context, &mesh, &job->def, &job->bodies[body]) == PL_OK || complain_body(job, body);
}

static bool make_scene(gltf_job *job)
{
  pl_context_def def = pl_context_def_default();
  def.threads = job->options.common.threads;
  pl_status status = pl_context_create(&def, &job->context);
  if (status == PL_OK) status = pl_scene_create(job->context, NULL, &job->scene);
  if (status == PL_OK && job->options.common.check) status = pl_scene_create(job->context, NULL, &job->truth);
  if (status == PL_OK) return true;
  output_complain("%s", job->context ? pl_context_message(job->context) : pl_status_text(status));
  return false;
}

static bool make_bodies(gltf_job *job)
{
  job->bodies = calloc(job->body_count, sizeof(pl_body *));
  job->placed = calloc(job->body_count, sizeof *job->placed);
  job->bends = calloc(job->body_count, sizeof *job->bends);
  if (!job->bodies || !job->placed || !job->bends) return complain_memory(job);
  job->def = tree_options_def(&job->options.common.tree);
  for (size_t i = 0; i < job->body_count; ++i) {
    if (!make_body(job, i)) return false;
    pl_status status = pl_scene_add(job->scene, job->bodies[i], NULL);
    if (status == PL_OK && job->truth) status = pl_scene_add(job->truth, job->bodies[i], NULL);
    if (status != PL_OK) return complain_body(job, i);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------- frames -- */

/* In frame 0 all are placed; later those that stand elsewhere than before. */
static bool place_body(gltf_job *job, size_t body, bool always)
{
  const gltf_transform *now = gltf_pose_transform(job->pose, body);
  if (!always && memcmp(now, &job->placed[body], sizeof *now) == 0) return true;
  pl_transform to;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) to.m[i][k] = now->m[i][k];
    to.t[i] = now->t[i];
  }
  job->placed[body] = *now;
  return pl_body_set_transform(job->bodies[body], &to) == PL_OK;
}

/* The bones of a skin, if they are not where they were; of one that morphs all positions. */
static bool bend_body(gltf_job *job, size_t body, bool always, io_error *error)
{
  const gltf_body *from = gltf_body_at(job->file, body);
  if (pl_body_motion(job->bodies[body]) == PL_MOTION_FREE)
    return gltf_pose_positions(job->pose, body, job->bends[body], error) &&
           pl_body_set_positions(job->bodies[body], pl_positions_f64(job->bends[body], from->mesh->vertex_count)) ==
               PL_OK;
  if (!gltf_copy_bones(gltf_pose_bones(job->pose, body), from->bone_count, job->bends[body]) && !always) return true;
  return pl_body_set_bones(job->bodies[body], job->bends[body], from->bone_count) == PL_OK;
}

bool gltf_job_move(gltf_job *job, gltf_frame *frame)
{
  io_error error = {""};
  if (!gltf_evaluate(job->pose, job->animation, frame->time, &error)) {
    output_complain("frame %zu: %s", frame->index, error.text);
    return false;
  }
  double begin = progress_clock();
  for (size_t i = 0; i < job->body_count; ++i) {
    bool skin = job->bends[i] != NULL, always = frame->index == 0;
    bool good = skin ? bend_body(job, i, always, &error) : place_body(job, i, always);
    if (good && pl_body_motion(job->bodies[i]) == PL_MOTION_MORPH)
      good = pl_body_set_weights(job->bodies[i], gltf_pose_weights(job->pose, i),
                                 (int)gltf_body_at(job->file, i)->mesh->target_count) == PL_OK;
    if (good) continue;
    if (error.text[0])
      output_complain("%s: frame %zu: %s", job->path, frame->index, error.text);
    else
      output_complain("%s: frame %zu: %s: %s", job->path, frame->index, gltf_job_name(job, i),
                      pl_context_message(job->context));
    return false;
  }
  frame->ms_set = progress_clock() - begin;
  return true;
}

bool gltf_job_start(gltf_job *job) { return open_file(job) && make_scene(job) && make_bodies(job); }

void gltf_job_end(gltf_job *job)
{
  pl_context_destroy(job->context);
  gltf_pose_free(job->pose);
  gltf_free(job->file);
  free(job->bodies);
  free(job->placed);
  for (size_t i = 0; job->bends && i < job->body_count; ++i) free(job->bends[i]);
  free(job->bends);
  for (size_t i = 0; job->has_touched && i < job->body_count; ++i) free(job->has_touched[i]);
  free(job->has_touched);
}

static bool answer_frame(gltf_job *job, size_t index, gltf_frame *frame)
{
  const collide_options *o = &job->options;
  *frame = (gltf_frame){.index = index, .time = (double)index / job->fps};
  if (!gltf_job_move(job, frame)) return false;
  int counted = collide_gltf_counts(job) ? collide_gltf_count(job, frame) : 0;
  if (counted) return counted > 0;
  pl_collide_def def = pl_collide_def_default();
  def.first = o->first;
  def.sorted = o->common.list || o->common.check;
  def.budget_ms = o->common.budget_ms;
  if (pl_scene_collide(job->scene, &def, &frame->contacts) != PL_OK) {
    output_complain("%s: frame %zu: %s", job->path, index, pl_context_message(job->context));
    return false;
  }
  return !o->common.check || collide_gltf_check(job, frame);
}

/* ------------------------------------------------------------------------------------------------------- totals -- */

/* Whether these two have touched before; they have now. -1: out of memory. */
static int mark(gltf_job *job, size_t a, size_t b)
{
  if (!job->has_touched) job->has_touched = calloc(job->body_count, sizeof *job->has_touched);
  if (!job->has_touched) return -1;
  unsigned char **row = &job->has_touched[a];
  if (!*row) *row = calloc((job->body_count - a) / 8 + 1, 1);
  if (!*row) return -1;
  unsigned char bit = (unsigned char)(1u << ((b - a) % 8)), *at = &(*row)[(b - a) / 8];
  bool before = *at & bit;
  *at |= bit;
  return before;
}

/* Only the first ones by a, then b, are kept. Whoever has been pushed out has that many before it, so it never comes back. */
bool collide_gltf_touch(gltf_job *job, const gltf_frame *frame, size_t a, size_t b, size_t pairs)
{
  int before = mark(job, a, b);
  if (before < 0) return complain_memory(job);
  job->touched += before == 0;
  size_t at = job->touch_count;
  while (at > 0 && (job->touches[at - 1].a > a || (job->touches[at - 1].a == a && job->touches[at - 1].b >= b))) --at;
  if (at == GLTF_MOST_TOUCHES) return true;
  gltf_touch *t = &job->touches[at];
  if (at == job->touch_count || t->a != a || t->b != b) {
    if (job->touch_count < GLTF_MOST_TOUCHES) ++job->touch_count;
    memmove(t + 1, t, (job->touch_count - at - 1) * sizeof *t);
    *t = (gltf_touch){.a = a, .b = b};
  }
  if (t->frames++ == 0) t->first = frame->index;
  if (pairs > t->most) t->most = pairs;
  return true;
}

static bool add_touches(gltf_job *job, const gltf_frame *frame)
{
  size_t a = 0, b = 0;
  for (size_t g = 0; frame->contacts->groups && g < frame->contacts->group_count; ++g) {
    const pl_contact_group *group = &frame->contacts->groups[g];
    a = gltf_job_body(job, group->a, a);
    b = gltf_job_body(job, group->b, b);
    if (!collide_gltf_touch(job, frame, a, b, group->end - group->begin)) return false;
  }
  return true;
}

static bool add_totals(gltf_job *job, const gltf_frame *frame)
{
  collide_frame same = {.index = frame->index, .ms_set = frame->ms_set};
  same.answer.count = frame->contacts->count;
  same.answer.partial = frame->contacts->partial;
  same.answer.counters = frame->contacts->counters;
  collide_totals_add(&job->totals, &same);
  return job->options.common.json || job->options.common.csv || add_touches(job, frame);
}

/* ---------------------------------------------------------------------------------------------------------- all -- */

static bool run_frames(gltf_job *job)
{
  bool lines = job->options.common.json || job->options.common.csv || job->options.common.list;
  progress bar = progress_begin("frames", job->frame_count, lines && isatty(1));
  bool good = true;
  collide_gltf_write_head(job);
  for (size_t i = 0; i < job->frame_count && good; ++i) {
    gltf_frame frame;
    good = answer_frame(job, i, &frame);
    if (!good) break;
    collide_gltf_write_frame(job, &frame);
    good = add_totals(job, &frame) && !ferror(stdout);
    progress_step(&bar, i + 1);
  }
  progress_end(&bar);
  return good;
}

static int run(gltf_job *job)
{
  if (!gltf_job_start(job) || !run_frames(job)) return output_give_up();
  collide_gltf_write_end(job);
  if (!output_finish()) return EXIT_ERROR;
  return job->options.fail_on_contact && job->totals.contact_frames > 0 ? EXIT_CONTACT : EXIT_DONE;
}

int collide_gltf(const collide_options *options, const char *path)
{
  gltf_job job = {.options = *options, .path = path};
  int code = run(&job);
  gltf_job_end(&job);
  return code;
}
