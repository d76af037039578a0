/* What the experiments on separation lists share: a scene of one or two bodies on their way,
 * baselines and methods that are played on it, and their comparison with the reference. */
#ifndef BENCH_ZACHMANN_STAGE_H
#define BENCH_ZACHMANN_STAGE_H

#include "bench/flights.h"

enum { LEAVES, CAREFUL, PLAIN, BASELINES };
enum { AT_1, AT_2, AT_4, AT_16, AT_160, COUNTS };

/* One scene: two bodies, or one. */
typedef struct stage {
  bench_report *report;
  pl_context *context;
  bench_flight flight[2];
  int bodies, reps;
  bool reference; /* compare with it: at full size it takes seconds */
  const char *key;
  double swept_ms[BASELINES][COUNTS], swept_exact_ms[COUNTS], list_ms[COUNTS], linear_ms, pairs_ms, exact_ms;
  size_t contacts, windows;
  pl_impact *found; /* all contacts by the walk, in the order of time */
  pl_kinetic_info info;
} stage;

bool zachmann_open(const bench_options *options, bench_report *report, stage *s);
void zachmann_close(stage *s);

/* Events of a list that leave its pairs as they are, and events that change them. */
static inline double zachmann_internal_events(const pl_kinetic_info *i) { return (double)i->events; }
static inline double zachmann_external_events(const pl_kinetic_info *i)
{
  return (double)(i->overlaps + i->separations);
}

/* Baselines: `steps` in-betweens, posed before the clock runs. false (here and below): it
 * failed, perhaps with report->error. */
bool zachmann_play_swept(stage *s, int which, int steps, double *ms);
bool zachmann_play_swept_exact(stage *s, int steps, double *ms);

/* The list, asked `steps` times; the least time of some repeats. *same: contacts are those of
 * the walk so far. */
bool zachmann_play_list(stage *s, int steps, bool leaves_only, double *ms, size_t *found, bool *same);

/* All contacts by the walk, by the list and, if s->reference, without trees; the times of the
 * walk and of linear boxes are kept. */
bool zachmann_check(stage *s);

/* Time over triangles: the report's table of variants, and headlines. */
bool zachmann_sizes(const bench_options *options, bench_report *report);

#endif
