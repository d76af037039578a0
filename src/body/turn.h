/* Bodies that turn on their way from the kept pose to the present one: pl_body_set_screw().
 *
 * A vertex turns about an axis by an angle that grows evenly with time, and besides goes straight,
 * so that it begins exactly at its kept position and ends at its present one. The axis is given,
 * or that of the screw which takes the kept transform to the present one; a skin has one for each
 * bone, and its vertices blend the turns by their weights. */
#ifndef BODY_TURN_H
#define BODY_TURN_H

#include "exact/arc.h"
#include "pliant/motions.h"

#include "bounds/aabb.h"

/* What the caller has set. */
typedef enum turn_kind { TURN_NONE, TURN_DERIVED, TURN_GIVEN } turn_kind;

typedef struct turn_setting {
  turn_kind kind;
  double axis[3], point[3], angle; /* TURN_GIVEN; the axis has length 1 */
} turn_setting;

/* A turn about a line. */
typedef struct screw {
  double axis[3], point[3], angle;
} screw;

/* The ways of all vertices between two poses. */
typedef struct turn_way {
  bool made;                /* for the present poses */
  bool turns;               /* some vertex does not go straight */
  const double (*start)[3]; /* of the sweep */
  double (*way)[3];         /* by vertex */
  uint32_t *first;          /* by vertex: its terms; vertex_count + 1 */
  arc_term *terms;
  size_t vertex_room, term_room;
  screw *screws; /* one, or one for each bone */
  size_t screw_room;
  double angle; /* no screw turns by more */
  double bend;  /* no second derivative of a path is greater */
  double most;  /* no coordinate is greater at any time */
  aabb box;     /* around all vertices at all times */
} turn_way;

struct pl_body;

/* Computes the way of a body with a kept pose; of one without, or without turns, straight ways.
 * With the lock of updates held. */
pl_status turn_make_way(struct pl_body *body);
void turn_free_way(const pl_allocator *allocator, turn_way *w);

/* Does the body turn? Then its way is up to date. Otherwise it goes straight. With the lock of
 * updates held. */
pl_status turn_ask(struct pl_body *body, bool *out);

static inline arc_point turn_point(const turn_way *w, uint32_t v)
{
  return (arc_point){w->start[v], w->way[v], w->terms + w->first[v], w->first[v + 1] - w->first[v]};
}

/* The screw from one transform to another: the shortest turn. Scales and shears are left to the
 * straight part of the way. An angle of 0: there is none. */
screw turn_between(const pl_transform *from, const pl_transform *to);

#endif
