/* Batches of points: closest points, inside and outside, signed distances. */
#ifndef QUERY_POINTS_H
#define QUERY_POINTS_H

#include "query/probe/probe.h"
#include "query/soup.h"

/* What is asked of the points. */
typedef struct point_kind {
  bool distances, sides;
  query_name name; /* whose result it is */
  asked_name what; /* whose options it has */
} point_kind;

/* A question of points, checked; the definition is full. */
typedef struct point_question {
  pl_context *context;
  pl_positions at;
  const pl_question *def;
  const point_kind *kind;
  result_store *store;
} point_question;

extern const point_kind points_closest;
extern const point_kind points_inside;
extern const point_kind points_signed_distance;

/* Accepts points that are finite. */
pl_status points_check(pl_context *context, pl_positions at);

/* Decides the points, inside of a question that has begun; and without trees, every point
 * against every triangle. */
pl_status points_find(const point_question *q, probe_bodies *bodies, const pl_result **out);
pl_status points_reference(const point_question *q, const probe_bodies *bodies, const pl_result **out);

/* The rows of a result, with room for all points: the caller's, or those of the store; NULL (and
 * a message): out of memory. */
pl_point *points_rows(const point_question *q);

/* A walk of the calling thread for one target as a part of another question: all distances, no
 * filter, no leaf is kept yet. NULL (and a message): out of memory. */
probe_walk *points_walk(pl_context *context, const probe_target *target);

/* A bound from above of the distance from p to a surface, from a rounded point of it; infinite
 * if squares would leave the range. */
double points_near_by(const double p[3], const double surface[3]);

/* query/probe/sides.c: on which side of a body's surface a point is; w->target is that body.
 * Writes side and winding. */
void point_side(const closure *c, probe_walk *w, const kernels *k, const double p[3], pl_point *out);

/* What the edges of the border add to the crossings of a ray to make a winding number; its error is
 * below 2^-48 / *sure for each edge. */
double point_border_angle(const pl_body *body, const closure *c, const probe_ray *ray, double *sure);

/* query/probe/points_reference.c: the nearest triangle of a body, within def->margin and by its
 * filter; and the side and winding of a point. */
void point_nearest_plainly(const soup *s, pl_body *body, const double p[3], size_t index, const pl_question *def,
                           pl_point *out, pl_counters *counters);
void point_side_plainly(const soup *s, pl_closure kind, const double p[3], pl_point *out);

/* query/probe/point_order.c: the order of points along a curve through space: indices in the
 * lower halves of `keys`. Neighbours then start with each other's bound and read the same nodes. */
typedef struct point_order {
  ARRAY(uint64_t) keys, sorting;
} point_order;
pl_status points_sort(pl_context *context, point_order *o, pl_positions at);

#endif
