/* Plays the scene of paper C's first experiment: nine bodies posed frame by frame, traced by
 * players that differ in their trees, timed.
 *
 * A frame is posed once and handed to every player in turn, copied into the arrays that its
 * bodies read just before, as a simulator would leave it. update: taking the positions, and the
 * volumes before the first ray. trace: all rays with the volumes refreshed on the way, and all
 * shading; the scaling up to the full size, which was the graphics card's work in the paper, is
 * not in it. */
#ifndef BENCH_SHOTS_H
#define BENCH_SHOTS_H

#include "bench/play.h"
#include "bench/studio.h"

enum { SHOTS_BODIES = SCENE_S4_BODIES, SHOTS_SAMPLINGS = 3, SHOTS_MOST = 4 };
extern const int shots_sampling[SHOTS_SAMPLINGS]; /* one ray for so many pixels across and down */
extern const char *const shots_sampling_text[SHOTS_SAMPLINGS];

/* One frame of one player at one sampling: times are the smallest of the repeats. */
typedef struct shots_outcome {
  double ms_update, ms_trace;
  trace_stats stats;
} shots_outcome;

typedef struct shots_player {
  bench_method method;
  pl_scene *scene;
  pl_body *bodies[SHOTS_BODIES];
  float *xyz[SHOTS_BODIES]; /* the arrays that the bodies read */
  trace_body traced[SHOTS_BODIES];
  shots_outcome *outcomes; /* frame * SHOTS_SAMPLINGS + sampling */
} shots_player;

typedef struct shots {
  const bench_options *options;
  bench_report *report;
  studio studio;
  scene_mesh meshes[SHOTS_BODIES];
  shots_player players[SHOTS_MOST];
  int count;
  int *steps, frames; /* which of the scene's frames are played */
  trace_world world;
} shots;

/* false (here and below): report->error is set. */
bool shots_open(shots *p, const bench_options *options, bench_report *report, const bench_method *methods, int count);
void shots_close(shots *p);

/* Traces all frames at all samplings with all players; the numbers of rays and hits must agree. */
bool shots_run(shots *p, int reps);

/* Some frames: all players must paint the same picture, and some rays must hit what the
 * reference says. */
bool shots_check(shots *p);

/* The parts of a frame, for other questions about the same scene: pose the bodies, hand them to
 * a player and update, trace. */
void shots_pose(shots *p, int step);
trace_camera shots_camera(const shots *p, int step);
bool shots_update(shots *p, shots_player *who, double *ms);
bool shots_trace(shots *p, shots_player *who, int step, int sampling, double *ms, trace_stats *stats);

const shots_outcome *shots_at(const shots *p, int player, int frame, int sampling);

#endif
