/* Camera, lights and ground of `pliant render`. What is not given on the line follows from the
 * box around all bodies in some of all frames, so that every part of a scene is seen by the same
 * camera. */
#include "common/command.h"
#include "common/options.h"
#include "common/output.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_LOOKED_AT = 16 };

/* ----------------------------------------------------------------------------------- options -- */

static int parse_point(const char *name, const char *text, double out[3])
{
  const char *end;
  if (inputs_vector(text, out, &end) && *end == '\0') return OPTIONS_GO_ON;
  return options_refuse("render", "--%s %s: give three numbers, as in 1,2.5,-3", name, text);
}

/* A number of lights, or their places: "1,2,3:4,5,6". */
static int parse_lights(render_job *job)
{
  const char *text = job->options.lights, *end;
  if (strlen(text) == 1 && text[0] >= '0' && text[0] <= '3') return OPTIONS_GO_ON;
  trace_world *w = &job->world;
  while (w->light_count < TRACE_MOST_LIGHTS && inputs_vector(text, w->lights[w->light_count].at, &end)) {
    ++w->light_count;
    if (*end == '\0') return OPTIONS_GO_ON;
    if (*end != ':') break;
    text = end + 1;
  }
  return options_refuse("render", "--lights %s: give a number from 0 to 3, or up to %d positions as in 1,2,3:4,5,6",
                        job->options.lights, TRACE_MOST_LIGHTS);
}

int render_camera_parse(render_job *job)
{
  const render_options *o = &job->options;
  int code = OPTIONS_GO_ON;
  if (o->camera) code = parse_point("camera", o->camera, job->view.eye);
  if (code == OPTIONS_GO_ON && o->look_at) code = parse_point("look-at", o->look_at, job->view.at);
  if (code == OPTIONS_GO_ON && o->lights) code = parse_lights(job);
  if (code == OPTIONS_GO_ON && o->camera && (!isnan(o->azimuth) || !isnan(o->elevation)))
    code = options_refuse("render", "--camera, or --azimuth and --elevation, not both");
  if (code == OPTIONS_GO_ON && o->camera && o->look_at &&
      memcmp(job->view.eye, job->view.at, sizeof job->view.eye) == 0)
    code = options_refuse("render", "--camera and --look-at are the same point: there is no direction to look in");
  return code;
}

/* --------------------------------------------------------------------------------------- box -- */

static void add_point(double box[2][3], const double p[3])
{
  for (int k = 0; k < 3; ++k) {
    if (p[k] < box[0][k]) box[0][k] = p[k];
    if (p[k] > box[1][k]) box[1][k] = p[k];
  }
}

static void add_actor(double box[2][3], const trace_body *body)
{
  const pl_positions *from = &body->positions;
  for (size_t i = 0; i < from->count; ++i) {
    const void *at = (const char *)from->data + i * from->stride;
    double p[3], q[3];
    for (int k = 0; k < 3; ++k) p[k] = from->type == PL_F32 ? (double)((const float *)at)[k] : ((const double *)at)[k];
    const pl_transform *t = body->placement;
    for (int k = 0; k < 3; ++k) q[k] = t ? t->m[k][0] * p[0] + t->m[k][1] * p[1] + t->m[k][2] * p[2] + t->t[k] : p[k];
    add_point(box, q);
  }
}

/* Some frames tell enough: the first, the last, and some between. */
static bool measure(render_job *job)
{
  for (int k = 0; k < 3; ++k) {
    job->box[0][k] = INFINITY;
    job->box[1][k] = -INFINITY;
  }
  size_t n = job->frame_count, looks = n < FRAMES_LOOKED_AT ? n : FRAMES_LOOKED_AT;
  for (size_t i = 0; i < looks; ++i) {
    size_t frame = looks > 1 ? i * (n - 1) / (looks - 1) : 0;
    if (!job->source->pose(job, frame)) return false;
    for (size_t a = 0; a < job->actor_count; ++a) add_actor(job->box, &job->traced[a]);
  }
  return true;
}

/* ------------------------------------------------------------------------------------ camera -- */

static void make_world(render_job *job)
{
  const render_options *o = &job->options;
  trace_world given = job->world;
  int lights = !o->lights ? 2 : given.light_count > 0 ? given.light_count : o->lights[0] - '0';
  if (o->sky >= 0) job->sky = (trace_mood)o->sky;
  trace_world_make(&job->world, job->sky, job->up_axis, job->box[0], job->box[1], job->view.eye,
                   lights < 3 ? lights : 3);
  if (given.light_count > 0) {
    trace_world *w = &job->world;
    for (int i = 0; i < given.light_count; ++i) {
      trace_light *l = &w->lights[i];
      if (i >= w->light_count) *l = w->lights[w->light_count - 1];
      memcpy(l->at, given.lights[i].at, sizeof l->at);
    }
    w->light_count = given.light_count;
  }
  if (o->ground >= 0) job->ground = (trace_ground_kind)o->ground;
  job->world.ground.kind = job->ground;
}

/* Squares of lengths must be finite, and a direction must be left of them. */
static bool can_be_seen(const trace_view *view)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) square += (view->eye[k] - view->at[k]) * (view->eye[k] - view->at[k]);
  if (square > 0 && isfinite(square)) return true;
  output_complain("no camera at %g,%g,%g can look at %g,%g,%g: give others with --camera and --look-at, or scale the "
                  "bodies",
                  view->eye[0], view->eye[1], view->eye[2], view->at[0], view->at[1], view->at[2]);
  return false;
}

bool render_camera_frame(render_job *job)
{
  const render_options *o = &job->options;
  if (!measure(job)) return false;
  trace_view asked = job->view, *view = &job->view;
  if (o->up >= 0) job->up_axis = o->up + 1;
  view->up_axis = job->up_axis;
  view->degrees = o->fov;
  view->aspect = (double)job->settings.width / job->settings.height;
  double azimuth = isnan(o->azimuth) ? job->azimuth : o->azimuth;
  double elevation = isnan(o->elevation) ? job->elevation : o->elevation;
  trace_view_frame(view, job->box[0], job->box[1], azimuth, elevation, o->zoom);
  if (o->look_at)
    for (int k = 0; k < 3; ++k) {
      view->eye[k] += asked.at[k] - view->at[k];
      view->at[k] = asked.at[k];
    }
  if (o->camera) memcpy(view->eye, asked.eye, sizeof asked.eye);
  if (!can_be_seen(view)) return false;
  make_world(job);
  return true;
}

/* The orbit turns the eye about the axis through the point that it looks at. */
trace_camera render_camera_at(const render_job *job, size_t frame)
{
  trace_view view = job->view;
  const render_options *o = &job->options;
  if (job->look && !o->camera && !o->look_at && isnan(o->azimuth) && isnan(o->elevation)) job->look(frame, &view);
  double part = (double)frame / (double)job->frame_count;
  double angle = job->options.orbit * part * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
  int a = job->up_axis == 1 ? 2 : 0, b = job->up_axis == 1 ? 0 : 1;
  double x = view.eye[a] - view.at[a], y = view.eye[b] - view.at[b];
  view.eye[a] = view.at[a] + c * x - s * y;
  view.eye[b] = view.at[b] + s * x + c * y;
  return trace_camera_make(&view);
}
