/* A question: which triangles touch something. */
#ifndef EXTEND_QUERY_TOUCHED_H
#define EXTEND_QUERY_TOUCHED_H

#include "pliant/pliant.h"

/* A triangle of body a or b of its group, by the caller's index. */
typedef struct touched_row {
  uint32_t of; /* 0: a, 1: b; 0 within one body */
  uint32_t triangle;
} touched_row;

typedef struct touched_result {
  const touched_row *rows; /* of each group in ascending order, each once */
  size_t count;
  const pl_group *groups;
  size_t group_count;
  bool partial;
  pl_counters counters;
} touched_result;

/* Of two bodies, of one, or of a scene, with the options of touching; `sorted`, `first`,
 * `callback` and `pairs` mean nothing here. NULL: the defaults. */
pl_status touched_find(pl_who who, const pl_question *def, const touched_result **out);

#endif
