/* `pliant tune`: a scene in memory, played again and again with other settings of the strategy
 * inflate, and a search over them. */
#ifndef TUNE_H
#define TUNE_H

#include "common/frames.h"
#include "common/options.h"
#include "pliant/pliant.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------- scene -- */

typedef struct tune_side {
  pl_mesh_def mesh;   /* frame 0 */
  unsigned char *xyz; /* all frames, packed, as float or double */
  size_t frame_bytes;
  bool still;
} tune_side;

typedef enum tune_query { TUNE_DISTANCE, TUNE_COLLIDE } tune_query;

/* Two meshes and their frames. */
typedef struct tune_part {
  frames files[2]; /* own the triangles */
  tune_side side[2];
  size_t begin; /* the first frame that is played */
  size_t frame_count;
  double weight; /* of what it counts and takes: 1 if it is the only one; see tune_scene_weigh() */
} tune_part;

/* What is played in every run: two meshes, or a list of such scenes one after the other. */
typedef struct tune_scene {
  pl_context *context; /* one thread: counts are the same for any number */
  tune_part *parts;
  size_t part_count;
  size_t frame_count; /* of all parts */
  double weighted;    /* the same with their weights */
  tune_query query;
} tune_scene;

enum { TUNE_MOST_PARTS = 100 };

/* Two meshes of a command line. range: of --frames, or NULL. OPTIONS_GO_ON, or an exit code;
 * free the scene all the same. */
int tune_scene_add(tune_scene *s, const arguments *files, bool rounded, const char *range);

/* A list of scenes: a text file with A and B in every line, as on a command line. */
int tune_scene_read(tune_scene *s, const char *path, bool rounded, const char *range);

/* Reads all frames into memory. false: stderr says why. */
bool tune_scene_load(tune_scene *s);
void tune_scene_free(tune_scene *s);

/* Of topology, positions and question: a log of one scene is not gone on with in another. */
uint64_t tune_scene_hash(const tune_scene *s);

/* What playing all frames took. */
typedef struct tune_counts {
  double n_v, n_p, n_u;
  /* processor time of setting positions, updates and queries; bodies are made before */
  double ms;
  double ms_query; /* wall time of the queries alone */
  double frames;   /* that were played: all, unless a limit ended the run */
} tune_counts;

/* TUNE_SHORT asks for less in every frame (a distance to within a factor of 2, one pair), so
 * that few triangles are tested; TUNE_UPDATE updates all volumes and asks nothing. */
typedef enum tune_mode { TUNE_FULL, TUNE_SHORT, TUNE_UPDATE } tune_mode;

/* Nanoseconds of a volume test, a triangle test, a volume made; and what a frame costs in any
 * case. */
typedef struct tune_costs {
  double v, p, u, frame;
} tune_costs;

double tune_score(const tune_costs *costs, const tune_counts *counts);

/* A run ends after the frame with which its score is above `most`: settings that make too few
 * volumes anew may take hundreds of times as long as others, and by then are known not to be the
 * best. */
typedef struct tune_limit {
  tune_costs costs;
  double most;
} tune_limit;

/* Plays the scene with new bodies. limit: may be NULL. false: stderr says why. */
bool tune_play(tune_scene *s, const pl_body_def *def, tune_mode mode, const tune_limit *limit, tune_counts *out);
/* One of its parts, without its weight. */
bool tune_play_part(tune_scene *s, size_t part, const pl_body_def *def, tune_counts *out);

/* Lets all scenes of a list count the same: each is weighted by what the mean of them costs with
 * these settings over what it costs. */
bool tune_scene_weigh(tune_scene *s, const pl_body_def *base, const tune_costs *costs);

/* ------------------------------------------------------------------------------------- costs -- */

/* Fixed, so that a search with one seed finds the same on every machine: medians of what
 * tune_costs_measure() found for a kind of tree, on one machine. */
tune_costs tune_costs_default(const pl_body_def *def);

/* How well costs tell the time of runs that they were not found from. */
typedef struct tune_fit {
  int runs;
  double mean, most; /* relative errors: root mean square, and the greatest */
  /* the part of the variance of times that is explained; below 0: the mean time would do better */
  double r2;
} tune_fit;

/* Errors up to these are taken for noise: settings whose times differ by more are reported
 * apart. */
#define TUNE_FIT_MEAN 0.15
#define TUNE_FIT_MOST 0.35

bool tune_fit_is_good(const tune_fit *fit);

/* One run as an equation: counts and frames, and the nanoseconds that they took. */
typedef struct tune_equation {
  double n_v, n_p, n_u, frames, ns;
} tune_equation;

/* The costs, none negative, with the least sum of squared relative errors. false: the runs say
 * nothing. */
bool tune_costs_solve(const tune_equation *equations, int count, tune_costs *out);
tune_fit tune_costs_judge(const tune_equation *equations, int count, const tune_costs *costs);

/* From the times of runs whose counts differ widely; then judged by other runs. false: a run
 * failed, and stderr says why. */
bool tune_costs_measure(tune_scene *s, const pl_body_def *base, tune_costs *out, tune_fit *fit);

/* ------------------------------------------------------------------------------------ rivals -- */

/* The other strategies, before a search. Any inflate grows or refits all volumes and then tests
 * at least as many of them as a query of new volumes does: another strategy that takes less than
 * these two together is faster than all settings that a search could find. */
typedef struct tune_rivals {
  double ms[PL_STRATEGY_COUNT]; /* of all frames; 0: was not played */
  pl_strategy best;             /* of these */
  double least;                 /* what inflate takes at least, all frames */
} tune_rivals;

/* false: stderr says why. */
bool tune_rivals_measure(tune_scene *s, const pl_body_def *base, tune_rivals *out);

/* Returns whether the best of them is faster than any `inflate` by more than the noise. */
bool tune_rivals_win(const tune_rivals *r);

/* ----------------------------------------------------------------------------------- confirm -- */

/* X(NAME, word). What the clock says about settings that score better than the defaults. */
#define TUNE_VERDICT_LIST(X)                                                                                           \
  X(NOTHING, "nothing better scored") /* there are no such settings: nothing to confirm */                             \
  X(BETTER, "better")                                                                                                  \
  X(SAME, "as good")                                                                                                   \
  X(WORSE, "worse")

typedef enum tune_verdict {
#define TUNE_VERDICT_NAME(name, word) TUNE_VERDICT_##name,
  TUNE_VERDICT_LIST(TUNE_VERDICT_NAME)
#undef TUNE_VERDICT_NAME
      TUNE_VERDICTS
} tune_verdict;

const char *tune_verdict_text(tune_verdict verdict);

enum { TUNE_ROUNDS = 21, TUNE_WAYS = 3 };
#define TUNE_CONFIDENCE "99 %%" /* that the median is between the fifth and the fifth but last of 21: 0.993 */

/* Which settings a round plays. */
typedef enum tune_way { TUNE_DEFAULTS, TUNE_TUNED, TUNE_AUTO } tune_way;

/* Rounds of all ways, side by side. */
typedef struct tune_confirmed {
  tune_verdict verdict;
  double ms[TUNE_WAYS]; /* median over the rounds; 0 for what was not played */
  double ratio, low,
      /* defaults / tuned: the median of the rounds' ratios, and between what it lies with 99.3 % */
      high;
} tune_confirmed;

/* Milliseconds of one run. false: it could not be played. */
typedef bool (*tune_player)(void *user, tune_way way, double *ms);

/* Plays all rounds. has_tuned: false if there are only the defaults and auto. false: a run
 * failed. */
bool tune_confirm(tune_player play, void *user, bool has_tuned, tune_confirmed *out);

/* ------------------------------------------------------------------------------------ search -- */

typedef struct tune_options {
  int population, generations, seed;
  int criterion; /* of the library's list; -1: all that a search chooses from */
  bool by_time, quiet;
  const char *resume; /* a log that is gone on with, and added to; NULL: none */
  /* the best so far is written beside it, with .part added, whenever it gets better */
  const char *out;
} tune_options;

typedef struct tune_point {
  pl_inflate_def inflate;
  double score;
} tune_point;

typedef struct tune_result {
  tune_point start, best; /* the defaults, and the best of all */
  size_t tried, planned;  /* by the search: what the bar counts */
  /* of different settings: played, or read from the log; the defaults are one */
  size_t runs;
  size_t resumed; /* of these, read */
  bool stopped;   /* by the user, before the end */
} tune_result;

bool tune_possible(void); /* was NLopt there when pliant was built? */

/* false: stderr says why. */
bool tune_search(tune_scene *s, const pl_body_def *base, const tune_costs *costs, const tune_options *o,
                 tune_result *out);

/* The best so far, which waits for its confirmation in OUT.part: becomes OUT (keep) or goes.
 * false: stderr says why. */
bool tune_settle(const char *out, bool keep);

#endif
