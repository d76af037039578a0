/* `pliant collide` with a glTF scene: what it knows while it runs, and the writers of its answers. */
#ifndef COLLIDE_GLTF_H
#define COLLIDE_GLTF_H

#include "collide.h"
#include "io/gltf.h"
#include "pliant/pliant.h"

/* Two bodies that touched in some frame. */
typedef struct gltf_touch {
  size_t a, b;                /* a < b */
  size_t frames, first, most; /* frames in contact, the first of them, and the most pairs in one */
} gltf_touch;

enum { GLTF_MOST_TOUCHES = 20 }; /* in the summary */

typedef struct gltf_job {
  collide_options options;
  const char *path;
  gltf_scene *file;
  gltf_pose *pose;
  int animation; /* a number, or GLTF_REST, GLTF_ALL_ANIMATIONS */
  double fps;
  size_t frame_count;
  size_t body_count;
  pl_body_def def;
  pl_context *context;
  pl_scene *scene, *truth; /* the same bodies; `truth` answers for the reference, and is NULL without --check */
  pl_body **bodies;        /* in the order of the file's bodies */
  gltf_transform *placed;  /* where each stands */
  void **bends;            /* of each with a skin its bones, or positions if it morphs too; NULL for the others */
  gltf_touch touches[GLTF_MOST_TOUCHES]; /* the first ones by a, then b */
  size_t touch_count, touched;           /* how many of them there are, and in all */
  unsigned char **has_touched;           /* a bit for each body behind a: NULL for an a that has touched none */
  collide_totals totals;
} gltf_job;

typedef struct gltf_frame {
  size_t index;
  double time;
  double ms_set; /* transforms and weights; the library's part only */
  const pl_contacts *contacts;
  pl_contacts counted; /* what `contacts` points to where they were only counted: no groups, no list */
} gltf_frame;

/* `pliant collide SCENE`: returns the exit code. */
int collide_gltf(const collide_options *options, const char *path);

/* Opens the file and makes its bodies and scene (path and options must be set); moves all bodies to the frame's time. false:
 * stderr says why. End the job all the same. */
bool gltf_job_start(gltf_job *job);
bool gltf_job_move(gltf_job *job, gltf_frame *frame);
void gltf_job_end(gltf_job *job);

/* The number of a body; quick if it is `hint` or follows it soon. */
size_t gltf_job_body(const gltf_job *job, const pl_body *body, size_t hint);
const char *gltf_job_name(const gltf_job *job, size_t body);

/* Does the frame agree with the reference? false: stderr says where not. */
bool collide_gltf_check(const gltf_job *job, const gltf_frame *frame);

/* Two bodies (a < b) touch in this frame. false: stderr says why it could not be kept. */
bool collide_gltf_touch(gltf_job *job, const gltf_frame *frame, size_t a, size_t b, size_t pairs);

/* May a frame be answered by counting: many bodies, and nothing asked for that names pairs of them? Then the frame's answer, with
 * its touching bodies kept. 1: answered. 0: few bodies meet, and a scene is quicker. -1: stderr says why not. */
bool collide_gltf_counts(const gltf_job *job);
int collide_gltf_count(gltf_job *job, gltf_frame *frame);

void collide_gltf_write_head(const gltf_job *job);
void collide_gltf_write_frame(const gltf_job *job, const gltf_frame *frame);
void collide_gltf_write_end(const gltf_job *job);

/* "still", "moves", "morphs", "moves and morphs": in one animation, or in any of them. */
const char *gltf_motion_text(bool moves, bool morphs);

/* `pliant info SCENE`: its bodies and animations, a line each, or one JSON object. false: stderr says why. */
bool info_gltf(const char *path, bool as_json, bool allow_outside);

#endif
