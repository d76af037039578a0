/* `pliant tune`: a scene in memory, played again and again with other settings of the strategy inflate, and a search over them. */
#ifndef TUNE_H
#define TUNE_H

#include "frames.h"
#include "pliant/pliant.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------------------- scene -- */

typedef struct tune_side {
  pl_mesh_def mesh;   /* frame 0 */
  unsigned char *xyz; /* all frames, packed, as float or double */
  size_t frame_bytes;
  bool still;
} tune_side;

typedef enum tune_query { TUNE_DISTANCE, TUNE_COLLIDE } tune_query;

typedef struct tune_scene {
  pl_context *context; /* one thread: counts are the same for any number */
  frames files[2];     /* own the triangles */
  tune_side side[2];
  size_t frame_count;
  tune_query query;
} tune_scene;

/* Reads all frames into memory. false: stderr says why; free it all the same. */
bool tune_scene_load(tune_scene *s, size_t frame_count);
void tune_scene_free(tune_scene *s);

/* Of topology, positions and question: a log of one scene is not gone on with in another. */
uint64_t tune_scene_hash(const tune_scene *s);

/* What playing all frames took. */
typedef struct tune_counts {
  double n_v, n_p, n_u;
  double ms; /* setting positions, updates and queries; bodies are made before */
} tune_counts;

/* Plays the scene with new bodies. false: stderr says why. */
bool tune_play(tune_scene *s, const pl_body_def *def, tune_counts *out);

/* ------------------------------------------------------------------------------------------------------- costs -- */

/* Nanoseconds of a volume test, a triangle test, a volume made; and what a frame costs in any case. */
typedef struct tune_costs {
  double v, p, u, frame;
} tune_costs;

/* Of the strategy inflate with swept rectangles, binary trees and one triangle a leaf: medians of what tune_costs_measure() found on
 * the five pairs of the experiment bitar. The cost of a triangle test is known badly, as these runs differ little in their number.
 * Fixed, so that a search with one seed finds the same on every machine. */
tune_costs tune_costs_default(void);

/* From the times of runs whose counts differ, by least squares over costs that are not negative. */
bool tune_costs_measure(tune_scene *s, const pl_body_def *base, tune_costs *out);

/* Nanoseconds for all frames. */
double tune_score(const tune_scene *s, const tune_costs *costs, const tune_counts *counts);

/* ------------------------------------------------------------------------------------------------------ search -- */

typedef struct tune_options {
  int population, generations, seed;
  int criterion; /* of the library's list; -1: all that a search chooses from */
  bool by_time, quiet;
  const char *resume; /* a log that is gone on with, and added to; NULL: none */
  const char *out;    /* the best so far is written here whenever it gets better */
} tune_options;

typedef struct tune_point {
  pl_inflate_def inflate;
  double score;
} tune_point;

typedef struct tune_result {
  tune_point start, best; /* the defaults, and the best of all */
  size_t runs;            /* played, or read from the log */
  size_t resumed;         /* of these, read */
  bool stopped;           /* by the user, before the end */
} tune_result;

bool tune_possible(void); /* was NLopt there when pliant was built? */

/* false: stderr says why. */
bool tune_search(tune_scene *s, const pl_body_def *base, const tune_costs *costs, const tune_options *o,
                 tune_result *out);

/* Writes a definition as settings, whole or not at all. false: stderr says why. */
bool tune_save(const char *path, const pl_body_def *def);

#endif
