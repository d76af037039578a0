/* Players that trace frames of one scene, one after the other, timed and compared. With one thread the clock is processor time, with
 * more it is wall time. */
#include "bench/shots.h"

#include "pliant/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const int shots_sampling[SHOTS_SAMPLINGS] = {1, 5, 10};
const char *const shots_sampling_text[SHOTS_SAMPLINGS] = {"1x1", "5x5", "10x10"};

const shots_outcome *shots_at(const shots *p, int player, int frame, int sampling)
{
  return &p->players[player].outcomes[frame * SHOTS_SAMPLINGS + sampling];
}

static size_t picture_size(const shots *p) { return 3 * (size_t)p->width * (size_t)p->height; }

static bool out_of_memory(shots *p) { return bench_fail(p->report, "out of memory"); }

static bool refused(shots *p, const shots_player *who)
{
  return bench_fail(p->report, "%s: %s", who->method.title, pl_context_message(p->context));
}

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
  if (pl_body_create_free(p->context, &mesh, &def, &who->bodies[b]) != PL_OK) return refused(p, who);
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
  if (pl_scene_create(p->context, NULL, &who->scene) != PL_OK) return refused(p, who);
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

static bool open_shots(shots *p, const bench_method *methods, int count)
{
  trace_workers workers = {trace_pool_run, NULL, 1};
  pl_context_def def = pl_context_def_default();
  def.threads = p->options->threads ? p->options->threads : 1;
  pl_status status = trace_pool_create(def.threads, &p->pool);
  if (status == PL_OK) {
    workers.user = p->pool;
    workers.count = trace_pool_workers(p->pool);
    def.parallel = workers.count > 1 ? trace_pool_run : NULL;
    def.parallel_user = p->pool;
    status = tracer_create(&workers, &p->tracer);
  }
  if (status == PL_OK) status = pl_context_create(&def, &p->context);
  if (status != PL_OK) return bench_fail(p->report, "%s", pl_status_text(status));
  for (int i = 0; i < 2; ++i)
    if (!(p->pictures[i] = malloc(picture_size(p)))) return out_of_memory(p);
  make_world(p);
  if (!choose_steps(p) || !open_meshes(p)) return false;
  for (; p->count < count; ++p->count)
    if (!open_player(p, &p->players[p->count], &methods[p->count])) return false;
  return true;
}

void shots_close(shots *p)
{
  pl_context_destroy(p->context); /* first: it reads the arrays */
  tracer_destroy(p->tracer);
  trace_pool_destroy(p->pool);
  for (int i = 0; i < SHOTS_MOST; ++i) {
    for (int b = 0; b < SHOTS_BODIES; ++b) free(p->players[i].xyz[b]);
    free(p->players[i].outcomes);
  }
  for (int b = 0; b < SHOTS_BODIES; ++b) scene_mesh_free(&p->meshes[b]);
  for (int i = 0; i < 2; ++i) free(p->pictures[i]);
  free(p->steps);
}

/* -------------------------------------------------------------------------------------------------------- frames -- */

static double clock_ms(const shots *p)
{
  struct timespec t;
  clock_gettime(pl_context_threads(p->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void pose(shots *p, int step)
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
  trace_view view = {.up_axis = 1, .degrees = 53, .aspect = (double)p->width / p->height};
  scene_c1_camera(step, view.eye, view.at);
  trace_camera camera = trace_camera_make(&view);
  trace_shot shot = {who->scene, who->traced, SHOTS_BODIES, &p->world, &camera, trace_settings_default()};
  shot.settings.width = p->width;
  shot.settings.height = p->height;
  shot.settings.subsample = shots_sampling[sampling];
  if (trace_frame(p->tracer, &shot, rgb, stats) == PL_OK) return true;
  return refused(p, who);
}

static double least(double old, double now, bool first) { return first || now < old ? now : old; }

static bool time_one(shots *p, shots_player *who, int frame, int sampling, bool first)
{
  shots_outcome *o = &who->outcomes[frame * SHOTS_SAMPLINGS + sampling];
  hand_over(p, who);
  double begin = clock_ms(p);
  if (!update(p, who)) return false;
  double middle = clock_ms(p);
  if (!trace(p, who, p->steps[frame], sampling, NULL, &o->stats)) return false;
  double end = clock_ms(p);
  o->ms_update = least(o->ms_update, middle - begin, first);
  o->ms_trace = least(o->ms_trace, end - middle, first);
  const trace_stats *a = &o->stats, *b = &p->players[0].outcomes[frame * SHOTS_SAMPLINGS + sampling].stats;
  if (a->primary == b->primary && a->hits == b->hits && a->shadow == b->shadow && a->reflected == b->reflected)
    return true;
  return bench_fail(p->report, "frame %d, %s: %s meets other triangles than %s; please report this", p->steps[frame],
                    shots_sampling_text[sampling], who->method.title, p->players[0].method.title);
}

/* Full resolution takes so long that noise is small and one repeat must do. */
static bool time_frame(shots *p, int frame, int reps)
{
  for (int s = SHOTS_SAMPLINGS - 1; s >= 0; --s)
    for (int r = 0; r < (s > 0 ? reps : 1); ++r)
      for (int i = 0; i < p->count; ++i)
        if (!time_one(p, &p->players[i], frame, s, r == 0)) return false;
  return true;
}

bool shots_run(shots *p, int reps)
{
  for (int f = 0; f < p->frames; ++f) {
    bench_progress(p->report, "%s: frame %d of %d", p->report->experiment, f + 1, p->frames);
    pose(p, p->steps[f]);
    if (!time_frame(p, f, reps)) return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------------- check -- */

/* The same picture from all players, sampled coarsely and finely in turn. */
static bool check_pictures(shots *p, int step, int sampling)
{
  for (int i = 0; i < p->count; ++i) {
    trace_stats stats;
    hand_over(p, &p->players[i]);
    if (!update(p, &p->players[i]) || !trace(p, &p->players[i], step, sampling, p->pictures[i > 0], &stats))
      return false;
    if (i > 0 && memcmp(p->pictures[0], p->pictures[1], picture_size(p)) != 0)
      return bench_fail(p->report, "frame %d, %s: %s paints another picture than %s; please report this", step,
                        shots_sampling_text[sampling], p->players[i].method.title, p->players[0].method.title);
  }
  return true;
}

/* Rays from the eye through a coarse grid, as they come from the reference, which looks at every triangle. */
static bool check_rays(shots *p, int step)
{
  enum { ACROSS = 8, DOWN = 6, RAYS = ACROSS * DOWN };
  pl_ray rays[RAYS];
  pl_hit right[RAYS];
  const pl_hits *hits;
  trace_view view = {.up_axis = 1, .degrees = 53, .aspect = (double)p->width / p->height};
  scene_c1_camera(step, view.eye, view.at);
  trace_camera camera = trace_camera_make(&view);
  for (int i = 0; i < RAYS; ++i) {
    double x = 2 * (i % ACROSS + 0.5) / ACROSS - 1, y = 2 * (i / ACROSS + 0.5) / DOWN - 1, direction[3];
    for (int k = 0; k < 3; ++k) direction[k] = camera.forward[k] + x * camera.right[k] + y * camera.up[k];
    rays[i] = pl_ray_from(camera.eye, direction);
  }
  if (pl_reference_scene_cast(p->players[0].scene, rays, RAYS, NULL, &hits) != PL_OK) return refused(p, &p->players[0]);
  memcpy(right, hits->hits, sizeof right);
  for (int i = 0; i < p->count; ++i) {
    if (pl_scene_cast(p->players[i].scene, rays, RAYS, NULL, &hits) != PL_OK) return refused(p, &p->players[i]);
    for (int r = 0; r < RAYS; ++r)
      if (hits->hits[r].body != right[r].body || hits->hits[r].triangle != right[r].triangle)
        return bench_fail(p->report, "frame %d: %s hits another triangle than the reference; please report this", step,
                          p->players[i].method.title);
  }
  return true;
}

bool shots_check(shots *p)
{
  const int looks[3] = {0, p->frames / 2, p->frames - 1};
  for (int i = 0; i < 3; ++i) {
    int step = p->steps[looks[i]];
    bench_progress(p->report, "%s: checking frame %d", p->report->experiment, step);
    pose(p, step);
    if (!check_pictures(p, step, i == 1 ? 0 : i) || !check_rays(p, step)) return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------- open -- */

bool shots_open(shots *p, const bench_options *options, bench_report *report, const bench_method *methods, int count)
{
  *p = (shots){.options = options, .report = report};
  p->width = options->quick ? 160 : 640;
  p->height = options->quick ? 120 : 480;
  return open_shots(p, methods, count);
}
