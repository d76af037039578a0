/* Queries of one or two bodies. */
#include "web/src/web.h"

#include <math.h>
#include <string.h>

enum { FIRST = 1, SORTED = 2, REFERENCE = 4, NEIGHBOURS = 8 };

/* The layouts that pliant.mjs reads. */
#ifdef __wasm__
_Static_assert(sizeof(pl_pair) == 8 && sizeof(pl_group) == 16, "pairs");
_Static_assert(sizeof(pl_near_pair) == 64 && offsetof(pl_near_pair, point_a) == 16, "near pairs");
_Static_assert(sizeof(pl_ray) == 64 && sizeof(pl_hit) == 64 && offsetof(pl_hit, triangle) == 48, "rays and hits");
_Static_assert(sizeof(pl_point) == 80 && offsetof(pl_point, triangle) == 48 && offsetof(pl_point, winding) == 64,
               "points");
#endif

/* Address of the pairs, count, partial, counters. */
static int put_pairs(const pl_result *pairs)
{
  web_out_numbers[0] = (double)(uintptr_t)pairs->pairs;
  web_out_numbers[1] = (double)pairs->count;
  web_out_numbers[2] = pairs->partial;
  web_put_counters(3, &pairs->counters);
  return 1;
}

static pl_question touching_def(int flags)
{
  pl_question def = pl_question_default();
  def.first = flags & FIRST;
  def.sorted = (flags & SORTED) != 0;
  def.reference = (flags & REFERENCE) != 0;
  def.rings = flags & NEIGHBOURS ? 0 : 1;
  return def;
}

int WEB_EXPORT(web_collide)(pl_context *context, pl_body *a, pl_body *b, int flags, double budget_tests)
{
  pl_question def = touching_def(flags);
  def.budget_tests = budget_tests > 0 ? (uint64_t)budget_tests : 0;
  const pl_result *pairs = NULL;
  return web_check(context, pl_touching(pl_two(a, b), &def, &pairs)) && put_pairs(pairs);
}

int WEB_EXPORT(web_self)(pl_context *context, pl_body *body, int method, int flags)
{
  pl_question def = touching_def(flags);
  def.self_method = (pl_self_method)method;
  const pl_result *pairs = NULL;
  return web_check(context, pl_touching(pl_self(body), &def, &pairs)) && put_pairs(pairs);
}

/* distance, lower, two points, two triangles, partial, counters. */
static int put_distance(int at, const pl_result *found)
{
  const pl_distance *d = found->distances;
  double *out = web_out_numbers + at;
  out[0] = d->distance;
  out[1] = d->lower;
  memcpy(out + 2, d->point_a, sizeof d->point_a);
  memcpy(out + 5, d->point_b, sizeof d->point_b);
  out[8] = d->triangle_a;
  out[9] = d->triangle_b;
  out[10] = found->partial;
  web_put_counters(at + 11, &found->counters);
  return 1;
}

static pl_question distance_def(double relative, double absolute, double limit)
{
  pl_question def = pl_question_default();
  def.relative = relative;
  def.absolute = absolute;
  def.margin = limit;
  return def;
}

int WEB_EXPORT(web_distance)(pl_context *context, pl_body *a, pl_body *b, double relative, double absolute,
                             double limit, int reference)
{
  pl_question def = distance_def(relative, absolute, limit);
  const pl_result *found;
  def.reference = reference != 0;
  return web_check(context, pl_nearest(pl_two(a, b), &def, &found)) && put_distance(0, found);
}

/* The two bodies, then as above. */
int WEB_EXPORT(web_scene_distance)(pl_context *context, pl_scene *scene, double relative, double absolute, double limit)
{
  pl_question def = distance_def(relative, absolute, limit);
  const pl_result *found;
  if (!web_check(context, pl_nearest(pl_all(scene), &def, &found))) return 0;
  web_out_numbers[0] = (double)(uintptr_t)found->distances[0].a;
  web_out_numbers[1] = (double)(uintptr_t)found->distances[0].b;
  return put_distance(2, found);
}

/* Address, count, counters. */
int WEB_EXPORT(web_near)(pl_context *context, pl_body *a, pl_body *b, double margin, int sorted)
{
  pl_question def = pl_question_default();
  def.sorted = sorted != 0;
  def.margin = margin;
  const pl_result *near = NULL;
  if (!web_check(context, pl_near_triangles(pl_two(a, b), &def, &near))) return 0;
  web_out_numbers[0] = (double)(uintptr_t)near->near_pairs;
  web_out_numbers[1] = (double)near->count;
  web_put_counters(2, &near->counters);
  return 1;
}

/* Address of the hits, their number, address of the offsets or 0, counters. Of a body, or of a
 * scene where there is no body. */
int WEB_EXPORT(web_cast)(pl_context *context, pl_body *body, pl_scene *scene, const pl_ray *rays, size_t count,
                         int mode, int coherent)
{
  pl_question def = pl_question_default();
  def.ray_mode = (pl_ray_mode)mode;
  def.coherent = coherent != 0;
  const pl_result *hits = NULL;
  if (!web_check(context, pl_cast(body ? pl_one(body) : pl_all(scene), rays, count, &def, &hits))) return 0;
  web_out_numbers[0] = (double)(uintptr_t)hits->hits;
  web_out_numbers[1] = (double)hits->count;
  web_out_numbers[2] = (double)(uintptr_t)hits->offsets;
  web_put_counters(3, &hits->counters);
  return 1;
}

/* what: 0 closest, 1 inside, 2 signed distance. Address, count, closure, counters. Of a body, or
 * of a scene where there is no body. */
int WEB_EXPORT(web_points)(pl_context *context, pl_body *body, pl_scene *scene, int what, const void *xyz, size_t count,
                           int is_double, double margin, int coherent)
{
  typedef pl_status (*question)(pl_who, pl_positions, const pl_question *, const pl_result **);
  static const question questions[] = {pl_closest, pl_inside, pl_signed_distance};
  pl_question def = pl_question_default();
  if (!isinf(margin)) def.margin = margin;
  def.coherent = coherent != 0;
  const pl_result *found = NULL;
  const pl_who who = body ? pl_one(body) : pl_all(scene);
  if (!web_check(context, questions[what](who, web_positions(xyz, count, is_double), &def, &found))) return 0;
  web_out_numbers[0] = (double)(uintptr_t)found->points;
  web_out_numbers[1] = (double)found->count;
  web_out_numbers[2] = found->closure;
  web_put_counters(3, &found->counters);
  return 1;
}

/* ------------------------------------------------------------------------------------ scenes -- */

pl_scene *WEB_EXPORT(web_scene)(pl_context *context)
{
  pl_scene *scene = NULL;
  web_check(context, pl_scene_create(context, NULL, &scene));
  return scene;
}

void WEB_EXPORT(web_scene_destroy)(pl_scene *scene) { pl_scene_destroy(scene); }

int WEB_EXPORT(web_scene_add)(pl_context *context, pl_scene *scene, pl_body *body, int self, uint32_t group,
                              uint32_t mask)
{
  pl_member_def member = pl_member_def_default();
  member.self = self != 0;
  member.group = group;
  member.mask = mask;
  return web_check(context, pl_scene_add(scene, body, &member));
}

int WEB_EXPORT(web_scene_remove)(pl_context *context, pl_scene *scene, pl_body *body)
{
  return web_check(context, pl_scene_remove(scene, body));
}

/* Address of the pairs, count, address of the groups, count, pairs of bodies, counters, times of
 * update, sweep, walk, gather. */
int WEB_EXPORT(web_scene_collide)(pl_context *context, pl_scene *scene, int flags)
{
  pl_question def = touching_def(flags);
  const pl_result *c = NULL;
  if (!web_check(context, pl_touching(pl_all(scene), &def, &c))) return 0;
  double *out = web_out_numbers;
  out[0] = (double)(uintptr_t)c->pairs;
  out[1] = (double)c->count;
  out[2] = (double)(uintptr_t)c->groups;
  out[3] = (double)c->group_count;
  out[4] = (double)c->body_pairs;
  int at = web_put_counters(5, &c->counters);
  out[at] = c->counters.ms_update;
  out[at + 1] = c->ms_sweep;
  out[at + 2] = c->ms_walk;
  out[at + 3] = c->ms_gather;
  return 1;
}
