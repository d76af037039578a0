/* What `pliant simulate` writes: a table, JSON or CSV of the steps, pictures, videos, meshes, an
 * animation. */
#include "common/command.h"
#include "common/number_name.h"
#include "common/options.h"
#include "common/output.h"
#include "io/io.h"
#include "simulate/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct simulate_pictures {
  pl_context *context;
  pl_scene *scene;
  tracer *tracer;
  trace_body *traced;
  trace_fans **fans; /* of each mesh */
  pl_body **bodies;
  size_t body_count, mesh_count;
  trace_world world;
  trace_camera camera;
  trace_settings settings;
  uint8_t *rgb;
  video *video;
};

static bool wants_pictures(const simulate_options *o)
{
  return o->video || (o->output && name_ends_with(o->output, ".png"));
}
static bool wants_animation(const simulate_options *o) { return o->output && name_ends_with(o->output, ".glb"); }
static bool wants_meshes(const simulate_options *o) { return o->output && !wants_pictures(o) && !wants_animation(o); }

/* ------------------------------------------------------------------------------------- names -- */

static bool parse_size(const char *text, int *width, int *height)
{
  char *end = NULL;
  *width = 640, *height = 480;
  if (!text) return true;
  long w = strtol(text, &end, 10), h = 0;
  if (end == text || *end != 'x' || w < 1 || w > 16384) return false;
  const char *second = end + 1;
  h = strtol(second, &end, 10);
  *width = (int)w, *height = (int)h;
  return end != second && !*end && h >= 1 && h <= 16384;
}

int simulate_output_parse(const simulate_job *job)
{
  const simulate_options *o = &job->options;
  static const char *const endings[] = {".png", ".obj", ".ply", ".stl", ".off", ".glb"};
  bool known = !o->output;
  int width, height;
  for (size_t i = 0; o->output && i < sizeof endings / sizeof *endings; ++i)
    known |= name_ends_with(o->output, endings[i]);
  if (!known)
    return options_refuse("simulate", "--out %s: the name must end in .png, .obj, .ply, .stl, .off or .glb", o->output);
  if (o->output && !wants_animation(o) && number_name_find(o->output) != 1)
    return options_refuse("simulate", "--out %s: the name needs one number, as in frame%%04d.png", o->output);
  if (!parse_size(o->size, &width, &height))
    return options_refuse("simulate", "--size %s: give a width and a height up to 16384, as in 640x480", o->size);
  if (o->video && (width % 2 || height % 2))
    return options_refuse("simulate", "--video needs an even width and height, not %dx%d", width, height);
  if (wants_animation(o) && job->level == SIM_LEVEL_ALL)
    return options_refuse("simulate",
                          "--out %s: at level all points move each for itself; write meshes, as in frame%%04d.obj",
                          o->output);
  if (o->json && o->csv) return options_refuse("simulate", "--json or --csv, not both");
  return OPTIONS_GO_ON;
}

/* ---------------------------------------------------------------------------------- pictures -- */

static bool complain_pictures(const simulate_pictures *p)
{
  const char *message = p->context ? pl_context_message(p->context) : "";
  output_complain("pictures: %s", message[0] ? message : "out of memory");
  return false;
}

static pl_mesh_def mesh_of(const simulate_mesh *m, const float *positions)
{
  pl_mesh_def def = {.struct_size = sizeof def, .triangles = m->triangles, .triangle_count = m->triangle_count};
  def.positions =
      (pl_positions){.data = positions, .count = m->point_count, .stride = 3 * sizeof(float), .type = PL_F32};
  return def;
}

static bool add_bodies(simulate_job *job, simulate_pictures *p)
{
  for (size_t i = 0; i < p->mesh_count; ++i) {
    pl_mesh_def mesh = mesh_of(&job->meshes[i], job->meshes[i].rest);
    if (trace_fans_create(&mesh, &p->fans[i]) != PL_OK) return false;
  }
  for (size_t i = 0; i < p->body_count; ++i) {
    int shape = sim_body_shape(job->world, (int)i);
    pl_mesh_def mesh = mesh_of(&job->meshes[shape], job->positions[i]);
    if (pl_body_create_free(p->context, &mesh, NULL, &p->bodies[i]) != PL_OK ||
        pl_scene_add(p->scene, p->bodies[i], NULL) != PL_OK)
      return false;
    p->traced[i] = (trace_body){.triangles = mesh.triangles, .positions = mesh.positions, .fans = p->fans[shape]};
    p->traced[i].material = trace_palette((int)(i % 7));
    p->traced[i].material.mirror = p->traced[i].material.fresnel = 0;
  }
  return true;
}

static void look(const simulate_job *job, simulate_pictures *p)
{
  const soft_scene *s = &job->scene;
  double half = s->box > 0 ? s->box / 2 : 1.5, lower[3] = {-half, s->floor ? 0 : -1, -half},
         upper[3] = {half, half, half};
  trace_view view = {.up_axis = 1, .degrees = 36, .aspect = (double)p->settings.width / p->settings.height};
  memcpy(view.eye, s->eye, sizeof view.eye);
  memcpy(view.at, s->at, sizeof view.at);
  p->camera = trace_camera_make(&view);
  trace_world_make(&p->world, TRACE_MOOD_DAY, 1, lower, upper, view.eye, 2);
  p->world.ground.kind = s->floor ? TRACE_GROUND_PLAIN : TRACE_GROUND_NONE;
  p->world.ground.height = 0;
}

static bool pictures_open(simulate_job *job)
{
  const simulate_options *o = &job->options;
  simulate_pictures *p = job->pictures = calloc(1, sizeof *p);
  if (!p) return output_complain("simulate: out of memory"), false;
  pl_context_def def = pl_context_def_default();
  def.threads = o->threads;
  p->settings = trace_settings_default();
  parse_size(o->size, &p->settings.width, &p->settings.height);
  p->settings.samples = o->samples;
  size_t bodies = sim_body_count(job->world);
  p->mesh_count = job->mesh_count;
  p->traced = calloc(bodies, sizeof *p->traced);
  p->fans = calloc(p->mesh_count, sizeof *p->fans);
  p->bodies = calloc(bodies, sizeof *p->bodies);
  p->rgb = malloc(3 * (size_t)p->settings.width * (size_t)p->settings.height);
  if (!p->traced || !p->fans || !p->bodies || !p->rgb) return complain_pictures(p);
  p->body_count = bodies;
  simulate_take_positions(job);
  if (pl_context_create(&def, &p->context) != PL_OK || pl_scene_create(p->context, NULL, &p->scene) != PL_OK ||
      tracer_create(p->context, &p->tracer) != PL_OK || !add_bodies(job, p))
    return complain_pictures(p);
  look(job, p);
  return !o->video || video_open(o->video, p->settings.width, p->settings.height, 1 / (o->step * o->every), &p->video);
}

static bool paint(simulate_job *job, size_t frame)
{
  simulate_pictures *p = job->pictures;
  trace_stats stats;
  for (size_t i = 0; i < p->body_count; ++i)
    if (pl_body_set_positions(p->bodies[i], p->traced[i].positions) != PL_OK) return complain_pictures(p);
  trace_shot shot = {p->scene, p->traced, p->body_count, &p->world, &p->camera, p->settings};
  if (trace_frame(p->tracer, &shot, p->rgb, &stats) != PL_OK) return complain_pictures(p);
  if (p->video && !video_write(p->video, p->rgb)) return false;
  if (!job->options.output || !name_ends_with(job->options.output, ".png")) return true;
  char path[4096];
  io_error error;
  number_name_make(job->options.output, frame, path, sizeof path);
  if (io_png_write(path, p->rgb, p->settings.width, p->settings.height, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

/* ------------------------------------------------------------------------------------ meshes -- */

/* All bodies as one mesh, in their order. */
static bool write_mesh(const simulate_job *job, size_t frame)
{
  io_mesh all = {0};
  size_t bodies = sim_body_count(job->world), points = 0, triangles = 0;
  for (size_t i = 0; i < bodies; ++i) {
    const simulate_mesh *m = &job->meshes[sim_body_shape(job->world, (int)i)];
    all.vertex_count += m->point_count, all.triangle_count += m->triangle_count;
  }
  all.xyz = malloc(3 * all.vertex_count * sizeof *all.xyz);
  all.xyz_f32 = malloc(3 * all.vertex_count * sizeof *all.xyz_f32);
  all.triangles = malloc(3 * all.triangle_count * sizeof *all.triangles);
  bool good = all.xyz && all.xyz_f32 && all.triangles;
  for (size_t i = 0; i < bodies && good; ++i) {
    const simulate_mesh *m = &job->meshes[sim_body_shape(job->world, (int)i)];
    for (size_t k = 0; k < 3 * m->point_count; ++k)
      all.xyz[3 * points + k] = all.xyz_f32[3 * points + k] = job->positions[i][k];
    for (size_t k = 0; k < 3 * m->triangle_count; ++k)
      all.triangles[3 * triangles + k] = m->triangles[k] + (uint32_t)points;
    points += m->point_count, triangles += m->triangle_count;
  }
  char path[4096];
  io_error error = {"simulate: out of memory"};
  number_name_make(job->options.output, frame, path, sizeof path);
  good = good && io_mesh_write(path, &all, &error);
  if (!good) output_complain("%s", error.text);
  io_mesh_free(&all);
  return good;
}

/* ------------------------------------------------------------------------------------- table -- */

static void write_json(const simulate_job *job)
{
  const sim_stats *s = sim_world_stats(job->world);
  sim_energy e = sim_world_energy(job->world);
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_whole(&j, "step", s->step);
  json_put_whole(&j, "level", (uint64_t)s->level);
  json_put_whole(&j, "body_pairs", s->body_pairs);
  json_put_whole(&j, "contacts", s->contacts);
  json_put_whole(&j, "plane_contacts", s->plane_contacts);
  json_put_whole(&j, "visited", s->visited);
  json_put_whole(&j, "updated", s->updated);
  json_put_whole(&j, "asleep", s->asleep);
  json_put_whole(&j, "islands", s->islands);
  json_put_real(&j, "kinetic", e.kinetic);
  json_put_real(&j, "potential", e.potential);
  json_put_real(&j, "elastic", e.elastic);
  json_put_real(&j, "ms_detect", output_ms(s->ms_detect));
  json_put_real(&j, "ms_respond", output_ms(s->ms_respond));
  json_put_real(&j, "ms_deform", output_ms(s->ms_deform));
  json_put_bool(&j, "within_budget", s->within_budget);
  json_close(&j, '}');
  putchar('\n');
}

static void write_csv(const simulate_job *job)
{
  const sim_stats *s = sim_world_stats(job->world);
  sim_energy e = sim_world_energy(job->world);
  printf("%" PRIu64 ",%d,%zu,%zu,%zu,%zu,%zu,%.9g,%.9g,%.9g,%.6f,%.6f,%.6f\n", s->step, s->level, s->body_pairs,
         s->contacts, s->visited, s->updated, s->asleep, e.kinetic, e.potential, e.elastic, s->ms_detect, s->ms_respond,
         s->ms_deform);
}

static void write_row(const simulate_job *job)
{
  const sim_stats *s = sim_world_stats(job->world);
  sim_energy e = sim_world_energy(job->world);
  printf("%6" PRIu64 "%7d%10zu%10zu%9zu%12.4g%12.4g%11.4g%9.3f%9.3f%9.3f\n", s->step, s->level, s->body_pairs,
         s->contacts, s->asleep, e.kinetic, e.potential, e.elastic, s->ms_detect, s->ms_respond, s->ms_deform);
}

bool simulate_output_open(simulate_job *job)
{
  const simulate_options *o = &job->options;
  if (wants_pictures(o) && !pictures_open(job)) return false;
  if (wants_animation(o) && !simulate_glb_open(job, &job->glb))
    return output_complain("simulate: out of memory"), false;
  if (o->json) return true;
  if (o->csv)
    puts("step,level,body_pairs,contacts,visited,updated,asleep,kinetic,potential,elastic,ms_detect,ms_respond,ms_"
         "deform");
  else if (!o->quiet)
    printf("%6s%7s%10s%10s%9s%12s%12s%11s%9s%9s%9s\n", "step", "level", "pairs", "contacts", "asleep", "kinetic",
           "potential", "elastic", "detect", "respond", "deform");
  return true;
}

bool simulate_write_frame(simulate_job *job, size_t frame)
{
  const simulate_options *o = &job->options;
  if (o->json)
    write_json(job);
  else if (o->csv)
    write_csv(job);
  else if (!o->quiet)
    write_row(job);
  if (job->pictures || wants_meshes(o)) simulate_take_positions(job);
  if (job->pictures && !paint(job, frame)) return false;
  if (job->glb && !simulate_glb_frame(job->glb, job, (double)(frame + 1) * o->step * o->every))
    return output_complain("simulate: out of memory for the animation; use a larger --every"), false;
  return !wants_meshes(o) || write_mesh(job, frame);
}

static void write_summary(const simulate_job *job)
{
  const simulate_totals *t = &job->totals;
  double n = (double)t->frames, ms = t->ms_detect + t->ms_respond + t->ms_deform;
  size_t points = 0, bodies = sim_body_count(job->world), asleep = 0;
  char count[OUTPUT_NUMBER_SIZE];
  for (size_t i = 0; i < bodies; ++i)
    points += sim_body_points(job->world, (int)i), asleep += sim_body_asleep(job->world, (int)i);
  printf("%zu bodies, %s points, %zu steps of %.4g s: %.3f ms a step (detect %.3f, respond %.3f, deform %.3f), longest "
         "%.3f; %.0f steps per "
         "second\n",
         bodies, output_count(points, count), t->frames, job->options.step, ms / n, t->ms_detect / n, t->ms_respond / n,
         t->ms_deform / n, t->ms_longest, ms > 0 ? 1e3 * n / ms : 0);
  sim_energy e = sim_world_energy(job->world);
  printf("energy: %.6g at the start, %.6g at the end (kinetic %.3g); rose at most by %.3g; %zu of %zu bodies at rest\n",
         t->energy_start, e.total, e.kinetic, t->energy_rise, asleep, bodies);
  if (job->options.budget_ms > 0)
    printf("budget of %g ms: kept in %zu of %zu steps\n", job->options.budget_ms, t->within, t->frames);
}

bool simulate_write_end(simulate_job *job)
{
  const simulate_options *o = &job->options;
  if (!o->json && !o->csv) write_summary(job);
  bool good = !job->glb || simulate_glb_write(job->glb, job, o->output);
  if (job->pictures) {
    good = video_close(job->pictures->video, good) && good;
    job->pictures->video = NULL;
  }
  return good;
}

void simulate_output_close(simulate_job *job)
{
  simulate_pictures *p = job->pictures;
  simulate_glb_close(job->glb);
  if (!p) return;
  video_close(p->video, false); /* still open: frames are missing */
  tracer_destroy(p->tracer);
  pl_context_destroy(p->context);
  for (size_t i = 0; p->fans && i < p->mesh_count; ++i) trace_fans_destroy(p->fans[i]);
  free(p->traced), free(p->fans), free(p->bodies), free(p->rgb), free(p);
}
