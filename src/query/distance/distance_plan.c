/* What is fixed before a search for distances: the kind of bounds that is right for the spaces of two bodies, and the
 * unit of lengths. */
#include "query/query.h"

#include <string.h>

/* Lengths of the models' own spaces serve where both transforms scale evenly. The margin, 4e-6 of the coordinates, must
 * leave room for squares of lengths that are not scaled yet. */
static void choose_kind(distance_plan *p, const space *a, const space *b)
{
  const float most_margin = 0x1p40f;
  walk_plan *w = &p->walk;
  p->scale[0] = space_least_scale(a, p->exponent);
  p->scale[1] = space_least_scale(b, p->exponent);
  p->kind = DISTANCE_BOXES;
  if (spaces_are_shared(a, b) && p->exponent == a->exponent) return;
  p->kind = DISTANCE_WORLD;
  if (!p->is_point && p->scale[0] > 0 && p->scale[1] > 0) {
    plan_maps(w, a, b);
    w->oriented = w->to_a.margin < most_margin && w->to_b.margin < most_margin;
  }
  if (w->oriented)
    p->kind = DISTANCE_ORIENTED;
  else
    spaces_to_world(a, b, p->exponent, p->world);
}

/* Triangles are not scaled by the unit. */
static void choose_unit(distance_plan *p, const space *a, const space *b)
{
  p->exponent = spaces_unit(a, b);
  p->unit = ldexp(1, -p->exponent);
  p->walk.irregular = p->walk.irregular || p->exponent;
}

void distance_plan_bodies(pl_context *context, distance_plan *p, pl_body *a, pl_body *b, place at[2])
{
  place_make(&at[0], a);
  place_make(&at[1], b);
  distance_plan_places(context, p, a, b, &at[0], &at[1]);
}

void distance_plan_places(pl_context *context, distance_plan *p, const pl_body *a, const pl_body *b, const place *at_a,
                          const place *at_b)
{
  *p = (distance_plan){.limit = INFINITY};
  plan_sides(&p->walk, at_a, at_b);
  choose_unit(p, &at_a->at, &at_b->at);
  choose_kind(p, &at_a->at, &at_b->at);
  bool squares = space_has_squares(&at_a->at) && space_has_squares(&at_b->at);
  if (p->kind == DISTANCE_ORIENTED || (p->kind == DISTANCE_BOXES && squares)) plan_shapes(context, &p->walk, a, b);
}

void distance_plan_point(distance_plan *p, const double point[3], pl_body *b, place *at)
{
  space at_point;
  double furthest;
  place_make(at, b);
  space_make_point(&at_point, point, &at->at);
  *p = (distance_plan){.limit = INFINITY, .is_point = true, .point_box = at_point.box};
  memcpy(p->point, point, sizeof p->point);
  plan_sides(&p->walk, at, at);
  p->walk.irregular = !space_origin(&at_point.world, &at->at.world, p->walk.exact, p->walk.origin, &furthest);
  choose_unit(p, &at_point, &at->at);
  choose_kind(p, &at_point, &at->at);
}

/* The point as a leaf with one triangle of size 0. */
static void open_point(const distance_plan *p, opened_leaf *o)
{
  const walk_plan *w = &p->walk;
  memset(o, 0, sizeof *o);
  o->count = 1;
  for (int k = 0; k < 3; ++k) o->delta = fmaxf(o->delta, fabsf((float)(p->point[k] - w->origin[k])));
  o->delta = o->delta * 0x1p-23f + 0x1p-126f;
  for (int k = 0; k < 3; ++k) {
    float at = (float)(p->point[k] - w->origin[k]), grow = 2 * o->delta;
    for (int i = 0; i < 8; ++i) {
      for (int c = 0; c < 3; ++c) o->corner[c][k][i] = at;
      o->lower[k][i] = w->irregular ? -INFINITY : at - grow;
      o->upper[k][i] = w->irregular ? INFINITY : at + grow;
    }
    o->box.lower[k] = o->lower[k][0];
    o->box.upper[k] = o->upper[k][0];
  }
}

distance_walk *distance_begin(query *q, const distance_plan *p, int worker, uint64_t serial)
{
  distance_walk *d = &q->workers[worker]->distance;
  walk *w = query_walk(q, &p->walk, worker);
  w->serial = serial;
  d->plan = p;
  d->found = false;
  memset(d->direction, 0, sizeof d->direction);
  d->stack.count = 0;
  d->around.around = NULL;
  d->queue.found.count = d->queue.searched.count = 0;
  if (p->is_point) open_point(p, d->point_leaf);
  return d;
}

void distance_run(pl_context *context, distance_walk *d)
{
  const distance_kernels *k = kernels_of(context->isa)->distance;
  if (d->plan->walk.thick) {
    kernels_of(context->isa)->self->near(d);
    return;
  }
  bool oriented = d->plan->kind == DISTANCE_ORIENTED;
  pl_volume volume = k->walk[d->plan->walk.volume][oriented] ? d->plan->walk.volume : PL_VOLUME_AABB;
  if (d->plan->kind == DISTANCE_WORLD)
    k->world(d);
  else
    k->walk[volume][oriented](d);
}
