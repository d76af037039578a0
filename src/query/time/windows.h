/* What the search for windows over flight plans shares with its reference: checks, the boxes of
 * vertices over the way, and the list that is reported. */
#ifndef QUERY_WINDOWS_H
#define QUERY_WINDOWS_H

#include "math/round.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"
#include "query/time/impact.h"

/* Boxes of one body. */
typedef struct windows_side {
  pl_body *body;
  ARRAY(double) start; /* positions at the present parameter, unless that is a key */
  ARRAY(float) reach;  /* SWEEP_BOX for each vertex */
  ARRAY(float) blocks, own, leaves;
  ARRAY(_Atomic uint32_t) opened; /* by leaf: the stamp of its block of triangles */
  sweep_tree over;                /* boxes of the tree, in `blocks` and `own` */
} windows_side;

typedef struct windows_found {
  float from; /* parameter of the segment */
  uint32_t a, b;
} windows_found;

typedef ARRAY(windows_found) windows_list;

/* Two bodies by their sides, or one. */
typedef struct windows_job {
  uint32_t a, b;
  const vertex_rings *rings; /* of one body, with more than one ring */
} windows_job;

/* A walk of one worker. */
typedef struct windows_walk {
  ARRAY(node_pair) stack;
  windows_list found;
  ring_search rings;
  const windows_job *job;
  uint64_t n_v, n_p;
  pl_status status;
} windows_walk;

typedef struct windows_scratch {
  ARRAY(windows_side) sides; /* `side_count` of them are in use */
  size_t side_count;
  ARRAY(uint32_t) side_of; /* scenes: by proxy */
  ARRAY(windows_job) jobs;
  runner run;
  windows_walk *walks; /* one per worker */
  const pl_question *def;
  double from; /* parameter of the segment */
  windows_list found;
  ARRAY(uint64_t) keys, sorting;
} windows_scratch;

static inline const flight *windows_plans(const pl_body *body) { return body->motion.controls; }

/* Begins a question without bodies; then adds them, each once, checked against the first. */
void windows_begin(windows_scratch *q, const pl_question *def);
pl_status windows_add(pl_context *context, windows_scratch *q, pl_body *body);

/* Computes the boxes of all vertices of all sides from the present parameter of the segment to
 * its end; then those of the trees. */
pl_status windows_reach(pl_context *context, windows_scratch *q);
pl_status windows_boxes(pl_context *context, windows_scratch *q, uint64_t *n_u);

/* The box around the way of a side, in a space that all sides have in common. */
aabb windows_box(const windows_scratch *q, size_t side);

/* Adds the job of two sides. */
pl_status windows_add_job(pl_context *context, windows_scratch *q, uint32_t a, uint32_t b);

/* A parameter that is not after the given fraction of [from, 1]. */
static inline float windows_parameter(double from, float fraction)
{
  return from == 0 ? fraction : round_down(from + (double)fraction * (1 - from) * (1 - 0x1p-50));
}

/* Runs the jobs. */
typedef pl_status windows_function(pl_context *context, windows_scratch *q, pl_counters *counters, result_store *store);
extern windows_function windows_answer;

/* Appends what was found as the rows of a job, sorted if the definition says so; then the
 * result. */
pl_status windows_append(pl_context *context, windows_scratch *q, const windows_job *j, const windows_list *found,
                         result_store *store);
void windows_publish(const pl_counters *counters, result_store *store);

/* Two triangles of one body with a common vertex? */
static inline bool windows_joined(const uint32_t *a, const uint32_t *b)
{
  for (int i = 0; i < 9; ++i)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

#endif
