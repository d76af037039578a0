/* Kept features at the present positions: measured four at a time on all workers, then merged
 * where their nearest parts are the same. */
#ifndef QUERY_MEASURE_H
#define QUERY_MEASURE_H

#include "pliant/near.h"
#include "query/probe/probe.h"

/* The rows of one group, and the world positions that they need. */
typedef struct measure_group {
  const points *at[2]; /* of a, of b */
  size_t begin, end;   /* rows */
  bool is_one;         /* of one body against itself */
} measure_group;

typedef struct measure_scratch {
  runner run;
  batch batch;
  ARRAY(measure_group) groups;
  ARRAY(uint64_t) table; /* of rows by their parts: a half of a hash, and 1 + the place of a row; 0: empty */
  const pl_feature_pair *kept;
  pl_feature_pair *rows; /* as many */
  double margin;         /* rows beyond need no more than that */
  bool reference;
} measure_scratch;

/* Measures s->kept into s->rows, both of `count` rows in s->groups. */
pl_status measure_run(pl_context *context, measure_scratch *s, size_t count, pl_counters *counters);

/* Leaves the rows of a group that are within the margin, each nearest part once unless `each`, at
 * the place `to`, which is not beyond the group. *left: their number. Returns false if out of
 * memory. */
bool measure_pack(pl_context *context, measure_scratch *s, const measure_group *g, const pl_question *def, size_t to,
                  size_t *left);

#endif
