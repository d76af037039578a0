/* Players of the museum, one after the other at each frame. */
#include "bench/museum.h"

#include <stdlib.h>
#include <string.h>

const int museum_sampling[MUSEUM_SAMPLINGS] = {1, 5, 10};
const char *const museum_sampling_text[MUSEUM_SAMPLINGS] = {"1x1", "5x5", "10x10"};

static bool out_of_memory(museum_show *p) { return studio_out_of_memory(&p->studio); }

static bool refused(museum_show *p, const museum_player *who)
{
  return studio_refused(&p->studio, who->as.method.title);
}

/* -------------------------------------------------------------------------------------- open -- */

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
  if (pl_body_create_rigid(p->studio.context, &mesh, NULL, &body) != PL_OK) return refused(p, who);
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
  pl_body_info info;
  if (pl_body_create_soup(p->studio.context, &mesh, &soup, &def, &who->art) != PL_OK) return refused(p, who);
  if (pl_scene_add(who->scene, who->art, NULL) != PL_OK || pl_body_update(who->art, NULL) != PL_OK ||
      pl_body_get_info(who->art, true, &info) != PL_OK)
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
  if (pl_scene_create(p->studio.context, NULL, &who->scene) != PL_OK) return refused(p, who);
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

bool museum_open(museum_show *p, const bench_options *options, bench_report *report, const museum_method *methods,
                 int count)
{
  *p = (museum_show){.options = options, .report = report};
  make_world(p);
  if (!studio_open(&p->studio, options, report) || !choose_steps(p) || !open_meshes(p)) return false;
  for (; p->count < count; ++p->count)
    if (!open_player(p, &p->players[p->count], &methods[p->count])) return false;
  return true;
}

void museum_close(museum_show *p)
{
  studio_close(&p->studio); /* first: its bodies read the arrays */
  for (int i = 0; i < MUSEUM_MOST; ++i) {
    free(p->players[i].xyz);
    for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) free(p->players[i].outcomes[s]);
  }
  for (int part = 0; part < MUSEUM_PARTS; ++part) scene_mesh_free(&p->room[part]);
  museum_art_free(&p->art);
  for (int s = 0; s < MUSEUM_SAMPLINGS; ++s) free(p->steps[s]);
}

/* ------------------------------------------------------------------------------------ frames -- */

static trace_camera camera_of(const museum_show *p, int step)
{
  museum_view v = museum_camera(step);
  trace_view view = {.up_axis = 1, .degrees = v.degrees};
  for (int k = 0; k < 3; ++k) {
    view.eye[k] = v.eye[k];
    view.at[k] = v.at[k];
  }
  return studio_camera(&p->studio, view);
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
  shot.settings.width = p->studio.width;
  shot.settings.height = p->studio.height;
  shot.settings.subsample = museum_sampling[sampling];
  shot.settings.bounces = 1;
  return trace_frame(p->studio.tracer, &shot, rgb, stats) == PL_OK || refused(p, who);
}

static bool time_one(museum_show *p, museum_player *who, int frame, int sampling, bool first)
{
  museum_outcome *o = &who->outcomes[sampling][frame];
  hand_over(p, who);
  double begin = studio_clock(&p->studio);
  if (!update(p, who)) return false;
  double middle = studio_clock(&p->studio);
  if (!trace(p, who, p->steps[sampling][frame], sampling, NULL, &o->stats)) return false;
  double end = studio_clock(&p->studio);
  if (first ||
      end - begin < o->ms_update + o->ms_trace) { /* both times of one repeat: another may have taken the grid */
    o->ms_update = middle - begin;
    o->ms_trace = end - middle;
    o->by_grid = pl_body_soup_method(who->art) == PL_SOUP_GRID;
  }
  const trace_stats *a = &o->stats, *b = &p->players[0].outcomes[sampling][frame].stats;
  if (studio_same_rays(a, b)) {
    if (who != p->players && first)
      bench_compared(&p->report->compared, "number of hits", "the first method's", p->steps[sampling][frame], 1);
    return true;
  }
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

/* ------------------------------------------------------------------------------------- check -- */

static bool check_pictures(museum_show *p, int step, int sampling)
{
  for (int i = 0; i < p->count; ++i) {
    trace_stats stats;
    hand_over(p, &p->players[i]);
    if (!update(p, &p->players[i]) || !trace(p, &p->players[i], step, sampling, p->studio.pictures[i > 0], &stats))
      return false;
    if (i > 0 && !studio_same_pictures(&p->studio))
      return bench_fail(p->report, "frame %d, %s: %s paints another picture than %s; please report this", step,
                        museum_sampling_text[sampling], p->players[i].as.method.title, p->players[0].as.method.title);
    if (i > 0)
      bench_compared(&p->report->compared, "picture, every byte", "the first method's", step,
                     (size_t)p->studio.width * (size_t)p->studio.height);
  }
  return true;
}

static bool check_rays(museum_show *p, int step)
{
  studio_look look;
  trace_camera camera = camera_of(p, step);
  if (!studio_look_from(&p->studio, p->players[0].scene, &camera, step, &look)) return false;
  for (int i = 0; i < p->count; ++i)
    if (!studio_check_look(&p->studio, &look, p->players[i].scene, p->players[i].as.method.title)) return false;
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
