/* The bodies of a command: from mesh files, numbered sequences and glTF scenes in any mixture,
 * each moved as its options say, played frame by frame. One frame is held at a time, so that
 * memory does not grow with their number.
 *
 *   stage s;
 *   bool good = stage_open(&s, &def, &inputs);
 *   for (size_t i = s.begin; good && i < s.end; ++i) good = stage_move(&s, i, &ms) && ...;
 *   stage_close(&s);
 *
 * A body of a mesh file that moves in world space is a free one; nodes of a glTF scene are
 * rigid, morphing or skinned. */
#ifndef STAGE_H
#define STAGE_H

#include "common/frames.h"
#include "common/inputs.h"
#include "io/gltf.h"
#include "pliant/pliant.h"

/* Options that choose what is played. NULL, 0: not given. */
typedef struct stage_options {
  double fps;
  text_list animation; /* played one after the other */
  const char *scene, *frames;
  bool allow_outside, rounded, split;
  bool allow_unchecked; /* --fail-on-contact and the like may leave something out */
  int gaps;             /* io_gaps */
} stage_options;

/* --fps, --animation, --scene, --allow-outside; --frames, --gaps, --split-groups,
 * --allow-unchecked. The commands put them under headings of their own. */
extern const option stage_scene_table[];
extern const option stage_files_table[];
enum { STAGE_SCENE_OPTIONS = 4, STAGE_FILES_OPTIONS = 4 };

/* Options that the inputs have no use for, and the range of frames. OPTIONS_GO_ON, or an exit
 * code. */
int stage_options_check(const stage_options *o, const char *command, const input_list *inputs);

typedef struct stage_def {
  stage_options options;
  pl_body_def body;
  int threads;
  int inbetweens; /* of morphing bodies */
  /* vertices that are one point in every frame are one: for questions within one body */
  bool weld;
  /* no body is compared with another: each input plays all of its frames, and then stays as it
   * is */
  bool alone;
  pl_context *context; /* NULL: one of its own, which ends with it */
} stage_def;

/* An animation that is played: `count` frames of its input, from `first` on. */
typedef struct stage_clip {
  int animation; /* a number, or GLTF_REST */
  size_t first, count;
} stage_clip;

typedef struct stage_input {
  input_def def;
  frames files;     /* of mesh files */
  gltf_scene *gltf; /* of a glTF scene; NULL: mesh files */
  gltf_pose *pose;
  stage_clip *clips;   /* of a glTF scene, one after the other */
  size_t clip_count;   /* at least 1 of a glTF scene */
  uint8_t *changes;    /* of each body of a glTF scene: what the clips change of it */
  size_t first, count; /* its bodies */
  size_t frame_count;  /* 1: it does not move */
  size_t at;           /* the frame in which it stands */
} stage_input;

typedef struct stage_body {
  char *name;   /* different for all bodies */
  size_t input; /* where it comes from */
  size_t part;  /* its number there: of a glTF body or a group */
  pl_body *body;
  const uint32_t *triangles;
  size_t triangle_count, vertex_count;
  bool moves, morphs; /* in this animation or sequence; neither: it never moves */
  /* Of a body that is made of a part of a mesh: which of the mesh's vertices it has, and where
   * they are now. */
  uint32_t *own_triangles, *own_vertices;
  double *own_xyz;
  uint32_t *welded_triangles;     /* `triangles` of a stage that welds */
  const uint32_t *file_triangles; /* of such a stage: as they were before */
  size_t welded;                  /* vertices that became another */
  pl_transform at;                /* where a glTF body stands */
  /* of a glTF body with a skin its bones, or positions if it morphs too; NULL for the others */
  void *bends;
} stage_body;

typedef struct stage {
  stage_def def;
  stage_input *inputs;
  size_t input_count;
  stage_body *bodies;
  size_t body_count;
  size_t frame_count, begin, end; /* of all inputs together; played: [begin, end) */
  size_t first;                   /* `begin` of the undivided run, of which a shard plays a part */
  double fps;
  bool has_time;  /* a glTF scene is among the inputs: frame i is at i / fps seconds */
  bool shortened; /* sequences of different length */
  bool placed;    /* bodies stand as in `frame` */
  size_t frame;
  pl_context *context;
} stage;

/* Opens all inputs and makes their bodies, which stand as in their first frame until
 * stage_move(). false (here and below): stderr says why; close it all the same. */
bool stage_open(stage *s, const stage_def *def, const input_list *inputs);
void stage_close(stage *s);

/* For commands that compare bodies: says so where there is only one, of which a gate would check
 * nothing. Returns true. */
bool stage_tell_alone(const stage *s);

/* Once the stage is open: narrows the frames to those of --shard. key: a hash of what is played. */
bool stage_shard(stage *s, const char *command);
uint64_t stage_key(const stage *s);

/* Brings the bodies that move to a frame; *ms: the library's part of it. */
bool stage_move(stage *s, size_t frame, double *ms);

/* World positions of a body in the current frame: 3 * vertex_count doubles. */
bool stage_positions(const stage *s, size_t body, double *xyz);

/* The number of a body; quick if it is `hint` or follows it soon. */
size_t stage_number(const stage *s, const pl_body *body, size_t hint);

/* Whether a body has this frame, and whether it goes there from the frame before: not into the
 * first frame of an animation. */
bool stage_plays(const stage *s, size_t body, size_t frame);
bool stage_goes_on(const stage *s, size_t body, size_t frame);

/* What a frame is called beside its number: the file of the first sequence, "0.25 s" or "Walk,
 * 0.25 s" of an animation, or "" where nothing moves. stage_label() is for people;
 * stage_label_raw() has names as they are, for JSON and CSV. */
enum { STAGE_LABEL = 4400 };
const char *stage_label(const stage *s, size_t frame, char text[STAGE_LABEL]);
const char *stage_label_raw(const stage *s, size_t frame, char text[STAGE_LABEL]);

/* stage_clips.c. Seconds since the animation of the first scene that has this frame began. */
double stage_time(const stage *s, size_t frame);
bool stage_has_clips(const stage *s); /* some scene plays several animations */
/* The animations of this frame, of different scenes with " + " between; and that of one input,
 * "" of mesh files and at rest. */
const char *stage_animation(const stage *s, size_t frame, char text[STAGE_LABEL]);
const char *stage_animation_of(const stage *s, size_t input, size_t frame);
const stage_clip *stage_clip_at(const stage_input *input, size_t frame);
bool stage_clips_choose(const stage *s, stage_input *input); /* false: stderr says why */

/* Of the summary: a range that was chosen, and the animations. */
void stage_write_range(const stage *s);
void stage_write_clips(const stage *s);

/* stage_gltf.c */
bool stage_gltf_open(stage *s, stage_input *input);
bool stage_gltf_make(stage *s, stage_input *input);
bool stage_gltf_evaluate(stage *s, stage_input *input, size_t frame);
bool stage_gltf_move(stage *s, stage_input *input, bool always);
bool stage_gltf_positions(const stage *s, const stage_body *body, double *xyz);
void stage_gltf_close(stage_input *input);

/* stage_files.c */
bool stage_files_open(stage *s, stage_input *input);
bool stage_files_make(stage *s, stage_input *input);
bool stage_files_read(stage *s, stage_input *input, size_t frame);
bool stage_files_move(stage *s, stage_input *input, size_t frame);
bool stage_files_positions(const stage *s, const stage_body *body, double *xyz);

/* For these two: room for welded_triangles; `triangles` and `welded` when it is filled as `map`
 * says. false: out of memory. */
bool stage_weld_begin(stage_body *body);
void stage_weld_end(stage_body *body, const uint32_t *map);

/* For these two: the next body, with its name (copied; made different at the end); NULL: out of
 * memory, and stderr says so. */
stage_body *stage_add(stage *s, stage_input *input, const char *name);

/* "a", "b", "still", "moves", ...: what a body does. */
const char *stage_motion_text(bool moves, bool morphs);

#endif
