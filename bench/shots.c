/* Players that trace frames of one scene, one after the other, timed and compared. */
#include "bench/shots.h"

#include <stdlib.h>
#include <string.h>

const int shots_sampling[SHOTS_SAMPLINGS] = {1, 5, 10};
const char *const shots_sampling_text[SHOTS_SAMPLINGS] = {"1x1", "5x5", "10x10"};

const shots_outcome *shots_at(const shots *p, int player, int frame, int sampling)
{
  return &p->players[player].outcomes[frame * SHOTS_SAMPLINGS + sampling];
}

static bool out_of_memory(shots *p) { return studio_out_of_memory(&p->studio); }

static bool refused(shots *p, const shots_player *who) { return studio_refused(&p->studio, who->method.title); }

/* -------------------------------------------------------------------------------------- open -- */

static bool open_body(shots *p, shots_player *who, int b)
{
  const scene_mesh *from = &p->meshes[b];
  size_t bytes = (3 * from->vertex_count + 1) * sizeof(float);
  pl_body_def def = who->method.body;
  pl_mesh_def mesh = pl_mesh_def_default();
  who->xyz[b] = malloc(bytes);
  if (!who->xyz[b]) return out_of_memory(p);
  memcpy(who->xyz[b], from->xyz, bytes - sizeof(float));
  def.borrow = true;
  mesh.positions = pl_positions_f32(who->xyz[b], from->vertex_count);
  mesh.triangles = from->triangles;
  mesh.triangle_count = from->triangle_count;
  if (pl_body_create_free(p->studio.context, &mesh, &def, &who->bodies[b]) != PL_OK) return refused(p, who);
  if (pl_scene_add(who->scene, who->bodies[b], NULL) != PL_OK) return refused(p, who);
  who->traced[b] = (trace_body){.triangles = mesh.triangles, .positions = mesh.positions};
  who->traced[b].material = trace_palette(b);
  who->traced[b].material.mirror = 0.3f;
  return true;
}

static bool open_player(shots *p, shots_player *who, const bench_method *method)
{
  bench_progress(p->report, "%s: building the trees of %s", p->report->experiment, method->title);
  who->method = *method;
  who->outcomes = calloc((size_t)p->frames * SHOTS_SAMPLINGS, sizeof *who->outcomes);
  if (!who->outcomes) return out_of_memory(p);
  if (pl_scene_create(p->studio.context, NULL, &who->scene) != PL_OK) return refused(p, who);
  for (int b = 0; b < SHOTS_BODIES; ++b)
    if (!open_body(p, who, b)) return false;
  return true;
}

/* Every stride-th frame, counted from the one in which the camera looks away the most. */
static bool choose_steps(shots *p)
{
  const bench_options *o = p->options;
  int stride = o->stride ? o->stride : o->full ? 1 : o->quick ? 70 : 20, middle = 200 % stride;
  p->steps = malloc(SCENE_C1_FRAMES * sizeof *p->steps);
  for (int f = middle; p->steps && f < SCENE_C1_FRAMES; f += stride) p->steps[p->frames++] = f;
  return p->steps || out_of_memory(p);
}

/* A sky without frills and no ground, as the pictures in the paper have it. */
static void make_world(shots *p)
{
  static const double lights[2][3] = {{6, 8, 3}, {-5, 7, -6}};
  p->world = (trace_world){.up_axis = 1, .light_count = 2};
  p->world.sky = (trace_sky){{0.5f, 0.6f, 0.75f}, {0.2f, 0.3f, 0.55f}, {0.3f, 0.3f, 0.3f}, {0, 0, 0}, 0.3f, 0};
  for (int i = 0; i < 2; ++i) {
    p->world.lights[i] = (trace_light){.colour = {0.6f, 0.6f, 0.6f}};
    memcpy(p->world.lights[i].at, lights[i], sizeof lights[i]);
  }
}

static bool open_meshes(shots *p)
{
  const bench_options *o = p->options;
  int triangles = o->triangles ? o->triangles : o->quick ? 1280 : SCENE_S4_TRIANGLES;
  for (int b = 0; b < SHOTS_BODIES; ++b) {
    if (!scene_geosphere(scene_geosphere_frequency(triangles), &p->meshes[b]))
      return bench_fail(p->report, "out of memory for %d triangles", triangles);
    scene_c1_pose(&p->meshes[b], b, 0);
  }
  return true;
}

bool shots_open(shots *p, const bench_options *options, bench_report *report, const bench_method *methods, int count)
{
  *p = (shots){.options = options, .report = report};
  make_world(p);
  if (!studio_open(&p->studio, options, report) || !choose_steps(p) || !open_meshes(p)) return false;
  for (; p->count < count; ++p->count)
    if (!open_player(p, &p->players[p->count], &methods[p->count])) return false;
  return true;
}

void shots_close(shots *p)
{
  studio_close(&p->studio); /* first: its bodies read the arrays */
  for (int i = 0; i < SHOTS_MOST; ++i) {
    for (int b = 0; b < SHOTS_BODIES; ++b) free(p->players[i].xyz[b]);
    free(p->players[i].outcomes);
  }
  for (int b = 0; b < SHOTS_BODIES; ++b) scene_mesh_free(&p->meshes[b]);
  free(p->steps);
}

/* ------------------------------------------------------------------------------------ frames -- */

trace_camera shots_camera(const shots *p, int step)
{
  trace_view view = {.up_axis = 1, .degrees = 53};
  scene_c1_camera(step, view.eye, view.at);
  return studio_camera(&p->studio, view);
}

void shots_pose(shots *p, int step)
{
  for (int b = 0; b < SHOTS_BODIES; ++b) scene_c1_pose(&p->meshes[b], b, step);
}

static void hand_over(shots *p, shots_player *who)
{
  for (int b = 0; b < SHOTS_BODIES; ++b)
    memcpy(who->xyz[b], p->meshes[b].xyz, 3 * p->meshes[b].vertex_count * sizeof(float));
}

static bool update(shots *p, shots_player *who)
{
  for (int b = 0; b < SHOTS_BODIES; ++b) {
    pl_status status = pl_body_set_positions(who->bodies[b], who->traced[b].positions);
    if (status == PL_OK) status = pl_body_update(who->bodies[b], NULL);
    if (status != PL_OK) return refused(p, who);
  }
  return true;
}

static bool trace(shots *p, shots_player *who, int step, int sampling, uint8_t *rgb, trace_stats *stats)
{
  trace_camera camera = shots_camera(p, step);
  trace_shot shot = {who->scene, who->traced, SHOTS_BODIES, &p->world, &camera, trace_settings_default()};
  shot.settings.width = p->studio.width;
  shot.settings.height = p->studio.height;
  shot.settings.subsample = shots_sampling[sampling];
  return trace_frame(p->studio.tracer, &shot, rgb, stats) == PL_OK || refused(p, who);
}

bool shots_update(shots *p, shots_player *who, double *ms)
{
  hand_over(p, who);
  double begin = studio_clock(&p->studio);
  bool good = update(p, who);
  *ms = studio_clock(&p->studio) - begin;
  return good;
}

bool shots_trace(shots *p, shots_player *who, int step, int sampling, double *ms, trace_stats *stats)
{
  double begin = studio_clock(&p->studio);
  bool good = trace(p, who, step, sampling, NULL, stats);
  *ms = studio_clock(&p->studio) - begin;
  return good;
}

static double least(double old, double now, bool first) { return first || now < old ? now : old; }

static bool time_one(shots *p, shots_player *who, int frame, int sampling, bool first)
{
  shots_outcome *o = &who->outcomes[frame * SHOTS_SAMPLINGS + sampling];
  hand_over(p, who);
  double begin = studio_clock(&p->studio);
  if (!update(p, who)) return false;
  double middle = studio_clock(&p->studio);
  if (!trace(p, who, p->steps[frame], sampling, NULL, &o->stats)) return false;
  double end = studio_clock(&p->studio);
  o->ms_update = least(o->ms_update, middle - begin, first);
  o->ms_trace = least(o->ms_trace, end - middle, first);
  const trace_stats *a = &o->stats, *b = &p->players[0].outcomes[frame * SHOTS_SAMPLINGS + sampling].stats;
  if (studio_same_rays(a, b)) {
    if (who != p->players && first)
      bench_compared(&p->report->compared, "number of hits", "the first method's", p->steps[frame], 1);
    return true;
  }
  return bench_fail(p->report, "frame %d, %s: %s meets other triangles than %s; please report this", p->steps[frame],
                    shots_sampling_text[sampling], who->method.title, p->players[0].method.title);
}

/* Sampling by sampling, as a program would play them: what bodies expect of a frame they take
 * from the one before. Full resolution takes so long that noise is small and one repeat must do. */
bool shots_run(shots *p, int reps)
{
  for (int s = SHOTS_SAMPLINGS - 1; s >= 0; --s)
    for (int f = 0; f < p->frames; ++f) {
      bench_progress(p->report, "%s: %s, frame %d of %d", p->report->experiment, shots_sampling_text[s], f + 1,
                     p->frames);
      shots_pose(p, p->steps[f]);
      for (int r = 0; r < (s > 0 ? reps : 1); ++r)
        for (int i = 0; i < p->count; ++i)
          if (!time_one(p, &p->players[i], f, s, r == 0)) return false;
    }
  return true;
}

/* ------------------------------------------------------------------------------------- check -- */

/* The same picture from all players, sampled coarsely and finely in turn. */
static bool check_pictures(shots *p, int step, int sampling)
{
  for (int i = 0; i < p->count; ++i) {
    trace_stats stats;
    hand_over(p, &p->players[i]);
    if (!update(p, &p->players[i]) || !trace(p, &p->players[i], step, sampling, p->studio.pictures[i > 0], &stats))
      return false;
    if (i > 0 && !studio_same_pictures(&p->studio))
      return bench_fail(p->report, "frame %d, %s: %s paints another picture than %s; please report this", step,
                        shots_sampling_text[sampling], p->players[i].method.title, p->players[0].method.title);
    if (i > 0)
      bench_compared(&p->report->compared, "picture, every byte", "the first method's", step,
                     (size_t)p->studio.width * (size_t)p->studio.height);
  }
  return true;
}

static bool check_rays(shots *p, int step)
{
  studio_look look;
  trace_camera camera = shots_camera(p, step);
  if (!studio_look_from(&p->studio, p->players[0].scene, &camera, step, &look)) return false;
  for (int i = 0; i < p->count; ++i)
    if (!studio_check_look(&p->studio, &look, p->players[i].scene, p->players[i].method.title)) return false;
  return true;
}

bool shots_check(shots *p)
{
  const int looks[3] = {0, p->frames / 2, p->frames - 1};
  bench_compared_scene(&p->report->compared, p->frames, "%s", "");
  for (int i = 0; i < 3; ++i) {
    int step = p->steps[looks[i]];
    bench_progress(p->report, "%s: checking frame %d", p->report->experiment, step);
    shots_pose(p, step);
    if (!check_pictures(p, step, i == 1 ? 0 : i) || !check_rays(p, step)) return false;
  }
  return true;
}
