/* What is fixed before a search for distances: the kind of bounds that is right for the spaces
 * of two bodies, and the unit of lengths. */
#include "query/query.h"

#include <string.h>

/* Lengths of the models' own spaces serve where both transforms scale evenly. The margin, 4e-6
 * of the coordinates, must leave room for squares of lengths that are not scaled yet. */
static void choose_kind(distance_plan *p, const space *a, const space *b)
{
  const float most_margin = 0x1p40f;
  walk_plan *w = &p->walk;
  p->scale[0] = space_least_scale(a, p->exponent);
  p->scale[1] = space_least_scale(b, p->exponent);
  p->kind = DISTANCE_BOXES;
  if (spaces_are_shared(a, b) && p->exponent == a->exponent) return;
  p->kind = DISTANCE_WORLD;
  if (p->scale[0] > 0 && p->scale[1] > 0) {
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
