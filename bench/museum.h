/* Plays the museum: a piece of art that is a triangle soup, in a room that does not move, traced
 * by players that differ in what answers the art's rays, timed. Each sampling is played by
 * itself from the first frame to the last, as a viewer would see it, so that players that learn
 * from frame to frame can. update: taking the positions, and what is made before the first ray.
 * trace: all rays with what is made on the way, and all shading. */
#ifndef BENCH_MUSEUM_H
#define BENCH_MUSEUM_H

#include "bench/play.h"
#include "bench/studio.h"
#include "scenes/museum.h"

enum { MUSEUM_SAMPLINGS = 3, MUSEUM_MOST = 8, MUSEUM_BODIES = MUSEUM_PARTS + 1 };
extern const int museum_sampling[MUSEUM_SAMPLINGS]; /* one ray for so many pixels across and down */
extern const char *const museum_sampling_text[MUSEUM_SAMPLINGS];

typedef struct museum_method {
  bench_method method;
  pl_soup_method soup;
  int keys; /* trees: of the first key pose, or of all */
} museum_method;

/* One frame of one player at one sampling: times are the smallest of the repeats. */
typedef struct museum_outcome {
  double ms_update, ms_trace;
  bool by_grid;
  trace_stats stats;
} museum_outcome;

typedef struct museum_player {
  museum_method as;
  pl_scene *scene;
  pl_body *art;
  float *xyz;                       /* the array that the art's body reads */
  trace_body traced[MUSEUM_BODIES]; /* the art is the last */
  museum_outcome *outcomes[MUSEUM_SAMPLINGS];
  size_t bytes; /* of the art's body, positions not counted */
} museum_player;

typedef struct museum_show {
  const bench_options *options;
  bench_report *report;
  studio studio;
  museum_art art;
  scene_mesh room[MUSEUM_PARTS];
  museum_player players[MUSEUM_MOST];
  int count;
  /* which of the scene's frames are played */
  int *steps[MUSEUM_SAMPLINGS], frames[MUSEUM_SAMPLINGS];
  trace_world world;
} museum_show;

/* false (here and below): report->error is set. */
bool museum_open(museum_show *p, const bench_options *options, bench_report *report, const museum_method *methods,
                 int count);
void museum_close(museum_show *p);

/* Some frames: all players must paint the same picture, and some rays must hit what the
 * reference says. */
bool museum_check(museum_show *p);

/* Traces all frames at all samplings with all players; the numbers of rays and hits must agree. */
bool museum_run(museum_show *p, int reps);

#endif
