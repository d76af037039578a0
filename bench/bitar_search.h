/* Parameters of a criterion, searched on the five pairs of parts. */
#ifndef BENCH_BITAR_SEARCH_H
#define BENCH_BITAR_SEARCH_H

#include "bench/bitar_play.h"

/* What the tests of a criterion read; 0 where it reads none. */
typedef struct parameters {
  double p_max, k, gamma;
} parameters;

/* What is searched: test A reads p_max, test C reads k and gamma. */
typedef struct search_space {
  bool p_max, k_gamma;
  parameters start; /* played first */
} search_space;

/* Runs of one search, its start included. */
int bitar_search_runs(bool quick);

/* Finds the parameters with the least time for all pairs, update and query, of those that it
 * plays. Which are played depends on the space and on what came out best, not on anything else
 * of the body.
 *   pairs  [BITAR_SCENARIOS], with their right distances: every run is checked
 *   base   its criterion and growth
 *   name   for messages
 * false: report->error is set. */
bool bitar_search(const stage *s, match *pairs, const pl_body_def *base, const search_space *space, const char *name,
                  bool quick, parameters *best);

#endif
