/* One wave of rays: a generation arrives, forks into shadow rays and into the mirrored rays of
 * the next generation, and becomes colours. Every step is a loop over tasks of a fixed size that
 * write to places of their own: counts first, then sums over the counts, then the rays, so that
 * the same picture comes out whoever does which task. A pixel has one path, so no two tasks of a
 * generation paint the same one. */
#include "trace/inside.h"

#include <stdlib.h>

enum { TASK = 512 }; /* rays */

/* a mirror image fainter than this is taken to be sky */
static const double least_weight = 1.0 / 512;
static const double grazing =
    0.01; /* cosine: smooth normals are turned until rays meet and leave at least so steeply */
/* rays leave so far above a triangle, as a part of the numbers it was met with */
static const double clearance = 1e-7;
static const double turn = 6.283185307179586, golden = 0.6180339887498949;

static size_t task_begin(int task) { return (size_t)task * TASK; }
static size_t task_end(const pass *p, int task)
{
  size_t end = task_begin(task) + TASK;
  return end < p->count ? end : p->count;
}

static void add_light(const pass *p, uint32_t pixel, const float weight[3], vec colour, double part)
{
  float *to = p->tracer->light + 3 * (size_t)pixel;
  to[0] += weight[0] * (float)(colour.x * part);
  to[1] += weight[1] * (float)(colour.y * part);
  to[2] += weight[2] * (float)(colour.z * part);
}

/* ----------------------------------------------------------------------------------- primary -- */

/* Where in its pixel a sample lies: the additive sequence of the plastic number, which fills a
 * square evenly from the first sample on. The first is the middle. */
static void sample_place(int sample, double at[2])
{
  const double step[2] = {0.7548776662466927, 0.5698402909980532};
  for (int i = 0; i < 2; ++i) {
    double x = 0.5 + sample * step[i];
    at[i] = x - floor(x);
  }
}

static void primary_task(void *data, int task, int worker)
{
  const pass *p = data;
  const trace_settings *o = &p->shot->settings;
  const trace_camera *camera = p->shot->camera;
  wave *w = &p->tracer->wave;
  double at[2], step = o->subsample;
  sample_place(p->sample, at);
  for (size_t i = task_begin(task); i < task_end(p, task); ++i) {
    uint32_t pixel = p->tracer->order[p->first + i], columns = (uint32_t)p->tracer->grid[0];
    double x = 2 * (pixel % columns + at[0]) * step / o->width - 1;
    double y = 1 - 2 * (pixel / columns + at[1]) * step / o->height;
    pl_ray *ray = &w->rays[p->side][i];
    for (int k = 0; k < 3; ++k) {
      ray->origin[k] = camera->eye[k];
      ray->direction[k] = camera->forward[k] + x * camera->right[k] + y * camera->up[k];
    }
    ray->t_min = 0;
    ray->t_max = INFINITY;
    w->paths[p->side][i] = (path){.pixel = pixel, .weight = {1, 1, 1}};
  }
}

/* ------------------------------------------------------------------------------------ arrive -- */

/* After J. Hanika, Hacking the Shadow Terminator, 2021: flat triangles shade each other where
 * the smooth surface would not. Rays leave from where the smooth surface is, as the planes at
 * the corners tell. `bary` belongs to the corners. */
static vec lift(const corners *c, const double bary[3], vec point)
{
  vec lifted = vec_make(0, 0, 0);
  for (int i = 0; i < 3; ++i) {
    double below = vec_dot(vec_sub(point, c->point[i]), c->normal[i]);
    vec on = below < 0 ? vec_mad(point, c->normal[i], -below) : point;
    lifted = vec_mad(lifted, on, bary[i]);
  }
  return lifted;
}

/* The rest of a surface whose point, normals and colour are known. far: the size of the numbers
 * from which the point was computed. */
static void finish(const pass *p, surface *s, vec point, vec face, vec normal, vec direction, double far)
{
  double d = vec_dot(direction, normal);
  vec bounce = vec_mad(direction, normal, -2 * d);
  double over = vec_dot(bounce, face);
  /* a smooth normal may send it inside */
  if (over < grazing) bounce = vec_unit(vec_mad(bounce, face, grazing - over));
  vec_put(s->origin, vec_mad(point, face, clearance * far));
  vec_put_float(s->normal, normal);
  vec_put_float(s->to_eye, vec_scale(direction, -1));
  vec_put_float(s->bounce, bounce);
  s->mirror = p->shot->settings.bounces > 0 ? (float)mirror_part(s->material, -d) : 0;
}

/* What stands out of the sky to the part `presence` lets the sky through for the rest. */
static void fade(const pass *p, surface *s, vec direction, double presence)
{
  if (presence >= 1) return;
  add_light(p, s->pixel, s->weight, sky_colour(p->shot->world, direction), 1 - presence);
  for (int k = 0; k < 3; ++k) s->weight[k] *= (float)presence;
}

static void arrive_body(const pass *p, surface *s, const pl_ray *ray, const pl_hit *hit, vec direction)
{
  const trace_body *body = &p->shot->bodies[hit->member];
  vec origin = vec_of(ray->origin), point = vec_mad(origin, vec_of(ray->direction), hit->t);
  vec face = vec_unit(vec_of(hit->normal)), normal = vec_scale(direction, -1);
  double far = vec_length(origin) + vec_length(vec_sub(point, origin));
  const double bary[3] = {1 - hit->u - hit->v, hit->u, hit->v};
  corners c;
  if (vec_dot(face, face) > 0) {
    bool behind = vec_dot(face, direction) > 0;
    if (behind) face = vec_scale(face, -1);
    normal = face;
    if (body->fans && corners_make(body, hit->triangle, p->cos_crease, &c)) {
      vec sum = vec_make(0, 0, 0);
      for (int i = 0; i < 3; ++i) {
        if (vec_dot(c.normal[i], face) < 0) c.normal[i] = vec_scale(c.normal[i], -1);
        sum = vec_mad(sum, c.normal[i], bary[i]);
      }
      point = lift(&c, bary, point);
      if (vec_dot(sum, face) > 0) normal = vec_unit(sum);
      /* seen from behind its smooth surface: turned to the edge of it */
      double away = vec_dot(normal, direction);
      if (away > -grazing) normal = vec_unit(vec_mad(normal, direction, -grazing - away));
    }
  } else {
    face = normal;
  }
  fade(p, s, direction, p->shot->world->sky.fog > 0 ? exp(-(double)p->shot->world->sky.fog * s->distance) : 1);
  s->material = body->marked && body->marked[hit->triangle] ? body->mark : &body->material;
  for (int k = 0; k < 3; ++k) s->colour[k] = s->material->colour[k];
  finish(p, s, point, face, normal, direction, far);
}

static void arrive_ground(const pass *p, surface *s, vec point, vec direction, double distance)
{
  const trace_world *world = p->shot->world;
  vec up = vec_unit_axis(world->up_axis);
  double presence = ground_presence(world, point);
  fade(p, s, direction, presence);
  if (!(presence > 0)) return;
  s->material = &world->ground.material;
  vec_put_float(s->colour, ground_colour(&world->ground, world->up_axis, point, direction, p->pixel_width * distance));
  finish(p, s, point, up, up, direction, vec_length(point) + distance);
}

/* Where the ray meets the ground from above, in its lengths; infinite: nowhere. */
static double ground_at(const trace_world *world, const pl_ray *ray)
{
  if (world->ground.kind == TRACE_GROUND_NONE) return INFINITY;
  double over = ray->origin[world->up_axis] - world->ground.height, down = -ray->direction[world->up_axis];
  return over > 0 && down > 0 ? over / down : INFINITY;
}

static void arrive(const pass *p, size_t i, surface *s)
{
  const wave *w = &p->tracer->wave;
  const pl_ray *ray = &w->rays[p->side][i];
  const pl_hit *hit = &w->hits[i];
  const path *from = &w->paths[p->side][i];
  double length = vec_length(vec_of(ray->direction)), t = ground_at(p->shot->world, ray);
  vec direction = vec_scale(vec_of(ray->direction), 1 / length);
  *s = (surface){.pixel = from->pixel, .weight = {from->weight[0], from->weight[1], from->weight[2]}};
  if (hit->member != PL_NONE && !(t < hit->t)) {
    s->distance = (float)(from->distance + hit->t * length);
    arrive_body(p, s, ray, hit, direction);
  } else if (t < INFINITY) {
    s->distance = (float)(from->distance + t * length);
    arrive_ground(p, s, vec_mad(vec_of(ray->origin), vec_of(ray->direction), t), direction, s->distance);
  } else {
    add_light(p, s->pixel, s->weight, sky_colour(p->shot->world, direction), 1);
  }
}

/* Which rays follow from a surface. */
static bool wants_mirror(const pass *p, const surface *s)
{
  float most = s->weight[0] > s->weight[1] ? s->weight[0] : s->weight[1];
  most = most > s->weight[2] ? most : s->weight[2];
  return p->generation < p->shot->settings.bounces && s->mirror * most >= (float)least_weight;
}

static uint32_t lights_to_ask(const pass *p, const surface *s)
{
  const trace_world *world = p->shot->world;
  uint32_t asked = 0;
  for (int l = 0; l < world->light_count && p->shot->settings.shadows; ++l) {
    vec to = vec_sub(vec_of(world->lights[l].at), vec_of(s->origin));
    if (vec_dot(vec_of_float(s->normal), to) > 0) asked |= 1u << l;
  }
  return asked;
}

static void arrive_task(void *data, int task, int worker)
{
  const pass *p = data;
  wave *w = &p->tracer->wave;
  size_t next = 0, shadow[TRACE_MOST_LIGHTS] = {0};
  for (size_t i = task_begin(task); i < task_end(p, task); ++i) {
    surface *s = &w->surfaces[i];
    arrive(p, i, s);
    if (!s->material) continue;
    s->asked = lights_to_ask(p, s);
    for (int l = 0; l < p->shot->world->light_count; ++l) shadow[l] += s->asked >> l & 1;
    next += wants_mirror(p, s);
  }
  w->begin_next[task] = next;
  for (int l = 0; l < p->shot->world->light_count; ++l) w->begin_shadow[l * p->tasks + task] = shadow[l];
}

/* -------------------------------------------------------------------------------------- fork -- */

/* Counts become first places; returns their sum. */
static size_t sum_up(size_t *counts, size_t n)
{
  size_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    size_t count = counts[i];
    counts[i] = sum;
    sum += count;
  }
  return sum;
}

/* A number from 0 to 1 for each pixel, such that neighbours have very different ones: what is
 * left of it in the picture is a fine grain. After J. Jimenez, Next Generation Post Processing
 * in Call of Duty: Advanced Warfare, 2014. */
static double grain(const pass *p, uint32_t pixel, int shift)
{
  uint32_t columns = (uint32_t)p->tracer->grid[0];
  double x = pixel % columns + 5.6 * shift, y = pixel / columns + 3.1 * shift, f = 0.06711056 * x + 0.00583715 * y;
  f = 52.9829189 * (f - floor(f));
  return f - floor(f);
}

/* A point of the light's disc, which faces the surface: the samples of a pixel are on a spiral
 * that fills the disc evenly, turned from pixel to pixel. */
static vec light_point(const pass *p, const trace_light *light, int index, const surface *s)
{
  vec at = vec_of(light->at), to = vec_unit(vec_sub(at, vec_of(s->origin)));
  int samples = p->shot->settings.samples;
  if (!(light->radius > 0) || samples < 2) return at;
  double angle = turn * (grain(p, s->pixel, index) + p->sample * golden);
  double r = light->radius * sqrt((p->sample + 0.5) / samples);
  vec side = vec_unit(vec_cross(to, fabs(to.x) < 0.7 ? vec_unit_axis(0) : vec_unit_axis(1)));
  vec other = vec_cross(to, side);
  return vec_mad(vec_mad(at, side, r * cos(angle)), other, r * sin(angle));
}

static void fork_mirror(const pass *p, const surface *s, pl_ray *ray, path *to)
{
  *ray = (pl_ray){.t_max = INFINITY};
  for (int k = 0; k < 3; ++k) {
    ray->origin[k] = s->origin[k];
    ray->direction[k] = s->bounce[k];
    to->weight[k] = s->weight[k] * s->mirror * (1 - s->material->tint * (1 - s->colour[k]));
  }
  to->pixel = s->pixel;
  to->distance = s->distance;
}

static void fork_task(void *data, int task, int worker)
{
  const pass *p = data;
  const trace_world *world = p->shot->world;
  wave *w = &p->tracer->wave;
  size_t next = w->begin_next[task], shadow[TRACE_MOST_LIGHTS];
  for (int l = 0; l < world->light_count; ++l) shadow[l] = w->begin_shadow[l * p->tasks + task];
  for (size_t i = task_begin(task); i < task_end(p, task); ++i) {
    const surface *s = &w->surfaces[i];
    if (!s->material) continue;
    for (int l = 0; l < world->light_count; ++l) {
      if (!(s->asked >> l & 1)) continue;
      pl_ray *ray = &w->shadow_rays[shadow[l]++];
      vec to = vec_sub(light_point(p, &world->lights[l], l, s), vec_of(s->origin));
      *ray =
          (pl_ray){.origin = {s->origin[0], s->origin[1], s->origin[2]}, .direction = {to.x, to.y, to.z}, .t_max = 1};
    }
    if (wants_mirror(p, s)) {
      fork_mirror(p, s, &w->rays[1 - p->side][next], &w->paths[1 - p->side][next]);
      ++next;
    }
  }
}

/* ------------------------------------------------------------------------------------- shade -- */

static void shade_task(void *data, int task, int worker)
{
  const pass *p = data;
  const trace_world *world = p->shot->world;
  const wave *w = &p->tracer->wave;
  size_t shadow[TRACE_MOST_LIGHTS];
  for (int l = 0; l < world->light_count; ++l) shadow[l] = w->begin_shadow[l * p->tasks + task];
  for (size_t i = task_begin(task); i < task_end(p, task); ++i) {
    const surface *s = &w->surfaces[i];
    if (!s->material) continue;
    uint32_t lit = UINT32_MAX;
    for (int l = 0; l < world->light_count; ++l)
      if (s->asked >> l & 1) lit &= ~((uint32_t)(w->shadow_hits[shadow[l]++].member != PL_NONE) << l);
    add_light(p, s->pixel, s->weight, surface_colour(world, s, lit), 1);
    if (s->mirror > 0 && !wants_mirror(p, s))
      add_light(p, s->pixel, s->weight, sky_colour(world, vec_of_float(s->bounce)), s->mirror);
  }
}

/* -------------------------------------------------------------------------------------- cast -- */

/* Asks the library. Rays that there is no time for have missed; *left counts them. */
static bool cast(pass *p, pl_ray_mode mode, const pl_ray *rays, pl_hit *hits, size_t count, size_t *left)
{
  double budget = p->deadline - trace_clock();
  bool must = p->generation == 0 && mode == PL_RAY_MODE_CLOSEST, limited = !must && p->deadline < INFINITY;
  size_t traced = 0;
  if (!limited || budget > 0) {
    pl_question def = pl_question_default();
    const pl_result *answer;
    def.ray_mode = mode;
    def.coherent = true;
    def.hits = hits;
    def.budget_ms = limited ? budget : 0;
    p->status = pl_cast(pl_all(p->shot->scene), rays, count, &def, &answer);
    if (p->status != PL_OK) return false;
    traced = answer->partial ? answer->count : count;
    p->stats->n_v += answer->counters.n_v;
    p->stats->n_p += answer->counters.n_p;
    p->stats->n_u += answer->counters.n_u;
    p->stats->ms_update += answer->counters.ms_update;
    p->stats->ms_cast += answer->counters.ms_query;
  } else {
    for (size_t i = 0; i < count; ++i) hits[i] = (pl_hit){.t = INFINITY, .triangle = PL_NONE, .member = PL_NONE};
  }
  size_t *done = mode == PL_RAY_MODE_ANY ? &p->stats->shadow : must ? &p->stats->primary : &p->stats->reflected;
  *done += traced;
  if (left) *left += count - traced;
  return true;
}

static void count_seen(pass *p)
{
  const wave *w = &p->tracer->wave;
  for (size_t i = 0; i < p->count; ++i) {
    if (w->hits[i].member == PL_NONE) continue;
    p->tracer->seen[w->hits[i].member] = true;
    ++p->stats->hits;
  }
}

static bool run(pass *p, pl_task task)
{
  p->status = pl_context_run(p->tracer->context, task, p, p->tasks);
  return p->status == PL_OK;
}

/* One generation; p->count becomes the next one's. */
static bool generation(pass *p)
{
  wave *w = &p->tracer->wave;
  bool first = p->generation == 0;
  p->tasks = (int)((p->count + TASK - 1) / TASK);
  if (first && !run(p, primary_task)) return false;
  size_t *left = first ? NULL : &p->stats->left_reflected;
  if (!cast(p, PL_RAY_MODE_CLOSEST, w->rays[p->side], w->hits, p->count, left)) return false;
  if (first && p->sample == 0) count_seen(p);
  if (!run(p, arrive_task)) return false;
  size_t next = sum_up(w->begin_next, (size_t)p->tasks);
  size_t shadows = sum_up(w->begin_shadow, (size_t)p->tasks * (size_t)p->shot->world->light_count);
  if ((p->status = wave_reserve_shadows(w, shadows)) != PL_OK) return false;
  if (!run(p, fork_task)) return false;
  if (shadows > 0 && !cast(p, PL_RAY_MODE_ANY, w->shadow_rays, w->shadow_hits, shadows, &p->stats->left_shadow))
    return false;
  if (!run(p, shade_task)) return false;
  p->side = 1 - p->side;
  p->count = next;
  ++p->generation;
  return true;
}

pl_status wave_trace(pass *p)
{
  p->generation = 0;
  p->side = 0;
  p->status = wave_reserve(&p->tracer->wave, p->count, p->shot->world->light_count, TASK);
  while (p->status == PL_OK && p->count > 0)
    if (!generation(p)) break;
  return p->status;
}
