/* Players of the museum, one after the other at each frame. With one thread the clock is processor time, with more it is wall time. */
#include "bench/museum.h"

#include "pliant/reference.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const int museum_sampling[MUSEUM_SAMPLINGS] = {1, 5, 10};
const char *const museum_sampling_text[MUSEUM_SAMPLINGS] = {"1x1", "5x5", "10x10"};

static bool out_of_memory(museum_show *p) { return bench_fail(p->report, "out of memory"); }

static bool refused(museum_show *p, const museum_player *who)
{
  return bench_fail(p->report, "%s: %s", who->as.method.title, pl_context_message(p->context));
}

/* -------------------------------------------------------------------------------------------------------- open -- */

static trace_material material_of(museum_look look)
{
  trace_material m = {.mirror = look.mirror, .specular = 0.2f, .gloss = 40};
  memcpy(m.colour, look.colour, sizeof m.colour);
  return m;
}

static bool open_part(museum_show *p, museum_player *who, int part)
{
  const scene_mesh *from = &p->room[part];
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(from->xyz, from->vertex_count);
  mesh.triangles = from->triangles;
  mesh.triangle_count = from->triangle_count;
  pl_body *body;
  if (pl_body_create_rigid(p->context, &mesh, NULL, &body) != PL_OK) return refused(p, who);
  if (pl_scene_add(who->scene, body, NULL) != PL_OK) return refused(p, who);
  who->traced[part] = (trace_body){.triangles = mesh.triangles, .positions = mesh.positions};
  who->traced[part].material = material_of(museum_room_look((museum_part)part));
  return true;
}

static bool open_art(museum_show *p, museum_player *who)
{
  const museum_art *from = &p->art;
  size_t floats = 3 * from->vertex_count + 1;
  pl_positions keys[MUSEUM_KEYS];
  for (int k = 0; k < MUSEUM_KEYS; ++k) keys[k] = pl_positions_f32(from->key[k], from->vertex_count);
  who->xyz = malloc(floats * sizeof *who->xyz);
  if (!who->xyz) return out_of_memory(p);
  memcpy(who->xyz, from->xyz, floats * sizeof *who->xyz);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(who->xyz, from->vertex_count);
  mesh.triangles = from->triangles;
  mesh.triangle_count = from->triangle_count;
  pl_soup_def soup = pl_soup_def_default();
  soup.key_poses = keys;
  soup.key_pose_count = who->as.keys;
  soup.method = who->as.soup;
  pl_body_def def = who->as.method.body;
  def.borrow = true;
  pl_tree_info info;
  if (pl_body_create_soup(p->context, &mesh, &soup, &def, &who->art) != PL_OK) return refused(p, who);
  if (pl_scene_add(who->scene, who->art, NULL) != PL_OK || pl_body_update(who->art, NULL) != PL_OK ||
      pl_body_tree_info(who->art, &info) != PL_OK)
    return refused(p, who);
  who->bytes = info.bytes;
  who->traced[MUSEUM_PARTS] = (trace_body){.triangles = mesh.triangles, .positions = mesh.positions};
  who->traced[MUSEUM_PARTS].material = material_of(museum_art_look());
  return true;
}

static bool open_player(museum_show *p, museum_player *who, const museum_method *as)
{
  bench_progress(p->report, "%s: building the trees of %s", p->report->experiment, as->method.title);
  who->as = *as;
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) {
    who->outcomes[s] = calloc((size_t)p->frames[s], sizeof *who->outcomes[s]);
    if (!who->outcomes[s]) return out_of_memory(p);
  }
  if (pl_scene_create(p->context, NULL, &who->scene) != PL_OK) return refused(p, who);
  for (int part = 0; part < MUSEUM_PARTS; ++part)
    if (!open_part(p, who, part)) return false;
  return open_art(p, who);
}

/* Every stride-th frame, counted back from the last; the more rays, the fewer. */
static bool choose_steps(museum_show *p)
{
  static const int strides[MUSEUM_SAMPLINGS] = {75, 10, 5};
  const bench_options *o = p->options;
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) {
    int stride = o->full ? 1 : o->stride ? o->stride : o->quick ? 75 : strides[s];
    p->steps[s] = malloc(MUSEUM_FRAMES * sizeof *p->steps[s]);
    if (!p->steps[s]) return out_of_memory(p);
    for (int f = (MUSEUM_FRAMES - 1) % stride; f < MUSEUM_FRAMES; f += stride) p->steps[s][p->frames[s]++] = f;
  }
  return true;
}

static void make_world(museum_show *p)
{
  p->world = (trace_world){.up_axis = 1, .light_count = MUSEUM_LIGHTS};
  p->world.sky = (trace_sky){.horizon = {0.9f, 0.9f, 0.9f}, .zenith = {0.9f, 0.9f, 0.9f}, .ambient = 0.3f};
  for (int i = 0; i < MUSEUM_LIGHTS; ++i) {
    museum_light light = museum_light_at(i);
    for (int k = 0; k < 3; ++k) {
      p->world.lights[i].at[k] = light.at[k];
      p->world.lights[i].colour[k] = light.colour[k];
    }
  }
}

static bool open_meshes(museum_show *p)
{
  const bench_options *o = p->options;
  int triangles = o->triangles ? o->triangles : o->quick ? 2048 : MUSEUM_TRIANGLES;
  if (triangles < 1000) return bench_fail(p->report, "the piece of art has at least 1000 triangles, not %d", triangles);
  bool good = museum_art_make(triangles, &p->art);
  for (int part = 0; good && part < MUSEUM_PARTS; ++part) good = museum_room((museum_part)part, &p->room[part]);
  return good || out_of_memory(p);
}

static bool open_tools(museum_show *p)
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
    if (!(p->pictures[i] = malloc(3 * (size_t)p->width * (size_t)p->height))) return out_of_memory(p);
  return true;
}

bool museum_open(museum_show *p, const bench_options *options, bench_report *report, const museum_method *methods,
                 int count)
{
  *p = (museum_show){.options = options, .report = report};
  p->width = options->quick ? 160 : 640;
  p->height = options->quick ? 120 : 480;
  make_world(p);
  if (!open_tools(p) || !choose_steps(p) || !open_meshes(p)) return false;
  for (; p->count < count; ++p->count)
    if (!open_player(p, &p->players[p->count], &methods[p->count])) return false;
  return true;
}

void museum_close(museum_show *p)
{
  pl_context_destroy(p->context); /* first: it reads the arrays */
  tracer_destroy(p->tracer);
  trace_pool_destroy(p->pool);
  for (int i = 0; i < MUSEUM_MOST; ++i) {
    free(p->players[i].xyz);
    for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) free(p->players[i].outcomes[s]);
  }
  for (int part = 0; part < MUSEUM_PARTS; ++part) scene_mesh_free(&p->room[part]);
  museum_art_free(&p->art);
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) free(p->steps[s]);
  for (int i = 0; i < 2; ++i) free(p->pictures[i]);
}

/* ------------------------------------------------------------------------------------------------------- frames -- */

static double clock_ms(const museum_show *p)
{
  struct timespec t;
  clock_gettime(pl_context_threads(p->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static trace_camera camera_of(const museum_show *p, int step)
{
  museum_view v = museum_camera(step);
  trace_view view = {.up_axis = 1, .degrees = v.degrees, .aspect = (double)p->width / p->height};
  for (int k = 0; k < 3; ++k) {
    view.eye[k] = v.eye[k];
    view.at[k] = v.at[k];
  }
  return trace_camera_make(&view);
}

static void hand_over(museum_show *p, museum_player *who)
{
  memcpy(who->xyz, p->art.xyz, 3 * p->art.vertex_count * sizeof(float));
}

static bool update(museum_show *p, museum_player *who)
{
  pl_status status = pl_body_set_positions(who->art, who->traced[MUSEUM_PARTS].positions);
  if (status == PL_OK) status = pl_body_update(who->art, NULL);
  return status == PL_OK || refused(p, who);
}

static bool trace(museum_show *p, museum_player *who, int step, int sampling, uint8_t *rgb, trace_stats *stats)
{
  trace_camera camera = camera_of(p, step);
  trace_shot shot = {who->scene, who->traced, MUSEUM_BODIES, &p->world, &camera, trace_settings_default()};
  shot.settings.width = p->width;
  shot.settings.height = p->height;
  shot.settings.subsample = museum_sampling[sampling];
  shot.settings.bounces = 1;
  return trace_frame(p->tracer, &shot, rgb, stats) == PL_OK || refused(p, who);
}

static bool time_one(museum_show *p, museum_player *who, int frame, int sampling, bool first)
{
  museum_outcome *o = &who->outcomes[sampling][frame];
  hand_over(p, who);
  double begin = clock_ms(p);
  if (!update(p, who)) return false;
  double middle = clock_ms(p);
  if (!trace(p, who, p->steps[sampling][frame], sampling, NULL, &o->stats)) return false;
  double end = clock_ms(p);
  if (first || end - begin < o->ms_update + o->ms_trace) { /* both times of one repeat: another may have taken the grid */
    o->ms_update = middle - begin;
    o->ms_trace = end - middle;
    o->by_grid = pl_body_soup_method(who->art) == PL_SOUP_GRID;
  }
  const trace_stats *a = &o->stats, *b = &p->players[0].outcomes[sampling][frame].stats;
  if (a->primary == b->primary && a->hits == b->hits && a->shadow == b->shadow && a->reflected == b->reflected)
    return true;
  return bench_fail(p->report, "frame %d, %s: %s meets other triangles than %s; please report this",
                    p->steps[sampling][frame], museum_sampling_text[sampling], who->as.method.title,
                    p->players[0].as.method.title);
}

bool museum_run(museum_show *p, int reps)
{
  for (int s = MUSEUM_SAMPLINGS - 1; s >= 0; --s)
    for (int r = 0; r < (s > 0 ? reps : 1); ++r) /* full resolution takes so long that noise is small */
      for (int f = 0; f < p->frames[s]; ++f) {
        bench_progress(p->report, "%s: %s, repeat %d, frame %d of %d", p->report->experiment, museum_sampling_text[s],
                       r + 1, f + 1, p->frames[s]);
        museum_art_pose(&p->art, p->steps[s][f]);
        for (int i = 0; i < p->count; ++i)
          if (!time_one(p, &p->players[i], f, s, r == 0)) return false;
      }
  return true;
}

/* -------------------------------------------------------------------------------------------------------- check -- */

static bool check_pictures(museum_show *p, int step, int sampling)
{
  for (int i = 0; i < p->count; ++i) {
    trace_stats stats;
    hand_over(p, &p->players[i]);
    if (!update(p, &p->players[i]) || !trace(p, &p->players[i], step, sampling, p->pictures[i > 0], &stats))
      return false;
    if (i > 0 && memcmp(p->pictures[0], p->pictures[1], 3 * (size_t)p->width * (size_t)p->height) != 0)
      return bench_fail(p->report, "frame %d, %s: %s paints another picture than %s; please report this", step,
                        museum_sampling_text[sampling], p->players[i].as.method.title, p->players[0].as.method.title);
  }
  return true;
}

/* Rays from the eye through a coarse grid, as they come from the reference, which looks at every triangle. */
static bool check_rays(museum_show *p, int step)
{
  enum { ACROSS = 8, DOWN = 6, RAYS = ACROSS * DOWN };
  pl_ray rays[RAYS];
  pl_hit right[RAYS];
  const pl_hits *hits;
  trace_camera camera = camera_of(p, step);
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
      if (hits->hits[r].body != right[r].body || hits->hits[r].triangle != right[r].triangle ||
          hits->hits[r].t != right[r].t)
        return bench_fail(p->report, "frame %d: %s hits another triangle than the reference; please report this", step,
                          p->players[i].as.method.title);
  }
  return true;
}

bool museum_check(museum_show *p)
{
  const int steps[] = {0, 110, 187, 224}; /* key poses, and in between */
  for (int i = 0; i < 4; ++i) {
    bench_progress(p->report, "%s: checking frame %d", p->report->experiment, steps[i]);
    museum_art_pose(&p->art, steps[i]);
    if (!check_pictures(p, steps[i], 1 + i % 2) || !check_rays(p, steps[i])) return false;
  }
  return true;
}
