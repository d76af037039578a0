/* A pair of flexible parts in memory, played with one kind of tree after the other; every
 * distance is checked. */
#ifndef BENCH_BITAR_PLAY_H
#define BENCH_BITAR_PLAY_H

#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/bitar.h"

/* A scenario in memory, with the right distance of every frame. */
typedef struct match {
  int scenario, frames;
  scene_mesh mesh[2];
  float *xyz[2]; /* all poses */
  double *distance;
  const char **with; /* of every frame: where the distance is from */
} match;

typedef struct frame_cost {
  double ms_update, ms_query;
  double n_v, n_p, n_u;
} frame_cost;

typedef struct stage {
  pl_context *context;
  bench_report *report;
  int reps;
} stage;

/* Every stride-th frame, at most most_frames of them (0: all). false: out of memory; free it all
 * the same. */
bool match_make(int scenario, int detail, int stride, int most_frames, match *m);
void match_free(match *m);

/* The right distances, by brute force, or by boxes that are all refitted; of these every fifth
 * is compared with the reference for the triangles whose boxes are as near as that, which are
 * found all against all. false here and below: report->error is set. */
bool match_find_distances(const stage *s, match *m, bool reference);

/* Plays all frames `reps` times with new bodies each time; costs[frame] keeps the smallest
 * times. A distance that is not the right one, to the last bit, ends it. */
bool match_play(const stage *s, match *m, const pl_body_def *def, const char *name, frame_cost *costs);

#endif
