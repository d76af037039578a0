/* What the search for windows over flight plans shares with its reference: checks, the boxes of vertices over the way, and the
 * list that is reported. */
#ifndef QUERY_WINDOWS_H
#define QUERY_WINDOWS_H

#include "kernels/kernels.h"
#include "math/round.h"
#include "motion/flight.h"
#include "pliant/windows.h"
#include "query/query.h"

/* Boxes of one body. */
typedef struct windows_side {
  const pl_body *body;
  ARRAY(double) path; /* coefficients of the rest of the segment, unless it is whole */
  ARRAY(float) reach; /* WINDOW_FLOATS for each vertex */
  ARRAY(float) blocks, own, leaves;
  ARRAY(uint8_t) opened; /* by leaf: its block is there */
} windows_side;

typedef struct windows_found {
  float from; /* parameter of the segment */
  uint32_t a, b;
} windows_found;

typedef struct windows_scratch {
  windows_side side[2];
  ARRAY(node_pair) stack;
  ARRAY(windows_found) found;
  ARRAY(uint64_t) keys, sorting;
  ARRAY(pl_window) windows;
  uint64_t n_v, n_p, n_u;
  pl_windows answer;
} windows_scratch;

static inline const flight *windows_plans(const pl_body *body) { return body->motion.controls; }

/* Makes all checks, and enters the query. *full is the definition. */
pl_status windows_begin(pl_body *a, pl_body *b, const pl_windows_def *def, const pl_windows **out, pl_windows_def *full,
                        call *c);

/* Computes the boxes of all vertices of both bodies from parameter `from` of the segment to its end. */
pl_status windows_reach(pl_context *context, windows_scratch *q, double from);

/* A parameter that is not after the given fraction of [from, 1]. */
static inline float windows_parameter(double from, float fraction)
{
  return from == 0 ? fraction : round_down(from + (double)fraction * (1 - from) * (1 - 0x1p-50));
}

/* Reports the windows, sorted if the definition says so. */
pl_status windows_publish(pl_context *context, windows_scratch *q, const pl_windows_def *def, const pl_windows **out);

/* The thread's scratch for two bodies, empty; NULL: out of memory. */
windows_scratch *windows_scratch_of(pl_body *a, pl_body *b);

#endif
