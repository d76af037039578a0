/* Common segments of pairs of triangles. */
#ifndef QUERY_SEGMENTS_H
#define QUERY_SEGMENTS_H

#include "query/query.h"
#include "query/store.h"

typedef struct segment_scratch {
  ARRAY(uint32_t) place[2]; /* by the caller's index: the place of each triangle in tree order */
  result_store pairs;       /* that touch */
  runner run;
} segment_scratch;

/* The segments of pairs of two bodies, or of one, inside of a query that has begun. */
pl_status segments_of(pl_body *a, pl_body *b, const pl_pair *pairs, size_t count, pl_segment *segments);

#endif
