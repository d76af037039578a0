/* What a distance query needs to know of the spaces of two bodies: which kind of bounds is right, and in which unit they are. */
#include "query/query.h"

#include <string.h>

static void clear(distance_walk *d)
{
  d->gather = d->any = d->found = false;
  d->limit = INFINITY;
  d->relative = d->absolute = 0;
  memset(d->direction, 0, sizeof d->direction);
  d->stack.count = d->near.count = 0;
}

static distance_walk *start(pl_context *context, query *q, const job *j)
{
  pl_collide_def none = pl_collide_def_default();
  walk *w = query_walk(context, q, j, &none, 0);
  distance_walk *d = &q->workers[0]->d;
  clear(d);
  w->serial = ++q->serial;
  return d;
}

/* Which bounds are right for two spaces, and their maps. Models' own lengths serve where both maps are even; 4e-6 of the coordinates
 * (the margin) must leave room for squares of lengths that are not scaled yet. */
static distance_kind choose_kind(job *j, const space *a, const space *b, int unit, float scale[2])
{
  const float most_margin = 0x1p40f;
  scale[0] = space_least_scale(a, unit);
  scale[1] = space_least_scale(b, unit);
  if (spaces_are_shared(a, b) && unit == a->exponent) return DISTANCE_BOXES;
  if (!(scale[0] > 0 && scale[1] > 0)) return DISTANCE_WORLD;
  j->to_a = space_change(b, a);
  j->to_b = space_change(a, b);
  return j->to_a.margin < most_margin && j->to_b.margin < most_margin ? DISTANCE_ORIENTED : DISTANCE_WORLD;
}

static void set_unit(distance_walk *d, int unit)
{
  d->exponent = unit;
  d->unit = ldexp(1, -unit);
}

distance_walk *distance_start(pl_context *context, query *q, pl_body *a, pl_body *b, distance_kind *kind)
{
  place at_a, at_b;
  place_make(&at_a, a);
  place_make(&at_b, b);
  job j = {.a = a, .b = b, .at_a = &at_a, .at_b = &at_b};
  float scale[2];
  int unit = spaces_unit(&at_a.at, &at_b.at);
  job_choose_origin(&j, &at_a.at, &at_b.at);
  j.irregular = j.irregular || unit; /* triangles are not looked at in units */
  *kind = choose_kind(&j, &at_a.at, &at_b.at, unit, scale);
  j.oriented = *kind == DISTANCE_ORIENTED;
  if (j.oriented || (*kind == DISTANCE_BOXES && space_has_squares(&at_a.at) && space_has_squares(&at_b.at)))
    job_choose_shapes(&j);
  distance_walk *d = start(context, q, &j);
  d->volume = j.volume;
  d->is_point = false;
  set_unit(d, unit);
  memcpy(d->scale, scale, sizeof scale);
  if (*kind == DISTANCE_WORLD) spaces_to_world(&at_a.at, &at_b.at, unit, d->world);
  return d;
}

/* The point as a leaf with one triangle without size. */
static void open_point(distance_walk *d)
{
  const walk *w = d->w;
  opened_leaf *o = d->point_leaf;
  memset(o, 0, sizeof *o);
  o->count = 1;
  for (int k = 0; k < 3; ++k) o->delta = fmaxf(o->delta, fabsf((float)(d->point[k] - w->origin[k])));
  o->delta = o->delta * 0x1p-23f + 0x1p-126f;
  for (int k = 0; k < 3; ++k) {
    float at = (float)(d->point[k] - w->origin[k]), grow = 2 * o->delta;
    for (int i = 0; i < 8; ++i) {
      for (int c = 0; c < 3; ++c) o->corner[c][k][i] = at;
      o->lower[k][i] = w->irregular ? -INFINITY : at - grow;
      o->upper[k][i] = w->irregular ? INFINITY : at + grow;
    }
    o->box.lower[k] = o->lower[k][0];
    o->box.upper[k] = o->upper[k][0];
  }
}

distance_walk *distance_start_point(pl_context *context, query *q, const double point[3], pl_body *b,
                                    distance_kind *kind)
{
  place at;
  space at_point;
  place_make(&at, b);
  space_make_point(&at_point, point, &at.at);
  job j = {.a = b, .b = b, .at_a = &at, .at_b = &at};
  int unit = spaces_unit(&at_point, &at.at);
  job_choose_origin(&j, &at_point, &at.at);
  j.irregular = j.irregular || unit;
  distance_walk *d = start(context, q, &j);
  d->is_point = true;
  d->volume = PL_VOLUME_AABB;
  d->point_box = at_point.box;
  memcpy(d->point, point, sizeof d->point);
  open_point(d);
  set_unit(d, unit);
  *kind = spaces_are_shared(&at_point, &at.at) && unit == at.at.exponent ? DISTANCE_BOXES : DISTANCE_WORLD;
  if (*kind == DISTANCE_WORLD) spaces_to_world(&at_point, &at.at, unit, d->world);
  return d;
}

distance_walk *distance_share(query *q, const distance_walk *from, int worker)
{
  distance_walk *d = &q->workers[worker]->d;
  if (d == from) return d;
  walk *w = d->w;
  const walk *v = from->w;
  memcpy(w->side, v->side, sizeof w->side);
  w->to_a = v->to_a;
  w->to_b = v->to_b;
  memcpy(w->origin, v->origin, sizeof w->origin);
  w->exact = v->exact;
  w->irregular = v->irregular;
  w->seed = false;
  w->filter = v->filter;
  w->filter_user = v->filter_user;
  w->serial = v->serial;
  w->pause_at = UINT64_MAX;
  w->n_v = w->n_p = w->n_u = 0;
  w->stopped = false;
  w->status = PL_OK;
  clear(d);
  memcpy(d->world, from->world, sizeof d->world);
  memcpy(d->scale, from->scale, sizeof d->scale);
  d->is_point = false;
  set_unit(d, from->exponent);
  d->volume = from->volume;
  d->gather = from->gather;
  d->limit = from->limit;
  d->cut = from->cut;
  d->reach = from->reach;
  d->within = from->within;
  return d;
}

void distance_run(pl_context *context, distance_walk *d, distance_kind kind)
{
  const kernels *k = kernels_of(context->isa);
  if (kind == DISTANCE_WORLD)
    k->distance->world(d);
  else if (k->distance->walk[d->volume][kind == DISTANCE_ORIENTED])
    k->distance->walk[d->volume][kind == DISTANCE_ORIENTED](d);
  else
    k->distance->walk[PL_VOLUME_AABB][kind == DISTANCE_ORIENTED](d);
}
