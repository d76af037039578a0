/* Inside of candidates: lists of pairs, and the parts that the query and its reference share. */
#ifndef QUERY_CANDIDATES_H
#define QUERY_CANDIDATES_H

#include "pliant/candidates.h"
#include "query/time/impact.h"

typedef ARRAY(pl_pair) pair_list;

/* A box in the caller's numbers. */
typedef struct exact_box {
  double low[3], high[3];
} exact_box;

exact_box exact_box_of(const sweep *s, const uint32_t *vertices, int count);
bool exact_boxes_near(const exact_box *x, const exact_box *y, double separation);

/* Makes all checks of a query, and enters it. */
pl_status candidates_prepare(pl_body *a, pl_body *b, const pl_candidates_def *def, const pl_candidates **out,
                             pl_candidates_def *full, call *c);

/* Does the caller's filter accept a pair? Numbers are those of the lists. */
bool candidates_wanted(const pl_candidates_def *def, pl_body *a, pl_body *b, pl_impact_kind kind, pl_pair pair);

#endif
