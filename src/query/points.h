/* What queries of points and regions share: a body as they see it, and their workers' walks. */
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

/* The definition of a query of points, checked; `distances` and `sides`: what the query reports. */
pl_status points_check(pl_context *context, pl_positions at, const pl_point_def *def, bool distances, bool sides,
                       pl_point_def *out);

#endif
