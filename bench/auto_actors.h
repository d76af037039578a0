/* The bodies that the experiment `auto` plays, and how they move. */
#ifndef BENCH_AUTO_ACTORS_H
#define BENCH_AUTO_ACTORS_H

#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/governed.h"

enum { AUTO_MOST_BODIES = 27 };

typedef struct auto_stage auto_stage;

typedef struct auto_actor {
  const char *name;
  const char *file;          /* in the folder of the test data: glTF, or a sequence; NULL: made here */
  unsigned asks;             /* a bit for each question */
  pl_strategy strategies[8]; /* auto first; ended by PL_STRATEGY_COUNT */
  double weights;            /* of a vertex, about; 0: positions are set */
  int triangles;
  bool (*open)(auto_stage *s, const pl_body_def *def); /* makes s->mesh and s->body */
  bool (*pose)(auto_stage *s, int frame);              /* before the clock starts */
  pl_status (*set)(auto_stage *s);                     /* what the last pose made */
} auto_actor;

extern const auto_actor auto_actors[]; /* ended by one without a name */

/* Is its file, or the first of its sequence, there? The folder is that of the environment's
 * PLIANT_DATA, or ../shared/data. */
bool auto_actor_is_there(const auto_actor *a);

struct auto_stage {
  const auto_actor *actor;
  pl_context *context;
  pl_body *body, *ball, *far; /* what pairs and near pairs, and distances are asked with */
  pl_scene *scene;            /* of several bodies; NULL: one */
  pl_body *bodies[AUTO_MOST_BODIES];
  scene_mesh mesh, meshes[AUTO_MOST_BODIES]; /* controls, or the surface */
  scene_animal animal;
  pl_transform *bones;
  size_t bone_count;
  float *velocity; /* of a soup */
  float *frames;   /* of a sequence: positions of all, one after the other */
  size_t frame_count;
  struct gltf_scene *file;
  struct gltf_pose *file_pose;
  size_t file_body;
  double middle[3], radius; /* of the body at first */
  bool small;               /* the reference is affordable */
};

/* false: *s is to be closed all the same. */
bool auto_stage_open(const auto_actor *actor, pl_strategy strategy, const bench_options *options, auto_stage *s);
void auto_stage_close(auto_stage *s);
bool auto_stage_pose(auto_stage *s, int frame);
bool auto_stage_set(auto_stage *s, int frame);

/* What the volumes of this frame's question have cost, in tests of two volumes. Two bodies count as
 * one, as the second is small. */
double auto_stage_update_cost(const auto_stage *s, uint64_t n_u);

#endif
