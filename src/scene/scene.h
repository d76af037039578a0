/* A scene: members, the broad phase, and the results of a step. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "pliant/scene.h"
#include "query/query.h"
#include "scene/broad.h"

/* A body's place in one scene. */
typedef struct membership {
  pl_scene *scene;
  pl_body *body;
  struct membership *next; /* the body's next scene */
  pl_member_def options;
  uint32_t proxy; /* its number in the broad phase and in scene->members */
} membership;

/* Two members that may be the nearest. */
typedef struct scene_candidate {
  uint32_t a, b; /* proxies, a < b */
} scene_candidate;

/* Proxies are numbered in ascending order and not reused until the scene is packed, so their order is the order of adding. */
struct pl_scene {
  owned link;
  pl_context *context;
  pl_broad kind; /* as requested */
  broad broad;
  ARRAY(membership *) members; /* by proxy; NULL: removed */
  ARRAY(place) places;         /* by proxy: the places of the members in this step */
  size_t body_count;

  ARRAY(update *) waiting; /* eager passes of this step */
  ARRAY(uint32_t) pieces;  /* of them: scratch of update_eager() */
  ARRAY(pl_contact) contacts;
  ARRAY(pl_contact_group) groups;
  pl_contacts answer;
  ARRAY(scene_candidate) candidates; /* body pairs of a distance query */
  ARRAY(uint64_t) order, ordering;   /* of them: by the distance of their boxes */
};

/* scene/stages.c: the eager passes of bodies that changed, on all workers: except those with a loose box, or, for rays, except the
 * trees that a grid replaces. */
pl_status scene_update(pl_scene *scene, pl_counters *counters);
pl_status scene_update_rays(pl_scene *scene, pl_counters *counters);

/* Boxes of the members into the broad phase, and its pairs. */
pl_status scene_sweep(pl_scene *scene, pl_counters *counters);

/* scene/step.c: turns q->pairs into a group of contacts of two bodies; and returns the result to the caller. */
pl_status scene_append(pl_scene *scene, const collide_scratch *q, pl_body *a, pl_body *b);
void scene_publish(pl_scene *scene, pl_contacts *answer, const pl_contacts **out);

/* Do the groups and masks of two members let them be tested? */
static inline bool members_meet(const membership *a, const membership *b)
{
  return (a->options.group & b->options.mask) && (b->options.group & a->options.mask);
}

#endif
