/* `pliant collide` with many bodies, of glTF scenes and mesh files: what it knows while it runs,
 * and the writers of its answers. */
#ifndef COLLIDE_SCENE_H
#define COLLIDE_SCENE_H

#include "collide/collide.h"
#include "common/scene_job.h"

/* Two bodies that touched in some frame. */
typedef struct scene_touch {
  size_t a, b;                /* a < b */
  size_t frames, first, most; /* frames in contact, the first of them, and the most pairs in one */
} scene_touch;

enum { SCENE_MOST_TOUCHES = 20 }; /* in the summary */

typedef struct collide_scene {
  collide_options options;
  scene_job job;
  scene_touch touches[SCENE_MOST_TOUCHES]; /* the first ones by a, then b */
  size_t touch_count, touched;             /* how many of them there are, and in all */
  /* a bit for each body behind a: NULL for an a that has touched none */
  unsigned char **has_touched;
  collide_totals totals;
  results_out found;
  /* contacts and groups that are left when the choice has taken out what is not asked for */
  pl_pair *kept;
  size_t kept_room;
  pl_group *kept_groups;
  size_t kept_group_room;
} collide_scene;

typedef struct scene_frame {
  size_t index;
  double time;
  double ms_set; /* transforms, weights and positions; the library's part only */
  const pl_result *contacts;
  pl_result
      own; /* what `contacts` points to where they were only counted (no groups, no list), or some were taken out */
} scene_frame;

/* Many bodies: returns the exit code. */
int collide_scene_run(const collide_options *options, const input_list *inputs);

const char *scene_name(const collide_scene *s, size_t body);

/* Returns whether the frame agrees with the reference. false: stderr says where not. */
bool collide_scene_check(collide_scene *s, const scene_frame *frame);

/* Takes out the pairs of bodies that are not asked for. *out may point to `in`, or to `own`. */
bool collide_scene_filter(collide_scene *s, const pl_result *in, pl_result *own, const pl_result **out);

/* Two bodies (a < b) touch in this frame. false: stderr says why it could not be kept. */
bool collide_scene_touch(collide_scene *s, const scene_frame *frame, size_t a, size_t b, size_t pairs);

/* Returns whether counting is enough for a frame: many bodies, and no option that names pairs of
 * them. Then the frame's answer, with its touching bodies kept. 1: answered. 0: few bodies meet,
 * and a scene is quicker. -1: stderr says why not. */
bool collide_scene_counts(const collide_scene *s);
int collide_scene_count(collide_scene *s, scene_frame *frame);

void collide_scene_write_head(const collide_scene *s);
/* false: stderr says why */
bool collide_scene_write_frame(collide_scene *s, const scene_frame *frame);
void collide_scene_write_end(const collide_scene *s);

#endif
