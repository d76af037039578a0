/* What queries of points and regions share: a body in the form that they read, and their workers' walks. */
#ifndef QUERY_POINTS_H
#define QUERY_POINTS_H

#include "pliant/scene_points.h"
#include "query/query.h"

enum {
  PIECE_POINTS = 16, /* some 10 us */
  ALONE_POINTS = 96, /* so few are not worth waking workers: only those that are awake help */
  CLOCK_EVERY = 16,  /* points between two looks at the clock */
};

/* Points of one task. */
typedef struct point_piece {
  size_t answered;
  pl_counters counters;
} point_piece;

typedef struct point_scratch {
  probe_walk *walks; /* context->threads */
  ARRAY(point_piece) pieces;
  ARRAY(pl_point_result) results;
  ARRAY(uint64_t) keys;
  ARRAY(uint64_t) sorting;
  uint64_t serial; /* of queries */
  pl_point_results answer;
} point_scratch;

/* A body whose root is true. */
void probe_take_target(probe_target *t, pl_body *body);

/* Signed distances inside of a query that has begun; the definition is full. */
pl_status points_signed(pl_body *body, pl_positions at, const pl_point_def *def, const pl_point_results **out);

/* query/probe/region.c: what the query of regions and its reference share. On PL_ERROR_BUFFER the result is complete except
 * for the triangles beyond the caller's array. */
pl_status region_check(pl_context *context, const pl_region *r);
pl_status region_begin(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out,
                       pl_region_def *full);
pl_status region_publish(pl_context *context, const uint32_t *ids, size_t count, const pl_region_def *def,
                         pl_triangles *answer);

/* The points of a query, checked: the messages speak of points. */
pl_status points_check_at(pl_context *context, pl_positions at);

/* Runs the tasks of a batch of `count` points, PIECE_POINTS each. */
static inline pl_status points_run(pl_context *context, pl_task task, void *data, size_t count)
{
  int pieces = (int)((count + PIECE_POINTS - 1) / PIECE_POINTS);
  return count > ALONE_POINTS ? parallel_for(context, true, task, data, pieces)
                              : parallel_for_short(context, task, data, pieces);
}

/* Is it worth sorting so many points? Then their order along a curve through space: indices in the lower halves of s->keys. */
static inline bool points_worth_sorting(size_t count) { return count >= 512 && count < UINT32_MAX; }
pl_status points_sort(pl_context *context, point_scratch *s, pl_positions at);

/* A bound from above of the distance from p to a surface, from a rounded point of that surface; infinite if squares would leave the range. */
double points_near_by(const double p[3], const double surface[3]);

/* What tests of boxes need to know of a region, in units of a body; nothing is found yet. */
void region_look_at(probe_region *p, const pl_region *region, double unit);

/* The whole query of points, as collide_query(). */
typedef struct points_question {
  pl_body *body;
  pl_positions at;
  bool distances, sides; /* what the query reports */
} points_question;
typedef pl_status points_function(const points_question *q, const pl_point_def *def, const pl_point_results **out);
pl_status points_query(const points_question *q, const pl_point_def *def, points_function *run,
                       const pl_point_results **out);

#endif
