/* Inside of candidates: what the question and its reference share. */
#ifndef QUERY_CANDIDATES_H
#define QUERY_CANDIDATES_H

#include "query/time/impact.h"

/* Kinds of features that searches report: the first of pl_feature. */
enum { CANDIDATE_KINDS = PL_FEATURE_EDGE_EDGE + 1 };

typedef ARRAY(pl_pair) pair_list;

/* A walk of one worker. */
typedef struct candidate_walk {
  const pl_allocator *allocator;
  const moving_kernels *kernels;
  const impact_job *job;
  /* within one body: kernels leave features with a common vertex among the pairs */
  bool unmasked;
  float wide, unsure; /* as in moving_sides, in the space of b */
  double margin;      /* with the greatest thickness of both bodies */
  const pl_question *def;
  ring_search rings;
  ARRAY(node_pair) items;
  pair_list found[CANDIDATE_KINDS];
  uint64_t n_v, n_p, n_u;
  pl_status status;
} candidate_walk;

typedef struct candidates_scratch {
  impact_jobs jobs;
  bool always; /* a job has lists even if it has no rows: bodies, not scenes */
  const pl_question *def;
  runner run;
  candidate_walk *walks; /* one per worker */
} candidates_scratch;

/* A box in the caller's numbers. */
typedef struct exact_box {
  double low[3], high[3];
} exact_box;

exact_box exact_box_of(const sweep *s, const uint32_t *vertices, int count);
bool exact_boxes_near(const exact_box *x, const exact_box *y, double margin);

/* The definition in full, checked. */
pl_status candidates_check(pl_context *context, const pl_question *how);

/* Does the caller's filter accept a pair? Numbers are those of the lists. */
bool candidates_wanted(const pl_question *def, pl_body *a, pl_body *b, pl_feature kind, pl_pair pair);

/* Inside of a query that has begun: runs the jobs of a scratch and writes the result to a store.
 * *counters: the cost so far. */
typedef pl_status candidates_function(pl_context *context, candidates_scratch *q, const pl_question *def,
                                      pl_counters *counters, result_store *store);
extern candidates_function candidates_answer;

/* The lists of a job: begin, then, when its rows are there, end. ends[k]: where the rows of kind
 * k begin, and at last where all end. */
pl_status candidates_begin_lists(pl_context *context, const impact_job *j, result_store *store);
pl_status candidates_end_lists(pl_context *context, const impact_job *j, const size_t ends[CANDIDATE_KINDS + 1],
                               bool always, result_store *store);
void candidates_publish(const pl_counters *counters, result_store *store);

#endif
