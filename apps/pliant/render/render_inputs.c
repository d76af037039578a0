/* Bodies from mesh files and glTF scenes, in any mixture, as a stage plays them. */
#include "common/command.h"
#include "common/output.h"
#include "common/world_positions.h"
#include "render/render.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct input_source {
  stage stage;
  world_positions where;
  size_t *body; /* of each actor */
} input_source;

static bool is_hidden(const render_options *o, const char *name)
{
  for (int i = 0; i < o->hide.count; ++i)
    if (strcmp(o->hide.values[i], name) == 0 || fnmatch(o->hide.values[i], name, 0) == 0) return true;
  return false;
}

/* A name that fits no body is a mistake. */
static bool check_hidden(const render_options *o, const stage *s)
{
  for (int i = 0; i < o->hide.count; ++i) {
    size_t found = 0;
    text_list one = {.values = {o->hide.values[i]}, .count = 1};
    render_options alone = {.hide = one};
    for (size_t b = 0; b < s->body_count; ++b) found += is_hidden(&alone, s->bodies[b].name);
    if (found > 0) continue;
    output_complain("--hide %s: there is no such body; there are %zu, the first is %s", o->hide.values[i],
                    s->body_count, s->bodies[0].name);
    return false;
  }
  return true;
}

static bool add_body(render_job *job, input_source *s, size_t body)
{
  const stage_body *from = &s->stage.bodies[body];
  const double *xyz = world_positions_of(&s->where, body);
  if (!xyz) return false;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, from->vertex_count);
  /* normals as in the file */
  mesh.triangles = from->file_triangles ? from->file_triangles : from->triangles;
  mesh.triangle_count = from->triangle_count;
  s->body[job->actor_count] = body;
  return render_add(job, from->body, &mesh, from->name);
}

static bool open_inputs(render_job *job)
{
  const render_options *o = &job->options;
  input_source *s = calloc(1, sizeof *s);
  job->data = s;
  if (!s) return render_complain_memory(job->inputs.values[0].names[0]);
  stage_def def = {.options = {.fps = o->fps,
                               .animation = o->animation,
                               .scene = o->scene,
                               .allow_outside = o->allow_outside,
                               .split = o->split,
                               .gaps = o->gaps},
                   .body = job->def,
                   .weld = o->contacts,
                   .context = job->context};
  double ms;
  if (!stage_open(&s->stage, &def, &job->inputs) || !stage_move(&s->stage, 0, &ms)) return false;
  if (!check_hidden(o, &s->stage) || !world_positions_create(&s->where, &s->stage)) return false;
  s->body = calloc(s->stage.body_count, sizeof *s->body);
  if (!s->body) return render_complain_memory(job->inputs.values[0].names[0]);
  for (size_t i = 0; i < s->stage.body_count; ++i)
    if (!is_hidden(o, s->stage.bodies[i].name) && !add_body(job, s, i)) return false;
  job->frame_count = s->stage.frame_count;
  if (job->actor_count > 0) return true;
  output_complain("--hide leaves nothing to show");
  return false;
}

/* The stage hands positions on itself; the tracer sees where they are in the world. */
static bool pose_inputs(render_job *job, size_t frame)
{
  input_source *s = job->data;
  job->ms_moved = 0;
  if (s->stage.frame == frame) return true;
  if (!stage_move(&s->stage, frame, &job->ms_moved)) return false;
  for (size_t i = 0; i < job->actor_count; ++i) {
    const stage_body *body = &s->stage.bodies[s->body[i]];
    if (!body->moves && !body->morphs) continue;
    s->where.is_made[s->body[i]] = false;
    if (!world_positions_of(&s->where, s->body[i])) return false;
  }
  return true;
}

static void close_inputs(render_job *job)
{
  input_source *s = job->data;
  if (!s) return;
  if (s->where.stage) world_positions_free(&s->where);
  stage_close(&s->stage);
  free(s->body);
  free(s);
}

const render_source render_inputs = {open_inputs, pose_inputs, close_inputs};
