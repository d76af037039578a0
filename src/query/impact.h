/* Inside of first contacts: jobs of two bodies (or one), node pairs with the time from which on they may overlap, and what was
 * found. */
#ifndef QUERY_IMPACT_H
#define QUERY_IMPACT_H

#include "body/sweep.h"
#include "pliant/impact.h"
#include "query/query.h"

typedef struct impact_job {
  pl_body *a, *b; /* equal: a body against itself */
} impact_job;

/* Two nodes or leaves, by reference. */
typedef struct impact_item {
  float start;    /* they are apart before */
  uint32_t depth; /* of equal starts the deepest comes first */
  uint32_t job;
  int32_t a, b;
} impact_item;

typedef struct impact_found {
  pl_impact impact;
  uint32_t job;
} impact_found;

/* One worker's search. */
typedef struct impact_search {
  const pl_allocator *allocator;
  const impact_kernels *kernels;
  const impact_job *jobs;
  bool all;
  double separation;
  float wide;                /* at least the separation */
  double most;               /* later contacts are of no interest */
  float limit;               /* not less than that */
  ARRAY(impact_item) items;  /* a heap by start, or a stack */
  ARRAY(impact_found) found; /* without `all` at most one */
  pl_counters counters;
  pl_status status;
} impact_search;

/* What all first-contact queries share. */
typedef struct impact_scratch {
  ARRAY(impact_job) jobs;
  impact_search *searches; /* one per worker */
  ARRAY(impact_item) parts;
  ARRAY(impact_found) found;
  ARRAY(pl_impact) impacts;
  pl_impacts answer;
} impact_scratch;

/* query/impact_leaves.c: all features of two leaves; and two features of job `number`, by their vertices (1, 2 or 3) and the caller's
 * indices of a vertex or a triangle. */
void impact_leaves(impact_search *s, const impact_item *item);
void impact_test(impact_search *s, uint32_t number, pl_impact_kind kind, const uint32_t *a, const uint32_t *b,
                 uint32_t id_a, uint32_t id_b);

/* Which comes first: by time, bodies, kind, features. */
int impact_compare(const impact_found *x, const impact_found *y);

/* query/first_contact.c: all checks of a query of two bodies, which it enters. */
pl_status impact_prepare(pl_body *a, pl_body *b, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                         call *c);

/* The thread's scratch, with one job; NULL: no memory. */
impact_scratch *impact_one_job(pl_body *a, pl_body *b);

/* Runs the jobs of a scratch (NULL: there was no memory for it), from the poses of the bodies on. */
pl_status impact_answer(pl_context *context, impact_scratch *q, const pl_impact_def *def, const pl_impacts **out);

/* The definition in full, checked. */
pl_status impact_check_def(pl_context *context, const pl_impact_def *def, pl_impact_def *out);

/* A search that is ready to start. */
void impact_begin(pl_context *context, impact_scratch *q, const pl_impact_def *def, impact_search *s);

/* Turns what was found into the answer. */
pl_status impact_publish(pl_context *context, impact_scratch *q, const pl_counters *counters, const pl_impacts **out);

#endif
