/* A scene: members, the broad phase, and the results of a step. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "pliant/impact.h"
#include "pliant/scene.h"
#include "query/self.h"
#include "scene/broad.h"

struct impact_scratch; /* query/impact.h */

/* A body's place in one scene. */
typedef struct membership {
  body_scene link; /* to the body's next scene */
  pl_scene *scene;
  pl_body *body;
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
  guard guard;
  pl_broad kind; /* as requested */
  broad broad;
  ARRAY(membership *) members; /* by proxy; NULL: removed */
  size_t body_count;

  /* With `broad`, changed by queries: only with the lock of updates held. */
  ARRAY(update *) waiting; /* eager passes of this step */
  ARRAY(uint32_t) pieces;  /* of them: scratch of update_eager() */
};

/* What a thread's queries of scenes keep, and their results. */
typedef struct scene_scratch {
  ARRAY(place) places; /* by proxy: the places of the members in this step */
  ARRAY(place) selves; /* by proxy: those of members that are tested against themselves */
  ARRAY(pl_contact) contacts;
  ARRAY(pl_contact_group) groups;
  pl_contacts answer;
  ARRAY(aabb) boxes;                 /* by proxy: of a distance query */
  ARRAY(scene_candidate) candidates; /* its body pairs */
  ARRAY(uint64_t) order, ordering;   /* of them: by the distance of their boxes */
} scene_scratch;

/* Around a query of a scene and its members. */
static inline pl_status scene_query(call *c, pl_scene *scene)
{
  return call_query(c, scene->context, &scene->guard, NULL);
}

/* scene/stages.c: the eager passes of bodies that changed, on all workers: except those with a loose box, or, for rays, except the
 * trees that a grid replaces. With the lock of updates held. */
pl_status scene_update(pl_scene *scene, pl_counters *counters);
pl_status scene_update_rays(pl_scene *scene, pl_counters *counters);

/* Boxes of the members into the broad phase, and its pairs. With the lock of updates held. */
pl_status scene_sweep(pl_scene *scene, scene_scratch *t, pl_counters *counters);
pl_status scene_sweep_within(pl_scene *scene, scene_scratch *t, double margin,
                             pl_counters *counters); /* within a margin */

/* The place of a member; that of a loose one is computed when it is first asked for in a step. */
const place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u);

/* scene/step.c: turns q->pairs into a group of contacts of two bodies; and returns the result to the caller. */
pl_status scene_append(pl_context *context, scene_scratch *t, const collide_scratch *q, pl_body *a, pl_body *b);
void scene_publish(scene_scratch *t, pl_contacts *answer, const pl_contacts **out);

/* scene/first_contact.c: all checks of a query of first contacts, which it enters; and the thread's scratch with a job for each pair of
 * bodies, or NULL: no memory. */
pl_status scene_impact_prepare(pl_scene *scene, const pl_impact_def *def, const pl_impacts **out, pl_impact_def *full,
                               call *c);
struct impact_scratch *scene_impact_jobs(pl_scene *scene, const pl_impact_def *def);

/* Do the groups and masks of two members let them be tested? */
static inline bool members_meet(const membership *a, const membership *b)
{
  return (a->options.group & b->options.mask) && (b->options.group & a->options.mask);
}

#endif
