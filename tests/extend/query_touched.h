/* A question: which triangles touch something. */
#ifndef EXTEND_QUERY_TOUCHED_H
#define EXTEND_QUERY_TOUCHED_H

#include "pliant/pliant.h"

/* Of two bodies, of one, or of a scene, with the options of touching; `sorted`, `first`,
 * `callback` and an array of pairs mean nothing here. The rows are `pairs` of the result: a is 0
 * for a triangle of the group's body a, 1 for one of b (0 within one body), b is the triangle, by
 * the caller's index; of each group in ascending order, each once. */
pl_status touched_find(pl_who who, const pl_question *how, const pl_result **out);

#endif
