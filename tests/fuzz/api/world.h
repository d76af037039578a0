/* The world of the API fuzzer: bytes are read as calls, every call is made twice. Once in the
 * context under test, and once, on positions that the fuzzer keeps itself, in a second context
 * (`oracle`) that answers without trees (reference.h). Only the public interface is used, so
 * that nothing inside can lead both astray.
 *
 * Invariant: body->at are the world positions that the calls so far ask for, whatever the
 * library has stored. */
#ifndef FUZZ_API_WORLD_H
#define FUZZ_API_WORLD_H

#include "../../../extras/scenes/ask.h"
#include "pliant/pliant.h"
#include "support/moving.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLOTS = 6,  /* bodies that calls choose from */
  CROWD = 84, /* and small ones that only fill scenes */
  SCENES = 2, /*  */
  MOST_TRIANGLES = 60,
  MOST_VERTICES = 3 * MOST_TRIANGLES,
  MOST_PAIRS = MOST_TRIANGLES * MOST_TRIANGLES,
  MOST_REFERENCES = 4,
  MOST_BONES = 5,
  MOST_WEIGHTS = 3, /* of a vertex */
  MOST_CALLS = 256
};

/* X(NAME, word). How large the numbers of a world are. */
#define PROFILE_LIST(X)                                                                                                \
  X(ORDINARY, "ordinary") /* up to 1e7, most of them small integers: touching, coplanar and equally near triangles */  \
  X(SCALED, "scaled")     /* the same times one power of two, up to the ends of double's range */                      \
  X(MIXED, "mixed")       /* denormals, 1e300, FLT_MAX and ordinary ones in one triangle */                            \
  X(DENORMAL, "denormal") /* a few times the least double */

typedef enum profile {
#define PROFILE_NAME(name, word) PROFILE_##name,
  PROFILE_LIST(PROFILE_NAME)
#undef PROFILE_NAME
      PROFILE_COUNT
} profile;

/* Memory of the context under test: counts what is live, and fails when it is reported to. */
typedef struct memory {
  long live;    /* blocks */
  long until;   /* requests that succeed; negative: all */
  long every;   /* then every so many fail; 0: only one */
  bool failed;  /* since it was armed */
  bool give_up; /* the call that failed is not repeated: what was before it must still stand */
  bool armed;   /* the next call gets this */
} memory;

typedef struct fuzz_body {
  pl_body *body, *twin; /* twin: free, of doubles, in the oracle */
  pl_motion motion;
  bool soup, borrow, takes_transform;
  int key_poses;
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  double *base;   /* the shape that poses start from */
  double *model;  /* free and rigid: positions as they were set */
  pl_scalar type; /* of model */
  void *held;     /* borrow: the array that the body reads */
  size_t stride;  /* of held */
  double *reference[MOST_REFERENCES];
  int reference_count;
  pl_morph_kind kind;
  double weight_low, weight_high;
  double coefficient[MOST_REFERENCES];
  int bone_count; /* skinned: `model` is at rest */
  pl_transform bones[MOST_BONES];
  size_t control_count; /* embedded, subdivided and point-based ones */
  uint32_t *bone;       /* MOST_WEIGHTS per vertex */
  double *weight;       /* the same */
  bool transformed;
  pl_transform transform;
  double time, since; /* flight plans: the present time, and that of the last new vertex */
  double most;        /* the largest coordinate of model since all were set */
  double *at;         /* world positions */
  bool twin_stale;    /* the twin has not got them yet */
} fuzz_body;

typedef struct fuzz_member {
  int slot;
  bool loose;
  float lower[3], upper[3];
} fuzz_member;

typedef struct fuzz_scene {
  pl_scene *scene, *twin;
  fuzz_member members[SLOTS + CROWD]; /* in the order of adding */
  int count;
} fuzz_scene;

/* How a world is run; the answers may not depend on it. */
typedef struct variant {
  int threads;
  /* pliant's own; otherwise the fuzzer's `parallel` runs the tasks in a shuffled order */
  bool real_threads;
  const char *simd;
} variant;

typedef struct world {
  const uint8_t *begin, *at, *end;
  variant how;
  bool tracing;
  profile profile;
  int exponent; /* SCALED */
  int style;    /* of ordinary numbers */
  uint64_t random;
  pl_context *context, *oracle;
  memory memory;
  pl_status status; /* of the last call, before it was repeated */
  fuzz_body bodies[SLOTS + CROWD];
  fuzz_scene scenes[SCENES];
  bool failing; /* memory was made to fail: the number of requests depends on the variant */
  int arrays;   /* printed so far */
  int calls, stop_at;
  uint64_t hash[MOST_CALLS]; /* of all answers up to a call */
  uint64_t sum;
  uint64_t found[MOST_PAIRS], wanted[MOST_PAIRS]; /* pairs as keys */
  pl_pair room[MOST_PAIRS];                       /* a caller's array */
} world;

/* world.c: bytes and numbers */
int pick(world *w, int count);     /* 0 .. count - 1, by the next byte; 0 when there are no more */
bool chance(world *w, int one_in); /* false when there are no more bytes */
uint64_t seed_of(world *w);        /* of two bytes: starts `random` anew, and returns it */
uint64_t random_bits(world *w);    /* from `random` */
double uniform(world *w, double low, double high);
int below(world *w, int bound);
double ordinary(world *w);               /* a small number in the world's style */
double sized(world *w, double ordinary); /* the number as the world's profile has it */
double bad_number(world *w);             /* NaN or infinite */

/* A difference: prints what, then all calls up to it as C, and aborts. */
void require(world *w, bool condition, const char *format, ...) __attribute__((format(printf, 3, 4)));
void trace(world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trace_doubles(world *w, const char *name, const double *x, size_t count);
void trace_indices(world *w, const char *name, const uint32_t *x, size_t count);
void trace_positions(world *w, const char *name, pl_positions p);

/* A call that may run out of memory: it is then repeated, and must succeed; or it is given up
 * (PL_ERROR_MEMORY). */
void call_begin(world *w);
bool call_again(world *w, pl_status status);
#define CALL(w, expression) (call_begin(w), call_again(w, (expression)) ? (expression) : (w)->status)
void refused(world *w, pl_status status, const char *what); /* a status and one line about it */

/* answers that any variant must give byte by byte */
void note(world *w, const void *data, size_t size);
void note_counters(world *w, const pl_counters *counters);

void context_open(world *w);
void context_close(world *w); /* nothing may be left of it */

/* meshes.c */
void *fuzz_array(size_t count, size_t size);
void mesh_make(world *w, fuzz_body *b, size_t most);

/* bodies.c */
fuzz_body *body_of(world *w); /* one that is there, or NULL */
bool two_bodies(world *w, fuzz_body **a, fuzz_body **b);
/* new model positions, numbers as they are in b->type */
void pose(world *w, const fuzz_body *b, double *xyz);
/* caller frees */
void *positions_make(world *w, const double *xyz, size_t count, pl_scalar type, pl_positions *out);
/* controls -> at */
void body_evaluate(world *w, fuzz_body *b);
pl_body *twin_of(world *w, fuzz_body *b);
void body_forget(world *w, fuzz_body *b);
int number_of(const world *w, const fuzz_body *b);
bool used_within(const fuzz_body *b, const float lower[3], const float upper[3]);
void create_crowd(world *w, fuzz_scene *s);

/* controls.c: bodies whose positions the library is asked for */
bool is_controlled(pl_motion motion);
pl_status create_controlled(world *w, fuzz_body *b, pl_mesh_def *mesh, const pl_body_def *d, bool *wrong);
void read_positions(world *w, fuzz_body *b); /* to b->at */

/* The calls. */
void call_create(world *w);
void call_destroy(world *w);
void call_positions(world *w);
void call_vertices(world *w);
void call_transform(world *w);
void call_weights(world *w);
void call_bones(world *w);
void call_controls(world *w);
void call_key_pose(world *w);
void call_facts(world *w);
void call_wrong(world *w);
void call_collide(world *w);
void call_distance(world *w);
void call_distance_point(world *w);
void call_near(world *w);
void call_closer(world *w);
void call_cast(world *w);
void call_scene(world *w);
void call_member(world *w);
void call_scene_collide(world *w);
void call_scene_distance(world *w);
void call_scene_cast(world *w);
void call_self(world *w);
void call_features(world *w);
void call_region(world *w);
void call_points(world *w);
void call_segments(world *w);
void call_depths(world *w);
void call_keep(world *w);
void call_impacts(world *w);
void call_candidates(world *w);
void call_exclude(world *w);
void call_scene_near(world *w);
void call_scene_features(world *w);
void call_scene_impacts(world *w);
void call_list(world *w);
void call_match(world *w);
void call_edit(world *w);

/* What queries share. */
typedef struct filter {
  uint32_t salt;
  bool one; /* only the pair below */
  uint32_t a, b;
} filter;
bool filter_pair(void *user, pl_body *a, pl_body *b, pl_pair pair);
uint32_t salt_of(world *w); /* of a filter; 0: none */
uint64_t key_of(pl_pair p);
double margin_of(world *w, fuzz_body *a, fuzz_body *b);
double separation_of(world *w); /* of first contacts and candidates */

/* w->found, in any order, is w->wanted or a part of it. */
void check_pairs(world *w, size_t found, size_t wanted, bool whole, bool sorted, const char *what);
void check_features(world *w, const pl_feature_pair *got, const pl_feature_pair *wanted, size_t count, bool sorted);
void check_impacts(world *w, const pl_result *got, const pl_result *wanted, bool all);

/* scenes.c */
fuzz_scene *scene_of(world *w);
int scene_number(const world *w, const fuzz_scene *s);
void twins_ready(world *w, fuzz_scene *s);
bool boxes_hold(const world *w, const fuzz_scene *s);
int find_member(const fuzz_scene *s, int slot);
int slot_of_body(const world *w, const pl_body *body, bool twin);
void check_measured(world *w, const least_row *got, const least_row *least, pl_body *a, pl_body *b, const double *point,
                    const pl_question *def, const char *what);

#endif
