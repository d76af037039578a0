/* What queries of points and regions share: a body in the form that they read, and their workers' walks. */
#ifndef QUERY_POINTS_H
#define QUERY_POINTS_H

#include "pliant/points.h"
#include "query/query.h"

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

/* query/region.c: what the query of regions and its reference share. On PL_ERROR_BUFFER the result is complete except
 * for the triangles beyond the caller's array. */
pl_status region_check(pl_context *context, const pl_region *r);
pl_status region_begin(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out,
                       pl_region_def *full);
pl_status region_publish(pl_context *context, const uint32_t *ids, size_t count, const pl_region_def *def,
                         pl_triangles *answer);

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
