/* Plays a scene with several methods and times them.
 *
 * All poses are computed before anything is timed and copied into the array that the bodies read
 * just before each step, as a simulator would leave them. One repeat plays all steps with one
 * method, then with the next, so that a disturbance of the machine hits all of them. Morphing
 * scenes are different: free bodies are blended when they are played, and the time for that is
 * kept apart; morphing bodies get their weights. Of each step the smallest time over the repeats
 * is kept; means are taken over steps. Bodies live through all repeats, as in a simulation. */
#ifndef BENCH_PLAY_H
#define BENCH_PLAY_H

#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/morph.h"
#include "scenes/scenes.h"

/* ----------------------------------------------------------------------------------- methods -- */

typedef struct bench_method {
  const char *key;   /* in files */
  const char *title; /* in tables */
  pl_body_def body;
} bench_method;

/* A method with boxes in model space gets positions in model space (or weights) and a placement. */
bool bench_method_is_model(const bench_method *method);
/* A method that blends has morphing bodies, in a scene that morphs; all others have free ones. */
bool bench_method_morphs(const bench_method *method);

/* van den Bergen 1997: centre cut, one triangle per leaf */
pl_body_def bench_body_bergen(int arity);
pl_body_def
bench_body_larsson(pl_strategy strategy);     /* paper A's own setting: centre cut, 8 children, one triangle per leaf */
pl_body_def bench_body_larsson_of(int arity); /* the same with 2, 4 or 8 children, hybrid */
pl_body_def bench_body_ours(pl_strategy strategy); /* the library's defaults */

/* ------------------------------------------------------------------------------------- poses -- */

/* A scene as the player sees it: meshes that are posed together. */
typedef struct bench_cast {
  scene_mesh *meshes;
  int bodies;
  int step_count;
  void (*pose)(struct bench_cast *cast, int step); /* world space, into meshes[].xyz */
  void (*pose_model)(struct bench_cast *cast, int step, pl_transform *placements);
  /* of all bodies of a morphing scene, whose meshes have sizes only; empty otherwise */
  morph_mesh shape;
  void (*pose_morph)(int body, int step, morph_pose *out); /* NULL: the scene does not morph */
  const int *inbetweens; /* stored between references, for each method that morphs; NULL: none */
} bench_cast;

void bench_cast_free(bench_cast *cast);

/* Two bumpy spheres of about `triangles` triangles each, sinking into each other. false: out of
 * memory. */
bool bench_cast_s1(int triangles, bench_cast *out);
/* The same with rough surfaces: as many pairs as in the paper, growing faster than the
 * triangles. */
bool bench_cast_s1r(int triangles, bench_cast *out);
/* 27 bodies; arms: 0 for bumpy spheres. */
bool bench_cast_s2(int triangles, int arms, bench_cast *out);
/* Two morphing bodies passing through each other; twelve dolphins of 564 * 4^level triangles. */
bool bench_cast_b1(int triangles, bench_cast *out);
bool bench_cast_b2(int level, bench_cast *out);
pl_transform bench_placement(const morph_pose *pose);

/* The poses of the steps that are played; model: in model space, with placements. */
typedef struct bench_poses {
  int frames;               /* number of steps played */
  int *steps;               /* which ones */
  size_t *begin;            /* first float of a body within a frame; bodies + 1 */
  float *xyz[2];            /* [world, model][frame * begin[bodies]] */
  pl_transform *placements; /* of the model poses: frame * bodies + body */
  morph_pose *morphs;       /* of a morphing scene, NULL otherwise: frame * bodies + body */
  int bodies;
} bench_poses;

/* Every stride-th step, counted back from the last, which is always in; only the spaces that are
 * asked for. */
bool bench_poses_make(bench_cast *cast, int stride, bool world, bool model, bench_poses *out);
void bench_poses_free(bench_poses *poses);

/* ----------------------------------------------------------------------------------- players -- */

/* What is asked: all pairs, or the first. */
typedef enum bench_mode { BENCH_ALL, BENCH_FIRST, BENCH_MODE_COUNT } bench_mode;
const char *bench_mode_text(bench_mode mode);

/* One step of one method: times are the smallest of the repeats. */
typedef struct bench_frame {
  /* the caller's work in a morphing scene: vertices of free bodies; 0 otherwise */
  double ms_blend;
  /* taking the positions, and the volumes that are refreshed before the query */
  double ms_update;
  double ms_query;        /* the walk, with the volumes refreshed on the way */
  uint64_t n_v, n_p, n_u; /* volume tests, triangle tests, volumes computed */
  size_t pairs;
  size_t touching; /* body pairs that touch */
} bench_frame;

/* A method with bodies of its own. */
typedef struct bench_player {
  const bench_method *method;
  pl_body **bodies;
  pl_scene *scene; /* NULL: two bodies, asked directly */
  float **xyz;     /* the arrays that the bodies read */
  bench_frame *frames[BENCH_MODE_COUNT];
} bench_player;

typedef struct bench_play {
  pl_context *context;
  bench_report *report;
  const bench_cast *cast;
  const bench_poses *poses;
  bench_player *players;
  int count;
  bool use_scene;
  bool played[BENCH_MODE_COUNT];
} bench_play;

/* One context, one player per method; use_scene: through a pl_scene with its broad phase. false:
 * report->error is set. */
bool bench_play_open(bench_play *play, const bench_options *options, bench_report *report, bench_cast *cast,
                     const bench_poses *poses, const bench_method *methods, int count, bool use_scene);
void bench_play_close(bench_play *play);

/* Processor time with one thread, wall time with more. */
double bench_clock_ms(const bench_play *play);

/* Plays all steps `reps` times with all players in turn. Afterwards the counts of pairs must
 * agree between all players of one space at every step, and a first pair must be found exactly
 * where there is one. */
bool bench_play_run(bench_play *play, bench_mode mode, int reps);

/* Brings one player's bodies to a frame, untimed. */
bool bench_play_set(bench_play *play, int player, int frame);

/* One untimed pass with one player to learn the counts of pairs. */
bool bench_play_scout(bench_play *play, int player);

/* Whose answer is right: the reference's, on the player's own numbers; or, where that would take
 * minutes, the reference's as far as the second pair of bodies that touch, or the last player's. */
typedef enum bench_check_by { BENCH_BY_REFERENCE, BENCH_BY_SOME_REFERENCE, BENCH_BY_LAST_PLAYER } bench_check_by;

/* Every player must find the right pairs at this frame, and a first pair that is one of them. */
bool bench_play_check(bench_play *play, int frame, bench_check_by by);

/* The frame of the first contact by a player's counts (the number of frames if there is none),
 * and the dearest frame. */
int bench_first_contact(const bench_play *play, int player);
int bench_worst_frame(const bench_play *play, int player, bench_mode mode);

/* Frames to check: the first, the first with contact, one in the middle of the contact, the
 * last, without repetition. Returns their number, at most 4. */
int bench_check_frames(const bench_play *play, int player, int frames[4]);

/* Scouts with a player, and checks all at these frames. */
bool bench_play_check_some(bench_play *play, int player, bench_check_by by);

/* Means over the frames [begin, end). */
typedef struct bench_mean {
  double ms_blend, ms_update, ms_query;
  double ms_total; /* update and query */
  double ms_step;  /* and blending */
  double n_v, n_p, n_u, pairs;
} bench_mean;
bench_mean bench_mean_over(const bench_play *play, int player, bench_mode mode, int begin, int end);

/* The exponent e of y ~ x^e by least squares in the logarithms. */
double bench_exponent(const double *x, const double *y, int count);

/* The sentence of a report: the scene in the experiment's words, repeats, threads, instruction
 * set, clock. */
void bench_setting(const bench_play *play, const char *scene, int reps);

/* Appends all steps of all players to the report's table of steps, which has these columns;
 * `group` is the first. */
extern const bench_column bench_step_columns[];
extern const size_t bench_step_column_count;
void bench_steps_append(const bench_play *play, const char *group, bench_mode mode);

#endif
